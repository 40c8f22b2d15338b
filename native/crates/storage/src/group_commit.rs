//! Group commit: many threads wait for stable storage, and one of them flushes for all. What is appended meanwhile goes with
//! the next flush.

use parking_lot::{Condvar, MutexGuard};
use tessera_base::clock::unix_millis;
use tessera_base::latency::split::{self, Part};
use tessera_base::{Error, Result};

/// A flush that failed.
#[derive(Clone, Debug)]
pub struct FlushFailure {
    /// Unix milliseconds.
    pub at_ms: u64,
    pub error: Error,
}

/// What flushes have come to: part of the state that they flush, behind its lock.
#[derive(Debug, Default)]
pub struct Flushes {
    under_way: bool,
    /// Why the newest one failed.
    failure: Option<Error>,
    failed: u64,
    last_failure: Option<FlushFailure>,
}

impl Flushes {
    /// Whether a thread flushes now. One does at a time; the others wait for it.
    pub fn under_way(&self) -> bool {
        self.under_way
    }

    pub fn begin(&mut self) {
        self.under_way = true;
    }

    /// The flush is over; `succeeded` or `fail` say how it ended.
    pub fn end(&mut self) {
        self.under_way = false;
    }

    pub fn succeeded(&mut self) {
        self.failure = None;
    }

    pub fn fail(&mut self, error: Error) {
        self.failed += 1;
        self.last_failure = Some(FlushFailure { at_ms: unix_millis(), error: error.clone() });
        self.failure = Some(error);
    }

    /// Why the newest flush failed; none once one has succeeded.
    pub fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    /// # Errors
    /// Why the newest flush failed.
    pub fn check(&self) -> Result<()> {
        self.failure.clone().map_or(Ok(()), Err)
    }

    /// How many have failed so far.
    pub fn failed(&self) -> u64 {
        self.failed
    }

    /// The newest that failed, though one may have succeeded since.
    pub fn last_failure(&self) -> Option<&FlushFailure> {
        self.last_failure.as_ref()
    }
}

/// A state that is flushed.
pub trait Flushed {
    fn flushes(&self) -> &Flushes;
}

/// Waits until `is_stable`: flushes, or waits on `ended` for the thread that does. `flush` gives the lock up meanwhile, and
/// notifies `ended`.
///
/// # Errors
/// Those of `is_stable` and `flush`; why the flush that was waited for failed.
pub fn wait_until_stable<S: Flushed>(
    state: &mut MutexGuard<'_, S>,
    ended: &Condvar,
    mut is_stable: impl FnMut(&mut S) -> Result<bool>,
    mut flush: impl FnMut(&mut MutexGuard<'_, S>) -> Result<()>,
) -> Result<()> {
    while !is_stable(state)? {
        if !state.flushes().under_way() {
            flush(state)?;
            continue;
        }
        let failed = state.flushes().failed();
        {
            let _wait = split::wait(Part::Device);
            ended.wait(state);
        }
        if state.flushes().failed() != failed {
            state.flushes().check()?;
        }
    }
    Ok(())
}
