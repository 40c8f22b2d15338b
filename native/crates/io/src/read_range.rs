//! What one read of a disk takes in: a record, and its neighbours.

/// Most bytes that are read for several records at once.
pub const MOST_BYTES_TOGETHER: u64 = 128 * 1024;

/// Bytes of a disk, from the first to before the last; both are aligned as the disk wants it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct ReadRange {
    /// Its place in the disks of the window.
    pub disk: usize,
    pub start: u64,
    pub end: u64,
}

impl ReadRange {
    #[inline]
    pub fn bytes(&self) -> u64 {
        self.end - self.start
    }

    /// Takes in `next`, which begins no sooner, if at most `gap` bytes lie between them; whether it has.
    pub fn join(&mut self, next: Self, gap: u64) -> bool {
        let end = self.end.max(next.end);
        let near = self.disk == next.disk && self.start <= next.start && next.start <= self.end.saturating_add(gap);
        let joins = near && end - self.start <= MOST_BYTES_TOGETHER;
        if joins {
            self.end = end;
        }
        joins
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const SECTOR: u64 = 4096;

    /// What is read for sectors that are wanted in this order.
    fn reads(gap: u64, wanted: &[(usize, u64, u64)]) -> Vec<(usize, u64, u64)> {
        let mut reads: Vec<ReadRange> = Vec::new();
        for &(disk, first, sectors) in wanted {
            let next = ReadRange { disk, start: first * SECTOR, end: (first + sectors) * SECTOR };
            if !reads.last_mut().is_some_and(|open| open.join(next, gap)) {
                reads.push(next);
            }
        }
        reads.iter().map(|read| (read.disk, read.start / SECTOR, (read.end - read.start) / SECTOR)).collect()
    }

    #[test]
    fn records_of_one_sector_are_one_read() {
        assert_eq!(reads(0, &[(0, 5, 1), (0, 5, 1), (0, 5, 2), (0, 6, 1)]), [(0, 5, 2)]);
        // A long one before takes in a short one inside it.
        assert_eq!(reads(0, &[(0, 5, 4), (0, 6, 1)]), [(0, 5, 4)]);
    }

    #[test]
    fn a_gap_is_read_where_it_is_small() {
        assert_eq!(reads(SECTOR, &[(0, 0, 1), (0, 2, 1), (0, 5, 1)]), [(0, 0, 3), (0, 5, 1)]);
        assert_eq!(reads(SECTOR - 1, &[(0, 0, 1), (0, 2, 1)]), [(0, 0, 1), (0, 2, 1)]);
        assert_eq!(reads(0, &[(0, 0, 1), (0, 1, 1)]), [(0, 0, 2)]);
    }

    #[test]
    fn no_read_goes_over_disks_back_or_past_its_bound() {
        assert_eq!(reads(u64::MAX, &[(0, 0, 1), (1, 1, 1)]), [(0, 0, 1), (1, 1, 1)]);
        assert_eq!(reads(u64::MAX, &[(0, 9, 1), (0, 3, 1)]), [(0, 9, 1), (0, 3, 1)]);
        let most = MOST_BYTES_TOGETHER / SECTOR;
        assert_eq!(reads(u64::MAX, &[(0, 0, 1), (0, most - 1, 1), (0, most, 1)]), [(0, 0, most), (0, most, 1)]);
        // One record may be larger.
        assert_eq!(reads(u64::MAX, &[(0, 0, 2 * most), (0, 2 * most, 1)]), [(0, 0, 2 * most), (0, 2 * most, 1)]);
    }
}
