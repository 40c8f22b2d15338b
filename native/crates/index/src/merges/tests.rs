//! The queue with workers that merge at once, in the thread that asks.

#![cfg(not(loom))]

use super::*;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tessera_base::sync::thread;
use tessera_base::wait_until;

type Queue = MergeQueue<&'static str>;
type Index = Arc<&'static str>;

fn counts(queue: &Queue, index: &Index) -> (u32, u32) {
    let MergeCounts { running, waiting } = queue.counts(index);
    (running, waiting)
}

#[test]
fn parts_are_merged_in_the_order_they_asked_once_the_queue_serves() {
    let queue = Arc::new(Queue::new(1));
    let (index, other, merged) = (Index::new("a"), Index::new("b"), Arc::new(Mutex::new(Vec::new())));
    let ask = |segment| queue.ask(Wanted { segment, index: index.clone() });
    ask(2);
    ask(1);
    assert_eq!((counts(&queue, &index), counts(&queue, &other)), ((0, 2), (0, 0)));
    let served = (Arc::downgrade(&queue), merged.clone());
    queue.serve(move || {
        let queue = served.0.upgrade().unwrap();
        queue.enter().work(|wanted| {
            assert_eq!(queue.counts(&wanted.index).running, 1);
            served.1.lock().push(wanted.segment);
        });
        true
    });
    assert_eq!((merged.lock().clone(), counts(&queue, &index)), (vec![2, 1], (0, 0)));
    ask(5);
    assert_eq!((merged.lock().clone(), counts(&queue, &index)), (vec![2, 1, 5], (0, 0)));
}

#[test]
fn what_waits_for_an_index_that_is_gone_is_forgotten() {
    let queue = Arc::new(Queue::new(1));
    let (gone, other) = (Index::new("gone"), Index::new("other"));
    for (segment, index) in [(0, &gone), (1, &other), (2, &gone)] {
        queue.ask(Wanted { segment, index: index.clone() });
    }
    queue.forget(&gone);
    assert_eq!((counts(&queue, &gone), counts(&queue, &other)), ((0, 0), (0, 1)));
    queue.stop();
    queue.ask(Wanted { segment: 3, index: other.clone() });
    assert_eq!(counts(&queue, &other), (0, 0));
}

#[test]
fn a_stop_waits_for_the_worker_at_work() {
    let queue = Arc::new(Queue::new(1));
    let (index, ended) = (Index::new("a"), Arc::new(AtomicBool::new(false)));
    let served = (Arc::downgrade(&queue), ended.clone());
    queue.serve(move || {
        let (queue, ended) = (served.0.upgrade().unwrap(), served.1.clone());
        thread::spawn(move || {
            queue.enter().work(|_| {
                while !queue.state.lock().stopped {
                    thread::yield_now();
                }
                ended.store(true, Relaxed);
            });
        });
        true
    });
    queue.ask(Wanted { segment: 0, index });
    wait_until(|| !queue.state.lock().running.is_empty());
    queue.stop();
    assert!(ended.load(Relaxed));
}
