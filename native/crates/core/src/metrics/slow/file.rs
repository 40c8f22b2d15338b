//! `slow.log` in the folder of the history: a frame (`tessera_base::frames`) for each operation. It is appended to, and written
//! anew from memory when it is full, when a part of it is damaged, and when something in it has to go.

use super::SlowOperation;
use super::codec::{decode, encode};
use crate::metrics::history::{Append, Check, make_folder, sync_directory};
use std::fs::{self, File};
use std::io::{self, ErrorKind};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::frames::{self, Magic, Scanned};
use tessera_base::{create_anew, open_to_append};

const MAGIC: Magic = *b"TsS2";
const FILE: &str = "slow.log";
const NEW: &str = "slow.log.new";
/// Most bytes of the file. All that is kept in memory takes less than half of it.
pub(super) const FILE_BYTES: u64 = 4 << 20;

/// An operation, and whether it was beyond its threshold.
pub(super) type Noted = (Arc<SlowOperation>, bool);

pub(super) struct SlowFile {
    directory: PathBuf,
    append: Append,
    /// `None`: there is none yet, or it takes no writes.
    file: Option<File>,
    /// Up to here are frames; the next one goes here.
    pub(super) bytes: u64,
    /// The number of the newest operation in it.
    pub(super) last: u64,
    /// It cannot be appended to: something in it is damaged, or has to go.
    pub(super) stale: bool,
    /// A key or a filter is in it.
    has_keys: bool,
    synced: bool,
}

/// What a start finds.
#[derive(Default)]
pub(super) struct Past {
    /// In the order in which they ended.
    pub(super) operations: Vec<Noted>,
    pub(super) damaged: u64,
    /// Why the file is not read.
    pub(super) unreadable: Option<String>,
}

impl SlowFile {
    /// Reads what there is. Nothing in it can fail a start. Nothing goes unless `check` allows it.
    pub(super) fn open(directory: PathBuf, append: Append, check: &Check) -> (Self, Past) {
        let mut file = Self { directory, append, file: None, bytes: 0, last: 0, stale: false, has_keys: false, synced: true };
        // A kill came before it took the place of the other one. It may have keys: if it stays, the next write replaces it.
        let new = file.directory.join(NEW);
        file.stale = new.symlink_metadata().is_ok() && (check().is_err() || fs::remove_file(&new).is_err());
        let past = file.read().unwrap_or_else(|why| {
            file.stale = true;
            Past { unreadable: Some(format!("{}: {why}", file.path().display())), ..Past::default() }
        });
        (file, past)
    }

    fn path(&self) -> PathBuf {
        self.directory.join(FILE)
    }

    fn read(&mut self) -> Result<Past, String> {
        if !is_ours_to_write(&self.path()).map_err(|error| error.to_string())? {
            return Ok(Past::default());
        }
        let read = || {
            let (file, takes_writes) = open_to_append(&self.path())?;
            let length = file.metadata()?.len();
            if length > FILE_BYTES {
                return Err(io::Error::other(format!("it has {length} bytes, more than the {FILE_BYTES} that it may have")));
            }
            let mut bytes = vec![0; length as usize];
            file.read_exact_at(&mut bytes, 0)?;
            Ok((takes_writes.then_some(file), bytes))
        };
        let (file, bytes) = read().map_err(|error| error.to_string())?;
        let (past, end) = replay(&bytes);
        self.stale |= past.damaged > 0 || end < bytes.len();
        (self.file, self.bytes) = (file, end as u64);
        self.note(&past.operations);
        Ok(past)
    }

    /// Appends these operations; false if there is no room, or if it cannot be appended to.
    pub(super) fn append(&mut self, operations: &[Noted]) -> io::Result<bool> {
        let bytes = frames_of(operations);
        let Some(file) = self.file.as_ref().filter(|_| !self.stale && self.bytes + bytes.len() as u64 <= FILE_BYTES) else {
            return Ok(false);
        };
        // What a failed write left may have keys.
        (self.append)(file, &bytes, self.bytes).inspect_err(|_| self.stale = file.set_len(self.bytes).is_err())?;
        self.bytes += bytes.len() as u64;
        self.note(operations);
        self.synced = false;
        Ok(true)
    }

    /// A file with these operations alone takes the place of this one, if `check` still allows it then. A kill leaves either.
    pub(super) fn write_anew(&mut self, operations: &[Noted], check: &Check) -> io::Result<()> {
        make_folder(&self.directory)?;
        is_ours_to_write(&self.path())?;
        let (new, bytes) = (self.directory.join(NEW), frames_of(operations));
        let made = (|| {
            let file = create_anew(&new)?;
            (self.append)(&file, &bytes, 0)?;
            file.sync_data()?;
            // A sync can take long, and another directory may have ours' name by now.
            check().map_err(io::Error::other)?;
            fs::rename(&new, self.path())?;
            Ok(file)
        })();
        self.file = Some(made.inspect_err(|_: &io::Error| drop(fs::remove_file(&new)))?);
        (self.bytes, self.stale, self.has_keys, self.synced) = (bytes.len() as u64, false, false, true);
        self.note(operations);
        sync_directory(&self.directory)
    }

    /// Leaves nothing in it but these operations, on stable storage. On a full disk it leaves nothing at all, until the next write.
    pub(super) fn erase(&mut self, operations: &[Noted], check: &Check) -> io::Result<()> {
        let Err(error) = self.write_anew(operations, check) else { return Ok(()) };
        let Some(file) = &self.file else { return Err(error) };
        file.set_len(0).and_then(|()| file.sync_all()).map_err(|_| error)?;
        self.bytes = 0;
        Ok(())
    }

    /// Whether a key or a filter may be in it.
    pub(super) fn may_have_keys(&self) -> bool {
        self.has_keys || self.stale
    }

    pub(super) fn sync(&mut self) -> io::Result<()> {
        if let Some(file) = self.file.as_ref().filter(|_| !self.synced) {
            // After a failed sync nobody knows what is on the disk.
            file.sync_data().inspect_err(|_| self.stale = true)?;
            self.synced = true;
        }
        Ok(())
    }

    fn note(&mut self, operations: &[Noted]) {
        self.has_keys |= operations.iter().any(|(entry, _)| entry.key.is_some() || entry.filter.is_some());
        self.last = operations.last().map_or(self.last, |(entry, _)| entry.id);
    }
}

/// Whether there is a file.
///
/// # Errors
/// If something else has its name: it stays, and nothing is written into it.
fn is_ours_to_write(path: &Path) -> io::Result<bool> {
    match fs::symlink_metadata(path) {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(false),
        Err(error) => Err(error),
        Ok(found) if found.is_file() => Ok(true),
        Ok(_) => Err(io::Error::other(format!("{} is no regular file: move it away", path.display()))),
    }
}

fn frames_of(operations: &[Noted]) -> Vec<u8> {
    let (mut bytes, mut payload) = (Vec::new(), Vec::new());
    for (entry, slow) in operations {
        payload.clear();
        encode(entry, *slow, &mut payload);
        frames::push(&mut bytes, MAGIC, &payload);
    }
    bytes
}

/// The operations in the bytes of a file, and where its frames end.
fn replay(bytes: &[u8]) -> (Past, usize) {
    let mut operations: Vec<Noted> = Vec::new();
    let Scanned { damaged, end } = frames::scan(bytes, MAGIC, |payload| {
        let last = operations.last().map_or(0, |(last, _)| last.id);
        // A copy of a frame is whole, and would count twice.
        let Some((entry, slow)) = decode(payload).filter(|(entry, _)| entry.id > last) else { return false };
        operations.push((Arc::new(entry), slow));
        true
    });
    (Past { operations, damaged, unreadable: None }, end)
}

#[cfg(test)]
mod tests;
