//! Ids of namespaces: what keeps one, and what gives another.

use super::{Engine, MigrationTarget, RestoreSpec};
use crate::backup::{BackupSpec, Place};
use crate::config::EngineConfig;
use crate::{DeviceConfig, EngineOptions, NamespaceConfig, PagedConfig};
use std::fs;
use std::path::Path;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::clock;
use tessera_base::names::{NamespaceId, Tenure};
use tessera_jobs::{Job, JobKind, JobQuery, JobSpec, JobState};

const LONG: Duration = Duration::from_secs(120);

fn open(directory: &Path) -> Arc<Engine> {
    Engine::open(directory, EngineOptions { undo: LONG, ..EngineOptions::default() }).unwrap()
}

fn memory(name: &str) -> NamespaceConfig {
    NamespaceConfig { segments: 4, ..NamespaceConfig::memory(name) }
}

fn device() -> NamespaceConfig {
    let device = DeviceConfig { capacity_bytes: 64 << 20, write_block_bytes: 64 * 1024, ..DeviceConfig::default() };
    NamespaceConfig { segments: 4, ..NamespaceConfig::device("n", device) }
}

fn id(engine: &Engine) -> NamespaceId {
    let Tenure { id, .. } = engine.names().of("n");
    assert_ne!(id, NamespaceId::NONE);
    let open = engine.namespace("n").unwrap();
    assert_eq!(open.store().named().id, Some(id));
    id
}

fn done(job: &Arc<Job>) {
    let ended = job.wait_blocking(LONG);
    assert_eq!(ended.state, JobState::Done, "{:?}", ended.error);
}

#[test]
fn a_restart_keeps_it_and_who_gets_the_name_later_has_another() {
    let directory = tempfile::tempdir().unwrap();
    for config in [memory("n"), device()] {
        let engine = open(directory.path());
        engine.create_namespace(config.clone()).unwrap();
        let first = id(&engine);
        engine.close().unwrap();
        let engine = open(directory.path());
        assert_eq!(id(&engine), first);
        engine.drop_namespace("n").unwrap();
        assert_eq!(engine.names().of("n"), Tenure::default());
        engine.create_namespace(config).unwrap();
        assert_ne!(id(&engine), first);
        engine.drop_namespace("n").unwrap();
        engine.close().unwrap();
    }
}

#[test]
fn a_restored_drop_has_its_own_again_since_then_also_under_another_name() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    engine.create_namespace(device()).unwrap();
    let first = id(&engine);
    let dropped = engine.set_aside("n").unwrap().unwrap();
    engine.create_namespace(memory("n")).unwrap();
    let second = id(&engine);
    assert_ne!(second, first);
    let begun = clock::unix_millis();
    engine.restore_dropped(dropped.id(), Some("other".into())).unwrap();
    let restored = engine.names().of("other");
    assert!(restored.id == first && restored.since_ms >= begun, "{restored:?}");
    assert_eq!(id(&engine), second);
    engine.close().unwrap();
    assert_eq!(open(directory.path()).names().of("other"), restored);
}

#[test]
fn a_cut_over_keeps_it_and_so_do_a_way_back_and_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    engine.create_namespace(device()).unwrap();
    let (first, tenure) = (id(&engine), engine.names().of("n"));
    let target = MigrationTarget { engine: Some(EngineConfig::Paged(PagedConfig::smallest())), ..MigrationTarget::default() };
    done(&engine.migrate("n", &target).unwrap());
    engine.cut_over("n").unwrap();
    assert_eq!(id(&engine), first);
    engine.roll_back("n").unwrap();
    assert_eq!(id(&engine), first);
    engine.cut_over("n").unwrap();
    engine.end_migration("n", true).unwrap();
    assert_eq!((id(&engine), engine.names().of("n")), (first, tenure));
    engine.close().unwrap();
    assert_eq!(id(&open(directory.path())), first);
}

#[test]
fn a_restored_backup_is_a_new_namespace_and_says_what_it_was_made_of() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(&directory.path().join("data"));
    engine.create_namespace(device()).unwrap();
    let place = Place::from(directory.path());
    let spec = BackupSpec { id: "20260101T000000Z-00000001".into(), base: None, threads: 1, records_per_second: None };
    done(&engine.backup(&place, "n", &spec).unwrap());
    assert_eq!(engine.backup_info(&place, &spec.id).unwrap().namespace_id, Some(id(&engine).to_string()));
    let into = RestoreSpec { name: "other".into(), config: None, merge: false, threads: 1, records_per_second: None };
    done(&engine.restore_backup(&place, &spec.id, &into).unwrap());
    assert_ne!(engine.names().of("other").id, id(&engine));
}

#[test]
fn a_left_store_of_a_namespace_that_is_there_is_adopted_as_another() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    engine.create_namespace(device()).unwrap();
    engine.close().unwrap();
    let before = fs::read(directory.path().join("manifest")).unwrap();
    let engine = open(directory.path());
    let first = id(&engine);
    let target = MigrationTarget { engine: Some(EngineConfig::Paged(PagedConfig::smallest())), ..MigrationTarget::default() };
    done(&engine.migrate("n", &target).unwrap());
    engine.close().unwrap();
    // A manifest from before the migration knows nothing of the second store.
    fs::write(directory.path().join("manifest"), before).unwrap();
    let engine = open(directory.path());
    let orphan = engine.orphans().unwrap().pop().unwrap();
    engine.adopt_orphan(&orphan.id, Some("left".into())).unwrap();
    assert_eq!(id(&engine), first);
    assert_ne!(engine.names().of("left").id, first);
    assert_ne!(engine.names().of("left").id, NamespaceId::NONE);
}

#[test]
fn a_job_has_that_of_its_namespace_and_what_is_older_belongs_to_who_had_the_name_first() {
    let directory = tempfile::tempdir().unwrap();
    let engine = open(directory.path());
    engine.create_namespace(memory("n")).unwrap();
    let first = id(&engine);
    let spec = || JobSpec::new(JobKind::Count, "n", "Count n");
    engine.jobs().begin(spec()).unwrap().finish(Ok(String::new()));
    engine.drop_namespace("n").unwrap();
    engine.jobs().begin(spec()).unwrap().finish(Ok(String::new()));
    engine.create_namespace(memory("n")).unwrap();
    let second = id(&engine);
    engine.jobs().begin(spec()).unwrap().finish(Ok(String::new()));
    let owners = |engine: &Engine| -> Vec<_> {
        engine.jobs().list(&JobQuery::default()).unwrap().jobs.into_iter().map(|job| job.namespace_id.unwrap()).collect()
    };
    let wanted = vec![second.to_string(), String::new(), first.to_string()];
    assert_eq!(owners(&engine), wanted);
    engine.close().unwrap();
    fs::remove_file(directory.path().join("first-ids")).unwrap();
    let engine = open(directory.path());
    assert_eq!(owners(&engine), wanted);
    assert_eq!((engine.names().first("n"), engine.names().first("m")), (second, NamespaceId::NONE));
    engine.drop_namespace("n").unwrap();
    engine.create_namespace(memory("n")).unwrap();
    engine.close().unwrap();
    assert_eq!(open(directory.path()).names().first("n"), second);
}
