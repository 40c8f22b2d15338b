//! What wakes a thread that has nothing to do.

use parking_lot::{Condvar, Mutex};
use std::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Acquire};
use std::time::Duration;

/// Rung by anybody, waited for by one thread. A ring is kept until it is heard.
#[derive(Debug, Default)]
pub struct Bell {
    rung: AtomicBool,
    over: AtomicBool,
    lock: Mutex<()>,
    heard: Condvar,
}

impl Bell {
    /// Costs a load where it is rung already.
    pub fn ring(&self) {
        if !self.rung.load(Acquire) && !self.rung.swap(true, AcqRel) {
            let _lock = self.lock.lock();
            self.heard.notify_all();
        }
    }

    /// Rings for the last time: from now on `wait` answers `false`.
    pub fn stop(&self) {
        self.over.store(true, std::sync::atomic::Ordering::Release);
        let _lock = self.lock.lock();
        self.heard.notify_all();
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Acquire)
    }

    /// Waits for `most`, though somebody rings; `false`, and at once, as soon as it is over. What is rung meanwhile is kept.
    pub fn pause(&self, most: Duration) -> bool {
        let mut lock = self.lock.lock();
        let until = std::time::Instant::now() + most;
        while !self.is_over() && !self.heard.wait_until(&mut lock, until).timed_out() {}
        !self.is_over()
    }

    /// Waits until it is rung, at most for `most`; `false` once it is over.
    pub fn wait(&self, most: Duration) -> bool {
        let mut lock = self.lock.lock();
        let until = std::time::Instant::now() + most;
        while !self.is_over() && !self.rung.load(Acquire) {
            if self.heard.wait_until(&mut lock, until).timed_out() {
                break;
            }
        }
        self.rung.store(false, std::sync::atomic::Ordering::Release);
        !self.is_over()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_ring_is_heard_once_and_the_last_one_by_all() {
        let bell = Bell::default();
        bell.ring();
        bell.ring();
        assert!(bell.wait(Duration::from_secs(600)));
        assert!(bell.wait(Duration::ZERO), "not rung, and time is over");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| bell.wait(Duration::from_secs(600)));
            bell.stop();
            assert!(!waiting.join().unwrap() && !bell.wait(Duration::from_secs(600)));
        });
    }

    #[test]
    fn a_pause_leaves_a_ring_for_later_and_ends_with_the_last() {
        let bell = Bell::default();
        bell.ring();
        assert!(bell.pause(Duration::from_millis(1)) && bell.wait(Duration::from_secs(600)));
        std::thread::scope(|scope| {
            let pausing = scope.spawn(|| bell.pause(Duration::from_secs(600)));
            bell.ring();
            bell.stop();
            assert!(!pausing.join().unwrap() && !bell.pause(Duration::from_secs(600)));
        });
    }
}
