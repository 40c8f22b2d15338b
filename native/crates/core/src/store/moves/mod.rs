//! Records that go to another segment while scans run, because the value of their distribution bin changes.
//!
//! A scan takes the segments in any order, so it could meet such a record in both places, or in neither. Before a record
//! leaves, every running scan notes whether it has met it already. From then on it is met where the scan comes across it,
//! if it was not met before; and what is still not met when the scan is through is looked up by its key.

mod copies;
mod stale_copies;

pub(super) use stale_copies::StaleCopies;

use crate::segment::Marks;
use hashbrown::HashMap;
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use tessera_base::thread_guard;
use tessera_record::Digest;

/// The scans of one namespace that care for moves.
#[derive(Default)]
pub(crate) struct Moves {
    followers: RwLock<Vec<Arc<Follower>>>,
}

/// What one scan knows of the moves since it began.
pub(crate) struct Follower {
    /// By segment: the slot where the scan goes on; changed with the segment's lock held.
    positions: Box<[AtomicU32]>,
    /// Slots that the scan has met before it went through their segment.
    marks: Option<Arc<Marks>>,
    /// Whether `moved` has anything.
    any: AtomicBool,
    moved: Mutex<HashMap<Digest, Moved>>,
}

struct Moved {
    set: u16,
    met: bool,
}

/// A scan that is told of moves until this is dropped.
pub(crate) struct Following {
    moves: Arc<Moves>,
    follower: Arc<Follower>,
}

impl Moves {
    /// A scan begins. Waits for moves that are under way, as it would not know of them.
    pub(crate) fn follow(self: &Arc<Self>, segments: usize, marks: Option<Arc<Marks>>) -> Following {
        thread_guard::may_wait("waits for records that move");
        let positions = (0..segments).map(|_| AtomicU32::new(0)).collect();
        let follower = Arc::new(Follower { positions, marks, any: AtomicBool::new(false), moved: Mutex::new(HashMap::new()) });
        self.followers.write().push(follower.clone());
        Following { moves: self.clone(), follower }
    }

    /// A record is about to move. The followers are to be told before it is in its new place, and the guard is held until
    /// it has left the old one.
    pub(crate) fn begin(&self) -> RwLockReadGuard<'_, Vec<Arc<Follower>>> {
        self.followers.read()
    }
}

impl Following {
    pub(crate) fn follower(&self) -> &Follower {
        &self.follower
    }
}

impl Drop for Following {
    fn drop(&mut self) {
        self.moves.followers.write().retain(|follower| !Arc::ptr_eq(follower, &self.follower));
    }
}

impl Follower {
    /// The scan has taken everything below `next` from a segment (`None`: all of it), whose lock is held.
    pub(crate) fn passed(&self, segment: usize, next: Option<u32>) {
        self.positions[segment].store(next.unwrap_or(u32::MAX), Ordering::Relaxed);
    }

    /// A record of `set` is about to leave `slot` of a segment, whose lock is held for writing.
    pub(crate) fn leaves(&self, segment: usize, slot: u32, set: u16, digest: Digest) {
        let passed = slot < self.positions[segment].load(Ordering::Relaxed);
        let met = passed || self.marks.as_ref().is_some_and(|marks| marks.has(segment, slot));
        self.moved.lock().entry(digest).or_insert(Moved { set, met });
        self.any.store(true, Ordering::Release);
    }

    /// Whether the scan, having come across a record, is to meet it.
    pub(crate) fn meets(&self, digest: &Digest) -> bool {
        if !self.any.load(Ordering::Acquire) {
            return true;
        }
        self.moved.lock().get_mut(digest).is_none_or(|moved| !std::mem::replace(&mut moved.met, true))
    }

    /// Records that the scan, now through all segments, has not met, by set and digest.
    pub(crate) fn unmet(&self) -> Vec<(u16, Digest)> {
        let mut moved = self.moved.lock();
        moved.iter_mut().filter_map(|(digest, moved)| (!std::mem::replace(&mut moved.met, true)).then_some((moved.set, *digest))).collect()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::config::{DeviceConfig, PagedConfig};
    use crate::scan::{ALL_SLOTS, End, Scratch, Selection, VisitSpec, Walk};
    use crate::{Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig, WriteOptions};
    use proptest::prelude::*;
    use proptest::test_runner::{Config, TestRunner};
    use std::collections::BTreeMap;
    use std::ops::ControlFlow;
    use tessera_record::{BodyBuilder, KeyRef};

    const SEGMENTS: usize = 4;
    const KEYS: i64 = 12;

    #[derive(Clone, Debug)]
    enum Event {
        /// Gives a key another value of the distribution bin.
        Write(i64, i64),
        /// The scan takes a few more records of a segment.
        Step(usize),
    }

    fn event() -> impl Strategy<Value = Event> {
        prop_oneof![(0..KEYS, 0..9i64).prop_map(|(key, value)| Event::Write(key, value)), (0..SEGMENTS).prop_map(Event::Step)]
    }

    fn write(namespace: &Namespace, key: i64, value: i64) {
        let mut body = Vec::new();
        let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(key));
        builder
            .bin("place", |out| {
                out.int(value);
                Ok(())
            })
            .unwrap();
        builder.finish();
        namespace.put("set", KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
    }

    fn every_history_meets_every_record_once(config: NamespaceConfig, cases: u32) {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let sets = vec![SetConfig { name: "set".into(), distribution_bin: Some("place".into()), ..SetConfig::default() }];
        let namespace = engine.create_namespace(NamespaceConfig { segments: SEGMENTS as u32, sets, ..config }).unwrap();
        let mut runner = TestRunner::new(Config { cases, ..Config::default() });
        let histories = prop::collection::vec(event(), 1..60);
        runner
            .run(&histories, |events| {
                (0..KEYS).for_each(|key| write(&namespace, key, key));
                let following = namespace.store().follow_moves(None);
                let selection = Selection::default();
                let walk = Walk {
                    store: namespace.store(),
                    selection: &selection,
                    bodies: true,
                    follower: Some(following.follower()),
                    marks: None,
                    after_blocks: false,
                    guard: None,
                };
                let (mut met, mut scratch) = (BTreeMap::<Digest, usize>::new(), Scratch::default());
                let mut from = [Some(0); SEGMENTS];
                let rest = (0..SEGMENTS).flat_map(|segment| std::iter::repeat_n(Event::Step(segment), KEYS as usize + 1));
                for event in events.into_iter().chain(rest) {
                    match event {
                        Event::Write(key, value) => write(&namespace, key, value),
                        Event::Step(segment) => {
                            let Some(slot) = from[segment] else { continue };
                            let step = walk.step(segment, slot..ALL_SLOTS.end, 2, &mut scratch, &mut |found| {
                                *met.entry(found.digest).or_default() += 1;
                                if found.slot % 2 == 0 { ControlFlow::Break(End::Step) } else { ControlFlow::Continue(()) }
                            });
                            from[segment] = step.unwrap().next;
                        }
                    }
                }
                prop_assert_eq!(from, [None; SEGMENTS]);
                walk.moved(&mut scratch, &mut |found| {
                    *met.entry(found.digest).or_default() += 1;
                    ControlFlow::Continue(())
                })
                .unwrap();
                let wanted: BTreeMap<Digest, usize> = (0..KEYS).map(|key| (Digest::of("set", KeyRef::Integer(key)), 1)).collect();
                prop_assert_eq!(met, wanted);
                Ok(())
            })
            .unwrap();
        assert_eq!(namespace.store().moves.followers.read().len(), 0);
    }

    #[test]
    fn every_history_in_memory_meets_every_record_once() {
        every_history_meets_every_record_once(NamespaceConfig::memory("memory"), 10_000);
    }

    #[test]
    fn every_history_on_a_device_meets_every_record_once() {
        every_history_meets_every_record_once(NamespaceConfig::device("device", DeviceConfig::default()), 100);
    }

    #[test]
    fn every_history_in_pages_meets_every_record_once() {
        every_history_meets_every_record_once(NamespaceConfig::paged("pages", PagedConfig::smallest()), 100);
    }

    #[test]
    fn a_visit_that_has_broken_off_is_not_called_again_for_a_record_that_moved() {
        const LAST: usize = 31;
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let sets = vec![SetConfig { name: "set".into(), distribution_bin: Some("place".into()), ..SetConfig::default() }];
        let config = NamespaceConfig { segments: LAST as u32 + 1, sets, ..NamespaceConfig::memory("memory") };
        let namespace = engine.create_namespace(config).unwrap();
        (0..200).for_each(|key| write(&namespace, key, key));
        let calls = AtomicU32::new(0);
        namespace
            .scan_visit(&VisitSpec::default(), &|_, found| {
                calls.fetch_add(1, Ordering::Relaxed);
                // As a write would that moves a record away from where the visit has yet to come to.
                namespace.store().moves.begin().iter().for_each(|follower| follower.leaves(LAST, 0, found.set, found.digest));
                ControlFlow::Break(())
            })
            .unwrap();
        assert_eq!(calls.into_inner(), 1);
    }
}
