//! Aggregates by group: of the records, or of the rows of a query, that share the values at some paths.

use super::rank::Rank;
use super::{Aggregates, Item, Source, Totals};
use crate::error::{Error, ErrorCode, Result};
use crate::filter::Subject;
use crate::limits::{GROUP_BYTES, GROUPS};
use crate::record::compare::as_integer;
use crate::record::json::{Shape, write_string, write_value};
use crate::record::{Encoder, ValueRef};
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};

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

/// The groups that one worker has met.
#[derive(Clone, Debug)]
pub(super) struct Groups {
    /// By what their records share: of each value whether it is there, and its encoding.
    totals: HashMap<Box<[u8]>, Totals>,
    key: Vec<u8>,
    /// Bytes of the groups of all workers together.
    bytes: Arc<AtomicUsize>,
}

/// Without what its key has: the table's own, the totals, and a cell for each aggregate.
const GROUP_OVERHEAD: usize = 128;
const CELL_BYTES: usize = 128;

impl Groups {
    pub(super) fn new(bytes: Arc<AtomicUsize>) -> Self {
        Self { totals: HashMap::new(), key: Vec::new(), bytes }
    }

    pub(super) fn emptied(&self) -> Self {
        Self::new(self.bytes.clone())
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
        let bytes = bytes(&self.key, &totals);
        self.insert(self.key.as_slice().into(), totals, bytes)
    }

    /// Adds what another worker of the query has met, which is done then: its groups stay counted once, and those that are here
    /// too give their bytes back.
    ///
    /// # Errors
    /// `too_many_groups`.
    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        debug_assert!(Arc::ptr_eq(&self.bytes, &other.bytes));
        for (key, totals) in &other.totals {
            match self.totals.get_mut(key) {
                Some(own) => {
                    own.merge_cells(totals);
                    self.bytes.fetch_sub(bytes(key, totals), Relaxed);
                }
                None => self.insert(key.clone(), totals.clone(), 0)?,
            }
        }
        Ok(())
    }

    /// Adds a group that takes `bytes` that are not counted yet.
    fn insert(&mut self, key: Box<[u8]>, totals: Totals, bytes: usize) -> Result<()> {
        let all = self.bytes.fetch_add(bytes, Relaxed) + bytes;
        if self.totals.len() >= GROUPS || all > GROUP_BYTES {
            let message = format!("more than {GROUPS} groups, or {} MiB of them: filter, or group by less", GROUP_BYTES >> 20);
            return Err(Error::new(ErrorCode::TooManyGroups, message).in_field("group"));
        }
        self.totals.insert(key, totals);
        Ok(())
    }

    /// The groups wanted, in order, each as a line `{"by":{..},"aggregate":{..}}`; and how many others there are.
    ///
    /// # Errors
    /// As `Totals::answer`.
    pub(super) fn lines(&self, grouping: &Grouping) -> Result<(Vec<u8>, u64)> {
        let (place, descending) = grouping.order;
        let mut groups: Vec<_> =
            self.totals.iter().map(|(key, totals)| (Rank::of(&totals.cells[place], &totals.of.parts[place]), &**key, totals)).collect();
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

    fn take(totals: &mut Totals, keys: &[u8], key_bytes: usize) -> Result<()> {
        let of = totals.of.clone();
        let groups = totals.groups.as_mut().unwrap();
        keys.iter().try_for_each(|&key| {
            let (key, plain) = (vec![key; key_bytes].into_boxed_slice(), Totals::plain(of.clone()));
            let bytes = bytes(&key, &plain);
            groups.insert(key, plain, bytes)
        })
    }

    fn count() -> Totals {
        let aggregates = Aggregates::compile(br#"{"a":{"op":"count"}}"#).and_then(|all| all.by_group(br#"{"by":["a"]}"#));
        Totals::new(Arc::new(aggregates.unwrap()))
    }

    #[test]
    fn workers_share_their_bytes_and_what_is_merged_counts_once() {
        const KEY: usize = 1000;
        let mut all = count();
        let (mut first, mut second) = (all.emptied(), all.emptied());
        take(&mut first, &[1, 2, 3], KEY).unwrap();
        take(&mut second, &[3, 4], KEY).unwrap();
        let counted = |totals: &Totals| totals.groups.as_ref().unwrap().bytes.load(Relaxed) / KEY;
        assert_eq!(counted(&all), 6, "five groups of two workers and what is about them");
        all.merge(&first).unwrap();
        assert_eq!(counted(&all), 6);
        all.merge(&second).unwrap();
        assert_eq!((counted(&all), all.groups.as_ref().unwrap().totals.len()), (5, 4));
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
}
