//! Whether the clocks of the nodes agree with that of this machine.

use crate::session::Cluster;
use scylla::cluster::Node;
use scylla::policies::load_balancing::{NodeIdentifier, SingleTargetLoadBalancingPolicy};
use scylla::statement::Statement;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result, clock, sentence};

/// Cassandra keeps a version for an hour after it is gone for callers, by its own clock. Half of that is left for slow writes.
const MOST: Duration = Duration::from_secs(1800);

impl Cluster {
    /// Asks each connected node for its time. One that does not answer is passed over.
    ///
    /// # Errors
    /// `cluster_unavailable` if the clock of a node is so far from this machine's that Cassandra would remove versions that are needed
    /// yet.
    pub(crate) fn check_clocks(&self) -> Result<()> {
        let state = self.session().get_cluster_state();
        state
            .get_nodes_info()
            .iter()
            .filter(|node| node.is_connected())
            .try_for_each(|node| self.ahead_ms(node).map_or(Ok(()), |ahead| check(&node.address.ip().to_string(), ahead)))
    }

    /// How far the clock of a node is ahead of this machine's, milliseconds, to the nearest half of the time that asking took.
    fn ahead_ms(&self, node: &Arc<Node>) -> Option<i64> {
        let mut ask = Statement::new("SELECT toUnixTimestamp(now()) FROM system.local");
        let target = NodeIdentifier::Node(node.clone());
        ask.set_load_balancing_policy(Some(SingleTargetLoadBalancingPolicy::new(target, None)));
        ask.set_request_timeout(Some(self.timeout()));
        let (before, begun) = (clock::unix_millis(), Instant::now());
        let rows = self.wait(self.session().query_unpaged(ask, ())).ok()?.into_rows_result().ok()?;
        let halfway = before + begun.elapsed().as_millis() as u64 / 2;
        let (there,) = rows.single_row::<(i64,)>().ok()?;
        Some(there - halfway.cast_signed())
    }
}

fn check(address: &str, ahead_ms: i64) -> Result<()> {
    let off = Duration::from_millis(ahead_ms.unsigned_abs());
    if off <= MOST {
        return Ok(());
    }
    let (off, most) = (off.as_secs(), MOST.as_secs());
    let message = match ahead_ms > 0 {
        true => sentence!(
            "the clock of the node {address} is {off} s ahead of that of this machine; at most {most} s are allowed",
            address = address,
            off = off,
            most = most
        ),
        false => sentence!(
            "the clock of the node {address} is {off} s behind that of this machine; at most {most} s are allowed",
            address = address,
            off = off,
            most = most
        ),
    };
    Err(Error::said(ErrorCode::ClusterUnavailable, message))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_clock_may_be_half_an_hour_off_and_no_more() {
        let most = MOST.as_millis() as i64;
        for fine in [0, most, -most] {
            check("10.0.0.1", fine).unwrap();
        }
        for (off, way) in [(most + 1000, "1801 s ahead of"), (-most - 1000, "1801 s behind")] {
            let error = check("10.0.0.1", off).unwrap_err();
            assert_eq!(error.code, ErrorCode::ClusterUnavailable);
            assert!(error.message.contains(way), "{error}");
        }
    }
}
