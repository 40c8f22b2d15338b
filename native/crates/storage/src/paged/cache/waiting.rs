//! Waiting for a frame where all are in use or changed.

use super::Cache;
use std::time::{Duration, Instant};
use tessera_base::latency::split::{self, Part};
use tessera_base::{Error, ErrorCode, Result, sentence};

/// How long a free frame is waited for.
const PATIENCE: Duration = Duration::from_secs(10);
/// Longest sleep in between.
const PAUSE: Duration = Duration::from_millis(1);

/// What kept a page from being written to make room, and the changed pages that were passed over since.
#[derive(Default)]
pub struct Failure {
    pub error: Option<Error>,
    pub passed: usize,
}

impl Cache {
    /// Waits until pages were written, or for a moment, as frames that are let go say nothing.
    ///
    /// # Errors
    /// `device_overload` once that took too long since `begun`.
    pub(super) fn wait(&self, begun: Instant) -> Result<()> {
        if begun.elapsed() > PATIENCE {
            return Err(Error::said(ErrorCode::DeviceOverload, sentence!("every page of the cache is in use")));
        }
        let _wait = split::wait(Part::Queue);
        self.cleaned.wait_for(&mut self.failure.lock(), PAUSE);
        Ok(())
    }
}
