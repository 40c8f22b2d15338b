//! Merges while everything else happens: what an index answers is always what the records say.
//!
//! A history interleaves the steps of two mergers with writes, removals, drops, and builds that collect and adopt.
//! `TESSERA_MERGE_HISTORIES` says how many are tried.

use super::SegmentIndexes;
use proptest::prelude::*;
use proptest::test_runner::{Config, TestRunner};
use std::cmp::Ordering;
use std::collections::BTreeMap;
use std::sync::Arc;
use tessera_index::document::{Candidates, DocumentBuilder, QueryTerms};
use tessera_index::range::{RangeBounds, SegmentRangeIndex};
use tessera_index::{Index, IndexKind, IndexSpec, IndexState, Indexed, MergeQueue, PartMerge, SegmentIndex};
use tessera_record::{BodyBuilder, BodyRef, Encoder, KeyRef, Value, ValueRef, contains};

const HISTORIES: u32 = 400;
const MERGERS: usize = 2;
/// Values of the bin; 0 is in the most documents.
const VALUES: i64 = 4;
const KINDS: [IndexKind; 2] = [IndexKind::Document, IndexKind::Range];

#[derive(Clone, Debug)]
enum Event {
    /// So many slots from this one on get this value.
    Put(u32, u32, i64),
    Remove(u32, u32),
    /// A merger takes its next step on the index of this kind: freeze, run, install.
    Step(usize, usize),
    /// A merger forgets what it has.
    GiveUp(usize),
    MergeNow(usize),
    Settle,
    /// Drops the index and begins to build another.
    Rebuild(usize),
    /// The build reads the records, then hands over what it has read.
    Build(usize),
}

fn event() -> impl Strategy<Value = Event> {
    let count = || prop_oneof![4 => 1..4_u32, 2 => 1..200_u32];
    prop_oneof![
        12 => (0..60_u32, count(), 0..VALUES).prop_map(|(slot, count, value)| Event::Put(slot, count, value)),
        4 => (0..200_u32, count()).prop_map(|(slot, count)| Event::Remove(slot, count)),
        14 => (0..MERGERS, 0..KINDS.len()).prop_map(|(merger, kind)| Event::Step(merger, kind)),
        1 => (0..MERGERS).prop_map(Event::GiveUp),
        1 => (0..KINDS.len()).prop_map(Event::MergeNow),
        1 => Just(Event::Settle),
        1 => (0..KINDS.len()).prop_map(Event::Rebuild),
        3 => (0..KINDS.len()).prop_map(Event::Build),
    ]
}

fn encoded(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes).value(value);
    bytes
}

/// A bin of the kind's index: a document with the value and others, or the value.
fn bin(kind: IndexKind, value: i64) -> Value {
    match kind {
        IndexKind::Document => Value::List((0..=value).map(Value::Int).collect()),
        IndexKind::Range if value == 1 => Value::String("one".into()),
        IndexKind::Range => Value::Int(value),
    }
}

fn body(value: i64) -> Vec<u8> {
    let mut body = Vec::new();
    let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(0));
    for kind in KINDS {
        builder
            .bin(name(kind), |out| {
                out.value(&bin(kind, value));
                Ok(())
            })
            .unwrap();
    }
    builder.finish();
    body
}

const fn name(kind: IndexKind) -> &'static str {
    match kind {
        IndexKind::Document => "document",
        IndexKind::Range => "range",
    }
}

struct Built {
    index: Arc<Index>,
    building: bool,
    collected: Option<SegmentIndex>,
}

struct Stage {
    queue: Arc<MergeQueue<Index>>,
    segment: SegmentIndexes,
    model: BTreeMap<u32, i64>,
    /// By kind.
    indexes: Vec<Built>,
    mergers: [Option<Merger>; MERGERS],
    installed: u64,
}

struct Merger {
    index: Arc<Index>,
    merge: PartMerge,
    run: bool,
}

impl Stage {
    fn new() -> Self {
        let queue = Arc::new(MergeQueue::new(1));
        let mut segment = SegmentIndexes::new(0);
        let attach = |kind: IndexKind| {
            let index = Self::index(kind, &queue);
            segment.attach(Arc::clone(&index), SegmentIndex::new(kind));
            Built { index, building: false, collected: None }
        };
        let indexes = KINDS.into_iter().map(attach).collect();
        Self { queue, segment, model: BTreeMap::new(), indexes, mergers: [const { None }; MERGERS], installed: 0 }
    }

    fn index(kind: IndexKind, queue: &Arc<MergeQueue<Index>>) -> Arc<Index> {
        let spec = IndexSpec { name: name(kind).into(), set: None, bin: Some(name(kind).into()), kind, path: None, created_at_ms: 0 };
        Arc::new(Index::new(spec, IndexState::Ready, 0, queue).unwrap())
    }

    fn happen(&mut self, event: &Event) {
        match *event {
            Event::Put(first, count, value) => {
                let body = body(value);
                for slot in first..first + count {
                    self.segment.write("", slot, &body);
                    self.model.insert(slot, value);
                }
            }
            Event::Remove(first, count) => {
                for slot in first..first + count {
                    if self.model.remove(&slot).is_some() {
                        self.segment.remove("", slot);
                    }
                }
            }
            Event::Step(merger, kind) => self.step(merger, kind),
            Event::GiveUp(merger) => {
                if let Some(Merger { index, .. }) = self.mergers[merger].take() {
                    self.segment.give_up(&index);
                }
            }
            Event::MergeNow(kind) => {
                let index = Arc::clone(&self.indexes[kind].index);
                self.segment.part(&index).unwrap().own.merge_now();
            }
            Event::Settle => self.segment.settle(),
            Event::Rebuild(kind) => {
                let index = Self::index(KINDS[kind], &self.queue);
                self.segment.detach(&self.indexes[kind].index);
                self.segment.attach(Arc::clone(&index), SegmentIndex::building(KINDS[kind]));
                self.indexes[kind] = Built { index, building: true, collected: None };
            }
            Event::Build(kind) => self.build(kind),
        }
    }

    fn step(&mut self, merger: usize, kind: usize) {
        let has = &mut self.mergers[merger];
        match has {
            None => {
                let index = Arc::clone(&self.indexes[kind].index);
                *has = self.segment.freeze(&index).map(|merge| Merger { index, merge, run: false });
            }
            Some(under_way) if !under_way.run => {
                under_way.merge.run();
                under_way.run = true;
            }
            Some(Merger { index, merge, .. }) => {
                self.segment.install(index, merge);
                self.installed += 1;
                *has = None;
            }
        }
    }

    fn build(&mut self, kind: usize) {
        let Built { index, building, collected } = &mut self.indexes[kind];
        if !*building {
            return;
        }
        if let Some(built) = collected.take() {
            self.segment.adopt(index, built);
            *building = false;
            return;
        }
        let (mut documents, mut range) = (DocumentBuilder::new(), SegmentRangeIndex::new());
        for (slot, value) in &self.model {
            let bytes = encoded(&bin(KINDS[kind], *value));
            match KINDS[kind] {
                IndexKind::Document => documents.add(*slot, ValueRef::of(&bytes)),
                IndexKind::Range => range.insert(*slot, Some(ValueRef::of(&bytes))),
            }
        }
        *collected = Some(match KINDS[kind] {
            IndexKind::Document => SegmentIndex::Document(documents.finish()),
            IndexKind::Range => SegmentIndex::Range(range),
        });
    }

    /// Why an index answers something else than it has to.
    fn judge(&self) -> Result<(), String> {
        for Built { index, .. } in self.indexes.iter().filter(|built| !built.building) {
            for wanted in 0..VALUES {
                let bytes = encoded(&Value::Int(wanted));
                let wanted = ValueRef::of(&bytes);
                let holds = |value: i64| {
                    let body = body(value);
                    matches!(index.kept(BodyRef::new(&body)), Some(Indexed::Value(stored)) if contains(stored, wanted))
                };
                let matching: [bool; VALUES as usize] = std::array::from_fn(|value| holds(value as i64));
                let expected: Vec<u32> = self.model.iter().filter(|(_, value)| matching[**value as usize]).map(|(slot, _)| *slot).collect();
                let mut found = Vec::new();
                let most = match self.segment.get(index) {
                    Some(SegmentIndex::Document(part)) => {
                        let terms = QueryTerms::of(&wanted);
                        assert_eq!(part.candidates(&terms, &mut found), Candidates::Slots);
                        part.estimate(&terms)
                    }
                    Some(SegmentIndex::Range(part)) => {
                        let bounds = RangeBounds::of(&[Ordering::Equal], &wanted).unwrap();
                        part.candidates(&bounds, &mut found);
                        part.estimate(&bounds)
                    }
                    None => return Err("the part is gone".to_owned()),
                };
                if found != expected || most < found.len() as u64 {
                    return Err(format!("{wanted:?} in the {} index: {found:?} of at most {most}, not {expected:?}", index.spec().name));
                }
            }
        }
        Ok(())
    }
}

#[test]
fn every_answer_is_what_the_records_say() {
    let histories: u32 = std::env::var("TESSERA_MERGE_HISTORIES").ok().and_then(|text| text.parse().ok()).unwrap_or(HISTORIES);
    let installed = std::cell::Cell::new(0);
    let mut runner = TestRunner::new(Config { cases: histories, max_shrink_iters: 500, ..Config::default() });
    runner
        .run(&prop::collection::vec(event(), 1..60), |events| {
            let mut stage = Stage::new();
            for event in events {
                stage.happen(&event);
                stage.judge().map_err(TestCaseError::fail)?;
            }
            installed.set(installed.get() + stage.installed);
            Ok(())
        })
        .unwrap();
    assert!(installed.get() > u64::from(histories), "merges come to their end");
}

#[test]
fn a_part_asks_once_for_a_merge_that_is_due() {
    let mut stage = Stage::new();
    stage.happen(&Event::Put(0, 3000, 3));
    let document = Arc::clone(&stage.indexes[0].index);
    assert_eq!((document.merges().waiting, stage.indexes[1].index.merges().waiting), (1, 1));
    stage.happen(&Event::Put(0, 3000, 3));
    assert_eq!(document.merges().waiting, 1);
    stage.happen(&Event::Step(0, 0));
    stage.happen(&Event::Put(0, 3000, 3));
    assert_eq!(document.merges().waiting, 1, "one is at work");
    assert!(stage.segment.freeze(&document).is_none(), "nor does another begin");
    (0..2).for_each(|_| stage.happen(&Event::Step(0, 0)));
    assert_eq!(document.merges().waiting, 2, "one that has ended does not have what came after its beginning");
    stage.queue.forget(&document);
    assert_eq!(document.merges().waiting, 0);
}

#[test]
fn what_a_build_waits_with_is_merged_without_it() {
    const SLOTS: u32 = 80_000;
    let mut stage = Stage::new();
    stage.happen(&Event::Put(0, 2 * SLOTS, 3));
    for kind in 0..KINDS.len() {
        stage.happen(&Event::Rebuild(kind));
        stage.happen(&Event::Build(kind));
    }
    let [document, range] = [0, 1].map(|kind| Arc::clone(&stage.indexes[kind].index));
    let recent = |stage: &Stage, index| stage.segment.get(index).unwrap().stats().recent;
    let (mut merges, mut most) = ([0; KINDS.len()], 0);
    for round in 0..8 {
        stage.happen(&Event::Put(0, SLOTS, round % VALUES));
        for (kind, merges) in merges.iter_mut().enumerate() {
            if stage.segment.part(&stage.indexes[kind].index).unwrap().asked {
                (0..3).for_each(|_| stage.happen(&Event::Step(0, kind)));
                *merges += 1;
            }
        }
        most = most.max(recent(&stage, &document)).max(recent(&stage, &range));
    }
    assert!(merges.iter().all(|&merges| merges > 1), "both ask: {merges:?}");
    // What is merged has at most four pairs a slot; beside it is no more than waits for a merge, and a round's.
    assert!(most < u64::from(4 * SLOTS + SLOTS + 4 * SLOTS), "{most} pairs");
    // One that is under way when the build hands over is void.
    stage.happen(&Event::Step(0, 0));
    stage.happen(&Event::Step(0, 0));
    (0..KINDS.len()).for_each(|kind| stage.happen(&Event::Build(kind)));
    stage.judge().unwrap();
    stage.happen(&Event::Step(0, 0));
    stage.judge().unwrap();
    stage.happen(&Event::Remove(0, 2 * SLOTS));
    stage.judge().unwrap();
}

#[test]
fn what_little_was_written_is_merged_once_writes_pause() {
    let mut stage = Stage::new();
    stage.happen(&Event::Put(0, 100, 3));
    let index = Arc::clone(&stage.indexes[0].index);
    stage.happen(&Event::Settle);
    stage.happen(&Event::Put(100, 1, 3));
    stage.happen(&Event::Settle);
    assert!(stage.segment.unsettled() && index.merges().waiting == 0);
    stage.happen(&Event::Settle);
    assert_eq!(index.merges().waiting, 1);
    (0..3).for_each(|_| stage.happen(&Event::Step(0, 0)));
    assert_eq!(stage.segment.get(&index).unwrap().stats().recent, 0);
}
