//! Files of backups that are cut off, changed, missing or of another backup.

use super::*;
use std::fs;

/// A small backup, of which every byte can be tried.
fn small(rig: &Rig) -> Contents {
    let plain = NamespaceConfig { sets: Vec::new(), ..config("n", &EngineConfig::Memory, 2) };
    let namespace = filled(rig, plain, 6);
    rig.backed_up(FIRST, None);
    contents(&namespace)
}

/// A restore is refused, and there is no namespace, and nothing is left of one.
fn refuses(rig: &Rig, id: &str, what: &str) {
    let folders = rig.folders();
    let code = match rig.restore(id, &into("r")) {
        Err(error) => error.code.as_str().to_owned(),
        Ok(job) => {
            assert_eq!(job.state, JobState::Failed, "{what}");
            job.error.unwrap().code
        }
    };
    assert!(["backup_damaged", "backup_unfinished"].contains(&code.as_str()), "{what}: {code}");
    assert_eq!(rig.engine.namespace("r").map(drop).unwrap_err().code, ErrorCode::NamespaceNotFound, "{what}");
    assert_eq!(rig.folders(), folders, "{what}");
}

#[test]
fn a_backup_that_is_cut_off_at_any_byte_is_refused() {
    let rig = Rig::new();
    let before = small(&rig);
    for file in rig.files(FIRST) {
        let whole = fs::read(&file).unwrap();
        for length in 0..whole.len() {
            fs::write(&file, &whole[..length]).unwrap();
            refuses(&rig, FIRST, &format!("{} at {length}", file.display()));
        }
        fs::remove_file(&file).unwrap();
        refuses(&rig, FIRST, &format!("without {}", file.display()));
        fs::write(&file, [&whole[..], &[0]].concat()).unwrap();
        refuses(&rig, FIRST, &format!("{} with a byte more", file.display()));
        fs::write(&file, &whole).unwrap();
    }
    assert!(contents(&rig.restored(FIRST, "r", None)) == before);
}

#[test]
fn a_byte_that_changed_is_noticed_wherever_it_is() {
    let rig = Rig::new();
    let before = small(&rig);
    for file in rig.files(FIRST) {
        let whole = fs::read(&file).unwrap();
        for at in 0..whole.len() {
            let mut changed = whole.clone();
            changed[at] ^= 1 << (at % 8);
            fs::write(&file, changed).unwrap();
            refuses(&rig, FIRST, &format!("{} at {at}", file.display()));
        }
        fs::write(&file, &whole).unwrap();
    }
    assert!(contents(&rig.restored(FIRST, "r", None)) == before);
}

#[test]
fn a_verification_names_the_file() {
    let rig = Rig::new();
    small(&rig);
    let part = rig.files(FIRST).into_iter().find(|file| file.extension().is_some_and(|end| end == "part")).unwrap();
    let mut bytes = fs::read(&part).unwrap();
    bytes[60] ^= 4;
    fs::write(&part, bytes).unwrap();
    let job = ended(&rig.engine.verify_backup(&rig.place(), FIRST, 2).unwrap());
    failed(&job, ErrorCode::BackupDamaged);
    let message = job.error.unwrap().message;
    assert!(message.contains(part.file_name().unwrap().to_str().unwrap()) && message.contains(FIRST), "{message}");
}

#[test]
fn a_file_of_another_backup_is_noticed() {
    let rig = Rig::new();
    small(&rig);
    rig.backed_up(SECOND, None);
    for (mine, other) in rig.files(FIRST).iter().zip(rig.files(SECOND)) {
        assert_eq!(mine.file_name(), other.file_name());
        let whole = fs::read(mine).unwrap();
        fs::copy(&other, mine).unwrap();
        refuses(&rig, FIRST, &mine.display().to_string());
        fs::write(mine, whole).unwrap();
    }
    rig.restored(FIRST, "r", None);
}

#[test]
fn damage_in_a_base_is_noticed_before_anything_is_restored() {
    let rig = Rig::new();
    small(&rig);
    rig.backed_up(SECOND, Some(FIRST));
    for file in rig.files(FIRST) {
        let whole = fs::read(&file).unwrap();
        let mut changed = whole.clone();
        changed[whole.len() / 2] ^= 1;
        fs::write(&file, changed).unwrap();
        refuses(&rig, SECOND, &file.display().to_string());
        fs::write(&file, &whole).unwrap();
    }
    rig.restored(SECOND, "r", None);
}

#[test]
fn a_link_in_the_place_of_a_file_is_not_followed() {
    let rig = Rig::new();
    small(&rig);
    let elsewhere = rig.directory.path().join("elsewhere");
    for file in rig.files(FIRST) {
        fs::rename(&file, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
        let outcome = rig.restore(FIRST, &into("r")).map(|job| job.state);
        assert!(!matches!(outcome, Ok(JobState::Done)), "{}", file.display());
        fs::remove_file(&file).unwrap();
        fs::rename(&elsewhere, &file).unwrap();
    }
    rig.restored(FIRST, "r", None);
}

#[test]
fn odd_entries_in_the_place_of_a_part_are_damage() {
    let rig = Rig::new();
    let before = small(&rig);
    let elsewhere = rig.directory.path().join("elsewhere");
    for file in rig.files(FIRST) {
        fs::rename(&file, &elsewhere).unwrap();
        std::os::unix::fs::symlink(&elsewhere, &file).unwrap();
        refuses(&rig, FIRST, &format!("{} is a link", file.display()));
        fs::remove_file(&file).unwrap();
        fs::create_dir(&file).unwrap();
        refuses(&rig, FIRST, &format!("{} is a folder", file.display()));
        fs::remove_dir(&file).unwrap();
        fs::rename(&elsewhere, &file).unwrap();
    }
    assert!(contents(&rig.restored(FIRST, "r", None)) == before);
}

#[test]
fn a_backup_whose_manifest_is_a_folder_is_removed() {
    let rig = Rig::new();
    small(&rig);
    let folder = rig.root().join(FIRST);
    fs::remove_file(folder.join("manifest.json")).unwrap();
    fs::create_dir(folder.join("manifest.json")).unwrap();
    rig.engine.remove_backup(&rig.place(), FIRST).unwrap();
    assert!(!folder.exists());
}

#[test]
fn odd_entries_in_the_place_of_a_backup_are_none() {
    let rig = Rig::new();
    small(&rig);
    fs::write(rig.root().join(SECOND), "").unwrap();
    std::os::unix::fs::symlink(rig.root().join(FIRST), rig.root().join(THIRD)).unwrap();
    let listed: Vec<String> = rig.engine.backups(&rig.place()).unwrap().into_iter().map(|backup| backup.id).collect();
    assert_eq!(listed, [FIRST]);
    for id in [SECOND, THIRD] {
        assert_eq!(rig.engine.backup_info(&rig.place(), id).unwrap_err().code, ErrorCode::BackupNotFound, "{id}");
        assert_eq!(rig.engine.remove_backup(&rig.place(), id).unwrap_err().code, ErrorCode::BackupNotFound, "{id}");
    }
}

/// Such as a disk that is not mounted.
#[test]
fn a_directory_that_is_gone_is_not_made_anew() {
    let rig = Rig::new();
    small(&rig);
    fs::rename(rig.root(), rig.directory.path().join("elsewhere")).unwrap();
    let refused = rig.backup(SECOND, None).unwrap_err();
    assert_eq!(refused.code, ErrorCode::StorageFailed);
    assert!(refused.message.contains("is not there"), "{}", refused.message);
    assert!(!rig.root().exists());
}
