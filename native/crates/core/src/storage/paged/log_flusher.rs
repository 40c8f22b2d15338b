//! The thread that brings to stable storage what nobody waits for.

use super::bell::Bell;
use super::log::Log;
use std::time::Duration;

/// Pause before a log that could not be written is tried again.
const RETRY_AFTER: Duration = Duration::from_millis(200);
/// Bytes that wait from which they are written before the interval is over.
const PENDING: u64 = 1024 * 1024;

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
    pub fn run(&self, log: &Log) {
        let mut pause = self.interval;
        while self.bell.wait(pause) {
            // Why it fails is kept in the log, where writers meet it.
            pause = if log.sync(log.end()).is_ok() { self.interval } else { RETRY_AFTER.min(self.interval) };
        }
    }
}
