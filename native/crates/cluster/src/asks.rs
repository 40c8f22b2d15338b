//! Asks the indexes of a cluster: which rows each brings, page by page, merged if there are several, and about how many.

use crate::errors::Failure;
use crate::link::Page;
use crate::ranges::{Columns, digest_of, token_of, tokens_of};
use crate::records::{Asking, Find, Records, meta_of};
use futures_util::future::join_all;
use scylla::response::PagingState;
use scylla::response::query_result::QueryRowsResult;
use std::collections::VecDeque;
use std::ops::ControlFlow;
use std::sync::Arc;
use tessera_base::Result;
use tessera_core::store::remote::{Ask, Asks, Part, RemoteIndex, RemotePages, RemoteRecord};
use tessera_record::{Digest, Meta};

/// Rows that a probe reads: so few are counted, and of more their tokens tell how many there are.
const PROBE: usize = 64;

/// Pages of what several asks bring: by token, each record once.
pub(crate) struct AskedPages<'a> {
    records: &'a Records,
    bodies: bool,
    streams: Vec<Stream>,
    tokens: (i64, i64),
    /// The first record that is wanted, as of `Pages`.
    from: Option<(i64, Digest)>,
    /// The last one that was given.
    last: Option<(i64, Digest)>,
    /// What is asked stays while this is there.
    _asks: Arc<Asks>,
}

struct Stream {
    ask: Ask,
    asking: Arc<Asking>,
    rows: VecDeque<Row>,
    next: Option<PagingState>,
}

struct Row {
    place: (i64, Digest),
    set: Box<str>,
    meta: Result<Meta>,
    body: Box<[u8]>,
}

impl Records {
    fn asked(&self, find: Find, bodies: bool) -> Result<Arc<Asking>> {
        self.prepared().get(self.cluster(), &self.tables, find, bodies)
    }

    /// One page of at most `most` rows that an ask brings between two tokens.
    async fn ask_page(&self, asking: &Asking, ask: Ask, most: usize, (after, to): (i64, i64), from: PagingState) -> Result<Page> {
        let (link, statement) = (self.cluster().link(), asking.statement(most));
        Ok(match ask {
            Ask::Term(term) => link.page(&statement, (term, after, to), from).await,
            Ask::Values { low, high, .. } => link.page(&statement, (low, high, after, to), from).await,
        }?)
    }

    /// As `Remote::probe`.
    pub(crate) fn probe_all(&self, asks: &[Ask]) -> Result<Vec<u64>> {
        let askings: Vec<Arc<Asking>> = asks.iter().map(|ask| self.asked(find_of(*ask), false)).collect::<Result<_>>()?;
        let probes = asks.iter().zip(&askings).map(|(ask, asking)| self.probe(asking, *ask));
        self.cluster().wait(join_all(probes)).into_iter().collect()
    }

    async fn probe(&self, asking: &Asking, ask: Ask) -> Result<u64> {
        let probing = asking.sized(PROBE);
        let (page, next) = self.ask_page(&probing, ask, PROBE, (i64::MIN, i64::MAX), PagingState::start()).await?;
        let rows = page.rows_num() as u64;
        if next.is_none() {
            return Ok(rows);
        }
        let mut last = None;
        for row in page.rows::<Columns<'_>>().map_err(|error| Failure::internal(&error))? {
            last = Some(digest_of(row.map_err(|error| Failure::internal(&error))?.0)?);
        }
        Ok(last.map_or(0, |last| rows_of_all(rows, token_of(&last))))
    }

    /// Whether the cluster answers by an index.
    ///
    /// # Errors
    /// `cluster_unavailable` if it does not yet.
    pub(crate) fn try_index(&self, index: &RemoteIndex) -> Result<()> {
        let ask = index.column.map_or(Ask::Term(0), |column| Ask::Values { column, low: 0, high: 0 });
        self.probe_all(&[ask]).map(drop)
    }
}

/// About how many rows there are if so many have tokens up to this one.
fn rows_of_all(rows: u64, last: i64) -> u64 {
    let share = (i128::from(last) - i128::from(i64::MIN) + 1) as f64 / 2_f64.powi(64);
    (rows as f64 / share).round() as u64
}

const fn find_of(ask: Ask) -> Find {
    match ask {
        Ask::Term(_) => Find::Terms,
        Ask::Values { column, .. } => Find::Column(column),
    }
}

impl<'a> AskedPages<'a> {
    pub(crate) fn of(records: &'a Records, part: Part, bodies: bool, asks: Arc<Asks>) -> Result<Self> {
        let (tokens, from) = match part {
            Part::All => ((i64::MIN, i64::MAX), None),
            Part::Range { at, of } => (tokens_of(at, of), None),
            Part::From(digest) => ((token_of(&digest).saturating_sub(1), i64::MAX), Some((token_of(&digest), digest))),
        };
        let stream = |ask: &Ask| {
            let asking = records.asked(find_of(*ask), bodies)?;
            Ok(Stream { ask: *ask, asking, rows: VecDeque::new(), next: Some(PagingState::start()) })
        };
        let streams = asks.any_of.iter().map(stream).collect::<Result<_>>()?;
        Ok(Self { records, bodies, streams, tokens, from, last: None, _asks: asks })
    }

    /// Reads a page for each stream that has no row left, and may have more.
    fn fill(&mut self, most: usize) -> Result<()> {
        let Self { records, bodies, ref mut streams, tokens, .. } = *self;
        // Together they hold no more than one alone.
        let each = most.div_ceil(streams.len()).max(1);
        while streams.iter().any(|stream| stream.rows.is_empty() && stream.next.is_some()) {
            let pages = streams.iter_mut().filter(|stream| stream.rows.is_empty()).filter_map(|stream| {
                let from = stream.next.take()?;
                Some(async move { (records.ask_page(&stream.asking, stream.ask, each, tokens, from).await, stream) })
            });
            for (page, stream) in records.cluster().wait(join_all(pages)) {
                let (page, next) = page?;
                stream.asking.learn(page.rows_num(), page.rows_bytes_size());
                stream.next = next;
                stream.take(records, &page, bodies)?;
            }
        }
        Ok(())
    }

    /// The next record, once, of whichever streams have it.
    fn pop(&mut self) -> Option<Row> {
        let place = self.streams.iter().filter_map(|stream| stream.rows.front().map(|row| row.place)).min()?;
        let mut found = None;
        for stream in &mut self.streams {
            if stream.rows.front().is_some_and(|row| row.place == place) {
                found = stream.rows.pop_front();
            }
        }
        found
    }
}

impl Stream {
    fn take(&mut self, records: &Records, page: &QueryRowsResult, bodies: bool) -> Result<()> {
        for row in page.rows::<Columns<'_>>().map_err(|error| Failure::internal(&error))? {
            let (digest, set, body, generation, updated_at, expires_at, id) = row.map_err(|error| Failure::internal(&error))?;
            let (Some(body), Some(_)) = (body, id) else { continue };
            let (set, meta, digest) = (set.unwrap_or_default(), meta_of(generation, updated_at, expires_at), digest_of(digest)?);
            if meta.as_ref().is_ok_and(|meta| records.hides(set, meta)) {
                continue;
            }
            let body = if bodies { body.into() } else { Box::default() };
            self.rows.push_back(Row { place: (token_of(&digest), digest), set: set.into(), meta, body });
        }
        Ok(())
    }
}

impl RemotePages for AskedPages<'_> {
    fn next(&mut self, most: usize, each: &mut dyn FnMut(&RemoteRecord<'_>) -> Result<ControlFlow<()>>) -> Result<bool> {
        for _ in 0..most.max(1) {
            self.fill(most)?;
            let Some(row) = self.pop() else { return Ok(false) };
            let place = row.place;
            // One that a stream brings late, as a write has just given it what is asked, was met or passed.
            if self.last.is_some_and(|last| place <= last) || self.from.is_some_and(|from| place < from) {
                continue;
            }
            self.last = Some(place);
            let Row { place: (_, digest), set, meta, body } = row;
            if each(&RemoteRecord { digest, set: &set, meta, body: &body })?.is_break() {
                return Ok(false);
            }
        }
        Ok(true)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_tokens_of_a_few_rows_tell_how_many_there_are() {
        assert_eq!(rows_of_all(64, i64::MAX), 64);
        assert_eq!(rows_of_all(64, -1), 128);
        assert_eq!(rows_of_all(64, i64::MIN + (1 << 54) - 1), 64 << 10);
    }
}
