//! The layout of a histogram: log-linear buckets, cut where a latency target lies inside one.
//!
//! A bucket is one of 16 equal parts of an octave, so at most 6.25% wide (the scheme of HdrHistogram, with a fixed
//! range). Targets like 1 ms lie inside a bucket, where reading them from bucket counts would be wrong; so a bucket that
//! holds a target is kept as two cells, up to the target and past it. One increment then counts both, and they can
//! never disagree.

/// Sub-buckets of an octave.
const SUB: usize = 16;
/// log2 of the lowest bound, 128 ns.
const LOWEST: u32 = 7;
/// Octaves from 128 ns to 68.7 s.
const OCTAVES: usize = 29;
/// Number of buckets. Bucket 0 also counts what is under 128 ns.
pub const BUCKETS: usize = OCTAVES * SUB;
/// From here on (2^36 ns, 68.7 s) a duration is in no bucket but in the overflow count.
pub const OVERFLOW_NS: u64 = 1 << (LOWEST as usize + OCTAVES);
/// Latency targets, nanoseconds; a duration equal to a target meets it.
pub const SLO_EDGES_NS: [u64; 11] =
    [50_000, 100_000, 250_000, 500_000, 1_000_000, 2_000_000, 5_000_000, 10_000_000, 50_000_000, 100_000_000, 1_000_000_000];

/// Cells: the buckets, one more for each target, and the overflow at the end.
pub(super) const CELLS: usize = BUCKETS + SLO_EDGES_NS.len() + 1;
pub(super) const OVERFLOW_CELL: usize = CELLS - 1;

/// The bucket of a duration; `None` from 68.7 s on.
#[inline]
pub const fn bucket_of(nanos: u64) -> Option<usize> {
    if nanos >= OVERFLOW_NS {
        return None;
    }
    if nanos < 1 << LOWEST {
        return Some(0);
    }
    let octave = 63 - nanos.leading_zeros();
    let part = (nanos >> (octave - 4)) as usize & (SUB - 1);
    Some((octave - LOWEST) as usize * SUB + part)
}

/// Lower bound and upper bound (exclusive) of a bucket, nanoseconds. Bucket 0 counts from 0, though it is drawn from 128.
pub const fn bucket_bounds(bucket: usize) -> (u64, u64) {
    let octave = LOWEST + (bucket / SUB) as u32;
    let width = 1u64 << (octave - 4);
    let low = (1u64 << octave) + (bucket % SUB) as u64 * width;
    (low, low + width)
}

/// For each bucket its first cell, and the target inside it (`u64::MAX`: none).
const LAYOUT: ([u16; BUCKETS], [u64; BUCKETS]) = {
    let mut first = [0u16; BUCKETS];
    let mut edges = [u64::MAX; BUCKETS];
    let (mut bucket, mut edge) = (0, 0);
    while bucket < BUCKETS {
        first[bucket] = (bucket + edge) as u16;
        if edge < SLO_EDGES_NS.len() && SLO_EDGES_NS[edge] < bucket_bounds(bucket).1 {
            edges[bucket] = SLO_EDGES_NS[edge];
            edge += 1;
        }
        bucket += 1;
    }
    (first, edges)
};
static FIRST_CELL: [u16; BUCKETS] = LAYOUT.0;
static EDGE_INSIDE: [u64; BUCKETS] = LAYOUT.1;

/// For each target the last cell that meets it.
pub(super) const SLO_CELLS: [usize; SLO_EDGES_NS.len()] = {
    let mut cells = [0; SLO_EDGES_NS.len()];
    let mut edge = 0;
    while edge < cells.len() {
        if let Some(bucket) = bucket_of(SLO_EDGES_NS[edge]) {
            cells[edge] = LAYOUT.0[bucket] as usize;
        }
        edge += 1;
    }
    cells
};

/// The cell that counts a duration.
#[inline]
pub(super) fn cell_of(nanos: u64) -> usize {
    match bucket_of(nanos) {
        Some(bucket) => usize::from(FIRST_CELL[bucket]) + usize::from(nanos > EDGE_INSIDE[bucket]),
        None => OVERFLOW_CELL,
    }
}

/// The cells of a bucket: one, or two when a target lies inside.
pub(super) fn cells_of_bucket(bucket: usize) -> std::ops::Range<usize> {
    let first = usize::from(FIRST_CELL[bucket]);
    first..first + 1 + usize::from(EDGE_INSIDE[bucket] != u64::MAX)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_tile_the_range_and_are_at_most_a_sixteenth_wide() {
        assert_eq!(BUCKETS, 464);
        assert_eq!(bucket_bounds(0).0, 128);
        for bucket in 0..BUCKETS {
            let (low, high) = bucket_bounds(bucket);
            assert!((high - low) as f64 / low as f64 <= 0.0625, "bucket {bucket}");
            assert_eq!((bucket_of(low), bucket_of(high - 1)), (Some(bucket), Some(bucket)));
            assert_eq!(bucket_of(high), Some(bucket + 1).filter(|&next| next < BUCKETS));
        }
        assert_eq!((bucket_of(0), bucket_of(127), bucket_of(u64::MAX)), (Some(0), Some(0), None));
        assert_eq!(bucket_of(64_000_000_000), Some(461));
    }

    #[test]
    fn every_target_has_a_bucket_of_its_own_and_cuts_it() {
        let mut buckets: Vec<_> = SLO_EDGES_NS.iter().map(|&edge| bucket_of(edge).unwrap()).collect();
        buckets.dedup();
        assert_eq!(buckets.len(), SLO_EDGES_NS.len());
        for (edge, &cell) in SLO_EDGES_NS.iter().zip(&SLO_CELLS) {
            assert_eq!((cell_of(edge - 1), cell_of(*edge), cell_of(edge + 1)), (cell, cell, cell + 1), "edge {edge}");
        }
    }

    #[test]
    fn cells_follow_each_other_without_a_hole() {
        let all: Vec<usize> = (0..BUCKETS).flat_map(cells_of_bucket).collect();
        assert_eq!(all, (0..OVERFLOW_CELL).collect::<Vec<_>>());
        assert_eq!(cell_of(OVERFLOW_NS), OVERFLOW_CELL);
    }
}
