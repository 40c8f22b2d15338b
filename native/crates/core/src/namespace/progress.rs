//! How far a recovery is, and the way to call it off.

use crate::error::{Error, ErrorCode, Result};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Bytes of the device read so far. Shared between the thread that recovers and those that watch.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    cancelled: AtomicBool,
}

impl Progress {
    /// `total`: bytes to read, as far as is known.
    pub(crate) fn new(total: u64) -> Self {
        Self { total: AtomicU64::new(total), ..Self::default() }
    }

    /// Bytes done, and bytes of all.
    pub fn bytes(&self) -> (u64, u64) {
        let total = self.total.load(Relaxed);
        (self.done.load(Relaxed).min(total), total)
    }

    /// The recovery ends at its next step, with `closed`.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// # Errors
    /// `closed` after `cancel`.
    pub(super) fn set(&self, done: u64, total: u64) -> Result<()> {
        if self.total.swap(total, Relaxed) != total {
            // Another reading begins: that of a snapshot has been given up.
            self.done.store(0, Relaxed);
        }
        // Threads report in no order.
        self.done.fetch_max(done, Relaxed);
        if self.cancelled.load(Relaxed) { Err(Error::new(ErrorCode::Closed, "the recovery was called off")) } else { Ok(()) }
    }
}
