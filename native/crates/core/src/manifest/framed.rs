//! JSON in a file that tells damage from content: a magic number, `u32` version, `u32` length, `u32` CRC32C of the JSON, JSON;
//! little-endian. A file is replaced atomically.

use super::{Sync, sync_directory};
use serde::Serialize;
use std::fs;
use std::io::Write;
use std::path::Path;
use tessera_base::{Error, ErrorCode, Result, create_anew, sentence, thread_guard};

const VERSION: u32 = 1;
const HEADER: usize = 20;

/// The bytes of a file that holds `value`.
///
/// # Errors
/// `internal` when it cannot be written as JSON.
pub(super) fn seal<T: Serialize>(magic: &[u8; 8], value: &T) -> Result<Vec<u8>> {
    let json = serde_json::to_vec(value).map_err(|error| Error::new(ErrorCode::Internal, format!("encoding JSON: {error}")))?;
    let mut bytes = Vec::with_capacity(HEADER + json.len());
    bytes.extend_from_slice(magic);
    for word in [VERSION, json.len() as u32, crc32c::crc32c(&json)] {
        bytes.extend_from_slice(&word.to_le_bytes());
    }
    bytes.extend_from_slice(&json);
    Ok(bytes)
}

/// The JSON in a file's bytes; `what` names the file in messages.
///
/// # Errors
/// `manifest_damaged`, `manifest_version_unknown`.
pub(super) fn open<'a>(magic: &[u8; 8], bytes: &'a [u8], what: &str) -> Result<&'a [u8]> {
    let damaged = |why: &str| Error::said(ErrorCode::ManifestDamaged, sentence!("{what} is damaged: {why}", what = what, why = why));
    let word = |at: usize| bytes.get(at..at + 4).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
    if bytes.get(..8) != Some(magic) {
        return Err(damaged("it has the wrong first bytes"));
    }
    let (Some(version), Some(length), Some(checksum)) = (word(8), word(12), word(16)) else {
        return Err(damaged("its header is incomplete"));
    };
    let json = bytes.get(HEADER..).unwrap_or_default();
    if version != VERSION {
        let message =
            sentence!("{what} has version {version}; this build reads version {known}", what = what, version = version, known = VERSION);
        return Err(Error::said(ErrorCode::ManifestVersionUnknown, message));
    }
    if json.len() != length as usize {
        return Err(damaged(&format!("it must have {length} bytes, got {}", json.len())));
    }
    if crc32c::crc32c(json) != checksum {
        return Err(damaged("its checksum does not match"));
    }
    Ok(json)
}

/// Replaces a file; durable when this returns.
pub(super) fn replace(directory: &Path, name: &str, bytes: &[u8], sync: Sync<'_>) -> std::io::Result<()> {
    thread_guard::may_wait("writes a file of the manifest");
    let temporary = directory.join(format!("{name}.new"));
    let mut file = create_anew(&temporary)?;
    file.write_all(bytes)?;
    file.sync_all()?;
    fs::rename(&temporary, directory.join(name))?;
    sync(directory)
}

/// Removes a file if it is there; durable when this returns.
pub(super) fn remove(directory: &Path, name: &str) -> std::io::Result<()> {
    thread_guard::may_wait("removes a file of the manifest");
    match fs::remove_file(directory.join(name)) {
        Err(error) if error.kind() == std::io::ErrorKind::NotFound => Ok(()),
        outcome => outcome.and_then(|()| sync_directory(directory)),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use rustix::fs::{FileType, Mode};

    #[test]
    fn what_a_link_leads_to_stays_as_it_is_and_no_pipe_is_waited_for() {
        let directory = tempfile::tempdir().unwrap();
        let (theirs, new, file) = (directory.path().join("theirs"), directory.path().join("file.new"), directory.path().join("file"));
        fs::write(&theirs, "theirs").unwrap();
        let link = || std::os::unix::fs::symlink(&theirs, &new).unwrap();
        let pipe = || rustix::fs::mknodat(rustix::fs::CWD, &new, FileType::Fifo, Mode::RWXU, 0).unwrap();
        for make in [&link as &dyn Fn(), &pipe] {
            make();
            replace(directory.path(), "file", b"ours", &sync_directory).unwrap();
            assert!(fs::symlink_metadata(&file).unwrap().is_file() && fs::symlink_metadata(&new).is_err());
            assert_eq!((fs::read(&file).unwrap(), fs::read(&theirs).unwrap()), (b"ours".to_vec(), b"theirs".to_vec()));
            fs::remove_file(&file).unwrap();
        }
    }
}
