//! What an index is asked for: terms of a document index, or a range of a range index.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::filter::{Filter, Op, Operand, Test};
use crate::index::document::{Candidates, QueryTerms};
use crate::index::range::RangeBounds;
use crate::index::{Index, IndexKind, SegmentIndex};
use crate::record::{Path, Step, Value, ValueRef};
use crate::segment::Segment;

#[derive(Clone, Debug)]
pub(crate) struct Lookup {
    index: Arc<Index>,
    wanted: Wanted,
}

#[derive(Clone, Debug)]
enum Wanted {
    Terms(QueryTerms),
    Range(RangeBounds),
}

impl Lookup {
    /// What `index` can contribute to a query with `filter`, if anything: every match is among its candidates.
    pub fn new(index: Arc<Index>, filter: &Filter) -> Option<Self> {
        let required = filter.required();
        let on_bin = required.iter().filter(|test| *test.bin == *index.spec().bin);
        let wanted = match index.spec().kind {
            IndexKind::Document => {
                let terms = on_bin.filter_map(|test| terms_of(test)).reduce(QueryTerms::and)?;
                if terms.is_empty() {
                    return None;
                }
                Wanted::Terms(terms)
            }
            IndexKind::Range => {
                let bounds = on_bin.filter(|test| test.path == *index.path()).filter_map(|test| bounds_of(test));
                // Of a number and a string nothing is both, so either may be looked up: the recheck leaves nothing.
                Wanted::Range(bounds.reduce(|all, more| all.and(more).unwrap_or(all))?)
            }
        };
        Some(Self { index, wanted })
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    /// How many terms are looked up in each segment; 0 for a range.
    pub fn terms(&self) -> usize {
        match &self.wanted {
            Wanted::Terms(terms) => terms.len(),
            Wanted::Range(_) => 0,
        }
    }

    /// Puts the slots that can match into `out`, ascending. `All` when the segment's index cannot say, as after a drop.
    pub fn candidates(&self, segment: &Segment, out: &mut Vec<u32>) -> Candidates {
        match (segment.indexes().get(&self.index), &self.wanted) {
            (Some(SegmentIndex::Document(part)), Wanted::Terms(terms)) => part.candidates(terms, out),
            (Some(SegmentIndex::Range(part)), Wanted::Range(bounds)) => {
                part.candidates(bounds, out);
                Candidates::Slots
            }
            _ => Candidates::All,
        }
    }

    /// At most how many candidates a segment has.
    pub fn estimate(&self, segment: &Segment) -> u64 {
        let most = match (segment.indexes().get(&self.index), &self.wanted) {
            (Some(SegmentIndex::Document(part)), Wanted::Terms(terms)) => part.estimate(terms),
            (Some(SegmentIndex::Range(part)), Wanted::Range(bounds)) => part.estimate(bounds),
            _ => u64::MAX,
        };
        most.min(segment.len() as u64)
    }
}

/// The terms of every document that passes the test, if it says something about terms.
fn terms_of(test: &Test) -> Option<QueryTerms> {
    let wanted = match &test.op {
        Op::Equal(operand) => operand.value(),
        // At the end of a path a bare scalar may be an item of a list, which has other terms than the scalar there.
        Op::Contains(contained) if test.path.is_empty() || matches!(contained.wanted(), ValueRef::List(_) | ValueRef::Map(_)) => {
            contained.wanted()
        }
        _ => return None,
    };
    let nested = Operand::new(&nest(&test.path, wanted.to_value()));
    Some(QueryTerms::of(&nested.value()))
}

/// A document that has `value` at `path` and nothing else. Terms know no positions in lists, so any will do.
fn nest(path: &Path, value: Value) -> Value {
    path.steps().iter().rev().fold(value, |value, step| match step {
        Step::Key(key) => Value::Map(vec![(String::from_utf8_lossy(key).into_owned(), value)]),
        Step::Item(_) | Step::Every => Value::List(vec![value]),
    })
}

fn bounds_of(test: &Test) -> Option<RangeBounds> {
    match &test.op {
        Op::Equal(operand) => RangeBounds::of(&[Ordering::Equal], &operand.value()),
        Op::Order(orders, operand) => RangeBounds::of(orders, &operand.value()),
        Op::Between(low, high) => RangeBounds::of(&[Ordering::Greater, Ordering::Equal], &low.value())?
            .and(RangeBounds::of(&[Ordering::Less, Ordering::Equal], &high.value())?),
        Op::Prefix(prefix) => Some(RangeBounds::of_prefix(prefix)),
        _ => None,
    }
}
