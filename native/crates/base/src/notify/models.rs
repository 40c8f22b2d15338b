//! Every order in which threads notify and wait. Time never ends here: what is missed is waited for forever, which loom reports.

#![cfg(loom)]

use super::*;
use crate::sync::atomic::Ordering::Relaxed;
use crate::sync::{check, thread};
use std::sync::Arc;

const LONG: Duration = Duration::from_secs(600);

#[test]
fn what_is_written_before_a_notification_is_seen_after_it() {
    check(|| {
        let shared = Arc::new((Notify::default(), [AtomicBool::new(false), AtomicBool::new(false)]));
        let notifying = [0, 1].map(|at| {
            let shared = shared.clone();
            thread::spawn(move || {
                shared.1[at].store(true, Relaxed);
                shared.0.notify();
            })
        });
        while shared.1.iter().any(|written| !written.load(Relaxed)) {
            assert!(shared.0.wait(LONG));
        }
        notifying.into_iter().for_each(|thread| thread.join().unwrap());
    });
}

#[test]
fn the_last_notification_ends_every_wait() {
    check(|| {
        let notify = Arc::new(Notify::default());
        let waiting = [Notify::wait, Notify::pause].map(|waits| {
            let notify = notify.clone();
            thread::spawn(move || while waits(&notify, LONG) {})
        });
        notify.notify();
        notify.stop();
        waiting.into_iter().for_each(|thread| thread.join().unwrap());
    });
}
