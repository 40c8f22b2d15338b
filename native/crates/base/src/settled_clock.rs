//! By which time something is removed for good: the machine's clock, but a jump ahead counts only once it has lasted. A
//! clock that was ahead for a moment must remove nothing.

use std::time::{Duration, Instant};

/// So long a jump ahead has to last, or what a start finds.
const SETTLED: Duration = Duration::from_secs(600);
/// More than the clock and a thread that is late disagree by in a second.
const SLACK_MS: u64 = 2000;

/// Unix milliseconds, each as of the last look.
#[derive(Debug, Default)]
pub struct SettledClock {
    at: u64,
    wall: u64,
    looked: Option<Instant>,
    /// When the clock jumped last, while it is ahead of `at`.
    jumped: Option<Instant>,
}

impl SettledClock {
    /// Nobody has looked at the clock since `floor`: 0 if that is not known.
    pub fn start(&mut self, floor: u64, wall: u64, now: Instant) {
        let is_late = floor > 0 && wall > floor + SETTLED.as_millis() as u64;
        *self = Self { at: if is_late { floor } else { wall }, wall, looked: Some(now), jumped: is_late.then_some(now) };
    }

    /// The time to remove by, Unix milliseconds. It is never ahead of the clock.
    pub fn look(&mut self, wall: u64, now: Instant) -> u64 {
        let Some(looked) = self.looked else {
            self.start(0, wall, now);
            return self.at;
        };
        let passed = now.saturating_duration_since(looked).as_millis() as u64 + SLACK_MS;
        if wall > self.wall + passed {
            self.jumped = Some(now);
        }
        let steady = self.at + passed;
        let settled = self.jumped.is_none_or(|jumped| now.saturating_duration_since(jumped) >= SETTLED);
        if wall <= steady || settled {
            (self.at, self.jumped) = (wall, None);
        } else {
            self.at = steady - SLACK_MS;
        }
        (self.wall, self.looked) = (wall, Some(now));
        self.at
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const MINUTE: u64 = 60_000;
    const DAY: u64 = 1440 * MINUTE;
    /// A moment of 2026, by a right clock.
    const RIGHT: u64 = 1_790_000_000_000;

    /// The sweeper: it looks once a second, at a clock that the test sets.
    struct Sweeper {
        clock: SettledClock,
        began: Instant,
        passed_ms: u64,
    }

    impl Sweeper {
        fn new(floor: u64, wall: u64) -> Self {
            let (mut clock, began) = (SettledClock::default(), Instant::now());
            clock.start(floor, wall, began);
            Self { clock, began, passed_ms: 0 }
        }

        /// Goes on for a time, with a clock that is so much ahead; the latest time that records went by, less the right one.
        fn goes_on(&mut self, millis: u64, ahead: i64) -> i64 {
            let mut latest = i64::MIN;
            for _ in 0..millis / 1000 {
                self.passed_ms += 1000;
                let right = RIGHT + self.passed_ms;
                let wall = right.saturating_add_signed(ahead);
                let at = self.clock.look(wall, self.began + Duration::from_millis(self.passed_ms));
                assert!(at <= wall, "ahead of the clock");
                latest = latest.max(at as i64 - right as i64);
            }
            latest
        }
    }

    #[test]
    fn a_clock_that_is_ahead_for_less_than_ten_minutes_removes_nothing_early() {
        for ahead in [3000, 3_600_000, DAY as i64, 400 * DAY as i64] {
            let mut sweeper = Sweeper::new(RIGHT, RIGHT);
            assert_eq!(sweeper.goes_on(5 * MINUTE, 0), 0);
            for _ in 0..20 {
                assert_eq!(sweeper.goes_on(9 * MINUTE, ahead), 0, "records go on expiring, and none early");
                assert_eq!(sweeper.goes_on(MINUTE, 0), 0);
            }
        }
    }

    #[test]
    fn a_clock_that_stays_ahead_is_believed_after_ten_minutes() {
        let (mut sweeper, hour) = (Sweeper::new(RIGHT, RIGHT), 3_600_000);
        assert_eq!(sweeper.goes_on(10 * MINUTE, hour), 0);
        // Another jump within these has its own ten minutes.
        assert_eq!(sweeper.goes_on(5 * MINUTE, hour), hour);
        assert_eq!(sweeper.goes_on(5 * MINUTE, 2 * hour), hour);
        assert_eq!(sweeper.goes_on(9 * MINUTE, 3 * hour), hour);
        assert_eq!(sweeper.goes_on(2 * MINUTE, 3 * hour), 3 * hour);
    }

    #[test]
    fn a_clock_that_is_set_back_is_followed_at_once() {
        let mut sweeper = Sweeper::new(RIGHT, RIGHT);
        let day = DAY as i64;
        assert_eq!(sweeper.goes_on(MINUTE, -day), -day);
        assert_eq!(sweeper.goes_on(9 * MINUTE, 0), -day);
        assert_eq!(sweeper.goes_on(2 * MINUTE, 0), 0);
        // One that is a little late, or adjusted, is no jump.
        assert_eq!([300, -300, 1500, 0].map(|ahead| sweeper.goes_on(MINUTE, ahead)), [300, -300, 1500, 0]);
    }

    #[test]
    fn a_start_long_after_the_last_write_waits_too() {
        let mut sweeper = Sweeper::new(RIGHT - DAY, RIGHT);
        assert_eq!(sweeper.goes_on(9 * MINUTE, 0), -(DAY as i64));
        assert_eq!(sweeper.goes_on(2 * MINUTE, 0), 0);
        // The clock of the start was wrong.
        let mut sweeper = Sweeper::new(RIGHT, RIGHT + DAY);
        assert_eq!(sweeper.goes_on(5 * MINUTE, DAY as i64), 0);
        assert_eq!(sweeper.goes_on(60 * MINUTE, 0), 0);
        // Nothing is known, or nothing is wrong.
        assert_eq!([0, RIGHT - 9 * MINUTE, RIGHT + DAY].map(|floor| Sweeper::new(floor, RIGHT).goes_on(MINUTE, 0)), [0; 3]);
    }
}
