//! Scanning the records of a selection by their places on a device, however their slots are strewn.
//!
//! A scan goes in rounds, so that what it notes stays bounded. In a round the workers first look through segments and note
//! where each wanted record lies; once all have, each takes one region of the device after the other, and reads what was
//! noted of it, neighbours together.
//!
//! The invariant: **a record is met by whoever finds it in a noted slot, with the segment's lock held**, when the read is
//! about to begin. A record that is there throughout keeps its slot, and a slot is noted once and belongs to one region.
//! Only the slot is noted, and the place for the order alone: a record that lies elsewhere by then is read there. One that
//! leaves its segment is followed as in every scan (`store::moves`): whether it was met is told by its slot's mark.

use crate::scan::plan::ROUND_RECORDS;
use crate::segment::SegmentCell;
use crate::store::RecordStore;
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::OnceLock;

/// Most regions of a round, and records of one that are worth their own.
const REGIONS: u64 = 256;
const REGION_RECORDS: u64 = 1024;
/// Noted places of a segment that the bounds of the regions are chosen from.
const SAMPLES: usize = 16;

/// A slot of the selection, and where its record lay.
#[derive(Clone, Copy)]
pub(super) struct Noted {
    pub(super) order: u64,
    pub(super) slot: u32,
    pub(super) segment: u16,
}

/// What the workers of such a scan share.
pub(crate) struct Rounds {
    rounds: Vec<Round>,
    regions: usize,
    /// By segment of the round, in order.
    pub(super) noted: Box<[Mutex<Vec<Noted>>]>,
}

pub(super) struct Round {
    first_item: usize,
    pub(super) segments: Range<usize>,
    pub(super) slots: Range<u32>,
    /// Where each region but the first begins.
    bounds: OnceLock<Vec<u64>>,
}

/// One item of such a scan.
pub(super) enum Task<'a> {
    /// Note the places of a segment.
    Note(&'a Round, usize),
    /// Read a region.
    Read(&'a Round, usize),
}

impl Rounds {
    /// For about `wanted` records, which may be anywhere if they are `uneven`.
    pub(in crate::scan) fn begin(store: &RecordStore, wanted: u64, uneven: bool) -> Self {
        Self::of_size(store, wanted, uneven, ROUND_RECORDS, REGION_RECORDS)
    }

    /// With about so many records in a round, and at least so many in a region.
    pub(in crate::scan) fn of_size(store: &RecordStore, wanted: u64, uneven: bool, round: u64, region: u64) -> Self {
        let cells = store.cells();
        let even = wanted.div_ceil(cells.len() as u64);
        let share = |cell: &SegmentCell| if uneven { cell.records().min(wanted) } else { even };
        let regions = (wanted.min(round) / region).clamp(1, REGIONS) as usize;
        let (mut rounds, mut first_item, mut first, mut widest) = (Vec::new(), 0, 0, 0);
        while let Some(cell) = cells.get(first) {
            let (mut records, mut end) = (share(cell), first + 1);
            while let Some(more) = cells.get(end).map(share).filter(|more| records + more <= round) {
                records += more;
                end += 1;
            }
            // A segment too large for one round is looked through in parts.
            let parts = records.div_ceil(round).max(1) as u32;
            let part = if parts == 1 { u32::MAX } else { cell.read().end() / parts + 1 };
            for number in 0..parts {
                let slots = part.saturating_mul(number)..if number + 1 == parts { u32::MAX } else { part.saturating_mul(number + 1) };
                rounds.push(Round { first_item, segments: first..end, slots, bounds: OnceLock::new() });
                first_item += end - first + regions;
            }
            widest = widest.max(end - first);
            first = end;
        }
        Self { rounds, regions, noted: (0..widest).map(|_| Mutex::default()).collect() }
    }

    pub(in crate::scan) fn items(&self) -> usize {
        self.rounds.last().map_or(0, |round| round.first_item + round.segments.len() + self.regions)
    }

    /// Whether an item may begin only when all before are done.
    pub(in crate::scan) fn begins_stage(&self, item: usize) -> bool {
        match self.task(item) {
            Some(Task::Note(round, segment)) => segment == round.segments.start,
            Some(Task::Read(_, region)) => region == 0,
            None => false,
        }
    }

    pub(super) fn task(&self, item: usize) -> Option<Task<'_>> {
        let at = self.rounds.partition_point(|round| round.first_item <= item);
        let round = self.rounds.get(at.checked_sub(1)?)?;
        let item = item - round.first_item;
        let segments = round.segments.len();
        Some(if item < segments { Task::Note(round, round.segments.start + item) } else { Task::Read(round, item - segments) })
    }

    /// What a round has noted; behind it may lie what is left of a longer one.
    fn noted_in(&self, round: &Round) -> &[Mutex<Vec<Noted>>] {
        &self.noted[..round.segments.len()]
    }

    fn bounds<'r>(&self, round: &'r Round) -> &'r [u64] {
        round.bounds.get_or_init(|| {
            let mut sample = Vec::new();
            for noted in self.noted_in(round) {
                let noted = noted.lock();
                let step = noted.len().div_ceil(SAMPLES).max(1);
                // Weighed, so that a region has its share of the records and not of the segments.
                sample.extend(noted.iter().skip(step / 2).step_by(step).map(|noted| (noted.order, step)));
            }
            bounds(sample, self.regions)
        })
    }

    /// What was noted of a region, in the order of the device.
    pub(super) fn load(&self, round: &Round, region: usize, out: &mut Vec<Noted>) {
        let bounds = self.bounds(round);
        let from = region.checked_sub(1).map_or(Some(0), |before| bounds.get(before).copied());
        out.clear();
        let Some(from) = from else { return };
        let to = bounds.get(region).copied().unwrap_or(u64::MAX);
        for noted in self.noted_in(round) {
            let noted = noted.lock();
            let place = |bound| noted.partition_point(|noted| noted.order < bound);
            out.extend_from_slice(&noted[place(from)..place(to)]);
        }
        out.sort_unstable_by_key(|noted| noted.order);
    }
}

/// Cuts sorted places, each standing for so many, into at most so many regions of about the same weight.
fn bounds(mut sample: Vec<(u64, usize)>, regions: usize) -> Vec<u64> {
    sample.sort_unstable();
    let all: usize = sample.iter().map(|(_, weight)| weight).sum();
    let (mut bounds, mut before) = (Vec::with_capacity(regions), 0);
    for (order, weight) in sample {
        if before * regions >= all * (bounds.len() + 1) && bounds.last() != Some(&order) {
            bounds.push(order);
        }
        before += weight;
    }
    bounds
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn regions_have_about_the_same_weight() {
        let even: Vec<_> = (0..1000).rev().map(|order| (order, 1)).collect();
        assert_eq!(bounds(even, 4), [250, 500, 750]);
        // What stands for more is cut finer.
        let dense = (0..100).map(|order| (order, 9)).chain((100..1000).map(|order| (order, 1)));
        assert_eq!(bounds(dense.collect(), 2), [100]);
        assert_eq!(bounds(vec![(7, 1); 50], 4), [7]);
        assert_eq!(bounds(Vec::new(), 4), [0; 0]);
        assert_eq!(bounds(vec![(1, 1), (2, 1)], 1), [0; 0]);
    }
}
