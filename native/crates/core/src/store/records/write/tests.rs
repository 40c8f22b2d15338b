use super::super::options::Exists;
use super::*;
use crate::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, PagedConfig};
use std::num::NonZeroU64;
use tessera_base::wait_until;
use tessera_record::{BodyBuilder, KeyRef, Value};
use tessera_storage::Location;

fn body(value: i64) -> Vec<u8> {
    let mut body = vec![];
    let mut builder = BodyBuilder::new(&mut body, KeyRef::Integer(1));
    builder
        .bin("n", |encoder| {
            encoder.value(&Value::Int(value));
            Ok(())
        })
        .unwrap();
    builder.finish();
    body
}

/// A place that is used again may hold another version of the same record.
#[test]
fn a_body_read_for_an_update_counts_only_for_the_version_that_it_is_of() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig::memory("m")).unwrap();
    let set = namespace.store().sets.find_or_create("s").unwrap();
    let options = WriteOptions { exists: Exists::Merge, ..WriteOptions::default() };
    let (old, new) = (body(1), body(2));
    let write = Write {
        store: namespace.store(),
        set: &set,
        digest: Digest::default(),
        rules: Rules { change: Change::Put(&new), options: &options, filter: None, single_bin: false },
    };
    let meta = Meta { generation: 3, expires_at: 0, updated_at: 5 };
    let read = SlotRecord { digest: write.digest, location: Location(NonZeroU64::MIN), meta };
    let later = SlotRecord { meta: Meta { generation: 4, ..meta }, ..read };
    let fetched = Some((read, Ok(old)));
    let segment = namespace.store().segments[0].read();
    let stored = |current: &SlotRecord| write.stored(Some(&Old::on_device(&segment, current)), &fetched).unwrap();
    assert!(matches!(stored(&read), Stored::Body(merged) if *merged == new));
    assert!(matches!(stored(&later), Stored::Read(wanted) if wanted == later));
}

/// As a clock that was an hour ahead, and is set right, makes them.
#[test]
fn times_of_last_update_never_go_back_with_the_clock() {
    let directory = tempfile::tempdir().unwrap();
    let ahead = clock::unix_millis() + 3_600_000;
    let put = |namespace: &Namespace| namespace.put("s", KeyRef::Integer(1), &body(1), &WriteOptions::default()).unwrap().meta.updated_at;
    {
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.create_namespace(NamespaceConfig::device("d", DeviceConfig::default())).unwrap();
        assert!(put(&namespace) < ahead);
        namespace.store().update_floor.fetch_max(ahead, Ordering::AcqRel);
        assert!(put(&namespace) >= ahead && put(&namespace) >= ahead);
        engine.close().unwrap();
    }
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    assert!(put(&engine.namespace("d").unwrap()) >= ahead);
}

/// A record that is deleted and written again begins with the first generation: only its time tells it from an older copy.
#[test]
fn times_of_last_update_go_on_while_the_clock_is_behind() {
    let directory = tempfile::tempdir().unwrap();
    let put = |namespace: &Namespace| namespace.put("s", KeyRef::Integer(1), &body(1), &WriteOptions::default()).unwrap().meta.updated_at;
    let newest = {
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.create_namespace(NamespaceConfig::paged("p", PagedConfig::default())).unwrap();
        let ahead = clock::unix_millis() + 3_600_000;
        namespace.store().update_floor.fetch_max(ahead, Ordering::AcqRel);
        let begun = Instant::now();
        let first = put(&namespace);
        wait_until(|| put(&namespace) > first + 2);
        let newest = put(&namespace);
        assert!(u128::from(newest - first) <= begun.elapsed().as_millis() / 2 + 1, "the clock would not catch up");
        drop(namespace);
        engine.close().unwrap();
        newest
    };
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    assert!(put(&engine.namespace("p").unwrap()) > newest, "the first write after a start");
}
