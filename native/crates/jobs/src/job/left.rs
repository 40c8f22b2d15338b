//! How long a job will take still, from how far it was over time. Reads no clock.

use super::progress::Progress;

/// Between two points at first, milliseconds. They move apart as those of `Progress` do.
const STEP_MS: u64 = 50;
/// The rate is that of the last third of the time: the longer a job has run, the longer is what lies before it, and the less do
/// the last seconds say of it. At least of so long, milliseconds.
const PART: u64 = 3;
const LEAST_MS: u64 = 3000;
/// Equal parts of what is done, whose times say how much the pace varies and whether it changes.
const PARTS: usize = 16;
/// Standard errors on each side of the range, and what it has there in any case, as a share.
const ERRORS: f64 = 2.0;
const MARGIN: f64 = 0.05;
/// A change of the pace counts half if it is so many standard errors, squared.
const CLEAR: f64 = 9.0;
/// Half of a change is believed, and no more than this share: a pace that has changed once looks like one that goes on to change.
const BELIEVED: f64 = 0.5;
const BELIEVED_MOST: f64 = 0.1;
/// The range reaches beyond a change that goes on as it has: it may become faster.
const BEYOND: f64 = 1.5;
/// What is to come is taken to be at most so many times as slow, or as fast, as the last part.
const CHANGE_MOST: f64 = 2.0;
/// Parts more alike than this would count for hardly any.
const ALIKE_MOST: f64 = 0.9;

/// Seconds to the end, and between what they most likely are.
#[derive(Clone, Copy, Debug, PartialEq)]
pub(super) struct Left {
    pub seconds: f64,
    pub least: f64,
    pub most: f64,
}

/// What is done over the time in which the job was at work.
#[derive(Debug)]
pub(super) struct Trace(Progress);

impl Default for Trace {
    fn default() -> Self {
        Self(Progress { step_ms: STEP_MS, ..Progress::default() })
    }
}

impl Trace {
    pub(super) fn look(&mut self, active_ms: u64, done: u64) {
        self.0.look(active_ms, done);
    }

    /// `None`: nothing is done yet, or nothing is left.
    pub(super) fn left(&self, active_ms: u64, done: u64, total: u64) -> Option<Left> {
        let points = self.points(active_ms, done);
        let remaining = total.checked_sub(done).filter(|left| *left > 0)? as f64;
        let (now, done) = (active_ms as f64, done as f64);
        if done <= 0.0 || now <= 0.0 {
            return None;
        }
        let from = active_ms.saturating_sub((active_ms / PART).max(LEAST_MS)) as f64;
        let recent = done - done_at(&points, from);
        // Milliseconds a unit. A job that has stood still for so long goes on as it did before.
        let pace = if recent > 0.0 { (now - from) / recent } else { now / done };
        let change = Change::of(&points, done, remaining);
        let believed = (BELIEVED * (change.clear_pace - pace)).clamp(-BELIEVED_MOST * pace, BELIEVED_MOST * pace);
        let farthest = pace + BEYOND * (change.pace - pace);
        let margin = ERRORS * change.error + MARGIN * pace;
        let bounded = |bound: f64| bound.clamp(pace / CHANGE_MOST, pace * CHANGE_MOST);
        let (least, most) = (bounded(pace.min(farthest) - margin), bounded(pace.max(farthest) + margin));
        let seconds = |pace: f64| remaining * pace / 1000.0;
        let told = pace + believed;
        Some(Left { seconds: seconds(told), least: seconds(least.min(told)), most: seconds(most.max(told)) })
    }

    /// Moments and what was done then, from the start until now.
    fn points(&self, active_ms: u64, done: u64) -> Vec<(f64, f64)> {
        let Progress { step_ms, done: seen } = &self.0;
        let steps = (1u64..).map(|step| (step * step_ms) as f64).zip(seen.iter().map(|done| *done as f64));
        std::iter::once((0.0, 0.0)).chain(steps).chain([(active_ms as f64, done as f64)]).collect()
    }
}

/// The mean pace of what is to come, if it goes on to change as it has.
struct Change {
    pace: f64,
    /// If only so much of the change goes on as is clear.
    clear_pace: f64,
    /// Standard error of `pace`.
    error: f64,
}

impl Change {
    /// A line through the paces of equal parts (least squares). Parts side by side are alike, so they count for fewer.
    fn of(points: &[(f64, f64)], done: f64, remaining: f64) -> Self {
        let part = done / PARTS as f64;
        let times: Vec<f64> = (0..=PARTS).map(|at| time_at(points, part * at as f64)).collect();
        let paces: Vec<f64> = times.windows(2).map(|pair| (pair[1] - pair[0]) / part).collect();
        let count = PARTS as f64;
        let mean = paces.iter().sum::<f64>() / count;
        let place = |at: usize| at as f64 - (count - 1.0) / 2.0;
        let squares: f64 = (0..PARTS).map(|at| place(at).powi(2)).sum();
        let slope = paces.iter().enumerate().map(|(at, pace)| place(at) * (pace - mean)).sum::<f64>() / squares;
        let rests: Vec<f64> = paces.iter().enumerate().map(|(at, pace)| pace - mean - slope * place(at)).collect();
        let variance = rests.iter().map(|rest| rest * rest).sum::<f64>() / (count - 2.0) * inflation(&rests);
        let slope_squared = slope * slope;
        let clear = if slope_squared > 0.0 { slope_squared / (slope_squared + CLEAR * variance / squares) } else { 0.0 };
        let parts_left = remaining / part;
        // From the middle of what is done to the middle of what is left.
        let ahead = (count + parts_left) / 2.0;
        let error = (variance * (1.0 / count + 1.0 / parts_left + ahead.powi(2) / squares)).sqrt();
        Self { pace: mean + slope * ahead, clear_pace: mean + clear * slope * ahead, error }
    }
}

/// By how much more the mean of parts varies that follow each other. Few show themselves less alike than they are.
fn inflation(rests: &[f64]) -> f64 {
    let squares: f64 = rests.iter().map(|rest| rest * rest).sum();
    let neighbours: f64 = rests.windows(2).map(|pair| pair[0] * pair[1]).sum();
    let shown = if squares > 0.0 { (neighbours / squares).max(0.0) } else { 0.0 };
    let alike = (shown + (1.0 + 3.0 * shown) / rests.len() as f64).min(ALIKE_MOST);
    (1.0 + alike) / (1.0 - alike)
}

/// What was done at a moment; between two points on a line.
fn done_at(points: &[(f64, f64)], time: f64) -> f64 {
    let after = points.partition_point(|(at, _)| *at < time);
    on_line(points, after, |(at, done)| (at, done), time)
}

/// The first moment at which so much was done.
fn time_at(points: &[(f64, f64)], done: f64) -> f64 {
    let after = points.partition_point(|(_, was)| *was < done);
    on_line(points, after, |(at, done)| (done, at), done)
}

fn on_line(points: &[(f64, f64)], after: usize, turned: fn((f64, f64)) -> (f64, f64), x: f64) -> f64 {
    let (x1, y1) = turned(points[after.min(points.len() - 1)]);
    let (x0, y0) = turned(points[after.saturating_sub(1)]);
    if x1 > x0 { y0 + (y1 - y0) * ((x - x0) / (x1 - x0)).clamp(0.0, 1.0) } else { y1 }
}

#[cfg(test)]
mod tests;
