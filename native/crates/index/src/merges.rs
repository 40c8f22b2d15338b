//! The merges that the parts of one namespace's indexes ask for, in the order they asked.
//!
//! Parts ask while their segment is locked, so asking only takes a place in the queue. Workers are started as there is work,
//! and leave when there is none.

use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use tessera_base::sync::{Condvar, Mutex};

/// Asks for a worker: one that calls `MergeQueue::enter`. False when there is none to be had now.
type Starter = Box<dyn Fn() -> bool + Send + Sync>;

/// How many parts of one index are merged now, and how many wait for it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct MergeCounts {
    pub running: u32,
    pub waiting: u32,
}

/// A part that is to be merged, of an index `I`.
pub struct Wanted<I> {
    pub segment: u16,
    pub index: Arc<I>,
}

/// The parts of a namespace's indexes that wait for a merge, and the workers that merge them. It only tells indexes apart.
pub struct MergeQueue<I> {
    state: Mutex<State<I>>,
    /// A worker has left.
    left: Condvar,
    starter: OnceLock<Starter>,
    most_workers: usize,
}

struct State<I> {
    waiting: VecDeque<Wanted<I>>,
    running: Vec<Arc<I>>,
    workers: usize,
    stopped: bool,
}

/// A worker's place; it is given up when this is dropped.
pub struct MergeWorker<'q, I> {
    queue: &'q MergeQueue<I>,
}

impl<I> MergeQueue<I> {
    /// A queue of so many workers at most; it only collects until it is to `serve`.
    pub fn new(most_workers: usize) -> Self {
        let state = State { waiting: VecDeque::new(), running: Vec::new(), workers: 0, stopped: false };
        Self { state: Mutex::new(state), left: Condvar::new(), starter: OnceLock::new(), most_workers }
    }

    /// Begins to serve what was asked for, and what will be.
    pub fn serve(&self, starter: impl Fn() -> bool + Send + Sync + 'static) {
        let _ = self.starter.set(Box::new(starter));
        self.wake();
    }

    /// Queues a part; whoever asks does so once until its merge begins.
    pub fn ask(&self, wanted: Wanted<I>) {
        {
            let mut state = self.state.lock();
            if state.stopped {
                return;
            }
            state.waiting.push_back(wanted);
        }
        self.wake();
    }

    /// Starts workers for what waits; again after there was none to be had.
    pub fn wake(&self) {
        let Some(starter) = self.starter.get() else { return };
        loop {
            {
                let mut state = self.state.lock();
                if state.workers >= state.waiting.len().min(self.most_workers) {
                    return;
                }
                state.workers += 1;
            }
            if !starter() {
                self.leave();
                return;
            }
        }
    }

    /// Takes the place that a worker was started for.
    pub fn enter(&self) -> MergeWorker<'_, I> {
        MergeWorker { queue: self }
    }

    /// The merges of one index.
    pub fn counts(&self, index: &Arc<I>) -> MergeCounts {
        let state = self.state.lock();
        let running = state.running.iter().filter(|other| Arc::ptr_eq(other, index)).count();
        let waiting = state.waiting.iter().filter(|wanted| Arc::ptr_eq(&wanted.index, index)).count();
        MergeCounts { running: running as u32, waiting: waiting as u32 }
    }

    /// Forgets what waits for an index that is gone.
    pub fn forget(&self, index: &Arc<I>) {
        self.state.lock().waiting.retain(|wanted| !Arc::ptr_eq(&wanted.index, index));
    }

    /// Forgets what waits, takes nothing more, and returns when the workers have left.
    pub fn stop(&self) {
        let mut state = self.state.lock();
        state.stopped = true;
        state.waiting.clear();
        while state.workers > 0 {
            self.left.wait(&mut state);
        }
    }

    fn leave(&self) {
        self.state.lock().workers -= 1;
        self.left.notify_all();
    }
}

impl<I> MergeWorker<'_, I> {
    /// Does what waits, until nothing does.
    pub fn work(&self, merge: impl Fn(&Wanted<I>)) {
        loop {
            let wanted = {
                let mut state = self.queue.state.lock();
                let Some(wanted) = state.waiting.pop_front() else { return };
                state.running.push(Arc::clone(&wanted.index));
                wanted
            };
            let _running = Running { queue: self.queue, index: &wanted.index };
            merge(&wanted);
        }
    }
}

impl<I> Drop for MergeWorker<'_, I> {
    fn drop(&mut self) {
        self.queue.leave();
        // Whoever asked after the last look found this worker there, and started none.
        self.queue.wake();
    }
}

/// Counts a merge off, however it ends.
struct Running<'a, I> {
    queue: &'a MergeQueue<I>,
    index: &'a Arc<I>,
}

impl<I> Drop for Running<'_, I> {
    fn drop(&mut self) {
        let mut state = self.queue.state.lock();
        if let Some(at) = state.running.iter().position(|other| Arc::ptr_eq(other, self.index)) {
            state.running.swap_remove(at);
        }
    }
}

#[cfg(test)]
mod models;
#[cfg(test)]
mod tests;
