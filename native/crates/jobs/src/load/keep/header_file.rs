//! `imports/<job>.header`: the header of a CSV upload, as it was sent.

use crate::JobFiles;
use parking_lot::Mutex;
use serde::{Deserialize, Serialize};
use std::fs;
use std::io::{ErrorKind, Write as _};
use std::path::Path;
use tessera_base::{Error, ErrorCode, Result, create_anew, sentence, thread_guard};
use xxhash_rust::xxh3::xxh3_64;

/// What tells a header from another, or from half of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
pub struct HeaderSeal {
    pub bytes: u64,
    /// xxh3.
    pub check: u64,
}

impl HeaderSeal {
    pub fn of(header: &[u8]) -> Self {
        Self { bytes: header.len() as u64, check: xxh3_64(header) }
    }
}

/// The journal and the rejects of an import may both come to write it.
static WRITING: Mutex<()> = Mutex::new(());

/// Writes the header unless it is there: a crash leaves it whole or not at all.
pub fn keep_header(files: &JobFiles, id: &str, header: &[u8]) -> std::io::Result<()> {
    thread_guard::may_wait("reads the header of an import");
    let _writing = WRITING.lock();
    let path = files.path(id, JobFiles::HEADER);
    if header.is_empty() || fs::read(&path).is_ok_and(|found| found == header) {
        return Ok(());
    }
    let new = files.path(id, JobFiles::HEADER_NEW);
    write_synced(&new, header)?;
    fs::rename(new, path)?;
    files.sync_directory()
}

/// The header of the upload that broke off, if it has one. `seal`: as the journal has it; older journals have none.
///
/// # Errors
/// `storage_failed` when it cannot be read, is missing, or is another than was kept.
pub fn read_header(files: &JobFiles, id: &str, seal: Option<HeaderSeal>) -> Result<Vec<u8>> {
    thread_guard::may_wait("reads the header of an import");
    let header = match fs::read(files.path(id, JobFiles::HEADER)) {
        Ok(header) => header,
        Err(error) if error.kind() == ErrorKind::NotFound => vec![],
        Err(error) => return Err(Error::io("read the header of the import", &error)),
    };
    if header.is_empty() || seal.is_some_and(|seal| seal != HeaderSeal::of(&header)) {
        let message = sentence!("the saved header of the import is damaged or missing; start a new import");
        return Err(Error::said(ErrorCode::StorageFailed, message));
    }
    Ok(header)
}

pub fn write_synced(path: &Path, bytes: &[u8]) -> std::io::Result<()> {
    thread_guard::may_wait("syncs a file of an import");
    let mut file = create_anew(path)?;
    file.write_all(bytes)?;
    file.sync_all()
}
