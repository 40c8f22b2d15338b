//! A page of records that a cluster has: in the order of tokens, so that the next page can go on with the record this one ended at.

use super::Page;
use crate::scan::output::{Cursor, Outbox, Writer};
use crate::scan::plan::ScanSpec;
use crate::scan::traverse::{Backoff, Turn};
use crate::scan::walk::{Damaged, End, Found, STEP, SetsMet, Visitor, Walk, note_damaged};
use crate::store::RecordStore;
use crate::store::remote::{Part, Remote};
use crate::stream_summary::ChunkSink;
use std::ops::ControlFlow;
use tessera_base::{Error, Result};
use tessera_jobs::Job;
use tessera_record::Digest;

/// Writes the rows of a page.
struct PageRows<'a> {
    store: &'a RecordStore,
    job: &'a Job,
    sink: &'a ChunkSink,
    limit: u64,
    from: Cursor,
    /// The one that the page begins behind.
    after: Option<Digest>,
    writer: Writer,
    out: Outbox,
    backoff: Backoff,
    page: Page,
    failure: Option<Error>,
    /// Whether the page ends with what was met already.
    full: bool,
}

/// As `write_page`.
///
/// # Errors
/// `aborted`, `row_too_long`, `cluster_unavailable`.
pub(super) fn write_page(walk: &Walk<'_>, remote: &dyn Remote, spec: &ScanSpec, page: Page, job: &Job, sink: &ChunkSink) -> Result<Page> {
    let lane = job.enter_lane(1);
    lane.begin(0);
    let from = page.next.unwrap_or_default();
    let mut rows = PageRows {
        store: walk.store,
        job,
        sink,
        limit: spec.limit.unwrap_or(u64::MAX),
        from,
        after: spec.after,
        writer: Writer::new(spec, None),
        out: Outbox::default(),
        backoff: Backoff::new(walk.store, Turn::default()),
        page: Page { next: None, unfinished: false, ..page },
        failure: None,
        full: false,
    };
    remote.begin_walk()?;
    let mut pages =
        remote.pages(from.digest.map_or(Part::All, Part::From), walk.bodies || walk.selection.sizes, walk.selection.asks.clone());
    let _ended = walk.meet_pages(&mut *pages, &mut SetsMet::default(), &mut rows)?;
    sink.send(rows.out.rows)?;
    Ok(rows.page)
}

impl Visitor for PageRows<'_> {
    fn most(&self) -> usize {
        // About as many as the rest of the page takes, going by those so far, and one to know whether there are more.
        let wanted = (self.limit - self.page.returned).saturating_add(1);
        let rest = wanted.saturating_mul(self.page.scanned) / (self.page.returned + 1);
        let most = self.backoff.most(self.job).min(STEP) as u64;
        most.min(wanted.max(rest)) as usize
    }

    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End> {
        let Self { store, limit, from, after, writer, out, page, failure, full, .. } = self;
        if *after == Some(found.digest) {
            return ControlFlow::Continue(());
        }
        if *full {
            return ControlFlow::Break(End::Walk);
        }
        match page.meet(store, writer, out, found, from, *limit) {
            // No lock is held: what there is no room for is written at once.
            Ok(ControlFlow::Continue(())) if !page.backlog.is_empty() => ControlFlow::Break(End::Step),
            Ok(flow) => flow,
            Err(error) => {
                *failure = Some(error);
                ControlFlow::Break(End::Walk)
            }
        }
    }

    fn stepped(&mut self, met: u64, damaged: &[Damaged]) -> Result<()> {
        let Self { store, job, sink, limit, after, writer, out, backoff, page, failure, full, .. } = self;
        let rest = backoff.due(store, job);
        failure.take().map_or(Ok(()), Err)?;
        note_damaged(store, job, damaged);
        if damaged.iter().all(|damaged| Some(damaged.digest) != *after) {
            writer.damaged(store, damaged, &mut out.rows);
        }
        page.scanned += met;
        job.advance(met);
        *full = *full || page.next.is_some() || page.catch_up(store, writer, out, sink, *limit, usize::MAX)?;
        if *full {
            return Ok(());
        }
        out.pace(sink, job, met, rest)?;
        backoff.rest(rest, store, job);
        Ok(())
    }
}
