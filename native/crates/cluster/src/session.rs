//! The connections to a cluster, and the runtime that the driver lives in.

use crate::errors::Failure;
use crate::settings::{Consistency, Serial, Settings};
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::client::{Compression, execution_profile::ExecutionProfileHandle};
use scylla::cluster::Node;
use scylla::errors::NewSessionError;
use scylla::frame::types::{Consistency as Wire, SerialConsistency};
use scylla::policies::load_balancing::{DefaultPolicy, NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::policies::retry::{DefaultRetryPolicy, FallthroughRetryPolicy};
use scylla::policies::speculative_execution::SimpleSpeculativeExecutionPolicy;
use scylla::response::query_result::QueryResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::Statement;
use scylla::statement::prepared::PreparedStatement;
use std::future::Future;
use std::net::IpAddr;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result, clock};
use tokio::runtime::{Builder, Runtime};
use tokio::sync::Semaphore;
use uuid::Uuid;

/// Threads that move bytes between connections and callers.
const WORKERS: usize = 2;
/// The driver's 30 s would leave reads waiting long after a node has died.
const KEEP_ALIVE: Duration = Duration::from_secs(2);
/// Cassandra keeps a version for an hour after it is gone for callers, by its own clock. Half of that is left for slow writes.
const MOST_SKEW: Duration = Duration::from_secs(1800);

pub struct Cluster {
    // Before the runtime, which its connections need.
    session: Session,
    settings: Settings,
    profiles: Profiles,
    in_flight: Semaphore,
    runtime: Runtime,
}

/// How requests of each kind are sent.
struct Profiles {
    read: ExecutionProfileHandle,
    serial_read: ExecutionProfileHandle,
    write: ExecutionProfileHandle,
}

/// What a request is, which says how it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    /// A read in turn with the writes of its record. It ends what they have begun.
    SerialRead,
    /// Never sent twice by the driver: who sends it settles what came of it.
    Write,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    pub name: String,
    pub nodes: Vec<NodeHealth>,
    /// The version of the schema; `None`: the nodes differ, or cannot be asked.
    pub schema: Option<Uuid>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeHealth {
    pub id: Uuid,
    pub address: IpAddr,
    pub data_centre: Option<String>,
    pub rack: Option<String>,
    /// Whether this process has a connection to it.
    pub connected: bool,
    /// How far its clock is ahead of this machine's, milliseconds, to the nearest half of the time that asking took; `None`: it does
    /// not answer.
    pub clock_ms: Option<i64>,
}

impl Cluster {
    /// # Errors
    /// `config_invalid`; `cluster_unavailable` if no contact point answers, or all refuse the credentials, or a clock is wrong.
    pub fn connect(settings: Settings) -> Result<Arc<Self>> {
        settings.check()?;
        let built = Builder::new_multi_thread().worker_threads(WORKERS).thread_name("cluster").enable_all().build();
        let runtime = built.map_err(|error| Error::new(ErrorCode::Internal, format!("threads for a cluster: {error}")))?;
        let profiles = Profiles::new(&settings);
        let session = runtime.block_on(builder(&settings, profiles.read.clone()).build()).map_err(|error| refused(&settings, &error))?;
        let in_flight = Semaphore::new(settings.in_flight);
        let cluster = Self { session, settings, profiles, in_flight, runtime };
        cluster.check_clocks()?;
        Ok(Arc::new(cluster))
    }

    pub fn settings(&self) -> &Settings {
        &self.settings
    }

    /// What this process knows of the nodes. Each is asked for its time.
    pub fn health(&self) -> Health {
        let state = self.session.get_cluster_state();
        let nodes = state.get_nodes_info().iter().map(|node| NodeHealth {
            id: node.host_id,
            address: node.address.ip(),
            data_centre: node.datacenter.clone(),
            rack: node.rack.clone(),
            connected: node.is_connected(),
            clock_ms: if node.is_connected() { self.clock_of(node) } else { None },
        });
        let nodes = nodes.collect();
        let schema = self.wait(self.session.check_schema_agreement()).ok().flatten();
        Health { name: state.cluster_name().to_owned(), nodes, schema }
    }

    /// How far the clock of a node is ahead of this machine's, milliseconds.
    fn clock_of(&self, node: &Arc<Node>) -> Option<i64> {
        let mut ask = Statement::new("SELECT toUnixTimestamp(now()) FROM system.local");
        let target = NodeIdentifier::Node(node.clone());
        ask.set_load_balancing_policy(Some(SingleTargetLoadBalancingPolicy::new(target, None)));
        ask.set_request_timeout(Some(self.settings.connect_timeout));
        let (before, begun) = (clock::unix_millis(), Instant::now());
        let rows = self.wait(self.session.query_unpaged(ask, ())).ok()?.into_rows_result().ok()?;
        let halfway = before + begun.elapsed().as_millis() as u64 / 2;
        let (there,) = rows.single_row::<(i64,)>().ok()?;
        Some(there - halfway.cast_signed())
    }

    /// # Errors
    /// `cluster_unavailable` if the clock of a node is so far from this machine's that records would go before their time, or their
    /// outcomes could not be settled.
    fn check_clocks(&self) -> Result<()> {
        let wrong = |node: NodeHealth| Some((node.address, node.clock_ms.filter(|ms| ms.unsigned_abs() > MOST_SKEW.as_millis() as u64)?));
        let Some((address, ahead)) = self.health().nodes.into_iter().find_map(wrong) else { return Ok(()) };
        let (by, way) = (ahead.unsigned_abs() / 1000, if ahead > 0 { "ahead of" } else { "behind" });
        let most = MOST_SKEW.as_secs();
        let message = format!("the clock of the node {address} is {by} s {way} that of this machine; at most {most} s are allowed");
        Err(Error::new(ErrorCode::ClusterUnavailable, message))
    }

    /// Runs work of the driver on the calling thread.
    pub(crate) fn wait<F: Future>(&self, work: F) -> F::Output {
        self.runtime.block_on(work)
    }

    pub(crate) fn session(&self) -> &Session {
        &self.session
    }

    /// Prepares a statement of a kind.
    pub(crate) fn prepare(&self, kind: Kind, text: &str) -> Result<PreparedStatement> {
        let mut statement = self.wait(self.session.prepare(text)).map_err(Failure::from)?;
        statement.set_is_idempotent(kind != Kind::Write);
        // The answer to a write has other columns if it was not applied.
        statement.set_use_cached_result_metadata(kind != Kind::Write);
        let profile = match kind {
            Kind::Read => &self.profiles.read,
            Kind::SerialRead => &self.profiles.serial_read,
            Kind::Write => &self.profiles.write,
        };
        statement.set_execution_profile_handle(Some(profile.clone()));
        Ok(statement)
    }

    /// Sends a request, when fewer than `in_flight` others are on their way.
    pub(crate) fn send(&self, statement: &PreparedStatement, values: impl SerializeRow) -> std::result::Result<QueryResult, Failure> {
        self.wait(async {
            let _permit = self.permit().await?;
            Ok(self.session.execute_unpaged(statement, values).await?)
        })
    }

    pub(crate) async fn permit(&self) -> std::result::Result<tokio::sync::SemaphorePermit<'_>, Failure> {
        self.in_flight.acquire().await.map_err(|closed| Failure::internal(&closed))
    }
}

impl Profiles {
    fn new(settings: &Settings) -> Self {
        let mut policy = DefaultPolicy::builder().token_aware(true);
        if let Some(name) = &settings.data_centre {
            policy = policy.prefer_datacenter(name.clone());
        }
        let (serial, serial_read) = match settings.serial {
            Serial::Everywhere => (SerialConsistency::Serial, Wire::Serial),
            Serial::Local => (SerialConsistency::LocalSerial, Wire::LocalSerial),
        };
        let base = ExecutionProfile::builder()
            .load_balancing_policy(policy.build())
            .request_timeout(Some(settings.timeout))
            .serial_consistency(Some(serial))
            .retry_policy(Arc::new(DefaultRetryPolicy::new()));
        let speculation = settings.speculation.map(|speculation| -> Arc<_> {
            Arc::new(SimpleSpeculativeExecutionPolicy { max_retry_count: speculation.most, retry_interval: speculation.after })
        });
        let read = base.clone().consistency(wire(settings.reads)).speculative_execution_policy(speculation.map(|policy| policy as _));
        Self {
            read: read.build().into_handle(),
            serial_read: base.clone().consistency(serial_read).build().into_handle(),
            write: base.consistency(wire(settings.writes)).retry_policy(Arc::new(FallthroughRetryPolicy::new())).build().into_handle(),
        }
    }
}

fn wire(consistency: Consistency) -> Wire {
    match consistency {
        Consistency::One => Wire::One,
        Consistency::LocalOne => Wire::LocalOne,
        Consistency::Quorum => Wire::Quorum,
        Consistency::LocalQuorum => Wire::LocalQuorum,
        Consistency::EachQuorum => Wire::EachQuorum,
        Consistency::All => Wire::All,
    }
}

fn builder(settings: &Settings, profile: ExecutionProfileHandle) -> SessionBuilder {
    let builder = SessionBuilder::new()
        .known_nodes(&settings.contact_points)
        .default_execution_profile_handle(profile)
        .compression(Some(Compression::Lz4))
        .connection_timeout(settings.connect_timeout)
        .tcp_keepalive_interval(KEEP_ALIVE)
        .keepalive_interval(KEEP_ALIVE)
        .keepalive_timeout(KEEP_ALIVE)
        .schema_agreement_timeout(settings.timeout.max(Duration::from_secs(30)))
        // The driver need not know the tables, only whose tokens are whose.
        .fetch_full_schema_metadata(false);
    match &settings.credentials {
        None => builder,
        Some(credentials) => builder.user(&credentials.user, &credentials.password),
    }
}

fn refused(settings: &Settings, error: &NewSessionError) -> Error {
    let at = settings.contact_points.join(", ");
    let code = match error {
        NewSessionError::IllegalConfig(_) | NewSessionError::EmptyKnownNodesList => ErrorCode::ConfigInvalid,
        _ => ErrorCode::ClusterUnavailable,
    };
    Error::new(code, format!("no connection to the cluster at {at}: {error}"))
}
