//! Slots that follow each other, in order: what most walks meet. There are no bounds to check, and no place to compute.

use super::{ENTRIES, Entry, Seen, Slots};
use std::ops::Range;
use std::slice;
use tessera_base::prefetch;

/// Lines of a chunk that are asked for ahead of a walk through it: by then the processor has seen where it goes.
const BEGINNING: usize = 8;

impl Slots {
    /// What `see` says of such slots, and for a walk ahead of that the hints of their locations; `None` where locations are long.
    #[inline]
    pub(crate) fn contiguous(&self, slots: Range<u32>) -> Option<(impl Iterator<Item = Option<Seen<'_>>>, impl Iterator<Item = u32>)> {
        fn see(entry: &Entry) -> Option<Seen<'_>> {
            Some(Seen { digest: &entry.digest, location: entry.location(0)?, meta: entry.meta(0) })
        }
        self.table.hinted().then(|| (self.entries(slots.clone()).map(see), self.entries(slots).map(Entry::hint)))
    }

    fn entries(&self, slots: Range<u32>) -> Entries<'_> {
        Entries { slots: self, chunk: [].iter(), next: slots.start as usize, end: slots.end.min(self.end()) as usize }
    }
}

/// The entries of slots that follow each other.
struct Entries<'a> {
    slots: &'a Slots,
    /// What is left of a chunk.
    chunk: slice::Iter<'a, Entry>,
    /// The first slot behind it.
    next: usize,
    end: usize,
}

impl<'a> Iterator for Entries<'a> {
    type Item = &'a Entry;

    #[inline]
    fn next(&mut self) -> Option<&'a Entry> {
        self.chunk.next().or_else(|| self.turn())
    }
}

impl<'a> Entries<'a> {
    /// Goes on with the next chunk, and asks for the beginning of the one behind.
    #[cold]
    fn turn(&mut self) -> Option<&'a Entry> {
        let (number, first) = (self.next / ENTRIES, self.next % ENTRIES);
        let chunk = self.slots.chunks.get(number)?.get(first..ENTRIES.min(first + self.end.checked_sub(self.next)?))?;
        if let Some(following) = self.slots.chunks.get(number + 1) {
            prefetch::lines(following.as_ptr().cast(), BEGINNING);
        }
        self.next += chunk.len();
        self.chunk = chunk.iter();
        self.chunk.next()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use std::num::NonZeroU64;
    use tessera_record::{Digest, Meta};
    use tessera_storage::{Location, SlotRecord};

    fn record(number: u32) -> SlotRecord {
        let mut digest = Digest::default();
        digest.0[4..8].copy_from_slice(&number.to_le_bytes());
        let location = Location(NonZeroU64::new(u64::from(number) << 20 | 1).unwrap());
        SlotRecord { digest, location, meta: Meta { generation: number as u16, expires_at: 0, updated_at: tessera_base::clock::EPOCH_MS } }
    }

    proptest! {
        #[test]
        fn a_stretch_is_what_is_seen_of_each_slot(
            records in 0..1000_u32, removed in prop::collection::vec(0..1000_u32, 0..50), from in 0..1100_u32, length in 0..600_u32
        ) {
            let mut slots = Slots::new(true);
            for number in 0..records {
                slots.insert(1, record(number));
            }
            removed.iter().for_each(|&slot| if slots.get(slot).is_some() { slots.remove(slot) });
            let (seen, hints) = slots.contiguous(from..from + length).unwrap();
            let known = from..(from + length).min(slots.end());
            let of = |seen: Seen<'_>| (*seen.digest, seen.location, seen.meta);
            let wanted: Vec<_> = known.clone().map(|slot| slots.see(slot).map(of)).collect();
            prop_assert_eq!(seen.map(|seen| seen.map(of)).collect::<Vec<_>>(), wanted);
            let hint = |slot| slots.location(slot).map_or(0, Location::hint);
            prop_assert_eq!(hints.collect::<Vec<_>>(), known.map(hint).collect::<Vec<_>>());
        }
    }

    #[test]
    fn long_locations_are_met_one_by_one() {
        assert!(Slots::new(false).contiguous(0..1).is_none());
    }
}
