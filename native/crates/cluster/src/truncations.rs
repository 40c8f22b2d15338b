//! Times before which records are gone: of a set, or of all.
//!
//! Cassandra refuses to delete by set. So a truncation is a time in a small table, older records are hidden from whoever
//! looks, and a sweep removes them afterwards, range by range.

use crate::errors::Failure;
use crate::pause::{ATTEMPTS, pause};
use crate::session::{Cluster, Kind, applied};
use crate::sets::row_of;
use crate::tables::Tables;
use parking_lot::RwLock;
use scylla::statement::prepared::PreparedStatement;
use std::collections::HashMap;
use tessera_base::{Error, ErrorCode, Result, clock, sentence};
use tessera_core::store::remote::Marks;
use tessera_record::Meta;

/// Where the truncation of the whole namespace stands. No set has this name.
const ALL: &str = "*";

pub(crate) struct Truncations {
    known: RwLock<Known>,
    read: PreparedStatement,
    before: PreparedStatement,
    write: PreparedStatement,
    uncounted: PreparedStatement,
    swept: PreparedStatement,
}

#[derive(Debug, Default)]
struct Known {
    /// Of all sets.
    all: Mark,
    /// Of single sets, by their rows.
    sets: HashMap<String, Mark>,
    /// What this process has to sweep: its own truncations, and what was not swept when it began.
    unswept: Marks,
}

/// Unix milliseconds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
struct Mark {
    /// Records written before it are hidden.
    before: u64,
    /// Of these, the ones written before it are in no counter, so that nobody subtracts them.
    uncounted: u64,
}

impl Truncations {
    pub(crate) fn prepare(cluster: &Cluster, tables: &Tables) -> Result<Self> {
        let table = tables.of("truncations");
        let truncations = Self {
            known: RwLock::default(),
            read: cluster.prepare(Kind::Read, &format!("SELECT set_name, before, uncounted, swept FROM {table}"))?,
            before: cluster.prepare(Kind::SerialRead, &format!("SELECT before FROM {table} WHERE set_name = ?"))?,
            write: cluster.prepare(Kind::Write, &format!("UPDATE {table} SET before = ? WHERE set_name = ? IF before = ?"))?,
            uncounted: cluster.prepare(Kind::Repeatable, &format!("UPDATE {table} SET uncounted = ? WHERE set_name = ?"))?,
            swept: cluster.prepare(Kind::Repeatable, &format!("UPDATE {table} SET swept = ? WHERE set_name = ?"))?,
        };
        let unswept = truncations.read(cluster)?;
        truncations.known.write().unswept = unswept;
        Ok(truncations)
    }

    /// Hides the records of a set, or of all, that were written before `before` (Unix milliseconds). A later call never hides less.
    ///
    /// # Errors
    /// `cluster_unavailable`; `write_uncertain` if the outcome is unknown: repeat it.
    pub(crate) fn truncate(&self, cluster: &Cluster, set: Option<&str>, before: u64) -> Result<()> {
        let name = set.map_or(ALL, row_of);
        let what = set.map_or_else(|| sentence!("the namespace"), |set| sentence!("the set \"{set}\"", set = set));
        let uncertain = |failure: Failure| match failure.open {
            true => Error::said(
                ErrorCode::WriteUncertain,
                sentence!("the truncation of {what}: {message}", what = what.clone(), message = &failure.error),
            ),
            false => failure.error,
        };
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                pause(attempt);
            }
            let rows = cluster.send(&self.before, (name,))?.into_rows_result().map_err(|error| Failure::internal(&error))?;
            // A row that was swept only has no time.
            let found = rows.maybe_first_row::<(Option<i64>,)>().map_err(|error| Failure::internal(&error))?.and_then(|(at,)| at);
            let later = found.is_some_and(|at| at >= before.cast_signed());
            let answer = || cluster.send(&self.write, (before.cast_signed(), name, found)).map_err(uncertain);
            if later || applied(&answer()?)? {
                let mut known = self.known.write();
                // What is swept goes by the latest of all.
                let before = found.unwrap_or_default().cast_unsigned().max(before);
                known.learn(name, Mark { before, uncounted: 0 });
                let unswept = known.unswept.entry(name.to_owned()).or_default();
                *unswept = before.max(*unswept);
                return Ok(());
            }
        }
        Err(Error::said(ErrorCode::ClusterUnavailable, sentence!("{what} is being truncated by many others", what = what.clone())))
    }

    /// Reads the truncations that other processes have made. Until then this one shows the records that they hide. Returns those
    /// whose records nobody has swept.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn read(&self, cluster: &Cluster) -> Result<Marks> {
        let rows = cluster.send(&self.read, ())?.into_rows_result().map_err(|error| Failure::internal(&error))?;
        let (mut known, mut unswept) = (self.known.write(), Marks::new());
        for row in rows.rows::<(&str, Option<i64>, Option<i64>, Option<i64>)>().map_err(|error| Failure::internal(&error))? {
            let (set, before, uncounted, swept) = row.map_err(|error| Failure::internal(&error))?;
            let [before, uncounted, swept] = [before, uncounted, swept].map(|time| time.unwrap_or_default().cast_unsigned());
            known.learn(set, Mark { before, uncounted });
            if swept < before {
                unswept.insert(set.to_owned(), before);
            }
        }
        Ok(unswept)
    }

    /// Whether a record is expired or truncated.
    pub(crate) fn hides(&self, set: &str, meta: &Meta) -> bool {
        meta.expired(clock::unix_seconds()) || meta.updated_at < self.before(set)
    }

    /// When a set was truncated last, by itself or with all, Unix milliseconds; 0: never.
    pub(crate) fn before(&self, set: &str) -> u64 {
        self.known.read().of(set).before
    }

    /// Whether the counters have a record of a set that was written at `updated_at`, if anybody has counted it.
    pub(crate) fn counts(&self, set: &str, updated_at: u64) -> bool {
        updated_at >= self.known.read().of(set).uncounted
    }

    /// Truncations as they are.
    pub(crate) fn marks(&self) -> Marks {
        let known = self.known.read();
        let all = (ALL.to_owned(), known.all.before);
        let sets = known.sets.iter().map(|(set, mark)| (set.clone(), mark.before));
        sets.chain([all]).filter(|(_, before)| *before > 0).collect()
    }

    /// The records that these hide are in no counter any more.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn note_uncounted(&self, cluster: &Cluster, marks: &Marks) -> Result<()> {
        for (set, before) in marks {
            if !self.known.write().learn(set, Mark { before: *before, uncounted: *before }) {
                continue;
            }
            cluster.send(&self.uncounted, (before.cast_signed(), set))?;
        }
        Ok(())
    }

    /// As `note_uncounted`, of one truncation of a set or of all.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn note_emptied(&self, cluster: &Cluster, set: Option<&str>, before: u64) -> Result<()> {
        self.note_uncounted(cluster, &Marks::from([(set.map_or(ALL, row_of).to_owned(), before)]))
    }

    /// What is to be swept.
    pub(crate) fn unswept(&self) -> Marks {
        self.known.read().unswept.clone()
    }

    pub(crate) fn any_unswept(&self) -> bool {
        !self.known.read().unswept.is_empty()
    }

    /// The records that these have hidden are gone.
    ///
    /// # Errors
    /// `cluster_unavailable`: a next start sweeps them again.
    pub(crate) fn note_swept(&self, cluster: &Cluster, marks: &Marks) -> Result<()> {
        self.known.write().unswept.retain(|set, before| marks.get(set).is_none_or(|swept| swept < before));
        for (set, before) in marks {
            cluster.send(&self.swept, (before.cast_signed(), set))?;
        }
        Ok(())
    }
}

impl Known {
    /// Whether it is new.
    fn learn(&mut self, name: &str, mark: Mark) -> bool {
        let known = if name == ALL { &mut self.all } else { self.sets.entry(name.to_owned()).or_default() };
        let old = std::mem::replace(known, known.max(mark));
        old != *known
    }

    fn of(&self, set: &str) -> Mark {
        self.sets.get(row_of(set)).map_or(self.all, |mark| mark.max(self.all))
    }
}

impl Mark {
    fn max(self, other: Self) -> Self {
        Self { before: self.before.max(other.before), uncounted: self.uncounted.max(other.uncounted) }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_set_has_the_name_of_all_and_no_truncation_takes_another_back() {
        assert!(tessera_base::limits::check_name(ALL, "set").is_err());
        let mut known = Known::default();
        for (name, before, uncounted) in [("s", 5, 0), ("s", 3, 3), (ALL, 4, 4), (ALL, 2, 0), (row_of(""), 9, 0)] {
            known.learn(name, Mark { before, uncounted });
        }
        let of = |set| (known.of(set).before, known.of(set).uncounted);
        assert_eq!([of("s"), of(""), of("t")], [(5, 4), (9, 4), (4, 4)]);
    }
}
