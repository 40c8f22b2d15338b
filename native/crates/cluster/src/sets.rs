//! The sets of a namespace on a cluster: their names, and about how much each holds.
//!
//! A name is in the table `sets` before the first record of its set. How much a set holds is in Cassandra's counters, to which
//! each process adds its changes once a second. These are estimates: a process that is killed takes a second's changes along, an
//! addition whose answer is lost may count or not, and what Cassandra removes at the end of its life is subtracted by nobody.
//! A walk over all records corrects them.

use crate::errors::Failure;
use crate::session::{Cluster, Kind};
use crate::tables::Tables;
use futures_util::stream::{self, StreamExt};
use parking_lot::Mutex;
use scylla::statement::prepared::PreparedStatement;
use scylla::value::Counter;
use std::collections::{BTreeMap, HashMap};
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_core::store::remote::{Estimates, MetSet, RemoteSet};

/// Additions under way at once.
const AT_ONCE: usize = 32;
/// The names and counters of a namespace are read again after a second for each so many sets.
const SETS_A_SECOND: usize = 1000;

pub(crate) struct Sets {
    known: Mutex<Known>,
    /// Held by who adds to the counters or reads them: what is on its way must not be read as well.
    exchange: Mutex<()>,
    name: PreparedStatement,
    names: PreparedStatement,
    add: PreparedStatement,
    counters: PreparedStatement,
}

struct Known {
    sets: BTreeMap<Box<str>, Set>,
    read: Instant,
    /// How often walks have corrected the estimates.
    corrections: u64,
}

#[derive(Debug, Default)]
struct Set {
    /// Whether its name is on the cluster.
    named: bool,
    /// What the cluster counts.
    counted: Held,
    /// What this process has to add.
    added: Held,
    /// What it is adding now.
    sent: Held,
}

/// Records, and their bytes; of a change, how many more.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(crate) struct Held {
    pub(crate) records: i64,
    pub(crate) bytes: i64,
}

/// Where records without a set are counted, and their truncation is. Cassandra has no empty keys, and no set has this name.
const NO_SET: &str = ".";

/// The key of a set in the small tables.
pub(crate) fn row_of(set: &str) -> &str {
    if set.is_empty() { NO_SET } else { set }
}

/// The set of a key in the small tables.
pub(crate) fn set_of(row: &str) -> &str {
    if row == NO_SET { "" } else { row }
}

impl Sets {
    pub(crate) fn prepare(cluster: &Cluster, tables: &Tables) -> Result<Self> {
        let (held, names) = (tables.of("held"), tables.of("sets"));
        let add = format!("UPDATE {held} SET records = records + ?, bytes = bytes + ? WHERE set_name = ?");
        let sets = Self {
            known: Mutex::new(Known { sets: BTreeMap::new(), read: Instant::now(), corrections: 0 }),
            exchange: Mutex::default(),
            name: cluster.prepare(Kind::Repeatable, &format!("INSERT INTO {names} (name) VALUES (?)"))?,
            names: cluster.prepare(Kind::Read, &format!("SELECT name FROM {names}"))?,
            add: cluster.prepare(Kind::Write, &add)?,
            counters: cluster.prepare(Kind::Read, &format!("SELECT set_name, records, bytes FROM {held}"))?,
        };
        sets.read(cluster)?;
        Ok(sets)
    }

    /// Makes a set known to all, before its first record.
    ///
    /// # Errors
    /// `set_limit`, `cluster_unavailable`.
    pub(crate) async fn create(&self, cluster: &Cluster, set: &str) -> Result<()> {
        {
            let sets = &self.known.lock().sets;
            if set.is_empty() || sets.get(set).is_some_and(|set| set.named) {
                return Ok(());
            }
            if sets.values().filter(|set| set.named).count() >= limits::SETS {
                let message = sentence!("a namespace can have at most {most} sets", most = limits::SETS);
                return Err(Error::said(ErrorCode::SetLimit, message).in_field("set"));
            }
        }
        cluster.ask(&self.name, (set,)).await?;
        self.known.lock().sets.entry(set.into()).or_default().named = true;
        Ok(())
    }

    /// Counts a change that was made.
    pub(crate) fn count(&self, set: &str, change: Held) {
        let mut known = self.known.lock();
        match known.sets.get_mut(set) {
            Some(set) => set.added.add(change),
            None => known.sets.entry(set.into()).or_default().added.add(change),
        }
    }

    /// Those that are known, with what they hold, about.
    pub(crate) fn all(&self) -> Vec<RemoteSet> {
        self.known.lock().told()
    }

    /// Records and bytes of all. Asked for each second, so that no name is copied.
    pub(crate) fn held(&self) -> (u64, u64) {
        let known = self.known.lock();
        let above_nothing = |held: Held| (held.records.max(0).cast_unsigned(), held.bytes.max(0).cast_unsigned());
        known.sets.values().map(|set| above_nothing(set.sum())).fold((0, 0), |all, one| (all.0 + one.0, all.1 + one.1))
    }

    pub(crate) fn find(&self, name: &str) -> Option<RemoteSet> {
        let known = self.known.lock();
        known.sets.get(name).filter(|set| set.named || name.is_empty()).map(|set| set.told(name))
    }

    /// Adds what has changed here to the counters, and reads those of all processes if it is time.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn exchange(&self, cluster: &Cluster) -> Result<()> {
        let _turn = self.exchange.lock();
        self.add_changes(cluster)?;
        let due = {
            let known = self.known.lock();
            known.read.elapsed() >= Duration::from_secs(1 + (known.sets.len() / SETS_A_SECOND) as u64)
        };
        if due { self.read(cluster) } else { Ok(()) }
    }

    /// Adds what has changed here to the counters.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn send(&self, cluster: &Cluster) -> Result<()> {
        let _turn = self.exchange.lock();
        self.add_changes(cluster)
    }

    fn add_changes(&self, cluster: &Cluster) -> Result<()> {
        let changed: Vec<(Box<str>, Held)> = {
            let mut known = self.known.lock();
            let changed = known.sets.iter_mut().filter(|(_, set)| set.added != Held::default());
            changed
                .map(|(name, set)| {
                    set.sent = std::mem::take(&mut set.added);
                    (name.clone(), set.sent)
                })
                .collect()
        };
        let answers = stream::iter(changed).map(|(name, added)| async move {
            let answer = cluster.ask(&self.add, (Counter(added.records), Counter(added.bytes), row_of(&name))).await;
            (name, answer.map(drop))
        });
        let mut outcome = Ok(());
        for (name, answer) in cluster.wait(answers.buffer_unordered(AT_ONCE).collect::<Vec<_>>()) {
            let mut known = self.known.lock();
            let set = known.sets.entry(name).or_default();
            let sent = std::mem::take(&mut set.sent);
            match answer {
                Ok(()) => set.counted.add(sent),
                Err(Failure { error, open }) => {
                    // If it may have counted, it is not sent again: many of these would add up.
                    let kept = if open { &mut set.counted } else { &mut set.added };
                    kept.add(sent);
                    outcome = Err(error);
                }
            }
        }
        outcome
    }

    /// Reads names and counters of all processes.
    fn read(&self, cluster: &Cluster) -> Result<()> {
        let internal = |error: &dyn std::fmt::Display| Failure::internal(&error.to_string());
        let names = cluster.send(&self.names, ())?.into_rows_result().map_err(|error| internal(&error))?;
        let counters = cluster.send(&self.counters, ())?.into_rows_result().map_err(|error| internal(&error))?;
        let mut known = self.known.lock();
        for row in names.rows::<(&str,)>().map_err(|error| internal(&error))? {
            let (name,) = row.map_err(|error| internal(&error))?;
            if limits::check_name(name, "set").is_ok() {
                known.sets.entry(name.into()).or_default().named = true;
            }
        }
        for row in counters.rows::<(&str, Option<Counter>, Option<Counter>)>().map_err(|error| internal(&error))? {
            let (name, records, bytes) = row.map_err(|error| internal(&error))?;
            let [records, bytes] = [records, bytes].map(|counter| counter.map_or(0, |Counter(value)| value));
            known.sets.entry(set_of(name).into()).or_default().counted = Held { records, bytes };
        }
        known.read = Instant::now();
        Ok(())
    }

    /// As `Remote::estimates`.
    pub(crate) fn estimates(&self) -> Estimates {
        self.known.lock().estimates()
    }

    /// As `Remote::correct`. What was written during the walk it has met by half, so it is compared with the mean of the estimates
    /// before and after. If another walk has corrected them since, it changes nothing: the error would be subtracted twice.
    ///
    /// # Errors
    /// `set_limit`, `cluster_unavailable`.
    pub(crate) fn correct(&self, cluster: &Cluster, before: &Estimates, met: &[MetSet]) -> Result<()> {
        if !self.known.lock().correct(before, met) {
            return Ok(());
        }
        for MetSet { name, .. } in met {
            // Its first writer may have known nothing of the table.
            cluster.wait(self.create(cluster, name))?;
        }
        self.send(cluster)
    }

    /// It is known what the sets hold, and nobody changes it now. The cluster is told with the next changes.
    pub(crate) fn take_for(&self, held: &[MetSet]) {
        let mut known = self.known.lock();
        let before = known.estimates();
        known.correct(&before, held);
    }

    /// A set, or all, holds nothing any more.
    pub(crate) fn empty(&self, set: Option<&str>) {
        let mut known = self.known.lock();
        known.sets.iter_mut().filter(|(name, _)| set.is_none_or(|set| ***name == *set)).for_each(|(_, set)| set.empty());
    }

    /// A record of a set is gone that was as large as others.
    pub(crate) fn subtract(&self, set: &str) {
        if let Some(set) = self.known.lock().sets.get_mut(set) {
            let left = (set.sum().records - 1).max(0);
            set.expect(Held { records: left, bytes: set.bytes_of(left.cast_unsigned()) });
        }
    }
}

impl Known {
    fn told(&self) -> Vec<RemoteSet> {
        self.sets.iter().filter(|(name, set)| set.named || name.is_empty()).map(|(name, set)| set.told(name)).collect()
    }

    fn estimates(&self) -> Estimates {
        let of = |name: &str, sum: Held| (name.to_owned(), (sum.records, sum.bytes));
        Estimates { sets: self.sets.iter().map(|(name, set)| of(name, set.sum())).collect(), corrections: self.corrections }
    }

    /// Whether it was done.
    fn correct(&mut self, before: &Estimates, met: &[MetSet]) -> bool {
        if before.corrections != self.corrections {
            return false;
        }
        self.corrections += 1;
        let mut met: HashMap<&str, &MetSet> = met.iter().map(|set| (set.name.as_str(), set)).collect();
        for (name, set) in &mut self.sets {
            let (records, bytes) = before.sets.get(&**name).copied().unwrap_or_default();
            set.correct(Held { records, bytes }, met.remove(&**name));
        }
        for (name, met) in met {
            self.sets.entry(name.into()).or_default().correct(Held::default(), Some(met));
        }
        true
    }
}

impl Set {
    fn correct(&mut self, before: Held, met: Option<&MetSet>) {
        let now = self.sum();
        let mean = Held { records: before.records.midpoint(now.records), bytes: before.bytes.midpoint(now.bytes) };
        let records = met.map_or(0, |met| met.records.cast_signed());
        let bytes = match met {
            Some(MetSet { bytes: None, .. }) => self.bytes_of(records.cast_unsigned()),
            Some(MetSet { bytes: Some(bytes), .. }) => bytes.cast_signed(),
            None => 0,
        };
        self.added.add(Held { records: records - mean.records, bytes: bytes - mean.bytes });
    }

    fn sum(&self) -> Held {
        let mut sum = self.counted;
        sum.add(self.sent);
        sum.add(self.added);
        sum
    }

    /// Adds what makes the estimate what it should be.
    fn expect(&mut self, held: Held) {
        let sum = self.sum();
        self.added.add(Held { records: held.records - sum.records, bytes: held.bytes - sum.bytes });
    }

    fn empty(&mut self) {
        self.expect(Held::default());
    }

    /// What so many records of the set take, if they are as large as those that are known.
    fn bytes_of(&self, records: u64) -> i64 {
        let sum = self.sum();
        let bytes = i128::from(sum.bytes) * i128::from(records) / i128::from(sum.records.max(1));
        i64::try_from(bytes).unwrap_or(i64::MAX).max(0)
    }

    fn told(&self, name: &str) -> RemoteSet {
        let Held { records, bytes } = self.sum();
        RemoteSet { name: name.to_owned(), records: records.max(0).cast_unsigned(), bytes: bytes.max(0).cast_unsigned() }
    }
}

impl Held {
    fn add(&mut self, more: Self) {
        self.records += more.records;
        self.bytes += more.bytes;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn records_without_a_set_have_a_row_of_their_own() {
        assert!(limits::check_name(NO_SET, "set").is_err());
        for set in ["", "s", "..."] {
            assert!(set_of(row_of(set)) == set && !row_of(set).is_empty());
        }
    }

    #[test]
    fn an_estimate_becomes_what_it_should_be_and_is_never_below_nothing() {
        let mut set = Set { counted: Held { records: 10, bytes: 1000 }, added: Held { records: -2, bytes: -200 }, ..Set::default() };
        set.expect(Held { records: 4, bytes: 400 });
        assert_eq!((set.sum(), set.added), (Held { records: 4, bytes: 400 }, Held { records: -6, bytes: -600 }));
        assert_eq!((set.bytes_of(2), set.bytes_of(0)), (200, 0));
        set.added.records -= 10;
        assert_eq!((set.told("s").records, set.told("s").bytes), (0, 400));
        set.empty();
        assert_eq!((set.sum(), set.bytes_of(7)), (Held::default(), 0));
    }

    #[test]
    fn a_walk_corrects_the_estimates_by_what_it_has_met_and_a_second_one_beside_it_does_not() {
        let held = |records, bytes| Held { records, bytes };
        let mut known = Known { sets: BTreeMap::new(), read: Instant::now(), corrections: 0 };
        for (name, records) in [("a", 100), ("gone", 7), ("below", -5)] {
            known.sets.insert(name.into(), Set { named: true, counted: held(records, records * 10), ..Set::default() });
        }
        let before = known.estimates();
        // Of 20 that are written during the walk it meets half.
        known.sets.get_mut("a").unwrap().added.add(held(20, 200));
        let met = [("a", 80, Some(1600)), ("new", 3, None), ("below", 2, Some(20))];
        let met = met.map(|(name, records, bytes)| MetSet { name: name.into(), records, bytes });
        assert!(known.correct(&before, &met) && !known.correct(&before, &met));
        assert_eq!((known.sets["a"].sum(), known.sets["gone"].sum(), known.sets["new"].sum()), (held(90, 1700), held(0, 0), held(3, 0)));
        assert_eq!(known.sets["below"].sum(), held(2, 20));
        assert_eq!(known.told().len(), 3, "one is told once the cluster has its name");
    }
}
