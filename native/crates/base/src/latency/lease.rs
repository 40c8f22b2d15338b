//! Stripe numbers lent to threads: a thread that records holds one until it ends, so its counters have one writer.

use parking_lot::Mutex;

/// Numbers for lending.
pub const EXCLUSIVE: usize = 32;
/// The stripe of threads beyond them.
pub const SHARED: usize = EXCLUSIVE;

/// A set bit is a free number. The lock hands the counters of an ended thread over to the next holder.
static FREE: Mutex<u32> = Mutex::new(u32::MAX);

struct Lease(usize);

impl Lease {
    fn take() -> Self {
        let mut free = FREE.lock();
        let number = free.trailing_zeros() as usize;
        if number < EXCLUSIVE {
            *free &= !(1 << number);
        }
        Self(number.min(SHARED))
    }
}

impl Drop for Lease {
    fn drop(&mut self) {
        if self.0 < EXCLUSIVE {
            *FREE.lock() |= 1 << self.0;
        }
    }
}

thread_local! {
    static LEASE: Lease = Lease::take();
}

/// This thread's stripe number; `SHARED` when none is left, or while the thread is ending.
#[inline]
pub fn stripe_number() -> usize {
    LEASE.try_with(|lease| lease.0).unwrap_or(SHARED)
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::Barrier;

    #[test]
    fn no_two_living_threads_hold_the_same_number_and_ended_ones_give_it_back() {
        for _ in 0..3 {
            let together = Barrier::new(EXCLUSIVE * 2);
            let mut numbers: Vec<usize> = std::thread::scope(|scope| {
                let threads: Vec<_> = (0..EXCLUSIVE * 2)
                    .map(|_| {
                        scope.spawn(|| {
                            let number = stripe_number();
                            together.wait();
                            number
                        })
                    })
                    .collect();
                threads.into_iter().map(|thread| thread.join().unwrap()).collect()
            });
            numbers.retain(|&number| number != SHARED);
            let lent = numbers.len();
            numbers.sort_unstable();
            numbers.dedup();
            assert_eq!(numbers.len(), lent);
            assert!(lent > 0 && lent <= EXCLUSIVE);
        }
    }
}
