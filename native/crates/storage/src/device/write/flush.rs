//! Bringing the buffers to stable storage: group commit by whoever waits, and a thread for what nobody waits for.

use super::queue::Batch;
use super::shared::{Phase, Shared, State};
use crate::group_commit::wait_until_stable;
use parking_lot::MutexGuard;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering::Relaxed;
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result};

/// Pause before a failed flush is tried again.
const RETRY_AFTER: Duration = Duration::from_millis(200);

impl Shared {
    /// Waits until everything up to sequence number `point` is on stable storage. One of the waiting threads flushes for
    /// all; what is appended meanwhile goes with the next flush.
    ///
    /// # Errors
    /// `device_full`, `storage_failed` when the flush failed.
    pub fn sync(&self, point: u64) -> Result<()> {
        let mut state = self.state.lock();
        let point = point.min(state.queue.last_sequence());
        let is_stable = |state: &mut State| {
            if state.flushes.under_way() {
                state.wanted = state.wanted.max(point);
            }
            Ok(state.queue.durable() >= point)
        };
        wait_until_stable(&mut state, &self.flushed, is_stable, |state| self.flush(state, true))
    }

    /// Waits until every freed block's mark is on stable storage, so that it can be used again.
    ///
    /// # Errors
    /// `device_full`, `storage_failed` when the flush failed.
    pub fn settle_marks(&self) -> Result<()> {
        let mut state = self.state.lock();
        wait_until_stable(&mut state, &self.flushed, |state| Ok(!state.queue.has_marks()), |state| self.flush(state, true))
    }

    /// Writes full blocks, or with `sync` everything there is and syncs. Gives the lock up meanwhile; nobody else may be
    /// flushing.
    pub fn flush(&self, state: &mut MutexGuard<'_, State>, sync: bool) -> Result<()> {
        state.flushes.begin();
        let mut result = self.write_what_waits(state, sync);
        if let Some(error) = result.as_ref().err().filter(|_| sync && state.queue.put_mark_off()).cloned() {
            // It may be the mark alone that cannot be written.
            state.queue.failed();
            result = self.write_what_waits(state, sync);
            if result.is_ok() {
                state.queue.mark_failed(error);
            }
        }
        state.flushes.end();
        let result = match result {
            Ok(batch) if sync => {
                let due = state.queue.mark_due();
                state.queue.synced(batch, &mut |number| {
                    if self.blocks.kept(number).total() < self.defrag_line() {
                        self.defrag.offer(number);
                    }
                });
                state.flushes.succeeded();
                if due.is_none() && state.queue.mark_due().is_some() {
                    self.work.notify_one();
                }
                if self.defrag.forgotten.load(Relaxed) && !state.queue.space().low() {
                    self.defrag.wake();
                }
                Ok(())
            }
            Ok(_) => Ok(()),
            Err(error) => {
                state.queue.failed();
                state.flushes.fail(error.clone());
                self.work.notify_one();
                Err(error)
            }
        };
        self.publish(state);
        self.flushed.notify_all();
        result
    }

    /// Writes the mark of the newest sync, and syncs it.
    ///
    /// # Errors
    /// As `sync`, and where all but the mark could be written.
    pub fn mark(&self, state: &mut MutexGuard<'_, State>, closed: bool) -> Result<()> {
        while state.flushes.under_way() {
            self.flushed.wait(state);
        }
        let before = state.queue.settled_mark();
        state.queue.ask_for_mark(closed);
        self.flush(state, true)?;
        match state.queue.mark_failure() {
            Some(error) if state.queue.settled_mark() == before => Err(error.clone()),
            _ => Ok(()),
        }
    }

    /// Writes a mark to each slot, so that one damaged place leaves one. One is enough.
    ///
    /// # Errors
    /// As `mark`, if neither could be written.
    pub fn mark_both_slots(&self, state: &mut MutexGuard<'_, State>, closed: bool) -> Result<()> {
        let first = self.mark(state, closed);
        self.mark(state, closed).or(first)
    }

    fn write_what_waits(&self, state: &mut MutexGuard<'_, State>, sync: bool) -> Result<Batch> {
        let batch = state.queue.take(sync).map_err(|e| Error::io("getting memory to write from", &e))?;
        MutexGuard::unlocked(state, || self.write(&batch, sync)).map(|()| batch)
    }

    fn write(&self, batch: &Batch, sync: bool) -> Result<()> {
        let mut writer = self.writer.lock();
        writer.write(&self.volume, self.options.backend, &batch.pieces)?;
        // One by one, so that an error names the disk.
        let mut marks = batch.marks.iter().map(std::slice::from_ref);
        marks.try_for_each(|mark| writer.write(&self.volume, self.options.backend, mark))?;
        drop(writer);
        if sync { self.volume.sync() } else { Ok(()) }
    }

    /// The flusher thread. A panic in it counts as a flush that failed, which writers learn of and which is tried again.
    pub fn keep_flushing(&self) {
        while catch_unwind(AssertUnwindSafe(|| self.run_flusher())).is_err() {
            let error = Error::new(ErrorCode::Internal, "the flusher thread failed and was restarted");
            let mut state = self.state.lock();
            state.flushes.fail(error);
            self.publish(&state);
            self.flushed.notify_all();
        }
    }

    /// What the flusher thread does: full blocks at once, the rest when the interval is over, failed flushes again and again.
    pub fn run_flusher(&self) {
        let mut state = self.state.lock();
        while state.phase == Phase::Ready {
            let now = Instant::now();
            let deadline = state.queue.dirty_since().map(|since| since + self.options.flush_interval);
            if state.flushes.under_way() {
                self.flushed.wait(&mut state);
            } else if state.flushes.failure().is_some() {
                let failed = state.flushes.failed();
                let retry_at = now + RETRY_AFTER;
                // Only a new failure or the end of the pause matters here; a notice for new work must not shorten it.
                let stands = |state: &State| {
                    let flushes = &state.flushes;
                    state.phase == Phase::Ready && flushes.failed() == failed && flushes.failure().is_some() && !flushes.under_way()
                };
                while stands(&state) {
                    if self.work.wait_until(&mut state, retry_at).timed_out() {
                        if !state.flushes.under_way() && state.phase == Phase::Ready {
                            // The failure is kept in the state, where writers meet it.
                            let _ = self.flush(&mut state, true);
                        }
                        break;
                    }
                }
            } else if state.queue.durable() < state.wanted
                || state.queue.unsynced() >= self.options.buffer_bytes / 2
                || deadline.is_some_and(|at| at <= now)
                || state.queue.mark_due().is_some_and(|at| at <= now)
            {
                // Also for those who wait: a flusher that goes on writing full blocks never lets them have their turn.
                let _ = self.flush(&mut state, true);
            } else if state.queue.has_full_blocks() {
                let _ = self.flush(&mut state, false);
            } else {
                let marked = state.queue.mark_due();
                state.idle = deadline.is_none();
                match deadline.into_iter().chain(marked).min() {
                    Some(at) => {
                        self.work.wait_until(&mut state, at);
                        state.idle = false;
                    }
                    None => {
                        if !state.queue.has_many_spare() {
                            self.work.wait(&mut state);
                        } else if self.work.wait_for(&mut state, self.options.flush_interval).timed_out() {
                            state.queue.rest();
                        }
                        state.idle = false;
                    }
                }
            }
        }
    }
}
