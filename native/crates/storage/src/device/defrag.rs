//! Making room: blocks of which little is wanted are read, what is wanted is appended anew, and the block is freed.
//!
//! While there is room, blocks that fall below a share of wanted bytes are rewritten, at a bounded rate. Where room is
//! short, the blocks that give the most are rewritten as fast as it goes, however full (greedy selection: Rosenblum and
//! Ousterhout, "The Design and Implementation of a Log-Structured File System", 1992). A block is freed only when the copies
//! are on stable storage, and used again only when its mark as free is.

mod tombstones;

use super::format::entry::EntryKind;
use super::format::place::Place;
use super::format::summary::FRONT_PARITY_AT;
use super::write::blocks::BlockState;
use super::write::shared::{Phase, Shared};
use crate::{RecordImage, Relocator};
use std::collections::{BinaryHeap, HashMap};
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

/// Makes room, round by round, and what one round leaves for the next.
#[derive(Default)]
pub struct Defragmenter {
    sweep: Option<Sweep>,
    /// Blocks that could not be emptied, as something in them is damaged or must stay, with the bytes that were wanted then.
    pinned: HashMap<u64, u32>,
    /// Bytes of tombstones that the last sweep had to leave.
    needed_tombstones: u64,
}

/// Counters at the beginning of a round.
struct Begun {
    died: u64,
    appended: u64,
}

impl Defragmenter {
    /// Rewrites some blocks: one round. To be called again and again, after `Defrag::wait`.
    ///
    /// # Errors
    /// What appending and syncing return; the blocks are then tried again later.
    pub fn run(&mut self, shared: &Shared, host: &dyn Relocator) -> Result<()> {
        let Some(running) = shared.defrag.begin() else { return Ok(()) };
        let outcome = self.round(shared, host);
        drop(running);
        if outcome.is_err() {
            shared.defrag.rest(RETRY_AFTER);
        }
        outcome
    }

    fn round(&mut self, shared: &Shared, host: &dyn Relocator) -> Result<()> {
        let begun = Begun { died: shared.counters.died_bytes.load(Relaxed), appended: shared.appended.for_callers.load(Relaxed) };
        let (low, room, usable) = {
            let state = shared.state.lock();
            if state.phase != Phase::Ready {
                return Ok(());
            }
            (state.queue.space().low(), state.queue.space().available(), state.queue.usable())
        };
        let mut victims = self.pick(shared, low, room, usable);
        if victims.is_empty() && low {
            // What is not yet stored cannot be freed.
            shared.sync(u64::MAX)?;
            victims = self.pick(shared, low, room, usable);
        }
        if let Err(error) = self.rewrite(shared, &victims, host) {
            victims.iter().for_each(|number| shared.defrag.offer(*number));
            if low {
                // The next round needs what this one has freed.
                shared.settle_marks()?;
            }
            return Err(error);
        }
        let swept = self.sweep_tombstones(shared, low && victims.is_empty())?;
        if low {
            make_sure_of_room(shared, room, &begun, swept, !victims.is_empty())?;
        } else if let Some(rate) = std::num::NonZeroU64::new(shared.options.defrag_bytes_per_second)
            && !victims.is_empty()
        {
            let bytes = victims.len() as u64 * shared.block_bytes();
            shared.defrag.rest(Duration::from_secs_f64(bytes as f64 / rate.get() as f64));
        }
        Ok(())
    }

    /// Goes on with the sweep for needless tombstones, if one is under way or due; one is due earlier where room is `wanted`.
    /// `false` where there is none.
    ///
    /// # Errors
    /// What syncing returns.
    fn sweep_tombstones(&mut self, shared: &Shared, wanted: bool) -> Result<bool> {
        let mut sweep = match self.sweep.take() {
            Some(sweep) => sweep,
            None => {
                let (bytes, left) = (shared.counters.tombstone_bytes.load(Relaxed), self.needed_tombstones);
                let (used, available) = {
                    let state = shared.state.lock();
                    (state.queue.space().used() * shared.block_bytes(), state.queue.space().available())
                };
                let line = match wanted {
                    // With no block to write to, only what need not be written helps: copies of tombstones that a crash has left.
                    true if available == 0 => left + 1,
                    true => left + shared.block_bytes(),
                    false => 2 * left + used / TOMBSTONE_PART + shared.block_bytes(),
                };
                if bytes < line {
                    return Ok(false);
                }
                Sweep::begin(shared)?
            }
        };
        let (through, read) = sweep.step(shared);
        if through {
            let needless = sweep.needless(shared);
            // The older copies that the sweep did not meet must be gone for good before their tombstones may go.
            shared.settle_marks()?;
            let mut agenda = shared.defrag.agenda();
            for location in needless {
                let place = Place::unpack(location);
                let number = place.offset / shared.block_bytes();
                // An earlier sweep may have found it already.
                if agenda.needless.entry(number).or_default().insert(location) {
                    shared.tombstone_dies(number, place.length);
                    if shared.blocks.kept(number).total() < shared.defrag_line() {
                        agenda.offered.insert(number);
                    }
                }
            }
            self.needed_tombstones = shared.counters.tombstone_bytes.load(Relaxed);
            shared.defrag.stuck_at.store(0, Relaxed);
        } else {
            self.sweep = Some(sweep);
            if !wanted && let Some(rate) = std::num::NonZeroU64::new(shared.options.defrag_bytes_per_second) {
                shared.defrag.rest(Duration::from_secs_f64(read as f64 / rate.get() as f64));
            }
        }
        shared.defrag.wake();
        Ok(true)
    }

    /// The blocks to rewrite now: their wanted bytes fit into the blocks that are left, or into what is left of the open one.
    fn pick(&self, shared: &Shared, low: bool, room: u64, (block, open): (u64, u64)) -> Vec<u64> {
        let mut budget = if room == 0 { open } else { room.saturating_sub(1).clamp(1, ROUND_BLOCKS) * block };
        let mut fits = |kept: u32| {
            let fits = u64::from(kept) <= budget;
            budget = if fits { budget - u64::from(kept) } else { 0 };
            fits
        };
        if low {
            shared.defrag.forgotten.store(true, Relaxed);
            shared.defrag.agenda().offered.clear();
            return self.emptiest(shared).into_iter().take_while(|(kept, _)| fits(*kept)).map(|(_, number)| number).collect();
        }
        let line = shared.defrag_line();
        if shared.defrag.forgotten.swap(false, Relaxed) {
            let numbers = shared.state.lock().queue.space().numbers();
            let sparse: Vec<u64> = numbers.filter(|n| shared.is_stored(*n) && shared.blocks.kept(*n).total() < line).collect();
            shared.defrag.agenda().offered.extend(sparse);
        }
        let mut agenda = shared.defrag.agenda();
        let mut victims = Vec::new();
        while let Some(number) = agenda.offered.pop_first() {
            let kept = shared.blocks.kept(number).total();
            if !shared.is_stored(number) || kept >= line || self.pinned.get(&number) == Some(&kept) {
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
    fn emptiest(&self, shared: &Shared) -> Vec<(u32, u64)> {
        // The state's lock is not held for a look at all blocks.
        let numbers = shared.state.lock().queue.space().numbers();
        let mut best = BinaryHeap::with_capacity(ROUND_BLOCKS as usize + 1);
        for number in numbers.filter(|number| shared.is_stored(*number)) {
            let kept = shared.blocks.kept(number).total();
            if is_worth(shared, number, kept) && self.pinned.get(&number) != Some(&kept) {
                best.push((kept, number));
                if best.len() as u64 > ROUND_BLOCKS {
                    best.pop();
                }
            }
        }
        best.into_sorted_vec()
    }

    fn rewrite(&mut self, shared: &Shared, victims: &[u64], host: &dyn Relocator) -> Result<()> {
        if victims.is_empty() {
            return Ok(());
        }
        let (mut scratch, mut emptied, mut outcome) = (None, 0, Ok(()));
        for &number in victims {
            if shared.blocks.kept(number).total() > 0 {
                match shared.read_block(number, &mut scratch) {
                    Ok(block) => outcome = empty_block(shared, number, block, host),
                    Err(_) => shared.blocks.set_state(number, BlockState::Unreadable),
                }
            }
            // Those before it are freed all the same: their room may be what it lacks.
            if outcome.is_err() {
                break;
            }
            emptied += 1;
        }
        // Settled before the sync: what dies during it has a newer copy that the sync may not cover.
        let kept: Vec<(u64, u32)> = victims.iter().take(emptied).map(|number| (*number, shared.blocks.kept(*number).total())).collect();
        shared.sync(u64::MAX)?;
        let mut state = shared.state.lock();
        let mut agenda = shared.defrag.agenda();
        for (number, kept) in kept.into_iter().filter(|(number, _)| shared.is_stored(*number)) {
            if kept > 0 {
                self.pinned.insert(number, kept);
                continue;
            }
            self.pinned.remove(&number);
            agenda.needless.remove(&number);
            self.sweep.iter_mut().for_each(|sweep| sweep.released(number));
            state.queue.release(number);
        }
        drop((state, agenda));
        // Somebody has to write the marks.
        shared.work.notify_one();
        outcome
    }
}

/// The end of a round while room is short: freed blocks can be used again soon, and writers that wait learn whether there
/// is hope.
fn make_sure_of_room(shared: &Shared, room: u64, begun: &Begun, swept: bool, rewrote: bool) -> Result<()> {
    // With more room the next round's sync does it.
    if !rewrote || shared.state.lock().queue.space().available() < ROUND_BLOCKS {
        shared.settle_marks()?;
    }
    // Where nobody wrote meanwhile, a round that made no room shows that the next would make none.
    let fruitless = !rewrote || shared.appended.for_callers.load(Relaxed) == begun.appended;
    let mut gained = swept || !fruitless || shared.state.lock().queue.space().available() > room;
    if !gained {
        shared.settle_marks()?;
        gained = shared.state.lock().queue.space().available() > room;
    }
    if gained {
        shared.defrag.wake();
    } else {
        shared.defrag.stuck_at.store(begun.died + 1, Relaxed);
    }
    shared.flushed.notify_all();
    Ok(())
}

fn is_worth(shared: &Shared, number: u64, kept: u32) -> bool {
    let filled = u64::from(shared.blocks.filled(number));
    let begin = u64::from(shared.blocks.begin(number)).max(FRONT_PARITY_AT as u64);
    let (dead, usable) = (filled.saturating_sub(u64::from(kept) + begin), shared.block_bytes() - begin);
    dead * 100 >= usable * WORTH_PERCENT || filled * 2 < usable
}

/// Copies whatever of a block is wanted.
fn empty_block(shared: &Shared, number: u64, block: &[u8], host: &dyn Relocator) -> Result<()> {
    let fixed_until = shared.defrag.fixed_until.load(Relaxed);
    let mut outcome = Ok(());
    shared.entries(number, block, &mut |found, location| {
        if outcome.is_err() || !found.body_sound || found.sequence <= fixed_until {
            return;
        }
        let entry = &found.entry;
        outcome = match entry.kind {
            EntryKind::Record => {
                let image = RecordImage { digest: entry.digest, slot: 0, meta: entry.meta, set: entry.set, body: entry.body };
                shared.make_move(|| host.relocate(entry.segment, &image, location))
            }
            EntryKind::Tombstone => {
                let needless = shared.defrag.agenda().needless.get(&number).is_some_and(|there| there.contains(&location));
                match needless {
                    true => Ok(()),
                    false => shared.make_move(|| host.rebury(entry.segment, &entry.digest, entry.set)).map(|()| {
                        // Noted, as a round that fails here begins anew.
                        shared.defrag.agenda().needless.entry(number).or_default().insert(location);
                        shared.tombstone_dies(number, Place::unpack(location).length);
                    }),
                }
            }
            EntryKind::Close => Ok(()),
        };
    });
    outcome
}
