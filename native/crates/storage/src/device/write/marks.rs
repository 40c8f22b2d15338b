//! When the mark of the newest sync is written next, and what it says beside the sync.

use super::gaps::Gaps;
use super::mark::{Known, Mark, Partial, SLOT_UNIT, blocks_most, front_bytes, full_most, slot_at, slot_bytes};
use super::writer::Piece;
use crate::device::disks::volume::Volume;
use crate::device::format::seal::Seal;
use crate::device::format::summary::BlockUseId;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_base::Error;
use tessera_io::AlignedBuffer;

/// A full mark in a slot: its number, and which of all blocks noted so far is the first that it may lack.
#[derive(Clone, Copy, Debug)]
struct Full {
    number: u64,
    upto: u64,
}

/// A mark on its way to the disks.
#[derive(Debug)]
pub struct Next {
    pub mark: Mark,
    full: Option<Full>,
}

/// A slot that could not be written.
#[derive(Debug)]
struct Bad {
    slot: usize,
    error: Error,
    /// Until then marks go to the other one: a disk may take long to say that it cannot.
    avoided_until: Instant,
}

#[derive(Debug, Default)]
pub struct Marks {
    /// Of the next mark, and of the newest that every disk has.
    number: u64,
    settled: u64,
    /// Up to where the last one vouches.
    marked: u64,
    /// A sync is told of after this at the latest, and together with those that follow it meanwhile.
    after: Duration,
    due: Option<Instant>,
    closed: bool,
    accepted: Gaps,
    reaches: Vec<u64>,
    /// Blocks begun or freed last, oldest first; some may not be on stable storage yet.
    recent: VecDeque<Known>,
    /// Blocks that were noted before those.
    dropped: u64,
    /// By slot: nothing until a mark of this run has filled it, and while one is on its way there.
    full: [Option<Full>; 2],
    /// One was taken to be written, and no sync has covered it.
    under_way: bool,
    bad: Option<Bad>,
    block_bytes: usize,
    previous: BlockUseId,
}

/// A bad slot is tried again after this.
const AVOIDED_FOR: Duration = Duration::from_secs(60);

/// Which of the two slots a mark is written to.
const fn slot_of(number: u64) -> usize {
    (number % 2) as usize
}

impl Marks {
    /// Those that go on behind mark `last`, of which every disk has `settled`, on disks that were written as far as `reaches` says.
    pub fn new(
        (last, settled): (u64, u64),
        accepted: Gaps,
        reaches: Vec<u64>,
        recent: &[Known],
        after: Duration,
        block_bytes: usize,
    ) -> Self {
        let recent: VecDeque<Known> = recent.iter().copied().collect();
        let previous = recent.iter().rev().find(|known| !known.free).map_or_else(BlockUseId::default, |known| known.id);
        let mut marks = Self { number: last + 1, settled, accepted, reaches, recent, after, block_bytes, previous, ..Self::default() };
        marks.forget();
        marks
    }

    /// The block that was begun last.
    pub const fn previous(&self) -> BlockUseId {
        self.previous
    }

    /// A block has been begun, or marked as free.
    pub fn note(&mut self, known: Known) {
        if !known.free {
            self.previous = known.id;
        }
        self.recent.push_back(known);
        self.forget();
    }

    fn forget(&mut self) {
        let more = self.recent.len().saturating_sub(blocks_most(self.block_bytes));
        self.recent.drain(..more);
        self.dropped += more as u64;
    }

    pub fn ask(&mut self, closed: bool) {
        (self.due, self.closed) = (Some(Instant::now()), closed);
    }

    /// Puts the mark off that was on its way; `false` if none was.
    pub fn put_off(&mut self) -> bool {
        let under_way = std::mem::take(&mut self.under_way);
        if under_way {
            self.due = Some(Instant::now() + self.after);
        }
        under_way
    }

    /// All could be written but the mark, for which something failed with `error`: the next goes to the other slot.
    pub fn failed(&mut self, error: Error) {
        let slot = slot_of(self.number);
        if let Some(full) = self.full.get_mut(slot) {
            *full = None;
        }
        self.bad = Some(Bad { slot, error, avoided_until: Instant::now() + AVOIDED_FOR });
        self.number += 1;
    }

    /// Why one of the slots cannot be written, until it can.
    pub fn failure(&self) -> Option<&Error> {
        self.bad.as_ref().map(|bad| &bad.error)
    }

    /// The number of the newest mark that every disk has.
    pub const fn settled(&self) -> u64 {
        self.settled
    }

    pub const fn due(&self) -> Option<Instant> {
        self.due
    }

    #[cfg(any(test, feature = "test-support"))]
    pub const fn upto(&self) -> u64 {
        self.marked
    }

    pub fn is_due(&self) -> bool {
        self.due.is_some_and(|due| due <= Instant::now())
    }

    /// The next one, over all up to `stable`. It is a full one if its slot has none, or if too much has come since.
    pub fn next(&mut self, run: u32, stable: u64, partial: Partial) -> Next {
        self.under_way = true;
        let avoids = |bad: &Bad| bad.slot == slot_of(self.number) && Instant::now() < bad.avoided_until;
        // At a close both are tried.
        if !self.closed && self.bad.as_ref().is_some_and(avoids) {
            self.number += 1;
        }
        let stored = |known: &&Known| known.id.first <= stable;
        let last = self.full.iter().flatten().min_by_key(|full| full.number).copied();
        let since = last.map_or(0, |last| last.upto.saturating_sub(self.dropped) as usize).min(self.recent.len());
        let mut mark = Mark {
            number: self.number,
            settled: self.settled,
            run,
            closed: self.closed,
            stable,
            accepted: self.accepted.clone(),
            reaches: self.reaches.clone(),
            full: last.map_or(self.number, |last| last.number),
            partial,
            blocks: self.recent.range(since..).filter(stored).copied().collect(),
        };
        let own = self.full.get_mut(slot_of(self.number));
        let fits = mark.blocks.len() <= mark.room(front_bytes(self.block_bytes));
        let full = own.filter(|own| full_most(self.block_bytes) > 0 && (own.is_none() || !fits)).map(|own| {
            // It may be torn from here on.
            *own = None;
            let lacks = self.recent.iter().position(|known| !stored(&known)).unwrap_or(self.recent.len());
            Full { number: mark.number, upto: self.dropped + lacks as u64 }
        });
        if full.is_some() {
            mark.full = self.full.iter().flatten().map(|full| full.number).min().unwrap_or(mark.number);
        }
        Next { mark, full }
    }

    /// What is written of it, to every disk.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn pieces(&self, Next { mark, full }: &Next, seal: Seal) -> std::io::Result<Vec<Piece>> {
        let (at, front) = (slot_at(self.block_bytes, mark.number), front_bytes(self.block_bytes));
        let whole = full.map(|_| {
            let blocks = self.recent.iter().filter(|known| known.id.first <= mark.stable).copied().collect();
            Mark { partial: Partial::default(), accepted: Gaps::default(), blocks, ..mark.clone() }
        });
        let piece = |disk: usize| {
            let offset = Volume::join(disk, at);
            let before = at as usize % SLOT_UNIT;
            let mut bytes = vec![0; before];
            bytes.extend(mark.encode(seal, offset, front));
            if let Some(whole) = &whole {
                bytes.resize(before + front, 0);
                bytes.extend(whole.encode(seal, offset + front as u64, slot_bytes(self.block_bytes) - front));
            }
            bytes.resize(bytes.len().next_multiple_of(SLOT_UNIT), 0);
            let mut buffer = AlignedBuffer::new(bytes.len())?;
            buffer.extend_from_slice(&bytes)?;
            Ok(Piece { offset: offset - before as u64, range: 0..bytes.len(), bytes: Arc::new(buffer) })
        };
        (0..self.reaches.len()).map(piece).collect()
    }

    /// A sync covered `pieces`, and everything up to `durable`; `next` was among them, if it is one.
    pub fn synced(&mut self, pieces: &[Piece], next: Option<Next>, durable: u64) {
        for piece in pieces {
            let (disk, at) = Volume::split(piece.offset);
            if let Some(reach) = self.reaches.get_mut(disk) {
                *reach = (at + piece.range.len() as u64).max(*reach);
            }
        }
        if let Some(Next { mark, full }) = next {
            if let (Some(own), Some(full)) = (self.full.get_mut(slot_of(mark.number)), full) {
                *own = Some(full);
            }
            self.under_way = false;
            self.bad = self.bad.take().filter(|bad| bad.slot != slot_of(mark.number));
            (self.settled, self.number, self.marked, self.due) = (mark.number, mark.number + 1, mark.stable, None);
        }
        if durable > self.marked {
            self.due.get_or_insert_with(|| Instant::now() + self.after);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::disks::volume::Member;
    use crate::device::write::mark::Slots;
    use tessera_io::Disk;
    use tessera_io::faulty::FaultyDisk;

    const BLOCK: usize = 64 * 1024;

    /// What the slots tell together: the number of the newest mark, and its blocks.
    fn told(disk: &FaultyDisk, seal: Seal) -> (u64, Vec<Known>) {
        let volume = Volume::new(vec![Member::of(Arc::new(disk.clone()), "", 0)]);
        let slots = Slots::read(&volume, 0, seal, BLOCK, disk.length().unwrap());
        let mut newest = slots.newest.unwrap();
        newest.complete(slots.all.iter());
        (newest.number, newest.blocks)
    }

    #[test]
    fn one_damaged_place_leaves_all_blocks_but_those_of_the_newest_mark() {
        let (seal, disk) = (Seal::new(&[1; 16]), FaultyDisk::with(vec![0; BLOCK]));
        let mut marks = Marks::new((0, 0), Gaps::default(), vec![0], &[], Duration::ZERO, BLOCK);
        let (mut noted, mut before, mut full) = (vec![], 0, 0);
        for round in 0..60 {
            for _ in 0..round * 7 % 60 {
                let id = BlockUseId { number: noted.len() as u64 % 50, first: 10 * noted.len() as u64 };
                let known = Known { id, run: 1, free: noted.len() % 3 == 0, count: 0 };
                marks.note(known);
                noted.push(known);
            }
            let next = marks.next(1, 10 * noted.len() as u64, Partial::default());
            let pieces = marks.pieces(&next, seal).unwrap();
            full += usize::from(next.full.is_some());
            pieces.iter().for_each(|piece| disk.write_at(&piece.bytes, piece.offset).unwrap());
            disk.sync().unwrap();
            let number = next.mark.number;
            let kept = |upto: usize| noted[upto.saturating_sub(full_most(BLOCK))..upto].to_vec();
            let (own, other) = (slot_at(BLOCK, number), slot_at(BLOCK, number + 1));
            let fronts = [(0, noted.len()), (own, before), (other, noted.len())];
            let rests = [own, other].map(|at| (at + front_bytes(BLOCK) as u64, noted.len()));
            for (at, upto) in fronts.into_iter().chain(rests).filter(|(at, _)| round > 0 || *at != own) {
                disk.flip(at + 20, 1);
                let (of, blocks) = told(&disk, seal);
                assert_eq!(of, if at == own { number - 1 } else { number }, "round {round}, byte {at}");
                assert!(blocks.ends_with(&kept(upto)), "round {round}, byte {at}: {} of {upto}", blocks.len());
                disk.flip(at + 20, 1);
            }
            marks.synced(&pieces, Some(next), 0);
            before = noted.len();
        }
        assert!(noted.len() > 2 * full_most(BLOCK) && (4..30).contains(&full), "{} blocks, {full} full marks", noted.len());
    }
}
