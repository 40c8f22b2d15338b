//! When checkpoints are made, how fast, and what the last of them came to.
//!
//! One begins when half of the log's ring is needed, or when the last was long ago. Its writing is spread over the time in which the log grows to three
//! quarters of the ring, so that reads do not feel it; from there on it hurries. At seven eighths writers wait for it.

use crate::paged::cache::Cache;
use crate::paged::log::Log;
use crate::paged::pages::Pages;
use crate::paged::report::{CHECKPOINTS_MAX, CheckpointReport};
use parking_lot::Mutex;
use std::collections::VecDeque;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tessera_base::Result;
use tessera_base::clock::unix_millis;
use tessera_base::notify::Notify;

/// How often the log is looked at if nobody notifies.
const LOOK: Duration = Duration::from_secs(1);
const RETRY_AFTER: Duration = Duration::from_millis(500);
/// Longest time over which a checkpoint is spread where the log does not grow.
const SPREAD_MOST: Duration = Duration::from_secs(30);
/// Pause of one that is ahead of its time, and pages between two looks at that.
const PAUSE: Duration = Duration::from_millis(5);
const PAGES_A_LOOK: u64 = 16;

/// Why a checkpoint is made.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Cause {
    Log,
    Time,
    Asked,
    Close,
}

impl Cause {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Log => "log",
            Self::Time => "time",
            Self::Asked => "asked",
            Self::Close => "close",
        }
    }
}

pub struct Checkpointer {
    wakeup: Notify,
    interval: Duration,
    /// Pause before one that failed is tried again.
    retry_after: Duration,
    /// Somebody waits for the checkpoint under way, or for the next.
    hurry: AtomicBool,
    history: Mutex<VecDeque<CheckpointReport>>,
}

impl Checkpointer {
    /// One a checkpoint each `interval`, and more where the log asks for them.
    pub fn new(interval: Duration) -> Self {
        Self { wakeup: Notify::default(), interval, retry_after: RETRY_AFTER, hurry: AtomicBool::new(false), history: Mutex::default() }
    }

    /// Rings where a log has grown so far that a checkpoint is to begin.
    pub fn look_at(&self, log: &Log) {
        if wanted(log) {
            self.wakeup.notify();
        }
    }

    /// Ends `run`, and the checkpoint that it makes.
    pub fn stop(&self) {
        self.wakeup.stop();
    }

    /// The last of them, the newest last.
    pub fn history(&self) -> Vec<CheckpointReport> {
        self.history.lock().iter().copied().collect()
    }

    /// The thread.
    pub fn run(&self, pages: &Pages) {
        let mut last = Instant::now();
        while self.wakeup.wait(LOOK.min(self.interval)) {
            let cause = match pages.log().needed_bytes() {
                0 => continue,
                _ if wanted(pages.log()) => Cause::Log,
                _ if last.elapsed() >= self.interval => Cause::Time,
                _ => continue,
            };
            // The log's and the cache's own failures are kept there, where writers meet them.
            if self.make(pages, cause).is_ok() {
                last = Instant::now();
            } else if !self.wakeup.pause(self.retry_after) {
                return;
            }
        }
    }

    /// Makes a checkpoint; one for somebody who waits, or for the end, is not spread, and makes the one under way hurry.
    ///
    /// # Errors
    /// As `Pages::checkpoint`.
    pub fn make(&self, pages: &Pages, cause: Cause) -> Result<()> {
        let waited_for = matches!(cause, Cause::Asked | Cause::Close);
        if waited_for {
            self.hurry.store(true, Relaxed);
        }
        let begun_at_ms = unix_millis();
        let mut pace = Pace::new(pages, self.interval);
        let mut goes_on = || {
            if !waited_for {
                pace.keep(&self.hurry, &self.wakeup);
            }
            waited_for || !self.wakeup.is_over()
        };
        let outcome = pages.write_checkpoint(&mut goes_on);
        if waited_for {
            self.hurry.store(false, Relaxed);
        }
        let took_ms = pace.begun.elapsed().as_secs_f64() * 1000.0;
        let report = CheckpointReport { begun_at_ms, took_ms, cause: cause.as_str(), ..CheckpointReport::default() };
        let report = match &outcome {
            Ok(made) => CheckpointReport { pages: made.pages, log_bytes: made.log_bytes, whole: made.whole, ..report },
            Err(_) => report,
        };
        let mut history = self.history.lock();
        // One that fails again and again leaves the others in sight.
        if history.back().is_some_and(|last| !last.whole && !report.whole && last.cause == report.cause) {
            history.pop_back();
        } else if history.len() == CHECKPOINTS_MAX {
            history.pop_front();
        }
        history.push_back(report);
        outcome.map(|_| ())
    }
}

/// Whether so much of a log is needed that a checkpoint is to begin.
fn wanted(log: &Log) -> bool {
    log.needed_bytes() >= log.capacity() / 2
}

/// How a checkpoint is spread.
struct Pace<'a> {
    cache: &'a Cache,
    log: &'a Log,
    begun: Instant,
    spread: Duration,
    /// Pages to write, and how many were.
    pages: u64,
    written: u64,
    /// How much of the log was needed in the beginning.
    needed: u64,
}

impl<'a> Pace<'a> {
    fn new(pages: &'a Pages, interval: Duration) -> Self {
        let (cache, log) = (pages.cache(), pages.log());
        let (pages, needed) = (u64::from(cache.dirty()), log.needed_bytes());
        Self { cache, log, begun: Instant::now(), spread: (interval / 2).min(SPREAD_MOST), pages, written: 0, needed }
    }

    /// Before each page: waits where the checkpoint is ahead of its time.
    fn keep(&mut self, hurry: &AtomicBool, wakeup: &Notify) {
        self.written += 1;
        if !self.written.is_multiple_of(PAGES_A_LOOK) {
            return;
        }
        while self.is_ahead() && !hurry.load(Relaxed) && wakeup.pause(PAUSE) {}
    }

    fn is_ahead(&self) -> bool {
        let (needed, most) = (self.log.needed_bytes(), self.log.capacity() / 4 * 3);
        if needed >= most || self.written >= self.pages || self.cache.dirty() == 0 {
            return false;
        }
        let of_log = (needed - self.needed.min(needed)) as f64 / most.saturating_sub(self.needed).max(1) as f64;
        let of_time = self.begun.elapsed().as_secs_f64() / self.spread.as_secs_f64().max(1e-3);
        self.written as f64 / self.pages as f64 > of_log.max(of_time)
    }
}

#[cfg(test)]
mod tests;
