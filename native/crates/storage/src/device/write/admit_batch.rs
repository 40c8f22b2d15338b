//! Letting batches in which take effect whole or not at all, and keeping blocks for them (`Batches`).

use super::shared::{Shared, State, kept_for_batches};
use super::space::{Purpose, blocks_for};
use super::write_block::{OVERHEAD, PARITY_PART};
use crate::KeptRoom;
use parking_lot::MutexGuard;
use std::sync::Arc;
use std::thread::{self, ThreadId};
use std::time::Instant;
use tessera_base::Result;

impl Shared {
    /// Waits a bounded time until there is room for entries of so many bytes each, one behind the other, and keeps it for this thread until
    /// the answer is dropped.
    ///
    /// # Errors
    /// As `admit`; `device_full` also where nothing was written yet.
    pub fn admit_all(self: &Arc<Self>, entries: &[usize]) -> Result<KeptRoom> {
        let (deadline, thread) = (Instant::now() + self.options.stall_timeout, thread::current().id());
        let bytes = |bytes: &usize| *bytes as u64;
        let needs = (entries.iter().map(bytes).sum(), entries.iter().map(bytes).max().unwrap_or(0));
        let mut state = self.state.lock();
        loop {
            state.check_writable()?;
            if !state.batches.has_one_alone() {
                let more = |state: &State| state.batches.kept_with(needs, self.whole()).saturating_sub(state.queue.space().kept());
                let asked = more(&state);
                self.ask_for_room(&mut state, Purpose::Write, asked)?;
                state.check_writable()?;
                if !state.batches.has_one_alone() && state.queue.space().may_open_all(Purpose::Write, more(&state)) {
                    state.batches.join(thread, needs);
                    break;
                }
            }
            if state.batches.is_empty() {
                let blocks = self.blocks_now(&state, entries);
                let fits = |state: &State, blocks: u64| match blocks {
                    0 => state.queue.space().may_fill(Purpose::Write),
                    _ => state.queue.space().may_open_all(Purpose::Write, blocks),
                };
                if !fits(&state, blocks) && !self.wait_for_blocks(&mut state, Purpose::Write, blocks.max(1))? {
                    return Err(state.queue.full_error());
                }
                // It may have waited, and others may have come.
                self.ask_for_room(&mut state, Purpose::Write, blocks)?;
                if state.batches.is_empty() && fits(&state, self.blocks_now(&state, entries)) {
                    state.batches.begin_alone(thread, entries, self.whole());
                    break;
                }
                if Instant::now() >= deadline {
                    return Err(kept_for_batches());
                }
            } else if self.flushed.wait_until(&mut state, deadline).timed_out() {
                return Err(kept_for_batches());
            }
        }
        self.keep(&mut state);
        drop(state);
        let shared = Arc::clone(self);
        Ok(KeptRoom::new(move || shared.end_batch(thread)))
    }

    /// Bytes of entries that each block surely holds: as if it had the most parity there may be.
    fn whole(&self) -> u64 {
        let block = self.block_bytes();
        (block - OVERHEAD as u64).saturating_sub(2 * (block / PARITY_PART as u64))
    }

    /// Blocks that have to be begun for these entries, the open one being as it is.
    fn blocks_now(&self, state: &State, entries: &[usize]) -> u64 {
        let parity = self.block_bytes() / PARITY_PART as u64;
        blocks_for(entries, self.whole(), state.queue.usable().1.saturating_sub(parity))
    }

    /// Notes what the batches under way still need.
    pub fn keep(&self, state: &mut MutexGuard<'_, State>) {
        let kept = state.batches.kept(self.whole());
        state.queue.space_mut().keep(kept);
        self.publish(state);
    }

    fn end_batch(&self, thread: ThreadId) {
        let mut state = self.state.lock();
        state.batches.end(thread);
        self.keep(&mut state);
        self.flushed.notify_all();
    }

    /// Waits a bounded time until no room is kept; the caller holds no segment's lock, and no room.
    pub fn await_batches(&self) {
        let mut state = self.state.lock();
        let deadline = Instant::now() + self.options.stall_timeout;
        while !state.batches.is_empty() && !self.flushed.wait_until(&mut state, deadline).timed_out() {}
    }
}
