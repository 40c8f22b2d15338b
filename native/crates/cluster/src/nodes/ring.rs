//! The ring of tokens: who has which part of it.

use scylla::cluster::metadata::Strategy;
use scylla::cluster::{ClusterState, Node};
use scylla::frame::response::result::TableSpec;
use scylla::routing::Token;
use std::collections::HashMap;
use tessera_core::store::remote::TokenRange;
use uuid::Uuid;

/// Most ranges that are told one by one.
const MOST: usize = 512;
/// Bits to the right of a part's number, if there are `MOST` of them.
const SHIFT: u32 = u64::BITS - MOST.trailing_zeros();

/// Ranges of tokens, and what each node has of them.
#[derive(Debug, Default)]
pub(super) struct Ring {
    pub(super) ranges: Vec<TokenRange>,
    pub(super) exact: bool,
    /// Tokens, and the part of the ring, by host id.
    parts: HashMap<Uuid, (u32, f64)>,
}

impl Ring {
    /// `replication` as the keyspace has it. Without it, each token has its owner alone.
    pub(super) fn of(state: &ClusterState, keyspace: &str, replication: Option<HashMap<String, String>>) -> Self {
        let locator = state.replica_locator();
        let strategy = replication.map_or(Strategy::LocalStrategy, strategy);
        let table = TableSpec::borrowed(keyspace, "records");
        let positions: HashMap<Uuid, u32> = state.get_nodes_info().iter().map(|node| node.host_id).zip(0..).collect();
        let replicas = |token: i64| -> Vec<u32> {
            let all = locator.replicas_for_token(Token::new(token), &strategy, None, &table).into_replicas_ordered();
            all.into_iter().filter_map(|(node, _)| positions.get(&node.host_id).copied()).collect()
        };
        let tokens: Vec<i64> = locator.ring().iter().map(|(token, _)| token.value()).collect();
        let ranges = ranges(&tokens, &replicas);
        let mut parts = HashMap::<Uuid, (u32, f64)>::new();
        for (_, owner) in locator.ring().iter() {
            parts.entry(owner.host_id).or_default().0 += 1;
        }
        let hosts: Vec<Uuid> = state.get_nodes_info().iter().map(|node| node.host_id).collect();
        for range in &ranges {
            for host in range.replicas.iter().filter_map(|&replica| hosts.get(replica as usize)) {
                parts.entry(*host).or_default().1 += part(range);
            }
        }
        let exact = ranges.len() <= MOST;
        let ranges = if exact { ranges } else { equal_parts(&replicas) };
        Self { ranges, exact, parts }
    }

    pub(super) fn tokens_of(&self, node: &Node) -> u32 {
        self.parts.get(&node.host_id).map_or(0, |(tokens, _)| *tokens)
    }

    pub(super) fn share_of(&self, node: &Node) -> f64 {
        self.parts.get(&node.host_id).map_or(0.0, |(_, share)| share.min(1.0))
    }
}

fn strategy(replication: HashMap<String, String>) -> Strategy {
    let (class, rest): (Vec<_>, Vec<_>) = replication.into_iter().partition(|(name, _)| name == "class");
    let copies = rest.into_iter().filter_map(|(name, copies)| Some((name, copies.parse::<usize>().ok()?)));
    let name = class.into_iter().next().map_or_else(String::new, |(_, class)| class);
    match name.rsplit('.').next() {
        Some("NetworkTopologyStrategy") => Strategy::NetworkTopologyStrategy { datacenter_repfactors: copies.collect() },
        Some("SimpleStrategy") => Strategy::SimpleStrategy { replication_factor: copies.map(|(_, copies)| copies).max().unwrap_or(1) },
        _ => Strategy::LocalStrategy,
    }
}

/// The ranges that end at the tokens, which are in order. Neighbours with the same replicas are one.
fn ranges(tokens: &[i64], replicas: &dyn Fn(i64) -> Vec<u32>) -> Vec<TokenRange> {
    let Some(&first_token) = tokens.first() else { return vec![] };
    // What is behind the last token belongs to the first one.
    let ends = tokens.iter().map(|&token| (token, token)).chain([(i64::MAX, first_token)]);
    let mut all: Vec<TokenRange> = vec![];
    let mut next = Some(i64::MIN);
    for (last, of) in ends {
        let Some(first) = next.filter(|&first| first <= last) else { continue };
        let replicas = replicas(of);
        match all.last_mut().filter(|before| before.replicas == replicas) {
            Some(before) => before.last = last,
            None => all.push(TokenRange { first, last, replicas }),
        }
        next = last.checked_add(1);
    }
    all
}

/// As many as are told, each with the replicas of its middle.
fn equal_parts(replicas: &dyn Fn(i64) -> Vec<u32>) -> Vec<TokenRange> {
    let at = |number: u64| ((number << SHIFT) ^ (1 << 63)).cast_signed();
    let part = |number: u64| {
        let (first, last) = (at(number), at(number) + ((1 << SHIFT) - 1));
        TokenRange { first, last, replicas: replicas(first + (1 << (SHIFT - 1))) }
    };
    (0..MOST as u64).map(part).collect()
}

/// The part of the ring that a range is.
fn part(range: &TokenRange) -> f64 {
    (i128::from(range.last) - i128::from(range.first) + 1) as f64 / 2f64.powi(64)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn whole(ranges: &[TokenRange]) {
        assert_eq!((ranges[0].first, ranges[ranges.len() - 1].last), (i64::MIN, i64::MAX));
        assert!(ranges.windows(2).all(|pair| pair[0].last.checked_add(1) == Some(pair[1].first)), "{ranges:?}");
        assert!((ranges.iter().map(part).sum::<f64>() - 1.0).abs() < 1e-9);
    }

    #[test]
    fn ranges_end_at_tokens_and_what_is_behind_the_last_one_is_of_the_first() {
        // Tokens of the nodes 0, 1 and 1.
        let owner = |token: i64| vec![u32::from(token > -5 && token <= 20)];
        let found = ranges(&[-5, 10, 20], &owner);
        let range = |first, last, node| TokenRange { first, last, replicas: vec![node] };
        assert_eq!(found, [range(i64::MIN, -5, 0), range(-4, 20, 1), range(21, i64::MAX, 0)]);
        whole(&found);
        // The smallest token of all, as the first node of a local cluster has it, and the largest.
        let found = ranges(&[i64::MIN, 0, i64::MAX], &|token| vec![if token == 0 { 1 } else { 0 }]);
        assert_eq!(found, [range(i64::MIN, i64::MIN, 0), range(i64::MIN + 1, 0, 1), range(1, i64::MAX, 0)]);
        whole(&found);
        whole(&ranges(&[7], &|_| vec![0]));
        assert_eq!(ranges(&[], &|_| vec![0]), []);
    }

    #[test]
    fn a_ring_of_many_ranges_is_told_in_equal_parts() {
        let parts = equal_parts(&|token| vec![u32::from(token >= 0)]);
        whole(&parts);
        assert_eq!(parts.len(), MOST);
        assert!(parts.iter().all(|range| range.replicas == [u32::from(range.first >= 0)]));
        assert!(parts.iter().all(|range| part(range) == part(&parts[0])));
    }

    #[test]
    fn a_strategy_is_read_as_the_cluster_tells_it() {
        let of = |pairs: &[(&str, &str)]| strategy(pairs.iter().map(|(name, value)| ((*name).into(), (*value).into())).collect());
        let simple = of(&[("class", "org.apache.cassandra.locator.SimpleStrategy"), ("replication_factor", "3")]);
        assert_eq!(simple, Strategy::SimpleStrategy { replication_factor: 3 });
        let centres = of(&[("class", "NetworkTopologyStrategy"), ("dc1", "3"), ("dc2", "2")]);
        let datacenter_repfactors = [("dc1".to_owned(), 3), ("dc2".to_owned(), 2)].into();
        assert_eq!(centres, Strategy::NetworkTopologyStrategy { datacenter_repfactors });
        assert_eq!(of(&[("class", "EverywhereStrategy")]), Strategy::LocalStrategy);
    }
}
