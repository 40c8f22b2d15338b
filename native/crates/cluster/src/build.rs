//! Builds an index: gives the records that are there the entries that they lack of it, range by range.

use crate::errors::Failure;
use crate::pause::{ATTEMPTS, pause_async};
use crate::ranges::{digest_of, tokens_of};
use crate::records::{Lacking, Records, meta_of};
use crate::schema::{column_of, index_column};
use futures_util::stream::{self, StreamExt};
use scylla::response::PagingState;
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::store::remote::{Entries, RemoteIndex, RemoteRecord};
use uuid::Uuid;

/// Rows of a page at most. They are read with their bodies, so of large ones a page has fewer.
const ROWS: usize = 256;
/// Writes of one worker under way.
const AT_ONCE: usize = 32;
/// How long Cassandra may take until it answers by a new index.
const PATIENCE: Duration = Duration::from_secs(60);

/// A row as a build finds it.
type Row<'a> = (&'a [u8], Option<&'a str>, Option<&'a [u8]>, Option<i32>, Option<i64>, Option<i64>, Option<Uuid>, Option<i32>, Option<i64>);

impl Records {
    /// Waits until the writes of all processes keep an index, and sees to it that the cluster can be asked by it.
    ///
    /// # Errors
    /// `cluster_unavailable`; those of `wait`.
    pub(crate) fn await_writers(&self, id: u32, wait: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let column = self.listed(id)?.column;
        let column = column.map_or_else(|| "terms".to_owned(), |column| column_of(column.into()));
        index_column(self.cluster(), &self.tables, &column)?;
        self.filled().rows.begin();
        while !self.indexes().all_write(self.cluster(), id)? {
            wait()?;
        }
        Ok(())
    }

    fn listed(&self, id: u32) -> Result<RemoteIndex> {
        let list = self.indexes().list();
        let found = list.listed().find(|index| index.id == id).cloned();
        found.ok_or_else(|| Error::said(ErrorCode::IndexNotFound, sentence!("the index was dropped")))
    }

    /// As `Remote::build_index`.
    pub(crate) fn build_range(
        &self,
        id: u32,
        at: usize,
        of: usize,
        met: &mut dyn FnMut(&RemoteRecord<'_>, bool) -> Result<()>,
    ) -> Result<()> {
        let (cluster, filled) = (self.cluster(), self.filled());
        let mut next = Some(PagingState::start());
        while let Some(from) = next.take() {
            let statement = filled.rows.statement(ROWS);
            let (page, more) = cluster.wait(cluster.link().page(&statement, tokens_of(at, of), from))?;
            filled.rows.learn(page.rows_num(), page.rows_bytes_size());
            let mut lacking = Vec::new();
            // The whole page goes by one list.
            let list = self.indexes().list();
            for row in page.rows::<Row<'_>>().map_err(|error| Failure::internal(&error))? {
                let (digest, set, body, generation, updated_at, expires_at, write, listed, stamp) =
                    row.map_err(|error| Failure::internal(&error))?;
                let (Some(body), Some(id_of_write), Some(stamp)) = (body, write, stamp) else { continue };
                let (digest, set, meta) = (digest_of(digest)?, set.unwrap_or_default(), meta_of(generation, updated_at, expires_at));
                if meta.as_ref().is_ok_and(|meta| self.hides(set, meta)) {
                    continue;
                }
                let entries = if meta.is_ok() { list.entries_of(id, set, body) } else { Entries::default() };
                let has_entries = !entries.is_empty();
                if let (Ok(meta), true) = (&meta, has_entries && !is_kept(listed, id)) {
                    lacking.push(Lacking { digest, meta: *meta, id: id_of_write, stamp, entries });
                }
                met(&RemoteRecord { digest, set, meta, body: &[] }, has_entries)?;
            }
            cluster.wait(async {
                let mut under_way = stream::iter(lacking).map(|record| self.add_entries(record)).buffer_unordered(AT_ONCE);
                while let Some(outcome) = under_way.next().await {
                    outcome?;
                }
                Ok::<_, Error>(())
            })?;
            next = more;
        }
        Ok(())
    }

    /// Gives a version the entries that it lacks, and tries again while the cluster does not answer.
    async fn add_entries(&self, record: Lacking) -> Result<()> {
        let mut outcome = Ok(());
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                pause_async(attempt).await;
            }
            outcome = self.filled().fill(self.cluster(), &record, self.indexes().fills()).await;
            if !matches!(&outcome, Err(failure) if failure.error.code == ErrorCode::ClusterUnavailable) {
                break;
            }
        }
        Ok(outcome?)
    }

    /// As `Remote::note_built`, once the cluster answers by the index.
    pub(crate) fn note_built(&self, id: u32, records: u64) -> Result<()> {
        let (index, begun) = (self.listed(id)?, Instant::now());
        for tries in 1.. {
            match self.try_index(&index) {
                Ok(()) => break,
                Err(error) if begun.elapsed() > PATIENCE => return Err(error),
                Err(_) => crate::pause::pause(tries),
            }
        }
        self.indexes().note_built(self.cluster(), id, records)
    }
}

/// Whether entries that were made by a list have those of an index.
fn is_kept(listed: Option<i32>, id: u32) -> bool {
    listed.is_some_and(|listed| listed.cast_unsigned() >= id)
}
