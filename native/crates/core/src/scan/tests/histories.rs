//! Scans while everything else happens: every record that lived throughout is met exactly once, and none that never lived.
//!
//! A history interleaves the steps of two workers, each by every plan, in many segments or in one that they share, with writes,
//! deletes, expiry, truncation, moves to other segments, flushes, defragmentation, and the set index going on and off. `TESSERA_SCAN_HISTORIES` says how many are
//! tried in all.

use crate::scan::plan::{PlanChoice, ScanSpec, plan_scan};
use crate::scan::traverse::{Traversal, WorkerScratch};
use crate::scan::walk::{Damaged, End, Found, Scratch, Visitor, Walk};
use crate::{Container, DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig, SetConfig, WriteOptions};
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::collections::{BTreeMap, BTreeSet};
use std::ops::{ControlFlow, Range};
use std::sync::Arc;
use tessera_record::{BodyBuilder, BodyRef, Digest, KeyRef, Meta, ValueRef};

const HISTORIES: u32 = 500;
/// Tests that share them.
const WAYS: u32 = 9;
const SEGMENTS: usize = 4;
const WORKERS: usize = 2;
const KEYS: i64 = 24;
const BLOCK: u32 = 16 * 1024;
/// The records of one have fixed places, those of the other go to the segment that a bin names, where there are several.
const SETS: [&str; 2] = ["fixed", "moving"];

#[derive(Clone, Debug)]
enum Event {
    /// Gives a key a new version: of so many bytes, for the segment of this value.
    Put(i64, usize, i64),
    Delete(i64),
    /// Lets a record be past its time.
    Expire(i64),
    Sweep,
    Truncate(usize),
    Flush,
    Defragment,
    /// Switches the index of the first set.
    Index(bool),
    Step(usize),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        12 => (0..KEYS, 0..3000usize, 0..6i64).prop_map(|(key, filling, place)| Event::Put(key, filling, place)),
        2 => (0..KEYS).prop_map(Event::Delete),
        1 => (0..KEYS).prop_map(Event::Expire),
        1 => Just(Event::Sweep),
        1 => (0..20usize).prop_map(|which| if which < SETS.len() { Event::Truncate(which) } else { Event::Sweep }),
        3 => Just(Event::Flush),
        3 => Just(Event::Defragment),
        1 => any::<bool>().prop_map(Event::Index),
        24 => (0..WORKERS).prop_map(Event::Step),
    ]
}

fn set_of(key: i64) -> &'static str {
    SETS[(key % 2) as usize]
}

/// What is known of the records from the beginning of the scan on.
#[derive(Default)]
struct Model {
    next_version: i64,
    current: BTreeMap<i64, i64>,
    /// Versions that were current at any time since.
    lived: BTreeSet<(i64, i64)>,
    throughout: BTreeSet<i64>,
}

impl Model {
    fn begin(&mut self) {
        self.lived = self.current.iter().map(|(key, version)| (*key, *version)).collect();
        self.throughout = self.current.keys().copied().collect();
    }

    fn dies(&mut self, key: i64) {
        self.current.remove(&key);
        self.throughout.remove(&key);
    }
}

struct Stage {
    namespace: Arc<Namespace>,
    model: Model,
    /// Records that were met in blocks, in all histories.
    in_blocks: u64,
    /// And by their places.
    by_places: u64,
}

impl Stage {
    fn body(key: i64, version: i64, filling: usize, place: i64) -> Vec<u8> {
        let mut body = Vec::new();
        let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(key));
        for (name, value) in [("version", version), ("place", place)] {
            builder
                .bin(name, |out| {
                    out.int(value);
                    Ok(())
                })
                .unwrap();
        }
        builder
            .bin("filling", |out| {
                out.string(&"x".repeat(filling));
                Ok(())
            })
            .unwrap();
        builder.finish();
        body
    }

    fn put(&mut self, key: i64, filling: usize, place: i64) {
        let version = self.model.next_version;
        self.model.next_version += 1;
        let body = Self::body(key, version, filling, place);
        self.namespace.put(set_of(key), KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
        self.model.current.insert(key, version);
        self.model.lived.insert((key, version));
    }

    fn expire(&mut self, key: i64) {
        let (set, digest) = (self.namespace.store().find_set(set_of(key)).unwrap(), Digest::of(set_of(key), KeyRef::Integer(key)));
        for cell in self.namespace.cells() {
            cell.write(|segment| {
                let Some(slot) = segment.find(&digest).unwrap() else { return };
                let old = segment.record(slot).unwrap().unwrap();
                let body = Self::body(key, -1, 0, 0);
                // As every write does: whoever has looked the record up knows the body by it.
                let generation = old.meta.generation.wrapping_add(1);
                segment.overwrite(&set, slot, &old, Meta { generation, expires_at: 1, ..old.meta }, &body).unwrap();
            });
        }
        self.model.dies(key);
    }

    fn happen(&mut self, event: &Event) {
        match *event {
            Event::Put(key, filling, place) => self.put(key, filling, place),
            Event::Delete(key) => {
                self.namespace.delete(set_of(key), KeyRef::Integer(key), None).unwrap();
                self.model.dies(key);
            }
            Event::Expire(key) => self.expire(key),
            Event::Sweep => drop(self.namespace.store().sweep(u64::MAX).unwrap()),
            Event::Truncate(which) => {
                let job = self.namespace.truncate(Some(SETS[which]), None).unwrap();
                assert!(job.wait_blocking(std::time::Duration::from_secs(60)).state.ended());
                (0..KEYS).filter(|key| set_of(*key) == SETS[which]).for_each(|key| self.model.dies(key));
            }
            Event::Flush => self.namespace.sync().unwrap(),
            Event::Defragment => self.namespace.store().storage().defragment(&**self.namespace.store()).unwrap(),
            Event::Index(on) => self.index(on),
            Event::Step(_) => {}
        }
    }

    fn index(&self, on: bool) {
        let on_now = self.namespace.store().find_set(SETS[0]).unwrap().indexed();
        match on {
            true if !on_now => drop(self.namespace.set_index_on(SETS[0], 1).unwrap()),
            false if on_now => self.namespace.set_index_off(SETS[0]).unwrap(),
            _ => {}
        }
    }

    /// Scans `set` while `events` happen; why it met something else than it had to.
    fn scan(&mut self, plan: PlanChoice, set: Option<&str>, events: Vec<Event>) -> Result<(), String> {
        (0..KEYS).for_each(|key| self.put(key, (key * 97 % 2000) as usize, key));
        self.index(plan == PlanChoice::SetIndex);
        self.namespace.sync().unwrap();
        self.model.begin();
        let spec = ScanSpec { set: set.map(str::to_owned), plan, ..ScanSpec::default() };
        let (_, selection) = plan_scan(self.namespace.store(), &spec).unwrap();
        let store = self.namespace.store().clone();
        let mut traversal = Traversal::begin(&store, &selection, KEYS as u64, true);
        traversal.split_runs();
        traversal.split_rounds(&store, KEYS as u64);
        traversal.split_ranges(&store, 5);
        let (mut queue, mut workers) = (0, std::array::from_fn::<_, WORKERS, _>(|_| Worker::default()));
        let mut met = Vec::new();
        let rest = (0..WORKERS).cycle().map(Event::Step);
        for event in events.into_iter().chain(rest) {
            if let Event::Step(worker) = event {
                let walk = traversal.walk(&store, &selection, true);
                let alone = workers.iter().enumerate().all(|(other, worker_)| other == worker || !worker_.scratch.ordered.is_under_way());
                workers[worker].step(&walk, &traversal, &mut queue, alone, &mut met);
            }
            self.happen(&event);
            if workers.iter().all(|worker| worker.through) {
                break;
            }
        }
        self.by_places += workers.iter().map(|worker| worker.by_places).sum::<u64>();
        self.in_blocks += workers.iter().map(|worker| worker.in_blocks).sum::<u64>();
        let walk = traversal.walk(&store, &selection, true);
        let each = &mut |found: &Found<'_>| meet(found, &mut met).map_break(|_| ());
        walk.moved(&mut Scratch::default(), each).unwrap();
        self.judge(set, &met)
    }

    fn judge(&self, set: Option<&str>, met: &[(i64, i64)]) -> Result<(), String> {
        if let Some(never) = met.iter().find(|met| !self.model.lived.contains(met)) {
            return Err(format!("{never:?} (key and version) never lived"));
        }
        for &key in self.model.throughout.iter().filter(|key| set.is_none_or(|set| set_of(**key) == set)) {
            let times = met.iter().filter(|(other, _)| *other == key).count();
            if times != 1 {
                return Err(format!("{key}, which lived throughout, was met {times} times"));
            }
        }
        met.iter().all(|(key, _)| set.is_none_or(|set| set_of(*key) == set)).then_some(()).ok_or_else(|| "another set's".to_owned())
    }
}

/// One worker of a scan, stepped by hand.
#[derive(Default)]
struct Worker {
    scratch: WorkerScratch,
    at: Option<(usize, Range<u32>)>,
    through: bool,
    in_blocks: u64,
    by_places: u64,
}

impl Worker {
    /// As `Traversal::item` and `drain`, but a few records at a time. `alone`: whether no other worker has begun an item.
    fn step(&mut self, walk: &Walk<'_>, traversal: &Traversal, queue: &mut usize, alone: bool, met: &mut Vec<(i64, i64)>) {
        if let Some(rounds) = &traversal.rounds {
            if self.scratch.ordered.is_under_way() {
                self.by_places += walk.read_step(2, &mut self.scratch.ordered, &mut |found| meet(found, met)).unwrap().met;
            } else if *queue == traversal.items(walk.store) {
                self.through = true;
            } else if alone || !traversal.begins_stage(*queue) {
                if !self.scratch.ordered.take_on(rounds, *queue) {
                    assert!(traversal.item(walk, *queue, &mut self.scratch, &mut NothingMet).unwrap().is_continue());
                }
                *queue += 1;
            }
            return;
        }
        let each = &mut |found: &Found<'_>| meet(found, met);
        if let Some((segment, slots)) = self.at.take() {
            let end = slots.end;
            self.at = walk.step(segment, slots, 2, &mut self.scratch.step, each).unwrap().next.map(|next| (segment, next..end));
            return;
        }
        let runs = traversal.runs();
        let room = !self.scratch.runs.has_more_than(self.scratch.runs.most_left());
        if *queue < runs && room {
            let run = traversal.sequential.as_ref().unwrap().runs[*queue];
            *queue += 1;
            self.scratch.runs.start(walk.store, run).unwrap();
        } else if self.scratch.runs.has_more_than(0) {
            self.in_blocks += walk.run_step(2, &mut self.scratch.runs, each).0;
        } else if *queue < traversal.items(walk.store) {
            self.at = Some(traversal.slots_of(*queue - runs));
            *queue += 1;
        } else {
            self.through = true;
        }
    }
}

/// Segments are only looked through: no record is met there.
struct NothingMet;

impl Visitor for NothingMet {
    fn most(&self) -> usize {
        2
    }

    fn meet(&mut self, found: &Found<'_>) -> ControlFlow<End> {
        panic!("{:?} was met before it was read", found.digest)
    }

    fn stepped(&mut self, met: u64, _: &[Damaged]) -> tessera_base::Result<()> {
        assert_eq!(met, 0);
        Ok(())
    }
}

fn meet(found: &Found<'_>, met: &mut Vec<(i64, i64)>) -> ControlFlow<End> {
    let body = BodyRef::new(found.body);
    let (KeyRef::Integer(key), Some(ValueRef::Int(version))) = (body.key(), body.bin("version")) else {
        met.push((-1, -1));
        return ControlFlow::Continue(());
    };
    met.push((key, version));
    ControlFlow::Continue(())
}

fn every_history(config: NamespaceConfig, plan: PlanChoice) {
    let histories: u32 = std::env::var("TESSERA_SCAN_HISTORIES").ok().and_then(|text| text.parse().ok()).unwrap_or(HISTORIES);
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let distribution_bin = (config.container == Container::Segmented).then(|| "place".to_owned());
    let moving = SetConfig { name: SETS[1].into(), distribution_bin, ..SetConfig::default() };
    let config = NamespaceConfig { segments: SEGMENTS as u32, sets: vec![moving], ..config };
    let namespace = engine.create_namespace(config).unwrap();
    let on_device = !namespace.bodies_resident();
    let stage = std::cell::RefCell::new(Stage { namespace, model: Model::default(), in_blocks: 0, by_places: 0 });
    let mut runner = TestRunner::new(Config { cases: histories / WAYS, max_shrink_iters: 200, ..Config::default() });
    let events = (prop::collection::vec(event(), 1..80), 0..=SETS.len());
    runner
        .run(&events, |(events, which)| {
            let set = if plan == PlanChoice::SetIndex { Some(SETS[0]) } else { SETS.get(which).copied() };
            stage.borrow_mut().scan(plan, set, events).map_err(TestCaseError::fail)
        })
        .unwrap();
    let Stage { in_blocks, by_places, .. } = stage.into_inner();
    assert_eq!(plan == PlanChoice::Device, in_blocks > 0, "blocks are read by one plan alone");
    assert_eq!(on_device && plan != PlanChoice::Device, by_places > 0, "and places by the others");
}

fn flat() -> NamespaceConfig {
    NamespaceConfig { container: Container::Flat, ..NamespaceConfig::memory("flat") }
}

#[test]
fn in_ranges_of_one_segment_by_set_index() {
    every_history(flat(), PlanChoice::SetIndex);
}

#[test]
fn in_ranges_of_one_segment_by_set_column() {
    every_history(flat(), PlanChoice::SetColumn);
}

fn device() -> NamespaceConfig {
    let device = DeviceConfig { write_block_bytes: BLOCK, post_write_cache_bytes: 2 * u64::from(BLOCK), ..DeviceConfig::default() };
    NamespaceConfig { durability: Durability::Relaxed, ..NamespaceConfig::device("device", device) }
}

#[test]
fn in_memory_by_set_index() {
    every_history(NamespaceConfig::memory("memory"), PlanChoice::SetIndex);
}

#[test]
fn in_memory_by_set_column() {
    every_history(NamespaceConfig::memory("memory"), PlanChoice::SetColumn);
}

#[test]
fn on_a_device_by_set_index() {
    every_history(device(), PlanChoice::SetIndex);
}

#[test]
fn on_a_device_by_set_column() {
    every_history(device(), PlanChoice::SetColumn);
}

#[test]
fn on_a_device_by_the_block() {
    every_history(device(), PlanChoice::Device);
}

fn paged() -> NamespaceConfig {
    let paged = PagedConfig { page_bytes: 4096, cache_bytes: 8 << 20, ..PagedConfig::smallest() };
    NamespaceConfig { durability: Durability::Relaxed, ..NamespaceConfig::paged("paged", paged) }
}

#[test]
fn in_pages_by_set_index() {
    every_history(paged(), PlanChoice::SetIndex);
}

#[test]
fn in_pages_by_set_column() {
    every_history(paged(), PlanChoice::SetColumn);
}
