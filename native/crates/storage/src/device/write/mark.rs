//! The mark of the newest sync: up to which sequence everything was on stable storage, and what the blocks written last were then.
//!
//! It lies behind the header of each disk, in two slots that are written in turn, so that a crash or one damaged place leaves the
//! mark before it. A mark tells of nothing that was not on stable storage before it was written. Each lists the newest blocks; a
//! full one lists the others too, in the rest of its slot, where they stay until the next. See `docs/on-disk-format.md`.

use super::gaps::Gaps;
use crate::DISKS_MAX;
use crate::device::disks::volume::{Scratch, Volume};
use crate::device::format::parity::Parity;
use crate::device::format::seal::Seal;
use crate::device::format::summary::BlockUseId;

const MAGIC: [u8; 8] = *b"TSRMARK\0";
const HEAD_BYTES: usize = 88 + 8 * DISKS_MAX;
const CRC_AT: usize = 8;
/// Number, first sequence, run and count of a block.
const BLOCK_BYTES: usize = 24;
/// Set in the first sequence of a block that is marked as free.
const FREE: u64 = 1 << 63;
/// What is written of a slot begins and ends at multiples of this many bytes.
pub const SLOT_UNIT: usize = 4096;
const SLOT_MOST: usize = 40 * 1024;
/// The part of a slot that each mark is written to; the rest is for full ones.
const FRONT_MOST: usize = 8 * 1024;

/// A use of a block that was on stable storage, as it was begun, or as its mark as free has it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Known {
    pub id: BlockUseId,
    pub run: u32,
    pub free: bool,
    /// Of a block of an earlier run: entries that it had when the run of the mark began. 0 where
    /// nothing tells.
    pub count: u32,
}

impl Known {
    /// With the entries up to before sequence `end`.
    pub fn ending(self, end: u64) -> Self {
        let count = if self.free { 0 } else { end.saturating_sub(self.id.first) };
        Self { count: u32::try_from(count).unwrap_or(0), ..self }
    }

    /// The sequence behind the last entry that it must have, if that is known.
    pub fn end(&self) -> Option<u64> {
        (self.count > 0).then(|| self.id.first.saturating_add(u64::from(self.count)))
    }
}

/// The block that had more entries to come, as far as it was on stable storage.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Partial {
    pub id: BlockUseId,
    pub begin: u32,
    /// Over the headers of its entries up to `Mark::stable`.
    pub parity: Parity,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Mark {
    /// Grows with every mark of the namespace, over all runs.
    pub number: u64,
    /// The mark of this number, or a later one, was on stable storage on every disk.
    pub settled: u64,
    pub run: u32,
    /// The run was closed in order, and nothing was written behind `stable`.
    pub closed: bool,
    /// Everything of the run up to this sequence was on stable storage.
    pub stable: u64,
    /// What is missing of these was accepted as lost.
    pub accepted: Gaps,
    /// How far each disk was written, bytes.
    pub reaches: Vec<u64>,
    /// Marks from this number on have the blocks before those that this one lists.
    pub full: u64,
    pub partial: Partial,
    /// The blocks begun or freed last, oldest first.
    pub blocks: Vec<Known>,
}

/// Bytes of a slot. One damaged place does not reach from one slot to the other, nor to the block behind them.
pub const fn slot_bytes(block_bytes: usize) -> usize {
    let half = (block_bytes - 3 * SLOT_UNIT) / 2;
    let whole = half / SLOT_UNIT * SLOT_UNIT;
    if whole == 0 {
        half
    } else if whole < SLOT_MOST {
        whole
    } else {
        SLOT_MOST
    }
}

/// Bytes of the part of a slot that each mark is written to.
pub const fn front_bytes(block_bytes: usize) -> usize {
    let slot = slot_bytes(block_bytes);
    let half = (slot / 2).next_multiple_of(SLOT_UNIT);
    if slot < SLOT_UNIT {
        slot
    } else if half < FRONT_MOST {
        half
    } else {
        FRONT_MOST
    }
}

/// Bytes of parity that a mark has room for.
pub const fn parity_most(block_bytes: usize) -> usize {
    front_bytes(block_bytes) / 2
}

/// Blocks that a full mark lists at most; 0 where blocks are too small for full ones.
pub const fn full_most(block_bytes: usize) -> usize {
    (slot_bytes(block_bytes) - front_bytes(block_bytes)).saturating_sub(HEAD_BYTES) / BLOCK_BYTES
}

/// Blocks that can be told of together at most.
pub const fn blocks_most(block_bytes: usize) -> usize {
    let front = (front_bytes(block_bytes) - HEAD_BYTES) / BLOCK_BYTES;
    if full_most(block_bytes) > front { full_most(block_bytes) } else { front }
}

/// Offset on its disk of the slot for mark `number`.
pub const fn slot_at(block_bytes: usize, number: u64) -> u64 {
    (if number.is_multiple_of(2) { SLOT_UNIT } else { block_bytes - SLOT_UNIT - slot_bytes(block_bytes) }) as u64
}

impl Mark {
    /// Blocks that it has room for in `room` bytes.
    pub fn room(&self, room: usize) -> usize {
        room.saturating_sub(HEAD_BYTES + self.partial.parity.bytes().len() + self.accepted.bytes()) / BLOCK_BYTES
    }

    /// What is written of it at a global offset, in at most `room` bytes: of the blocks, as many of the newest as fit.
    pub fn encode(&self, seal: Seal, offset: u64, room: usize) -> Vec<u8> {
        let parity = self.partial.parity.bytes();
        let blocks = self.blocks.get(self.blocks.len().saturating_sub(self.room(room))..).unwrap_or_default();
        let mut out = vec![0; HEAD_BYTES + parity.len()];
        out[..8].copy_from_slice(&MAGIC);
        out[12] = u8::from(self.closed);
        out[13] = self.reaches.len() as u8;
        let (rows, width) = (self.partial.parity.rows(), self.partial.parity.width());
        for (at, word) in [(14, rows), (16, width), (18, self.accepted.newest().len())] {
            out[at..at + 2].copy_from_slice(&(word as u16).to_le_bytes());
        }
        for (at, word) in [(20, self.run), (24, blocks.len() as u32), (28, self.partial.begin)] {
            out[at..at + 4].copy_from_slice(&word.to_le_bytes());
        }
        let Partial { id, .. } = self.partial;
        let words = [self.number, self.stable, self.full, id.number, id.first, self.settled];
        for (word, at) in words.iter().zip((32..).step_by(8)).chain(self.reaches.iter().take(DISKS_MAX).zip((88..).step_by(8))) {
            out[at..at + 8].copy_from_slice(&word.to_le_bytes());
        }
        out[HEAD_BYTES..].copy_from_slice(parity);
        self.accepted.encode(&mut out);
        for Known { id, run, free, count } in blocks {
            out.extend_from_slice(&id.number.to_le_bytes());
            out.extend_from_slice(&(id.first | if *free { FREE } else { 0 }).to_le_bytes());
            out.extend_from_slice(&run.to_le_bytes());
            out.extend_from_slice(&count.to_le_bytes());
        }
        let crc = seal.over(offset, &[&out[CRC_AT + 4..]]);
        out[CRC_AT..CRC_AT + 4].copy_from_slice(&crc.to_le_bytes());
        out
    }

    /// Lists also the blocks that `others` know, as far as they go on from its full mark; in the order in which they were begun.
    pub fn complete<'a>(&mut self, others: impl Iterator<Item = &'a Self>) {
        let numbers = self.full..=self.number;
        let others = others.filter(|other| numbers.contains(&other.number));
        self.blocks.extend(others.flat_map(|other| &other.blocks));
        self.blocks.sort_by_key(|known| (known.id.first, known.free, known.id.number));
        self.blocks.dedup();
    }

    fn decode(bytes: &[u8], seal: Seal, offset: u64) -> Option<Self> {
        let head = bytes.first_chunk::<HEAD_BYTES>()?;
        let half = |at: usize| usize::from(u16::from_le_bytes([head[at], head[at + 1]]));
        let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| head[at + i]));
        let (rows, width, count) = (half(14), half(16), word(24) as u32 as usize);
        let gaps = Gaps::bytes_of(half(18));
        let length = (HEAD_BYTES + gaps).checked_add(rows * width)?.checked_add(count.checked_mul(BLOCK_BYTES)?)?;
        let whole = bytes.get(..length).filter(|whole| whole[..8] == MAGIC)?;
        if whole[CRC_AT..CRC_AT + 4] != seal.over(offset, &[&whole[CRC_AT + 4..]]).to_le_bytes() {
            return None;
        }
        let (parity, rest) = whole[HEAD_BYTES..].split_at_checked(rows * width)?;
        let (gaps, blocks) = rest.split_at_checked(gaps)?;
        let block = |bytes: &[u8; BLOCK_BYTES]| {
            let word = |at: usize| u64::from_le_bytes(std::array::from_fn(|i| bytes[at + i]));
            let [run, count] = [16, 20].map(|at| u32::from_le_bytes(std::array::from_fn(|i| bytes[at + i])));
            Known { id: BlockUseId { number: word(0), first: word(8) & !FREE }, run, free: word(8) & FREE != 0, count }
        };
        Some(Self {
            number: word(32),
            run: word(20) as u32,
            closed: head[12] == 1,
            stable: word(40),
            accepted: Gaps::decode(gaps),
            settled: word(72),
            full: word(48),
            reaches: (0..usize::from(head[13]).min(DISKS_MAX)).map(|disk| word(88 + 8 * disk)).collect(),
            partial: Partial {
                id: BlockUseId { number: word(56), first: word(64) },
                begin: word(28) as u32,
                parity: Parity::from_bytes(width, parity),
            },
            blocks: blocks.as_chunks::<BLOCK_BYTES>().0.iter().map(block).collect(),
        })
    }
}

/// What the slots of one disk hold.
#[derive(Clone, Debug, Default)]
pub struct Slots {
    /// The newer of its marks.
    pub newest: Option<Mark>,
    /// All of its marks, in both parts of the slots.
    pub all: Vec<Mark>,
    /// Both slots hold a mark, or nothing at all: no newer one has been there.
    pub sure: bool,
}

impl Slots {
    /// Reads the slots of `disk`; what cannot be read may be any mark.
    pub fn read(volume: &Volume, disk: usize, seal: Seal, block_bytes: usize, length: u64) -> Self {
        let mut slots = Self { sure: true, ..Self::default() };
        let mut scratch: Scratch = None;
        for parity in [0, 1] {
            let at = slot_at(block_bytes, parity);
            let bytes = length.saturating_sub(at).min(slot_bytes(block_bytes) as u64) as usize;
            if bytes < HEAD_BYTES {
                continue;
            }
            let offset = Volume::join(disk, at);
            let Ok(read) = volume.read_twice(&mut scratch, offset, bytes) else {
                slots.sure = false;
                continue;
            };
            let (front, rest) = read.split_at(front_bytes(block_bytes).min(read.len()));
            let mark = Mark::decode(front, seal, offset).filter(|mark| mark.number % 2 == parity);
            slots.sure &= mark.is_some() || front.iter().all(|byte| *byte == 0);
            slots.all.extend(Mark::decode(rest, seal, offset + front.len() as u64));
            slots.all.extend(mark.clone());
            slots.newest = slots.newest.into_iter().chain(mark).max_by_key(|mark| mark.number);
        }
        slots
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::disks::volume::Member;
    use std::sync::Arc;
    use tessera_io::Disk;
    use tessera_io::faulty::FaultyDisk;

    const BLOCK: usize = 16 * 1024;

    fn mark(number: u64, blocks: usize) -> Mark {
        let id = BlockUseId { number: 3, first: 700 };
        Mark {
            number,
            settled: 3,
            run: 9,
            closed: number % 2 == 1,
            stable: 800,
            accepted: Gaps::decode(&[5_u64.to_le_bytes(), 9_u64.to_le_bytes()].concat()),
            full: 2,
            reaches: vec![40_000, 50_000],
            partial: Partial { id, begin: 256, parity: Parity::from_bytes(66, &[7; 660]) },
            blocks: (0..blocks as u64)
                .map(|n| Known { id: BlockUseId { number: n, first: n * 10 }, run: n as u32, free: n % 3 == 0, count: n as u32 % 5 })
                .collect(),
        }
    }

    #[test]
    fn the_newest_whole_mark_counts_and_one_damaged_place_leaves_the_other() {
        let (seal, disk) = (Seal::new(&[1; 16]), FaultyDisk::default());
        let volume = Volume::new(vec![Member::of(Arc::new(disk.clone()), "", 0)]);
        let read = || Slots::read(&volume, 0, seal, BLOCK, disk.length().unwrap());
        assert!(read().newest.is_none() && read().sure);
        let write = |mark: &Mark| {
            let at = slot_at(BLOCK, mark.number);
            disk.write_at(&mark.encode(seal, at, front_bytes(BLOCK)), at).unwrap();
        };
        write(&mark(4, 2));
        assert_eq!((read().newest, read().sure), (Some(mark(4, 2)), true));
        write(&mark(5, 3));
        assert_eq!((read().newest, read().sure), (Some(mark(5, 3)), true));
        disk.sync().unwrap();
        for at in (0..HEAD_BYTES + 660 + 16 + 60).step_by(7) {
            disk.flip(slot_at(BLOCK, 5) + at as u64, 4);
            assert_eq!((read().newest, read().sure), (Some(mark(4, 2)), false), "byte {at}");
            disk.flip(slot_at(BLOCK, 5) + at as u64, 4);
        }
        // Of more blocks than there is room for, the newest stay.
        write(&mark(6, 500));
        let kept = read().newest.unwrap().blocks;
        assert!(mark(6, 500).blocks.ends_with(&kept) && kept.len() == 48, "{}", kept.len());
        for block in [BLOCK, 32 * 1024, 128 * 1024, 8 << 20] {
            assert!(slot_at(block, 0) as usize + slot_bytes(block) + 4096 <= slot_at(block, 1) as usize, "{block}");
            assert!(slot_at(block, 1) as usize + slot_bytes(block) + 4096 <= block, "{block}");
        }
        assert_eq!([BLOCK, 32 * 1024, 64 * 1024, 128 * 1024, 8 << 20].map(full_most), [0, 161, 673, 1356, 1356]);
    }
}
