//! What wakes a thread that has nothing to do.

use crate::sync::atomic::{AtomicBool, Ordering::AcqRel, Ordering::Acquire, Ordering::Release, Ordering::SeqCst, fence};
use crate::sync::{Condvar, Mutex};
use std::time::{Duration, Instant};

/// Any thread may notify, one thread waits. A notification is kept until `wait` takes it.
#[derive(Debug, Default)]
pub struct Notify {
    notified: AtomicBool,
    over: AtomicBool,
    lock: Mutex<()>,
    changed: Condvar,
}

impl Notify {
    /// Costs a fence and a load if it is already notified.
    #[inline]
    pub fn notify(&self) {
        // Either this sees that the last notification was taken, or who took it sees all that was written before this.
        fence(SeqCst);
        if !self.notified.load(Acquire) && !self.notified.swap(true, AcqRel) {
            let _lock = self.lock.lock();
            self.changed.notify_all();
        }
    }

    /// Notifies for the last time: from now on `wait` answers `false`.
    pub fn stop(&self) {
        self.over.store(true, Release);
        let _lock = self.lock.lock();
        self.changed.notify_all();
    }

    pub fn is_over(&self) -> bool {
        self.over.load(Acquire)
    }

    /// Waits for `most`, whatever is notified; `false`, and at once, as soon as it is over. A notification is kept.
    pub fn pause(&self, most: Duration) -> bool {
        let mut lock = self.lock.lock();
        let until = Instant::now() + most;
        while !self.is_over() && !self.changed.wait_until(&mut lock, until).timed_out() {}
        !self.is_over()
    }

    /// Waits until it is notified, at most for `most`; `false` once it is over.
    pub fn wait(&self, most: Duration) -> bool {
        let mut lock = self.lock.lock();
        let until = Instant::now() + most;
        while !self.is_over() && !self.notified.load(Acquire) {
            if self.changed.wait_until(&mut lock, until).timed_out() {
                break;
            }
        }
        self.notified.store(false, Release);
        fence(SeqCst);
        !self.is_over()
    }
}

#[cfg(test)]
mod models;

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_notification_is_taken_once_and_the_last_one_by_all() {
        let wakeup = Notify::default();
        wakeup.notify();
        wakeup.notify();
        assert!(wakeup.wait(Duration::from_secs(600)));
        assert!(wakeup.wait(Duration::ZERO), "not notified, and time is over");
        std::thread::scope(|scope| {
            let waiting = scope.spawn(|| wakeup.wait(Duration::from_secs(600)));
            wakeup.stop();
            assert!(!waiting.join().unwrap() && !wakeup.wait(Duration::from_secs(600)));
        });
    }

    #[test]
    fn a_pause_leaves_a_notification_for_later_and_ends_with_the_last() {
        let wakeup = Notify::default();
        wakeup.notify();
        assert!(wakeup.pause(Duration::from_millis(1)) && wakeup.wait(Duration::from_secs(600)));
        std::thread::scope(|scope| {
            let pausing = scope.spawn(|| wakeup.pause(Duration::from_secs(600)));
            wakeup.notify();
            wakeup.stop();
            assert!(!pausing.join().unwrap() && !wakeup.pause(Duration::from_secs(600)));
        });
    }
}
