//! Whose rows come next, where the workers of a scan write its items in their order.
//!
//! A worker goes ahead until its rows fill a chunk, and then waits until all items before its own are done. So a scan holds no more
//! than one whose rows come in any order. Rows that are few wait for those of the next items.

use crate::stream_summary::ChunkSink;
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeSet;
use std::time::{Duration, Instant};
use tessera_base::{Error, Result};
use tessera_jobs::{Job, LaneState, wait_as};

/// Rows of fewer bytes wait for others, and no longer than this.
const FEW_BYTES: usize = 64 * 1024;
const PATIENCE: Duration = Duration::from_millis(100);
/// How often a worker that waits looks whether its job was aborted.
const LOOK: Duration = Duration::from_millis(20);

#[derive(Default)]
pub(crate) struct Turns {
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Default)]
struct State {
    /// The first item that is not done.
    next: usize,
    /// Items behind it that are.
    done: BTreeSet<usize>,
    /// Why an item will never be done.
    failed: Option<Error>,
    /// Rows of items that are done.
    rows: Vec<u8>,
    since: Option<Instant>,
}

impl Turns {
    /// Whether all items before this one are done.
    pub(in crate::scan) fn has_come(&self, item: usize) -> bool {
        self.state.lock().next == item
    }

    /// Waits until all items before this one are done, and puts what they have left before `rows`.
    ///
    /// # Errors
    /// `aborted`; why another item failed.
    pub(in crate::scan) fn wait(&self, item: usize, job: &Job, rows: &mut Vec<u8>) -> Result<()> {
        let mut state = self.state.lock();
        if state.next != item {
            let _sending = wait_as(LaneState::Sending);
            while state.next != item && state.failed.is_none() && !job.should_stop() {
                self.changed.wait_for(&mut state, LOOK);
            }
        }
        if let Some(error) = &state.failed {
            return Err(error.clone());
        }
        if state.next != item {
            drop(state);
            return job.checkpoint();
        }
        if !state.rows.is_empty() {
            let mut before = std::mem::take(&mut state.rows);
            before.append(rows);
            *rows = before;
        }
        Ok(())
    }

    /// An item is done, whose turn it is, with its last rows.
    ///
    /// # Errors
    /// As `ChunkSink::send`.
    pub(in crate::scan) fn pass(&self, item: usize, mut rows: Vec<u8>, sink: &ChunkSink) -> Result<()> {
        let mut state = self.state.lock();
        if rows.is_empty() {
            state.since = None;
            self.end(state, item);
            return Ok(());
        }
        let since = *state.since.get_or_insert_with(Instant::now);
        if rows.len() >= FEW_BYTES || since.elapsed() >= PATIENCE {
            state.since = None;
            drop(state);
            // The turn is kept meanwhile.
            sink.send(std::mem::take(&mut rows))?;
            state = self.state.lock();
        }
        state.rows = rows;
        self.end(state, item);
        Ok(())
    }

    /// An item without rows is done, whose turn it may not be.
    pub(in crate::scan) fn skip(&self, item: usize) {
        self.end(self.state.lock(), item);
    }

    /// Nobody has to wait any more: an item has failed.
    pub(in crate::scan) fn fail(&self, error: Error) {
        self.state.lock().failed.get_or_insert(error);
        self.changed.notify_all();
    }

    /// What is left when all are done.
    pub(in crate::scan) fn rest(&self) -> Vec<u8> {
        std::mem::take(&mut self.state.lock().rows)
    }

    fn end(&self, mut state: parking_lot::MutexGuard<'_, State>, item: usize) {
        state.done.insert(item);
        while state.done.first() == Some(&state.next) {
            state.done.pop_first();
            state.next += 1;
        }
        drop(state);
        self.changed.notify_all();
    }
}
