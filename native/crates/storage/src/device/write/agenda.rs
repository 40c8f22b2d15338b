//! What defragmentation has to do, and how others tell it so.

use crate::Location;
use crate::device::format::place::Place;
use parking_lot::{Condvar, Mutex, MutexGuard};
use std::collections::{BTreeSet, HashMap, HashSet};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Its lock comes after the state's.
#[derive(Default)]
pub struct Agenda {
    /// Blocks that fell below the line.
    pub offered: BTreeSet<u64>,
    /// By block: tombstones that are not wanted there any more, as nothing older needs them or as they were copied.
    pub needless: HashMap<u64, HashSet<Location>>,
    woken: bool,
    stopped: bool,
    /// A round is under way.
    running: bool,
}

#[derive(Default)]
pub struct Defrag {
    agenda: Mutex<Agenda>,
    changed: Condvar,
    /// Somebody runs the rounds.
    attached: AtomicBool,
    woken: AtomicBool,
    /// Blocks below the line may not be offered: a start knows of none, and while room is short the emptiest are looked for
    /// anyway.
    pub forgotten: AtomicBool,
    /// `died_bytes` + 1 when nothing more could be gained; 0 while something may.
    pub stuck_at: AtomicU64,
    /// Entries up to this sequence stay where they are: a block that could not be read may have newer ones, and copies of
    /// older ones would be newer than those.
    pub fixed_until: AtomicU64,
}

/// A round under way; over when it is dropped.
pub struct Running<'a>(&'a Defrag);

impl Drop for Running<'_> {
    fn drop(&mut self) {
        self.0.agenda.lock().running = false;
        self.0.changed.notify_all();
    }
}

impl Defrag {
    pub fn agenda(&self) -> MutexGuard<'_, Agenda> {
        self.agenda.lock()
    }

    /// A block has fallen below the line.
    pub fn offer(&self, number: u64) {
        self.agenda.lock().offered.insert(number);
        self.changed.notify_all();
    }

    /// There may be more to do, or more urgently: room is short, or was.
    pub fn wake(&self) {
        if !self.woken.swap(true, Relaxed) {
            self.agenda.lock().woken = true;
            self.changed.notify_all();
        }
    }

    /// Ends it: waits for the round under way, and no other begins.
    pub fn stop(&self) {
        let mut agenda = self.agenda.lock();
        agenda.stopped = true;
        self.changed.notify_all();
        while agenda.running {
            self.changed.wait(&mut agenda);
        }
    }

    /// Begins a round, unless it has been stopped.
    pub fn begin(&self) -> Option<Running<'_>> {
        let mut agenda = self.agenda.lock();
        if agenda.stopped {
            return None;
        }
        agenda.running = true;
        Some(Running(self))
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
    pub fn rest(&self, pause: Duration) {
        let until = Instant::now() + pause;
        let mut agenda = self.agenda.lock();
        while !agenda.stopped && !agenda.woken && !self.changed.wait_until(&mut agenda, until).timed_out() {}
    }

    /// Whether a round may still make room, now that so many bytes have died.
    pub fn hopeful(&self, died_bytes: u64) -> bool {
        self.attached.load(Relaxed) && self.stuck_at.load(Relaxed) != died_bytes + 1
    }

    /// By block: bytes of tombstones that are not counted any more and would be again after a start.
    pub fn needless_bytes(&self) -> HashMap<u64, u32> {
        let bytes = |needless: &HashSet<Location>| needless.iter().map(|location| Place::unpack(*location).length).sum();
        self.agenda.lock().needless.iter().map(|(number, needless)| (*number, bytes(needless))).collect()
    }

    /// Blocks waiting to be rewritten.
    pub fn queued(&self) -> u64 {
        self.agenda.lock().offered.len() as u64
    }
}
