//! Where a body lies, packed into a location, half of which is a hint: what a reader asks the processor for ahead of time.

use super::extents::EXTENT_MAX;
use crate::arena::PAGE;
use crate::limits;
use crate::storage::Location;
use std::num::NonZeroU64;

/// Bytes before a body.
pub const HEADER: usize = 8;
const LINE: usize = 64;
/// The largest body with its header ends below 16 MiB.
const OFFSET_BITS: usize = 24;
const _: () = assert!(limits::RECORD_BYTES_MAX + HEADER + PAGE < 1 << OFFSET_BITS);
const LINE_BITS: usize = LINE.ilog2() as usize;
/// Bits of a hint: a line of an extent of usual size, the low bits of an extent's number, a count of lines.
const HINT_LINE_BITS: usize = 14;
const HINT_EXTENT_BITS: usize = 13;
/// Bits of an offset that do not fit in the hint.
const OFFSET_REST_BITS: usize = OFFSET_BITS - HINT_LINE_BITS;
/// Most cache lines asked for ahead of a read: the processor keeps no more requests in flight, and goes on by itself.
const LINES_MAX: usize = 20;
const _: () = assert!(EXTENT_MAX / LINE == 1 << HINT_LINE_BITS && LINES_MAX < 1 << (32 - HINT_LINE_BITS - HINT_EXTENT_BITS));

/// The low half is the hint: line in the extent, extent, and lines to ask for, the first two as far as they fit. The high
/// half has the rest: byte in the line, line, extent.
pub fn place(extent: u32, at: usize, body: usize) -> Location {
    let lines = (at % LINE + HEADER + body).div_ceil(LINE).min(LINES_MAX);
    let (line, extent) = (at / LINE, extent as usize);
    let hint = lines << (HINT_LINE_BITS + HINT_EXTENT_BITS) | low(extent, HINT_EXTENT_BITS) << HINT_LINE_BITS | low(line, HINT_LINE_BITS);
    let rest = (extent >> HINT_EXTENT_BITS) << OFFSET_REST_BITS | (line >> HINT_LINE_BITS) << LINE_BITS | low(at, LINE_BITS);
    // There is at least the header's line.
    Location(NonZeroU64::new((rest as u64) << 32 | hint as u64).unwrap_or(NonZeroU64::MIN))
}

/// Extent and offset in it.
pub fn parts(location: Location) -> (usize, usize) {
    let (hint, rest) = (location.hint() as usize, (location.0.get() >> 32) as usize);
    let line = (low(rest, OFFSET_REST_BITS) >> LINE_BITS) << HINT_LINE_BITS | low(hint, HINT_LINE_BITS);
    let extent = (rest >> OFFSET_REST_BITS) << HINT_EXTENT_BITS | low(hint >> HINT_LINE_BITS, HINT_EXTENT_BITS);
    (extent, line << LINE_BITS | low(rest, LINE_BITS))
}

/// Extent, offset of the first line, and count of lines, the first two as far as a hint has them.
pub fn hinted(hint: u32) -> (usize, usize, usize) {
    let hint = hint as usize;
    let extent = low(hint >> HINT_LINE_BITS, HINT_EXTENT_BITS);
    (extent, low(hint, HINT_LINE_BITS) << LINE_BITS, hint >> (HINT_LINE_BITS + HINT_EXTENT_BITS))
}

fn low(value: usize, bits: usize) -> usize {
    value & ((1 << bits) - 1)
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;

    proptest! {
        #[test]
        fn a_place_is_unpacked_as_packed(extent: u32, at in 0..1usize << OFFSET_BITS, body in 0..limits::RECORD_BYTES_MAX) {
            prop_assert_eq!(parts(place(extent, at, body)), (extent as usize, at));
        }
    }
}
