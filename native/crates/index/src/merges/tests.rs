//! The queue with workers that merge at once, in the thread that asks.

#![cfg(not(loom))]

use super::*;
use crate::{IndexKind, IndexSpec, IndexState};
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use tessera_base::sync::thread;

fn index(queue: &Arc<MergeQueue>) -> Arc<Index> {
    let spec = IndexSpec { name: "all".to_owned(), set: None, bin: None, kind: IndexKind::Document, path: None, created_at_ms: 0 };
    Arc::new(Index::new(spec, IndexState::Ready, 0, queue).unwrap())
}

fn counts(queue: &MergeQueue, index: &Arc<Index>) -> (u32, u32) {
    let MergeCounts { running, waiting } = queue.counts(index);
    (running, waiting)
}

#[test]
fn parts_are_merged_in_the_order_they_asked_once_the_queue_serves() {
    let queue = Arc::new(MergeQueue::new(1));
    let (index, other, merged) = (index(&queue), index(&queue), Arc::new(Mutex::new(Vec::new())));
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
    let queue = Arc::new(MergeQueue::new(1));
    let (gone, other) = (index(&queue), index(&queue));
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
    let queue = Arc::new(MergeQueue::new(1));
    let (index, ended) = (index(&queue), Arc::new(AtomicBool::new(false)));
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
    while queue.state.lock().running.is_empty() {
        thread::yield_now();
    }
    queue.stop();
    assert!(ended.load(Relaxed));
}
