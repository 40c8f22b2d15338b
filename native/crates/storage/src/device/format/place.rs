//! A record's place in the data file, packed into a `Location`.

use crate::Location;
use std::num::NonZeroU64;

/// Records start at multiples of this many bytes, and their lengths are counted in it.
pub const UNIT: usize = 16;
/// 19 bits of length in units: up to 8 MiB less one unit. The other 45 bits are the offset in units: up to 512 TiB.
const LENGTH_BITS: u32 = 19;
/// Bits of an offset in bytes.
pub const OFFSET_BITS: u32 = 64 - LENGTH_BITS + UNIT.ilog2();

/// File offset and padded length, bytes, both multiples of `UNIT`; ordered by offset, as the packed form is.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Place {
    pub offset: u64,
    pub length: u32,
}

/// `length` rounded up to whole units.
pub const fn padded(length: usize) -> usize {
    length.next_multiple_of(UNIT)
}

impl Place {
    /// `None` when length is 0 or either number is past what a location can name.
    pub fn pack(self) -> Option<Location> {
        let (offset, length) = (self.offset / UNIT as u64, u64::from(self.length) / UNIT as u64);
        if offset >> (64 - LENGTH_BITS) != 0 || length >> LENGTH_BITS != 0 || length == 0 {
            return None;
        }
        NonZeroU64::new(offset << LENGTH_BITS | length).map(Location)
    }

    pub const fn unpack(location: Location) -> Self {
        let bits = location.0.get();
        let length = bits & ((1 << LENGTH_BITS) - 1);
        Self { offset: (bits >> LENGTH_BITS) * UNIT as u64, length: length as u32 * UNIT as u32 }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_place_survives_packing_and_keeps_its_order() {
        let far = Place { offset: (1 << 49) - 16, length: 8 * 1024 * 1024 - 16 };
        let near = Place { offset: 131_136, length: 64 };
        for place in [far, near] {
            assert_eq!(Place::unpack(place.pack().unwrap()), place);
        }
        assert!(near.pack() < far.pack());
        assert_eq!(Place { offset: 1 << 49, length: 16 }.pack(), None);
        assert_eq!(Place { offset: 0, length: 8 * 1024 * 1024 }.pack(), None);
        assert_eq!(Place { offset: 16, length: 0 }.pack(), None);
    }
}
