//! Where a body lies, packed into a location, half of which is a hint: what a reader asks the processor for ahead of time.

use crate::Location;
use std::num::NonZeroU64;

/// Bytes before a body.
pub const HEADER: usize = 8;
const LINE: usize = 64;
/// Bodies with their headers begin at multiples of this.
pub const UNIT: usize = 4;
const UNIT_BITS: usize = (LINE / UNIT).ilog2() as usize;
const LINE_BITS: usize = LINE.ilog2() as usize;
/// Bits of a hint: a line of an extent, the low bits of an extent's number, a count of lines.
const HINT_LINE_BITS: usize = 14;
const HINT_EXTENT_BITS: usize = 13;
/// Bits of a location, as many as the primary index keeps.
pub const BITS: usize = 40;
const EXTENT_BITS: usize = BITS - 32 - UNIT_BITS + HINT_EXTENT_BITS;
/// Most bytes of an extent, unless one body needs more.
pub const EXTENT_MAX: usize = 1 << 20;
/// Extents that a segment can have.
pub const EXTENTS_MAX: usize = 1 << EXTENT_BITS;
/// Most cache lines asked for ahead of a read: the processor keeps no more requests in flight, and goes on by itself.
const LINES_MAX: usize = 20;
const _: () = assert!(EXTENT_MAX / LINE == 1 << HINT_LINE_BITS && LINES_MAX < 1 << (32 - HINT_LINE_BITS - HINT_EXTENT_BITS));

/// Bytes that a body takes with its header.
#[inline]
pub const fn room(body: usize) -> usize {
    (HEADER + body).next_multiple_of(UNIT)
}

/// Of what begins at `at`, a multiple of `UNIT` below `EXTENT_MAX`, in an extent below `EXTENTS_MAX`. The low half is the hint: line in
/// the extent, extent as far as it fits, and lines to ask for. Above it are the unit in the line and the rest of the extent.
#[inline]
pub fn place(extent: u32, at: usize, body: usize) -> Location {
    let lines = (at % LINE + HEADER + body).div_ceil(LINE).min(LINES_MAX);
    let (line, extent) = (at / LINE, extent as usize);
    let hint = lines << (HINT_LINE_BITS + HINT_EXTENT_BITS) | low(extent, HINT_EXTENT_BITS) << HINT_LINE_BITS | line;
    let rest = ((extent >> HINT_EXTENT_BITS) << UNIT_BITS) | ((at % LINE) / UNIT);
    // There is at least the header's line.
    Location(NonZeroU64::new((rest as u64) << 32 | hint as u64).unwrap_or(NonZeroU64::MIN))
}

/// Extent and offset in it.
#[inline]
pub fn parts(location: Location) -> (usize, usize) {
    let (hint, rest) = (location.hint() as usize, (location.0.get() >> 32) as usize);
    let extent = (rest >> UNIT_BITS) << HINT_EXTENT_BITS | low(hint >> HINT_LINE_BITS, HINT_EXTENT_BITS);
    (extent, (low(hint, HINT_LINE_BITS) << LINE_BITS) | (low(rest, UNIT_BITS) * UNIT))
}

/// Extent, offset of the first line, and count of lines, the first two as far as a hint has them.
#[inline]
pub fn hinted(hint: u32) -> (usize, usize, usize) {
    let hint = hint as usize;
    let extent = low(hint >> HINT_LINE_BITS, HINT_EXTENT_BITS);
    (extent, low(hint, HINT_LINE_BITS) << LINE_BITS, hint >> (HINT_LINE_BITS + HINT_EXTENT_BITS))
}

#[inline]
fn low(value: usize, bits: usize) -> usize {
    value & ((1 << bits) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tessera_base::limits;

    proptest! {
        #[test]
        fn a_place_is_unpacked_as_packed(extent in 0..EXTENTS_MAX, unit in 0..EXTENT_MAX / UNIT, body in 0..limits::RECORD_BYTES_MAX) {
            let location = place(extent as u32, unit * UNIT, body);
            prop_assert_eq!(parts(location), (extent, unit * UNIT));
            prop_assert!(location.0.get() >> BITS == 0);
        }
    }
}
