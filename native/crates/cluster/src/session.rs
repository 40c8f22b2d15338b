//! The connections to a cluster, and the runtime that the driver lives in.

use crate::connections::of_session;
use crate::errors::Failure;
use crate::known::KnownCluster;
use crate::link::Link;
use crate::silence::{AvoidSilent, Silence};
use crate::tls;
use scylla::client::execution_profile::ExecutionProfile;
use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use scylla::client::{Compression, execution_profile::ExecutionProfileHandle};
use scylla::cluster::Node;
use scylla::frame::types::{Consistency as Wire, SerialConsistency};
use scylla::policies::load_balancing::DefaultPolicy;
use scylla::policies::retry::{DefaultRetryPolicy, FallthroughRetryPolicy};
use scylla::policies::speculative_execution::SimpleSpeculativeExecutionPolicy;
use scylla::response::query_result::QueryResult;
use scylla::serialize::row::SerializeRow;
use scylla::statement::prepared::PreparedStatement;
use scylla::value::Row;
use std::collections::BTreeSet;
use std::future::Future;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::{Error, ErrorCode, Result, sentence, thread_guard};
use tessera_core::config::{CassandraConfig, Consistency, Serial};
use tessera_core::store::remote::NodeHealth;
use tokio::runtime::{Builder, Runtime};

/// Threads that move bytes between connections and callers.
const WORKERS: usize = 2;
/// The driver's 30 s would leave reads waiting long after a node has died.
const KEEP_ALIVE: Duration = Duration::from_secs(2);

pub struct Cluster {
    // Before the runtime, which its connections need.
    link: Arc<Link>,
    config: CassandraConfig,
    profiles: Profiles,
    runtime: Runtime,
}

/// How requests of each kind are sent.
struct Profiles {
    read: ExecutionProfileHandle,
    serial_read: ExecutionProfileHandle,
    repeatable: ExecutionProfileHandle,
    write: ExecutionProfileHandle,
}

/// What a request is, which says how it is sent.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Kind {
    Read,
    /// A read in turn with the writes of its record. It ends what they have begun.
    SerialRead,
    /// A write that does no harm if it is carried out twice.
    Repeatable,
    /// Never sent twice by the driver: who sends it settles what came of it.
    Write,
}

impl Cluster {
    /// # Errors
    /// `config_invalid`, also for a data centre that no node is in; `cluster_unavailable` if no contact point answers, or TLS fails, or a clock is wrong; `cluster_refused` if the
    /// credentials are.
    pub fn connect(known: &KnownCluster, config: CassandraConfig) -> Result<Arc<Self>> {
        config.check()?;
        let built = Builder::new_multi_thread().worker_threads(WORKERS).thread_name("cluster").enable_all().build();
        let runtime = built.map_err(|error| Error::new(ErrorCode::Internal, format!("threads for a cluster: {error}")))?;
        let silence = Silence::new();
        let profiles = Profiles::new(&config, &silence);
        let builder = builder(known, &config, profiles.read.clone())?;
        // The driver waits for a node that has taken the connection as long as that takes.
        let patience = millis(config.connect_timeout_ms) * (known.contact_points.len() as u32 + 2);
        let built = runtime.block_on(async { tokio::time::timeout(patience, builder.build()).await });
        let session = match built {
            Ok(Ok(session)) => Ok(session),
            Ok(Err(error)) => Err(of_session(&error, tls::hint(known.tls.as_ref()))),
            Err(_) => Err(Error::said(
                ErrorCode::ClusterUnavailable,
                sentence!("a node did not answer in {seconds} s", seconds = patience.as_secs()),
            )),
        };
        let session = session.map_err(|Error { code, message, .. }| {
            Error::said(
                code,
                sentence!(
                    "no connection to the cluster at {addresses}: {message}",
                    addresses = known.contact_points.join(", "),
                    message = message
                ),
            )
        })?;
        let link = Arc::new(Link::new(session, config.in_flight, silence));
        let cluster = Self { link, config, profiles, runtime };
        check_data_centre(cluster.config.data_centre.as_deref(), &cluster.nodes())?;
        cluster.check_clocks()?;
        Ok(Arc::new(cluster))
    }

    pub(crate) fn config(&self) -> &CassandraConfig {
        &self.config
    }

    pub(crate) fn name(&self) -> String {
        self.session().get_cluster_state().cluster_name().to_owned()
    }

    /// What this process knows of the nodes. Waits for nobody.
    pub(crate) fn nodes(&self) -> Vec<NodeHealth> {
        self.session().get_cluster_state().get_nodes_info().iter().map(health_of).collect()
    }

    pub(crate) fn timeout(&self) -> Duration {
        millis(self.config.timeout_ms)
    }

    /// Runs work of the driver on the calling thread.
    pub(crate) fn wait<F: Future>(&self, work: F) -> F::Output {
        thread_guard::may_wait("waits for a cluster");
        self.runtime.block_on(work)
    }

    /// Runs work of the driver while the calling thread goes on.
    pub(crate) fn spawn(&self, work: impl Future<Output = ()> + Send + 'static) {
        self.runtime.spawn(work);
    }

    pub(crate) fn session(&self) -> &Session {
        self.link.session()
    }

    pub(crate) fn link(&self) -> &Arc<Link> {
        &self.link
    }

    /// Prepares a statement of a kind.
    pub(crate) fn prepare(&self, kind: Kind, text: &str) -> Result<PreparedStatement> {
        let mut statement = self.wait(self.session().prepare(text)).map_err(Failure::from)?;
        statement.set_is_idempotent(kind != Kind::Write);
        // The answer to a write has other columns if it was not applied.
        statement.set_use_cached_result_metadata(kind != Kind::Write);
        let profile = match kind {
            Kind::Read => &self.profiles.read,
            Kind::SerialRead => &self.profiles.serial_read,
            Kind::Repeatable => &self.profiles.repeatable,
            Kind::Write => &self.profiles.write,
        };
        statement.set_execution_profile_handle(Some(profile.clone()));
        Ok(statement)
    }

    /// As `prepare`, for what other processes have to see, whatever the namespace asks of its records.
    pub(crate) fn prepare_for_all(&self, kind: Kind, text: &str) -> Result<PreparedStatement> {
        let mut statement = self.prepare(kind, text)?;
        statement.set_consistency(match self.config.serial {
            Serial::Everywhere => Wire::Quorum,
            Serial::Local => Wire::LocalQuorum,
        });
        Ok(statement)
    }

    /// As `prepare`, for reads that have to meet every write that was acknowledged before, whatever the namespace asks of its records.
    pub(crate) fn prepare_to_meet_writes(&self, text: &str) -> Result<PreparedStatement> {
        let mut statement = self.prepare(Kind::Read, text)?;
        statement.set_consistency(match (self.config.writes, self.config.serial) {
            (Consistency::All | Consistency::EachQuorum | Consistency::LocalQuorum, Serial::Local) => Wire::LocalQuorum,
            (Consistency::All | Consistency::EachQuorum | Consistency::Quorum, _) => Wire::Quorum,
            // Too few replicas have them: those that are asked may be others.
            (Consistency::One | Consistency::LocalOne | Consistency::LocalQuorum, _) => Wire::All,
        });
        Ok(statement)
    }

    /// As `prepare`, for a plain write that later serial reads have to meet, and on as many replicas as the namespace asks for.
    pub(crate) fn prepare_to_be_met(&self, text: &str) -> Result<PreparedStatement> {
        let mut statement = self.prepare(Kind::Repeatable, text)?;
        statement.set_consistency(match (self.config.writes, self.config.serial) {
            (Consistency::All, _) => Wire::All,
            (Consistency::EachQuorum, _) | (Consistency::LocalQuorum, Serial::Everywhere) | (Consistency::Quorum, Serial::Local) => {
                Wire::EachQuorum
            }
            (Consistency::One | Consistency::LocalOne | Consistency::Quorum, Serial::Everywhere) => Wire::Quorum,
            (Consistency::One | Consistency::LocalOne | Consistency::LocalQuorum, Serial::Local) => Wire::LocalQuorum,
        });
        Ok(statement)
    }

    /// Sends a request, when fewer than `in_flight` others are on their way.
    pub(crate) fn send(&self, statement: &PreparedStatement, values: impl SerializeRow) -> std::result::Result<QueryResult, Failure> {
        self.wait(self.ask(statement, values))
    }

    /// As `send`, for one of several.
    pub(crate) async fn ask(&self, statement: &PreparedStatement, values: impl SerializeRow) -> std::result::Result<QueryResult, Failure> {
        self.link.ask(statement, values).await
    }
}

impl Profiles {
    fn new(config: &CassandraConfig, silence: &Arc<Silence>) -> Self {
        let mut policy = DefaultPolicy::builder().token_aware(true);
        if let Some(name) = &config.data_centre {
            policy = policy.prefer_datacenter(name.clone());
        }
        let (serial, serial_read) = match config.serial {
            Serial::Everywhere => (SerialConsistency::Serial, Wire::Serial),
            Serial::Local => (SerialConsistency::LocalSerial, Wire::LocalSerial),
        };
        let base = ExecutionProfile::builder()
            .load_balancing_policy(Arc::new(AvoidSilent { inner: policy.build(), silence: silence.clone() }))
            .request_timeout(Some(millis(config.timeout_ms)))
            .serial_consistency(Some(serial))
            .retry_policy(Arc::new(DefaultRetryPolicy::new()));
        let speculation = config.speculation.map(|speculation| -> Arc<_> {
            Arc::new(SimpleSpeculativeExecutionPolicy {
                max_retry_count: speculation.most as usize,
                retry_interval: millis(speculation.after_ms),
            })
        });
        let read = base.clone().consistency(wire(config.reads)).speculative_execution_policy(speculation.map(|policy| policy as _));
        Self {
            read: read.build().into_handle(),
            serial_read: base.clone().consistency(serial_read).build().into_handle(),
            repeatable: base.clone().consistency(wire(config.writes)).build().into_handle(),
            write: base.consistency(wire(config.writes)).retry_policy(Arc::new(FallthroughRetryPolicy::new())).build().into_handle(),
        }
    }
}

/// Whether a compare-and-set took place.
pub(crate) fn applied(answer: &QueryResult) -> std::result::Result<bool, Failure> {
    // Its columns depend on the outcome; the first one is `[applied]`.
    let rows = answer.clone().into_rows_result().map_err(|error| Failure::internal(&error))?;
    let row = rows.first_row::<Row>().map_err(|error| Failure::internal(&error))?;
    let applied = row.columns.first().and_then(|value| value.as_ref()?.as_boolean());
    applied.ok_or_else(|| Failure::internal(&"a compare-and-set was answered without [applied]"))
}

pub(crate) fn health_of(node: &Arc<Node>) -> NodeHealth {
    NodeHealth {
        id: node.host_id.to_string(),
        address: node.address.ip().to_string(),
        data_centre: node.datacenter.clone(),
        rack: node.rack.clone(),
        connected: node.is_connected(),
    }
}

/// The driver would ask nobody.
fn check_data_centre(asked: Option<&str>, nodes: &[NodeHealth]) -> Result<()> {
    let Some(asked) = asked else { return Ok(()) };
    let there: BTreeSet<&str> = nodes.iter().filter_map(|node| node.data_centre.as_deref()).collect();
    if there.contains(asked) {
        return Ok(());
    }
    let message =
        sentence!("no node is in the data centre \"{asked}\"; there are: {there}", asked = asked, there = Vec::from_iter(there).join(", "));
    Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("cluster.dataCentre"))
}

fn millis(millis: u32) -> Duration {
    Duration::from_millis(millis.into())
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

fn builder(known: &KnownCluster, config: &CassandraConfig, profile: ExecutionProfileHandle) -> Result<SessionBuilder> {
    let builder = SessionBuilder::new()
        .known_nodes(&known.contact_points)
        .default_execution_profile_handle(profile)
        .compression(Some(Compression::Lz4))
        .connection_timeout(millis(config.connect_timeout_ms))
        .tcp_keepalive_interval(KEEP_ALIVE)
        .keepalive_interval(KEEP_ALIVE)
        .keepalive_timeout(KEEP_ALIVE)
        .schema_agreement_timeout(millis(config.timeout_ms).max(Duration::from_secs(30)))
        // The driver need not know the tables, only whose tokens are whose.
        .fetch_full_schema_metadata(false);
    let builder = match &known.tls {
        None => builder,
        Some(tls) => builder.tls_context(Some(tls.client()?)),
    };
    Ok(match known.credentials() {
        None => builder,
        Some((user, password)) => builder.user(user, password),
    })
}
