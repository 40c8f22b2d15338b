//! Backups and restores that were cut off.

use super::*;
use crate::backup::BackupState;
use std::fs;
use tessera_base::wait_until;

/// Without a set that a bin distributes: parts of those are not kept.
fn plain(engine: &EngineConfig, segments: u32) -> NamespaceConfig {
    NamespaceConfig { sets: Vec::new(), ..config("n", engine, segments) }
}

#[test]
fn a_backup_that_was_cut_off_at_any_byte_is_resumed() {
    let rig = Rig::new();
    let namespace = filled(&rig, plain(&EngineConfig::Memory, 2), 6);
    rig.backed_up(FIRST, None);
    let before = contents(&namespace);
    let part = rig.files(FIRST).into_iter().find(|file| file.extension().is_some_and(|end| end == "part")).unwrap();
    let whole = fs::read(&part).unwrap();
    for length in 0..=whole.len() {
        fs::remove_file(rig.root().join(FIRST).join("manifest.json")).unwrap();
        fs::write(&part, &whole[..length]).unwrap();
        assert_eq!(rig.engine.backup_info(&rig.place(), FIRST).unwrap().state, BackupState::Unfinished);
        assert_eq!(rig.restore(FIRST, &into("r")).unwrap_err().code, ErrorCode::BackupUnfinished);
        done(&ended(&rig.engine.resume_backup(&rig.place(), FIRST, 1, None).unwrap()));
        done(&ended(&rig.engine.verify_backup(&rig.place(), FIRST, 1).unwrap()));
    }
    assert!(contents(&rig.restored(FIRST, "r", None)) == before);
    assert_eq!(rig.engine.resume_backup(&rig.place(), FIRST, 1, None).map(drop).unwrap_err().code, ErrorCode::JobFinished);
}

#[test]
fn an_aborted_backup_is_resumed_also_after_a_restart() {
    for engine in engines() {
        let rig = Rig::new();
        filled(&rig, plain(&engine, 8), 300);
        let slow = BackupSpec { records_per_second: Some(50), ..spec(FIRST, None) };
        let job = rig.engine.backup(&rig.place(), "n", &slow).unwrap();
        wait_until(|| job.done() > 20);
        assert_eq!(rig.engine.remove_backup(&rig.place(), FIRST).unwrap_err().code, ErrorCode::BackupInUse);
        job.abort().unwrap();
        assert_eq!(ended(&job).state, JobState::Aborted);
        assert_eq!(rig.engine.backup_info(&rig.place(), FIRST).unwrap().state, BackupState::Unfinished);
        let rig = rig.reopened();
        let resumed = rig.engine.resume_backup(&rig.place(), FIRST, 2, None);
        if engine == EngineConfig::Memory {
            assert_eq!(resumed.map(drop).unwrap_err().code, ErrorCode::BackupUnfinished);
            continue;
        }
        done(&ended(&resumed.unwrap()));
        let before = contents(&rig.engine.namespace("n").unwrap());
        assert!(contents(&rig.restored(FIRST, "r", None)) == before);
    }
}

#[test]
fn an_aborted_restore_leaves_nothing() {
    for engine in engines() {
        let rig = Rig::new();
        filled(&rig, plain(&engine, 8), 300);
        rig.backed_up(FIRST, None);
        let folders = rig.folders();
        let slow = RestoreSpec { records_per_second: Some(50), ..into("r") };
        let job = rig.engine.restore_backup(&rig.place(), FIRST, &slow).unwrap();
        wait_until(|| rig.folders() > folders && !rig.engine.restoring.lock().is_empty());
        // Nobody sees it, and nobody takes its folder for an orphan.
        assert_eq!(rig.engine.namespace("r").map(drop).unwrap_err().code, ErrorCode::NamespaceNotFound);
        assert!(rig.engine.orphans().unwrap().is_empty());
        assert_eq!(rig.restore(FIRST, &into("r")).unwrap_err().code, ErrorCode::BackupInUse);
        job.abort().unwrap();
        assert_eq!(ended(&job).state, JobState::Aborted);
        assert_eq!(rig.folders(), folders);
        rig.restored(FIRST, "r", None);
    }
}

#[test]
fn a_restart_in_the_middle_of_a_restore_leaves_nothing() {
    for engine in engines() {
        let rig = Rig::new();
        filled(&rig, plain(&engine, 8), 300);
        rig.backed_up(FIRST, None);
        let slow = RestoreSpec { records_per_second: Some(50), ..into("r") };
        rig.engine.restore_backup(&rig.place(), FIRST, &slow).unwrap();
        wait_until(|| !rig.engine.restoring.lock().is_empty());
        let rig = rig.reopened();
        assert_eq!(rig.engine.namespace("r").map(drop).unwrap_err().code, ErrorCode::NamespaceNotFound);
        assert_eq!(rig.folders(), 1);
        assert!(rig.engine.orphans().unwrap().is_empty());
    }
}

#[test]
fn a_crash_in_the_middle_of_a_restore_leaves_nothing() {
    let rig = Rig::new();
    filled(&rig, plain(&engines()[1], 8), 300);
    rig.backed_up(FIRST, None);
    let slow = RestoreSpec { records_per_second: Some(50), ..into("r") };
    let job = rig.engine.restore_backup(&rig.place(), FIRST, &slow).unwrap();
    wait_until(|| !rig.engine.restoring.lock().is_empty());
    // What a crash would leave.
    let (data, copy) = (rig.directory.path().join("data"), rig.directory.path().join("copy"));
    copy_tree(&data, &copy);
    job.abort().unwrap();
    ended(&job);
    assert_eq!(folders(&copy), 2);
    let engine = Engine::open(&copy, EngineOptions::default()).unwrap();
    assert_eq!(engine.namespace("r").map(drop).unwrap_err().code, ErrorCode::NamespaceNotFound);
    assert_eq!(folders(&copy), 1);
}

fn copy_tree(from: &Path, to: &Path) {
    fs::create_dir_all(to).unwrap();
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        let target = to.join(entry.file_name());
        if entry.file_type().unwrap().is_dir() {
            copy_tree(&entry.path(), &target);
        } else {
            fs::copy(entry.path(), target).unwrap();
        }
    }
}

#[test]
fn a_name_that_was_taken_meanwhile_ends_a_restore() {
    let rig = Rig::new();
    filled(&rig, plain(&EngineConfig::Memory, 4), 60);
    rig.backed_up(FIRST, None);
    let slow = RestoreSpec { records_per_second: Some(100), ..into("r") };
    let job = rig.engine.restore_backup(&rig.place(), FIRST, &slow).unwrap();
    wait_until(|| !rig.engine.restoring.lock().is_empty());
    let other = rig.engine.create_namespace(NamespaceConfig::memory("r")).unwrap();
    failed(&ended(&job), ErrorCode::NamespaceExists);
    assert_eq!((other.records(), rig.folders()), (0, 2));
}

#[test]
fn a_backup_ends_with_its_namespace() {
    let rig = Rig::new();
    filled(&rig, plain(&EngineConfig::Memory, 4), 60);
    let slow = BackupSpec { records_per_second: Some(10), ..spec(FIRST, None) };
    let job = rig.engine.backup(&rig.place(), "n", &slow).unwrap();
    assert_eq!(rig.backup(SECOND, None).unwrap_err().code, ErrorCode::BackupInUse);
    rig.engine.drop_namespace("n").unwrap();
    assert!(matches!(ended(&job).state, JobState::Aborted | JobState::Failed));
    assert_eq!(rig.engine.resume_backup(&rig.place(), FIRST, 1, None).map(drop).unwrap_err().code, ErrorCode::NamespaceNotFound);
    assert_eq!(rig.engine.remove_backup(&rig.place(), FIRST).unwrap().state, BackupState::Unfinished);
}

#[test]
fn a_backup_that_could_not_be_written_goes_on_where_it_was() {
    let rig = Rig::new();
    let namespace = filled(&rig, plain(&EngineConfig::Memory, 2), 60);
    rig.backed_up(FIRST, None);
    let folder = rig.root().join(FIRST);
    let manifest = folder.join("manifest.json");
    fs::remove_file(&manifest).unwrap();
    fs::create_dir(folder.join("manifest.json.new")).unwrap();
    failed(&ended(&rig.engine.resume_backup(&rig.place(), FIRST, 1, None).unwrap()), ErrorCode::StorageFailed);
    assert!(!manifest.exists());
    fs::remove_dir(folder.join("manifest.json.new")).unwrap();
    done(&ended(&rig.engine.resume_backup(&rig.place(), FIRST, 1, None).unwrap()));
    assert!(contents(&rig.restored(FIRST, "r", None)) == contents(&namespace));
}

#[test]
fn an_id_is_used_once() {
    let rig = Rig::new();
    filled(&rig, plain(&EngineConfig::Memory, 2), 6);
    rig.backed_up(FIRST, None);
    assert_eq!(rig.backup(FIRST, None).unwrap_err().code, ErrorCode::StorageFailed);
    rig.restored(FIRST, "r", None);
}
