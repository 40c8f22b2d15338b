//! A job as those who asked for it see it: they change it, end it, and wait for its end.

use super::info::JobInfo;
use super::{ABORT, CLOSING, Control, Job, Listener, PAUSE, Waiter, fire};
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result, limits, sentence};

/// What a caller may change while the job runs. Absent fields stay.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct JobPatch {
    /// 1 to 128.
    pub threads: Option<u32>,
    /// 0 takes the limit away.
    pub records_per_second: Option<u32>,
    pub paused: Option<bool>,
}

impl Job {
    /// Asks the workers to stop, at once: sleeping ones wake. The job is aborted when they have.
    ///
    /// # Errors
    /// `job_finished`.
    pub fn abort(&self) -> Result<()> {
        self.change(|job, control| {
            job.signals.fetch_or(ABORT, Ordering::AcqRel);
            job.settle_pause(control);
        })
    }

    /// As `abort`, but the job fails with `cause`: the first one that it is given.
    ///
    /// # Errors
    /// `job_finished`.
    pub fn abort_because(&self, cause: Error) -> Result<()> {
        self.change(|job, control| {
            control.cause.get_or_insert(cause);
            job.signals.fetch_or(ABORT, Ordering::AcqRel);
            job.settle_pause(control);
        })
    }

    /// As `abort`, because the store closes: what the job was to make is still wanted, unless someone had aborted it before.
    pub(crate) fn call_off(&self) {
        // One that has ended meanwhile needs nothing.
        let _ = self.change(|job, control| {
            if !job.should_stop() {
                job.signals.fetch_or(ABORT | CLOSING, Ordering::AcqRel);
            }
            job.settle_pause(control);
        });
    }

    /// # Errors
    /// `threads_invalid`, `job_finished`; then nothing has changed.
    pub fn patch(&self, patch: JobPatch) -> Result<()> {
        if let Some(threads) = patch.threads {
            limits::check_threads(threads)?;
        }
        self.change(|job, control| {
            if let Some(threads) = patch.threads {
                job.threads.store(threads, Ordering::Relaxed);
            }
            if let Some(rate) = patch.records_per_second {
                job.records_per_second.store(rate, Ordering::Relaxed);
                control.pace.reset(Instant::now());
            }
            match patch.paused {
                Some(true) if control.paused_at.is_none() && !job.should_stop() => {
                    // The rate up to here is what is shown while paused.
                    control.meter.rate(Instant::now(), job.done());
                    control.paused_at = Some(Instant::now());
                    job.signals.fetch_or(PAUSE, Ordering::AcqRel);
                }
                Some(false) => job.settle_pause(control),
                _ => {}
            }
        })
    }

    /// Calls `listener` on the changing thread after every patch and abort, until the job ends: for owners that must
    /// start more workers or wake a blocked one. When the job was aborted before, it is called at once.
    pub fn on_change(&self, listener: impl Fn(&Job) + Send + Sync + 'static) {
        let listener: Listener = Arc::new(listener);
        {
            let mut control = self.control.lock();
            if control.state.ended() {
                return;
            }
            control.listeners.push(Arc::clone(&listener));
        }
        if self.should_stop() {
            listener(self);
        }
    }

    /// Calls `callback` once: when the job has ended, or after `timeout` with the job as it is then.
    pub fn wait_with(self: &Arc<Self>, timeout: Duration, callback: impl FnOnce(JobInfo) + Send + 'static) {
        let waiter: Waiter = Arc::new(Mutex::new(Some(Box::new(callback))));
        let ended = {
            let mut control = self.control.lock();
            let ended = control.state.ended();
            if !ended {
                // Waits that expired leave an empty cell behind; here they go.
                control.waiters.retain(|waiter| waiter.lock().is_some());
                control.waiters.push(Arc::clone(&waiter));
            }
            ended
        };
        match self.list() {
            Some(list) if !ended && !timeout.is_zero() => {
                let job = Arc::clone(self);
                list.timer().at(Instant::now() + timeout, move || fire(&waiter, || job.info()));
            }
            _ => fire(&waiter, || self.info()),
        }
    }

    /// Calls `callback` after `delay`, unless the registry closes before, or the job is in no list. It must be short.
    pub(crate) fn later(&self, delay: Duration, callback: impl FnOnce() + Send + 'static) {
        if let Some(list) = self.list() {
            list.timer().at(Instant::now() + delay, callback);
        }
    }

    /// Sees to it that a crash does not take the job off the list.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`.
    pub(crate) fn keep(&self) -> Result<()> {
        self.list().map_or(Ok(()), |list| list.save())
    }

    /// Blocks until the job has ended or `timeout` is over.
    pub fn wait_blocking(&self, timeout: Duration) -> JobInfo {
        let deadline = Instant::now() + timeout;
        let mut control = self.control.lock();
        while !control.state.ended() {
            if self.changed.wait_until(&mut control, deadline).timed_out() {
                break;
            }
        }
        drop(control);
        self.info()
    }

    fn change(&self, apply: impl FnOnce(&Self, &mut Control)) -> Result<()> {
        let listeners = {
            let mut control = self.control.lock();
            if control.state.ended() {
                return Err(Error::said(ErrorCode::JobFinished, sentence!("the job {id} has already ended", id = &self.id)));
            }
            apply(self, &mut control);
            control.listeners.clone()
        };
        self.changed.notify_all();
        for listener in listeners {
            listener(self);
        }
        Ok(())
    }
}
