//! Ending a run before its time, and knowing when its workers have left.

use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread::Thread;
use std::time::Instant;

/// Ends a run before its time: prompt, from any thread.
#[derive(Default)]
pub struct Stop {
    asked: AtomicBool,
    crew: Mutex<Crew>,
    changed: Condvar,
}

#[derive(Default)]
struct Crew {
    working: usize,
    threads: Vec<Thread>,
}

impl Stop {
    pub fn ask(&self) {
        self.asked.store(true, Ordering::Release);
        let crew = self.crew.lock();
        crew.threads.iter().for_each(Thread::unpark);
        self.changed.notify_all();
    }

    pub fn asked(&self) -> bool {
        self.asked.load(Ordering::Acquire)
    }

    /// No worker of an earlier part of the run is woken any more.
    pub(crate) fn begin(&self) {
        self.crew.lock().threads.clear();
    }

    /// A worker is to come.
    pub(crate) fn joins(&self) {
        self.crew.lock().working += 1;
    }

    /// `ask` wakes this thread.
    pub(crate) fn wakes(&self, thread: Thread) {
        self.crew.lock().threads.push(thread);
    }

    /// How many threads `ask` wakes.
    #[cfg(test)]
    pub(crate) fn woken(&self) -> usize {
        self.crew.lock().threads.len()
    }

    /// A worker is gone.
    pub(crate) fn left(&self) {
        self.crew.lock().working -= 1;
        self.changed.notify_all();
    }

    /// Waits until every worker has left, or until `until`; whether they have.
    pub(crate) fn all_left(&self, until: Instant) -> bool {
        let mut crew = self.crew.lock();
        while crew.working > 0 {
            if self.changed.wait_until(&mut crew, until).timed_out() {
                return crew.working == 0;
            }
        }
        true
    }
}
