//! Namespaces of every engine against a map: random writes, deletes, truncations, index switches, scans and restarts.

#![allow(clippy::unwrap_used, clippy::panic, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use crate::pages::paged;
use proptest::prelude::*;
use std::collections::{BTreeMap, BTreeSet};
use std::mem;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::{Error, ErrorCode};
use tessera_core::namespace::{SegmentInfo, SetInfo};
use tessera_core::scan::{ScanFormat, ScanSpec};
use tessera_core::{
    ConfigPatch, Container, DeviceConfig, Engine, EngineConfig, EngineOptions, Exists, Namespace, NamespaceConfig, Ownership, Resident,
    SetConfig, WriteOptions, Written,
};
use tessera_record::{BodyRef, KeyRef, Meta, Ttl, Value};

const SETS: [&str; 3] = ["", "plain", "placed"];
const LONG: Duration = Duration::from_secs(60);

#[derive(Clone, Debug)]
enum Operation {
    Put {
        set: usize,
        key: i64,
        exists: Exists,
        generation: Option<u16>,
        greater: bool,
        ttl: Ttl,
        bins: Vec<(u8, Option<u16>)>,
    },
    Delete {
        set: usize,
        key: i64,
        generation: Option<u16>,
    },
    Get {
        set: usize,
        key: i64,
    },
    GetMany {
        set: usize,
        keys: Vec<i64>,
    },
    Truncate {
        set: Option<usize>,
    },
    /// So that it can be undone.
    Hide {
        set: Option<usize>,
    },
    /// One of those that can be undone: undone, or made final.
    Settle {
        which: usize,
        undo: bool,
    },
    SwitchIndex {
        set: usize,
    },
    Scan {
        set: Option<usize>,
        limit: Option<u64>,
        threads: u32,
    },
    /// Without the index snapshot, or with it.
    Restart {
        cold: bool,
    },
}

fn operation() -> impl Strategy<Value = Operation> {
    let exists = prop_oneof![
        4 => Just(Exists::Upsert),
        1 => Just(Exists::CreateOnly),
        1 => Just(Exists::ReplaceOnly),
        2 => Just(Exists::UpdateOnly),
        2 => Just(Exists::Merge)
    ];
    let ttl = prop_oneof![Just(Ttl::Default), Just(Ttl::Never), Just(Ttl::Keep), (1000..5000u32).prop_map(Ttl::Seconds)];
    let generation = || prop_oneof![4 => Just(None), 1 => (0..4u16).prop_map(Some)];
    let bins = prop::collection::vec((0..4u8, prop::option::weighted(0.8, any::<u16>())), 0..4);
    let put = (0..3usize, 0..40i64, exists, generation(), any::<bool>(), ttl, bins)
        .prop_map(|(set, key, exists, generation, greater, ttl, bins)| Operation::Put { set, key, exists, generation, greater, ttl, bins });
    prop_oneof![
        30 => put,
        8 => (0..3usize, 0..40i64, generation()).prop_map(|(set, key, generation)| Operation::Delete { set, key, generation }),
        8 => (0..3usize, 0..40i64).prop_map(|(set, key)| Operation::Get { set, key }),
        2 => (0..3usize, prop::collection::vec(0..50i64, 0..60)).prop_map(|(set, keys)| Operation::GetMany { set, keys }),
        1 => prop::option::of(0..3usize).prop_map(|set| Operation::Truncate { set }),
        2 => prop::option::of(0..3usize).prop_map(|set| Operation::Hide { set }),
        2 => (0..4usize, prop::bool::weighted(0.7)).prop_map(|(which, undo)| Operation::Settle { which, undo }),
        2 => (0..3usize).prop_map(|set| Operation::SwitchIndex { set }),
        3 => (prop::option::of(0..3usize), prop::option::of(1..20u64), 1..4u32)
            .prop_map(|(set, limit, threads)| Operation::Scan { set, limit, threads }),
        1 => any::<bool>().prop_map(|cold| Operation::Restart { cold }),
    ]
}

/// Most of the writes with the one bin that records have.
fn single(operation: impl Strategy<Value = Operation>) -> impl Strategy<Value = Operation> {
    (operation, prop::bool::weighted(0.8)).prop_map(|(mut operation, fits)| {
        if let Operation::Put { bins, .. } = &mut operation
            && fits
        {
            let value = bins.first().map_or(Some(1), |(_, value)| *value);
            *bins = vec![(0, value)];
        }
        operation
    })
}

#[derive(Clone, Debug, PartialEq)]
struct Known {
    generation: u16,
    expires: bool,
    bins: BTreeMap<u8, Option<u16>>,
}

/// A truncation that can be undone.
struct Pending {
    id: String,
    set: Option<usize>,
}

struct Rig {
    directory: tempfile::TempDir,
    engine: Option<Arc<Engine>>,
    durable: bool,
    /// A restart finds an image of the index.
    imaged: bool,
    single: bool,
    model: BTreeMap<(usize, i64), Known>,
    /// Oldest first.
    pending: Vec<Pending>,
    /// What they hide, with the ids of all that hide it.
    hidden: BTreeMap<(usize, i64), (Known, BTreeSet<String>)>,
}

/// Bin 0 has the name of the one bin of single-bin namespaces.
fn name(bin: u8) -> String {
    if bin == 0 { "value".into() } else { format!("bin{bin}") }
}

/// Bin 0 decides the segment of the set "placed".
fn encode(key: i64, bins: &BTreeMap<u8, Option<u16>>) -> Vec<u8> {
    let names: Vec<(String, Value)> =
        bins.iter().map(|(bin, value)| (name(*bin), value.map_or(Value::Null, |n| Value::Int(n.into())))).collect();
    let borrowed: Vec<(&str, Value)> = names.iter().map(|(name, value)| (name.as_str(), value.clone())).collect();
    body(KeyRef::Integer(key), &borrowed)
}

fn decode(stored: &[u8]) -> (i64, BTreeMap<u8, Option<u16>>) {
    let stored = BodyRef::new(stored);
    let KeyRef::Integer(key) = stored.key() else { panic!("keys are integers") };
    let bins = (0..4).filter_map(|bin| match stored.bin(&name(bin))?.to_value() {
        Value::Int(n) => Some((bin, Some(n as u16))),
        _ => Some((bin, None)),
    });
    (key, bins.collect())
}

impl Rig {
    fn new(config: NamespaceConfig) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        // In a flat container there are no segments for a bin to choose.
        let distribution_bin = (config.container == Container::Segmented).then(|| name(0));
        let set = SetConfig { name: "placed".into(), distribution_bin, ..SetConfig::default() };
        let (durable, single) = (config.engine != EngineConfig::Memory, config.single_bin);
        let imaged = matches!(config.engine, EngineConfig::Device(_));
        engine.create_namespace(NamespaceConfig { sets: vec![set], default_ttl_seconds: 0, ..config }).unwrap();
        Self { directory, engine: Some(engine), durable, imaged, single, model: BTreeMap::new(), pending: vec![], hidden: BTreeMap::new() }
    }

    fn namespace(&self) -> Arc<Namespace> {
        self.engine.as_ref().unwrap().namespace("n").unwrap()
    }

    fn count(&self, set: Option<usize>) -> u64 {
        self.model.keys().filter(|(own, _)| set.is_none_or(|set| set == *own)).count() as u64
    }

    fn put(&mut self, set: usize, key: i64, options: &WriteOptions, bins: &BTreeMap<u8, Option<u16>>) {
        let old = self.model.get(&(set, key)).cloned();
        let found = self.namespace().put(SETS[set], KeyRef::Integer(key), &encode(key, bins), options);
        let refused = |code: ErrorCode| assert_eq!(found.as_ref().map_err(|error| error.code), Err(code));
        let merging = matches!(options.exists, Exists::UpdateOnly | Exists::Merge);
        match (options.exists, &old) {
            (Exists::CreateOnly, Some(_)) => return refused(ErrorCode::RecordExists),
            (Exists::ReplaceOnly | Exists::UpdateOnly, None) => return refused(ErrorCode::RecordNotFound),
            _ => {}
        }
        let generation = old.as_ref().map_or(0, |known| known.generation);
        let fits = |expected: u16| if options.generation_greater { expected > generation } else { expected == generation };
        if options.expected_generation.is_some_and(|expected| !fits(expected)) {
            return refused(ErrorCode::GenerationMismatch);
        }
        let mut known = Known { generation: generation + 1, expires: false, bins: bins.clone() };
        if merging {
            known.bins = old.as_ref().map(|old| old.bins.clone()).unwrap_or_default();
            for (bin, value) in bins {
                match value {
                    Some(_) => known.bins.insert(*bin, *value),
                    None => known.bins.remove(bin),
                };
            }
        }
        // A merge may leave the bin out; what it makes of the record has it.
        let named = if merging { bins.keys().all(|bin| *bin == 0) } else { true };
        if self.single && (!named || known.bins.keys().ne([&0])) {
            return refused(ErrorCode::SingleBin);
        }
        known.expires = match options.ttl {
            Ttl::Seconds(_) => true,
            Ttl::Keep => old.as_ref().is_some_and(|old| old.expires),
            Ttl::Default | Ttl::Never => false,
        };
        let written: Written = found.unwrap();
        assert_eq!((written.created, written.meta.generation), (old.is_none(), known.generation));
        self.model.insert((set, key), known);
        self.hidden.remove(&(set, key));
    }

    fn hide(&mut self, set: Option<usize>) {
        let found = self.namespace().truncate_for(set.map(|set| SETS[set]), None, LONG * 60);
        let truncated = match found {
            Ok(truncated) => truncated,
            Err(error) => {
                assert_eq!((error.code, self.count(set)), (ErrorCode::SetNotFound, 0));
                return;
            }
        };
        assert!(truncated.undo_until_ms.is_some());
        let of_set = |(own, _): &(usize, i64)| set.is_none_or(|set| set == *own);
        let id = truncated.job.wait_blocking(LONG).id;
        let known = mem::take(&mut self.model);
        let (gone, kept): (BTreeMap<_, _>, _) = known.into_iter().partition(|(record, _)| of_set(record));
        self.model = kept;
        for (_, (_, ids)) in self.hidden.iter_mut().filter(|(record, _)| of_set(record)) {
            ids.insert(id.clone());
        }
        let hides = self.namespace().undoable_truncations().pop().unwrap();
        assert_eq!((&hides.id, hides.records), (&id, gone.len() as u64));
        self.hidden.extend(gone.into_iter().map(|(record, known)| (record, (known, BTreeSet::from([id.clone()])))));
        self.pending.push(Pending { id, set });
    }

    fn settle(&mut self, which: usize, undo: bool) {
        let Some(at) = which.checked_rem(self.pending.len()) else {
            assert_eq!(self.namespace().undo_truncation("none").err().unwrap().code, ErrorCode::TruncationNotFound);
            return;
        };
        let namespace = self.namespace();
        let Pending { id, set } = self.pending.remove(at);
        if !undo {
            namespace.settle_truncation(&id).unwrap().wait_blocking(LONG);
            self.hidden.retain(|_, (_, ids)| !ids.contains(&id));
            // Earlier ones that it covers are final with it.
            let mut earlier = 0..at;
            self.pending.retain(|one| earlier.next().is_none() || set.is_some() && set != one.set);
            return;
        }
        let before = self.model.len();
        let job = namespace.undo_truncation(&id).unwrap().wait_blocking(LONG);
        for (_, ids) in self.hidden.values_mut() {
            ids.remove(&id);
        }
        let hidden = mem::take(&mut self.hidden);
        let (back, still): (BTreeMap<_, _>, _) = hidden.into_iter().partition(|(_, (_, ids))| ids.is_empty());
        self.hidden = still;
        self.model.extend(back.into_iter().map(|(record, (known, _))| (record, known)));
        assert_eq!(job.result, Some(format!("{{\"records\":{}}}", self.model.len() - before)));
        assert_eq!(namespace.undo_truncation(&id).err().unwrap().code, ErrorCode::TruncationNotFound);
    }

    fn check(&self, set: usize, key: i64, found: Option<(Meta, &[u8])>) {
        let found = found.map(|(meta, stored)| {
            let (own, bins) = decode(stored);
            assert_eq!(own, key);
            Known { generation: meta.generation, expires: meta.expires_at != 0, bins }
        });
        assert_eq!(found.as_ref(), self.model.get(&(set, key)));
    }

    fn scan(&self, set: Option<usize>, limit: Option<u64>, threads: u32) {
        let seen = self.scanned(set, limit, threads, None);
        let wanted: Vec<_> = self.model.keys().copied().filter(|(own, _)| set.is_none_or(|set| set == *own)).collect();
        assert_eq!(seen, wanted);
    }

    /// What a scan brings, sorted.
    fn scanned(&self, set: Option<usize>, limit: Option<u64>, threads: u32, segments: Option<Arc<[u16]>>) -> Vec<(usize, i64)> {
        let namespace = self.namespace();
        let format = ScanFormat::Custom(Arc::new(|out, record| {
            let (key, _) = decode(record.body.as_bytes());
            out.push(SETS.iter().position(|set| *set == record.set).unwrap() as u8);
            out.extend_from_slice(&key.to_le_bytes());
        }));
        let (mut seen, mut cursor) = (Vec::new(), None);
        loop {
            let spec = ScanSpec {
                set: set.map(|set| SETS[set].to_owned()),
                limit,
                threads,
                cursor,
                segments: segments.clone(),
                format: format.clone(),
                ..ScanSpec::default()
            };
            let scan = match namespace.scan(spec) {
                Ok(scan) => scan,
                // A set comes into being with its first record.
                Err(Error { code: ErrorCode::SetNotFound, .. }) => break,
                Err(error) => panic!("{error}"),
            };
            let mut bytes = Vec::new();
            while let Some(chunk) = scan.stream.next_blocking().unwrap() {
                bytes.extend(chunk);
            }
            assert!(limit.is_none_or(|limit| bytes.len() as u64 <= limit * 9));
            seen.extend(bytes.chunks_exact(9).map(|row| (usize::from(row[0]), i64::from_le_bytes(row[1..].try_into().unwrap()))));
            cursor = scan.stream.summary().cursor;
            if cursor.is_none() {
                break;
            }
        }
        seen.sort_unstable();
        seen
    }

    /// Nodes that share the segments, and requests that share them out, have each record once.
    fn shares(&self, threads: u32) {
        let (namespace, all) = (self.namespace(), self.model.keys().copied().collect::<Vec<_>>());
        let mut seen = Vec::new();
        for this in 0..3 {
            let ownership = Some(Ownership { nodes: 3, owners: 2, this });
            namespace.update(ConfigPatch { ownership: Some(ownership), ..ConfigPatch::default() }).unwrap();
            assert_eq!(namespace.config().ownership, ownership);
            let primary = |info: &SegmentInfo| info.primary;
            assert_eq!(
                namespace.size(None),
                namespace.segments().iter().filter(|info| primary(info)).map(|info| info.records).sum::<u64>()
            );
            let own = self.scanned(None, None, threads, None);
            assert_eq!(namespace.size(None), own.len() as u64);
            for (set, name) in SETS.iter().enumerate() {
                let of_set = own.iter().filter(|(own, _)| *own == set).count();
                assert_eq!(namespace.size(Some(name)), of_set as u64);
                assert_eq!(self.scanned(Some(set), Some(7), 1, None).len(), of_set);
            }
            assert_eq!(self.scanned(None, None, threads, Some((0..namespace.segment_count() as u16).collect())), all, "whoever owns them");
            seen.extend(own);
        }
        seen.sort_unstable();
        assert_eq!(seen, all);
        namespace.update(ConfigPatch { ownership: Some(None), ..ConfigPatch::default() }).unwrap();
        let each = (0..namespace.segment_count() as u16).flat_map(|segment| self.scanned(None, Some(5), 1, Some([segment].into())));
        let mut each: Vec<_> = each.collect();
        each.sort_unstable();
        assert_eq!(each, all);
    }

    /// What is known of each set that has records.
    fn sets(&self) -> BTreeSet<String> {
        let sets = self.namespace().sets().into_iter().filter(|set| set.records > 0);
        // That records without a set are indexed is not kept over a restart.
        let index = |set: &SetInfo| if set.name.is_empty() { None } else { Some((set.index, set.index_bytes > 0)) };
        sets.map(|set| format!("{} {} {} {:?} {:?}", set.name, set.records, set.bytes, set.distribution_bin, index(&set))).collect()
    }

    fn run(&mut self, operation: Operation) {
        match operation {
            Operation::Put { set, key, exists, generation, greater, ttl, bins } => {
                let options =
                    WriteOptions { exists, expected_generation: generation, generation_greater: greater, ttl, ..WriteOptions::default() };
                self.put(set, key, &options, &bins.into_iter().collect());
            }
            Operation::Delete { set, key, generation } => {
                let found = self.namespace().delete(SETS[set], KeyRef::Integer(key), generation);
                match self.model.get(&(set, key)) {
                    Some(known) if generation.is_some_and(|expected| expected != known.generation) => {
                        assert_eq!(found.unwrap_err().code, ErrorCode::GenerationMismatch);
                    }
                    known => {
                        assert_eq!(found.unwrap(), known.is_some());
                        self.model.remove(&(set, key));
                        // A condition on what cannot be seen fails, and takes nothing.
                        if generation.is_none() {
                            self.hidden.remove(&(set, key));
                        }
                    }
                }
            }
            Operation::Get { set, key } => {
                let mut out = Vec::new();
                let meta = self.namespace().get(SETS[set], KeyRef::Integer(key), &mut out).unwrap();
                self.check(set, key, meta.map(|meta| (meta, &out[..])));
                // By reference memory tells the same, or that it does not know.
                let seen = self.namespace().look(SETS[set], KeyRef::Integer(key), |meta, body| self.check(set, key, Some((meta, body))));
                match seen.unwrap() {
                    Resident::Found(()) => {}
                    Resident::Absent => self.check(set, key, None),
                    Resident::Waits => assert_ne!(self.namespace().config().engine, EngineConfig::Memory),
                }
            }
            Operation::GetMany { set, keys } => {
                let borrowed: Vec<KeyRef<'_>> = keys.iter().map(|key| KeyRef::Integer(*key)).collect();
                let mut answered = vec![0; keys.len()];
                let mut each = |position: usize, found: Option<(Meta, &[u8])>| {
                    answered[position] += 1;
                    self.check(set, keys[position], found);
                };
                self.namespace().get_many(SETS[set], &borrowed, &mut each).unwrap();
                assert!(answered.iter().all(|times| *times == 1));
            }
            Operation::Truncate { set } => match self.namespace().truncate(set.map(|set| SETS[set]), None) {
                Ok(job) => {
                    job.wait_blocking(LONG);
                    self.model.retain(|(own, _), _| set.is_some_and(|set| set != *own));
                    self.hidden.retain(|(own, _), _| set.is_some_and(|set| set != *own));
                    self.pending.retain(|one| set.is_some() && set != one.set);
                }
                Err(error) => assert_eq!((error.code, self.count(set)), (ErrorCode::SetNotFound, 0)),
            },
            Operation::Hide { set } => self.hide(set),
            Operation::Settle { which, undo } => self.settle(which, undo),
            Operation::SwitchIndex { set } => {
                let namespace = self.namespace();
                match namespace.set_index_on(SETS[set], 2) {
                    Ok(job) => drop(job.wait_blocking(LONG)),
                    Err(error) if error.code == ErrorCode::IndexExists => namespace.set_index_off(SETS[set]).unwrap(),
                    Err(error) => assert_eq!((error.code, self.count(Some(set))), (ErrorCode::SetNotFound, 0)),
                }
            }
            Operation::Scan { set, limit, threads } => self.scan(set, limit, threads),
            Operation::Restart { cold } => {
                let before = self.sets();
                self.engine.take().unwrap().close().unwrap();
                if self.imaged && cold {
                    std::fs::remove_file(self.directory.path().join("namespaces/1/index.tss")).unwrap();
                }
                self.engine = Some(Engine::open(self.directory.path(), EngineOptions::default()).unwrap());
                if self.imaged {
                    assert_eq!(self.namespace().recovery().cold.is_some(), cold, "{:?}", self.namespace().recovery());
                }
                if self.durable {
                    assert_eq!(self.sets(), before);
                }
                if !self.durable {
                    self.model.clear();
                    self.hidden.clear();
                    self.pending.clear();
                }
            }
        }
        assert_eq!(self.namespace().size(None), self.count(None));
        let (listed, pending) = (self.namespace().undoable_truncations(), self.pending.iter().map(|one| one.id.as_str()));
        assert!(listed.iter().map(|one| one.id.as_str()).eq(pending));
    }

    fn finish(&mut self) {
        for (set, name) in SETS.iter().enumerate() {
            assert_eq!(self.namespace().size(Some(name)), self.count(Some(set)));
            for key in 0..40 {
                self.run(Operation::Get { set, key });
            }
            self.scan(Some(set), None, 2);
        }
        self.shares(2);
    }

    /// Undoes all, oldest first.
    fn undo_all(&mut self) {
        (0..self.pending.len()).for_each(|_| self.run(Operation::Settle { which: 0, undo: true }));
        assert!(self.hidden.is_empty());
    }
}

fn check(config: NamespaceConfig, operations: Vec<Operation>) {
    let mut rig = Rig::new(config);
    operations.into_iter().for_each(|operation| rig.run(operation));
    rig.finish();
    if rig.durable {
        for cold in [false, true] {
            rig.run(Operation::Restart { cold });
            rig.finish();
        }
    }
    rig.undo_all();
    rig.finish();
    if rig.durable {
        rig.run(Operation::Restart { cold: true });
        rig.finish();
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(48)))]

    #[test]
    fn memory(operations in prop::collection::vec(operation(), 1..300)) {
        check(NamespaceConfig { segments: 8, ..NamespaceConfig::memory("n") }, operations);
    }

    #[test]
    fn memory_with_single_bins(operations in prop::collection::vec(single(operation()), 1..300)) {
        check(NamespaceConfig { segments: 8, single_bin: true, ..NamespaceConfig::memory("n") }, operations);
    }

    #[test]
    fn memory_in_a_flat_container(operations in prop::collection::vec(operation(), 1..300)) {
        check(NamespaceConfig { segments: 8, container: Container::Flat, ..NamespaceConfig::memory("n") }, operations);
    }

    #[test]
    fn memory_in_one_segment(operations in prop::collection::vec(operation(), 1..300)) {
        check(NamespaceConfig { segments: 1, ..NamespaceConfig::memory("n") }, operations);
    }
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(16)))]

    #[test]
    fn device(operations in prop::collection::vec(operation(), 1..200)) {
        let device = DeviceConfig { write_block_bytes: 16 * 1024, ..DeviceConfig::default() };
        let relaxed = tessera_core::Durability::Relaxed;
        check(NamespaceConfig { segments: 8, durability: relaxed, ..NamespaceConfig::device("n", device) }, operations);
    }

    #[test]
    fn pages(operations in prop::collection::vec(operation(), 1..200), size in 0..5u32) {
        let relaxed = tessera_core::Durability::Relaxed;
        check(NamespaceConfig { segments: 8, durability: relaxed, ..paged("n", 4096 << size) }, operations);
    }

    #[test]
    fn pages_with_single_bins(operations in prop::collection::vec(single(operation()), 1..200)) {
        let relaxed = tessera_core::Durability::Relaxed;
        check(NamespaceConfig { segments: 2, durability: relaxed, single_bin: true, ..paged("n", 4096) }, operations);
    }

    #[test]
    fn device_with_single_bins(operations in prop::collection::vec(single(operation()), 1..200)) {
        let device = DeviceConfig { write_block_bytes: 16 * 1024, ..DeviceConfig::default() };
        let relaxed = tessera_core::Durability::Relaxed;
        let config = NamespaceConfig { segments: 8, durability: relaxed, single_bin: true, ..NamespaceConfig::device("n", device) };
        check(config, operations);
    }
}
