//! Room that is kept for batches which take effect whole or not at all: until such a batch ends, nobody else takes it.
//!
//! Entries of others come between those of a batch, in the same open block. So the blocks that a batch still needs are counted as if it
//! could use nothing of the open one: others may open a block, or fill one, only while so many are left. Once a batch has begun a block
//! with the last that was left, others may not even fill, until the batch needs one block less.

use super::space::Purpose;
use std::thread::{self, ThreadId};

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
    /// Whether a batch is under way that no other may join.
    pub const fn has_one_alone(&self) -> bool {
        self.alone.is_some()
    }

    /// A batch begins beside others, with so many bytes, and so many in its longest entry.
    pub fn join(&mut self, thread: ThreadId, (left, longest): (u64, u64)) {
        self.together.push(Batch { thread, left, longest });
    }

    /// A batch begins for which there is just enough.
    pub fn begin_alone(&mut self, thread: ThreadId, entries: &[usize], whole: u64) {
        self.alone = Some(Alone { thread, blocks: blocks_for_rest(entries, whole), come: 0 });
    }

    /// The batch of a thread ends.
    pub fn end(&mut self, thread: ThreadId) {
        self.together.retain(|batch| batch.thread != thread);
        self.alone = self.alone.take().filter(|alone| alone.thread != thread);
    }

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
    pub fn kept_with(&self, needs: (u64, u64), whole: u64) -> u64 {
        for_all(self.together.iter().map(Batch::needs).chain([needs]), whole)
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::write::space::blocks_for;
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
