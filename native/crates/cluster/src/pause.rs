//! How long a write waits that other processes are in the way of.
//!
//! Paxos lets the proposals of two coordinators end each other for as long as both repeat them at once. Pauses of random length,
//! doubled each time, let one of them through ("full jitter").

use std::thread;
use std::time::Duration;
use uuid::Uuid;

/// A write that loses so often in a row to other processes is given up.
pub(crate) const ATTEMPTS: usize = 64;

const FIRST: Duration = Duration::from_millis(4);
const LONGEST: Duration = Duration::from_millis(256);

/// After so many tries in vain.
pub(crate) fn pause(tries: usize) {
    thread::sleep(longest(tries).mul_f64(share()));
}

/// The longest pause after so many tries.
fn longest(tries: usize) -> Duration {
    let doubled = u32::try_from(tries).ok().and_then(|tries| FIRST.checked_mul(1_u32.checked_shl(tries)?));
    doubled.map_or(LONGEST, |pause| pause.min(LONGEST))
}

/// A random number from 0 to 1.
fn share() -> f64 {
    // The low half of such an id is random but for its two highest bits.
    let (_, low) = Uuid::new_v4().as_u64_pair();
    (low << 2) as f64 / u64::MAX as f64
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn pauses_double_up_to_the_longest() {
        assert_eq!([0, 1, 5, 6].map(longest), [FIRST, FIRST * 2, FIRST * 32, LONGEST]);
        assert_eq!([31, 32, usize::MAX].map(longest), [LONGEST; 3]);
    }

    #[test]
    fn a_share_may_be_anything_from_none_to_all() {
        let shares: Vec<f64> = (0..1000).map(|_| share()).collect();
        assert!(shares.iter().all(|share| (0.0..=1.0).contains(share)));
        assert!(shares.iter().any(|&share| share < 0.1) && shares.iter().any(|&share| share > 0.9));
    }
}
