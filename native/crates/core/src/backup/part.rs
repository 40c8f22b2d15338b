//! Writing a part: segment after segment, and the last one can be taken back.

use super::folder::Folder;
use super::format::{self, Kind, PartSegment, Word};
use super::hex;
use super::manifest::Part;
use crate::store::{Captured, RecordStore};
use std::collections::HashSet;
use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use tessera_base::{Error, ErrorCode, Result, thread_guard};
use tessera_record::Digest;
use xxhash_rust::xxh3::Xxh3;

/// Entries are in blocks of about this many bytes.
const BLOCK: usize = 256 << 10;

pub(super) struct PartWriter {
    folder: Folder,
    name: String,
    file: File,
    hash: Xxh3,
    at: u64,
    entries: Vec<u8>,
    sets: HashSet<u16>,
    open: Option<Open>,
    segments: Vec<PartSegment>,
}

/// The segment that is being written, and how to take it back.
struct Open {
    cell: u16,
    offset: u64,
    hash: Xxh3,
    bodies: u64,
    kept: u64,
}

impl PartWriter {
    /// Begins a part. Until `finish` it has a name that no reader looks at.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`.
    pub(super) fn create(folder: &Folder, name: String, id: &[u8; 16], number: u32) -> Result<Self> {
        thread_guard::may_wait("writes a backup");
        let file = folder.create(&name)?;
        let (entries, sets, segments) = (Vec::with_capacity(BLOCK * 2), HashSet::new(), Vec::new());
        let mut part = Self { folder: folder.clone(), name, file, hash: Xxh3::new(), at: 0, entries, sets, open: None, segments };
        part.write(&format::header(id, number))?;
        Ok(part)
    }

    fn write(&mut self, bytes: &[u8]) -> Result<()> {
        self.file.write_all(bytes).map_err(|error| Error::io(&format!("writing {} of a backup", self.name), &error))?;
        self.hash.update(bytes);
        self.at += bytes.len() as u64;
        Ok(())
    }

    fn block(&mut self, kind: Kind, payload: &[u8]) -> Result<()> {
        self.write(&format::block_head(kind, payload))?;
        self.write(payload)
    }

    fn flush(&mut self) -> Result<()> {
        if !self.entries.is_empty() {
            let entries = std::mem::take(&mut self.entries);
            self.block(Kind::Entries, &entries)?;
            self.entries = entries;
            self.entries.clear();
        }
        Ok(())
    }

    /// # Errors
    /// As `create`.
    pub(super) fn begin(&mut self, cell: u16) -> Result<()> {
        self.open = Some(Open { cell, offset: self.at, hash: self.hash.clone(), bodies: 0, kept: 0 });
        self.sets.clear();
        self.block(Kind::Begin, &cell.to_le_bytes())
    }

    /// Adds an entry to the segment that is open.
    ///
    /// # Errors
    /// As `create`.
    pub(super) fn push(&mut self, store: &RecordStore, set: u16, digest: &Digest, word: Word<'_>) -> Result<()> {
        if !self.sets.contains(&set) {
            let entry = store.set_by_id(set).ok_or_else(|| Error::new(ErrorCode::Internal, "a record has a set that there is not"))?;
            self.flush()?;
            self.block(Kind::Set, &[&set.to_le_bytes()[..], entry.name.as_bytes()].concat())?;
            self.sets.insert(set);
        }
        if let Some(open) = &mut self.open {
            match word {
                Word::Body(..) => open.bodies += 1,
                Word::Kept(_) => open.kept += 1,
                Word::Gone => {}
            }
        }
        format::push(&mut self.entries, set, digest, word);
        if self.entries.len() >= BLOCK { self.flush() } else { Ok(()) }
    }

    /// Takes back what was written since `begin`.
    ///
    /// # Errors
    /// `storage_failed`.
    pub(super) fn take_back(&mut self) -> Result<()> {
        self.entries.clear();
        let Some(open) = self.open.take() else { return Ok(()) };
        let shortened = self.file.set_len(open.offset).and_then(|()| self.file.seek(SeekFrom::Start(open.offset)));
        shortened.map_err(|error| Error::io(&format!("shortening {} of a backup", self.name), &error))?;
        (self.at, self.hash) = (open.offset, open.hash);
        Ok(())
    }

    /// The segment is whole.
    ///
    /// # Errors
    /// As `create`.
    pub(super) fn end(&mut self, captured: Captured) -> Result<()> {
        self.flush()?;
        let Some(Open { cell, offset, bodies, kept, .. }) = self.open.take() else { return Ok(()) };
        self.block(Kind::End, &cell.to_le_bytes())?;
        let (moment_ms, records) = (captured.moment_ms, captured.records);
        self.segments.push(PartSegment { cell, moment_ms, offset, bytes: self.at - offset, records, bodies, kept });
        Ok(())
    }

    /// Gives the part its name, once all of it is on stable storage.
    ///
    /// # Errors
    /// As `create`.
    pub(super) fn finish(mut self) -> Result<Part> {
        let footer = self.at;
        let segments = serde_json::to_vec(&self.segments).map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))?;
        self.block(Kind::Footer, &segments)?;
        self.write(&format::trailer(footer))?;
        let (bytes, xxh3) = (self.at, self.hash.digest128());
        self.folder.place(&self.file, &self.name, bytes, xxh3)?;
        let xxh3 = hex(&xxh3.to_be_bytes());
        Ok(Part { file: std::mem::take(&mut self.name), bytes, xxh3, segments: std::mem::take(&mut self.segments) })
    }
}

impl Drop for PartWriter {
    fn drop(&mut self) {
        // One that is finished has another name, and none here.
        if !self.name.is_empty() {
            self.folder.discard(&self.name);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{self, OpenOptions};

    #[test]
    fn a_full_disk_is_told_as_that() {
        let folder = tempfile::tempdir().unwrap();
        let mut part = PartWriter::create(&Folder::Local(folder.path().to_owned()), "p".into(), &[0; 16], 0).unwrap();
        part.file = OpenOptions::new().write(true).open("/dev/full").unwrap();
        assert_eq!(part.begin(0).unwrap_err().code, ErrorCode::DeviceFull);
        drop(part);
        assert_eq!(fs::read_dir(folder.path()).unwrap().count(), 0, "half of a part is left");
    }
}
