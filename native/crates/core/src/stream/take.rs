//! Elements on their way through the steps of a stream, on one thread.

use super::answer::Writer;
use super::element::pack;
use super::parse::moved;
use super::phase::Stage;
use super::pipeline::{End as Last, Placed};
use super::rows::{Items, map};
use super::running::Running;
use crate::aggregate::Totals;
use crate::output::Top;
use crate::scan::{Backoff, Damaged, End, Found, Met, Outbox, Visitor, note_damaged, step_size, write_damaged_lines};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering::Relaxed;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_jobs::chunk_stream::CHUNK_BYTES;
use tessera_record::BodyRef;

/// Elements that one thread takes between two looks whether the job goes on.
pub(super) const STEP: usize = 1024;

/// What one thread has of its own while elements go through the steps.
#[derive(Default)]
pub(super) struct Own {
    pub(super) backoff: Option<Backoff>,
    pub(super) out: Outbox,
    writer: Writer,
    /// Elements that came to the end.
    pub(super) ended: u64,
    pub(super) totals: Option<Totals>,
    /// What it keeps for the sort at the end of its phase.
    pub(super) top: Top,
    /// Rows that are being made, one for each step that makes some; kept for their memory.
    buffers: Vec<Vec<u8>>,
    /// Why an element could not be taken.
    pub(super) failure: Option<Error>,
}

impl Running {
    /// Takes a record that was met through the first phase.
    pub(super) fn meet(&self, found: &Found<'_>, own: &mut Own) -> ControlFlow<End> {
        let met = Met { store: &self.store, found };
        if self.spec.pipeline.filter.as_ref().is_none_or(|filter| filter.holds(&met) == Some(true)) {
            own.failure = self.take(0, 0, found, own).err();
        }
        if own.failure.is_some() || self.is_sated(0, 0) { ControlFlow::Break(End::Walk) } else { own.out.flow() }
    }

    /// Takes an element through the steps of a phase from `from` on.
    pub(super) fn take(&self, phase: usize, from: usize, found: &Found<'_>, own: &mut Own) -> Result<()> {
        let met = Met { store: &self.store, found };
        for (step, Placed { at, it }) in self.phases[phase].steps.iter().enumerate().skip(from) {
            let goes_on = match it {
                Stage::Filter(filter) => filter.holds(&met) == Some(true),
                Stage::Limit(left) => left.claim(),
                Stage::Distinct(seen) => {
                    let mut scratch = own.buffers.pop().unwrap_or_default();
                    let new = seen.is_new(BodyRef::new(found.body), &mut scratch);
                    own.buffers.push(scratch);
                    new.map_err(|error| error.in_field(format!("steps[{at}].distinct")))?
                }
                Stage::Map(rows) => {
                    let mut row = own.buffers.pop().unwrap_or_default();
                    let made = map(rows, &met, &mut row).map_err(|error| error.in_field(format!("steps[{at}].map")));
                    let taken = made.and_then(|()| self.take(phase, step + 1, &Found { body: &row, ..*found }, own));
                    own.buffers.push(row);
                    return taken;
                }
                Stage::FlatMap(rows) => {
                    let mut row = own.buffers.pop().unwrap_or_default();
                    let taken = Items::begin(rows, BodyRef::new(found.body), &mut row).and_then(|items| match items {
                        Some(items) => self.take_items(phase, step + 1, &items, found, &mut row, own),
                        None => Ok(()),
                    });
                    own.buffers.push(row);
                    return taken.map_err(|error| or_in_field(error, || format!("steps[{at}].flatMap")));
                }
            };
            if !goes_on {
                return Ok(());
            }
        }
        match &self.phases[phase].sort {
            Some(Placed { at, it: contest }) => {
                let offered = contest.offer(&mut own.top, &met, |bytes| {
                    pack(found, bytes);
                    Ok(())
                });
                offered.map_err(|error| of_sort(error, *at))
            }
            None => self.end(found, &met, own),
        }
    }

    /// Takes the rows of one element through what comes after its `flatMap`.
    fn take_items(&self, phase: usize, from: usize, items: &Items<'_>, found: &Found<'_>, row: &mut Vec<u8>, own: &mut Own) -> Result<()> {
        for (at, item) in items.iter().enumerate() {
            if at % STEP == 0 && self.job.should_stop() {
                return Err(Error::said(ErrorCode::Aborted, sentence!("the stream was aborted")));
            }
            if self.is_sated(phase, from) {
                break;
            }
            items.row(item, row)?;
            self.take(phase, from, &Found { body: row, ..*found }, own)?;
        }
        Ok(())
    }

    /// Takes an element that has come through all steps.
    fn end(&self, found: &Found<'_>, met: &Met<'_>, own: &mut Own) -> Result<()> {
        let Placed { at, it } = &self.spec.pipeline.end;
        match (it, &self.totals) {
            (Last::Elements, _) => {
                if self.room.as_ref().is_some_and(|room| !room.claim()) {
                    self.cut.store(true, Relaxed);
                    return Ok(());
                }
                own.writer.write(&self.store, found, self.rows, &mut own.out.rows)?;
                if own.out.rows.len() >= CHUNK_BYTES {
                    self.send(own)?;
                }
            }
            (_, Some(totals)) => {
                let own = own.totals.get_or_insert_with(|| totals.lock().emptied());
                own.add(met, None).map_err(|error| moved(error, "group", &format!("steps[{at}].groupBy")))?;
            }
            (_, None) => {}
        }
        own.ended += 1;
        Ok(())
    }

    /// Hands over what is full. No lock is held where elements are written, and for as long as the reader keeps this waiting the
    /// worker is in nobody's way.
    fn send(&self, own: &mut Own) -> Result<()> {
        own.backoff.iter_mut().for_each(Backoff::end);
        let sent = self.sink.send(std::mem::take(&mut own.out.rows));
        own.backoff.iter_mut().for_each(Backoff::begin);
        sent
    }

    /// Counts records that could not be read, and writes a line for each where elements are the answer.
    pub(super) fn note_damaged(&self, damaged: &[Damaged], lines: &mut Vec<u8>) {
        note_damaged(&self.store, &self.job, damaged);
        if matches!(self.spec.pipeline.end.it, Last::Elements) {
            let told = self.damage_room.as_ref().map_or(damaged.len(), |room| damaged.iter().take_while(|_| room.claim()).count());
            write_damaged_lines(&self.store, &damaged[..told], lines);
        }
    }

    /// Whether nothing that comes to a step of a phase is wanted any more.
    pub(super) fn is_sated(&self, phase: usize, from: usize) -> bool {
        let last = phase + 1 == self.phases.len();
        self.phases[phase].is_sated(from) || last && self.room.is_some() && self.cut.load(Relaxed)
    }
}

/// An error of an element's later steps names their field.
fn or_in_field(error: Error, field: impl FnOnce() -> String) -> Error {
    if error.field.is_some() || error.code == ErrorCode::Aborted { error } else { error.in_field(field()) }
}

pub(super) fn of_sort(error: Error, at: usize) -> Error {
    match error.code {
        ErrorCode::OrderNeedsLimit => {
            let message = sentence!("the first elements are too large to sort; use a smaller limit, or map to fewer columns first");
            Error::said(ErrorCode::OrderNeedsLimit, message).in_field(format!("steps[{at}].sort.limit"))
        }
        _ => error,
    }
}

/// Takes what one worker meets.
pub(super) struct Takes<'a> {
    pub(super) running: &'a Running,
    pub(super) own: &'a mut Own,
}

impl Visitor for Takes<'_> {
    fn most(&self) -> usize {
        let job = &self.running.job;
        self.own.backoff.as_ref().map_or_else(|| step_size(job), |backoff| backoff.most(job))
    }

    fn gives_way(&self) -> bool {
        self.own.backoff.as_ref().is_some_and(Backoff::gives_way)
    }

    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End> {
        let flow = self.running.meet(found, self.own);
        // It waits for room when it holds no lock.
        if flow.is_continue() && self.running.share.is_short() { ControlFlow::Break(End::Step) } else { flow }
    }

    fn stepped(&mut self, met: u64, damaged: &[Damaged]) -> Result<()> {
        let Running { store, job, traversal, sink, scanned, share, .. } = self.running;
        let Own { backoff, out, failure, top, totals, .. } = &mut *self.own;
        let backoff = backoff.get_or_insert_with(|| traversal.backoff(store, share));
        let rest = backoff.due(store, job);
        failure.take().map_or(Ok(()), Err)?;
        if let Some(Placed { at, it: contest }) = &self.running.phases[0].sort {
            contest.relieve(top).map_err(|error| of_sort(error, *at))?;
        }
        let group = || format!("steps[{}].groupBy", self.running.spec.pipeline.end.at);
        totals.iter_mut().try_for_each(Totals::relieve).map_err(|error| moved(error, "group", &group()))?;
        share.settle(|| job.should_stop())?;
        self.running.note_damaged(damaged, &mut out.rows);
        scanned.fetch_add(met, Relaxed);
        job.advance(met);
        out.pace(sink, job, met, rest)?;
        backoff.rest(rest, store, job);
        Ok(())
    }
}
