//! A rate limit that all workers of a job share: the generic cell rate algorithm (ITU-T I.371), one next-free time.

use std::time::{Duration, Instant};

/// Work may run this far ahead of the rate, so that workers need not wake for single records.
const BURST: Duration = Duration::from_millis(50);

#[derive(Debug)]
pub(super) struct Pace {
    next: Instant,
}

impl Pace {
    pub(super) fn new(now: Instant) -> Self {
        Self { next: now }
    }

    /// Reserves `units` at `per_second` and returns when they may go ahead.
    pub(super) fn reserve(&mut self, now: Instant, units: u64, per_second: u32) -> Instant {
        let earliest = now.checked_sub(BURST).unwrap_or(now);
        let due = self.next.max(earliest);
        self.next = due + Duration::from_secs_f64(units as f64 / f64::from(per_second.max(1)));
        due
    }

    /// Forgets what was reserved: a new rate starts now.
    pub(super) fn reset(&mut self, now: Instant) {
        self.next = now;
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reservations_add_up_to_the_rate() {
        let start = Instant::now();
        let mut pace = Pace::new(start);
        let mut due = start;
        for _ in 0..100 {
            due = pace.reserve(start, 10, 1_000);
        }
        assert_eq!(due, start + Duration::from_millis(990));
        pace.reset(start);
        assert_eq!(pace.reserve(start, 1, 1), start);
    }
}
