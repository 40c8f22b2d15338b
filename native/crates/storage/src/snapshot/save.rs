//! Writing a snapshot, after an orderly close.

use super::chunk::{CHUNK_BYTES, ChunkWriter, Identity, Section, part_number};
use super::head::{HEAD_BYTES, SnapshotHead};
use super::items::{encode_segment, encode_slot};
use super::{NEW_FILE, SNAPSHOT_FILE};
use crate::IndexSource;
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;
use tessera_base::{Error, ErrorCode, Result};

/// A part goes into its section in pieces of so many bytes.
const PIECE_BYTES: usize = 64 * 1024;

pub type Writer<'a> = ChunkWriter<BufWriter<&'a File>>;

/// Writes the snapshot of a storage that is closed into `directory`: under another name until it is on stable storage. `head` tells of the
/// storage, and is told of what `source` has; `blocks` writes what is known of the disks' blocks.
///
/// # Errors
/// `storage_failed`, `device_full`; then there is none.
pub fn save(
    directory: &Path,
    head: SnapshotHead,
    source: &dyn IndexSource,
    blocks: &dyn Fn(&mut Writer<'_>) -> std::result::Result<(), Fault>,
) -> Result<()> {
    let path = directory.join(NEW_FILE);
    let failed = |error: std::io::Error| Error::io(&format!("writing {}", path.display()), &error);
    let write = || {
        let file = File::create(&path).map_err(failed)?;
        let head = write_sections(&file, head, source, blocks).map_err(|error| error.into_error(failed))?;
        file.write_all_at(&head.encode(), 0).and_then(|()| file.sync_all()).map_err(failed)?;
        fs::rename(&path, directory.join(SNAPSHOT_FILE)).and_then(|()| File::open(directory)?.sync_all()).map_err(failed)
    };
    let outcome = write();
    if outcome.is_err() {
        super::remove(directory);
    }
    outcome
}

/// Why writing stopped.
pub enum Fault {
    Io(std::io::Error),
    Other(Error),
}

impl Fault {
    fn into_error(self, failed: impl Fn(std::io::Error) -> Error) -> Error {
        match self {
            Self::Io(error) => failed(error),
            Self::Other(error) => error,
        }
    }
}

impl From<std::io::Error> for Fault {
    fn from(error: std::io::Error) -> Self {
        Self::Io(error)
    }
}

/// Writes all but the head, whose place stays zeros; answers the head that fits.
fn write_sections(
    mut file: &File,
    head: SnapshotHead,
    source: &dyn IndexSource,
    blocks: &dyn Fn(&mut Writer<'_>) -> std::result::Result<(), Fault>,
) -> std::result::Result<SnapshotHead, Fault> {
    file.write_all(&[0; HEAD_BYTES])?;
    let identity = Identity::new(&head.namespace_id, head.run, head.last_sequence);
    let mut writer = ChunkWriter::new(BufWriter::with_capacity(CHUNK_BYTES, file), identity, HEAD_BYTES as u64);
    // Records name their sets by place; nothing else does.
    let sets = if head.has_records() { source.sets() } else { Vec::new() };
    writer.begin(Section::Sets, 0);
    for name in &sets {
        writer.item(&[&[name.len() as u8], name.as_bytes()].concat())?;
    }
    writer.end()?;
    blocks(&mut writer)?;
    let notes = source.notes();
    writer.begin(Section::Indexes, 0);
    for note in &notes {
        writer.item(&[&(note.len() as u16).to_le_bytes(), &note[..]].concat())?;
    }
    writer.end()?;
    let mut part = Vec::new();
    let mut segments = Vec::new();
    let mut records = 0;
    for segment in 0..source.segments() {
        let offset = writer.begin(Section::Slots, segment);
        let mut fault = None;
        let mut item = |slot: &_| {
            writer.item(&encode_slot(slot)).map_err(|error| {
                fault = Some(Fault::Io(error));
                Error::new(ErrorCode::StorageFailed, "the snapshot cannot be written")
            })
        };
        let image = source.segment(segment as u16, &mut item).map_err(|error| fault.unwrap_or(Fault::Other(error)))?;
        writer.end()?;
        for index in 0..notes.len() {
            part.clear();
            source.part(index, segment as u16, &mut part).map_err(Fault::Other)?;
            writer.begin(Section::Part, part_number(index, segment as u16));
            writer.item(&(part.len() as u64).to_le_bytes())?;
            part.chunks(PIECE_BYTES).try_for_each(|piece| writer.item(piece))?;
            writer.end()?;
        }
        records += u64::from(image.records);
        segments.push(encode_segment(&image, offset));
    }
    let segments_at = writer.begin(Section::Segments, 0);
    segments.iter().try_for_each(|item| writer.item(item))?;
    writer.end()?;
    let (mut out, file_bytes) = writer.finish();
    out.flush()?;
    let (sets, indexes) = (sets.len() as u32, notes.len() as u32);
    Ok(SnapshotHead { segments: source.segments(), sets, indexes, records, segments_at, file_bytes, ..head })
}
