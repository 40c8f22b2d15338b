//! The folder of all backups: one folder each, named by its id.

use super::manifest::{self, BackupManifest, MANIFEST, PLAN, Plan};
use super::{BackupInfo, BackupState};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::DirBuilderExt;
use std::path::{Path, PathBuf};
use tessera_base::{Error, ErrorCode, Result, create_anew, open_regular, thread_guard};

/// A manifest is no longer: 4,096 segments take about 1 MiB.
const JSON_MOST: u64 = 64 << 20;
/// Backups in one folder; more are not looked at.
const BACKUPS_MOST: usize = 10_000;

/// The name of a file while it is written.
pub(super) fn temporary(name: &str) -> String {
    format!("{name}.new")
}

/// The folder of a backup.
///
/// # Errors
/// `backup_not_found` for what is no id: nothing else ever becomes a path.
pub(super) fn of(root: &Path, id: &str) -> Result<PathBuf> {
    let digits = |range: std::ops::Range<usize>| id.get(range).is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let random = id.get(17..).is_some_and(|part| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    let marks = id.as_bytes().get(8) == Some(&b'T') && id.get(15..17) == Some("Z-");
    if id.len() == 25 && digits(0..8) && digits(9..15) && marks && random { Ok(root.join(id)) } else { Err(not_found(id)) }
}

pub(super) fn not_found(id: &str) -> Error {
    let shown: String = id.chars().take(64).collect();
    Error::new(ErrorCode::BackupNotFound, format!("there is no backup {shown:?}"))
}

/// Opens a file of a backup; `None` if there is none.
///
/// # Errors
/// `storage_failed`, also for what is no regular file.
pub(super) fn open(folder: &Path, name: &str) -> Result<Option<File>> {
    let path = folder.join(name);
    match open_regular(&path, OpenOptions::new().read(true)) {
        Ok(file) => Ok(Some(file)),
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
        Err(error) => Err(Error::io(&format!("opening {}", path.display()), &error)),
    }
}

fn read_json(folder: &Path, name: &str) -> Result<Option<Vec<u8>>> {
    thread_guard::may_wait("reads a backup");
    let Some(file) = open(folder, name)? else { return Ok(None) };
    let mut bytes = Vec::new();
    file.take(JSON_MOST).read_to_end(&mut bytes).map_err(|error| Error::io(&format!("reading {name} of a backup"), &error))?;
    Ok(Some(bytes))
}

/// Makes the folder of a new backup, with its plan.
///
/// # Errors
/// `storage_failed`, `device_full`.
pub(super) fn begin(root: &Path, plan: &Plan) -> Result<PathBuf> {
    let folder = of(root, &plan.id)?;
    let make = || {
        // Records are in it: for nobody else.
        DirBuilder::new().recursive(true).mode(0o700).create(root)?;
        DirBuilder::new().mode(0o700).create(&folder)?;
        File::open(root)?.sync_all()
    };
    make().map_err(|error| Error::io(&format!("making {}", folder.display()), &error))?;
    write(&folder, PLAN, &manifest::seal(plan)?.0)?;
    Ok(folder)
}

/// Writes a file in one step; durable when this returns.
///
/// # Errors
/// `storage_failed`, `device_full`.
pub(super) fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    thread_guard::may_wait("writes a backup");
    let failed = |error: &std::io::Error| Error::io(&format!("writing {name} of a backup"), error);
    let mut file = create_anew(&folder.join(temporary(name))).map_err(|error| failed(&error))?;
    file.write_all(bytes).map_err(|error| failed(&error))?;
    place(folder, &file, name)
}

/// Gives a file that is written its name; durable when this returns.
///
/// # Errors
/// `storage_failed`, `device_full`.
pub(super) fn place(folder: &Path, file: &File, name: &str) -> Result<()> {
    let placed = file
        .sync_all()
        .and_then(|()| fs::rename(folder.join(temporary(name)), folder.join(name)))
        .and_then(|()| File::open(folder)?.sync_all());
    placed.map_err(|error| Error::io(&format!("writing {name} of a backup"), &error))
}

/// The manifest of a backup that has come to its end, and its checksum.
///
/// # Errors
/// `backup_not_found`, `backup_unfinished`, `backup_damaged`, `storage_failed`.
pub(super) fn manifest(root: &Path, id: &str) -> Result<(BackupManifest, String)> {
    let folder = of(root, id)?;
    match read_json(&folder, MANIFEST)? {
        Some(bytes) => manifest::read_manifest(id, &bytes),
        None => {
            plan(root, id)?;
            Err(Error::new(ErrorCode::BackupUnfinished, format!("the backup {id} has not come to its end: resume it, or remove it")))
        }
    }
}

/// The plan of a backup, ended or not.
///
/// # Errors
/// `backup_not_found`, `backup_damaged`, `storage_failed`.
pub(crate) fn plan(root: &Path, id: &str) -> Result<Plan> {
    let folder = of(root, id)?;
    if !fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
        return Err(not_found(id));
    }
    let bytes = read_json(&folder, PLAN)?.ok_or_else(|| super::damaged(PLAN, "it is missing"))?;
    manifest::read_plan(id, &bytes)
}

/// All backups, oldest first. What is damaged is listed with the reason.
///
/// # Errors
/// `storage_failed`.
pub fn list(root: &Path) -> Result<Vec<BackupInfo>> {
    thread_guard::may_wait("lists backups");
    let entries = match fs::read_dir(root) {
        Ok(entries) => entries,
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
        Err(error) => return Err(Error::io(&format!("reading {}", root.display()), &error)),
    };
    let ids = entries.filter_map(|entry| entry.ok()?.file_name().into_string().ok()).filter(|id| of(root, id).is_ok());
    let mut ids: Vec<String> = ids.take(BACKUPS_MOST).collect();
    ids.sort_unstable();
    Ok(ids.iter().filter_map(|id| info(root, id).ok()).collect())
}

/// One backup.
///
/// # Errors
/// `backup_not_found`.
pub fn info(root: &Path, id: &str) -> Result<BackupInfo> {
    match manifest(root, id) {
        Ok((manifest, _)) => Ok(BackupInfo::of(&manifest)),
        Err(error) if error.code == ErrorCode::BackupNotFound => Err(error),
        Err(error) if error.code == ErrorCode::BackupUnfinished => {
            Ok(BackupInfo::planned(id, plan(root, id).ok(), BackupState::Unfinished, None))
        }
        Err(error) => Ok(BackupInfo::planned(id, plan(root, id).ok(), BackupState::Damaged, Some(error.message))),
    }
}

/// Removes a backup. What says that it is whole goes first.
///
/// # Errors
/// `backup_not_found`, `storage_failed`.
pub(super) fn remove(root: &Path, id: &str) -> Result<()> {
    thread_guard::may_wait("removes a backup");
    let folder = of(root, id)?;
    if !fs::symlink_metadata(&folder).is_ok_and(|found| found.is_dir()) {
        return Err(not_found(id));
    }
    let gone = || {
        match fs::remove_file(folder.join(MANIFEST)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
        File::open(&folder)?.sync_all()?;
        fs::remove_dir_all(&folder)
    };
    gone().map_err(|error| Error::io(&format!("removing {}", folder.display()), &error))
}
