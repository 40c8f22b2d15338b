//! Aggregates by group: of the records, or of the rows of a query, that share the values at some paths.

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
        let key = self.key.as_slice().into();
        self.insert(key, totals)
    }

    /// Adds what another worker has met.
    ///
    /// # Errors
    /// `too_many_groups`.
    pub(super) fn merge(&mut self, other: &Self) -> Result<()> {
        for (key, totals) in &other.totals {
            match self.totals.get_mut(key) {
                Some(own) => own.merge_cells(totals),
                None => self.insert(key.clone(), totals.clone())?,
            }
        }
        Ok(())
    }

    fn insert(&mut self, key: Box<[u8]>, totals: Totals) -> Result<()> {
        let bytes = key.len() + GROUP_OVERHEAD + totals.cells.len() * CELL_BYTES;
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
        let mut groups: Vec<_> = self.totals.iter().map(|(key, totals)| (totals.cells[place].rank(), &**key, totals)).collect();
        let order = |a: &(Option<f64>, &[u8], &Totals), b: &(Option<f64>, &[u8], &Totals)| {
            let by_figure = match (a.0, b.0) {
                (Some(a), Some(b)) if descending => b.total_cmp(&a),
                (Some(a), Some(b)) => a.total_cmp(&b),
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
