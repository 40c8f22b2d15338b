//! Changes of a segment that may not be on stable storage yet.

use hashbrown::HashTable;
use std::ops::Range;
use tessera_record::Digest;

/// Entries that are kept before those that are durable by now are looked for, and for which memory stays.
const KEPT: usize = 64;

/// What a change did to the records of a segment.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Effect {
    Created,
    Replaced,
    Removed,
}

/// The newest change of one record.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Change {
    pub digest: Digest,
    pub slot: u32,
    /// Id of its set.
    pub set: u16,
    pub effect: Effect,
    /// It is durable once the storage is up to here.
    pub point: u64,
}

/// By record, the newest change that was not durable when it was made. Who looks says up to which point all is durable by now: entries go
/// when others come.
#[derive(Debug, Default)]
pub(crate) struct InFlight {
    /// The greatest point of them.
    newest: u64,
    /// How many there may be before the durable ones go.
    most: usize,
    changes: HashTable<Change>,
}

impl InFlight {
    /// Notes a change; later ones have no lower points.
    pub(crate) fn enter(&mut self, mut change: Change, durable: u64) {
        if self.newest <= durable {
            self.clear();
        } else if self.changes.len() >= self.most {
            self.changes.retain(|change| change.point > durable);
            self.most = KEPT.max(2 * self.changes.len());
        }
        self.newest = change.point;
        match self.changes.find_mut(change.digest.hash64(), |known| known.digest == change.digest) {
            Some(known) => {
                // What is durable of it is not what this change found.
                if change.effect == Effect::Created {
                    change.effect = Effect::Replaced;
                }
                *known = change;
            }
            None => drop(self.changes.insert_unique(change.digest.hash64(), change, |known| known.digest.hash64())),
        }
    }

    /// A change has been undone.
    pub(crate) fn forget(&mut self, digest: &Digest) {
        if let Ok(known) = self.changes.find_entry(digest.hash64(), |change| change.digest == *digest) {
            known.remove();
        }
    }

    fn clear(&mut self) {
        self.most = KEPT;
        if self.changes.capacity() > 2 * KEPT {
            self.changes = HashTable::new();
        } else {
            self.changes.clear();
        }
    }

    /// Whether nothing was ever noted.
    #[inline]
    pub(crate) const fn is_untouched(&self) -> bool {
        self.newest == 0
    }

    /// The point of a record's newest change; 0 where there is none that is not durable.
    pub(crate) fn of_record(&self, digest: &Digest, durable: u64) -> u64 {
        if self.newest <= durable {
            return 0;
        }
        let found = self.changes.find(digest.hash64(), |change| change.digest == *digest);
        found.map(|change| change.point).filter(|point| *point > durable).unwrap_or(0)
    }

    /// The greatest point of the changes in some slots; 0 where none is left that is not durable. `set`: of records of that set alone.
    /// `candidates`: slots in order; what was created in another one has not been there and is not there for who looks.
    pub(crate) fn of_slots(&self, slots: &Range<u32>, set: Option<u16>, candidates: Option<&[u32]>, durable: u64) -> u64 {
        if self.newest <= durable {
            return 0;
        }
        let seen = |change: &&Change| {
            change.point > durable
                && slots.contains(&change.slot)
                && set.is_none_or(|set| set == change.set)
                && (change.effect != Effect::Created || candidates.is_none_or(|slots| slots.binary_search(&change.slot).is_ok()))
        };
        self.changes.iter().filter(seen).map(|change| change.point).max().unwrap_or(0)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn change(key: u8, slot: u32, effect: Effect, point: u64) -> Change {
        let mut digest = Digest::default();
        digest.0[4] = key;
        Change { digest, slot, set: u16::from(key), effect, point }
    }

    #[test]
    fn a_record_is_in_flight_until_its_newest_change_is_durable() {
        let mut flight = InFlight::default();
        assert!(flight.is_untouched());
        let of = |flight: &InFlight, key: u8, durable: u64| flight.of_record(&change(key, 0, Effect::Created, 0).digest, durable);
        flight.enter(change(1, 0, Effect::Created, 5), 4);
        flight.enter(change(2, 1, Effect::Removed, 6), 4);
        flight.enter(change(1, 0, Effect::Replaced, 7), 4);
        assert_eq!([of(&flight, 1, 4), of(&flight, 2, 4), of(&flight, 3, 4)], [7, 6, 0]);
        assert_eq!([of(&flight, 1, 6), of(&flight, 2, 6)], [7, 0]);
        assert_eq!(of(&flight, 1, 7), 0);
    }

    #[test]
    fn slots_have_the_changes_that_who_looks_could_tell() {
        let mut flight = InFlight::default();
        flight.enter(change(1, 10, Effect::Created, 5), 4);
        flight.enter(change(2, 20, Effect::Replaced, 6), 4);
        flight.enter(change(3, 30, Effect::Removed, 7), 4);
        assert_eq!(flight.of_slots(&(0..u32::MAX), None, None, 4), 7);
        assert_eq!(flight.of_slots(&(0..30), None, None, 4), 6);
        assert_eq!(flight.of_slots(&(0..30), Some(1), None, 4), 5);
        assert_eq!([flight.of_slots(&(0..15), None, Some(&[]), 4), flight.of_slots(&(0..15), None, Some(&[10]), 4)], [0, 5]);
        assert_eq!(flight.of_slots(&(0..u32::MAX), None, None, 7), 0);
        // What came into being and changed in flight was not there before.
        flight.enter(change(1, 10, Effect::Created, 8), 4);
        assert_eq!(flight.of_slots(&(0..15), None, Some(&[]), 4), 8);
    }

    #[test]
    fn what_is_durable_goes_when_others_come() {
        let mut flight = InFlight::default();
        for point in 1..=1000 {
            // One is always on its way.
            flight.enter(change(point as u8, point as u32, Effect::Created, point), point.saturating_sub(2));
        }
        assert!(flight.changes.len() <= KEPT, "{}", flight.changes.len());
        flight.enter(change(1, 1, Effect::Created, 1001), 1000);
        assert_eq!(flight.changes.len(), 1);
    }
}
