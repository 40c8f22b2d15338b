//! How pages of records are asked for: which columns, and how many rows.

use crate::schema::column_of;
use crate::session::{Cluster, Kind};
use crate::tables::Tables;
use parking_lot::Mutex;
use scylla::statement::prepared::PreparedStatement;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};
use tessera_base::Result;

/// Rows of a page at most.
const PAGE_ROWS: usize = 5000;
/// Of the first pages of a walk, as nobody knows how large records are by now.
const FIRST_ROWS: usize = 16;
/// A page is to have about so many bytes: each worker holds one.
const PAGE_BYTES: usize = 1024 * 1024;

/// Which rows are asked for.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(crate) enum Find {
    All,
    /// Those that have a term.
    Terms,
    /// Those with a number in a column.
    Column(u8),
}

/// How pages are asked for.
#[derive(Debug)]
pub(crate) struct Asking {
    statement: PreparedStatement,
    /// Rows of the next page. Digests are hashes, so the records of one range are as large as those of another.
    rows: AtomicUsize,
}

/// How rows that indexes bring are asked for, prepared when they are asked for first: before that, a column may have no index.
#[derive(Debug, Default)]
pub(crate) struct Prepared(Mutex<HashMap<(Find, bool), Arc<Asking>>>);

impl Prepared {
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn get(&self, cluster: &Cluster, tables: &Tables, find: Find, bodies: bool) -> Result<Arc<Asking>> {
        if let Some(known) = self.0.lock().get(&(find, bodies)) {
            return Ok(known.clone());
        }
        let asking = Arc::new(Asking::prepare(cluster, tables, find, bodies)?);
        Ok(self.0.lock().entry((find, bodies)).or_insert(asking).clone())
    }
}

impl Asking {
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn prepare(cluster: &Cluster, tables: &Tables, find: Find, bodies: bool) -> Result<Self> {
        Ok(Self::of(cluster.prepare(Kind::Read, &Self::text(tables, find, bodies))?))
    }

    /// Of all rows, for who has to meet every write that was acknowledged.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(super) fn prepare_to_meet_writes(cluster: &Cluster, tables: &Tables, bodies: bool) -> Result<Self> {
        Ok(Self::of(cluster.prepare_to_meet_writes(&Self::text(tables, Find::All, bodies))?))
    }

    fn text(tables: &Tables, find: Find, bodies: bool) -> String {
        let records = tables.records();
        // Whether there is a body has to be known in any case.
        let body = if bodies { "body" } else { "bigintAsBlob(writetime(body))" };
        let found = match find {
            Find::All => String::new(),
            Find::Terms => "terms CONTAINS ? AND ".to_owned(),
            Find::Column(column) => {
                let column = column_of(column.into());
                format!("{column} >= ? AND {column} <= ? AND ")
            }
        };
        format!(
            "SELECT digest, set_name, {body}, generation, updated_at, expires_at, write_id FROM {records} \
             WHERE {found}token(digest) > ? AND token(digest) <= ?"
        )
    }

    /// By a statement of another form.
    pub(crate) fn of(statement: PreparedStatement) -> Self {
        Self { statement, rows: AtomicUsize::new(FIRST_ROWS) }
    }

    /// For the next page, of `most` rows at most.
    pub(crate) fn statement(&self, most: usize) -> PreparedStatement {
        let rows = self.rows.load(Ordering::Relaxed).min(most).max(1);
        let mut statement = self.statement.clone();
        statement.set_page_size(i32::try_from(rows).unwrap_or(i32::MAX));
        statement
    }

    /// The same, for pages of so many rows whatever they have.
    pub(crate) fn sized(&self, rows: usize) -> Self {
        Self { statement: self.statement.clone(), rows: AtomicUsize::new(rows) }
    }

    /// A walk begins: records may have grown since the last one.
    pub(crate) fn begin(&self) {
        self.rows.store(FIRST_ROWS, Ordering::Relaxed);
    }

    /// From what a page had.
    pub(crate) fn learn(&self, rows: usize, bytes: usize) {
        self.rows.store(next_rows(self.rows.load(Ordering::Relaxed), rows, bytes), Ordering::Relaxed);
    }
}

/// Rows of the next page, from those that one could have and those it had, with their bytes. Few rows say little of others.
fn next_rows(known: usize, had: usize, bytes: usize) -> usize {
    if had == 0 {
        return known;
    }
    let fit = (PAGE_BYTES * had) / bytes.max(1);
    fit.clamp(1, PAGE_ROWS).min(known.max(had * 4))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pages_grow_to_their_most_rows_and_keep_to_their_bytes() {
        assert_eq!(next_rows(FIRST_ROWS, 16, 1600), 64);
        assert_eq!(next_rows(PAGE_ROWS, 5000, 500_000), PAGE_ROWS);
        // 1 MiB each.
        assert_eq!(next_rows(FIRST_ROWS, 16, 16 << 20), 1);
        assert_eq!(next_rows(4, 1, 64 << 20), 1);
        // What a short page or an empty one does not tell.
        assert_eq!((next_rows(2000, 3, 300), next_rows(2000, 0, 0), next_rows(1, 1, 100)), (2000, 2000, 4));
    }
}
