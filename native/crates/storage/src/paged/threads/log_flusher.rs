//! The thread that brings to stable storage what nobody waits for, and notes how far the log is stable: in the log once nobody has written for a moment, and in
//! the head of the pages.

use crate::paged::log::Log;
use crate::paged::pages::Pages;
use std::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Relaxed, Ordering::Release, Ordering::SeqCst, fence};
use std::time::{Duration, Instant};
use tessera_base::notify::Notify;

/// Pause before a log that could not be written is tried again.
const RETRY_AFTER: Duration = Duration::from_millis(200);
/// Bytes that wait from which they are written before the interval is over.
const PENDING: u64 = 1024 * 1024;
/// How often the head of the pages is told: with the writing of it a second at most after the last sync.
const NOTE_EVERY: Duration = Duration::from_millis(800);

/// How long nobody has written when that is noted in the log.
const QUIET: Duration = Duration::from_millis(5);

pub struct LogFlusher {
    wakeup: Notify,
    interval: Duration,
    /// The thread is to be told that more is stable: it does not look.
    dozes: AtomicBool,
}

impl LogFlusher {
    pub fn new(interval: Duration) -> Self {
        Self { wakeup: Notify::default(), interval, dozes: AtomicBool::new(false) }
    }

    /// Rings where much waits.
    pub fn look_at(&self, log: &Log) {
        if log.pending_bytes() >= PENDING {
            self.wakeup.notify();
        }
    }

    /// More of the log is stable. Costs a fence and a load while the thread looks by itself.
    pub fn synced(&self) {
        // Either this sees that the thread dozes, or the thread sees what is stable.
        fence(SeqCst);
        if self.dozes.load(Relaxed) && self.dozes.swap(false, AcqRel) {
            self.wakeup.notify();
        }
    }

    pub fn stop(&self) {
        self.wakeup.stop();
    }

    /// The thread.
    pub fn run(&self, pages: &Pages) {
        let log = pages.log();
        let (mut due, mut noted) = (Instant::now() + self.interval, Instant::now());
        loop {
            let next = due.min(noted + NOTE_EVERY).saturating_duration_since(Instant::now());
            self.dozes.store(!log.has_news(), Release);
            fence(SeqCst);
            let (stable, news) = (log.stable(), log.has_news());
            if !self.wakeup.wait(if news { next.min(QUIET) } else { next }) {
                return;
            }
            if news && log.stable() == stable {
                log.note_stable();
            }
            if Instant::now() >= due || log.pending_bytes() >= PENDING {
                // Why it fails is kept in the log, where writers meet it.
                due = Instant::now() + if log.sync(log.end()).is_ok() { self.interval } else { RETRY_AFTER.min(self.interval) };
            }
            if noted.elapsed() >= NOTE_EVERY {
                // What fails here is tried again; pages that cannot be synced are a checkpoint's to tell of.
                let _ = pages.note_stable();
                noted = Instant::now();
            }
        }
    }
}
