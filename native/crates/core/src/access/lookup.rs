//! What one index is asked for: terms of a document index, or ranges of a range index.

use std::cmp::Ordering;
use std::sync::Arc;

use crate::segment::Segment;
use tessera_base::limits::DOCUMENT_TERMS;
use tessera_index::document::{Candidates, QueryTerms};
use tessera_index::range::RangeBounds;
use tessera_index::{Index, IndexKind, SegmentIndex};
use tessera_record::filter::{Each, Members, Op, Operand, Test};
use tessera_record::json::{Shape, write_value};
use tessera_record::{Path, PathStep, Value, ValueRef};

/// More values than these of one test are not looked up one by one: the scan compares them faster.
const MOST_WANTED: usize = 256;

/// Slots whose records may pass a test, or several tests: those of any of `wanted`.
#[derive(Clone, Debug)]
pub(crate) struct Lookup {
    index: Arc<Index>,
    wanted: Vec<Wanted>,
}

#[derive(Clone, Debug)]
pub(super) enum Wanted {
    /// The documents that the terms are of are kept for `explain`.
    Terms {
        terms: QueryTerms,
        documents: Vec<Operand>,
    },
    Range(RangeBounds),
}

/// A scalar that a document index is asked for.
#[derive(Debug)]
pub(crate) struct Term {
    pub path: Path,
    /// As JSON.
    pub value: String,
    terms: QueryTerms,
}

impl Lookup {
    /// What `index` says about a test, if anything: every record that passes it is among the candidates.
    pub fn of(index: &Arc<Index>, test: &Test) -> Option<Self> {
        let bin = index.spec().bin.as_deref();
        if bin.is_some_and(|bin| *test.bin != *bin) {
            return None;
        }
        if matches!(&test.op, Op::In(list) if list.operands().count() > MOST_WANTED) {
            return None;
        }
        let wanted = match index.spec().kind {
            IndexKind::Document => {
                let whole = bin.is_none();
                documents_of(test, whole)?.into_iter().map(|documents| Wanted::documents(documents, whole)).collect::<Option<Vec<_>>>()?
            }
            IndexKind::Range if test.each.is_none() && test.path == *index.path() => {
                bounds_of(&test.op)?.into_iter().map(Wanted::Range).collect()
            }
            IndexKind::Range => return None,
        };
        (wanted.len() <= MOST_WANTED).then(|| Self { index: Arc::clone(index), wanted })
    }

    /// Adds what another test wants of the same index, if both can be looked up at once; false if not.
    pub fn narrow(&mut self, other: &Self) -> bool {
        if !Arc::ptr_eq(&self.index, &other.index) {
            return false;
        }
        match (&mut self.wanted[..], &other.wanted[..]) {
            ([Wanted::Terms { terms, documents }], [Wanted::Terms { terms: more, documents: others }])
                if terms.len() + more.len() <= DOCUMENT_TERMS =>
            {
                *terms = std::mem::take(terms).and(more.clone());
                documents.extend_from_slice(others);
                true
            }
            // Of a number and a string nothing is both, so either may be looked up: the recheck leaves nothing.
            ([Wanted::Range(bounds)], [Wanted::Range(more)]) => {
                *bounds = bounds.and(*more).unwrap_or(*bounds);
                true
            }
            _ => false,
        }
    }

    /// Any of these.
    pub(super) fn wanted(&self) -> &[Wanted] {
        &self.wanted
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    pub fn kind(&self) -> IndexKind {
        self.index.spec().kind
    }

    /// Terms or ranges that are looked up in each segment.
    pub fn steps(&self) -> usize {
        self.wanted.iter().map(|wanted| if let Wanted::Terms { terms, .. } = wanted { terms.len() } else { 1 }).sum()
    }

    /// Puts the slots that can match into `out`, ascending. `All` when the segment's index cannot say, as after a drop.
    pub fn candidates(&self, segment: &Segment, out: &mut Vec<u32>) -> Candidates {
        let (part, check_ns) = (segment.indexes().get(&self.index), self.index.check_ns());
        if let [only] = &self.wanted[..] {
            return only.candidates(part, check_ns, out);
        }
        out.clear();
        let mut more = Vec::new();
        for wanted in &self.wanted {
            if wanted.candidates(part, check_ns, &mut more) == Candidates::All {
                return Candidates::All;
            }
            out.extend_from_slice(&more);
        }
        out.sort_unstable();
        out.dedup();
        Candidates::Slots
    }

    /// At most how many candidates a segment has.
    pub fn estimate(&self, segment: &Segment) -> u64 {
        let part = segment.indexes().get(&self.index);
        let most = self.wanted.iter().map(|wanted| wanted.estimate(part)).fold(0, u64::saturating_add);
        most.min(segment.len() as u64)
    }

    /// The first `most` scalars that a document index is asked for; none of a range index.
    pub fn terms(&self, most: usize) -> Vec<Term> {
        let mut terms = Vec::new();
        for wanted in &self.wanted {
            let (Wanted::Terms { documents, .. }, whole) = (wanted, self.index.spec().bin.is_none()) else { continue };
            documents.iter().for_each(|document| scalars(&document.value(), whole, &mut Vec::new(), most, &mut terms));
        }
        terms
    }

    /// At most how many candidates of a segment have this term.
    pub fn estimate_term(&self, term: &Term, segment: &Segment) -> u64 {
        match segment.indexes().get(&self.index) {
            Some(SegmentIndex::Document(part)) => part.estimate(&term.terms).min(segment.len() as u64),
            _ => segment.len() as u64,
        }
    }
}

impl Wanted {
    /// What has the terms of all these documents; `None` when they have none.
    fn documents(documents: Vec<Operand>, whole: bool) -> Option<Self> {
        let terms = documents.iter().map(|document| terms_of(&document.value(), whole)).reduce(QueryTerms::and)?.first(DOCUMENT_TERMS);
        (!terms.is_empty()).then_some(Self::Terms { terms, documents })
    }

    fn candidates(&self, part: Option<&SegmentIndex>, check_ns: u32, out: &mut Vec<u32>) -> Candidates {
        match (part, self) {
            (Some(SegmentIndex::Document(part)), Self::Terms { terms, .. }) => part.candidates_to_check(terms, check_ns, out),
            (Some(SegmentIndex::Range(part)), Self::Range(bounds)) => {
                part.candidates(bounds, out);
                Candidates::Slots
            }
            _ => Candidates::All,
        }
    }

    fn estimate(&self, part: Option<&SegmentIndex>) -> u64 {
        match (part, self) {
            (Some(SegmentIndex::Document(part)), Self::Terms { terms, .. }) => part.estimate(terms),
            (Some(SegmentIndex::Range(part)), Self::Range(bounds)) => part.estimate(bounds),
            _ => u64::MAX,
        }
    }
}

/// Terms of a document, or of a map of bins in an index over whole records.
fn terms_of(document: &ValueRef<'_>, whole: bool) -> QueryTerms {
    if whole { QueryTerms::of_record(document) } else { QueryTerms::of(document) }
}

/// Documents, of maps of bins where the index is over `whole` records: each record that passes the test has the terms of all in
/// at least one of the lists. `None` when the test says nothing of that kind.
fn documents_of(test: &Test, whole: bool) -> Option<Vec<Vec<Operand>>> {
    let every = match test.each {
        None => false,
        Some(Each { members: Members::Items, all: false }) => true,
        // Keys at the top have the term of the string; others, and those of a value, have none. What all have to pass, none may be there to pass.
        Some(Each { members: Members::Keys, all: false }) if test.path.is_empty() => false,
        Some(_) => return None,
    };
    let in_bin = |document| if whole { Value::Map(vec![(test.bin.to_string(), document)]) } else { document };
    let nested = |value: &ValueRef<'_>| Operand::new(&in_bin(nest(&test.path, every, value.to_value())));
    let at_top = test.path.is_empty() && !every;
    match &test.op {
        Op::Equal(operand) => Some(vec![vec![nested(&operand.value())]]),
        Op::In(list) => Some(list.operands().map(|operand| vec![nested(&operand.value())]).collect()),
        // Where it may be an item of a list, a bare scalar may have other terms than the scalar there.
        Op::Contains(contained) => {
            let wanted = contained.wanted();
            let clear = at_top && !whole || matches!(wanted, ValueRef::List(_) | ValueRef::Map(_));
            clear.then(|| vec![vec![nested(&wanted)]])
        }
        // Keys at the top have the term of the string.
        Op::Has(has) if at_top => {
            let keys = has.keys.iter().map(|key| nested(&ValueRef::String(key)));
            Some(if has.all { vec![keys.collect()] } else { keys.map(|key| vec![key]).collect() })
        }
        _ => None,
    }
}

/// A document that has `value` at `path`, or as an item of what is there, and nothing else. Terms know no positions in lists, so any will do.
fn nest(path: &Path, every: bool, value: Value) -> Value {
    let value = if every { Value::List(vec![value]) } else { value };
    path.steps().iter().rev().fold(value, |value, step| match step {
        PathStep::Key(key) => Value::Map(vec![(String::from_utf8_lossy(key).into_owned(), value)]),
        PathStep::Item(_) | PathStep::Every => Value::List(vec![value]),
    })
}

/// Ranges of which each value that passes is in at least one.
pub(super) fn bounds_of(op: &Op) -> Option<Vec<RangeBounds>> {
    let one = match op {
        Op::Equal(operand) => RangeBounds::of(&[Ordering::Equal], &operand.value()),
        Op::Order(orders, operand) => RangeBounds::of(orders, &operand.value()),
        Op::Between(low, high) => RangeBounds::of(&[Ordering::Greater, Ordering::Equal], &low.value())?
            .and(RangeBounds::of(&[Ordering::Less, Ordering::Equal], &high.value())?),
        Op::Prefix(prefix) => Some(RangeBounds::of_prefix(prefix)),
        Op::In(list) => return list.operands().map(|operand| RangeBounds::of(&[Ordering::Equal], &operand.value())).collect(),
        _ => None,
    };
    one.map(|bounds| vec![bounds])
}

fn scalars(value: &ValueRef<'_>, whole: bool, path: &mut Vec<PathStep>, most: usize, out: &mut Vec<Term>) {
    if out.len() >= most {
        return;
    }
    let mut inside = |step: PathStep, value: &ValueRef<'_>| {
        path.push(step);
        scalars(value, whole, path, most, out);
        path.pop();
    };
    match value {
        ValueRef::Map(entries) => entries.iter().for_each(|(key, value)| inside(PathStep::Key(key.into()), &value)),
        ValueRef::List(items) => items.iter().for_each(|item| inside(PathStep::Every, &item)),
        _ => {
            let Ok(path) = Path::of_steps(path.iter().cloned()) else { return };
            let mut json = Vec::new();
            write_value(&mut json, *value, Shape::Record);
            let terms = terms_of(&Operand::new(&nest(&path, false, value.to_value())).value(), whole);
            out.push(Term { path, value: String::from_utf8_lossy(&json).into_owned(), terms });
        }
    }
}
