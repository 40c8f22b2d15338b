//! Aggregates by group: of the records, or of the rows of a query, that share the values at some paths.

use super::rank::Rank;
use super::{Aggregates, Item, Source, Totals};
use crate::budget::Share;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tessera_base::limits::{GROUP_BYTES, GROUPS, THREADS};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::compare::as_integer;
use tessera_record::filter::Subject;
use tessera_record::json::{Shape, write_string, write_value};
use tessera_record::{Encoder, ValueRef};

/// By what records are grouped, and which groups are wanted.
#[derive(Clone, Debug)]
pub(super) struct Grouping {
    pub(super) by: Vec<By>,
    /// Place of the aggregate that the groups are ordered by, and whether the greatest come first.
    pub(super) order: (usize, bool),
    pub(super) top: usize,
}

/// A value that the records of a group share.
#[derive(Clone, Debug)]
pub(super) struct By {
    pub(super) name: Box<str>,
    pub(super) source: Source,
}

/// The groups that one worker has met since it last handed over.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    totals: ByKey,
    /// What they take.
    bytes: usize,
    key: Vec<u8>,
    all: Arc<All>,
}

/// By what the records of a group share: of each value whether it is there, and its encoding.
type ByKey = HashMap<Box<[u8]>, Totals>;

/// The groups of all workers together.
#[derive(Debug)]
pub(super) struct All {
    share: Arc<Share>,
    /// What they take, wherever they are.
    bytes: AtomicUsize,
    /// What was handed over.
    merged: Mutex<Merged>,
}

#[derive(Debug, Default)]
struct Merged {
    totals: ByKey,
    bytes: usize,
}

/// Without what its key has: the table's own, the totals, and a cell for each aggregate.
const GROUP_OVERHEAD: usize = 128;
const CELL_BYTES: usize = 128;

/// Once all groups take so much, each worker keeps no more than its share to itself: several may have met the same ones.
const MANY_BYTES: usize = GROUP_BYTES / 2;
const OWN_BYTES: usize = MANY_BYTES / THREADS as usize;

impl Groups {
    pub(super) fn new(all: Arc<All>) -> Self {
        Self { totals: HashMap::new(), bytes: 0, key: Vec::new(), all }
    }

    pub(super) fn emptied(&self) -> Self {
        Self::new(self.all.clone())
    }

    /// # Errors
    /// `too_many_groups`.
    pub(super) fn add(&mut self, of: &Arc<Aggregates>, by: &[By], subject: &impl Subject, item: Option<&Item<'_>>) -> Result<()> {
        self.key.clear();
        let key = &mut self.key;
        for By { source, .. } in by {
            source.value(subject, item, |value| encode(value, key));
        }
        if let Some(totals) = self.totals.get_mut(&*self.key) {
            totals.add_cells(subject, item);
            return Ok(());
        }
        let mut totals = Totals::plain(of.clone());
        totals.add_cells(subject, item);
        self.insert(self.key.as_slice().into(), totals)
    }

    /// Adds what another worker of the query has met, which is done then.
    ///
    /// # Errors
    /// `too_many_groups`.
    pub(super) fn merge(&self, other: &Self) -> Result<()> {
        debug_assert!(Arc::ptr_eq(&self.all, &other.all));
        self.all.take(other.totals.iter().map(|(key, totals)| (key.clone(), totals.clone())))
    }

    /// Adds a group that was not met since the last handing over.
    fn insert(&mut self, key: Box<[u8]>, totals: Totals) -> Result<()> {
        let bytes = bytes(&key, &totals);
        self.totals.insert(key, totals);
        self.bytes += bytes;
        self.all.share.hold_apart(bytes as u64);
        let all = self.all.bytes.fetch_add(bytes, Relaxed) + bytes;
        let many = self.totals.len() > GROUPS || all > MANY_BYTES && self.bytes > OWN_BYTES || self.all.share.is_short();
        if many { self.hand_over() } else { Ok(()) }
    }

    /// Hands over if the request is short of room.
    ///
    /// # Errors
    /// `too_many_groups`.
    pub(super) fn relieve(&mut self) -> Result<()> {
        if self.all.share.is_short() { self.hand_over() } else { Ok(()) }
    }

    fn hand_over(&mut self) -> Result<()> {
        self.bytes = 0;
        self.all.take(self.totals.drain())
    }

    /// The groups wanted, in order, each as a line `{"by":{..},"aggregate":{..}}`; and how many others there are.
    ///
    /// # Errors
    /// As `Totals::answer`; `too_many_groups`.
    pub(super) fn lines(&mut self, grouping: &Grouping) -> Result<(Vec<u8>, u64)> {
        self.hand_over()?;
        let merged = self.all.merged.lock();
        let (place, descending) = grouping.order;
        let mut groups: Vec<_> =
            merged.totals.iter().map(|(key, totals)| (Rank::of(&totals.cells[place], &totals.of.parts[place]), &**key, totals)).collect();
        let order = |a: &(Option<Rank>, &[u8], &Totals), b: &(Option<Rank>, &[u8], &Totals)| {
            let by_figure = match (a.0, b.0) {
                (Some(a), Some(b)) if descending => b.order(a),
                (Some(a), Some(b)) => a.order(b),
                // Groups without the figure come last.
                (a, b) => b.is_some().cmp(&a.is_some()),
            };
            by_figure.then_with(|| a.1.cmp(b.1))
        };
        if groups.len() > grouping.top {
            groups.select_nth_unstable_by(grouping.top, order);
        }
        let others = groups.len().saturating_sub(grouping.top) as u64;
        groups.truncate(grouping.top);
        groups.sort_unstable_by(order);
        let mut out = Vec::new();
        for (_, key, totals) in groups {
            out.extend_from_slice(b"{\"by\":{");
            write_key(&mut out, key, &grouping.by);
            out.extend_from_slice(b"},\"aggregate\":");
            out.extend_from_slice(totals.figures()?.as_bytes());
            out.extend_from_slice(b"}\n");
        }
        Ok((out, others))
    }
}

impl All {
    pub(super) fn new(share: Arc<Share>) -> Self {
        Self { share, bytes: AtomicUsize::new(0), merged: Mutex::default() }
    }

    /// Takes groups that are counted already: each stays counted once, and those that are here too give their bytes back.
    ///
    /// # Errors
    /// `too_many_groups`.
    fn take(&self, groups: impl Iterator<Item = (Box<[u8]>, Totals)>) -> Result<()> {
        let mut merged = self.merged.lock();
        let Merged { totals: all, bytes: taken } = &mut *merged;
        for (key, totals) in groups {
            let bytes = bytes(&key, &totals);
            self.share.unite(bytes as u64);
            if let Some(known) = all.get_mut(&key) {
                known.merge_cells(&totals);
                self.bytes.fetch_sub(bytes, Relaxed);
                self.share.release(bytes as u64);
                continue;
            }
            all.insert(key, totals);
            *taken += bytes;
            if all.len() > GROUPS || *taken > GROUP_BYTES {
                let message = sentence!(
                    "the answer has more than {most} groups, or {mib} MiB of them; filter first, or group by fewer values",
                    most = GROUPS,
                    mib = GROUP_BYTES >> 20
                );
                return Err(Error::said(ErrorCode::TooManyGroups, message).in_field("group"));
            }
        }
        Ok(())
    }
}

/// What a group takes.
fn bytes(key: &[u8], totals: &Totals) -> usize {
    key.len() + GROUP_OVERHEAD + totals.cells.len() * CELL_BYTES
}

/// Numbers that are equal are one value.
fn encode(value: Option<ValueRef<'_>>, key: &mut Vec<u8>) {
    key.push(u8::from(value.is_some()));
    let Some(value) = value else { return };
    let value = match value {
        ValueRef::Double(double) => as_integer(double).map_or(value, ValueRef::Int),
        value => value,
    };
    Encoder::new(key).value(&value.to_value());
}

/// The values of a key by their names; what a group's records lack is left out.
fn write_key(out: &mut Vec<u8>, key: &[u8], by: &[By]) {
    let mut rest = key;
    let start = out.len();
    for By { name, .. } in by {
        let Some((&there, after)) = rest.split_first() else { return };
        rest = after;
        if there == 0 {
            continue;
        }
        let Some((value, after)) = ValueRef::split(rest) else { return };
        rest = after;
        if out.len() > start {
            out.push(b',');
        }
        write_string(out, name.as_bytes());
        out.push(b':');
        write_value(out, value, Shape::Record);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use std::time::Duration;

    fn take(totals: &mut Totals, keys: &[u8], key_bytes: usize) -> Result<()> {
        let of = totals.of.clone();
        let groups = totals.groups.as_mut().unwrap();
        keys.iter().try_for_each(|&key| groups.insert(vec![key; key_bytes].into_boxed_slice(), Totals::plain(of.clone())))
    }

    fn count() -> Totals {
        let aggregates = Aggregates::compile(br#"{"a":{"op":"count"}}"#).and_then(|all| all.by_group(br#"{"by":["a"]}"#));
        Totals::new(Arc::new(aggregates.unwrap()), Budget::new(u64::MAX, Duration::ZERO).share())
    }

    /// How many keys of so many bytes are counted, and how many groups were handed over.
    fn counted(totals: &Totals, key_bytes: usize) -> (usize, usize) {
        let all = &totals.groups.as_ref().unwrap().all;
        (all.bytes.load(Relaxed) / key_bytes, all.merged.lock().totals.len())
    }

    #[test]
    fn workers_share_their_bytes_and_what_is_merged_counts_once() {
        const KEY: usize = 1000;
        let mut all = count();
        let (mut first, mut second) = (all.emptied(), all.emptied());
        take(&mut first, &[1, 2, 3], KEY).unwrap();
        take(&mut second, &[3, 4], KEY).unwrap();
        assert_eq!(counted(&all, KEY), (6, 0), "five groups of two workers and what is about them");
        all.merge(&first).unwrap();
        assert_eq!(counted(&all, KEY), (6, 3));
        all.merge(&second).unwrap();
        assert_eq!(counted(&all, KEY), (5, 4));
    }

    #[test]
    fn what_all_workers_have_met_is_bounded_together() {
        const KEY: usize = GROUP_BYTES / 5;
        let mut all = count();
        let (mut first, mut second) = (all.emptied(), all.emptied());
        take(&mut first, &[1, 2], KEY).unwrap();
        take(&mut second, &[2, 3], KEY).unwrap();
        all.merge(&first).unwrap();
        all.merge(&second).unwrap();
        // One was of both, so there is room for one more.
        let mut third = all.emptied();
        take(&mut third, &[4], KEY).unwrap();
        assert_eq!(take(&mut third, &[5], KEY).unwrap_err().code, ErrorCode::TooManyGroups);
    }

    #[test]
    fn groups_that_all_workers_have_met_are_one_where_room_is_short() {
        const KEY: usize = GROUP_BYTES / 32;
        let mut all = count();
        let mut workers: Vec<Totals> = (0..64).map(|_| all.emptied()).collect();
        for key in 0..4 {
            workers.iter_mut().for_each(|worker| take(worker, &[key], KEY).unwrap());
        }
        let met = |totals: &Totals| totals.groups.as_ref().unwrap().bytes;
        assert!(workers.iter().map(met).sum::<usize>() <= MANY_BYTES + KEY, "the others were handed over");
        workers.iter().for_each(|worker| all.merge(worker).unwrap());
        assert_eq!(counted(&all, KEY), (4, 4));
    }
}
