//! What it costs to find records by indexes, estimated from a few segments, against a scan.

use std::cell::Cell;

use super::lookup::{Lookup, Term};
use crate::segment::Segment;
use crate::store::RecordStore;
use tessera_base::limits::PLAN_STEPS;
use tessera_index::IndexKind;

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
    /// About so many: where several ways go together, as many as if they had nothing to do with each other.
    pub likely: f64,
    /// Of the lookups alone.
    pub ns: f64,
}

/// Looks at some of the segments that a query asks.
pub(crate) struct Estimator<'a> {
    store: &'a RecordStore,
    /// Those looked at.
    sample: Vec<usize>,
    /// Segments that are asked and have records.
    asked: u64,
    /// Records in them.
    pub records: u64,
    /// Milliseconds that looking at so many candidates takes.
    check_ms: &'a dyn Fn(f64) -> f64,
    /// Steps that may still be estimated.
    left: Cell<usize>,
}

impl<'a> Estimator<'a> {
    /// `only`: the one segment that is asked, if not all are; `check_ms`: what looking at so many candidates takes.
    pub fn new(store: &'a RecordStore, only: Option<u16>, check_ms: &'a dyn Fn(f64) -> f64) -> Self {
        let cells = store.cells();
        let left = Cell::new(PLAN_STEPS);
        if let Some(only) = only.map(usize::from) {
            return Self { store, sample: vec![only], asked: 1, records: cells[only].records(), check_ms, left };
        }
        let filled: Vec<usize> = (0..cells.len()).filter(|&segment| cells[segment].records() > 0).collect();
        let step = filled.len().div_ceil(SAMPLE).max(1);
        let records = filled.iter().map(|&segment| cells[segment].records()).sum();
        let sample = filled.iter().copied().step_by(step).collect();
        Self { store, sample, asked: filled.len() as u64, records, check_ms, left }
    }

    /// Whether anything may still be estimated: nobody waits long for a plan.
    pub const fn may_estimate(&self) -> bool {
        self.left.get() > 0
    }

    /// Takes so many steps off what may be estimated; false where they are too many.
    pub fn takes(&self, steps: usize) -> bool {
        let left = self.left.get();
        self.left.set(left.saturating_sub(steps.max(1)));
        steps <= left
    }

    pub fn of_lookup(&self, lookup: &Lookup) -> Estimate {
        let slots = self.sampled(|segment| lookup.estimate(segment));
        let steps = lookup.steps() as f64;
        let each = match lookup.kind() {
            IndexKind::Document => POSTING_NS * steps,
            IndexKind::Range => RANGED_NS,
        };
        Estimate { slots, likely: slots as f64, ns: steps * self.asked as f64 * LOOKUP_NS + slots as f64 * each }
    }

    pub fn of_term(&self, lookup: &Lookup, term: &Term) -> u64 {
        self.sampled(|segment| lookup.estimate_term(term, segment))
    }

    /// Of the entries of an order by an index, of which there are `of_segment` in one segment, and
    /// of beginning with them.
    pub fn of_order(&self, of_segment: impl Fn(&Segment) -> u64) -> Estimate {
        let slots = self.sampled(of_segment);
        Estimate { slots, likely: slots as f64, ns: self.asked as f64 * LOOKUP_NS }
    }

    /// Milliseconds of finding candidates and of looking at a share of them.
    pub fn ms(&self, estimate: &Estimate, share: f64) -> f64 {
        estimate.ns / 1e6 + (self.check_ms)(estimate.likely * share)
    }

    /// Of what any of several ways propose.
    pub fn together(&self, parts: impl Iterator<Item = Estimate>) -> Estimate {
        let add = |sum: Estimate, part: Estimate| Estimate {
            slots: sum.slots.saturating_add(part.slots),
            likely: sum.likely + part.likely,
            ns: sum.ns + part.ns,
        };
        let sum = parts.fold(Estimate::default(), add);
        let likely = sum.likely.min(self.records as f64);
        Estimate { slots: sum.slots.min(self.records), likely, ns: sum.ns + sum.slots as f64 * RANGED_NS }
    }

    /// Of what all of several ways propose: at most the least of them, as nothing says that they are independent, and likely what
    /// is left if they are.
    pub fn in_common(&self, parts: impl Iterator<Item = Estimate>) -> Estimate {
        let records = self.records.max(1) as f64;
        let both = |all: Estimate, part: Estimate| Estimate {
            slots: all.slots.min(part.slots),
            likely: all.likely * part.likely / records,
            ns: all.ns + part.ns,
        };
        parts.reduce(both).unwrap_or_default()
    }

    /// At most how many, of all segments that are asked. A segment that is locked for a change counts as the others do: nobody waits
    /// for an estimate. Where all are, it is 0.
    fn sampled(&self, of: impl Fn(&Segment) -> u64) -> u64 {
        let (mut most, mut seen) = (0_u64, 0_u64);
        for segment in self.sample.iter().filter_map(|&segment| self.store.cells()[segment].try_read()) {
            most = most.saturating_add(of(&segment));
            seen += 1;
        }
        let all = u128::from(most) * u128::from(self.asked);
        u64::try_from(all.div_ceil(u128::from(seen.max(1)))).unwrap_or(u64::MAX).min(self.records)
    }
}

/// Whether a scan is clearly cheaper than the indexes.
pub(crate) fn scan_is_cheaper(scan_ms: f64, index_ms: f64) -> bool {
    scan_ms + MARGIN_MS < index_ms
}
