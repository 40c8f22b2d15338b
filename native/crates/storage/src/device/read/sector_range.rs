//! What one read of a disk takes in: the sectors of a record, and of its neighbours.

use crate::MOST_BYTES_TOGETHER as MOST_BYTES;
use crate::device::disks::volume::Volume;
use crate::device::format::place::Place;

/// Whole sectors of a disk, from the first byte to before the last.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SectorRange {
    pub disk: usize,
    pub start: u64,
    pub end: u64,
}

impl SectorRange {
    /// The sectors of one record.
    pub fn around(volume: &Volume, place: Place) -> Self {
        let (disk, local) = Volume::split(place.offset);
        let (before, whole) = volume.around(local, place.length as usize);
        let start = local - before as u64;
        Self { disk, start, end: start + whole as u64 }
    }

    /// Takes in `next`, which begins no sooner, if at most `gap` bytes lie between them; whether it has.
    pub fn join(&mut self, next: Self, gap: u64) -> bool {
        let end = self.end.max(next.end);
        let near = self.disk == next.disk && self.start <= next.start && next.start <= self.end.saturating_add(gap);
        let joins = near && end - self.start <= MOST_BYTES;
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
        let mut reads: Vec<SectorRange> = Vec::new();
        for &(disk, first, sectors) in wanted {
            let next = SectorRange { disk, start: first * SECTOR, end: (first + sectors) * SECTOR };
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
        let most = MOST_BYTES / SECTOR;
        assert_eq!(reads(u64::MAX, &[(0, 0, 1), (0, most - 1, 1), (0, most, 1)]), [(0, 0, most), (0, most, 1)]);
        // One record may be larger.
        assert_eq!(reads(u64::MAX, &[(0, 0, 2 * most), (0, 2 * most, 1)]), [(0, 0, 2 * most), (0, 2 * most, 1)]);
    }
}
