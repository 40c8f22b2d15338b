//! Sequences of entries that are missing and were accepted as lost.

use std::ops::Range;

/// Most ranges that are kept. What does not fit is not accepted any more: the next start that finds it missing fails again.
const MOST: usize = 32;
const RANGE_BYTES: usize = 16;

/// Ranges that do not touch, lowest first.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Gaps(Vec<Range<u64>>);

impl Gaps {
    /// Takes `range` in, together with those that it touches.
    pub fn add(&mut self, mut range: Range<u64>) {
        if range.is_empty() {
            return;
        }
        self.0.retain(|known| {
            let apart = known.end < range.start || range.end < known.start;
            if !apart {
                range = known.start.min(range.start)..known.end.max(range.end);
            }
            apart
        });
        let at = self.0.partition_point(|known| known.start < range.start);
        self.0.insert(at, range);
    }

    /// How many of `range` are in none.
    pub fn lacks(&self, range: &Range<u64>) -> u64 {
        let inside = |known: &Range<u64>| known.end.min(range.end).saturating_sub(known.start.max(range.start));
        (range.end.saturating_sub(range.start)).saturating_sub(self.0.iter().map(inside).sum())
    }

    pub fn ranges(&self) -> impl Iterator<Item = Range<u64>> {
        self.0.iter().cloned()
    }

    /// The newest that there is room for.
    pub fn newest(&self) -> &[Range<u64>] {
        self.0.get(self.0.len().saturating_sub(MOST)..).unwrap_or_default()
    }

    /// Bytes of what `encode` makes.
    pub fn bytes(&self) -> usize {
        self.newest().len() * RANGE_BYTES
    }

    pub fn encode(&self, out: &mut Vec<u8>) {
        out.extend(self.newest().iter().flat_map(|range| [range.start.to_le_bytes(), range.end.to_le_bytes()]).flatten());
    }

    /// Of `bytes` that `encode` made.
    pub fn decode(bytes: &[u8]) -> Self {
        let mut gaps = Self::default();
        for range in bytes.as_chunks::<RANGE_BYTES>().0 {
            let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| range[at + i]));
            gaps.add(word(0)..word(8));
        }
        gaps
    }

    /// Bytes of `count` ranges.
    pub const fn bytes_of(count: usize) -> usize {
        count * RANGE_BYTES
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::collections::BTreeSet;

    proptest! {
        #[test]
        fn they_are_a_set_of_sequences(ranges in proptest::collection::vec((0u64..200, 0u64..20), 0..40), asked in (0u64..200, 0u64..60)) {
            let (mut gaps, mut set) = (Gaps::default(), BTreeSet::new());
            for (start, length) in ranges {
                gaps.add(start..start + length);
                set.extend(start..start + length);
            }
            let asked = asked.0..asked.0 + asked.1;
            prop_assert_eq!(gaps.lacks(&asked), asked.clone().filter(|sequence| !set.contains(sequence)).count() as u64);
            prop_assert!(gaps.0.windows(2).all(|pair| pair[0].end < pair[1].start));
            let mut bytes = vec![];
            gaps.encode(&mut bytes);
            prop_assert_eq!(bytes.len(), gaps.bytes());
            prop_assert_eq!(Gaps::decode(&bytes).0, gaps.newest());
        }
    }

    #[test]
    fn what_does_not_fit_is_not_accepted() {
        let mut gaps = Gaps::default();
        (0..40).for_each(|n| gaps.add(10 * n..10 * n + 3));
        let mut bytes = vec![];
        gaps.encode(&mut bytes);
        let kept = Gaps::decode(&bytes);
        assert_eq!((gaps.lacks(&(0..400)), kept.lacks(&(0..400))), (280, 304));
        assert_eq!((kept.lacks(&(70..73)), kept.lacks(&(80..83))), (3, 0));
    }
}
