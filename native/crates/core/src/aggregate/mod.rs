//! Figures over the records of a scan or query: each worker keeps its own totals, which are added up at the end, so that no
//! record leaves the engine. `docs/query.md` is the reference for users.

mod answer;
mod group;
mod histogram;
mod parse;
mod rank;
mod sketch;
mod sum;
#[cfg(test)]
mod tests;

use crate::budget::Share;
use group::{All, Grouping, Groups};
use histogram::{Buckets, Histogram};
use sketch::Sketch;
use std::cmp::Ordering;
use std::sync::Arc;
use sum::Sum;
use tessera_base::{Error, ErrorCode, Result, sentence};
pub(crate) use tessera_record::filter::Item;
use tessera_record::filter::expression::{Expression, Number};
use tessera_record::filter::{Field, Row, Subject};
use tessera_record::{Encoder, Path, ValueRef, scalar_hash};
use xxhash_rust::xxh3::xxh3_64;

/// What is wanted, by name.
#[derive(Clone, Debug)]
pub struct Aggregates {
    parts: Vec<Part>,
    grouping: Option<Grouping>,
}

#[derive(Clone, Debug)]
struct Part {
    name: Box<str>,
    /// `None`: the record itself, which is only counted.
    source: Option<Source>,
    kind: Kind,
}

/// Whose values go in.
#[derive(Clone, Debug)]
enum Source {
    Bin { bin: Box<str>, path: Path },
    Meta(Field),
    Expression(Box<Expression>),
}

#[derive(Clone, Debug)]
enum Kind {
    Count,
    Sum,
    Min,
    Max,
    Average,
    Distinct,
    Histogram(Arc<Buckets>),
}

/// What has been met so far.
#[derive(Clone, Debug)]
pub(crate) struct Totals {
    of: Arc<Aggregates>,
    /// Of all records; none where they are grouped.
    cells: Vec<Cell>,
    groups: Option<Groups>,
}

#[derive(Clone, Debug)]
struct Cell {
    /// Values that went in.
    taken: u64,
    /// Values that are not numbers, where only numbers count.
    others: u64,
    /// Records that have no such value, or null.
    missing: u64,
    figure: Figure,
}

#[derive(Clone, Debug)]
enum Figure {
    Count,
    Sum(Sum),
    /// The first in this order.
    Extreme(Ordering, Option<Number>),
    Distinct(Box<Sketch>),
    Histogram(Histogram),
}

impl Aggregates {
    /// The names of what the groups share, and how many groups are wanted; `None` where all records are one.
    pub(crate) fn grouped(&self) -> Option<(Vec<&str>, usize)> {
        let Grouping { by, top, .. } = self.grouping.as_ref()?;
        Some((by.iter().map(|by| &*by.name).collect(), *top))
    }

    /// The names of the figures, in their order.
    pub(crate) fn names(&self) -> impl Iterator<Item = &str> {
        self.parts.iter().map(|part| &*part.name)
    }

    /// Compiles aggregates from their JSON text.
    ///
    /// # Errors
    /// `aggregate_invalid`, naming the field at fault as a path from `aggregate`; and what reading JSON refuses.
    pub fn compile(json: &[u8]) -> Result<Self> {
        parse::aggregates(json).map(|parts| Self { parts, grouping: None })
    }

    /// The same by groups: `{"by": ["bin" | {"bin" | "meta" | "expr", "path", "as"}], "top", "order", "desc"}`, as JSON text.
    ///
    /// # Errors
    /// `query_invalid`, naming the field at fault as a path from `group`; `aggregate_invalid` for aggregates that would take too
    /// much in each group; and what reading JSON refuses.
    pub fn by_group(mut self, json: &[u8]) -> Result<Self> {
        if let Some(part) = self.parts.iter().find(|part| matches!(part.kind, Kind::Distinct | Kind::Histogram(_))) {
            let message = sentence!("distinct and histogram work on all records, not on groups");
            return Err(Error::said(ErrorCode::AggregateInvalid, message).in_field(format!("aggregate.{}.op", part.name)));
        }
        self.grouping = Some(parse::grouping(json, &self.parts)?);
        Ok(self)
    }

    fn sources(&self) -> impl Iterator<Item = &Source> {
        let by = self.grouping.iter().flat_map(|grouping| &grouping.by).map(|by| &by.source);
        self.parts.iter().filter_map(|part| part.source.as_ref()).chain(by)
    }

    /// Whether any of them needs the bodies of records.
    pub fn reads_body(&self) -> bool {
        self.sources().any(|source| match source {
            Source::Bin { .. } => true,
            Source::Meta(field) => field.reads_body(),
            Source::Expression(expression) => expression.reads_body(),
        })
    }

    /// Whether any of them is of the sizes of records.
    pub fn reads_size(&self) -> bool {
        self.sources().any(|source| match source {
            Source::Bin { .. } => false,
            Source::Meta(field) => *field == Field::Size,
            Source::Expression(expression) => expression.reads_size(),
        })
    }
}

impl Source {
    /// Calls `with` with the value, if there is one.
    fn value(&self, subject: &impl Subject, item: Option<&Item<'_>>, with: impl FnOnce(Option<ValueRef<'_>>)) {
        match (self, item) {
            (Self::Meta(field), _) => drop(field.value(subject, with)),
            (Self::Expression(expression), Some(item)) => drop(expression.value(&Row { record: subject, item: *item }, with)),
            (Self::Expression(expression), None) => drop(expression.value(subject, with)),
            (Self::Bin { bin, path }, Some(item)) if item.name == &**bin => with(path.find(item.value)),
            (Self::Bin { bin, path }, _) => {
                let body = subject.body();
                let encoded = body.and_then(|body| body.raw_bins().find(|(name, _)| *name == bin.as_bytes()));
                with(encoded.and_then(|(_, value)| path.find(ValueRef::of(value))));
            }
        }
    }
}

impl Totals {
    /// `share`: of the request whose groups they are.
    pub(crate) fn new(of: Arc<Aggregates>, share: Arc<Share>) -> Self {
        match of.grouping {
            Some(_) => Self { of, cells: Vec::new(), groups: Some(Groups::new(Arc::new(All::new(share)))) },
            None => Self::plain(of),
        }
    }

    /// Of all records, or of those of one group.
    fn plain(of: Arc<Aggregates>) -> Self {
        let figure = |kind: &Kind| match kind {
            Kind::Count => Figure::Count,
            Kind::Sum | Kind::Average => Figure::Sum(Sum::default()),
            Kind::Min => Figure::Extreme(Ordering::Less, None),
            Kind::Max => Figure::Extreme(Ordering::Greater, None),
            Kind::Distinct => Figure::Distinct(Box::default()),
            Kind::Histogram(buckets) => Figure::Histogram(Histogram::new(buckets.clone())),
        };
        let cells = of.parts.iter().map(|part| Cell { taken: 0, others: 0, missing: 0, figure: figure(&part.kind) }).collect();
        Self { of, cells, groups: None }
    }

    /// Of the same aggregates, with nothing met.
    pub(crate) fn emptied(&self) -> Self {
        match &self.groups {
            Some(groups) => Self { of: self.of.clone(), cells: Vec::new(), groups: Some(groups.emptied()) },
            None => Self::plain(self.of.clone()),
        }
    }

    /// Adds a record, or one of its rows.
    ///
    /// # Errors
    /// `too_many_groups`.
    pub(crate) fn add(&mut self, subject: &impl Subject, item: Option<&Item<'_>>) -> Result<()> {
        match (&mut self.groups, &self.of.grouping) {
            (Some(groups), Some(grouping)) => groups.add(&self.of, &grouping.by, subject, item),
            _ => {
                self.add_cells(subject, item);
                Ok(())
            }
        }
    }

    fn add_cells(&mut self, subject: &impl Subject, item: Option<&Item<'_>>) {
        for (part, cell) in self.of.parts.iter().zip(&mut self.cells) {
            match &part.source {
                None => cell.taken += 1,
                Some(source) => source.value(subject, item, |value| cell.add(value)),
            }
        }
    }

    /// Hands groups over if the request is short of room, for a worker that is about to wait for some.
    ///
    /// # Errors
    /// `too_many_groups`.
    pub(crate) fn relieve(&mut self) -> Result<()> {
        self.groups.as_mut().map_or(Ok(()), Groups::relieve)
    }

    /// Adds what another worker has met.
    ///
    /// # Errors
    /// `too_many_groups`.
    pub(crate) fn merge(&mut self, other: &Self) -> Result<()> {
        match (&mut self.groups, &other.groups) {
            (Some(groups), Some(others)) => groups.merge(others),
            _ => {
                self.merge_cells(other);
                Ok(())
            }
        }
    }

    fn merge_cells(&mut self, other: &Self) {
        for (cell, other) in self.cells.iter_mut().zip(&other.cells) {
            cell.taken += other.taken;
            cell.others += other.others;
            cell.missing += other.missing;
            match (&mut cell.figure, &other.figure) {
                (Figure::Sum(sum), Figure::Sum(other)) => sum.merge(other),
                (extreme @ Figure::Extreme(..), Figure::Extreme(_, Some(number))) => extreme.add(*number),
                (Figure::Distinct(sketch), Figure::Distinct(other)) => sketch.merge(other),
                (Figure::Histogram(histogram), Figure::Histogram(other)) => histogram.merge(other),
                // Nothing met there; of one name both are of one kind.
                _ => {}
            }
        }
    }
}

impl Cell {
    fn add(&mut self, value: Option<ValueRef<'_>>) {
        let Some(value) = value.filter(|value| !matches!(value, ValueRef::Null)) else {
            self.missing += 1;
            return;
        };
        match &mut self.figure {
            Figure::Count => {}
            Figure::Distinct(sketch) => sketch.add(hash(&value)),
            figure => match Number::of(&value) {
                Some(number) => figure.add(number),
                None => {
                    self.others += 1;
                    return;
                }
            },
        }
        self.taken += 1;
    }
}

impl Figure {
    fn add(&mut self, number: Number) {
        match self {
            Self::Sum(sum) => sum.add(number),
            Self::Extreme(wanted, known) if known.is_none_or(|known| number.order(known) == Some(*wanted)) => *known = Some(number),
            Self::Histogram(histogram) => histogram.add(number),
            Self::Extreme(..) | Self::Count | Self::Distinct(_) => {}
        }
    }
}

/// A hash that equal scalars share, numbers by value; lists and maps go by how they are stored.
fn hash(value: &ValueRef<'_>) -> u64 {
    scalar_hash(value).unwrap_or_else(|| {
        let mut bytes = Vec::new();
        Encoder::new(&mut bytes).value(&value.to_value());
        xxh3_64(&bytes)
    })
}
