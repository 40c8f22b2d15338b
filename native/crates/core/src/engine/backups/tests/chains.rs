//! Incremental backups.

use super::*;

#[test]
fn each_backup_of_a_chain_is_restored_as_it_was() {
    let configs = engines().map(|engine| config("n", &engine, 8)).into_iter().chain([flat("n")]);
    for config in configs {
        let rig = Rig::new();
        let namespace = filled(&rig, config, 400);
        // As a write of the moment of a backup is in both, the writes before and after have to be of other milliseconds.
        let written = tessera_base::clock::unix_millis();
        tessera_base::wait_until(|| tessera_base::clock::unix_millis() > written + 1);
        rig.backed_up(FIRST, None);
        let first = contents(&namespace);
        let taken = rig.engine.backup_info(&rig.place(), FIRST).unwrap().moments_ms.unwrap().1;
        tessera_base::wait_until(|| tessera_base::clock::unix_millis() > taken + 1);
        (0..30).step_by(3).for_each(|key| put(&namespace, "s", key, key + 1));
        (300..330).step_by(3).for_each(|key| remove(&namespace, "s", key));
        (1000..1020).for_each(|key| put(&namespace, "s", key, key));
        rig.backed_up(SECOND, Some(FIRST));
        let second = contents(&namespace);
        (1000..1010).for_each(|key| remove(&namespace, "s", key));
        namespace.truncate(Some("indexed"), None).unwrap();
        put(&namespace, "indexed", 1, 5);
        rig.backed_up(THIRD, Some(SECOND));
        let third = contents(&namespace);

        let info = rig.engine.backup_info(&rig.place(), SECOND).unwrap();
        assert_eq!((info.records, info.bodies), (Some(410), Some(30)), "{}", namespace.name());
        done(&ended(&rig.engine.verify_backup(&rig.place(), THIRD, 1).unwrap()));
        for (id, expected) in [(FIRST, &first), (SECOND, &second), (THIRD, &third)] {
            let name = format!("r{}", &id[24..]);
            assert!(contents(&rig.restored(id, &name, None)) == *expected, "{id}");
        }
    }
}

#[test]
fn a_chain_goes_on_after_a_restart_of_a_namespace_on_disk() {
    for engine in engines().iter().skip(1) {
        let rig = Rig::new();
        filled(&rig, config("n", engine, 4), 100);
        rig.backed_up(FIRST, None);
        let rig = rig.reopened();
        let namespace = rig.engine.namespace("n").unwrap();
        put(&namespace, "s", 1000, 1);
        remove(&namespace, "s", 3);
        rig.backed_up(SECOND, Some(FIRST));
        assert!(contents(&rig.restored(SECOND, "r", None)) == contents(&namespace));
    }
}

#[test]
fn a_backup_without_what_an_undo_brought_back_is_no_base() {
    for engine in engines() {
        let rig = Rig::new();
        let namespace = filled(&rig, config("n", &engine, 4), 100);
        let truncated = namespace.truncate_for(Some("s"), None, std::time::Duration::from_secs(3600)).unwrap();
        rig.backed_up(FIRST, None);
        namespace.undo_truncation(truncated.job.id()).unwrap();
        let refused = |rig: &Rig| rig.backup(SECOND, Some(FIRST)).unwrap_err();
        assert_eq!(refused(&rig).code, ErrorCode::BackupBaseInvalid);
        assert!(refused(&rig).message.contains("undone"), "{}", refused(&rig).message);
        let before = contents(&namespace);
        drop(namespace);
        let rig = if engine == EngineConfig::Memory { rig } else { rig.reopened() };
        assert_eq!(refused(&rig).code, ErrorCode::BackupBaseInvalid);
        rig.backed_up(SECOND, None);
        put(&rig.engine.namespace("n").unwrap(), "s", 1000, 1);
        rig.backed_up(THIRD, Some(SECOND));
        assert!(contents(&rig.restored(SECOND, "r", None)) == before);
    }
}

#[test]
fn what_cannot_be_built_on_is_refused() {
    let rig = Rig::new();
    filled(&rig, config("n", &EngineConfig::Memory, 4), 10);
    rig.backed_up(FIRST, None);
    let refused = |rig: &Rig, base| rig.backup(SECOND, Some(base)).unwrap_err().code;
    assert_eq!(refused(&rig, THIRD), ErrorCode::BackupNotFound);
    assert_eq!(refused(&rig, "../../etc"), ErrorCode::BackupNotFound);
    let rig = rig.reopened();
    assert_eq!(refused(&rig, FIRST), ErrorCode::BackupBaseInvalid);
    rig.engine.drop_namespace("n").unwrap();
    rig.engine.create_namespace(config("n", &EngineConfig::Memory, 4)).unwrap();
    assert_eq!(refused(&rig, FIRST), ErrorCode::BackupBaseInvalid);
    assert_eq!(rig.engine.backups(&rig.place()).unwrap().len(), 1);
}

#[test]
fn a_backup_that_others_build_on_stays() {
    let rig = Rig::new();
    filled(&rig, config("n", &EngineConfig::Memory, 4), 10);
    rig.backed_up(FIRST, None);
    rig.backed_up(SECOND, Some(FIRST));
    let removed = |id| rig.engine.remove_backup(&rig.place(), id).map(|info| info.id);
    assert_eq!(removed(FIRST).unwrap_err().code, ErrorCode::BackupInUse);
    assert_eq!(removed(SECOND).unwrap(), SECOND);
    assert_eq!(removed(FIRST).unwrap(), FIRST);
    assert_eq!(removed(FIRST).unwrap_err().code, ErrorCode::BackupNotFound);
}

#[test]
fn another_base_of_the_same_id_is_noticed() {
    let rig = Rig::new();
    let namespace = filled(&rig, config("n", &EngineConfig::Memory, 4), 30);
    rig.backed_up(FIRST, None);
    rig.backed_up(SECOND, Some(FIRST));
    std::fs::remove_dir_all(rig.root().join(FIRST)).unwrap();
    let missing = rig.restore(SECOND, &into("r")).unwrap_err();
    assert_eq!(missing.code, ErrorCode::BackupDamaged);
    assert!(missing.message.contains(FIRST), "{}", missing.message);
    put(&namespace, "s", 5000, 1);
    rig.backed_up(FIRST, None);
    assert_eq!(rig.restore(SECOND, &into("r")).unwrap_err().code, ErrorCode::BackupDamaged);
}
