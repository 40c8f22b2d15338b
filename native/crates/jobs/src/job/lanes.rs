//! Lanes: what each worker of a job does right now, how far it is and how fast.
//!
//! A worker finds its lane through its thread, so whoever counts for a job counts for the worker as well. What it writes is
//! its own cache line; only those who come, leave or look take the lock.

use super::meter::RateMeter;
use parking_lot::Mutex;
use std::cell::RefCell;
use std::marker::PhantomData;
use std::sync::Arc;
use std::sync::atomic::{AtomicU8, AtomicU32, AtomicU64, Ordering};
use std::time::Instant;
use tessera_base::latency::split::{self, Part};
use tessera_base::limits;

/// What a worker does.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(u8)]
pub enum LaneState {
    Working,
    /// It waits, as the job is not to go faster.
    Throttled,
    Paused,
    /// It waits for whoever reads the stream.
    Sending,
}

impl LaneState {
    const ALL: [Self; 4] = [Self::Working, Self::Throttled, Self::Paused, Self::Sending];

    /// The name that callers read.
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Throttled => "throttled",
            Self::Paused => "paused",
            Self::Sending => "sending",
        }
    }
}

/// A worker at one moment. Its rate is units a second.
#[derive(Clone, Debug, PartialEq)]
pub struct LaneInfo {
    /// From 0; free again once the worker has left.
    pub worker: u32,
    pub state: LaneState,
    /// Which part of the work it is at, from 0.
    pub item: Option<u32>,
    /// How many parts there are, for all workers together.
    pub items: Option<u32>,
    /// Units done in this lane, by those before it there too.
    pub done: u64,
    pub rate_per_second: f64,
}

/// In `item`: none yet.
const NONE: u32 = u32::MAX;

/// What the worker of a lane writes, apart from what the others write.
#[derive(Debug)]
#[repr(align(64))]
struct Counters {
    done: AtomicU64,
    item: AtomicU32,
    state: AtomicU8,
}

#[derive(Debug)]
struct Lane {
    counters: Arc<Counters>,
    items: u32,
    meter: RateMeter,
    vacant_since: Option<Instant>,
}

thread_local! {
    static MINE: RefCell<Option<Arc<Counters>>> = const { RefCell::new(None) };
}

/// The lanes of one job.
#[derive(Debug, Default)]
pub(super) struct Lanes(Mutex<Vec<Lane>>);

/// A worker in its lane, on this thread, until dropped.
pub struct InLane<'a> {
    /// Without one where there are too many workers to tell of each.
    place: Option<(&'a Lanes, usize)>,
    before: Option<Arc<Counters>>,
    /// The thread is part of it.
    here: PhantomData<*const ()>,
}

/// A worker that waits, until dropped.
pub struct Waiting(#[expect(dead_code, reason = "dropped at the end of the wait")] split::Waiting);

impl Lanes {
    /// The first lane that is free; `items`: parts of the work, 0 where it has none.
    pub(super) fn enter(&self, items: usize) -> InLane<'_> {
        let mut lanes = self.0.lock();
        let at = lanes.iter().position(|lane| lane.vacant_since.is_some()).unwrap_or(lanes.len());
        if at == limits::THREADS as usize {
            return InLane { place: None, before: MINE.take(), here: PhantomData };
        }
        let now = Instant::now();
        if at == lanes.len() {
            lanes.push(Lane::new(now));
        }
        let lane = &mut lanes[at];
        lane.items = items as u32;
        let vacant_since = lane.vacant_since.take();
        lane.resume(vacant_since, now);
        let before = MINE.replace(Some(lane.counters.clone()));
        InLane { place: Some((self, at)), before, here: PhantomData }
    }

    /// Work goes on at `now` after a pause that began at `paused_at`.
    pub(super) fn resume(&self, paused_at: Instant, now: Instant) {
        self.0.lock().iter_mut().for_each(|lane| lane.resume(Some(paused_at), now));
    }

    /// Those with a worker, in their order.
    pub(super) fn info(&self, now: Instant) -> Vec<LaneInfo> {
        let mut lanes = self.0.lock();
        let taken = lanes.iter_mut().enumerate().filter(|(_, lane)| lane.vacant_since.is_none());
        taken.map(|(worker, lane)| lane.info(worker as u32, now)).collect()
    }
}

impl Lane {
    fn new(now: Instant) -> Self {
        let counters = Counters { done: AtomicU64::new(0), item: AtomicU32::new(NONE), state: AtomicU8::new(LaneState::Working as u8) };
        Self { counters: Arc::new(counters), items: 0, meter: RateMeter::new(now), vacant_since: None }
    }

    fn resume(&mut self, since: Option<Instant>, now: Instant) {
        if let Some(since) = since {
            self.meter.resume(since, now, self.counters.done.load(Ordering::Relaxed));
        }
    }

    fn info(&mut self, worker: u32, now: Instant) -> LaneInfo {
        let Counters { done, item, state } = &*self.counters;
        let (done, item) = (done.load(Ordering::Relaxed), item.load(Ordering::Relaxed));
        let state = LaneState::ALL.get(usize::from(state.load(Ordering::Relaxed))).copied().unwrap_or(LaneState::Working);
        LaneInfo {
            worker,
            state,
            item: Some(item).filter(|&item| item != NONE),
            items: Some(self.items).filter(|&items| items != 0),
            done,
            rate_per_second: if state == LaneState::Paused { 0.0 } else { self.meter.rate(now, done) },
        }
    }
}

impl InLane<'_> {
    /// The worker begins a part of the work.
    pub fn begin(&self, item: usize) {
        MINE.with_borrow(|mine| {
            if let Some(mine) = mine {
                mine.item.store(item as u32, Ordering::Relaxed);
            }
        });
    }
}

impl Drop for InLane<'_> {
    fn drop(&mut self) {
        if let Some((lanes, at)) = self.place
            && let Some(lane) = lanes.0.lock().get_mut(at)
        {
            lane.vacant_since = Some(Instant::now());
            lane.counters.item.store(NONE, Ordering::Relaxed);
        }
        MINE.set(self.before.take());
    }
}

/// Counts units of this thread's worker, if it is one.
pub(super) fn advance(units: u64) {
    MINE.with_borrow(|mine| {
        if let Some(mine) = mine {
            mine.done.fetch_add(units, Ordering::Relaxed);
        }
    });
}

/// This thread's worker, if it is one, waits until what is returned is dropped.
pub fn wait_as(state: LaneState) -> Waiting {
    set_state(state);
    // Only a reader is waited for because of the answer.
    Waiting(split::wait(if state == LaneState::Sending { Part::Reply } else { Part::Queue }))
}

impl Drop for Waiting {
    fn drop(&mut self) {
        set_state(LaneState::Working);
    }
}

fn set_state(state: LaneState) {
    MINE.with_borrow(|mine| {
        if let Some(mine) = mine {
            mine.state.store(state as u8, Ordering::Relaxed);
        }
    });
}

#[cfg(test)]
mod tests {
    use super::*;

    fn seen(lanes: &Lanes) -> Vec<(u32, LaneState, Option<u32>, u64)> {
        lanes.info(Instant::now()).iter().map(|lane| (lane.worker, lane.state, lane.item, lane.done)).collect()
    }

    #[test]
    fn a_lane_is_there_while_its_worker_is_and_keeps_count() {
        let lanes = Lanes::default();
        advance(1);
        assert_eq!(seen(&lanes), []);
        {
            let lane = lanes.enter(8);
            advance(3);
            lane.begin(5);
            assert_eq!(seen(&lanes), [(0, LaneState::Working, Some(5), 3)]);
            let wait = wait_as(LaneState::Sending);
            assert_eq!(seen(&lanes), [(0, LaneState::Sending, Some(5), 3)]);
            drop(wait);
            assert_eq!(seen(&lanes), [(0, LaneState::Working, Some(5), 3)]);
        }
        assert_eq!(seen(&lanes), []);
        let _again = lanes.enter(8);
        advance(4);
        assert_eq!(seen(&lanes), [(0, LaneState::Working, None, 7)]);
    }

    #[test]
    fn work_within_work_counts_for_itself() {
        let (outer, inner) = (Lanes::default(), Lanes::default());
        let _outer = outer.enter(1);
        advance(1);
        {
            let _inner = inner.enter(1);
            advance(10);
            assert_eq!(seen(&inner), [(0, LaneState::Working, None, 10)]);
        }
        advance(1);
        assert_eq!(seen(&outer), [(0, LaneState::Working, None, 2)]);
    }

    #[test]
    fn there_are_as_many_lanes_as_threads_at_most() {
        let lanes = Lanes::default();
        let _all: Vec<_> = (0..limits::THREADS + 2).map(|_| lanes.enter(1)).collect();
        advance(1);
        let info = lanes.info(Instant::now());
        assert_eq!(info.len(), limits::THREADS as usize);
        assert!(info.iter().all(|lane| lane.done == 0));
    }
}
