//! The workers of a scan: what each carries, what it does, and what the last one does when all have left.

use super::Running;
use super::rows::Written;
use crate::scan::output::Writer;
use crate::scan::traverse::{Turns, WorkerScratch};
use crate::scan::walk::{Scratch, note_damaged};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use tessera_base::Result;
use tessera_base::pool::caught;
use tessera_jobs::Work;
use tessera_jobs::chunk_stream::CHUNK_BYTES;

/// What one worker carries from item to item.
#[derive(Default)]
pub(super) struct Worker {
    written: Written,
    scratch: WorkerScratch,
}

impl Running {
    /// Writes the records that moved past the workers, now that they have been everywhere, and what is said at the end.
    fn moved(&self) -> Result<()> {
        let (mut writer, mut out, mut returned, mut outcome) = (self.writer(), Vec::new(), 0, Ok(()));
        let moved = self.walk().moved(&mut Scratch::default(), &mut |found| {
            if writer.matches(&self.store, found) {
                let mut sent = Ok(());
                // No lock is held here.
                let written = writer.write(&self.store, found, 0, &mut out, |out| {
                    if out.len() >= CHUNK_BYTES {
                        sent = self.sink.send(std::mem::take(out));
                    }
                    returned += u64::from(sent.is_ok());
                    sent.is_ok()
                });
                outcome = sent.and(written.map(drop));
            }
            if outcome.is_ok() { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
        })?;
        outcome?;
        note_damaged(&self.store, &self.job, &moved.damaged);
        writer.damaged(&self.store, &moved.damaged, &mut out);
        self.scanned.fetch_add(moved.met, Ordering::Relaxed);
        self.returned.fetch_add(returned, Ordering::Relaxed);
        self.job.advance(moved.met);
        // Of a segment that workers share, records came from all of them, up to the last.
        if self.spec.segment_marks && self.traversal.shares_segments() && !writer.done() {
            self.selection.mark_done(0, self.store.segment_count(), &mut out);
        }
        self.hand_over(&writer, out)
    }
}

impl Running {
    /// Does an item whose rows come behind those of all before it.
    fn in_turn(&self, worker: &mut Worker, item: usize, turns: &Turns) -> Result<()> {
        let Worker { written, scratch } = worker;
        let mut rows = self.rows(written, item);
        rows.backoff.begin();
        let done = self.traversal.item(&self.walk(), item, scratch, &mut rows);
        rows.backoff.end();
        let _ = done?;
        if !self.traversal.has_rows(item) {
            turns.skip(item);
            return Ok(());
        }
        turns.wait(item, &self.job, &mut rows.out.rows)?;
        turns.pass(item, rows.out.take(), &self.sink)
    }
}

impl Work for Running {
    type Worker = Worker;

    fn begins_stage(&self, item: usize) -> bool {
        self.traversal.begins_stage(item)
    }

    fn item(&self, worker: &mut Worker, item: usize) -> Result<()> {
        let _at_work = self.time.at_work();
        if let Some(turns) = self.traversal.turns() {
            return caught(|| self.in_turn(worker, item, turns)).inspect_err(|error| turns.fail(error.clone()));
        }
        let Worker { written, scratch } = worker;
        if written.writer.as_ref().is_some_and(Writer::done) {
            return Ok(());
        }
        let mut rows = self.rows(written, item);
        rows.backoff.begin();
        let done = self.traversal.item(&self.walk(), item, scratch, &mut rows);
        rows.backoff.end();
        if done?.is_continue() && self.spec.segment_marks && !self.traversal.shares_segments() {
            self.selection.mark_done(item, self.store.segment_count(), &mut rows.out.rows);
        }
        Ok(())
    }

    fn leave(&self, mut worker: Worker) -> Result<()> {
        let _at_work = self.time.at_work();
        let Worker { written, scratch } = &mut worker;
        let mut rows = self.rows(written, self.traversal.items(&self.store));
        let drained = self.traversal.drain(&self.walk(), scratch, &mut rows);
        rows.backoff.end();
        *self.reads.lock() += scratch.reads();
        drained.map(drop)?;
        self.returned.fetch_add(written.returned, Ordering::Relaxed);
        match &written.writer {
            Some(writer) => self.hand_over(writer, std::mem::take(&mut written.out.rows)),
            None => Ok(()),
        }
    }

    fn finish(&self, outcome: Result<()>) {
        let in_order = || self.traversal.turns().map_or(Ok(()), |turns| self.sink.send(turns.rest()));
        let outcome = self.time.work(|| outcome.and_then(|()| in_order()).and_then(|()| caught(|| self.moved())));
        self.end(outcome, None);
    }
}
