//! What the indexes keep of a record, as it stands in its row.

use super::row::ttl_of;
use super::{Asking, Records};
use crate::schema::column_of;
use crate::session::{Cluster, Kind};
use scylla::serialize::value::SerializeValue;
use scylla::statement::prepared::PreparedStatement;
use scylla::value::MaybeUnset;
use tessera_base::Result;
use tessera_core::store::remote::{COLUMNS, Entries};
use tessera_record::{Digest, Meta};
use uuid::Uuid;

/// Statements of builds.
pub(crate) struct Filled {
    /// The rows of a range, with the list that their entries were made by.
    pub(crate) rows: Asking,
    /// Gives a version its entries.
    pub(crate) fill: PreparedStatement,
    /// Which version there is, and by which list.
    pub(crate) listed: PreparedStatement,
}

/// Entries as they are written. Columns that no index has are left as they are.
pub(super) struct Values {
    listed: i32,
    terms: MaybeUnset<Option<Vec<i32>>>,
    columns: [MaybeUnset<Option<i64>>; COLUMNS],
}

/// How the entries of a version are written without the version.
pub(crate) struct Fill {
    ttl: i32,
    values: Values,
    digest: Vec<u8>,
    id: Uuid,
    seen: Option<i32>,
}

/// The part of an UPDATE that has the entries.
pub(super) fn columns() -> String {
    let columns = (0..COLUMNS).map(|column| format!(", {} = ?", column_of(column)));
    format!("listed = ?, terms = ?{}", columns.collect::<String>())
}

impl Filled {
    pub(super) fn prepare(cluster: &Cluster, keyspace: &str) -> Result<Self> {
        let rows = format!(
            "SELECT digest, set_name, body, generation, updated_at, expires_at, write_id, listed FROM {keyspace}.records \
             WHERE token(digest) > ? AND token(digest) <= ?"
        );
        let fill = format!("UPDATE {keyspace}.records USING TTL ? SET {} WHERE digest = ? IF write_id = ? AND listed = ?", columns());
        let listed = format!("SELECT write_id, listed FROM {keyspace}.records WHERE digest = ?");
        Ok(Self {
            rows: Asking::of(cluster.prepare(Kind::Read, &rows)?),
            fill: cluster.prepare(Kind::Write, &fill)?,
            listed: cluster.prepare(Kind::SerialRead, &listed)?,
        })
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

impl Fill {
    pub(crate) fn row(&self) -> Vec<&dyn SerializeValue> {
        let (first, last): ([&dyn SerializeValue; 1], [&dyn SerializeValue; 3]) = ([&self.ttl], [&self.digest, &self.id, &self.seen]);
        first.into_iter().chain(self.values.row()).chain(last).collect()
    }
}

impl Records {
    pub(crate) fn fill_values(&self, version: u32, entries: Entries, meta: &Meta, digest: &Digest, id: Uuid, seen: Option<i32>) -> Fill {
        Fill { ttl: ttl_of(meta, false), values: Values::of(version, entries), digest: digest.0.to_vec(), id, seen }
    }
}
