//! What a namespace's folder says of itself, so that it can be told without the manifest, or with an older one.
//!
//! `namespace` is the namespace's record as the manifest has it. `discard` marks a folder that is being made or was dropped: a
//! start removes it, unless the manifest lists it.

use super::{NamespaceRecord, framed, sync_directory};
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::ErrorKind;
use std::path::Path;
use tessera_base::{Error, ErrorCode, Result, read_regular, sentence};

const NAME: &str = "namespace";
const MAGIC: &[u8; 8] = b"TESSERAN";
const DISCARD: &str = "discard";
const DISCARD_MAGIC: &[u8; 8] = b"TESSERAD";

#[derive(Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Discard {
    number: u64,
    id: [u8; 16],
}

/// Writes the namespace's record into its folder, unless the folder is gone. Durable when this returns.
///
/// # Errors
/// `storage_failed`, `device_full`.
pub fn describe(folder: &Path, record: &NamespaceRecord) -> Result<()> {
    write(folder, NAME, &framed::seal(MAGIC, record)?)
}

/// The record in a folder; `None` if the folder has none.
///
/// # Errors
/// `manifest_damaged`, `manifest_version_unknown`, `storage_failed`.
pub fn read(folder: &Path) -> Result<Option<NamespaceRecord>> {
    let path = folder.join(NAME);
    let bytes = match read_regular(&path) {
        Ok(bytes) => bytes,
        Err(error) if matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => return Ok(None),
        Err(error) => return Err(Error::io(&format!("reading {}", path.display()), &error)),
    };
    let json = framed::open(MAGIC, &bytes, "the record in the folder")?;
    let damaged = |why: String| Error::said(ErrorCode::ManifestDamaged, sentence!("the record in the folder is damaged: {why}", why = why));
    let record: NamespaceRecord = serde_json::from_slice(json).map_err(|error| damaged(error.to_string()))?;
    record.config.check().map_err(|error| damaged(error.message))?;
    Ok(Some(record))
}

/// Marks a folder as one that goes with the next start unless the manifest lists it. Durable when this returns.
///
/// # Errors
/// `storage_failed`, `device_full`.
pub fn mark_discarded(folder: &Path, record: &NamespaceRecord) -> Result<()> {
    let mark = Discard { number: record.number, id: record.id };
    write(folder, DISCARD, &framed::seal(DISCARD_MAGIC, &mark)?)
}

/// Takes the mark off. Durable when this returns.
///
/// # Errors
/// `storage_failed`.
pub fn unmark(folder: &Path) -> Result<()> {
    match framed::remove(folder, DISCARD) {
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(Error::io(&format!("removing {}", folder.join(DISCARD).display()), &error))
        }
        _ => Ok(()),
    }
}

/// The id of the namespace that was to be in a folder, if a mark of ours says that the folder goes: one of this very folder, and
/// of the namespace whose record is in it. Without a record nothing else may be in it.
pub fn discarded(folder: &Path, number: u64) -> Option<[u8; 16]> {
    let bytes = read_regular(&folder.join(DISCARD)).ok()?;
    let mark: Discard = serde_json::from_slice(framed::open(DISCARD_MAGIC, &bytes, "the mark").ok()?).ok()?;
    let ours = match read(folder) {
        Ok(Some(record)) => record.id == mark.id,
        Ok(None) => fs::read_dir(folder).ok()?.all(|entry| entry.is_ok_and(|entry| is_own(&entry.file_name()))),
        Err(_) => false,
    };
    (ours && mark.number == number).then_some(mark.id)
}

/// Removes a folder and what is in it; what tells of it goes last, so that a crash leaves a folder that can be told.
///
/// # Errors
/// The operating system's.
pub fn remove(folder: &Path) -> std::io::Result<()> {
    let metadata = match fs::symlink_metadata(folder) {
        Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
        found => found?,
    };
    if !metadata.is_dir() {
        return fs::remove_file(folder);
    }
    for entry in fs::read_dir(folder)? {
        let entry = entry?;
        if is_own(&entry.file_name()) {
            continue;
        }
        if entry.file_type()?.is_dir() { fs::remove_dir_all(entry.path()) } else { fs::remove_file(entry.path()) }?;
    }
    sync_directory(folder)?;
    // The mark last, and nothing after it but the folder.
    for name in [NAME, &format!("{NAME}.new"), &format!("{DISCARD}.new"), DISCARD] {
        match fs::remove_file(folder.join(name)) {
            Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
            _ => {}
        }
    }
    fs::remove_dir(folder)
}

/// Whether nothing was ever in a folder, or nothing is left: it is empty, or has half of a mark of ours.
pub fn is_blank(folder: &Path) -> bool {
    let half = format!("{DISCARD}.new");
    fs::symlink_metadata(folder).is_ok_and(|metadata| metadata.is_dir())
        && fs::read_dir(folder).is_ok_and(|mut entries| entries.all(|entry| entry.is_ok_and(|entry| entry.file_name() == *half)))
}

/// Whether a file is one of those that tell of a folder, or a half-written one of them.
fn is_own(name: &std::ffi::OsStr) -> bool {
    name.to_str().is_some_and(|name| [NAME, DISCARD].contains(&name.strip_suffix(".new").unwrap_or(name)))
}

fn write(folder: &Path, name: &str, bytes: &[u8]) -> Result<()> {
    match framed::replace(folder, name, bytes, &sync_directory) {
        // A folder that is gone, or no folder at all, says nothing; opening the namespace does.
        Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::NotADirectory) => {
            Err(Error::io(&format!("writing {}", folder.join(name).display()), &error))
        }
        _ => Ok(()),
    }
}
