//! The clock that latencies are taken with: the processor's time-stamp counter where it is invariant (half the cost of
//! the operating system's clock), else that clock.

use std::sync::LazyLock;

static CLOCK: LazyLock<quanta::Clock> = LazyLock::new(quanta::Clock::new);

/// A moment, only good for `Clock::nanos_since` and for comparing.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub struct Tick(u64);

impl Tick {
    /// Nanoseconds from here to `end`; 0 rather than negative.
    #[inline]
    pub fn nanos_until(self, end: Self) -> u64 {
        CLOCK.delta_as_nanos(self.0, end.0)
    }
}

pub struct Clock;

impl Clock {
    #[inline]
    pub fn now() -> Tick {
        Tick(CLOCK.raw())
    }

    /// Nanoseconds from `start` to now; 0 rather than negative where processors disagree.
    #[inline]
    pub fn nanos_since(start: Tick) -> u64 {
        CLOCK.delta_as_nanos(start.0, CLOCK.raw())
    }

    /// Measures the counter's frequency now, so that the first operation does not wait for it.
    pub fn warm_up() {
        LazyLock::force(&CLOCK);
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::time::Instant;

    #[test]
    fn agrees_with_the_system_clock() {
        Clock::warm_up();
        let (outer, tick) = (Instant::now(), Clock::now());
        let inner = Instant::now();
        while inner.elapsed().as_millis() < 50 {
            std::hint::spin_loop();
        }
        let least = inner.elapsed().as_nanos() as f64;
        let nanos = Clock::nanos_since(tick) as f64;
        let most = outer.elapsed().as_nanos() as f64;
        assert!(nanos > least * 0.999 && nanos < most * 1.001, "{least} <= {nanos} <= {most}");
    }
}
