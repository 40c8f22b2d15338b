//! Making room: blocks of which little is wanted are read, what is wanted is appended anew, and the block is freed.
//!
//! While there is room, blocks that fall below a share of wanted bytes are rewritten, at a bounded rate. Where room is
//! short, the blocks that give the most are rewritten as fast as it goes, however full (greedy selection: Rosenblum and
//! Ousterhout, "The Design and Implementation of a Log-Structured File System", 1992). A block is freed only when the copies
//! are on stable storage, and used again only when its mark as free is.

pub mod agenda;
mod tombstones;

use super::format::entry::EntryKind;
use super::format::place::Place;
use super::format::summary::FRONT_PARITY_AT;
use super::write::blocks::BlockState;
use super::write::shared::{Phase, Shared};
use crate::group_commit::wait_until_stable;
use crate::{RecordImage, Relocator};
use std::collections::BinaryHeap;
use std::sync::atomic::Ordering::Relaxed;
use std::time::Duration;
use tessera_base::Result;
use tombstones::Sweep;

/// Most blocks rewritten before a sync.
const ROUND_BLOCKS: u64 = 16;
/// A block is worth rewriting where this share of it is dead, or where it is not half full: percent.
const WORTH_PERCENT: u64 = 3;
/// Tombstones are swept when they take this part of what is in use, beside those that the last sweep had to leave.
const TOMBSTONE_PART: u64 = 16;
/// Pause after a round that failed.
const RETRY_AFTER: Duration = Duration::from_millis(200);

/// Counters at the beginning of a round.
struct Begun {
    died: u64,
    appended: u64,
}

impl Shared {
    /// Rewrites some blocks. Called by one thread, again and again, after `Defrag::wait`.
    ///
    /// # Errors
    /// What appending and syncing return; the blocks are then tried again later.
    pub fn defragment(&self, host: &dyn Relocator) -> Result<()> {
        let Some(running) = self.defrag.begin() else { return Ok(()) };
        let outcome = self.round(host);
        drop(running);
        if outcome.is_err() {
            self.defrag.rest(RETRY_AFTER);
        }
        outcome
    }

    fn round(&self, host: &dyn Relocator) -> Result<()> {
        let begun = Begun { died: self.counters.died_bytes.load(Relaxed), appended: self.appended.for_callers.load(Relaxed) };
        let (low, room, usable) = {
            let state = self.state.lock();
            if state.phase != Phase::Ready {
                return Ok(());
            }
            (state.queue.space().low(), state.queue.space().available(), state.queue.usable())
        };
        let mut victims = self.pick(low, room, usable);
        if victims.is_empty() && low {
            // What is not yet stored cannot be freed.
            self.sync(u64::MAX)?;
            victims = self.pick(low, room, usable);
        }
        if let Err(error) = self.rewrite(&victims, host) {
            victims.iter().for_each(|number| self.defrag.offer(*number));
            if low {
                // The next round needs what this one has freed.
                self.settle_marks()?;
            }
            return Err(error);
        }
        let swept = self.sweep_tombstones(low && victims.is_empty())?;
        if low {
            self.make_sure_of_room(room, &begun, swept, !victims.is_empty())?;
        } else if let Some(rate) = std::num::NonZeroU64::new(self.options.defrag_bytes_per_second)
            && !victims.is_empty()
        {
            let bytes = victims.len() as u64 * self.block_bytes();
            self.defrag.rest(Duration::from_secs_f64(bytes as f64 / rate.get() as f64));
        }
        Ok(())
    }

    /// The end of a round while room is short: freed blocks can be used again soon, and writers that wait learn whether there
    /// is hope.
    fn make_sure_of_room(&self, room: u64, begun: &Begun, swept: bool, rewrote: bool) -> Result<()> {
        // With more room the next round's sync does it.
        if !rewrote || self.state.lock().queue.space().available() < ROUND_BLOCKS {
            self.settle_marks()?;
        }
        // Where nobody wrote meanwhile, a round that made no room shows that the next would make none.
        let fruitless = !rewrote || self.appended.for_callers.load(Relaxed) == begun.appended;
        let mut gained = swept || !fruitless || self.state.lock().queue.space().available() > room;
        if !gained {
            self.settle_marks()?;
            gained = self.state.lock().queue.space().available() > room;
        }
        if gained {
            self.defrag.wake();
        } else {
            self.defrag.stuck_at.store(begun.died + 1, Relaxed);
        }
        self.flushed.notify_all();
        Ok(())
    }

    /// Goes on with the sweep for needless tombstones, if one is under way or due; one is due earlier where room is `wanted`.
    /// `false` where there is none.
    ///
    /// # Errors
    /// What syncing returns.
    fn sweep_tombstones(&self, wanted: bool) -> Result<bool> {
        let sweep = self.defrag.agenda().sweep.take();
        let mut sweep = match sweep {
            Some(sweep) => sweep,
            None => {
                let (bytes, left) = (self.counters.tombstone_bytes.load(Relaxed), self.defrag.needed_tombstones.load(Relaxed));
                let (used, available) = {
                    let state = self.state.lock();
                    (state.queue.space().used() * self.block_bytes(), state.queue.space().available())
                };
                let line = match wanted {
                    // With no block to write to, only what need not be written helps: copies of tombstones that a crash has left.
                    true if available == 0 => left + 1,
                    true => left + self.block_bytes(),
                    false => 2 * left + used / TOMBSTONE_PART + self.block_bytes(),
                };
                if bytes < line {
                    return Ok(false);
                }
                Sweep::begin(self)?
            }
        };
        let (through, read) = sweep.step(self);
        if through {
            let needless = sweep.needless(self);
            // The older copies that the sweep did not meet must be gone for good before their tombstones may go.
            self.settle_marks()?;
            let mut agenda = self.defrag.agenda();
            for location in needless {
                let place = Place::unpack(location);
                let number = place.offset / self.block_bytes();
                // An earlier sweep may have found it already.
                if agenda.needless.entry(number).or_default().insert(location) {
                    self.tombstone_dies(number, place.length);
                    if self.blocks.kept(number).total() < self.defrag_line() {
                        agenda.offered.insert(number);
                    }
                }
            }
            self.defrag.needed_tombstones.store(self.counters.tombstone_bytes.load(Relaxed), Relaxed);
            self.defrag.stuck_at.store(0, Relaxed);
        } else {
            self.defrag.agenda().sweep = Some(sweep);
            if !wanted && let Some(rate) = std::num::NonZeroU64::new(self.options.defrag_bytes_per_second) {
                self.defrag.rest(Duration::from_secs_f64(read as f64 / rate.get() as f64));
            }
        }
        self.defrag.wake();
        Ok(true)
    }

    /// The blocks to rewrite now: their wanted bytes fit into the blocks that are left, or into what is left of the open one.
    fn pick(&self, low: bool, room: u64, (block, open): (u64, u64)) -> Vec<u64> {
        let mut budget = if room == 0 { open } else { room.saturating_sub(1).clamp(1, ROUND_BLOCKS) * block };
        let mut fits = |kept: u32| {
            let fits = u64::from(kept) <= budget;
            budget = if fits { budget - u64::from(kept) } else { 0 };
            fits
        };
        if low {
            self.defrag.forgotten.store(true, Relaxed);
            self.defrag.agenda().offered.clear();
            return self.emptiest().into_iter().take_while(|(kept, _)| fits(*kept)).map(|(_, number)| number).collect();
        }
        let line = self.defrag_line();
        if self.defrag.forgotten.swap(false, Relaxed) {
            let numbers = self.state.lock().queue.space().numbers();
            let sparse: Vec<u64> = numbers.filter(|n| self.is_stored(*n) && self.blocks.kept(*n).total() < line).collect();
            self.defrag.agenda().offered.extend(sparse);
        }
        let mut agenda = self.defrag.agenda();
        let mut victims = Vec::new();
        while let Some(number) = agenda.offered.pop_first() {
            let kept = self.blocks.kept(number).total();
            if !self.is_stored(number) || kept >= line || agenda.pinned.get(&number) == Some(&kept) {
                continue;
            }
            if victims.len() as u64 >= ROUND_BLOCKS || !fits(kept) {
                agenda.offered.insert(number);
                break;
            }
            victims.push(number);
        }
        victims
    }

    /// The blocks that would give the most, those first, with their wanted bytes.
    fn emptiest(&self) -> Vec<(u32, u64)> {
        // The state's lock comes before the agenda's, and neither is held for a look at all blocks.
        let numbers = self.state.lock().queue.space().numbers();
        let pinned = self.defrag.agenda().pinned.clone();
        let mut best = BinaryHeap::with_capacity(ROUND_BLOCKS as usize + 1);
        for number in numbers.filter(|number| self.is_stored(*number)) {
            let kept = self.blocks.kept(number).total();
            if self.is_worth(number, kept) && pinned.get(&number) != Some(&kept) {
                best.push((kept, number));
                if best.len() as u64 > ROUND_BLOCKS {
                    best.pop();
                }
            }
        }
        best.into_sorted_vec()
    }

    fn is_worth(&self, number: u64, kept: u32) -> bool {
        let filled = u64::from(self.blocks.filled(number));
        let begin = u64::from(self.blocks.begin(number)).max(FRONT_PARITY_AT as u64);
        let (dead, usable) = (filled.saturating_sub(u64::from(kept) + begin), self.block_bytes() - begin);
        dead * 100 >= usable * WORTH_PERCENT || filled * 2 < usable
    }

    fn rewrite(&self, victims: &[u64], host: &dyn Relocator) -> Result<()> {
        if victims.is_empty() {
            return Ok(());
        }
        let (mut scratch, mut emptied, mut outcome) = (None, 0, Ok(()));
        for &number in victims {
            if self.blocks.kept(number).total() > 0 {
                match self.read_block(number, &mut scratch) {
                    Ok(block) => outcome = self.empty_block(number, block, host),
                    Err(_) => self.blocks.set_state(number, BlockState::Unreadable),
                }
            }
            // Those before it are freed all the same: their room may be what it lacks.
            if outcome.is_err() {
                break;
            }
            emptied += 1;
        }
        // Settled before the sync: what dies during it has a newer copy that the sync may not cover.
        let kept: Vec<(u64, u32)> = victims.iter().take(emptied).map(|number| (*number, self.blocks.kept(*number).total())).collect();
        self.sync(u64::MAX)?;
        let mut state = self.state.lock();
        let mut agenda = self.defrag.agenda();
        for (number, kept) in kept.into_iter().filter(|(number, _)| self.is_stored(*number)) {
            if kept > 0 {
                agenda.pinned.insert(number, kept);
                continue;
            }
            agenda.pinned.remove(&number);
            agenda.needless.remove(&number);
            agenda.sweep.iter_mut().for_each(|sweep| sweep.released(number));
            state.queue.release(number);
        }
        drop((state, agenda));
        // Somebody has to write the marks.
        self.work.notify_one();
        outcome
    }

    /// Copies whatever of a block is wanted.
    fn empty_block(&self, number: u64, block: &[u8], host: &dyn Relocator) -> Result<()> {
        let fixed_until = self.defrag.fixed_until.load(Relaxed);
        let mut outcome = Ok(());
        self.entries(number, block, &mut |found, location| {
            if outcome.is_err() || !found.body_sound || found.sequence <= fixed_until {
                return;
            }
            let entry = &found.entry;
            outcome = match entry.kind {
                EntryKind::Record => {
                    let image = RecordImage { digest: entry.digest, slot: 0, meta: entry.meta, set: entry.set, body: entry.body };
                    self.make_move(|| host.relocate(entry.segment, &image, location))
                }
                EntryKind::Tombstone => {
                    let needless = self.defrag.agenda().needless.get(&number).is_some_and(|there| there.contains(&location));
                    match needless {
                        true => Ok(()),
                        false => self.make_move(|| host.rebury(entry.segment, &entry.digest, entry.set)).map(|()| {
                            // Noted, as a round that fails here begins anew.
                            self.defrag.agenda().needless.entry(number).or_default().insert(location);
                            self.tombstone_dies(number, Place::unpack(location).length);
                        }),
                    }
                }
                EntryKind::Close => Ok(()),
            };
        });
        outcome
    }

    /// Waits until every freed block's mark is on stable storage, so that it can be used again.
    ///
    /// # Errors
    /// `device_full`, `storage_failed` when the flush failed.
    pub fn settle_marks(&self) -> Result<()> {
        let mut state = self.state.lock();
        wait_until_stable(&mut state, &self.flushed, |state| Ok(!state.queue.has_marks()), |state| self.flush(state, true))
    }
}
