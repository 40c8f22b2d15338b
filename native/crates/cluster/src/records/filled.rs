//! What the indexes keep of a record, as it stands in its row.

use super::Asking;
use super::row::ttl_of;
use crate::errors::Failure;
use crate::schema::column_of;
use crate::session::{Cluster, Kind, applied};
use crate::tables::Tables;
use scylla::serialize::value::SerializeValue;
use scylla::statement::prepared::PreparedStatement;
use scylla::value::MaybeUnset;
use tessera_base::Result;
use tessera_core::store::remote::{COLUMNS, Entries};
use tessera_record::{Digest, Meta};
use uuid::Uuid;

/// Statements of builds.
pub(crate) struct Filled {
    /// The rows of a range, with the list that their entries were made by, and the time that their version is stamped with.
    pub(crate) rows: Asking,
    /// Adds terms to a version.
    add_terms: PreparedStatement,
    /// Gives a version its numbers.
    set_columns: PreparedStatement,
    /// The same in a copy that is being filled.
    fill_columns: PreparedStatement,
}

/// A version that lacks entries.
pub(crate) struct Lacking {
    pub(crate) digest: Digest,
    pub(crate) meta: Meta,
    pub(crate) id: Uuid,
    /// By the nodes, microseconds.
    pub(crate) stamp: i64,
    /// Of the index that is built.
    pub(crate) entries: Entries,
}

/// Entries as they are written. Columns that no index has are left as they are.
pub(super) struct Values {
    listed: i32,
    terms: MaybeUnset<Option<Vec<i32>>>,
    columns: [MaybeUnset<Option<i64>>; COLUMNS],
}

/// The part of an UPDATE that has the entries.
pub(super) fn columns() -> String {
    let columns = (0..COLUMNS).map(|column| format!(", {} = ?", column_of(column)));
    format!("listed = ?, terms = ?{}", columns.collect::<String>())
}

impl Filled {
    pub(super) fn prepare(cluster: &Cluster, tables: &Tables) -> Result<Self> {
        let records = tables.records();
        let rows = format!(
            "SELECT digest, set_name, body, generation, updated_at, expires_at, write_id, listed, writetime(write_id) \
             FROM {records} WHERE token(digest) > ? AND token(digest) <= ?"
        );
        let add_terms = format!("UPDATE {records} USING TIMESTAMP ? AND TTL ? SET terms = terms + ? WHERE digest = ?");
        let numbers: Vec<String> = (0..COLUMNS).map(|column| format!("{} = ?", column_of(column))).collect();
        let numbers = numbers.join(", ");
        let set_columns = format!("UPDATE {records} USING TTL ? SET {numbers} WHERE digest = ? IF write_id = ?");
        let fill_columns = format!("UPDATE {records} USING TIMESTAMP ? AND TTL ? SET {numbers} WHERE digest = ?");
        Ok(Self {
            rows: Asking::of(cluster.prepare_to_meet_writes(&rows)?),
            add_terms: cluster.prepare(Kind::Repeatable, &add_terms)?,
            set_columns: cluster.prepare(Kind::Write, &set_columns)?,
            fill_columns: cluster.prepare_to_be_met(&fill_columns)?,
        })
    }

    /// Gives a version entries, unless a write has replaced it: that one kept the index. Done twice it does no harm. `copy`: whether the
    /// records are a copy that is being filled.
    pub(crate) async fn fill(&self, cluster: &Cluster, lacking: &Lacking, copy: bool) -> std::result::Result<(), Failure> {
        let Lacking { digest, meta, id, stamp, entries: Entries { terms, values } } = lacking;
        let (ttl, digest) = (ttl_of(meta, false), digest.0.as_slice());
        if !terms.is_empty() {
            // Stamped as the version is, so that the terms go with it: what replaces it is stamped later (docs/internals/cluster.md).
            cluster.ask(&self.add_terms, (stamp, ttl, terms, digest)).await?;
        }
        if values.iter().any(|value| value.is_some()) {
            let columns = values.map(|value| value.map_or(MaybeUnset::Unset, MaybeUnset::Set));
            let columns = columns.iter().map(|column| column as &dyn SerializeValue);
            // Behind what the version itself has there, and before the next one.
            let behind = stamp + 1;
            let (plain, compared): ([&dyn SerializeValue; 2], [&dyn SerializeValue; 2]) = ([&behind, &ttl], [&digest, id]);
            let (first, last) = if copy { (&plain[..], &compared[..1]) } else { (&plain[1..], &compared[..]) };
            let row: Vec<&dyn SerializeValue> = first.iter().copied().chain(columns).chain(last.iter().copied()).collect();
            match copy {
                true => drop(cluster.ask(&self.fill_columns, &row[..]).await?),
                false => drop(applied(&cluster.ask(&self.set_columns, &row[..]).await?)?),
            }
        }
        Ok(())
    }
}

impl Values {
    /// By the list of a version.
    pub(super) fn of(version: u32, entries: Entries) -> Self {
        let Entries { terms, values } = entries;
        // If there never was an index, there are no terms to take away.
        let terms = if version == 0 { MaybeUnset::Unset } else { MaybeUnset::Set(Some(terms).filter(|terms| !terms.is_empty())) };
        Self { listed: version.cast_signed(), terms, columns: values.map(|value| value.map_or(MaybeUnset::Unset, MaybeUnset::Set)) }
    }

    /// In the order of `columns`.
    pub(super) fn row(&self) -> impl Iterator<Item = &dyn SerializeValue> {
        let first: [&dyn SerializeValue; 2] = [&self.listed, &self.terms];
        first.into_iter().chain(self.columns.iter().map(|column| column as &dyn SerializeValue))
    }
}
