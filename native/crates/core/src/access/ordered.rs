//! A range index that has the records in the order that is wanted: the first so many are found without meeting all.

use std::ops::RangeInclusive;
use std::sync::Arc;

use super::cost::Estimator;
use super::lookup::bounds_of;
use crate::output::{Place, Ranking};
use crate::segment::Segment;
use tessera_index::{Index, IndexKind, RangeEntry, RangeKey, RangeWalk, SegmentIndex};
use tessera_record::filter::Filter;

/// Of walking to the next entry, nanoseconds, beside looking at its record: entries lie in no order of slots.
const STEP_NS: f64 = 150.0;
/// The share of records that pass, where no index knows of any test.
const PASSING: f64 = 0.1;
/// A walk goes at least so far before it is given up.
const LEAST: u64 = 1024;

/// A walk through the entries of a range index, as far as it takes. What it leaves is met in another way, where that may be wanted.
#[derive(Debug)]
pub(crate) struct RangeOrder {
    index: Arc<Index>,
    keys: RangeInclusive<RangeKey>,
    descending: bool,
    /// Whether nothing that passes the filter lies elsewhere.
    pub complete: bool,
    /// Entries that are thought to be met.
    pub estimate: u64,
    pub ms: f64,
    /// Entries after which the other way is thought to be no worse: the two together take twice the time of the better one at most.
    pub most: u64,
    /// Records that the other way meets.
    pub others: u64,
}

/// What an order by an index is held against, and what is known of the records.
pub(crate) struct Around {
    /// Records of the sets and segments that are asked.
    pub records: u64,
    /// Of them those that the sample and the partitions leave.
    pub sampled: u64,
    /// At most how many pass the filter, where indexes know.
    pub matches: Option<u64>,
    /// Milliseconds of the best other way, and records that it meets.
    pub others_ms: f64,
    pub others: u64,
    /// Milliseconds of looking at one record, alone.
    pub look_ms: f64,
    /// Whether the caller wants the index whatever it costs.
    pub forced: bool,
}

impl RangeOrder {
    /// `None` where `index` does not have the order, or where it would be of no use.
    pub(crate) fn plan(
        index: &Arc<Index>,
        ranking: &Ranking,
        filter: Option<&Filter>,
        costs: &Estimator<'_>,
        around: &Around,
    ) -> Option<Self> {
        let (bin, path) = ranking.order.bin()?;
        if index.spec().kind != IndexKind::Range || index.spec().bin.as_deref() != Some(bin) || index.path() != path {
            return None;
        }
        let descending = ranking.order.descends();
        let (mut first, mut last) = RangeKey::ALL.into_inner();
        let tests = filter.map(Filter::required).unwrap_or_default();
        let mut complete = false;
        for test in tests.into_iter().filter(|test| *test.bin == *bin && test.path == *path) {
            let Some(ranges) = bounds_of(&test.op).filter(|ranges| !ranges.is_empty()) else { continue };
            let keys = || ranges.iter().map(|range| range.keys());
            first = keys().map(|keys| *keys.start()).min().map_or(first, |least| first.max(least));
            last = keys().map(|keys| *keys.end()).max().map_or(last, |most| last.min(most));
            complete = true;
        }
        match ranking.after.as_ref().map(Place::range_key) {
            None => {}
            Some(Some(after)) if descending => last = last.min(after),
            Some(Some(after)) => first = first.max(after),
            // Behind a record without a value no other has one.
            Some(None) => (first, last) = (*RangeKey::ALL.end(), *RangeKey::ALL.start()),
        }
        let order = Self {
            index: Arc::clone(index),
            keys: first..=last,
            descending,
            complete,
            estimate: 0,
            ms: 0.0,
            most: u64::MAX,
            others: around.others,
        };
        Some(order.estimated(ranking.limit as u64 + 1, filter.is_some(), costs, around))
    }

    fn estimated(self, wanted: u64, filtered: bool, costs: &Estimator<'_>, around: &Around) -> Self {
        let found = costs.of_order(|segment| self.estimate(segment));
        let share = |part: u64, of: u64| (part as f64 / of.max(1) as f64).min(1.0);
        let of_set = if self.index.spec().set.is_some() { 1.0 } else { share(around.records, costs.records) };
        let passing = match around.matches {
            _ if !filtered => 1.0,
            Some(matches) => share(matches, found.slots),
            None => PASSING,
        };
        let wanted = wanted as f64 / (of_set * passing * share(around.sampled, around.records)).max(f64::MIN_POSITIVE);
        let each_ms = STEP_NS / 1e6 + around.look_ms;
        let short = wanted > found.slots as f64;
        let met = wanted.min(found.slots as f64);
        let rest_ms = if short && !self.complete { around.others_ms } else { 0.0 };
        let most = if around.forced { u64::MAX } else { LEAST.max((around.others_ms / each_ms) as u64) };
        Self { estimate: met.ceil() as u64, ms: found.ns / 1e6 + met * each_ms + rest_ms, most, ..self }
    }

    pub fn index(&self) -> &Index {
        &self.index
    }

    pub const fn descends(&self) -> bool {
        self.descending
    }

    /// The entries of a segment as they are now; `None` where its index cannot say, as after a drop.
    pub fn walk(&self, segment: &Segment) -> Option<RangeWalk> {
        match segment.indexes().get(&self.index) {
            Some(SegmentIndex::Range(part)) => Some(part.walk(&self.keys, self.descending)),
            _ => None,
        }
    }

    /// Whether an entry stands for nothing any more.
    pub fn was_stale(&self, segment: &Segment, entry: &RangeEntry) -> bool {
        matches!(segment.indexes().get(&self.index), Some(SegmentIndex::Range(part)) if part.was_stale(entry))
    }

    /// At most how many entries a segment has.
    pub fn estimate(&self, segment: &Segment) -> u64 {
        match segment.indexes().get(&self.index) {
            Some(SegmentIndex::Range(part)) => part.estimate_within(&self.keys).min(segment.len() as u64),
            _ => segment.len() as u64,
        }
    }
}
