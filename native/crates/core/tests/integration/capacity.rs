//! The plan is held against namespaces that were really loaded.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use tessera_base::ErrorCode;
use tessera_core::capacity::{BinKind, BinShape, CapacitySpec, KeyKind, KeyShape};
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, NamespaceConfig, SetConfig, WriteOptions};
use tessera_record::{KeyRef, Value};

fn shape(name_bytes: u32, kind: BinKind, bytes: u32) -> BinShape {
    BinShape { name_bytes, kind, bytes }
}

fn value(bin: &BinShape) -> Value {
    let text = "x".repeat(bin.bytes as usize);
    match bin.kind {
        BinKind::Boolean => Value::Bool(true),
        BinKind::Integer => Value::Int(i64::MAX - 7),
        BinKind::Double => Value::Double(0.5),
        BinKind::String => Value::String(text),
        BinKind::Bytes => Value::Bytes(text.into_bytes()),
        // One byte an item.
        BinKind::List => Value::List(vec![Value::Null; bin.bytes as usize]),
        // A key of one byte takes three, and null one.
        BinKind::Map => Value::Map((0..bin.bytes / 4).map(|n| (char::from(b'a' + n as u8).to_string(), Value::Null)).collect()),
    }
}

fn near(what: &str, planned: u64, measured: u64) {
    let off = planned as f64 / measured as f64 - 1.0;
    println!("{what}: planned {planned}, measured {measured}, {:+.1}%", off * 100.0);
    assert!(off.abs() < 0.1, "{what}: planned {planned}, measured {measured}");
}

fn holds(spec: &CapacitySpec) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let device = DeviceConfig { write_block_bytes: spec.write_block_bytes, ..DeviceConfig::default() };
    let base = match spec.on_device {
        true => NamespaceConfig { durability: Durability::Relaxed, ..NamespaceConfig::device("n", device) },
        false => NamespaceConfig::memory("n"),
    };
    let names: Vec<String> = (0..spec.sets).map(|n| format!("{n:0width$}", width = spec.set_name_bytes as usize)).collect();
    let sets = names.iter().map(|name| SetConfig { name: name.clone(), index: spec.set_indexes, ..SetConfig::default() }).collect();
    let config = NamespaceConfig { segments: spec.segments, single_bin: spec.single_bin, sets, ..base };
    let namespace = engine.create_namespace(config).unwrap();
    let bins: Vec<(String, Value)> =
        spec.bins.iter().enumerate().map(|(n, bin)| (format!("{n:0width$}", width = bin.name_bytes as usize), value(bin))).collect();
    let bins: Vec<(&str, Value)> = match spec.single_bin {
        true => vec![("value", bins[0].1.clone())],
        false => bins.iter().map(|(name, value)| (name.as_str(), value.clone())).collect(),
    };
    for n in 0..spec.records {
        let text = format!("{n:0width$}", width = spec.key.bytes as usize);
        let key = match spec.key.kind {
            KeyKind::Integer => KeyRef::Integer(n as i64),
            KeyKind::String => KeyRef::String(&text),
            KeyKind::Bytes => KeyRef::Bytes(text.as_bytes()),
        };
        let set = names.get(n as usize % names.len().max(1)).map_or("", String::as_str);
        let record = body(key, &bins);
        namespace.put(set, key, &record, &WriteOptions { defer_sync: true, ..WriteOptions::default() }).unwrap();
    }
    namespace.sync().unwrap();

    let plan = CapacitySpec { utilisation_percent: 99, ..spec.clone() }.plan().unwrap();
    let (memory, usage) = (namespace.memory(), namespace.usage());
    assert_eq!(usage.live_bytes, plan.record.stored * spec.records, "bytes of a record");
    near("primary index", plan.dram.primary_index, memory.primary_index);
    if spec.set_indexes {
        near("set indexes", plan.dram.set_indexes, memory.set_indexes);
    }
    if !spec.on_device {
        near("records", plan.dram.records, memory.records);
    }
    near("DRAM", plan.dram.total - plan.dram.buffers, memory.records + memory.primary_index + memory.set_indexes + memory.directory);
    if let Some(flash) = plan.flash {
        near("flash", flash.blocks, usage.device_bytes);
        assert_eq!(flash.live, usage.live_bytes);
    }
}

fn small(on_device: bool) -> CapacitySpec {
    CapacitySpec { on_device, records: 60_000, segments: 16, bins: vec![shape(3, BinKind::Integer, 0)], ..CapacitySpec::default() }
}

fn wide(on_device: bool) -> CapacitySpec {
    let kinds = [BinKind::Boolean, BinKind::Integer, BinKind::Double, BinKind::String, BinKind::Bytes, BinKind::List, BinKind::Map];
    CapacitySpec {
        on_device,
        records: 20_000,
        segments: 64,
        key: KeyShape { kind: KeyKind::String, bytes: 24 },
        bins: kinds.into_iter().map(|kind| shape(10, kind, 40)).collect(),
        sets: 50,
        set_name_bytes: 20,
        set_indexes: true,
        ..CapacitySpec::default()
    }
}

fn large(on_device: bool) -> CapacitySpec {
    CapacitySpec {
        on_device,
        records: 8_000,
        segments: 16,
        key: KeyShape { kind: KeyKind::Bytes, bytes: 16 },
        bins: vec![shape(7, BinKind::String, 5000)],
        sets: 0,
        write_block_bytes: 16 * 1024,
        ..CapacitySpec::default()
    }
}

fn single(on_device: bool) -> CapacitySpec {
    CapacitySpec { single_bin: true, set_indexes: true, bins: vec![shape(5, BinKind::String, 100)], ..small(on_device) }
}

#[test]
fn memory_namespaces_take_what_is_planned() {
    [small(false), wide(false), large(false), single(false)].iter().for_each(holds);
}

#[test]
fn device_namespaces_take_what_is_planned() {
    [small(true), wide(true), large(true), single(true)].iter().for_each(holds);
}

#[test]
fn totals_follow_what_is_asked_for() {
    let one = CapacitySpec { reads_per_second: 1000, writes_per_second: 1000, ..small(true) };
    let (plan, device) = (one.plan().unwrap(), one.plan().unwrap().device.unwrap());
    let two = CapacitySpec { replication: 2, ..one.clone() }.plan().unwrap();
    assert_eq!(two.dram.total, plan.dram.total * 2);
    assert_eq!(two.flash.unwrap().total, plan.flash.unwrap().total * 2);
    assert!((two.device.unwrap().write_bytes_per_second / device.write_bytes_per_second - 2.0).abs() < 1e-9);
    assert!((2.6..2.8).contains(&device.write_amplification));
    let fuller = CapacitySpec { utilisation_percent: 95, ..one }.plan().unwrap();
    assert!(fuller.flash.unwrap().total < plan.flash.unwrap().total);
    assert!(fuller.device.unwrap().write_amplification > 10.0);
    let memory = small(false).plan().unwrap();
    assert_eq!((memory.flash, memory.device), (None, None));
}

#[test]
fn what_cannot_be_is_refused_by_field() {
    let refused = |change: fn(&mut CapacitySpec)| {
        let mut spec = small(true);
        change(&mut spec);
        let error = spec.plan().unwrap_err();
        (error.code, error.field.unwrap_or_default())
    };
    let invalid = |field: &str| (ErrorCode::ConfigInvalid, field.to_owned());
    assert_eq!(refused(|spec| spec.records = 0), invalid("records"));
    assert_eq!(refused(|spec| spec.records = u64::MAX), invalid("records"));
    assert_eq!(refused(|spec| spec.segments = 3), (ErrorCode::SegmentCountInvalid, "segments".into()));
    assert_eq!(refused(|spec| (spec.segments, spec.records) = (1, 1_000_000_000_000)), (ErrorCode::SegmentCountInvalid, "segments".into()));
    assert_eq!(refused(|spec| spec.key = KeyShape { kind: KeyKind::String, bytes: 9000 }), (ErrorCode::KeyTooLong, "key".into()));
    assert_eq!(refused(|spec| spec.key = KeyShape { kind: KeyKind::String, bytes: 0 }), invalid("key"));
    assert_eq!(refused(|spec| spec.bins = vec![shape(1, BinKind::Double, 0); 5000]), (ErrorCode::TooManyBins, "bins".into()));
    assert_eq!(refused(|spec| spec.bins = vec![shape(1, BinKind::String, u32::MAX); 4096]), (ErrorCode::RecordTooLarge, "bins".into()));
    assert_eq!(refused(|spec| spec.bins = vec![shape(0, BinKind::Double, 0)]), invalid("nameBytes"));
    assert_eq!(refused(|spec| (spec.single_bin, spec.bins) = (true, vec![])), (ErrorCode::SingleBin, "bins".into()));
    assert_eq!(refused(|spec| spec.sets = 70_000), invalid("sets"));
    assert_eq!(refused(|spec| spec.set_name_bytes = 64), invalid("setNameBytes"));
    assert_eq!(refused(|spec| spec.replication = 0), invalid("replication"));
    assert_eq!(refused(|spec| spec.utilisation_percent = 100), invalid("utilisationPercent"));
    assert_eq!(refused(|spec| spec.write_block_bytes = 4096), invalid("writeBlockBytes"));
}

#[test]
fn the_largest_plan_is_made_at_once() {
    let spec = CapacitySpec { records: 1_000_000_000_000, segments: 4096, sets: 60_000, set_indexes: true, replication: 8, ..wide(true) };
    assert!(spec.plan().unwrap().dram.per_record > 40.0);
}
