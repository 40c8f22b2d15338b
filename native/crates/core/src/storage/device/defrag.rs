//! Making room: blocks of which little is wanted are read, what is wanted is appended anew, and the block is freed.
//!
//! While there is room, blocks that fall below a share of wanted bytes are rewritten, at a bounded rate. Where room is
//! short, the blocks that give the most are rewritten as fast as it goes, however full (greedy selection: Rosenblum and
//! Ousterhout, "The Design and Implementation of a Log-Structured File System", 1992). A block is freed only when the copies
//! are on stable storage, and used again only when its mark as free is.

use super::blocks::BlockState;
use super::entry::EntryKind;
use super::headers::{BlockHeader, BlockUse, HEADER_BYTES};
use super::place::{Place, padded};
use super::shared::{Phase, Shared};
use super::tombstones::Sweep;
use super::volume::{Scratch, Volume};
use super::walk::{Step, walk_current};
use crate::error::{Error, Result};
use crate::storage::{Location, RecordImage, Relocator};
use parking_lot::{Condvar, Mutex};
use std::collections::{HashMap, HashSet, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Most blocks rewritten before a sync.
const ROUND_BLOCKS: u64 = 16;
/// A block is worth rewriting where this share of it is dead, or where it is not half full: percent.
const WORTH_PERCENT: u64 = 3;
/// Tombstones are swept when they take this part of what is in use, beside those that the last sweep had to leave.
const TOMBSTONE_PART: u64 = 16;
/// Pause after a round that failed.
const RETRY_AFTER: Duration = Duration::from_millis(200);

/// Its lock comes after the state's.
#[derive(Default)]
struct Agenda {
    /// Blocks that fell below the line.
    offered: VecDeque<u64>,
    /// Blocks that could not be emptied, as something in them is damaged, with the bytes that were wanted then.
    pinned: HashMap<u64, u32>,
    /// By block: tombstones that nothing older needs any more.
    needless: HashMap<u64, HashSet<Location>>,
    sweep: Option<Sweep>,
    woken: bool,
    stopped: bool,
}

#[derive(Default)]
pub struct Defrag {
    agenda: Mutex<Agenda>,
    changed: Condvar,
    /// Somebody runs the rounds.
    attached: AtomicBool,
    woken: AtomicBool,
    /// `died_bytes` + 1 when nothing more could be gained; 0 while something may.
    stuck_at: AtomicU64,
    /// Bytes of tombstones that the last sweep had to leave.
    needed_tombstones: AtomicU64,
}

impl Defrag {
    /// A block has fallen below the line.
    pub fn offer(&self, number: u64) {
        self.agenda.lock().offered.push_back(number);
        self.changed.notify_one();
    }

    /// Room is short.
    pub fn wake(&self) {
        if !self.woken.swap(true, Relaxed) {
            self.agenda.lock().woken = true;
            self.changed.notify_one();
        }
    }

    pub fn stop(&self) {
        self.agenda.lock().stopped = true;
        self.changed.notify_all();
    }

    /// Somebody is going to run the rounds: from here on, writers wait for them.
    pub fn attach(&self) {
        self.attached.store(true, Relaxed);
    }

    /// Waits for something to do; `false` when the storage is closed.
    pub fn wait(&self) -> bool {
        let mut agenda = self.agenda.lock();
        while !agenda.stopped && !agenda.woken && agenda.offered.is_empty() {
            self.changed.wait(&mut agenda);
        }
        agenda.woken = false;
        self.woken.store(false, Relaxed);
        !agenda.stopped
    }

    /// Pauses, unless the storage is closed or room gets short.
    fn rest(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut agenda = self.agenda.lock();
        while !agenda.stopped && !agenda.woken && !self.changed.wait_until(&mut agenda, until).timed_out() {}
    }

    /// Whether a round may still make room.
    pub fn hopeful(&self, shared: &Shared) -> bool {
        self.attached.load(Relaxed) && self.stuck_at.load(Relaxed) != shared.counters.died_bytes.load(Relaxed) + 1
    }

    /// Blocks waiting to be rewritten.
    pub fn queued(&self) -> u64 {
        self.agenda.lock().offered.len() as u64
    }
}

/// Counters at the beginning of a round.
struct Mark {
    died: u64,
    appended: u64,
}

impl Shared {
    /// Rewrites some blocks. Called by one thread, again and again, after `Defrag::wait`.
    ///
    /// # Errors
    /// What appending and syncing return; the blocks are then tried again later.
    pub fn defragment(&self, host: &dyn Relocator) -> Result<()> {
        let outcome = self.round(host);
        if outcome.is_err() {
            self.defrag.rest(RETRY_AFTER);
        }
        outcome
    }

    fn round(&self, host: &dyn Relocator) -> Result<()> {
        let begun = Mark { died: self.counters.died_bytes.load(Relaxed), appended: self.counters.appended_bytes.load(Relaxed) };
        let (low, room) = {
            let state = self.state.lock();
            if state.phase != Phase::Ready {
                return Ok(());
            }
            (state.queue.space().low(), state.queue.space().available())
        };
        let mut victims = self.pick(low, room);
        if victims.is_empty() && low {
            // What is not yet stored cannot be freed.
            self.sync(self.last_sequence.load(Relaxed))?;
            victims = self.pick(low, room);
        }
        if let Err(error) = self.rewrite(&victims, host) {
            victims.iter().for_each(|number| self.defrag.offer(*number));
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
    fn make_sure_of_room(&self, room: u64, begun: &Mark, swept: bool, rewrote: bool) -> Result<()> {
        // With more room the next round's sync does it.
        if !rewrote || self.state.lock().queue.space().available() < ROUND_BLOCKS {
            self.settle_marks()?;
        }
        let (available, low) = {
            let state = self.state.lock();
            (state.queue.space().available(), state.queue.space().low())
        };
        // Where nobody wrote meanwhile, a round that made no room shows that the next would make none.
        let fruitless = !rewrote || self.counters.appended_bytes.load(Relaxed) == begun.appended;
        if !swept && fruitless && available <= room {
            self.defrag.stuck_at.store(begun.died + 1, Relaxed);
        } else if low {
            self.defrag.wake();
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
        let sweep = self.defrag.agenda.lock().sweep.take();
        let mut sweep = match sweep {
            Some(sweep) => sweep,
            None => {
                let (bytes, left) = (self.counters.tombstone_bytes.load(Relaxed), self.defrag.needed_tombstones.load(Relaxed));
                let used = self.state.lock().queue.space().used() * self.block_bytes();
                let line = if wanted { left + self.block_bytes() } else { 2 * left + used / TOMBSTONE_PART + self.block_bytes() };
                if bytes < line {
                    return Ok(false);
                }
                Sweep::begin(self)?
            }
        };
        let (through, read) = sweep.step(self);
        if through {
            let needless = sweep.needless(self);
            let mut agenda = self.defrag.agenda.lock();
            for location in needless {
                let place = Place::unpack(location);
                let number = place.offset / self.block_bytes();
                // An earlier sweep may have found it already.
                if agenda.needless.entry(number).or_default().insert(location) {
                    self.tombstone_dies(number, place.length);
                    if self.blocks.kept(number).total() < self.defrag_line() {
                        agenda.offered.push_back(number);
                    }
                }
            }
            self.defrag.needed_tombstones.store(self.counters.tombstone_bytes.load(Relaxed), Relaxed);
            self.defrag.stuck_at.store(0, Relaxed);
        } else {
            self.defrag.agenda.lock().sweep = Some(sweep);
            if !wanted && let Some(rate) = std::num::NonZeroU64::new(self.options.defrag_bytes_per_second) {
                self.defrag.rest(Duration::from_secs_f64(read as f64 / rate.get() as f64));
            }
        }
        self.defrag.wake();
        Ok(true)
    }

    /// The blocks to rewrite now: their wanted bytes fit into the blocks that are left.
    fn pick(&self, low: bool, room: u64) -> Vec<u64> {
        let usable = self.block_bytes() - HEADER_BYTES as u64;
        let mut budget = room.saturating_sub(1).clamp(u64::from(room > 0), ROUND_BLOCKS) * usable;
        // The state's lock comes before the agenda's.
        let numbers = low.then(|| self.state.lock().queue.space().numbers());
        let mut agenda = self.defrag.agenda.lock();
        let mut fits = |kept: u32| {
            let fits = u64::from(kept) <= budget;
            budget = if fits { budget - u64::from(kept) } else { 0 };
            fits
        };
        let pinned = |agenda: &Agenda, number: u64, kept: u32| agenda.pinned.get(&number) == Some(&kept);
        if let Some(numbers) = numbers {
            let worth = |number: u64, kept: u32| {
                let filled = u64::from(self.blocks.filled(number));
                filled.saturating_sub(u64::from(kept) + HEADER_BYTES as u64) * 100 >= usable * WORTH_PERCENT || filled * 2 < usable
            };
            let mut candidates: Vec<(u32, u64)> = numbers
                .filter(|number| self.is_stored(*number))
                .map(|number| (self.blocks.kept(number).total(), number))
                .filter(|(kept, number)| worth(*number, *kept) && !pinned(&agenda, *number, *kept))
                .collect();
            let most = ROUND_BLOCKS as usize;
            if candidates.len() > most {
                candidates.select_nth_unstable(most);
                candidates.truncate(most);
            }
            candidates.sort_unstable();
            return candidates.into_iter().take_while(|(kept, _)| fits(*kept)).map(|(_, number)| number).collect();
        }
        let (mut victims, line) = (Vec::new(), self.defrag_line());
        while let Some(number) = agenda.offered.pop_front() {
            let kept = self.blocks.kept(number).total();
            if !self.is_stored(number) || kept >= line || pinned(&agenda, number, kept) || victims.contains(&number) {
                continue;
            }
            if victims.len() as u64 >= ROUND_BLOCKS || !fits(kept) {
                agenda.offered.push_front(number);
                break;
            }
            victims.push(number);
        }
        victims
    }

    fn rewrite(&self, victims: &[u64], host: &dyn Relocator) -> Result<()> {
        if victims.is_empty() {
            return Ok(());
        }
        let mut scratch = None;
        for &number in victims {
            if self.blocks.kept(number).total() == 0 {
                continue;
            }
            match self.read_block(number, &mut scratch) {
                Ok(block) => self.empty_block(number, block, host)?,
                Err(_) => self.blocks.set_state(number, BlockState::Unreadable),
            }
        }
        self.sync(self.last_sequence.load(Relaxed))?;
        let mut state = self.state.lock();
        let mut agenda = self.defrag.agenda.lock();
        for &number in victims.iter().filter(|number| self.is_stored(**number)) {
            match self.blocks.kept(number).total() {
                0 => {
                    agenda.pinned.remove(&number);
                    agenda.needless.remove(&number);
                    agenda.sweep.iter_mut().for_each(|sweep| sweep.released(number));
                    state.queue.release(number);
                }
                kept => drop(agenda.pinned.insert(number, kept)),
            }
        }
        // Somebody has to write the marks.
        self.work.notify_one();
        Ok(())
    }

    /// The bytes of a block as far as its disk goes.
    ///
    /// # Errors
    /// What the disk reports.
    pub fn read_block<'a>(&self, number: u64, scratch: &'a mut Scratch) -> std::io::Result<&'a [u8]> {
        let offset = number * self.block_bytes();
        let (disk, local) = Volume::split(offset);
        let length = self.volume.members().get(disk).map_or(Ok(0), |member| member.disk.length())?;
        let length = length.saturating_sub(local).min(self.block_bytes());
        self.counters.reads.fetch_add(1, Relaxed);
        self.counters.bytes_read.fetch_add(length, Relaxed);
        self.volume.read(scratch, offset, length as usize)
    }

    /// Copies whatever of a block is wanted.
    fn empty_block(&self, number: u64, block: &[u8], host: &dyn Relocator) -> Result<()> {
        let header = block.first_chunk().and_then(|bytes| BlockHeader::decode(bytes).ok());
        let first = header.filter(|header| header.holds == BlockUse::Entries).map(|header| header.first_sequence);
        let mut outcome = Ok(());
        walk_current(block, number * self.block_bytes(), self.seal, first, &mut |offset, step| {
            let Step::Entry(found) = step else { return };
            if outcome.is_err() || !found.body_sound {
                return;
            }
            let entry = &found.entry;
            let place = Place { offset, length: padded(entry.length()) as u32 };
            let Some(location) = place.pack() else { return };
            outcome = match entry.kind {
                EntryKind::Record => {
                    let image = RecordImage { digest: entry.digest, slot: 0, meta: entry.meta, set: entry.set, body: entry.body };
                    host.relocate(entry.segment, &image, location)
                }
                EntryKind::Tombstone => {
                    let agenda = self.defrag.agenda.lock();
                    let needless = agenda.needless.get(&number).is_some_and(|tombstones| tombstones.contains(&location));
                    drop(agenda);
                    match needless {
                        true => Ok(()),
                        false => host.rebury(entry.segment, &entry.digest, entry.set).map(|()| self.tombstone_dies(number, place.length)),
                    }
                }
                EntryKind::Close | EntryKind::End => Ok(()),
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
        while state.queue.has_marks() {
            if state.flushing {
                self.flushed.wait(&mut state);
            } else {
                self.flush(&mut state, true)?;
            }
            state.failure.clone().map_or(Ok::<(), Error>(()), Err)?;
        }
        Ok(())
    }
}
