//! Every order in which parts ask for merges and workers come and leave. A merge that is forgotten is waited for forever, which
//! loom reports.

#![cfg(loom)]

use super::*;
use std::sync::Weak;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tessera_base::sync::{check, thread};

/// A queue, and the numbers of the segments whose parts were merged.
struct Merging {
    queue: Arc<MergeQueue<()>>,
    index: Arc<()>,
    done: Arc<(Mutex<Vec<u16>>, Condvar)>,
    /// No worker is to be had while this is set.
    refused: Arc<AtomicBool>,
}

impl Merging {
    fn new(most_workers: usize) -> Self {
        let queue = Arc::new(MergeQueue::new(most_workers));
        let merging = Self { queue, index: Arc::default(), done: Arc::default(), refused: Arc::default() };
        let (queue, done, refused) = (Arc::downgrade(&merging.queue), merging.done.clone(), merging.refused.clone());
        merging.queue.serve(move || !refused.load(Relaxed) && start_worker(&queue, &done));
        merging
    }

    fn ask(&self, segment: u16) {
        self.queue.ask(Wanted { segment, index: self.index.clone() });
    }

    fn wait_for(&self, wanted: &[u16]) {
        let mut done = self.done.0.lock();
        while done.len() < wanted.len() {
            self.done.1.wait(&mut done);
        }
        done.sort_unstable();
        assert_eq!(*done, wanted);
    }
}

fn start_worker(queue: &Weak<MergeQueue<()>>, done: &Arc<(Mutex<Vec<u16>>, Condvar)>) -> bool {
    let (Some(queue), done) = (queue.upgrade(), done.clone()) else { return false };
    thread::spawn(move || {
        queue.enter().work(|wanted| {
            done.0.lock().push(wanted.segment);
            done.1.notify_all();
        });
    });
    true
}

#[test]
fn each_part_is_merged_once_whoever_asks_while_a_worker_leaves() {
    check(|| {
        let merging = Arc::new(Merging::new(1));
        let other = {
            let merging = merging.clone();
            thread::spawn(move || merging.ask(1))
        };
        merging.ask(0);
        merging.wait_for(&[0, 1]);
        other.join().unwrap();
        merging.queue.stop();
        assert_eq!(merging.queue.counts(&merging.index), MergeCounts::default());
    });
}

#[test]
fn a_stop_returns_when_no_worker_is_left() {
    check(|| {
        let merging = Merging::new(2);
        merging.ask(0);
        merging.ask(1);
        merging.queue.stop();
        let merged = merging.done.0.lock().len();
        merging.ask(2);
        assert_eq!((merging.queue.counts(&merging.index), merging.done.0.lock().len()), (MergeCounts::default(), merged));
    });
}

#[test]
fn parts_that_had_no_worker_are_merged_when_there_is_one() {
    check(|| {
        let merging = Merging::new(1);
        merging.refused.store(true, Relaxed);
        merging.ask(0);
        merging.refused.store(false, Relaxed);
        let merging = Arc::new(merging);
        let other = {
            let merging = merging.clone();
            thread::spawn(move || merging.ask(1))
        };
        merging.queue.wake();
        merging.wait_for(&[0, 1]);
        other.join().unwrap();
        merging.queue.stop();
    });
}
