//! Which node owns which segment: a map that every node and client computes alike, and that changes little when nodes come or go.
//!
//! Rendezvous hashing (Thaler and Ravishankar, "Using name-based mappings to increase hit rates", 1998): each node has a weight for
//! each segment, `xxh3_64` of the two as little-endian `u32`, segment first; the node with the greatest weight is the primary owner,
//! the next ones hold copies. A node more takes its share from all others, and nothing else moves.

use serde::{Deserialize, Serialize};
use tessera_base::limits::{NODES, OWNERS};
use tessera_base::{Error, ErrorCode, Result, Sentence, sentence};
use xxhash_rust::xxh3::xxh3_64;

/// The place of a namespace among the nodes that share its segments.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Ownership {
    /// 1 to `NODES`.
    pub nodes: u16,
    /// Of each segment; 1 to `OWNERS`, and no more than there are nodes.
    pub owners: u16,
    /// The number of this node, from 0 on.
    #[serde(rename = "self")]
    pub this: u16,
}

/// A set of segments.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SegmentSet {
    words: Box<[u64]>,
}

/// The owners of every segment.
#[derive(Clone, Debug)]
pub struct OwnershipMap {
    ownership: Ownership,
    /// Of each segment as many as `ownership.owners`, the primary owner first.
    owners: Box<[u16]>,
}

impl Ownership {
    /// # Errors
    /// `config_invalid`, naming the field.
    pub fn check(&self) -> Result<()> {
        let invalid =
            |field: &str, message: Sentence| Err(Error::said(ErrorCode::ConfigInvalid, message).in_field(format!("ownership.{field}")));
        if !(1..=NODES).contains(&self.nodes) {
            return invalid("nodes", sentence!("nodes must be 1 to {most}, got {given}", most = NODES, given = self.nodes));
        }
        let most = OWNERS.min(self.nodes);
        if !(1..=most).contains(&self.owners) {
            return invalid(
                "owners",
                sentence!(
                    "owners must be 1 to {most} with {nodes} nodes, got {given}",
                    most = most,
                    nodes = self.nodes,
                    given = self.owners
                ),
            );
        }
        if self.this >= self.nodes {
            return invalid(
                "self",
                sentence!(
                    "self must be 0 to {most} with {nodes} nodes, got {given}",
                    most = self.nodes - 1,
                    nodes = self.nodes,
                    given = self.this
                ),
            );
        }
        Ok(())
    }

    /// The owners of a segment, the primary one first.
    pub fn owners_of(&self, segment: u16) -> Vec<u16> {
        let mut nodes: Vec<u16> = (0..self.nodes).collect();
        // Of equal weights the lower number is first.
        nodes.sort_by_cached_key(|&node| (std::cmp::Reverse(weight(segment, node)), node));
        nodes.truncate(self.owners.into());
        nodes
    }
}

fn weight(segment: u16, node: u16) -> u64 {
    // Segment in the low half, which comes first.
    xxh3_64(&(u64::from(node) << 32 | u64::from(segment)).to_le_bytes())
}

impl OwnershipMap {
    /// Of so many segments.
    pub fn new(ownership: Ownership, segments: u32) -> Self {
        let owners = (0..segments).flat_map(|segment| ownership.owners_of(segment as u16)).collect();
        Self { ownership, owners }
    }

    pub fn ownership(&self) -> Ownership {
        self.ownership
    }

    /// The owners of a segment, the primary one first.
    pub fn owners(&self, segment: u16) -> &[u16] {
        let each = usize::from(self.ownership.owners);
        self.owners.get(usize::from(segment) * each..).and_then(|rest| rest.get(..each)).unwrap_or_default()
    }

    pub fn is_primary(&self, segment: u16) -> bool {
        self.owners(segment).first() == Some(&self.ownership.this)
    }

    /// The segments of which this node is the primary owner.
    pub fn primary(&self) -> SegmentSet {
        let segments = self.owners.len() / usize::from(self.ownership.owners).max(1);
        SegmentSet::of(segments as u32, (0..segments as u16).filter(|segment| self.is_primary(*segment)))
    }
}

impl SegmentSet {
    /// Those of `members` that are among so many segments.
    pub fn of(segments: u32, members: impl IntoIterator<Item = u16>) -> Self {
        let mut words = vec![0; segments.div_ceil(64) as usize].into_boxed_slice();
        for member in members.into_iter().filter(|member| u32::from(*member) < segments) {
            words[usize::from(member) / 64] |= 1 << (member % 64);
        }
        Self { words }
    }

    #[inline]
    pub fn has(&self, segment: u16) -> bool {
        self.words.get(usize::from(segment) / 64).is_some_and(|word| word >> (segment % 64) & 1 == 1)
    }

    pub fn len(&self) -> u32 {
        self.words.iter().map(|word| word.count_ones()).sum()
    }

    pub fn is_empty(&self) -> bool {
        self.words.iter().all(|word| *word == 0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    const fn of(nodes: u16, owners: u16) -> Ownership {
        Ownership { nodes, owners, this: 0 }
    }

    #[test]
    fn the_map_is_the_published_one() {
        // Computed apart from this code, with the library xxhash of Python: a client must come to the same.
        let owners: Vec<Vec<u16>> = (0..8).map(|segment| of(4, 2).owners_of(segment)).collect();
        assert_eq!(owners, [[1, 3], [3, 1], [2, 3], [1, 0], [3, 0], [1, 0], [3, 2], [0, 3]]);
    }

    proptest! {
        #[test]
        fn a_node_more_takes_segments_and_moves_no_other(nodes in 1..NODES, owners in 1..OWNERS, segment in 0..4096u16) {
            let owners = owners.min(nodes);
            let (before, after) = (of(nodes, owners).owners_of(segment), of(nodes + 1, owners).owners_of(segment));
            let stayed: Vec<u16> = after.iter().copied().filter(|node| *node != nodes).collect();
            prop_assert_eq!(&stayed[..], &before[..stayed.len()], "in their order");
            prop_assert!(stayed.len() + 1 >= before.len());
        }
    }

    #[test]
    fn every_segment_has_its_owners_and_each_node_about_its_share() {
        for (nodes, owners, segments) in [(1, 1, 1), (4, 2, 256), (7, 3, 4096), (NODES, OWNERS, 4096)] {
            let mut map = OwnershipMap::new(of(nodes, owners), segments);
            let mut primaries = 0;
            for this in 0..nodes {
                map.ownership.this = this;
                let primary = map.primary();
                assert!((0..segments as u16).all(|segment| primary.has(segment) == map.is_primary(segment)));
                primaries += primary.len();
                let share = segments / u32::from(nodes);
                assert!(segments < 256 || primary.len() > share / 4 && primary.len() < share * 4, "{} of {share}", primary.len());
            }
            assert_eq!(primaries, segments, "each has one primary owner");
            for segment in 0..segments as u16 {
                let mut all = map.owners(segment).to_vec();
                assert_eq!(all.len(), usize::from(owners));
                all.sort_unstable();
                all.dedup();
                assert_eq!(all.len(), usize::from(owners), "each once");
            }
        }
    }

    #[test]
    fn what_cannot_be_is_refused_by_its_field() {
        let field = |ownership: Ownership| ownership.check().unwrap_err().field.unwrap_or_default();
        of(4, 2).check().unwrap();
        assert_eq!(field(of(0, 1)), "ownership.nodes");
        assert_eq!(field(of(NODES + 1, 1)), "ownership.nodes");
        assert_eq!(field(of(4, 0)), "ownership.owners");
        assert_eq!(field(of(4, 5)), "ownership.owners");
        assert_eq!(field(Ownership { this: 4, ..of(4, 2) }), "ownership.self");
    }
}
