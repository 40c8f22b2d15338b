//! The nodes of a cluster as they tell it themselves, and which records each has.

mod ring;

use crate::errors::Failure;
use crate::session::{Cluster, health_of};
use crate::tables::Tables;
use futures_util::future::{join, join4};
use futures_util::stream::{self, FuturesUnordered, StreamExt};
use ring::Ring;
use scylla::cluster::Node;
use scylla::deserialize::row::DeserializeRow;
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::statement::Statement;
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::{Error, ErrorCode, sentence};
use tessera_core::store::remote::{ClusterView, NodeAnswer, NodeRate, NodeView};
use tokio::time::{Instant as Deadline, timeout_at};
use uuid::Uuid;

/// Nodes that are asked at once.
const AT_ONCE: usize = 64;
/// Nodes that are asked what all tell each other. One that answers is enough.
const GOSSIPERS: usize = 3;
const GOSSIP: &str = "SELECT host_id, load, status_with_port, release_version FROM system_views.gossip_info";
const HINTS: &str = "SELECT host_id, files FROM system_views.pending_hints";
const SCHEMA: &str = "SELECT schema_version FROM system.local";

/// What the nodes tell each other of one.
struct Gossip {
    load_bytes: Option<u64>,
    state: Option<String>,
    version: Option<String>,
}

/// What a node told of itself, and the files of hints that it keeps for others.
type Told = (NodeAnswer, Option<Vec<(Uuid, u64)>>);

impl Cluster {
    /// Waits as long as for one request at most: who has not answered by then is told as such.
    pub(crate) fn view(&self, tables: &Tables) -> ClusterView {
        let keyspace = tables.keyspace();
        let state = self.session().get_cluster_state();
        let all = state.get_nodes_info();
        let until = Deadline::now() + self.timeout();
        let (told, (gossip, strategy)) = self.wait(async {
            let each = stream::iter(all).map(|node| self.told(node, tables, until)).buffered(AT_ONCE).collect::<Vec<_>>();
            join(each, join(self.gossip(all, until), self.strategy(keyspace, until))).await
        });
        let ring = Ring::of(&state, keyspace, strategy);
        let mut hints = told.iter().flatten().flatten().any(|(_, hints)| hints.is_some()).then(HashMap::<Uuid, u64>::new);
        for (host, files) in told.iter().flatten().flatten().flat_map(|(_, hints)| hints.iter().flatten()) {
            if let Some(hints) = &mut hints {
                *hints.entry(*host).or_default() += files;
            }
        }
        let nodes = all.iter().zip(told).map(|(node, told)| {
            let gossip = gossip.get(&node.host_id);
            NodeView {
                node: health_of(node),
                state: gossip.and_then(|gossip| gossip.state.clone()),
                load_bytes: gossip.and_then(|gossip| gossip.load_bytes),
                version: gossip.and_then(|gossip| gossip.version.clone()),
                tokens: ring.tokens_of(node),
                share: ring.share_of(node),
                hint_files: hints.as_ref().map(|hints| hints.get(&node.host_id).copied().unwrap_or(0)),
                answer: told.map(|told| told.map(|(answer, _)| answer)),
            }
        });
        let nodes = nodes.collect();
        ClusterView { name: self.name(), keyspace: keyspace.to_owned(), nodes, exact: ring.exact, ranges: ring.ranges }
    }

    /// What a node tells of itself; `None`: there is no connection to it.
    async fn told(&self, node: &Arc<Node>, tables: &Tables, until: Deadline) -> Option<Result<Told, Error>> {
        if !node.is_connected() {
            return None;
        }
        let begun = Instant::now();
        let schema = async {
            let rows = self.ask_node::<(Uuid,)>(node, SCHEMA).await?;
            Ok::<_, Error>((rows, begun.elapsed()))
        };
        let hints = self.ask_node::<(Uuid, Option<i32>)>(node, HINTS);
        let asked = join4(schema, hints, self.rate(node, tables, "read"), self.rate(node, tables, "write"));
        let Ok((schema, hints, reads, writes)) = timeout_at(until, asked).await else {
            return Some(Err(Error::said(
                ErrorCode::ClusterUnavailable,
                sentence!("no answer in {ms} ms", ms = self.timeout().as_millis()),
            )));
        };
        // Other versions have other tables, and not everybody may read them.
        let hints = hints.ok().map(|rows| rows.into_iter().map(|(host, files)| (host, whole(files.unwrap_or(0)))).collect());
        Some(schema.map(|(rows, took)| {
            let schema = rows.first().map_or_else(String::new, |(version,)| version.to_string());
            (NodeAnswer { took_ms: took.as_secs_f64() * 1000.0, schema, reads, writes }, hints)
        }))
    }

    /// How often a node has read or written a record itself. The quantiles beside it are a thousand times too small.
    async fn rate(&self, node: &Arc<Node>, tables: &Tables, what: &str) -> Option<NodeRate> {
        let (keyspace, table) = (tables.keyspace(), tables.name("records"));
        let text = format!(
            "SELECT count, per_second FROM system_views.local_{what}_latency WHERE keyspace_name = '{keyspace}' AND table_name = '{table}'"
        );
        let rows = self.ask_node::<(i64, f64)>(node, &text).await.ok()?;
        let (count, per_second) = *rows.first()?;
        Some(NodeRate { count: count.cast_unsigned(), per_second })
    }

    /// What the first of some nodes knows of all.
    async fn gossip(&self, all: &[Arc<Node>], until: Deadline) -> HashMap<Uuid, Gossip> {
        type Row = (Option<String>, Option<String>, Option<String>, Option<String>);
        let asked = all.iter().filter(|node| node.is_connected()).take(GOSSIPERS).map(|node| self.ask_node::<Row>(node, GOSSIP));
        let answers = asked.collect::<FuturesUnordered<_>>().filter_map(|answer| std::future::ready(answer.ok()));
        let mut answers = std::pin::pin!(answers);
        let rows = timeout_at(until, answers.next()).await.ok().flatten().unwrap_or_default();
        let of = |(host, load, status, version): Row| {
            let load = load.and_then(|load| load.parse::<f64>().ok()).filter(|load| *load >= 0.0);
            // A token stands behind the comma.
            let state = status.and_then(|status| Some(status.split(',').next()?.to_owned()));
            Some((host?.parse().ok()?, Gossip { load_bytes: load.map(|load| load as u64), state, version }))
        };
        rows.into_iter().filter_map(of).collect()
    }

    /// Asks one node, and no other in its place.
    async fn ask_node<R>(&self, node: &Arc<Node>, text: &str) -> Result<Vec<R>, Error>
    where
        R: for<'frame, 'metadata> DeserializeRow<'frame, 'metadata>,
    {
        let mut ask = Statement::new(text);
        let target = NodeIdentifier::Node(node.clone());
        ask.set_load_balancing_policy(Some(SingleTargetLoadBalancingPolicy::new(target, None)));
        ask.set_request_timeout(Some(self.timeout()));
        ask.set_is_idempotent(true);
        self.rows(ask).await
    }

    async fn rows<R>(&self, ask: Statement) -> Result<Vec<R>, Error>
    where
        R: for<'frame, 'metadata> DeserializeRow<'frame, 'metadata>,
    {
        let answer = self.session().query_unpaged(ask, ()).await.map_err(Failure::from)?;
        let rows = answer.into_rows_result().map_err(|error| Failure::internal(&error))?;
        let rows: Result<Vec<R>, _> = rows.rows::<R>().map_err(|error| Failure::internal(&error))?.collect();
        Ok(rows.map_err(|error| Failure::internal(&error))?)
    }

    /// How the keyspace is replicated; `None`: nobody told.
    async fn strategy(&self, keyspace: &str, until: Deadline) -> Option<HashMap<String, String>> {
        let mut ask = Statement::new(format!("SELECT replication FROM system_schema.keyspaces WHERE keyspace_name = '{keyspace}'"));
        ask.set_request_timeout(Some(self.timeout()));
        ask.set_is_idempotent(true);
        let rows = timeout_at(until, self.rows::<(HashMap<String, String>,)>(ask)).await.ok()?.ok()?;
        rows.into_iter().next().map(|(replication,)| replication)
    }
}

fn whole(number: i32) -> u64 {
    u64::try_from(number).unwrap_or(0)
}
