//! What it costs to find records by indexes, estimated from a few segments, against a scan.

use super::lookup::{Lookup, Term};
use super::ordered::RangeOrder;
use crate::index::IndexKind;
use crate::namespace::Namespace;
use crate::segment::Segment;

/// Indexes are estimated by what they propose in this many segments.
const SAMPLE: usize = 8;

/// Nanoseconds, measured on one core: of finding a term or a range in a segment; of reading one slot of a list, and of a range, whose slots are sorted after.
const LOOKUP_NS: f64 = 300.0;
const POSTING_NS: f64 = 1.5;
const RANGED_NS: f64 = 15.0;

/// Estimates are not nearer than this: a scan has to be better by more than so many milliseconds to be taken.
const MARGIN_MS: f64 = 0.05;

/// What one way to find records is thought to come to, over all segments that are asked.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub(crate) struct Estimate {
    /// At most so many candidates.
    pub slots: u64,
    /// Of the lookups alone.
    pub ns: f64,
}

/// Looks at some of the segments that a query asks.
pub(crate) struct Estimator<'a> {
    namespace: &'a Namespace,
    /// Those looked at, and for how many each stands.
    sample: Vec<usize>,
    step: u64,
    /// Segments that are asked and have records.
    asked: u64,
    /// Records in them.
    pub records: u64,
    /// Of checking one candidate.
    check_ns: f64,
}

impl<'a> Estimator<'a> {
    /// `only`: the one segment that is asked, if not all are; `check_ns`: of looking at one record.
    pub fn new(namespace: &'a Namespace, only: Option<u16>, check_ns: f64) -> Self {
        let cells = namespace.cells();
        if let Some(only) = only.map(usize::from) {
            return Self { namespace, sample: vec![only], step: 1, asked: 1, records: cells[only].records(), check_ns };
        }
        let filled: Vec<usize> = (0..cells.len()).filter(|&segment| cells[segment].records() > 0).collect();
        let step = filled.len().div_ceil(SAMPLE).max(1);
        let records = filled.iter().map(|&segment| cells[segment].records()).sum();
        let sample = filled.iter().copied().step_by(step).collect();
        Self { namespace, sample, step: step as u64, asked: filled.len() as u64, records, check_ns }
    }

    pub fn of_lookup(&self, lookup: &Lookup) -> Estimate {
        let slots = self.sampled(|segment| lookup.estimate(segment));
        let each = match lookup.kind() {
            IndexKind::Document => POSTING_NS * lookup.steps() as f64,
            IndexKind::Range => RANGED_NS,
        };
        Estimate { slots, ns: lookup.steps() as f64 * self.asked as f64 * LOOKUP_NS + slots as f64 * each }
    }

    pub fn of_term(&self, lookup: &Lookup, term: &Term) -> u64 {
        self.sampled(|segment| lookup.estimate_term(term, segment))
    }

    /// Of the entries of an order by an index, and of beginning with them.
    pub fn of_order(&self, order: &RangeOrder) -> Estimate {
        Estimate { slots: self.sampled(|segment| order.estimate(segment)), ns: self.asked as f64 * LOOKUP_NS }
    }

    /// Of what any of several ways propose.
    pub fn together(&self, parts: impl Iterator<Item = Estimate>) -> Estimate {
        let sum = parts.fold(Estimate::default(), |sum, part| Estimate { slots: sum.slots + part.slots, ns: sum.ns + part.ns });
        Estimate { slots: sum.slots.min(self.records), ns: sum.ns + sum.slots as f64 * RANGED_NS }
    }

    /// Of what all of several ways propose: nothing says that they are independent, so it may be as much as the least of them.
    pub fn in_common(&self, parts: impl Iterator<Item = Estimate>) -> Estimate {
        let least = |all: Estimate, part: Estimate| Estimate { slots: all.slots.min(part.slots), ns: all.ns + part.ns };
        parts.reduce(least).unwrap_or_default()
    }

    /// Whether looking `more` up beside `first` saves more than it costs, if the two have nothing to do with each other.
    pub fn narrows(&self, first: &Estimate, more: &Estimate) -> bool {
        let left_out = first.slots as f64 * (1.0 - more.slots as f64 / self.records.max(1) as f64);
        left_out * self.check_ns > more.ns
    }

    /// At most how many, of all segments that are asked. A segment that is locked for a change is passed over: nobody waits for an estimate.
    fn sampled(&self, of: impl Fn(&Segment) -> u64) -> u64 {
        let segments = self.sample.iter().filter_map(|&segment| self.namespace.cells()[segment].try_read());
        let most = segments.map(|segment| of(&segment)).fold(0, u64::saturating_add);
        most.saturating_mul(self.step).min(self.records)
    }
}

/// Whether a scan is clearly cheaper than the indexes.
pub(crate) fn scan_is_cheaper(scan_ms: f64, index_ms: f64) -> bool {
    scan_ms + MARGIN_MS < index_ms
}
