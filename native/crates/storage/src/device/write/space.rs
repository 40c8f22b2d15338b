//! Which write blocks may be written next: freed ones first, then those behind the last, the disks in turn.

use crate::device::disks::volume::{DISK_BITS, Member, Volume};
use std::collections::VecDeque;

/// Blocks kept back for defragmentation, which needs room to make room: this share of all, between these bounds.
const RESERVE_PART: u64 = 32;
const RESERVE_MIN: u64 = 2;
const RESERVE_MAX: u64 = 32;

/// What an entry is written for; each may use more of the last blocks than the one before.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Purpose {
    Write,
    /// Deleting is how a full namespace gets room again.
    Tombstone,
    /// Defragmentation.
    Move,
}

#[derive(Debug)]
struct DiskSpace {
    /// Number within the disk of the first block that was never used.
    end: u64,
    /// Blocks that may be used, the header's included.
    limit: u64,
    /// Global numbers.
    free: VecDeque<u64>,
}

#[derive(Debug)]
pub struct Space {
    disks: Vec<DiskSpace>,
    block_bytes: u64,
    turn: usize,
    reserve: u64,
}

impl Space {
    /// Empty disks: block 0 of each is taken by its header.
    pub fn new(members: &[Member], block_bytes: u64) -> Self {
        let most = (1_u64 << DISK_BITS) / block_bytes;
        let limit = |member: &Member| match member.capacity_bytes {
            0 => most,
            bytes => (bytes / block_bytes).min(most),
        };
        let disks: Vec<_> = members.iter().map(|m| DiskSpace { end: 1, limit: limit(m), free: VecDeque::new() }).collect();
        let total: u64 = disks.iter().map(|disk| disk.limit).sum();
        let reserve = (total / RESERVE_PART).clamp(RESERVE_MIN, RESERVE_MAX);
        Self { disks, block_bytes, turn: 0, reserve }
    }

    /// Recovery found blocks below `end`, a global number, on its disk.
    pub fn found(&mut self, end: u64) {
        let (disk, local) = Volume::split(end * self.block_bytes);
        if let Some(disk) = self.disks.get_mut(disk) {
            disk.end = disk.end.max(local / self.block_bytes);
        }
    }

    /// For each disk, number there of the first block that was never used.
    pub fn ends(&self) -> Vec<u64> {
        self.disks.iter().map(|disk| disk.end).collect()
    }

    /// A block for the next entries, by global number.
    pub fn take(&mut self) -> Option<u64> {
        for _ in 0..self.disks.len() {
            let disk = self.turn % self.disks.len();
            self.turn = disk + 1;
            let space = self.disks.get_mut(disk)?;
            if let Some(number) = space.free.pop_front() {
                return Some(number);
            }
            if space.end < space.limit {
                space.end += 1;
                return Some(Volume::join(disk, (space.end - 1) * self.block_bytes) / self.block_bytes);
            }
        }
        None
    }

    /// Disk of the block that `take` gives next, and how far the disk needs room for it; with `spare` for another one, too.
    pub fn next_end(&self, spare: bool) -> Option<(usize, u64)> {
        let has_any = |space: &DiskSpace| !space.free.is_empty() || space.end < space.limit;
        let mut turns = (0..self.disks.len()).map(|n| (self.turn + n) % self.disks.len());
        let disk = turns.find(|&n| self.disks.get(n).is_some_and(has_any))?;
        let space = self.disks.get(disk)?;
        let blocks = match space.free.front() {
            Some(_) => space.end,
            None => (space.end + 1 + u64::from(spare)).min(space.limit),
        };
        Some((disk, blocks * self.block_bytes))
    }

    /// Takes a block back.
    pub fn give(&mut self, number: u64) {
        let (disk, _) = Volume::split(number * self.block_bytes);
        if let Some(space) = self.disks.get_mut(disk) {
            space.free.push_back(number);
        }
    }

    /// Blocks that `take` has left.
    pub fn available(&self) -> u64 {
        self.disks.iter().map(|disk| disk.free.len() as u64 + disk.limit.saturating_sub(disk.end)).sum()
    }

    /// Blocks kept back for defragmentation.
    pub const fn reserve(&self) -> u64 {
        self.reserve
    }

    /// Whether a new block may be begun for `purpose`.
    pub fn may_open(&self, purpose: Purpose) -> bool {
        self.available() > self.floor(purpose)
    }

    /// Whether an entry may go into a block that is open: defragmentation may have begun it with the last there was.
    pub fn may_fill(&self, purpose: Purpose) -> bool {
        self.available() >= self.floor(purpose)
    }

    const fn floor(&self, purpose: Purpose) -> u64 {
        match purpose {
            Purpose::Write => self.reserve,
            Purpose::Tombstone => self.reserve / 2,
            Purpose::Move => 0,
        }
    }

    /// Whether so few blocks are left that defragmentation takes whatever gives the most.
    pub fn low(&self) -> bool {
        self.available() <= self.reserve + (self.reserve / 2).max(2)
    }

    /// Blocks that hold something or may, headers included.
    pub fn used(&self) -> u64 {
        self.disks.iter().map(|disk| disk.end - disk.free.len() as u64).sum()
    }

    /// Of each disk, the bytes of blocks that hold something or may, and the most there may be; `None` for no bound.
    pub fn by_disk(&self) -> impl Iterator<Item = (u64, Option<u64>)> {
        let most = (1_u64 << DISK_BITS) / self.block_bytes;
        let bound = move |disk: &DiskSpace| (disk.limit < most).then_some(disk.limit * self.block_bytes);
        self.disks.iter().map(move |disk| ((disk.end - disk.free.len() as u64) * self.block_bytes, bound(disk)))
    }

    /// Freed blocks that wait to be used again.
    pub fn free(&self) -> u64 {
        self.disks.iter().map(|disk| disk.free.len() as u64).sum()
    }

    /// Most bytes that may be used; `None` where a disk sets no bound.
    pub fn capacity_bytes(&self) -> Option<u64> {
        self.by_disk().map(|(_, bound)| bound).sum()
    }

    /// Global numbers of all blocks that were ever used, headers left out.
    pub fn numbers(&self) -> impl Iterator<Item = u64> + use<> {
        let first = |disk| Volume::join(disk, 0);
        let block_bytes = self.block_bytes;
        let ends: Vec<_> = self.disks.iter().map(|disk| disk.end).collect();
        ends.into_iter().enumerate().flat_map(move |(disk, end)| {
            let base = first(disk) / block_bytes;
            base + 1..base + end
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Arc;
    use tessera_io::faulty::FaultyDisk;

    const BLOCK: u64 = 16 * 1024;

    fn space(capacities: &[u64]) -> Space {
        let member = |blocks: &u64| Member::of(Arc::new(FaultyDisk::default()), "", blocks * BLOCK);
        Space::new(&capacities.iter().map(member).collect::<Vec<_>>(), BLOCK)
    }

    #[test]
    fn disks_take_turns_and_freed_blocks_come_first() {
        let mut space = space(&[4, 3]);
        let second = Volume::join(1, 0) / BLOCK;
        assert_eq!([space.take(), space.take()], [Some(1), Some(second + 1)]);
        space.give(1);
        assert_eq!([space.take(), space.take(), space.take()], [Some(1), Some(second + 2), Some(2)]);
        assert_eq!((space.available(), space.used(), space.capacity_bytes()), (1, 6, Some(7 * BLOCK)));
        assert_eq!([space.take(), space.take()], [Some(3), None]);
        assert_eq!(space.numbers().collect::<Vec<_>>(), [1, 2, 3, second + 1, second + 2]);
    }

    #[test]
    fn the_last_blocks_are_for_deletes_and_then_for_moves() {
        let mut space = space(&[8]);
        let opens = |space: &Space| [Purpose::Write, Purpose::Tombstone, Purpose::Move].map(|purpose| space.may_open(purpose));
        for _ in 0..4 {
            assert_eq!(opens(&space), [true; 3]);
            space.take();
        }
        for (available, expected) in [(3, [true; 3]), (2, [false, true, true]), (1, [false, false, true]), (0, [false; 3])] {
            assert_eq!((space.available(), opens(&space)), (available, expected));
            space.take();
        }
        assert!(space.may_fill(Purpose::Move) && !space.may_fill(Purpose::Tombstone));
        assert_eq!(self::space(&[0]).capacity_bytes(), None);
    }
}
