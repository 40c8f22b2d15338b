//! All records by ranges of tokens, page by page. How a page is asked for is in `records::asking`.

use crate::errors::Failure;
use crate::link::Page;
use crate::records::{Asking, Records, meta_of};
use scylla::response::PagingState;
use scylla::routing::partitioner::{Murmur3Partitioner, Partitioner};
use std::ops::ControlFlow;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::store::remote::{Part, RemotePages, RemoteRecord};
use tessera_record::Digest;
use uuid::Uuid;

/// Ranges that the tokens are divided into: so many that 128 workers share the work to the end.
pub(crate) const RANGES: usize = 512;

pub(crate) struct Pages<'a> {
    records: &'a Records,
    asking: &'a Asking,
    bodies: bool,
    /// Tokens above the first, up to the second. No key has the lowest one.
    tokens: (i64, i64),
    /// The first record that is wanted, until it or one behind it has come: others may have its token.
    from: Option<Digest>,
    /// Where the next page begins; `None` behind the last.
    next: Option<PagingState>,
}

pub(crate) type Columns<'a> = (&'a [u8], Option<&'a str>, Option<&'a [u8]>, Option<i32>, Option<i64>, Option<i64>, Option<Uuid>);

impl<'a> Pages<'a> {
    pub(crate) fn of(records: &'a Records, part: Part, bodies: bool) -> Self {
        let (tokens, from) = match part {
            Part::All => ((i64::MIN, i64::MAX), None),
            Part::Range { at, of } => (tokens_of(at, of), None),
            Part::From(digest) => ((token_of(&digest).saturating_sub(1), i64::MAX), Some(digest)),
        };
        Self { records, asking: records.asking(bodies), bodies, tokens, from, next: Some(PagingState::start()) }
    }

    /// As `Remote::walk`.
    pub(crate) fn to_meet_writes(records: &'a Records, range: usize, bodies: bool) -> Self {
        let asking = records.asking_for_all(bodies);
        Self { asking, ..Self::of(records, Part::Range { at: range, of: RANGES }, bodies) }
    }

    /// Whether a record comes before the first that is wanted.
    fn is_before(&mut self, digest: &Digest) -> bool {
        let before = self.from.is_some_and(|from| *digest < from && token_of(digest) == token_of(&from));
        self.from = self.from.filter(|_| before);
        before
    }
}

impl RemotePages for Pages<'_> {
    fn next(&mut self, most: usize, each: &mut dyn FnMut(&RemoteRecord<'_>) -> Result<ControlFlow<()>>) -> Result<bool> {
        let Some(state) = self.next.take() else { return Ok(false) };
        let records = self.records;
        let (page, next) = page(records, self.asking, most, self.tokens, state)?;
        for row in page.rows::<Columns<'_>>().map_err(|error| Failure::internal(&error))? {
            let (digest, set, body, generation, updated_at, expires_at, id) = row.map_err(|error| Failure::internal(&error))?;
            // Without a body it is what a delete has left; without an id no version.
            let (Some(body), Some(_)) = (body, id) else { continue };
            let (set, meta) = (set.unwrap_or_default(), meta_of(generation, updated_at, expires_at));
            if meta.as_ref().is_ok_and(|meta| records.hides(set, meta)) {
                continue;
            }
            let (digest, body) = (digest_of(digest)?, if self.bodies { body } else { &[] });
            if self.is_before(&digest) {
                continue;
            }
            if each(&RemoteRecord { digest, set, meta, body })?.is_break() {
                return Ok(false);
            }
        }
        self.next = next;
        Ok(self.next.is_some())
    }
}

/// A page of at most `most` rows between two tokens, and where the next one begins; `None` behind the last.
///
/// # Errors
/// `cluster_unavailable`.
pub(crate) fn page(records: &Records, asking: &Asking, most: usize, tokens: (i64, i64), from: PagingState) -> Result<Page> {
    let (cluster, statement) = (records.cluster(), asking.statement(most));
    let (page, next) = cluster.wait(cluster.link().page(&statement, tokens, from))?;
    asking.learn(page.rows_num(), page.rows_bytes_size());
    Ok((page, next))
}

pub(crate) fn token_of(digest: &Digest) -> i64 {
    Murmur3Partitioner.hash_one(&digest.0).value()
}

/// Tokens above the first, up to the second: of so many equal parts, side by side.
pub(crate) fn tokens_of(at: usize, of: usize) -> (i64, i64) {
    let edge = |at: usize| i64::try_from(i128::from(i64::MIN) + (at as i128 * (1 << 64)) / of as i128).unwrap_or(i64::MAX);
    (edge(at), edge(at + 1))
}

pub(crate) fn digest_of(bytes: &[u8]) -> Result<Digest> {
    let digest = bytes.try_into().map(Digest);
    digest.map_err(|_| {
        Error::said(ErrorCode::RecordDamaged, sentence!("a row of the cluster has a digest of {bytes} bytes", bytes = bytes.len()))
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ranges_have_each_token_once() {
        for of in [1, 3, RANGES] {
            let all: Vec<(i64, i64)> = (0..of).map(|at| tokens_of(at, of)).collect();
            assert_eq!((all[0].0, all[of - 1].1), (i64::MIN, i64::MAX));
            assert!(all.windows(2).all(|pair| pair[0].1 == pair[1].0) && all.iter().all(|(after, to)| after < to));
        }
    }
}
