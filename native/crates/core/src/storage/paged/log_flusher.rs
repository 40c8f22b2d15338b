//! The thread that brings to stable storage what nobody waits for, and notes in the head of the pages how far the log is stable.

use super::bell::Bell;
use super::log::Log;
use super::pages::Pages;
use std::time::{Duration, Instant};

/// Pause before a log that could not be written is tried again.
const RETRY_AFTER: Duration = Duration::from_millis(200);
/// Bytes that wait from which they are written before the interval is over.
const PENDING: u64 = 1024 * 1024;
/// How often the head of the pages is told: with the writing of it a second at most after the last sync.
const NOTE_EVERY: Duration = Duration::from_millis(800);

pub struct LogFlusher {
    bell: Bell,
    interval: Duration,
}

impl LogFlusher {
    pub fn new(interval: Duration) -> Self {
        Self { bell: Bell::default(), interval }
    }

    /// Rings where much waits.
    pub fn look_at(&self, log: &Log) {
        if log.pending_bytes() >= PENDING {
            self.bell.ring();
        }
    }

    pub fn stop(&self) {
        self.bell.stop();
    }

    /// The thread.
    pub fn run(&self, pages: &Pages) {
        let log = pages.log();
        let (mut due, mut noted) = (Instant::now() + self.interval, Instant::now());
        loop {
            let next = due.min(noted + NOTE_EVERY);
            if !self.bell.wait(next.saturating_duration_since(Instant::now())) {
                return;
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
