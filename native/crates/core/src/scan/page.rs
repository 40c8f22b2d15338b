//! A scan with a limit: in the order of segments and slots, so that the next page can go on where this one ended.

use super::cursor::Cursor;
use super::outbox::Outbox;
use super::plan::Selection;
use super::spec::ScanSpec;
use super::visit::{Scratch, Walk, step_size};
use super::write::Writer;
use crate::chunk_stream::ChunkSink;
use crate::error::Result;
use crate::job::Job;
use crate::namespace::Namespace;
use std::ops::ControlFlow;

/// What a page came to.
#[derive(Default)]
pub(super) struct Page {
    pub(super) returned: u64,
    pub(super) scanned: u64,
    /// Where the next page begins, if there is one.
    pub(super) next: Option<Cursor>,
}

/// Writes at most `limit` records from `from` on.
///
/// # Errors
/// `aborted`, `storage_failed`, `record_damaged`.
pub(super) fn write_page(
    namespace: &Namespace,
    selection: &Selection,
    spec: &ScanSpec,
    from: Cursor,
    limit: u64,
    job: &Job,
    sink: &ChunkSink,
) -> Result<Page> {
    let walk = Walk { namespace, selection, bodies: true, follower: None };
    let (mut writer, mut scratch, mut page) = (Writer::new(spec), Scratch::default(), Page::default());
    let mut out = Outbox::default();
    for segment in usize::from(from.segment)..namespace.cells().len() {
        let mut slot = if segment == usize::from(from.segment) { from.slot } else { 0 };
        loop {
            // No more at a time than may still be wanted, and one to know whether there are more.
            let most = (step_size(job) as u64).min(limit - page.returned + 1) as usize;
            let step = walk.step(segment, slot, most, &mut scratch, &mut |found| {
                if !writer.matches(found) {
                    return ControlFlow::Continue(());
                }
                if page.returned == limit {
                    page.next = Some(Cursor { segment: found.segment, slot: found.slot });
                    return ControlFlow::Break(());
                }
                writer.write(namespace, found, &mut out.rows);
                page.returned += 1;
                ControlFlow::Continue(())
            })?;
            page.scanned += step.met;
            job.advance(step.met);
            if step.broken {
                sink.send(out.rows)?;
                return Ok(page);
            }
            out.pace(sink, job, step.met)?;
            match step.next {
                Some(next) => slot = next,
                None => break,
            }
        }
    }
    sink.send(out.rows)?;
    Ok(page)
}
