//! What one worker writes of the records that it meets.

use super::Running;
use crate::scan::output::{Backlog, Outbox, Writer};
use crate::scan::traverse::Backoff;
use crate::scan::walk::{Damaged, End, Found, Visitor, note_damaged};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use tessera_base::{Error, Result};
use tessera_jobs::chunk_stream::CHUNK_BYTES;

#[derive(Default)]
pub(super) struct Written {
    pub(super) writer: Option<Writer>,
    backoff: Option<Backoff>,
    pub(super) out: Outbox,
    pub(super) returned: u64,
    backlog: Backlog,
    /// Why a row could not be written.
    failure: Option<Error>,
}

/// Writes what one worker meets.
pub(super) struct Rows<'a> {
    running: &'a Running,
    writer: &'a mut Writer,
    pub(super) backoff: &'a mut Backoff,
    pub(super) out: &'a mut Outbox,
    /// The item at hand.
    item: usize,
    returned: &'a mut u64,
    backlog: &'a mut Backlog,
    failure: &'a mut Option<Error>,
}

impl Visitor for Rows<'_> {
    fn most(&self) -> usize {
        self.backoff.most(&self.running.job)
    }

    fn gives_way(&self) -> bool {
        self.backoff.gives_way()
    }

    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End> {
        if self.writer.matches(&self.running.store, found) {
            let room = if self.backlog.is_empty() { self.writer.room() } else { 0 };
            let written = self.writer.write(&self.running.store, found, 0, &mut self.out.rows, |out| {
                let more = out.len() < room;
                *self.returned += u64::from(more);
                more
            });
            match written {
                Ok(None) => {}
                Ok(Some(item)) => self.backlog.hold(found, item),
                Err(error) => {
                    *self.failure = Some(error);
                    return ControlFlow::Break(End::Walk);
                }
            }
        }
        if self.writer.done() {
            return ControlFlow::Break(End::Walk);
        }
        // It waits for room when it holds no lock.
        if self.running.share.is_short() { ControlFlow::Break(End::Step) } else { self.out.flow() }
    }

    fn stepped(&mut self, met: u64, damaged: &[Damaged]) -> Result<()> {
        let Running { store, job, sink, scanned, share, .. } = self.running;
        let rest = self.backoff.due(store, job);
        self.failure.take().map_or(Ok(()), Err)?;
        self.writer.relieve()?;
        share.settle(|| job.should_stop())?;
        note_damaged(store, job, damaged);
        self.backlog.write(store, self.writer, self.out, sink, |_| {
            *self.returned += 1;
            true
        })?;
        self.writer.damaged(store, damaged, &mut self.out.rows);
        scanned.fetch_add(met, Ordering::Relaxed);
        job.advance(met);
        if self.has_turn()? {
            self.out.pace(sink, job, met, rest)?;
        } else {
            job.pace(met, |_| Ok(()))?;
        }
        self.backoff.rest(rest, store, job);
        Ok(())
    }
}

impl Rows<'_> {
    /// Whether rows may be handed over now. Whoever has a chunk of them waits for it.
    fn has_turn(&mut self) -> Result<bool> {
        let Some(turns) = self.running.traversal.turns().filter(|_| self.running.traversal.has_rows(self.item)) else { return Ok(true) };
        if self.out.rows.len() < CHUNK_BYTES && !turns.has_come(self.item) {
            return Ok(false);
        }
        turns.wait(self.item, &self.running.job, &mut self.out.rows)?;
        Ok(true)
    }
}

impl Running {
    pub(super) fn rows<'a>(&'a self, written: &'a mut Written, item: usize) -> Rows<'a> {
        let Written { writer, backoff, out, returned, backlog, failure } = written;
        let backoff = backoff.get_or_insert_with(|| self.traversal.backoff(&self.store, &self.share));
        Rows { running: self, writer: writer.get_or_insert_with(|| self.writer()), backoff, out, item, returned, backlog, failure }
    }
}
