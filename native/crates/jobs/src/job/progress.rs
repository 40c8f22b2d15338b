//! How far a job was over time, in a bounded number of points: charts draw its rate of it, also if nobody watched.

use serde::{Deserialize, Serialize};

/// Most points. When there are as many, every second one goes, and the others are as far apart from then on.
const POINTS_MAX: usize = 120;
/// Between two points at first.
const STEP_MS: u64 = 1000;

/// Units done at equal steps since the start: `done[0]` after one step.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Progress {
    pub step_ms: u64,
    #[serde(with = "differences")]
    pub done: Vec<u64>,
}

impl Default for Progress {
    fn default() -> Self {
        Self { step_ms: STEP_MS, done: Vec::new() }
    }
}

impl Progress {
    /// Adds the points that are due at `elapsed_ms` since the start. Those that nobody looked at in time lie on a line.
    pub(super) fn look(&mut self, elapsed_ms: u64, done: u64) {
        let (mut at_ms, mut before) = (self.step_ms * self.done.len() as u64, self.done.last().copied().unwrap_or(0));
        while at_ms + self.step_ms <= elapsed_ms {
            let share = self.step_ms as f64 / (elapsed_ms - at_ms) as f64;
            before += (done.saturating_sub(before) as f64 * share) as u64;
            self.done.push(before);
            if self.done.len() == POINTS_MAX {
                self.done = self.done.iter().skip(1).step_by(2).copied().collect();
                self.step_ms *= 2;
            }
            at_ms = self.step_ms * self.done.len() as u64;
        }
    }
}

/// In the log a point is what was done since the one before: half of the digits.
mod differences {
    use serde::{Deserialize, Deserializer, Serializer};

    pub(super) fn serialize<S: Serializer>(done: &[u64], serializer: S) -> Result<S::Ok, S::Error> {
        let before = std::iter::once(&0).chain(done);
        serializer.collect_seq(done.iter().zip(before).map(|(done, before)| done.wrapping_sub(*before)))
    }

    pub(super) fn deserialize<'de, D: Deserializer<'de>>(deserializer: D) -> Result<Vec<u64>, D::Error> {
        let differences = Vec::<u64>::deserialize(deserializer)?;
        Ok(differences
            .into_iter()
            .scan(0_u64, |done, difference| {
                *done = done.wrapping_add(difference);
                Some(*done)
            })
            .collect())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_point_comes_with_each_step_and_not_before() {
        let mut progress = Progress::default();
        for elapsed in (0..=3500).step_by(50) {
            progress.look(elapsed, elapsed / 10);
        }
        assert_eq!(progress, Progress { step_ms: 1000, done: vec![100, 200, 300] });
    }

    #[test]
    fn points_that_were_missed_lie_on_a_line() {
        let mut progress = Progress::default();
        progress.look(1000, 10);
        progress.look(4000, 70);
        assert_eq!(progress.done, [10, 30, 50, 70]);
    }

    #[test]
    fn it_is_bounded_and_keeps_all_of_the_time() {
        let mut progress = Progress::default();
        for second in 1..=86_400_u64 {
            progress.look(second * 1000, second * 7);
            assert!(progress.done.len() < POINTS_MAX);
        }
        let Progress { step_ms, done } = &progress;
        assert!(done.len() >= POINTS_MAX / 2 - 1 && done.len() as u64 * step_ms > 86_400_000 - step_ms, "{} of {step_ms}", done.len());
        assert!(done.iter().enumerate().all(|(at, &done)| done == (at as u64 + 1) * step_ms / 1000 * 7));
        // However long nobody looks.
        let mut late = Progress::default();
        late.look(86_400_000, 604_800);
        assert_eq!((late.step_ms, late.done.len()), (progress.step_ms, progress.done.len()));
    }

    #[test]
    fn the_log_has_differences_and_reads_back() {
        let progress = Progress { step_ms: 2000, done: vec![1_000_000, 1_000_500, 1_000_500, u64::MAX] };
        let json = serde_json::to_string(&progress).unwrap();
        assert!(json.starts_with("{\"stepMs\":2000,\"done\":[1000000,500,0,"), "{json}");
        assert_eq!(serde_json::from_str::<Progress>(&json).unwrap(), progress);
    }
}
