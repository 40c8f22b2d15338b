//! Fills a copy of another store's records by plain writes: a compare-and-set takes three to four times as long.
//!
//! What is written last counts, and so each write has a later stamp than all before it. The stamps are numbers of this process, and
//! no clock: a number of the opening, which no other opening of the copy has or had, and a counter behind it. All of them lie below
//! 2^50. A compare-and-set is stamped with microseconds since 1970, which have exceeded that since 2005, so once the copy decides, every
//! later version replaces those that it was filled with, whatever the clocks say. Until then no compare-and-set may touch it.
//!
//! Stamps are even. What an index build adds to a version has the odd one behind it: see `filled`.

use super::Records;
use super::filled::{self, Values};
use super::row::ttl_of;
use crate::session::Cluster;
use crate::tables::Tables;
use scylla::serialize::value::SerializeValue;
use scylla::statement::prepared::PreparedStatement;
use std::sync::atomic::{AtomicI64, Ordering};
use tessera_base::Result;
use tessera_core::store::remote::MetSet;
use tessera_record::{Digest, Meta};
use uuid::Uuid;

/// Stamps of one opening: a million writes a second would take six days to use them up, and then those of the next one follow.
const STAMPS: i64 = 1 << 40;

pub(super) struct Fill {
    write: PreparedStatement,
    remove: PreparedStatement,
    /// Stamps that this opening has used.
    used: AtomicI64,
}

impl Fill {
    pub(super) fn prepare(cluster: &Cluster, tables: &Tables) -> Result<Self> {
        let records = tables.records();
        let write = format!(
            "UPDATE {records} USING TIMESTAMP ? AND TTL ? SET set_name = ?, body = ?, generation = ?, updated_at = ?, \
             expires_at = ?, write_id = ?, {} WHERE digest = ?",
            filled::columns()
        );
        Ok(Self {
            write: cluster.prepare_to_be_met(&write)?,
            // Also where no row is seen: a write whose answer was lost may be on its way.
            remove: cluster.prepare_to_be_met(&format!("DELETE FROM {records} USING TIMESTAMP ? WHERE digest = ?"))?,
            used: AtomicI64::new(0),
        })
    }

    fn stamp(&self, opening: u32) -> i64 {
        i64::from(opening) * STAMPS + self.used.fetch_add(2, Ordering::Relaxed)
    }
}

impl Records {
    /// As `Remote::fill`.
    pub(crate) async fn fill(&self, set: &str, digest: &Digest, record: Option<(Meta, &[u8])>) -> Result<()> {
        if record.is_some() {
            self.sets.create(&self.cluster, set).await?;
        }
        let held = self.indexes.for_write(&self.cluster).await?;
        let fill = &self.statements.fill;
        let (stamp, digest) = (fill.stamp(self.indexes.opening(&held)?), digest.0.as_slice());
        let Some((meta, body)) = record else {
            self.cluster.ask(&fill.remove, (stamp, digest)).await?;
            return Ok(());
        };
        let values = Values::of(held.list.version, held.list.entries(set, body));
        let (ttl, id) = (ttl_of(&meta, false), Uuid::new_v4());
        let (generation, updated_at, expires_at) = (i32::from(meta.generation), meta.updated_at.cast_signed(), i64::from(meta.expires_at));
        let version: [&dyn SerializeValue; 8] = [&stamp, &ttl, &set, &body, &generation, &updated_at, &expires_at, &id];
        let of: [&dyn SerializeValue; 1] = [&digest];
        let row: Vec<&dyn SerializeValue> = version.into_iter().chain(values.row()).chain(of).collect();
        self.cluster.ask(&fill.write, &row[..]).await?;
        Ok(())
    }

    /// As `Remote::lead`.
    pub(crate) fn lead(&self, held: &[MetSet]) -> Result<()> {
        self.indexes.end_filling(&self.cluster)?;
        // What it was filled with was not counted. The counters have it in a second.
        let marks = self.truncations.marks();
        self.sets.take_for(held);
        // Estimates: if it cannot be told, the sweep subtracts what it removes.
        let _ = self.truncations.note_uncounted(&self.cluster, &marks);
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Duration;
    use tessera_base::clock;

    #[test]
    fn the_last_stamp_is_long_before_any_of_a_compare_and_set() {
        let last = 1024 * STAMPS;
        let years = Duration::from_secs(10 * 365 * 24 * 3600);
        assert!(u128::from(clock::unix_millis()) * 1000 > u128::from(last.unsigned_abs()) + years.as_micros());
    }
}
