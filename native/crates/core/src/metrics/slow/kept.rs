//! What is kept of slow operations: a ring of all beyond the threshold, and the slowest of each kind of late.

use super::file::Noted;
use super::{KINDS, Operation, SLOW_LEAST, SlowOperation};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

/// Memory of the ring.
pub(super) const RING_BYTES: usize = 1024 * 1024;
/// So many of each kind are the slowest.
const SLOWEST: usize = 16;
/// For so long.
const LATELY: Duration = Duration::from_secs(3600);

#[derive(Default)]
pub(super) struct Kept {
    /// Oldest first.
    ring: VecDeque<Arc<SlowOperation>>,
    ring_bytes: usize,
    /// By kind, the slowest first.
    slowest: [Vec<Slowest>; KINDS],
}

struct Slowest {
    entry: Arc<SlowOperation>,
    /// When it ended, by a clock that nobody sets: the wall clock may jump.
    ended: Instant,
}

impl Kept {
    /// Puts an operation into the ring if it is beyond the threshold, and among the slowest if it is one of them.
    pub(super) fn keep(&mut self, entry: Arc<SlowOperation>, beyond: bool, now: Instant) {
        self.age(now);
        if self.is_among_slowest(entry.operation, entry.took) {
            let slowest = &mut self.slowest[entry.operation as usize];
            let place = slowest.partition_point(|other| other.entry.took >= entry.took);
            slowest.insert(place, Slowest { entry: Arc::clone(&entry), ended: now });
            slowest.truncate(SLOWEST);
        }
        if beyond {
            self.ring_bytes += entry.bytes();
            self.ring.push_back(entry);
        }
        while self.ring_bytes > RING_BYTES
            && let Some(oldest) = self.ring.pop_front()
        {
            self.ring_bytes -= oldest.bytes();
        }
    }

    pub(super) fn is_among_slowest(&self, operation: Operation, took: Duration) -> bool {
        took >= self.slowest_from(operation)
    }

    /// How long an operation has to take to be one of the slowest of its kind.
    pub(super) fn slowest_from(&self, operation: Operation) -> Duration {
        let fastest = self.slowest[operation as usize].get(SLOWEST - 1);
        fastest.map_or(SLOW_LEAST, |slowest| slowest.entry.took + Duration::from_nanos(1))
    }

    /// Lets those of the slowest go that ended too long ago.
    pub(super) fn age(&mut self, now: Instant) {
        self.slowest.iter_mut().for_each(|slowest| slowest.retain(|one| now.saturating_duration_since(one.ended) <= LATELY));
    }

    fn slowest(&self) -> impl Iterator<Item = &Arc<SlowOperation>> {
        self.slowest.iter().flatten().map(|slowest| &slowest.entry)
    }

    /// Those with a higher number, oldest first, each with whether it was beyond its threshold.
    pub(super) fn since(&self, id: u64) -> Vec<Noted> {
        let of_ring = self.ring.iter().rev().take_while(|entry| entry.id > id).map(|entry| (Arc::clone(entry), true));
        let of_slowest = self.slowest().filter(|entry| entry.id > id).map(|entry| (Arc::clone(entry), false));
        let mut found: Vec<_> = of_ring.chain(of_slowest).collect();
        found.sort_unstable_by_key(|(entry, beyond)| (entry.id, !beyond));
        found.dedup_by_key(|(entry, _)| entry.id);
        found
    }

    /// All, newest first.
    pub(super) fn all(&self) -> Vec<Arc<SlowOperation>> {
        self.since(0).into_iter().rev().map(|(entry, _)| entry).collect()
    }

    /// Memory of all, a little more where one is both in the ring and among the slowest.
    pub(super) fn bytes(&self) -> usize {
        self.ring_bytes + self.slowest().map(|entry| entry.bytes()).sum::<usize>()
    }

    /// Drops what keys and values are in them.
    pub(super) fn forget_keys(&mut self) {
        let slowest = self.slowest.iter_mut().flatten().map(|slowest| &mut slowest.entry);
        let entries = self.ring.iter_mut().chain(slowest);
        entries.for_each(|entry| *entry = Arc::new(entry.without_key()));
        self.ring_bytes = self.ring.iter().map(|entry| entry.bytes()).sum();
    }
}
