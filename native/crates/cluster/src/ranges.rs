//! All records by ranges of tokens, page by page.

use crate::errors::Failure;
use crate::records::{Records, meta_of};
use crate::session::{Cluster, Kind};
use scylla::response::{PagingState, PagingStateResponse};
use scylla::statement::prepared::PreparedStatement;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicUsize, Ordering};
use tessera_base::{Error, ErrorCode, Result};
use tessera_core::store::remote::{RemotePages, RemoteRecord};
use tessera_record::Digest;
use uuid::Uuid;

/// Ranges that the tokens are divided into: so many that 128 workers share the work to the end.
pub(crate) const RANGES: usize = 512;

/// Rows of a page at most.
const PAGE_ROWS: usize = 5000;
/// Of the first page, as nobody knows yet how large records are.
const FIRST_ROWS: usize = 4;
/// A page is to have about so many bytes: each worker holds one.
const PAGE_BYTES: usize = 1024 * 1024;

/// How pages are asked for.
#[derive(Debug)]
pub(crate) struct Asking {
    statement: PreparedStatement,
    /// Rows of the next page. Digests are hashes, so the records of one range are as large as those of another.
    rows: AtomicUsize,
}

pub(crate) struct Pages<'a> {
    records: &'a Records,
    asking: &'a Asking,
    bodies: bool,
    /// Tokens above the first, up to the second. No key has the lowest one.
    tokens: (i64, i64),
    /// Where the next page begins; `None` behind the last.
    next: Option<PagingState>,
}

type Columns<'a> = (&'a [u8], Option<&'a str>, Option<&'a [u8]>, Option<i32>, Option<i64>, Option<i64>, Option<Uuid>);

impl Asking {
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn prepare(cluster: &Cluster, keyspace: &str, bodies: bool) -> Result<Self> {
        // Whether there is a body has to be known in any case.
        let body = if bodies { "body" } else { "bigintAsBlob(writetime(body))" };
        let text = format!(
            "SELECT digest, set_name, {body}, generation, updated_at, expires_at, write_id FROM {keyspace}.records \
             WHERE token(digest) > ? AND token(digest) <= ?"
        );
        Ok(Self { statement: cluster.prepare(Kind::Read, &text)?, rows: AtomicUsize::new(FIRST_ROWS) })
    }
}

impl<'a> Pages<'a> {
    /// The pages of a range.
    pub(crate) fn of(records: &'a Records, asking: &'a Asking, range: usize, bodies: bool) -> Self {
        Self { records, asking, bodies, tokens: tokens_of(range), next: Some(PagingState::start()) }
    }
}

impl RemotePages for Pages<'_> {
    fn next(&mut self, most: usize, each: &mut dyn FnMut(&RemoteRecord<'_>) -> Result<ControlFlow<()>>) -> Result<bool> {
        let Some(state) = self.next.take() else { return Ok(false) };
        let (records, cluster) = (self.records, self.records.cluster());
        let known = self.asking.rows.load(Ordering::Relaxed);
        let mut statement = self.asking.statement.clone();
        statement.set_page_size(i32::try_from(known.min(most).max(1)).unwrap_or(i32::MAX));
        let (page, next) = cluster.wait(async {
            let _permit = cluster.permit().await?;
            Ok::<_, Failure>(cluster.session().execute_single_page(&statement, self.tokens, state).await?)
        })?;
        let page = page.into_rows_result().map_err(|error| Failure::internal(&error))?;
        self.asking.rows.store(next_rows(known, page.rows_num(), page.rows_bytes_size()), Ordering::Relaxed);
        for row in page.rows::<Columns<'_>>().map_err(|error| Failure::internal(&error))? {
            let (digest, set, body, generation, updated_at, expires_at, id) = row.map_err(|error| Failure::internal(&error))?;
            // Without a body it is what a delete has left; without an id no version.
            let (Some(body), Some(_)) = (body, id) else { continue };
            let (set, meta) = (set.unwrap_or_default(), meta_of(generation, updated_at, expires_at));
            if meta.as_ref().is_ok_and(|meta| records.hides(set, meta)) {
                continue;
            }
            let body = if self.bodies { body } else { &[] };
            if each(&RemoteRecord { digest: digest_of(digest)?, set, meta, body })?.is_break() {
                return Ok(false);
            }
        }
        if let PagingStateResponse::HasMorePages { state } = next {
            self.next = Some(state);
        }
        Ok(self.next.is_some())
    }
}

/// Tokens above the first, up to the second: the ranges are equal parts, side by side.
fn tokens_of(range: usize) -> (i64, i64) {
    let step = (1_i128 << 64) / RANGES as i128;
    let edge = |range: usize| i64::try_from(i128::from(i64::MIN) + step * range as i128).unwrap_or(i64::MAX);
    (edge(range), edge(range + 1))
}

/// Rows of the next page, from those that one could have and those it had, with their bytes. Few rows say little of others.
fn next_rows(known: usize, had: usize, bytes: usize) -> usize {
    if had == 0 {
        return known;
    }
    let fit = (PAGE_BYTES * had) / bytes.max(1);
    fit.clamp(1, PAGE_ROWS).min(known.max(had * 4))
}

fn digest_of(bytes: &[u8]) -> Result<Digest> {
    let digest = bytes.try_into().map(Digest);
    digest.map_err(|_| Error::new(ErrorCode::RecordDamaged, format!("a row of the cluster has a digest of {} bytes", bytes.len())))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_each_token_once() {
        let all: Vec<(i64, i64)> = (0..RANGES).map(tokens_of).collect();
        assert_eq!((all[0].0, all[RANGES - 1].1), (i64::MIN, i64::MAX));
        assert!(all.windows(2).all(|pair| pair[0].1 == pair[1].0) && all.iter().all(|(after, to)| after < to));
    }

    #[test]
    fn pages_grow_to_their_most_rows_and_keep_to_their_bytes() {
        assert_eq!(next_rows(FIRST_ROWS, 4, 400), 16);
        assert_eq!(next_rows(PAGE_ROWS, 5000, 500_000), PAGE_ROWS);
        // 1 MiB each.
        assert_eq!(next_rows(FIRST_ROWS, 4, 4 << 20), 1);
        assert_eq!(next_rows(4, 1, 64 << 20), 1);
        // What a short page or an empty one does not tell.
        assert_eq!((next_rows(2000, 3, 300), next_rows(2000, 0, 0), next_rows(1, 1, 100)), (2000, 2000, 4));
    }
}
