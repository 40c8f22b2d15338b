//! A scan with a limit: in the order of segments and slots, or of tokens, so that the next page can go on where this one ended.

mod elsewhere;

use crate::scan::output::{Backlog, Cursor, Outbox, Writer};
use crate::scan::plan::ScanSpec;
use crate::scan::traverse::{Backoff, Turn};
use crate::scan::walk::{ALL_SLOTS, End, Found, Scratch, Walk, note_damaged, step_size};
use crate::store::RecordStore;
use crate::stream_summary::ChunkSink;
use std::ops::ControlFlow;
use tessera_base::Result;
use tessera_jobs::Job;

/// What a page came to.
#[derive(Default)]
pub(in crate::scan) struct Page {
    pub(in crate::scan) returned: u64,
    pub(in crate::scan) scanned: u64,
    /// Where the next page begins, if there is one.
    pub(in crate::scan) next: Option<Cursor>,
    /// Whether the page itself is to go on at `next`.
    pub(in crate::scan) unfinished: bool,
    /// What the page has met and not written; it comes before `next`.
    pub(in crate::scan) backlog: Backlog,
}

/// Writes at most `limit` rows, those of `page` among them, from `page.next` on, or leaves off once the rows come to `room`
/// bytes.
///
/// # Errors
/// `aborted`, `storage_failed`, `row_too_long`.
pub(in crate::scan) fn write_page(
    walk: &Walk<'_>,
    spec: &ScanSpec,
    mut page: Page,
    room: usize,
    job: &Job,
    sink: &ChunkSink,
    scratch: &mut Scratch,
) -> Result<Page> {
    let store = walk.store;
    if let Some(remote) = store.remote() {
        return elsewhere::write_page(walk, remote, spec, page, job, sink);
    }
    let (mut writer, mut out) = (Writer::new(spec, None), Outbox::default());
    let from = page.next.take().unwrap_or_default();
    page.unfinished = false;
    let limit = spec.limit.unwrap_or(u64::MAX);
    let lane = job.enter_lane(store.cells().len());
    // On the thread of a caller nobody rests: what is done there is small.
    let mut backoff = (room == usize::MAX).then(|| Backoff::new(store, Turn::default()));
    if page.catch_up(store, &mut writer, &mut out, sink, limit, room)? {
        page.next = page.next.or(Some(from));
        sink.send(out.rows)?;
        return Ok(page);
    }
    for segment in usize::from(from.segment)..store.cells().len() {
        lane.begin(segment);
        let mut slot = if segment == usize::from(from.segment) { from.slot } else { 0 };
        loop {
            // No more at a time than may still be wanted, and one to know whether there are more.
            let step = backoff.as_ref().map_or_else(|| step_size(job), |backoff| backoff.most(job));
            let most = (step as u64).min((limit - page.returned).saturating_add(1)) as usize;
            let mut failure = None;
            let step = walk.step(segment, slot..ALL_SLOTS.end, most, scratch, &mut |found| {
                page.meet(store, &mut writer, &mut out, found, &from, limit).unwrap_or_else(|error| {
                    failure = Some(error);
                    ControlFlow::Break(End::Walk)
                })
            })?;
            failure.map_or(Ok(()), Err)?;
            let rest = backoff.as_mut().map(|backoff| backoff.due(store, job));
            note_damaged(store, job, &step.damaged);
            writer.damaged(store, &step.damaged, &mut out.rows);
            page.scanned += step.met;
            job.advance(step.met);
            if step.broken {
                sink.send(out.rows)?;
                return Ok(page);
            }
            if page.catch_up(store, &mut writer, &mut out, sink, limit, room)? {
                let after = step.next.map_or(Cursor::at_slot(segment as u16 + 1, 0), |slot| Cursor::at_slot(segment as u16, slot));
                page.next = page.next.or(Some(after));
                sink.send(out.rows)?;
                return Ok(page);
            }
            out.pace(sink, job, step.met, rest.unwrap_or_default())?;
            if let (Some(backoff), Some(rest)) = (&mut backoff, rest) {
                backoff.rest(rest, store, job);
            }
            let Some(next) = step.next else { break };
            slot = next;
            if out.bytes() >= room {
                page.next = Some(Cursor::at_slot(segment as u16, slot));
                page.unfinished = true;
                sink.send(out.rows)?;
                return Ok(page);
            }
        }
    }
    sink.send(out.rows)?;
    Ok(page)
}

impl Page {
    /// Writes the rows of a record, those from `from` on, or holds what there is no room for. The page ends with it where no more
    /// rows are wanted, and `next` is known then.
    ///
    /// # Errors
    /// `row_too_long`.
    fn meet(
        &mut self,
        store: &RecordStore,
        writer: &mut Writer,
        out: &mut Outbox,
        found: &Found<'_>,
        from: &Cursor,
        limit: u64,
    ) -> Result<ControlFlow<End>> {
        if !writer.matches(store, found) {
            return Ok(ControlFlow::Continue(()));
        }
        let room = if self.backlog.is_empty() { writer.room() } else { 0 };
        let left = writer.write(store, found, from.first_item(found), &mut out.rows, |out| {
            let more = self.returned < limit && out.len() < room;
            self.returned += u64::from(more);
            more
        })?;
        match left {
            Some(item) if self.returned < limit || !self.backlog.is_empty() => self.backlog.hold(found, item),
            Some(item) => {
                self.next = Some(Cursor::at(store, found, item));
                return Ok(ControlFlow::Break(End::Walk));
            }
            None => {}
        }
        Ok(out.flow())
    }

    /// Writes what there was no room for while a segment was locked; whether the page ends with that, or is to go on elsewhere
    /// as its rows come to `room` bytes. `next` is then known where the page ends within the backlog.
    ///
    /// # Errors
    /// `aborted`, `row_too_long`.
    fn catch_up(
        &mut self,
        store: &RecordStore,
        writer: &mut Writer,
        out: &mut Outbox,
        sink: &ChunkSink,
        limit: u64,
        room: usize,
    ) -> Result<bool> {
        let Self { backlog, returned, .. } = self;
        backlog.write(store, writer, out, sink, |bytes| {
            let more = *returned < limit && bytes < room;
            *returned += u64::from(more);
            more
        })?;
        let Some((found, item)) = self.backlog.first() else { return Ok(false) };
        self.unfinished = self.returned < limit;
        self.next = (!self.unfinished).then(|| Cursor::at(store, found, item));
        Ok(true)
    }
}
