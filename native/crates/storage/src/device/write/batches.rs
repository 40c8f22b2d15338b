//! Room that is kept for batches which take effect whole or not at all: until such a batch ends, nobody else takes it.
//!
//! Entries of others come between those of a batch, in the same open block. So the blocks that a batch still needs are counted as if it
//! could use nothing of the open one: others may open a block, or fill one, only while so many are left. Once a batch has begun a block
//! with the last that was left, others may not even fill, until the batch needs one block less.

use super::shared::{Shared, State, kept_for_batches};
use super::space::{Purpose, blocks_for};
use super::write_block::{OVERHEAD, PARITY_PART};
use crate::KeptRoom;
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Instant;
use tessera_base::Result;

/// Blocks that batches may begin ahead of what they put into them: two that follow each other hold more than one block does.
const AHEAD: u64 = 2;

/// The batches under way.
#[derive(Debug, Default)]
pub struct Batches {
    together: Vec<Batch>,
    alone: Option<Alone>,
}

/// A batch beside others: what it needs is counted so high that any order of their entries finds room.
#[derive(Debug)]
struct Batch {
    thread: ThreadId,
    /// Bytes of its entries still to come, and of the longest of all.
    left: u64,
    longest: u64,
}

/// A batch for which there is just enough, so no other is let in beside it.
#[derive(Debug)]
struct Alone {
    thread: ThreadId,
    /// By the number of entries that have come: blocks for the rest.
    blocks: Vec<u32>,
    come: usize,
}

impl Batches {
    pub fn is_empty(&self) -> bool {
        self.together.is_empty() && self.alone.is_none()
    }

    /// What an entry of this thread is written for: one of a batch finds what was kept for it.
    pub fn purpose(&self, purpose: Purpose) -> Purpose {
        if self.is_empty() || !self.has(thread::current().id()) { purpose } else { Purpose::Kept }
    }

    fn has(&self, thread: ThreadId) -> bool {
        let alone = self.alone.as_ref().is_some_and(|alone| alone.thread == thread && alone.left() > 0);
        alone || self.together.iter().any(|batch| batch.thread == thread && batch.left > 0)
    }

    /// An entry of this thread's batch has come.
    pub fn came(&mut self, bytes: u64) {
        let thread = thread::current().id();
        self.alone.iter_mut().for_each(|alone| alone.come += 1);
        let batch = self.together.iter_mut().find(|batch| batch.thread == thread);
        batch.into_iter().for_each(|batch| batch.left = batch.left.saturating_sub(bytes));
    }

    /// Blocks that have to be left for them, each of which holds `whole` bytes of entries.
    pub fn kept(&self, whole: u64) -> u64 {
        self.alone.as_ref().map_or_else(|| for_all(self.together.iter().map(Batch::needs), whole), Alone::left)
    }

    /// As `kept`, with a batch more beside them.
    fn kept_with(&self, batch: &Batch, whole: u64) -> u64 {
        for_all(self.together.iter().chain([batch]).map(Batch::needs), whole)
    }
}

impl Batch {
    const fn needs(&self) -> (u64, u64) {
        (self.left, self.longest)
    }
}

impl Alone {
    fn left(&self) -> u64 {
        self.blocks.get(self.come).copied().unwrap_or(0).into()
    }
}

/// Blocks for entries in whatever order: of each batch the bytes, and those of its longest entry. A block that is full lacks less than the longest
/// entry, and two that follow each other hold more than one.
fn for_all(batches: impl Iterator<Item = (u64, u64)>, whole: u64) -> u64 {
    let (bytes, longest) = batches.fold((0, 0), |(all, most), (bytes, longest)| (all + bytes, longest.max(most)));
    let used = whole.saturating_sub(longest).max(whole / 2).max(1);
    if bytes == 0 { 0 } else { bytes.div_ceil(used) + AHEAD }
}

/// For each number of entries that have come, the blocks for the rest.
fn blocks_for_rest(entries: &[usize], whole: u64) -> Vec<u32> {
    let mut blocks = vec![0; entries.len() + 1];
    // The first entry that is not in the block that begins with the entry `at`, and the bytes of those between.
    let (mut end, mut bytes) = (entries.len(), 0);
    for at in (0..entries.len()).rev() {
        bytes += entries[at] as u64;
        while bytes > whole && end > at + 1 {
            end -= 1;
            bytes -= entries[end] as u64;
        }
        blocks[at] = blocks[end] + 1;
    }
    blocks
}

impl Shared {
    /// Waits a bounded time until there is room for entries of so many bytes each, one behind the other, and keeps it for this thread until
    /// the answer is dropped.
    ///
    /// # Errors
    /// As `admit`; `device_full` also where nothing was written yet.
    pub fn admit_all(self: &Arc<Self>, entries: &[usize]) -> Result<KeptRoom> {
        let (deadline, thread) = (Instant::now() + self.options.stall_timeout, thread::current().id());
        let bytes = |bytes: &usize| *bytes as u64;
        let (left, longest) = (entries.iter().map(bytes).sum(), entries.iter().map(bytes).max().unwrap_or(0));
        let mut state = self.state.lock();
        loop {
            state.check_writable()?;
            if state.batches.alone.is_none() {
                let batch = Batch { thread, left, longest };
                let more = |state: &State| state.batches.kept_with(&batch, self.whole()).saturating_sub(state.queue.space().kept());
                let asked = more(&state);
                self.ask_for_room(&mut state, Purpose::Write, asked)?;
                state.check_writable()?;
                if state.batches.alone.is_none() && state.queue.space().may_open_all(Purpose::Write, more(&state)) {
                    state.batches.together.push(batch);
                    break;
                }
            }
            if state.batches.is_empty() {
                let blocks = self.blocks_now(&state, entries);
                let fits = |state: &State, blocks: u64| match blocks {
                    0 => state.queue.space().may_fill(Purpose::Write),
                    _ => state.queue.space().may_open_all(Purpose::Write, blocks),
                };
                if !fits(&state, blocks) && !self.wait_for_blocks(&mut state, Purpose::Write, blocks.max(1))? {
                    return Err(state.queue.full_error());
                }
                // It may have waited, and others may have come.
                self.ask_for_room(&mut state, Purpose::Write, blocks)?;
                if state.batches.is_empty() && fits(&state, self.blocks_now(&state, entries)) {
                    state.batches.alone = Some(Alone { thread, blocks: blocks_for_rest(entries, self.whole()), come: 0 });
                    break;
                }
                if Instant::now() >= deadline {
                    return Err(kept_for_batches());
                }
            } else if self.flushed.wait_until(&mut state, deadline).timed_out() {
                return Err(kept_for_batches());
            }
        }
        self.keep(&mut state);
        drop(state);
        let shared = Arc::clone(self);
        Ok(KeptRoom::new(move || shared.end_batch(thread)))
    }

    /// Bytes of entries that each block surely holds: as if it had the most parity there may be.
    fn whole(&self) -> u64 {
        let block = self.block_bytes();
        (block - OVERHEAD as u64).saturating_sub(2 * (block / PARITY_PART as u64))
    }

    /// Blocks that have to be begun for these entries, the open one being as it is.
    fn blocks_now(&self, state: &State, entries: &[usize]) -> u64 {
        let parity = self.block_bytes() / PARITY_PART as u64;
        blocks_for(entries, self.whole(), state.queue.usable().1.saturating_sub(parity))
    }

    /// Notes what the batches under way still need.
    pub fn keep(&self, state: &mut MutexGuard<'_, State>) {
        let kept = state.batches.kept(self.whole());
        state.queue.space_mut().keep(kept);
        self.publish(state);
    }

    fn end_batch(&self, thread: ThreadId) {
        let mut state = self.state.lock();
        state.batches.together.retain(|batch| batch.thread != thread);
        state.batches.alone = state.batches.alone.take().filter(|alone| alone.thread != thread);
        self.keep(&mut state);
        self.flushed.notify_all();
    }

    /// Waits a bounded time until no room is kept; the caller holds no segment's lock, and no room.
    pub fn await_batches(&self) {
        let mut state = self.state.lock();
        let deadline = Instant::now() + self.options.stall_timeout;
        while !state.batches.is_empty() && !self.flushed.wait_until(&mut state, deadline).timed_out() {}
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_base::dice::Dice;

    #[test]
    fn what_a_rest_needs_is_told_for_each_number_of_entries() {
        let mut dice = Dice(1);
        for _ in 0..200 {
            let entries: Vec<usize> = (0..dice.roll(30)).map(|_| 1 + dice.roll(100) as usize).collect();
            let blocks = blocks_for_rest(&entries, 100);
            for at in 0..=entries.len() {
                assert_eq!(u64::from(blocks[at]), blocks_for(&entries[at..], 100, 0), "{entries:?} from {at}");
            }
        }
    }

    /// However the entries of batches come one after the other, they find room, and others may take no more than is left.
    #[test]
    fn what_is_kept_is_enough_in_any_order() {
        let (whole, mut dice) = (1000_u64, Dice(7));
        for round in 0..2000 {
            let longest = [50, 400, 900][dice.roll(3) as usize];
            let mut batches: Vec<Vec<u64>> =
                (0..1 + dice.roll(3)).map(|_| (0..1 + dice.roll(30)).map(|_| 1 + dice.roll(longest)).collect()).collect();
            let needs = |batches: &[Vec<u64>]| {
                for_all(batches.iter().map(|entries| (entries.iter().sum(), if entries.is_empty() { 0 } else { longest })), whole)
            };
            let (mut available, mut open) = (needs(&batches) + dice.roll(3), dice.roll(whole));
            while batches.iter().any(|entries| !entries.is_empty()) {
                let kept = needs(&batches);
                let at = dice.roll(batches.len() as u64 + 1) as usize;
                let (bytes, ours) = match batches.get_mut(at) {
                    Some(entries) => (entries.pop().unwrap_or(0), true),
                    None => (1 + dice.roll(900), false),
                };
                if bytes <= open && (ours || available >= kept) {
                    open -= bytes;
                } else if ours {
                    assert!(available > 0, "round {round}");
                    (available, open) = (available - 1, whole - bytes);
                } else if available > kept {
                    (available, open) = (available - 1, whole - bytes);
                }
            }
        }
    }
}
