//! Progress rate, smoothed without a ticker: whoever looks takes the sample.

use std::time::{Duration, Instant};

/// Time constant of the exponential average.
const SMOOTHING_SECONDS: f64 = 3.0;
/// Looks closer together than this do not make a sample.
const SAMPLE_MIN: Duration = Duration::from_millis(200);

/// Exponentially weighted rate for samples at irregular times: weight of a gap `dt` is `1 - exp(-dt / tau)`.
#[derive(Debug)]
pub(super) struct RateMeter {
    started: Instant,
    /// Time spent paused, which no rate counts.
    idle: Duration,
    sampled_at: Instant,
    sampled_done: u64,
    rate: Option<f64>,
}

impl RateMeter {
    pub(super) fn new(now: Instant) -> Self {
        Self { started: now, idle: Duration::ZERO, sampled_at: now, sampled_done: 0, rate: None }
    }

    pub(super) const fn started(&self) -> Instant {
        self.started
    }

    /// Units a second at `now`; takes a sample when the last one is old enough.
    pub(super) fn rate(&mut self, now: Instant, done: u64) -> f64 {
        let gap = now.saturating_duration_since(self.sampled_at);
        if gap >= SAMPLE_MIN {
            let seconds = gap.as_secs_f64();
            let latest = done.saturating_sub(self.sampled_done) as f64 / seconds;
            let weight = 1.0 - (-seconds / SMOOTHING_SECONDS).exp();
            self.rate = Some(self.rate.map_or(latest, |old| old + weight * (latest - old)));
            self.sampled_at = now;
            self.sampled_done = done;
        }
        self.rate.unwrap_or_else(|| self.average(now, done))
    }

    /// The working time: without pauses that are over.
    pub(super) fn active(&self, now: Instant) -> Duration {
        now.saturating_duration_since(self.started).saturating_sub(self.idle)
    }

    /// Units a second over the whole working time.
    pub(super) fn average(&self, now: Instant, done: u64) -> f64 {
        let active = self.active(now).as_secs_f64();
        if active > 0.0 { done as f64 / active } else { 0.0 }
    }

    /// Work goes on at `now` after a pause that began at `paused_at`.
    pub(super) fn resume(&mut self, paused_at: Instant, now: Instant, done: u64) {
        self.idle += now.saturating_duration_since(paused_at);
        self.sampled_at = now;
        self.sampled_done = done;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_steady_rate_is_that_rate_and_a_change_is_followed() {
        let start = Instant::now();
        let mut meter = RateMeter::new(start);
        for second in 1..=5u64 {
            let rate = meter.rate(start + Duration::from_secs(second), second * 100);
            assert!((rate - 100.0).abs() < 1e-6, "{rate}");
        }
        let mut rate = 0.0;
        for second in 6..=20u64 {
            rate = meter.rate(start + Duration::from_secs(second), 500 + (second - 5) * 300);
        }
        assert!((rate - 300.0).abs() < 5.0, "{rate}");
    }

    #[test]
    fn a_pause_does_not_count() {
        let start = Instant::now();
        let mut meter = RateMeter::new(start);
        let pause = start + Duration::from_secs(1);
        let resume = start + Duration::from_secs(101);
        meter.rate(pause, 100);
        meter.resume(pause, resume, 100);
        let end = resume + Duration::from_secs(1);
        assert!((meter.average(end, 200) - 100.0).abs() < 1e-6);
        assert!((meter.rate(end, 200) - 100.0).abs() < 1e-6);
    }
}
