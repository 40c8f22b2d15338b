//! When the mark of the newest sync is written next, and what it says beside the sync.

use super::mark::{Known, Mark, Partial, blocks_most, slot_at};
use super::queue::Piece;
use super::seal::Seal;
use super::summary::BlockUseId;
use super::volume::Volume;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
    accepted: u64,
    reaches: Vec<u64>,
    /// Blocks begun or freed last, oldest first; some may not be on stable storage yet.
    recent: VecDeque<Known>,
    most: usize,
    previous: BlockUseId,
}

impl Marks {
    /// Those that go on behind mark `last`, of which every disk has `settled`, on disks that were written as far as `reaches` says.
    pub fn new(
        (last, settled): (u64, u64),
        accepted: u64,
        reaches: Vec<u64>,
        recent: &[Known],
        after: Duration,
        block_bytes: usize,
    ) -> Self {
        let most = blocks_most(block_bytes);
        let recent: VecDeque<Known> = recent.get(recent.len().saturating_sub(most)..).unwrap_or_default().iter().copied().collect();
        let previous = recent.iter().rev().find(|known| !known.free).map_or_else(BlockUseId::default, |known| known.id);
        Self { number: last + 1, settled, accepted, reaches, recent, after, most, previous, ..Self::default() }
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
        while self.recent.len() > self.most {
            self.recent.pop_front();
        }
    }

    pub fn ask(&mut self, closed: bool) {
        (self.due, self.closed) = (Some(Instant::now()), closed);
    }

    pub const fn due(&self) -> Option<Instant> {
        self.due
    }

    #[cfg(test)]
    pub const fn upto(&self) -> u64 {
        self.marked
    }

    pub fn is_due(&self) -> bool {
        self.due.is_some_and(|due| due <= Instant::now())
    }

    /// The next one, over all up to `stable`.
    pub fn mark(&self, run: u32, stable: u64, partial: Partial) -> Mark {
        Mark {
            number: self.number,
            settled: self.settled,
            run,
            closed: self.closed,
            stable,
            accepted: self.accepted,
            reaches: self.reaches.clone(),
            partial,
            blocks: self.recent.iter().filter(|known| known.id.first <= stable).copied().collect(),
        }
    }

    /// What is written of it, to every disk.
    ///
    /// # Errors
    /// `OutOfMemory`.
    pub fn pieces(&self, mark: &Mark, seal: Seal, block_bytes: usize) -> std::io::Result<Vec<Piece>> {
        let piece = |disk: usize| {
            let bytes = Arc::new(mark.encode(disk, seal, block_bytes)?);
            Ok(Piece { offset: Volume::join(disk, slot_at(block_bytes, mark.number)), range: 0..bytes.len(), bytes })
        };
        (0..self.reaches.len()).map(piece).collect()
    }

    /// A sync covered `pieces`, and everything up to `durable`; the mark among them, if there is one, vouches up to `marked`.
    pub fn synced(&mut self, pieces: &[Piece], marked: Option<u64>, durable: u64) {
        for piece in pieces {
            let (disk, at) = Volume::split(piece.offset);
            if let Some(reach) = self.reaches.get_mut(disk) {
                *reach = (at + piece.range.len() as u64).max(*reach);
            }
        }
        if let Some(marked) = marked {
            (self.settled, self.number, self.marked, self.due) = (self.number, self.number + 1, marked, None);
        }
        if durable > self.marked {
            self.due.get_or_insert_with(|| Instant::now() + self.after);
        }
    }
}
