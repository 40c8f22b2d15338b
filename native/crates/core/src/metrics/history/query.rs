//! Steps of a range, put together from points of the tiers: counts are added, percentiles are never averaged.

use super::segment::Written;
use super::tiers::{LATE_MS, TIERS, Tier};
use crate::metrics::devices::DeviceRates;
use crate::metrics::frame::{Frame, LatencySeries};
use crate::metrics::series::Operation;
use std::collections::VecDeque;
use std::sync::Arc;

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

/// The steps of a range, oldest first. Each is read and added up when `History::next` is asked for it, so an answer takes the
/// memory of one step, however long it is.
#[derive(Clone)]
pub struct HistorySteps {
    query: HistoryQuery,
    step_ms: u64,
    points: VecDeque<Point>,
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

    fn nanos(&self) -> u64 {
        match self {
            Self::Waiting(frame) => frame.duration_nanos,
            Self::Written(written) => written.head.duration_nanos,
        }
    }

    fn start_ms(&self) -> u64 {
        self.time_ms().saturating_sub(self.nanos() / 1_000_000)
    }

    pub(super) fn load(&self) -> Option<Arc<Frame>> {
        match self {
            Self::Waiting(frame) => Some(Arc::clone(frame)),
            Self::Written(written) => written.read().map(Arc::new),
        }
    }
}

impl HistoryQuery {
    /// Chooses the points, each second at most once. `tiers` are all points of each tier.
    pub(super) fn select(self, tiers: &[Vec<Point>; TIERS.len()]) -> HistorySteps {
        let (coarsest, step_ms) = self.grain(tiers);
        let mut points = self.take(coarsest, tiers);
        points.sort_by_key(|point| (self.key_of(step_ms, point), point.seq()));
        HistorySteps { query: self, step_ms, points: points.into() }
    }

    /// The points of the range, from this tier and finer ones.
    fn take(&self, coarsest: usize, tiers: &[Vec<Point>; TIERS.len()]) -> Vec<Point> {
        let mut points: Vec<Point> = Vec::new();
        // What begins before the range is taken only if nothing finer is there for the part within it.
        let mut early: Vec<Point> = Vec::new();
        for (tier, kept) in TIERS.iter().zip(tiers).take(coarsest + 1).rev() {
            let covers = Cover::of(&points);
            for point in kept.iter().filter(|point| point.time_ms() > self.from_ms && point.time_ms() <= self.to_ms) {
                if covers.has(point) {
                    continue;
                }
                if tier.begin_ms(point.time_ms()) < self.from_ms && tier.seconds > TIERS[0].seconds { &mut early } else { &mut points }
                    .push(point.clone());
            }
        }
        for point in early.into_iter().rev() {
            if !Cover::of(&points).has(&point) {
                points.push(point);
            }
        }
        points
    }

    /// The tier that steps are made of, and how long a step is.
    fn grain(&self, tiers: &[Vec<Point>; TIERS.len()]) -> (usize, u64) {
        let step_ms = self.step_ms.max(TIERS[0].millis());
        let oldest = |points: &Vec<Point>| points.iter().map(Point::start_ms).min();
        let all = tiers.iter().filter_map(oldest).min().unwrap_or(0).max(self.from_ms);
        let has_all = |tier: usize| {
            let since = all + 2 * TIERS[tier].millis();
            oldest(&tiers[tier]).is_some_and(|oldest| oldest <= since) && self.is_whole(tier, since, tiers)
        };
        let fits = |tier: &usize| step_ms.is_multiple_of(TIERS[*tier].millis()) && has_all(*tier);
        let coarsest = (0..TIERS.len()).rev().find(fits).or_else(|| (0..TIERS.len()).find(|&tier| has_all(tier))).unwrap_or(0);
        (coarsest, step_ms.next_multiple_of(TIERS[coarsest].millis()))
    }

    /// Whether this tier and finer ones have what each coarser tier has, but for a point or a hundredth of it: a damaged place is a
    /// gap, and a damaged file has longer steps.
    fn is_whole(&self, tier: usize, since_ms: u64, tiers: &[Vec<Point>; TIERS.len()]) -> bool {
        let within = |of: &Tier, point: &&Point| of.begin_ms(point.time_ms()) >= since_ms && point.time_ms() <= self.to_ms;
        let coarser: Vec<Vec<&Point>> =
            TIERS.iter().zip(tiers).skip(tier + 1).map(|(of, kept)| kept.iter().filter(|point| within(of, point)).collect()).collect();
        if coarser.iter().all(Vec::is_empty) {
            return true;
        }
        let seconds = Cover::of(&self.take(tier, tiers));
        coarser.iter().all(|kept| {
            let has: u64 = kept.iter().map(|point| point.nanos()).sum();
            let lacks: u64 = kept.iter().map(|point| point.nanos().saturating_sub(seconds.nanos_of(point))).sum();
            // A point lasts a little longer than its interval.
            lacks < 2 * TIERS[tier].nanos() || lacks <= has / 100
        })
    }

    fn key_of(&self, step_ms: u64, point: &Point) -> u64 {
        let late = if step_ms <= TIERS[0].millis() { 0 } else { LATE_MS };
        point.time_ms().saturating_sub(late) / if late == 0 { 1 } else { step_ms }
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

impl HistorySteps {
    /// At least what was asked for: what lies further back is kept in longer steps only.
    pub fn step_ms(&self) -> u64 {
        self.step_ms
    }

    /// The next step that has points; `None` at the end. `lost` is told of each point that cannot be read.
    pub(super) fn next(&mut self, mut lost: impl FnMut(Point)) -> Option<HistoryFrame> {
        loop {
            let key = self.query.key_of(self.step_ms, self.points.front()?);
            let mut parts = Vec::new();
            let of_step = self.points.iter().take_while(|point| self.query.key_of(self.step_ms, point) == key).count();
            for point in self.points.drain(..of_step) {
                match point.load() {
                    Some(part) => parts.push(part),
                    None => lost(point),
                }
            }
            if !parts.is_empty() {
                return Some(self.query.step(&parts));
            }
        }
    }
}

/// The seconds that points have, by number: the clock may have named a moment twice. Each with how long it lasted.
struct Cover(Vec<(u64, u64, u64)>);

impl Cover {
    fn of(points: &[Point]) -> Self {
        let mut spans: Vec<_> = points.iter().map(|point| (point.first(), point.seq(), point.nanos())).collect();
        spans.sort_unstable();
        Self(spans)
    }

    /// How long those lasted that are in `point`.
    fn nanos_of(&self, point: &Point) -> u64 {
        let begin = self.0.partition_point(|(first, ..)| *first < point.first());
        self.0[begin..].iter().take_while(|(_, last, _)| *last <= point.seq()).map(|(.., nanos)| nanos).sum()
    }

    /// Whether one of them has seconds of `point`.
    fn has(&self, point: &Point) -> bool {
        let after = self.0.partition_point(|(first, ..)| *first <= point.seq());
        self.0[..after].last().is_some_and(|(_, last, _)| *last >= point.first())
    }
}

#[cfg(test)]
mod tests;
