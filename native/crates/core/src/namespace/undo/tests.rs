use super::*;
use crate::engine::{Engine, EngineOptions};
use crate::exchange::{BatchOptions, write_records};
use crate::namespace::rig::{Rig, census, value};
use crate::store::{Exists, Operate, WriteOptions};
use crate::{DeviceConfig, NamespaceConfig, PagedConfig};
use std::fs;
use tessera_base::wait_until;
use tessera_record::{KeyRef, Operation, Ttl};

const KEYS: i64 = 200;
const HOUR: Duration = Duration::from_secs(3600);

fn filled(config: NamespaceConfig) -> (Rig, Arc<Namespace>) {
    let (rig, namespace) = Rig::create(NamespaceConfig { segments: 4, ..config });
    (0..KEYS).for_each(|key| rig.put(&namespace, key, key).unwrap());
    namespace.sync().unwrap();
    (rig, namespace)
}

fn on_disk() -> [NamespaceConfig; 2] {
    [NamespaceConfig::device("a", DeviceConfig::default()), NamespaceConfig::paged("a", PagedConfig::smallest())]
}

fn hide(namespace: &Namespace, undo: Duration) -> String {
    let truncated = namespace.truncate_for(Some("s"), None, undo).unwrap();
    assert!(truncated.undo_until_ms.is_some());
    truncated.job.id().to_owned()
}

#[test]
fn a_power_loss_keeps_what_is_hidden_and_what_came_back() {
    for config in on_disk() {
        let (rig, namespace) = filled(config);
        let id = hide(&namespace, HOUR);
        let hidden = rig.after_power_loss();
        assert_eq!((census(&hidden, KEYS), hidden.size(None)), ((0, KEYS as u64, 0), 0));
        assert_eq!(hidden.undoable_truncations()[0].records, KEYS as u64);
        namespace.undo_truncation(&id).unwrap();
        let back = rig.after_power_loss();
        assert_eq!((census(&back, KEYS), back.size(None)), ((KEYS as u64, 0, 0), KEYS as u64));
    }
}

/// Each way to delete, on its own: no other write brings it to stable storage.
#[test]
fn a_delete_that_finds_none_keeps_the_record_away_after_a_power_loss() {
    let ways: [fn(&Namespace, i64); 3] = [
        |namespace, key| assert!(!namespace.delete("s", KeyRef::Integer(key), None).unwrap()),
        |namespace, key| {
            let line = format!(r#"{{"key":{key},"op":"delete"}}"#);
            let report = write_records(namespace.store(), "s", line.as_bytes(), &BatchOptions::default()).unwrap();
            assert_eq!((report.deleted, report.rejected_total), (0, 0));
        },
        |namespace, key| {
            let options = WriteOptions { exists: Exists::Merge, ..WriteOptions::default() };
            let asked = Operate { operations: &[Operation::Delete], options, filter: None, respond_all: false };
            let refused = namespace.operate("s", KeyRef::Integer(key), &asked).err().unwrap();
            assert_eq!(refused.code, ErrorCode::RecordNotFound);
        },
    ];
    for (config, way) in on_disk().into_iter().flat_map(|config| ways.map(|way| (config.clone(), way))) {
        let (rig, namespace) = filled(config);
        hide(&namespace, HOUR);
        (0..3).for_each(|key| way(&namespace, key));
        assert_eq!(rig.after_power_loss().undoable_truncations()[0].records, KEYS as u64 - 3);
    }
}

#[test]
fn a_delete_whose_condition_fails_takes_nothing_that_is_hidden() {
    for config in on_disk() {
        let (_rig, namespace) = filled(config);
        let id = hide(&namespace, HOUR);
        for generation in [1, 55] {
            assert!(!namespace.delete("s", KeyRef::Integer(generation.into()), Some(generation)).unwrap());
        }
        namespace.undo_truncation(&id).unwrap();
        assert_eq!(census(&namespace, KEYS), (KEYS as u64, 0, 0));
    }
}

#[test]
fn the_manifest_decides_between_the_undo_and_the_end() {
    for config in on_disk() {
        let (rig, namespace) = filled(config);
        let id = hide(&namespace, HOUR);
        assert_eq!((rig.record().pending.len(), rig.record().truncations.len()), (1, 0));
        rig.put(&namespace, 1, 5).unwrap();
        namespace.undo_truncation(&id).unwrap();
        assert_eq!((rig.record().pending.len(), rig.record().truncations.len()), (0, 0));
        assert!(rig.record().undone_at_ms > 0);
        let id = hide(&namespace, HOUR);
        rig.put(&namespace, 2, 6).unwrap();
        namespace.settle_truncation(&id).unwrap();
        assert_eq!((rig.record().pending.len(), rig.record().truncations.len()), (0, 1));
        namespace.sync().unwrap();
        let again = rig.after_power_loss();
        assert_eq!((again.size(None), value(&again, 1), value(&again, 2)), (1, None, Some(6)));
    }
}

#[test]
fn time_makes_it_final_and_so_does_one_for_good() {
    for config in on_disk() {
        let (rig, namespace) = filled(config);
        hide(&namespace, Duration::from_millis(1));
        let later = hide(&namespace, HOUR);
        wait_until(|| {
            namespace.tend_truncations();
            namespace.undoable_truncations().len() == 1
        });
        assert_eq!(rig.record().pending.iter().map(|one| &one.id).collect::<Vec<_>>(), [&later]);
        assert_eq!(namespace.store().left_out(), 0);
        rig.put(&namespace, 1, 1).unwrap();
        namespace.truncate(None, None).unwrap();
        assert_eq!((rig.record().pending.len(), namespace.undoable_truncations().len(), namespace.size(None)), (0, 0, 0));
        assert_eq!(namespace.undo_truncation(&later).err().unwrap().code, ErrorCode::TruncationNotFound);
    }
}

#[test]
fn a_manifest_that_cannot_be_written_leaves_it_as_it_is() {
    let parent = tempfile::tempdir().unwrap();
    let (data, away) = (parent.path().join("data"), parent.path().join("away"));
    let engine = Engine::open(&data, EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 4, ..on_disk()[0].clone() }).unwrap();
    let key = tessera_record::KeyRef::Integer(1);
    let mut body = vec![];
    tessera_record::BodyBuilder::new(&mut body, key).finish();
    namespace.put("s", key, &body, &crate::WriteOptions::default()).unwrap();
    let id = hide(&namespace, HOUR);
    fs::rename(&data, &away).unwrap();
    for refused in [namespace.undo_truncation(&id), namespace.settle_truncation(&id)] {
        assert_eq!(refused.err().unwrap().code, ErrorCode::DataDirectoryUnavailable);
    }
    fs::rename(&away, &data).unwrap();
    assert_eq!((namespace.size(None), namespace.undoable_truncations().len()), (0, 1));
    wait_until(|| namespace.undo_truncation(&id).is_ok());
    assert_eq!(namespace.size(None), 1);
}

#[test]
fn more_than_are_held_end_the_oldest() {
    let (_rig, namespace) = filled(on_disk()[0].clone());
    let ids: Vec<_> = (0..=limits::PENDING_TRUNCATIONS).map(|_| hide(&namespace, HOUR)).collect();
    let listed: Vec<_> = namespace.undoable_truncations().into_iter().map(|one| one.id).collect();
    assert_eq!(listed, ids[1..]);
    assert_eq!(namespace.store().left_out(), 0, "the first had them all");
}

#[test]
fn hidden_records_give_way_to_writes() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let config = NamespaceConfig { segments: 4, max_memory_bytes: Some(8 << 20), stop_writes_percent: 50, ..NamespaceConfig::memory("n") };
    let namespace = engine.create_namespace(config).unwrap();
    let put = |key: i64| {
        let key = tessera_record::KeyRef::Integer(key);
        let mut body = vec![];
        let mut builder = tessera_record::BodyBuilder::new(&mut body, key);
        builder
            .bin("v", |out| {
                out.string(&"x".repeat(10_000));
                Ok(())
            })
            .unwrap();
        builder.finish();
        namespace.put("s", key, &body, &crate::WriteOptions { ttl: Ttl::Never, ..crate::WriteOptions::default() })
    };
    // Half of what there is, twice.
    assert!((0..200).all(|key| put(key).is_ok()));
    assert!(namespace.can_undo_truncations(HOUR));
    hide(&namespace, HOUR);
    for key in 200..400 {
        wait_until(|| put(key).is_ok());
    }
    // Little room is left by now, so the truncation ends.
    wait_until(|| namespace.undoable_truncations().is_empty() && namespace.store().left_out() == 0);
    assert_eq!(namespace.size(None), 200);
    // There is not enough room to hold more than is seen.
    let full = (400..).find(|key| put(*key).is_err()).unwrap();
    assert!(full < 650, "{full}");
    assert!(!namespace.can_undo_truncations(HOUR));
    let truncated = namespace.truncate_for(None, None, HOUR).unwrap();
    assert_eq!((truncated.undo_until_ms, namespace.size(None)), (None, 0));
}

#[test]
fn a_namespace_migrates_once_nothing_can_be_undone() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("n") }).unwrap();
    namespace.create_set(&crate::SetConfig { name: "s".into(), ..crate::SetConfig::default() }).unwrap();
    let id = hide(&namespace, HOUR);
    let target = crate::engine::MigrationTarget { segments: Some(8), ..crate::engine::MigrationTarget::default() };
    assert_eq!(engine.migrate("n", &target).err().unwrap().code, ErrorCode::TruncationUndoable);
    namespace.settle_truncation(&id).unwrap();
    engine.migrate("n", &target).unwrap();
    let truncated = namespace.truncate_for(None, None, HOUR).unwrap();
    assert_eq!(truncated.undo_until_ms, None, "the second store could not bring it back");
}
