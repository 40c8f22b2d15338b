//! Steps of a range, put together from points of the tiers: counts are added, percentiles are never averaged.

use super::segment::Written;
use super::tiers::{LATE_MS, TIERS};
use crate::metrics::devices::DeviceRates;
use crate::metrics::frame::{Frame, LatencySeries};
use crate::metrics::series::Operation;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result};

/// Most series of all steps of an answer together.
const SERIES: usize = 100_000;

/// Points that ended after `from_ms` and at or before `to_ms`, in steps of `step_ms`; 1,000 or less keeps seconds as they are.
#[derive(Clone, Debug, Default)]
pub struct HistoryQuery {
    pub from_ms: u64,
    pub to_ms: u64,
    pub step_ms: u64,
    pub namespace: Option<String>,
    pub op: Option<Operation>,
}

/// One step. One whose duration is shorter than the step has a hole.
#[derive(Clone, Debug)]
pub struct HistoryFrame {
    /// Of the namespace and the operation that were asked for.
    pub frame: Frame,
    /// What all disks did, whichever namespace was asked for.
    pub device: DeviceRates,
}

/// What a range has, oldest first.
#[derive(Clone, Debug)]
pub struct HistoryAnswer {
    /// At least what was asked for: what lies further back is kept in longer steps only.
    pub step_ms: u64,
    pub steps: Vec<HistoryFrame>,
}

/// A point, wherever it is.
#[derive(Clone)]
pub(super) enum Point {
    Waiting(Arc<Frame>),
    Written(Written),
}

impl Point {
    pub(super) fn first(&self) -> u64 {
        match self {
            Self::Waiting(frame) => frame.first,
            Self::Written(written) => written.head.first,
        }
    }

    pub(super) fn seq(&self) -> u64 {
        match self {
            Self::Waiting(frame) => frame.seq,
            Self::Written(written) => written.head.seq,
        }
    }

    pub(super) fn time_ms(&self) -> u64 {
        match self {
            Self::Waiting(frame) => frame.time_ms,
            Self::Written(written) => written.head.time_ms,
        }
    }

    fn start_ms(&self) -> u64 {
        let nanos = match self {
            Self::Waiting(frame) => frame.duration_nanos,
            Self::Written(written) => written.head.duration_nanos,
        };
        self.time_ms().saturating_sub(nanos / 1_000_000)
    }

    pub(super) fn load(&self) -> Option<Arc<Frame>> {
        match self {
            Self::Waiting(frame) => Some(Arc::clone(frame)),
            Self::Written(written) => written.read().map(Arc::new),
        }
    }
}

/// What a query needs, taken while the history stands still.
pub(super) struct Selection {
    step_ms: u64,
    points: Vec<Point>,
}

impl HistoryQuery {
    /// Chooses the points, each second at most once. `tiers` are all points of each tier.
    pub(super) fn select(&self, tiers: &[Vec<Point>; TIERS.len()]) -> Selection {
        let (coarsest, step_ms) = self.grain(tiers);
        let mut points: Vec<Point> = Vec::new();
        // What begins before the range is taken only if nothing finer is there for the part within it.
        let mut early: Vec<Point> = Vec::new();
        for (tier, kept) in TIERS.iter().zip(tiers).take(coarsest + 1).rev() {
            let covers = Cover::of(&points);
            for point in kept.iter().filter(|point| point.time_ms() > self.from_ms && point.time_ms() <= self.to_ms) {
                if covers.has(point) {
                    continue;
                }
                let begins = tier.slot_of(point.time_ms()) * tier.millis() + LATE_MS;
                if begins < self.from_ms && tier.seconds > TIERS[0].seconds { &mut early } else { &mut points }.push(point.clone());
            }
        }
        for point in early.into_iter().rev() {
            if !Cover::of(&points).has(&point) {
                points.push(point);
            }
        }
        points.sort_by_key(|point| (self.key_of(step_ms, point), point.seq()));
        Selection { step_ms, points }
    }

    /// The tier that steps are made of, and how long a step is.
    fn grain(&self, tiers: &[Vec<Point>; TIERS.len()]) -> (usize, u64) {
        let step_ms = self.step_ms.max(TIERS[0].millis());
        let oldest = |points: &Vec<Point>| points.iter().map(Point::start_ms).min();
        let all = tiers.iter().filter_map(oldest).min().unwrap_or(0).max(self.from_ms);
        let reaches = |tier: usize| oldest(&tiers[tier]).is_some_and(|oldest| oldest <= all + 2 * TIERS[tier].millis());
        let fits = |tier: &usize| step_ms.is_multiple_of(TIERS[*tier].millis()) && reaches(*tier);
        let coarsest = (0..TIERS.len()).rev().find(fits).or_else(|| (0..TIERS.len()).find(|&tier| reaches(tier))).unwrap_or(0);
        (coarsest, step_ms.next_multiple_of(TIERS[coarsest].millis()))
    }

    fn key_of(&self, step_ms: u64, point: &Point) -> u64 {
        let late = if step_ms <= TIERS[0].millis() { 0 } else { LATE_MS };
        point.time_ms().saturating_sub(late) / if late == 0 { 1 } else { step_ms }
    }

    /// Adds up the points of each step. `lost` is told of each that cannot be read.
    ///
    /// # Errors
    /// `config_invalid`: the answer would be too large.
    pub(super) fn run(&self, selection: &Selection, mut lost: impl FnMut(&Point)) -> Result<HistoryAnswer> {
        let Selection { step_ms, points } = selection;
        let mut steps = Vec::new();
        let mut series = 0;
        for group in points.chunk_by(|one, next| self.key_of(*step_ms, one) == self.key_of(*step_ms, next)) {
            let mut parts = Vec::with_capacity(group.len());
            for point in group {
                match point.load() {
                    Some(part) => parts.push(part),
                    None => lost(point),
                }
            }
            if parts.is_empty() {
                continue;
            }
            let step = self.step(&parts);
            series += step.frame.latency.len();
            if series > SERIES {
                let message = format!(
                    "the answer has more than {SERIES} series; ask for one namespace or operation, for a longer step, or for a shorter range"
                );
                return Err(Error::new(ErrorCode::ConfigInvalid, message).in_field("step"));
            }
            steps.push(step);
        }
        Ok(HistoryAnswer { step_ms: *step_ms, steps })
    }

    fn step(&self, parts: &[Arc<Frame>]) -> HistoryFrame {
        let of_namespace = |name: &str| self.namespace.as_deref().is_none_or(|namespace| namespace == name);
        let wanted = |series: &LatencySeries| self.op.is_none_or(|op| op == series.kind.op) && of_namespace(&series.namespace);
        let mut frame = Frame::sum(parts, wanted);
        let device = frame.device();
        frame.devices.retain(|load| of_namespace(&load.namespace));
        frame.sizes.retain(|size| of_namespace(&size.namespace));
        HistoryFrame { frame, device }
    }
}

/// The seconds that points have, by number: the clock may have named a moment twice.
struct Cover(Vec<(u64, u64)>);

impl Cover {
    fn of(points: &[Point]) -> Self {
        let mut spans: Vec<_> = points.iter().map(|point| (point.first(), point.seq())).collect();
        spans.sort_unstable();
        Self(spans)
    }

    /// Whether one of them has seconds of `point`.
    fn has(&self, point: &Point) -> bool {
        let after = self.0.partition_point(|(first, _)| *first <= point.seq());
        self.0[..after].last().is_some_and(|(_, last)| *last >= point.first())
    }
}

#[cfg(test)]
mod tests;
