//! What the primary index keeps of a record in 36 bytes: nine words, so that no byte is lost to alignment.
//!
//! A location has 40 bits here, a time of update 40 bits of milliseconds from the beginning of 2020 (to the end of 2054). Where locations are longer
//! (on devices), a word more a record holds the rest of both.

use std::num::NonZeroU64;
use tessera_base::arena::{PAGE, Plain};
use tessera_base::clock::EPOCH_MS;
use tessera_record::{Digest, Meta};
use tessera_storage::{Location, SlotRecord};

/// Entries in a chunk of the slab: a page of them.
pub(super) const ENTRIES: usize = PAGE / size_of::<Entry>();
const LOW: u64 = (1 << BITS) - 1;
/// Bits of a location, and of a time, in the entry itself.
const BITS: u32 = 40;
const _: () = assert!(tessera_storage::memory::BITS == BITS as usize);
/// Bits of a time in all where there is a word more.
const TIME_BITS: u32 = 48;

/// `location` 0, which no record has, marks a free slot, whose `expires_at` is the next free one.
#[derive(Clone, Copy)]
#[repr(C)]
pub(super) struct Entry {
    pub(super) digest: Digest,
    pub(super) expires_at: u32,
    location: u32,
    updated: u32,
    generation: u16,
    location_high: u8,
    updated_high: u8,
}

/// What is in a slot without a record.
pub(super) const FREE: Entry =
    Entry { digest: Digest([0; 20]), expires_at: u32::MAX, location: 0, updated: 0, generation: 0, location_high: 0, updated_high: 0 };

const _: () = assert!(size_of::<Entry>() == 36);

// SAFETY: an entry is numbers and bytes without padding.
unsafe impl Plain for Entry {}

impl Entry {
    /// A free slot, before `next` in the list of them.
    pub(super) fn before(next: u32) -> Self {
        Self { expires_at: next, ..FREE }
    }

    /// The entry of a record, and the rest of it: location from bit 8 on, time below.
    pub(super) fn of(record: &SlotRecord, whole: bool) -> (Self, u32) {
        let mut entry = Self { digest: record.digest, ..FREE };
        let rest = entry.set(record.location, record.meta, whole);
        (entry, rest)
    }

    /// Whether a record is in it.
    #[inline]
    pub(super) fn taken(&self, rest: u32) -> bool {
        self.location != 0 || self.location_high != 0 || rest >> 8 != 0
    }

    #[inline]
    pub(super) fn location(&self, rest: u32) -> Option<Location> {
        let location = u64::from(self.location) | u64::from(self.location_high) << 32 | u64::from(rest >> 8) << BITS;
        NonZeroU64::new(location).map(Location)
    }

    pub(super) fn hint(&self) -> u32 {
        self.location
    }

    /// Replaces the place alone; returns the rest.
    pub(super) fn set_location(&mut self, location: Location, rest: u32) -> u32 {
        let bits = location.0.get();
        (self.location, self.location_high) = (bits as u32, (bits >> 32) as u8);
        ((bits >> BITS) as u32) << 8 | rest & 0xff
    }

    /// As `Meta::expired`.
    #[inline]
    pub(super) fn expired(&self, now: u32) -> bool {
        // Never is 0, and comes after every time.
        self.expires_at.wrapping_sub(1) < now
    }

    #[inline]
    pub(super) fn meta(&self, rest: u32) -> Meta {
        let updated = u64::from(self.updated) | u64::from(self.updated_high) << 32 | u64::from(rest & 0xff) << BITS;
        // Times before 2020, which only a device that another clock wrote has, are the highest of the 48 bits.
        let updated_at = updated.wrapping_add(EPOCH_MS) & ((1 << TIME_BITS) - 1);
        Meta { generation: self.generation, expires_at: self.expires_at, updated_at }
    }

    /// Replaces all but the digest; returns the rest. Without it (`whole` is false) times are within 2020 to 2054.
    pub(super) fn set(&mut self, location: Location, meta: Meta, whole: bool) -> u32 {
        let updated = match whole {
            true => meta.updated_at.wrapping_sub(EPOCH_MS) & ((1 << TIME_BITS) - 1),
            false => meta.updated_at.saturating_sub(EPOCH_MS).min(LOW),
        };
        (self.updated, self.updated_high) = (updated as u32, (updated >> 32) as u8);
        (self.generation, self.expires_at) = (meta.generation, meta.expires_at);
        self.set_location(location, (updated >> BITS) as u32)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_record_survives_packing(
            digest: [u8; 20], short in 1u64..1 << BITS, long in 1u64.., generation: u16, expires_at in prop_oneof![Just(0), any::<u32>()], since in 0u64..1 << BITS, other in 0u64..1 << TIME_BITS
        ) {
            let meta = |updated_at| Meta { generation, expires_at, updated_at };
            let (short, long) = (NonZeroU64::new(short).unwrap(), NonZeroU64::new(long).unwrap());
            for (location, meta, whole) in [(short, meta(EPOCH_MS + since), false), (long, meta(other), true)] {
                let record = SlotRecord { digest: Digest(digest), location: Location(location), meta };
                let (entry, rest) = Entry::of(&record, whole);
                prop_assert!(whole || rest == 0);
                prop_assert_eq!((entry.digest, entry.location(rest), entry.meta(rest)), (record.digest, Some(record.location), meta));
                prop_assert!(entry.taken(rest));
                for now in [0, 1, expires_at.wrapping_sub(1), expires_at, expires_at.wrapping_add(1), u32::MAX] {
                    prop_assert_eq!(entry.expired(now), meta.expired(now));
                }
            }
        }
    }

    #[test]
    fn a_free_entry_has_no_place() {
        assert_eq!(FREE.location(0), None);
        assert!(!FREE.taken(0));
    }
}
