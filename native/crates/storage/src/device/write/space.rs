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
    /// An entry of a batch that blocks are kept for.
    Kept,
}

/// How many blocks have to be begun for entries of so many bytes each, one behind the other: `left` bytes are left in the open one, and
/// `whole` are for entries in each that follows.
pub fn blocks_for(entries: &[usize], whole: u64, left: u64) -> u64 {
    let begun = entries.iter().fold((0, left), |(blocks, left), bytes| match left.checked_sub(*bytes as u64) {
        Some(left) => (blocks, left),
        None => (blocks + 1, whole.saturating_sub(*bytes as u64)),
    });
    begun.0
}

/// How many of `all` blocks are kept back.
fn reserve_of(all: u64) -> u64 {
    (all / RESERVE_PART).clamp(RESERVE_MIN, RESERVE_MAX)
}

#[derive(Debug)]
struct DiskSpace {
    /// Number within the disk of the first block that was never used.
    end: u64,
    /// Blocks that may be used, the header's included.
    limit: u64,
    /// Blocks that the file surely has room for, the header's included.
    has: u64,
    /// Its file system refused to give more: there is no more than the file has.
    full: bool,
    /// Global numbers.
    free: VecDeque<u64>,
}

impl DiskSpace {
    /// Blocks that may be used as things stand.
    fn most(&self) -> u64 {
        if self.full { self.limit.min(self.has.max(self.end)) } else { self.limit }
    }

    /// Blocks that can be begun without asking the file system.
    fn at_hand(&self) -> u64 {
        self.free.len() as u64 + self.limit.min(self.has).saturating_sub(self.end)
    }
}

#[derive(Debug)]
pub struct Space {
    disks: Vec<DiskSpace>,
    block_bytes: u64,
    turn: usize,
    /// Blocks that batches under way still need, which nobody else takes.
    kept: u64,
}

impl Space {
    /// Empty disks: block 0 of each is taken by its header.
    pub fn new(members: &[Member], block_bytes: u64) -> Self {
        let most = (1_u64 << DISK_BITS) / block_bytes;
        let limit = |member: &Member| match member.capacity_bytes {
            0 => most,
            bytes => (bytes / block_bytes).min(most),
        };
        let disks: Vec<_> =
            members.iter().map(|m| DiskSpace { end: 1, limit: limit(m), has: 1, full: false, free: VecDeque::new() }).collect();
        Self { disks, block_bytes, turn: 0, kept: 0 }
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
            if space.end < space.most() {
                space.end += 1;
                return Some(Volume::join(disk, (space.end - 1) * self.block_bytes) / self.block_bytes);
            }
        }
        None
    }

    /// The disk whose file system has to be asked for room before `take`, and how far its file has to go: for the blocks to be begun, and
    /// behind them for those that `purpose` has to leave. So the reserve is in the files before a file system is full. `None` where there is
    /// no need, or nobody left to ask: not those in `refused`, and not `again` those that are full.
    pub fn wants(&self, (purpose, blocks): (Purpose, u64), again: bool, refused: u16) -> Option<(usize, u64)> {
        let used = self.disks.iter().map(|disk| disk.end).sum::<u64>() + blocks + RESERVE_MAX + 1;
        let left = self.floor(purpose, reserve_of(used.min(self.disks.iter().map(|disk| disk.limit).sum())));
        let lack = (left + blocks).saturating_sub(self.disks.iter().map(DiskSpace::at_hand).sum());
        let is_next = |space: &DiskSpace| !space.free.is_empty() || space.end < space.most();
        let may_grow =
            |disk: usize, space: &DiskSpace| space.has.max(space.end) < space.limit && (again || !space.full) && refused & (1 << disk) == 0;
        let next = self.in_turn().find(|(_, space)| is_next(space)).filter(|(_, space)| space.at_hand() == 0);
        let grows = next.or_else(|| self.in_turn().filter(|_| lack > 0).find(|&(disk, space)| may_grow(disk, space)))?;
        let (disk, space) = grows;
        Some((disk, (space.has.max(space.end) + lack.max(1)).min(space.limit) * self.block_bytes))
    }

    fn in_turn(&self) -> impl Iterator<Item = (usize, &DiskSpace)> {
        let turns = (0..self.disks.len()).map(|n| (self.turn + n) % self.disks.len());
        turns.filter_map(|disk| Some((disk, self.disks.get(disk)?)))
    }

    /// A disk's file has room for so many bytes, and its file system gave them for `purpose` or refused to give more.
    pub fn reaches(&mut self, disk: usize, bytes: u64, purpose: Purpose, refused: bool) {
        if let Some(space) = self.disks.get_mut(disk) {
            space.has = bytes / self.block_bytes;
            // Else what is left for deletes would let writes in.
            space.full = refused || (space.full && purpose != Purpose::Write);
        }
    }

    /// Whether a file system is full, so that there is less than the configuration allows.
    pub fn is_refused(&self) -> bool {
        self.disks.iter().any(|disk| disk.full)
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
        self.disks.iter().map(|disk| disk.free.len() as u64 + disk.most().saturating_sub(disk.end)).sum()
    }

    /// Blocks kept back for defragmentation.
    pub fn reserve(&self) -> u64 {
        reserve_of(self.disks.iter().map(DiskSpace::most).sum())
    }

    /// Whether a new block may be begun for `purpose`.
    pub fn may_open(&self, purpose: Purpose) -> bool {
        self.may_open_all(purpose, 1)
    }

    /// Whether so many may.
    pub fn may_open_all(&self, purpose: Purpose, blocks: u64) -> bool {
        self.available() >= self.floor(purpose, self.reserve()) + blocks
    }

    /// Whether an entry may go into a block that is open: defragmentation may have begun it with the last there was.
    pub fn may_fill(&self, purpose: Purpose) -> bool {
        self.available() >= self.floor(purpose, self.reserve())
    }

    /// Blocks that an entry has to leave.
    const fn floor(&self, purpose: Purpose, reserve: u64) -> u64 {
        match purpose {
            Purpose::Write => reserve + self.kept,
            Purpose::Tombstone => reserve / 2 + self.kept,
            Purpose::Move => self.kept,
            Purpose::Kept => 0,
        }
    }

    /// From now on so many blocks are kept for batches.
    pub const fn keep(&mut self, blocks: u64) {
        self.kept = blocks;
    }

    /// Blocks kept for batches.
    pub const fn kept(&self) -> u64 {
        self.kept
    }

    /// Whether so few blocks are left that defragmentation takes whatever gives the most.
    pub fn low(&self) -> bool {
        let reserve = self.reserve();
        self.available() <= reserve + self.kept + (reserve / 2).max(2)
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
        assert_eq!([blocks_for(&[40, 50, 20, 100], 100, 40), blocks_for(&[1; 250], 100, 50), blocks_for(&[], 100, 0)], [2, 2, 0]);
        assert!(space.may_fill(Purpose::Move) && !space.may_fill(Purpose::Tombstone));
        assert_eq!(self::space(&[0]).capacity_bytes(), None);
    }
}
