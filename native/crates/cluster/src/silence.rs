//! Nodes that say nothing: they were asked, and none of their answers has come since.
//!
//! A node that is stopped, or cut off, keeps its connections until the driver's keep-alive ends them,
//! seconds later. Requests avoid such a node before that, but for one now and then, and who waits for
//! an answer meanwhile need not go on waiting, unless all nodes are silent. A limit for each request alone would not do: where all
//! nodes are slow, it would double what they have to do. A node that is only slow goes on answering.
//!
//! A node that shuts down, or begins, refuses requests on connections that are open. It counts as silent, too.

use parking_lot::RwLock;
use scylla::cluster::{ClusterState, NodeRef};
use scylla::errors::{DbError, RequestAttemptError};
use scylla::policies::load_balancing::{FallbackPlan, LoadBalancingPolicy, RoutingInfo};
use scylla::routing::Shard;
use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use uuid::Uuid;

/// After so long without an answer a node counts as silent.
const SILENT: Duration = Duration::from_millis(400);
/// So often one request is sent to a node that is silent.
const TRIED: Duration = Duration::from_secs(2);
/// Between two looks of who waits.
const LOOK: Duration = Duration::from_millis(100);

/// Which nodes are silent.
#[derive(Debug)]
pub(crate) struct Silence {
    began: Instant,
    nodes: RwLock<HashMap<Uuid, Waiting>>,
}

/// When a node was first asked of all times since its last answer, milliseconds since `Silence::began`; 0: it was not.
#[derive(Debug, Default)]
struct Waiting(AtomicU64);

impl Silence {
    pub(crate) fn new() -> Arc<Self> {
        Arc::new(Self { began: Instant::now(), nodes: RwLock::default() })
    }

    fn now(&self) -> u64 {
        // Not 0, which says that a node was not asked.
        self.began.elapsed().as_millis() as u64 + 1
    }

    fn asked(&self, node: Uuid) {
        let now = self.now();
        if let Some(waiting) = self.nodes.read().get(&node) {
            return waiting.begins(now);
        }
        self.nodes.write().entry(node).or_default().begins(now);
    }

    fn answered(&self, node: Uuid) {
        self.nodes.read().get(&node).into_iter().for_each(|waiting| waiting.0.store(0, Ordering::Release));
    }

    /// A node has refused a request for reasons of its own, and will refuse others.
    fn refused(&self, node: Uuid) {
        self.nodes.read().get(&node).into_iter().for_each(|waiting| waiting.0.store(silent_since(self.now()), Ordering::Release));
    }

    /// Whether a request is to avoid a node.
    fn avoids(&self, node: Uuid) -> bool {
        self.nodes.read().get(&node).is_some_and(|waiting| waiting.avoided(self.now()))
    }

    /// Whether a node is silent and another is not, which can be asked in its place.
    fn some(&self) -> bool {
        let (now, nodes) = (self.now(), self.nodes.read());
        let silent = nodes.values().filter(|waiting| waiting.is_silent(now)).count();
        silent > 0 && silent < nodes.len()
    }

    /// What comes of a request; `None` once it has waited while some nodes are silent, one of which may have it.
    pub(crate) async fn unless_some<F: Future>(&self, request: F) -> Option<F::Output> {
        let (mut request, mut wait) = (pin!(request), SILENT);
        loop {
            match tokio::time::timeout(wait, &mut request).await {
                Ok(answer) => return Some(answer),
                Err(_) if self.some() => return None,
                Err(_) => wait = LOOK,
            }
        }
    }
}

impl Waiting {
    fn begins(&self, now: u64) {
        // It may have begun before.
        let _ = self.0.compare_exchange(0, now, Ordering::AcqRel, Ordering::Relaxed);
    }

    fn is_silent(&self, now: u64) -> bool {
        let since = self.0.load(Ordering::Acquire);
        since > 0 && (SILENT..SILENT + TRIED).contains(&Duration::from_millis(now.saturating_sub(since)))
    }

    /// Lets one through now and then, which finds out whether the node is back.
    fn avoided(&self, now: u64) -> bool {
        let since = self.0.load(Ordering::Acquire);
        let waited = Duration::from_millis(now.saturating_sub(since));
        if since == 0 || waited < SILENT {
            return false;
        }
        waited < SILENT + TRIED || self.0.compare_exchange(since, silent_since(now), Ordering::AcqRel, Ordering::Relaxed).is_err()
    }
}

/// Of a node that counts as silent from now on.
fn silent_since(now: u64) -> u64 {
    now.saturating_sub(SILENT.as_millis() as u64).max(1)
}

/// Sends requests where another policy does, but not to silent nodes if there are others.
#[derive(Debug)]
pub(crate) struct AvoidSilent {
    pub(crate) inner: Arc<dyn LoadBalancingPolicy>,
    pub(crate) silence: Arc<Silence>,
}

impl LoadBalancingPolicy for AvoidSilent {
    fn pick<'a>(&'a self, request: &'a RoutingInfo, cluster: &'a ClusterState) -> Option<(NodeRef<'a>, Option<Shard>)> {
        let picked = self.inner.pick(request, cluster)?;
        let chosen = match self.silence.avoids(picked.0.host_id) {
            false => picked,
            true => self.inner.fallback(request, cluster).find(|(node, _)| !self.silence.avoids(node.host_id)).unwrap_or(picked),
        };
        self.silence.asked(chosen.0.host_id);
        Some(chosen)
    }

    fn fallback<'a>(&'a self, request: &'a RoutingInfo, cluster: &'a ClusterState) -> FallbackPlan<'a> {
        let (others, silent): (Vec<_>, Vec<_>) =
            self.inner.fallback(request, cluster).partition(|(node, _)| !self.silence.avoids(node.host_id));
        Box::new(others.into_iter().chain(silent).inspect(|(node, _)| self.silence.asked(node.host_id)))
    }

    fn on_request_success(&self, request: &RoutingInfo, latency: Duration, node: NodeRef<'_>) {
        self.silence.answered(node.host_id);
        self.inner.on_request_success(request, latency, node);
    }

    fn on_request_failure(&self, request: &RoutingInfo, latency: Duration, node: NodeRef<'_>, error: &RequestAttemptError) {
        match error {
            RequestAttemptError::DbError(DbError::Overloaded | DbError::IsBootstrapping, _) => self.silence.refused(node.host_id),
            // Any other is an answer, and the driver knows of broken connections.
            _ => self.silence.answered(node.host_id),
        }
        self.inner.on_request_failure(request, latency, node, error);
    }

    fn name(&self) -> String {
        format!("{}, silent nodes last", self.inner.name())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn at(ms: u64) -> Waiting {
        Waiting(AtomicU64::new(ms))
    }

    #[test]
    fn a_node_that_has_not_answered_for_a_while_is_avoided_but_for_one_request_now_and_then() {
        assert!(!at(0).avoided(10_000) && !at(1000).avoided(1399));
        let waiting = at(1000);
        assert!(waiting.avoided(1400) && waiting.avoided(3399));
        assert!(!waiting.avoided(3400) && waiting.avoided(3400) && waiting.avoided(5399));
        assert!(!waiting.avoided(5400));
    }

    #[test]
    fn any_answer_of_a_node_ends_its_silence() {
        let node = Uuid::from_u128(1);
        let silence = Silence { began: Instant::now().checked_sub(SILENT * 2).unwrap(), nodes: RwLock::default() };
        silence.asked(node);
        assert!(!silence.some() && !silence.avoids(node));
        silence.nodes.write().insert(node, at(1));
        assert!(silence.avoids(node) && !silence.some(), "no other can be asked");
        silence.asked(Uuid::from_u128(2));
        assert!(silence.some() && silence.avoids(node));
        silence.answered(node);
        assert!(!silence.some() && !silence.avoids(node));
        silence.refused(node);
        assert!(silence.some() && silence.avoids(node));
        silence.refused(Uuid::from_u128(2));
        assert!(!silence.some());
    }

    #[test]
    fn who_waits_goes_on_waiting_unless_some_nodes_are_silent() {
        let runtime = tokio::runtime::Builder::new_current_thread().enable_time().build().unwrap();
        let silence = Silence { began: Instant::now().checked_sub(SILENT * 2).unwrap(), nodes: RwLock::default() };
        silence.nodes.write().insert(Uuid::from_u128(2), at(0));
        let longer = async { tokio::time::sleep(SILENT + LOOK * 2).await };
        assert_eq!(runtime.block_on(silence.unless_some(longer)), Some(()));
        let for_ever = async {
            loop {
                // It has just become silent, however long this thread waits for a processor.
                silence.nodes.write().insert(Uuid::from_u128(1), at(silence.now() - SILENT.as_millis() as u64));
                tokio::time::sleep(LOOK).await;
            }
        };
        assert_eq!(runtime.block_on(silence.unless_some(for_ever)), None::<()>);
        assert_eq!(runtime.block_on(silence.unless_some(async { 7 })), Some(7));
    }
}
