//! What is known in memory of every write block: whether it is in use, and how many of its bytes are wanted.
//!
//! Readable and countable without a lock: records die on the threads that replace them.

use crate::DISKS_MAX;
use crate::device::disks::volume::DISK_BITS;
use crate::device::format::place::UNIT;
use parking_lot::RwLock;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::sync::OnceLock;
use std::sync::atomic::{
    AtomicBool, AtomicI32, AtomicU8, AtomicU16, AtomicU32, Ordering::AcqRel, Ordering::Acquire, Ordering::Relaxed, Ordering::Release,
};
use tessera_base::heap;

/// Blocks of the first bucket; each further bucket doubles the table.
const FIRST_BUCKET: u64 = 1024;
/// Buckets of one disk: up to 2^31 blocks of the smallest size.
const BUCKETS: usize = 22;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum BlockState {
    /// Holds nothing, and says so on the disk or was never written.
    Free = 0,
    /// Takes entries; only memory has all of it.
    Open = 1,
    /// Full, or given up for a new one; memory has it.
    Buffered = 2,
    /// On stable storage; memory has it too.
    Cached = 3,
    /// On stable storage only.
    Stored = 4,
    /// Nothing in it is wanted; the mark that says so on the disk is on its way.
    Freeing = 5,
    /// Could not be read: what may be in it is left alone until the next start.
    Unreadable = 6,
}

#[derive(Debug, Default)]
struct Cell {
    state: AtomicU8,
    /// Where entries begin, in `UNIT`s.
    begin: AtomicU16,
    /// Below zero while more of a block's records have died than were counted in.
    live: AtomicI32,
    tombstones: AtomicU32,
    filled: AtomicU32,
}

impl Cell {
    fn state(&self) -> BlockState {
        match self.state.load(Acquire) {
            1 => BlockState::Open,
            2 => BlockState::Buffered,
            3 => BlockState::Cached,
            4 => BlockState::Stored,
            5 => BlockState::Freeing,
            6 => BlockState::Unreadable,
            _ => BlockState::Free,
        }
    }

    fn kept(&self) -> Kept {
        // What is counted out has a newer copy, which a sync that begins after this has to cover.
        Kept { live: positive(self.live.load(Acquire)), tombstones: self.tombstones.load(Acquire) }
    }
}

type Buckets = [OnceLock<Box<[Cell]>>; BUCKETS];

/// Bytes of a block that are wanted.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Kept {
    /// Of records that the index refers to.
    pub live: u32,
    /// Of tombstones that may still be needed.
    pub tombstones: u32,
}

impl Kept {
    pub const fn total(self) -> u32 {
        self.live.saturating_add(self.tombstones)
    }
}

pub struct Blocks {
    disks: Box<[Buckets]>,
    /// Bits of a block's number within its disk.
    number_bits: u32,
    outside: Cell,
    /// By block that shows an earlier use than its present one, or none: the first sequence of the
    /// present one. Damage alone makes such blocks.
    hidden: RwLock<HashMap<u64, u64>>,
    /// Where the records lay that parity alone still names. An entry of an earlier use may lie there now.
    lost: RwLock<HashSet<u64>>,
    /// Whether there was ever one, so that reads need no lock.
    has_lost: AtomicBool,
}

impl Blocks {
    /// For `disks` disks and blocks of `block_bytes`, a power of two.
    pub fn new(disks: usize, block_bytes: u64) -> Self {
        Self {
            disks: (0..disks.min(DISKS_MAX)).map(|_| Buckets::default()).collect(),
            number_bits: DISK_BITS - block_bytes.ilog2(),
            outside: Cell::default(),
            hidden: RwLock::default(),
            lost: RwLock::default(),
            has_lost: AtomicBool::new(false),
        }
    }

    /// Notes that the present use of a block, with its entries from sequence `first` on, is not the one that the block shows.
    pub fn hide(&self, number: u64, first: u64) {
        self.hidden.write().insert(number, first);
    }

    /// The first sequence of a block's present use, if that is not the one that the block shows.
    pub fn hidden(&self, number: u64) -> Option<u64> {
        self.hidden.read().get(&number).copied()
    }

    /// Notes that the record at `offset` is gone, and that what lies there is not read for it.
    pub fn lose(&self, offset: u64) {
        self.lost.write().insert(offset);
        self.has_lost.store(true, Release);
    }

    /// Whether the record at `offset` is gone.
    pub fn is_lost(&self, offset: u64) -> bool {
        self.has_lost.load(Acquire) && self.lost.read().contains(&offset)
    }

    /// The cell of a block by its global number; one that no disk has shares a cell that nobody looks at.
    fn cell(&self, number: u64) -> &Cell {
        let (disk, local) = ((number >> self.number_bits) as usize, number & ((1 << self.number_bits) - 1));
        let bucket = (local / FIRST_BUCKET + 1).ilog2();
        let first = ((1 << bucket) - 1) * FIRST_BUCKET;
        let cells = self.disks.get(disk).and_then(|buckets| buckets.get(bucket as usize));
        let cells = cells.map(|cells| cells.get_or_init(|| (0..FIRST_BUCKET << bucket).map(|_| Cell::default()).collect()));
        cells.and_then(|cells| cells.get((local - first) as usize)).unwrap_or(&self.outside)
    }

    pub fn state(&self, number: u64) -> BlockState {
        self.cell(number).state()
    }

    /// Visits blocks of a disk, by their numbers there. Those that nobody has ever touched may be left out: they are free.
    pub fn look(&self, disk: usize, numbers: Range<u64>, visit: &mut dyn FnMut(u64, BlockState, Kept)) {
        let Some(buckets) = self.disks.get(disk) else { return };
        for (bucket, cells) in buckets.iter().enumerate() {
            let first = ((1 << bucket) - 1) * FIRST_BUCKET;
            let wanted = numbers.start.saturating_sub(first)..numbers.end.saturating_sub(first);
            let Some(cells) = cells.get().filter(|_| !wanted.is_empty()) else { continue };
            let end = (wanted.end as usize).min(cells.len());
            for (at, cell) in cells.iter().enumerate().take(end).skip(wanted.start as usize) {
                visit(first + at as u64, cell.state(), cell.kept());
            }
        }
    }

    pub fn set_state(&self, number: u64, state: BlockState) {
        self.cell(number).state.store(state as u8, Release);
    }

    pub fn kept(&self, number: u64) -> Kept {
        self.cell(number).kept()
    }

    /// Counts bytes of records in; those of all records of a block never pass the block.
    pub fn record_lives(&self, number: u64, length: u32) {
        self.cell(number).live.fetch_add(length as i32, Relaxed);
    }

    /// Counts a record's bytes out; returns what was kept before and is kept now.
    pub fn record_dies(&self, number: u64, length: u32) -> (u32, u32) {
        let cell = self.cell(number);
        let live = cell.live.fetch_sub(length as i32, AcqRel);
        let tombstones = cell.tombstones.load(Relaxed);
        (positive(live).saturating_add(tombstones), positive(live.wrapping_sub(length as i32)).saturating_add(tombstones))
    }

    pub fn tombstone_lives(&self, number: u64, length: u32) {
        self.cell(number).tombstones.fetch_add(length, Relaxed);
    }

    pub fn tombstone_dies(&self, number: u64, length: u32) {
        let less = |bytes: u32| Some(bytes.saturating_sub(length));
        let _ = self.cell(number).tombstones.fetch_update(AcqRel, Relaxed, less);
    }

    /// Forgets what its present use has, as that is over.
    pub fn empty(&self, number: u64) {
        let cell = self.cell(number);
        cell.live.store(0, Relaxed);
        cell.tombstones.store(0, Relaxed);
        self.hidden.write().remove(&number);
        let block_bits = DISK_BITS - self.number_bits;
        self.lost.write().retain(|offset| offset >> block_bits != number);
    }

    /// Forgets all that is known of a block.
    pub fn forget(&self, number: u64) {
        self.empty(number);
        self.set_filled(number, 0);
        self.set_begin(number, 0);
        self.set_state(number, BlockState::Free);
    }

    /// How far entries go in a block that is closed, bytes.
    pub fn filled(&self, number: u64) -> u32 {
        self.cell(number).filled.load(Relaxed)
    }

    pub fn set_filled(&self, number: u64, bytes: u32) {
        self.cell(number).filled.store(bytes, Relaxed);
    }

    /// Where entries begin in a block, bytes; 0 where that is not known.
    pub fn begin(&self, number: u64) -> u32 {
        u32::from(self.cell(number).begin.load(Relaxed)) * UNIT as u32
    }

    pub fn set_begin(&self, number: u64, bytes: u32) {
        self.cell(number).begin.store((bytes as usize / UNIT) as u16, Relaxed);
    }

    pub fn heap_bytes(&self) -> usize {
        let cells: usize = self.disks.iter().flatten().filter_map(OnceLock::get).map(|cells| cells.len()).sum();
        heap::block(cells * size_of::<Cell>()) + self.disks.len() * size_of::<Buckets>()
    }
}

fn positive(bytes: i32) -> u32 {
    u32::try_from(bytes).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn blocks_of_every_disk_and_bucket_count_apart() {
        let blocks = Blocks::new(2, 16 * 1024);
        let far = (1_u64 << (DISK_BITS - 14)) - 1;
        let numbers = [0, 1, 1023, 1024, 3071, 3072, 1 << 20, far + 1, far + 1025];
        for (at, &number) in numbers.iter().enumerate() {
            blocks.record_lives(number, 100 + at as u32);
            blocks.tombstone_lives(number, 16);
            blocks.set_state(number, BlockState::Stored);
        }
        for (at, &number) in numbers.iter().enumerate() {
            assert_eq!(blocks.kept(number), Kept { live: 100 + at as u32, tombstones: 16 }, "{number}");
            assert_eq!(blocks.state(number), BlockState::Stored);
        }
        let mut seen = vec![];
        blocks.look(0, 1..far, &mut |number, state, kept| seen.extend((state == BlockState::Stored).then_some((number, kept.live))));
        assert_eq!(seen, [(1, 101), (1023, 102), (1024, 103), (3071, 104), (3072, 105), (1 << 20, 106)]);
        seen.clear();
        blocks.look(1, 1023..1026, &mut |number, _, kept| seen.push((number, kept.live)));
        assert_eq!(seen, [(1023, 0), (1024, 108), (1025, 0)]);
        assert_eq!((blocks.state(2), blocks.kept(2).total()), (BlockState::Free, 0));
        assert_eq!(blocks.record_dies(1023, 50), (118, 68));
        assert_eq!(blocks.record_dies(1023, 5000), (68, 16));
        blocks.empty(1023);
        assert_eq!(blocks.kept(1023).total(), 0);
    }

    #[test]
    fn records_may_die_before_they_are_counted_in() {
        let blocks = Blocks::new(1, 16 * 1024);
        assert_eq!(blocks.record_dies(3, 64), (0, 0));
        blocks.record_lives(3, 160);
        assert_eq!(blocks.kept(3).live, 96);
    }
}
