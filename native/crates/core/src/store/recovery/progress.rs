//! How far a recovery is, and the way to call it off.

use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result, sentence};

/// Bytes of the device read so far. Shared between the thread that recovers and those that watch.
#[derive(Debug, Default)]
pub struct Progress {
    done: AtomicU64,
    total: AtomicU64,
    cancelled: AtomicBool,
    /// The device has been read, and the indexes are being merged.
    indexing: AtomicBool,
    /// Until when disks that another process has are waited for.
    disks_until: Option<Instant>,
    /// Whether an operator has accepted the loss that the files show.
    accepts_loss: bool,
}

impl Progress {
    /// `total`: bytes to read, as far as is known. Disks that another process has are waited for until `disks_until`.
    pub(crate) fn new(total: u64, disks_until: Instant) -> Self {
        Self { total: AtomicU64::new(total), disks_until: Some(disks_until), ..Self::default() }
    }

    /// This opening goes on with what is left where the files show a loss.
    #[must_use]
    pub(crate) fn accepting_loss(self) -> Self {
        Self { accepts_loss: true, ..self }
    }

    pub(crate) fn accepts_loss(&self) -> bool {
        self.accepts_loss
    }

    /// Bytes done, and bytes of all.
    pub fn bytes(&self) -> (u64, u64) {
        let total = self.total.load(Relaxed);
        (self.done.load(Relaxed).min(total), total)
    }

    /// Whether the device has been read, and document and range indexes are being merged.
    pub fn indexing(&self) -> bool {
        self.indexing.load(Relaxed)
    }

    pub(in crate::store) fn begin_indexing(&self) {
        self.indexing.store(true, Relaxed);
    }

    /// The recovery ends at its next step, with `closed`.
    pub(crate) fn cancel(&self) {
        self.cancelled.store(true, Relaxed);
    }

    /// Whether a disk that another process has may be waited for.
    pub(crate) fn may_wait(&self) -> bool {
        !self.cancelled.load(Relaxed) && self.disks_until.is_some_and(|until| Instant::now() < until)
    }

    /// # Errors
    /// `closed` after `cancel`.
    pub(crate) fn check(&self) -> Result<()> {
        if self.cancelled.load(Relaxed) { Err(Error::said(ErrorCode::Closed, sentence!("the recovery was stopped"))) } else { Ok(()) }
    }

    /// # Errors
    /// `closed` after `cancel`.
    pub(in crate::store) fn set(&self, done: u64, total: u64) -> Result<()> {
        if self.total.swap(total, Relaxed) != total {
            // Another reading begins: that of a snapshot has been given up.
            self.done.store(0, Relaxed);
        }
        // Threads report in no order.
        self.done.fetch_max(done, Relaxed);
        self.check()
    }
}
