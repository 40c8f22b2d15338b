//! Walks over all records, by ranges of tokens.

mod cursor;

pub use cursor::Cursor;

use crate::errors::Failure;
use crate::records::{Records, meta_of};
use crate::session::Kind;
use cursor::{Progress, Span};
use parking_lot::Mutex;
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::prepared::PreparedStatement;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::thread;
use tessera_base::{Error, ErrorCode, Result, limits};
use tessera_record::{Digest, Meta};

/// Rows of a page at most, and those of a first one.
const PAGE_ROWS: usize = 5000;
const FIRST_ROWS: usize = 250;
/// A page is to have about so many bytes: each worker holds one.
const PAGE_BYTES: usize = 4 * 1024 * 1024;

#[derive(Clone, Debug)]
pub struct WalkSpec {
    /// Workers, 1 to 128. Each takes one range of tokens after the other.
    pub threads: u32,
    /// Where an earlier walk was stopped.
    pub from: Cursor,
}

impl Default for WalkSpec {
    fn default() -> Self {
        Self { threads: 4, from: Cursor::default() }
    }
}

/// A record that a walk meets.
#[derive(Clone, Copy, Debug)]
pub struct Row<'a> {
    pub digest: Digest,
    pub set: &'a str,
    pub meta: Meta,
    pub body: &'a [u8],
}

type Columns<'a> = (i64, &'a [u8], Option<&'a str>, Option<&'a [u8]>, Option<i32>, Option<i64>, Option<i64>);

impl Records {
    /// Calls `visit` for each record, from `threads` threads, until one call breaks. A record that is there throughout is met
    /// exactly once. Answers where to go on; an empty cursor if all records were met.
    ///
    /// # Errors
    /// `threads_invalid`, `cluster_unavailable`, `record_damaged`. What was met before the error is met again by a new walk.
    pub fn walk(&self, spec: &WalkSpec, visit: impl Fn(Row<'_>) -> ControlFlow<()> + Sync) -> Result<Cursor> {
        limits::check_threads(spec.threads)?;
        self.read_truncations()?;
        let text = format!(
            "SELECT token(digest), digest, set_name, body, generation, updated_at, expires_at FROM {}.records \
             WHERE token(digest) > ? AND token(digest) <= ?",
            self.keyspace
        );
        let statement = self.cluster().prepare(Kind::Read, &text)?;
        let walk = Walk { records: self, statement, progress: Mutex::new(Progress::new(&spec.from)), stop: AtomicBool::new(false) };
        let results: Vec<Result<()>> = thread::scope(|scope| {
            let workers: Vec<_> = (0..spec.threads).map(|_| scope.spawn(|| walk.work(&visit))).collect();
            let panicked = |_| Err(Error::new(ErrorCode::Internal, "a worker of a walk panicked"));
            workers.into_iter().map(|worker| worker.join().unwrap_or_else(panicked)).collect()
        });
        results.into_iter().collect::<Result<Vec<()>>>()?;
        Ok(walk.progress.into_inner().rest())
    }

    /// How many records there are, each counted at some moment of the walk.
    ///
    /// # Errors
    /// As `walk`.
    pub fn count(&self, threads: u32) -> Result<u64> {
        let count = AtomicU64::new(0);
        self.walk(&WalkSpec { threads, ..WalkSpec::default() }, |_| {
            count.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        })?;
        Ok(count.into_inner())
    }
}

struct Walk<'a> {
    records: &'a Records,
    statement: PreparedStatement,
    progress: Mutex<Progress>,
    stop: AtomicBool,
}

impl Walk<'_> {
    fn work(&self, visit: &(impl Fn(Row<'_>) -> ControlFlow<()> + Sync)) -> Result<()> {
        while !self.stop.load(Ordering::Relaxed) {
            let taken = self.progress.lock().take();
            let Some(span) = taken else { break };
            let left = self.span(span, visit).inspect_err(|_| self.stop.store(true, Ordering::Relaxed))?;
            self.progress.lock().done(span, left);
        }
        Ok(())
    }

    /// Meets the records of a range; what is left of it if the walk is stopped.
    fn span(&self, span: Span, visit: &(impl Fn(Row<'_>) -> ControlFlow<()> + Sync)) -> Result<Option<Span>> {
        let mut statement = self.statement.clone();
        let mut rows = FIRST_ROWS;
        let mut state = PagingState::start();
        loop {
            statement.set_page_size(i32::try_from(rows).unwrap_or(i32::MAX));
            let cluster = self.records.cluster();
            let (page, next) = cluster.wait(async {
                let _permit = cluster.permit().await?;
                Ok::<_, Failure>(cluster.session().execute_single_page(&statement, (span.after, span.to), state).await?)
            })?;
            let page = page.into_rows_result().map_err(|error| Failure::internal(&error))?;
            for row in page.rows::<Columns<'_>>().map_err(|error| Failure::internal(&error))? {
                let (token, digest, set, body, generation, updated_at, expires_at) = row.map_err(|error| Failure::internal(&error))?;
                // Without a body it is what a delete has left.
                if let Some(body) = body {
                    let meta = meta_of(generation, updated_at, expires_at)?;
                    let (digest, set) = (digest_of(digest)?, set.unwrap_or_default());
                    if !self.records.hides(set, &meta) && visit(Row { digest, set, meta, body }).is_break() {
                        self.stop.store(true, Ordering::Relaxed);
                    }
                }
                if self.stop.load(Ordering::Relaxed) {
                    return Ok(Some(Span { after: token, ..span }));
                }
            }
            match next {
                PagingStateResponse::NoMorePages => return Ok(None),
                PagingStateResponse::HasMorePages { state: next } => state = next,
            }
            rows = next_rows(rows, page.rows_num(), page.rows_bytes_size());
        }
    }
}

/// Rows of the next page, from those that the last one was to have, had, and from its bytes.
fn next_rows(rows: usize, had: usize, bytes: usize) -> usize {
    let fit = (PAGE_BYTES * had.max(1)) / bytes.max(1);
    fit.clamp(1, PAGE_ROWS).min(rows * 4)
}

fn digest_of(bytes: &[u8]) -> Result<Digest> {
    let digest = bytes.try_into().map(Digest);
    digest.map_err(|_| Error::new(ErrorCode::RecordDamaged, format!("a row of the cluster has a digest of {} bytes", bytes.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_grow_to_their_most_rows_and_keep_to_their_bytes() {
        assert_eq!(next_rows(250, 250, 25_000), 1000);
        assert_eq!(next_rows(5000, 5000, 500_000), PAGE_ROWS);
        // 1 MiB each.
        assert_eq!(next_rows(250, 250, 250 << 20), 4);
        assert_eq!(next_rows(4, 1, 64 << 20), 1);
        assert_eq!(next_rows(1, 0, 0), 4);
    }
}
