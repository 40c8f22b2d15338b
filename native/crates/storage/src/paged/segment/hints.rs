//! Which slot a digest was last found in: a table in memory that spares a read its way down the tree, as the adaptive hash index of `InnoDB` does.
//!
//! An entry is a guess: whoever takes it looks whether the slot holds the digest. 0 is none; else the upper byte is one of the digest's, and the rest the slot plus
//! one. A digest has two places; who comes into the first moves what was there to the second.

use std::sync::atomic::{AtomicU32, Ordering::Relaxed};
use tessera_record::Digest;

const SLOT_BITS: u32 = 24;
const FEWEST: usize = 64;
/// Hints take one byte for so many of frames, at most.
const FRAMES: u64 = 32;

/// Bytes that all hints may take beside frames of so many.
pub(super) const fn bytes(frames: u64) -> u64 {
    frames / FRAMES
}

/// Bytes of frames that take so many together with their hints.
pub const fn frames_bytes(both: u64) -> u64 {
    both / (FRAMES + 1) * FRAMES
}

#[derive(Default)]
pub(super) struct Hints {
    entries: Box<[AtomicU32]>,
    /// Most entries there may be.
    most: usize,
}

impl Hints {
    /// A table of at most so many bytes.
    pub(super) fn new(bytes: u64) -> Self {
        let most = usize::try_from(bytes / size_of::<AtomicU32>() as u64).unwrap_or(usize::MAX);
        Self { entries: Box::default(), most: if most < FEWEST { 0 } else { most / 2 * 2 } }
    }

    /// Makes the table fit for so many records; what it knew is forgotten where it grows.
    pub(super) fn fit(&mut self, records: usize) {
        let wanted = records.saturating_mul(3).div_ceil(2).max(FEWEST).min(self.most);
        if wanted > self.entries.len() {
            // Twice as large as is needed now, so that it seldom grows.
            self.entries = (0..wanted.next_multiple_of(2).saturating_mul(2).min(self.most)).map(|_| AtomicU32::new(0)).collect();
        }
    }

    /// The first place of a digest, and its byte in the entry.
    fn place(&self, digest: &Digest) -> Option<(usize, u32)> {
        let hash = digest.hash64();
        let at = (((hash & u64::from(u32::MAX)) * self.entries.len() as u64) >> 32) as usize;
        (!self.entries.is_empty()).then_some((at, (hash >> 56) as u32))
    }

    /// Slots that may hold a digest.
    pub(super) fn of(&self, digest: &Digest) -> impl Iterator<Item = u32> {
        let found = self.place(digest).map(|(at, byte)| {
            [at, at ^ 1]
                .map(|at| self.entries[at].load(Relaxed))
                .map(|entry| (entry >> SLOT_BITS == byte).then_some(entry & ((1 << SLOT_BITS) - 1)))
        });
        found.into_iter().flatten().flatten().filter_map(|slot| slot.checked_sub(1))
    }

    /// Notes where a digest was found.
    pub(super) fn note(&self, digest: &Digest, slot: u32) {
        let Some((at, byte)) = self.place(digest).filter(|_| slot + 1 < 1 << SLOT_BITS) else { return };
        let old = self.entries[at].swap(byte << SLOT_BITS | (slot + 1), Relaxed);
        if old != 0 {
            self.entries[at ^ 1].store(old, Relaxed);
        }
    }

    pub(super) fn heap_bytes(&self) -> usize {
        std::mem::size_of_val(&*self.entries)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_record::KeyRef;

    fn digest(n: i64) -> Digest {
        Digest::of("s", KeyRef::Integer(n))
    }

    #[test]
    fn most_of_as_many_as_it_fits_are_known_and_none_is_made_up() {
        let mut hints = Hints::new(1 << 20);
        hints.fit(1000);
        (0..1000).for_each(|n| hints.note(&digest(n), n as u32));
        let known = (0..1000).filter(|n| hints.of(&digest(*n)).any(|slot| i64::from(slot) == *n)).count();
        assert!(known > 850, "{known}");
        assert!((0..1000).all(|n| hints.of(&digest(n)).all(|slot| slot < 1000)));
        assert!((5000..6000).filter(|n| hints.of(&digest(*n)).next().is_some()).count() < 30);
    }

    #[test]
    fn a_table_keeps_to_its_bytes_and_to_slots_that_fit() {
        let mut hints = Hints::new(4096);
        hints.fit(usize::MAX / 4);
        assert_eq!(hints.heap_bytes(), 4096);
        hints.note(&digest(1), 1 << SLOT_BITS);
        hints.note(&digest(1), (1 << SLOT_BITS) - 1);
        assert_eq!(hints.of(&digest(1)).count(), 0);
        hints.note(&digest(1), (1 << SLOT_BITS) - 2);
        assert_eq!(hints.of(&digest(1)).collect::<Vec<_>>(), [(1 << SLOT_BITS) - 2]);
        let none = Hints::new(8);
        none.note(&digest(1), 1);
        assert_eq!((none.of(&digest(1)).count(), none.heap_bytes()), (0, 0));
    }
}
