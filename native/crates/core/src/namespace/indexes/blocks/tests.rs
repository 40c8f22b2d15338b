//! Builds by the block while records are written, deleted, flushed and moved: afterwards the index proposes what is there.

use super::super::build::Scratch;
use super::super::{Build, begin_job};
use super::*;
use crate::query::{IndexUse, QuerySpec};
use crate::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use proptest::prelude::*;
use proptest::test_runner::TestRunner;
use std::cell::{Cell, RefCell};
use std::collections::BTreeMap;
use std::sync::Arc;
use tessera_index::{IndexSpec, IndexState};
use tessera_jobs::{JobPatch, Work};
use tessera_record::filter::Filter;
use tessera_record::{BodyBuilder, KeyRef};

const KEYS: i64 = 32;
const VALUES: i64 = 5;
const BLOCK: u32 = 16 * 1024;
const WORKERS: usize = 2;
const SEGMENTS: u32 = 4;
/// The records of one have fixed places, those of the other go to the segment that a bin names.
const SETS: [&str; 2] = ["fixed", "moving"];

#[derive(Clone, Debug)]
enum Event {
    /// Gives a key a value: with so many bytes, for the segment of this number.
    Put(i64, i64, usize, i64),
    Delete(i64),
    Flush,
    Defragment,
    /// A worker takes the next item.
    Step(usize),
    /// A worker hands in what it carries, as one does that finds no item that it may begin.
    Leave(usize),
}

fn event() -> impl Strategy<Value = Event> {
    prop_oneof![
        8 => (0..KEYS, 0..VALUES, 0..3000usize, 0..6i64).prop_map(|(key, value, filling, place)| Event::Put(key, value, filling, place)),
        2 => (0..KEYS).prop_map(Event::Delete),
        2 => Just(Event::Flush),
        2 => Just(Event::Defragment),
        10 => (0..WORKERS).prop_map(Event::Step),
        2 => (0..WORKERS).prop_map(Event::Leave),
    ]
}

fn set_of(key: i64) -> &'static str {
    SETS[(key % 2) as usize]
}

/// A namespace, and the value of each key.
struct Stage {
    namespace: Arc<Namespace>,
    values: BTreeMap<i64, i64>,
}

impl Stage {
    fn put(&mut self, key: i64, value: i64, filling: usize, place: i64) {
        let mut body = Vec::new();
        let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(key));
        for (name, number) in [("value", value), ("place", place)] {
            builder
                .bin(name, |out| {
                    out.int(number);
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
        self.namespace.put(set_of(key), KeyRef::Integer(key), &body, &WriteOptions::default()).unwrap();
        self.values.insert(key, value);
    }

    fn happen(&mut self, event: &Event) {
        match *event {
            Event::Put(key, value, filling, place) => self.put(key, value, filling, place),
            Event::Delete(key) => {
                self.namespace.delete(set_of(key), KeyRef::Integer(key), None).unwrap();
                self.values.remove(&key);
            }
            Event::Flush => self.namespace.sync().unwrap(),
            Event::Defragment => self.namespace.store().storage().defragment(&**self.namespace.store()).unwrap(),
            Event::Step(_) | Event::Leave(_) => {}
        }
    }

    /// Builds an index of `set` while `events` happen; answers how many records were found in blocks.
    fn build(&mut self, kind: IndexKind, set: Option<&str>, order: Order, events: Vec<Event>) -> u64 {
        // That of the case before.
        let _ = self.namespace.drop_index("i");
        (0..KEYS).for_each(|key| self.put(key, key % VALUES, (key * 97 % 2000) as usize, key));
        self.namespace.sync().unwrap();
        let namespace = Arc::clone(&self.namespace);
        let store = namespace.store();
        let spec =
            IndexSpec { name: "i".into(), set: set.map(str::to_owned), bin: Some("value".into()), kind, path: None, created_at_ms: 0 };
        let index = Arc::new(Index::new(spec, IndexState::Building, store.check_ns(), &store.indexes.merges).unwrap());
        let job = store.indexes.enlist(&index, || begin_job(store, &index, 2)).unwrap();
        job.patch(JobPatch { records_per_second: order.rate, ..JobPatch::default() }).unwrap();
        store.attach(&index);
        let blocks = |run: &Run| (run.first..run.first + u64::from(run.blocks)).map(|first| Run { first, blocks: 1 });
        let runs: Vec<Run> = store.storage().runs().iter().flat_map(blocks).collect();
        let set = set.map(|name| store.sets.find(name).unwrap().id);
        let (mut blocks, passes) = Blocks::in_passes(store, set, runs, order.passes).unwrap();
        blocks.most_bytes = order.most_bytes;
        let work = Build {
            namespace: Arc::clone(&namespace),
            index,
            job: Arc::clone(&job),
            blocks: Some(blocks),
            passes,
            built: AtomicUsize::default(),
        };
        let mut workers: [Scratch; WORKERS] = Default::default();
        let mut items = 0..passes.items();
        for event in events.into_iter().chain((0..WORKERS).cycle().map(Event::Step)) {
            match event {
                Event::Step(worker) => match items.next() {
                    Some(item) => work.item(&mut workers[worker], item).unwrap(),
                    None => break,
                },
                Event::Leave(worker) => work.leave(std::mem::take(&mut workers[worker])).unwrap(),
                _ => self.happen(&event),
            }
        }
        workers.into_iter().for_each(|worker| work.leave(worker).unwrap());
        assert_eq!(items.next(), None, "all was done");
        let found = work.blocks.as_ref().unwrap().found();
        assert_eq!(work.blocks.as_ref().unwrap().bytes.load(Ordering::Relaxed), 0, "nothing is held that was built");
        work.finish(Ok(()));
        found
    }

    fn found(&self, kind: IndexKind, set: &str, value: i64) -> Vec<i64> {
        let op = match kind {
            IndexKind::Document => "contains",
            IndexKind::Range => "eq",
        };
        let filter = Filter::compile(format!(r#"{{"bin":"value","op":"{op}","value":{value}}}"#).as_bytes()).unwrap();
        let spec = QuerySpec {
            set: Some(set.to_owned()),
            filter: Some(Arc::new(filter)),
            use_index: IndexUse::Named("i".into()),
            threads: 1,
            ..QuerySpec::default()
        };
        let stream = self.namespace.query(spec).unwrap().stream;
        let mut keys = Vec::new();
        while let Some(chunk) = stream.next_blocking().unwrap() {
            for line in chunk.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()) {
                keys.push(serde_json::from_slice::<serde_json::Value>(line).unwrap()["key"].as_i64().unwrap());
            }
        }
        keys.sort_unstable();
        keys
    }
}

#[derive(Clone, Copy, Debug)]
struct Order {
    passes: usize,
    most_bytes: usize,
    /// With one that is never reached, no worker gives way.
    rate: Option<u32>,
}

fn order() -> impl Strategy<Value = Order> {
    let most = prop_oneof![1 => 0..2000usize, 3 => Just(usize::MAX)];
    let rate = prop_oneof![Just(None), Just(Some(1_000_000_000))];
    (1..6usize, most, rate).prop_map(|(passes, most_bytes, rate)| Order { passes, most_bytes, rate })
}

#[test]
fn an_index_built_by_the_block_proposes_what_is_there() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let device = DeviceConfig { write_block_bytes: BLOCK, post_write_cache_bytes: 0, ..DeviceConfig::default() };
    let sets = vec![SetConfig { name: SETS[1].into(), distribution_bin: Some("place".to_owned()), ..SetConfig::default() }];
    let config = NamespaceConfig { sets, segments: SEGMENTS, ..NamespaceConfig::device("n", device) };
    let stage = RefCell::new(Stage { namespace: engine.create_namespace(config).unwrap(), values: BTreeMap::new() });
    let in_blocks = Cell::new(0);
    let mut runner = TestRunner::new(ProptestConfig { cases: tessera_base::cases(300), max_shrink_iters: 100, ..Default::default() });
    let given = (prop::collection::vec(event(), 0..60), any::<bool>(), 0..=SETS.len(), order());
    let outcome = runner.run(&given, |(events, document, which, order)| {
        let kind = if document { IndexKind::Document } else { IndexKind::Range };
        let mut stage = stage.borrow_mut();
        let set = SETS.get(which).copied();
        in_blocks.set(in_blocks.get() + stage.build(kind, set, order, events));
        for set in set.map_or(SETS.to_vec(), |set| vec![set]) {
            for value in 0..VALUES {
                let held = stage.values.iter().filter(|(key, held)| set_of(**key) == set && **held == value);
                let expected: Vec<i64> = held.map(|(key, _)| *key).collect();
                prop_assert_eq!(stage.found(kind, set, value), expected, "{} = {}", set, value);
            }
        }
        Ok(())
    });
    outcome.unwrap();
    assert!(in_blocks.get() > 200, "{} records were found in blocks", in_blocks.get());
}

#[test]
fn each_segment_is_built_once_after_the_blocks_of_its_pass() {
    for (runs, segments, each) in [(0, 4, 4), (3, 4, 4), (3, 10, 4), (1, 7, 1), (2, 1, 1)] {
        let passes = Passes { runs, segments, each };
        let (mut read, mut built): (BTreeMap<usize, usize>, Vec<usize>) = (BTreeMap::new(), Vec::new());
        for item in 0..passes.items() {
            match passes.part(item) {
                Part::Run(run, of) => {
                    assert!(run < runs && (item == 0 || passes.begins_stage(item) == (run == 0)));
                    of.for_each(|segment| *read.entry(segment).or_default() += 1);
                }
                Part::Segment(segment) => {
                    assert_eq!(read.get(&segment).copied().unwrap_or(0), runs, "all blocks are read before");
                    assert_eq!(passes.begins_stage(item), runs > 0 && segment % each == 0);
                    built.push(segment);
                }
            }
        }
        assert_eq!(built, (0..segments).collect::<Vec<_>>());
    }
}
