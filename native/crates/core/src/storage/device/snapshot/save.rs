//! Writing a snapshot, after an orderly close.

use super::chunk::{CHUNK_BYTES, ChunkWriter, Identity, Section, part_number};
use super::head::{DiskNote, HEAD_BYTES, SnapshotHead};
use super::items::{BlockImage, encode_block, encode_segment, encode_slot};
use super::{NEW_FILE, SNAPSHOT_FILE};
use crate::error::{Error, ErrorCode, Result};
use crate::storage::device::blocks::BlockState;
use crate::storage::device::shared::Shared;
use crate::storage::device::volume::Volume;
use crate::storage::{IndexSource, Location};
use std::fs::{self, File};
use std::io::{BufWriter, Write};
use std::os::unix::fs::FileExt;
use std::path::Path;

/// A part goes into its section in pieces of so many bytes.
const PIECE_BYTES: usize = 64 * 1024;

/// Writes the snapshot of a storage that is closed, the mark of which is at `close`, into `directory`: under another name
/// until it is on stable storage.
///
/// # Errors
/// `storage_failed`, `device_full`; then there is none.
pub fn save(shared: &Shared, directory: &Path, close: Option<Location>, source: &dyn IndexSource) -> Result<()> {
    let path = directory.join(NEW_FILE);
    let failed = |error: std::io::Error| Error::io(&format!("writing {}", path.display()), &error);
    let write = || {
        let file = File::create(&path).map_err(failed)?;
        let sections = Sections { shared, source, close };
        let head = sections.write(&file).map_err(|error| error.into_error(failed))?;
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
enum Fault {
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

struct Sections<'a> {
    shared: &'a Shared,
    source: &'a dyn IndexSource,
    close: Option<Location>,
}

type Writer<'a> = ChunkWriter<BufWriter<&'a File>>;

impl Sections<'_> {
    /// Writes all but the head, whose place stays zeros.
    fn write(&self, mut file: &File) -> std::result::Result<SnapshotHead, Fault> {
        let (shared, source) = (self.shared, self.source);
        let (run, last_sequence, ends) = {
            let state = shared.state.lock();
            (state.queue.run(), state.queue.last_sequence(), state.queue.space().ends())
        };
        let mut disks = Vec::with_capacity(ends.len());
        for (member, end) in shared.volume.members().iter().zip(ends) {
            disks.push(DiskNote { length: member.disk.length()?, end });
        }
        file.write_all(&[0; HEAD_BYTES])?;
        let identity = Identity::new(&shared.options.namespace_id, run, last_sequence);
        let mut writer = ChunkWriter::new(BufWriter::with_capacity(CHUNK_BYTES, file), identity, HEAD_BYTES as u64);
        let sets = source.sets();
        writer.begin(Section::Sets, 0);
        for name in &sets {
            writer.item(&[&[name.len() as u8], name.as_bytes()].concat())?;
        }
        writer.end()?;
        self.blocks(&mut writer, &disks)?;
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
        Ok(SnapshotHead {
            namespace_id: shared.options.namespace_id,
            block_bytes: shared.options.write_block_bytes,
            run,
            segments: source.segments(),
            sets: sets.len() as u32,
            indexes: notes.len() as u32,
            records,
            last_sequence,
            close: self.close,
            segments_at,
            file_bytes,
            disks,
        })
    }

    fn blocks(&self, writer: &mut Writer<'_>, disks: &[DiskNote]) -> std::result::Result<(), Fault> {
        let blocks = &self.shared.blocks;
        // The block that was open to the end is the only one whose length is not noted yet.
        let open = self.shared.state.lock().queue.open_end();
        // The next run does not know them; uncounted, they would hide that others are left.
        let needless = self.shared.defrag.needless_bytes();
        for (disk, note) in disks.iter().enumerate() {
            writer.begin(Section::Blocks, disk as u32);
            let first = Volume::join(disk, 0) / self.shared.block_bytes();
            for number in first + 1..first + note.end {
                let state = blocks.state(number);
                if state == BlockState::Unreadable {
                    return Err(Fault::Other(Error::new(
                        ErrorCode::StorageFailed,
                        "a write block could not be read; a start has to try again",
                    )));
                }
                let image = BlockImage {
                    free: state == BlockState::Free,
                    tombstones: blocks.kept(number).tombstones + needless.get(&number).copied().unwrap_or(0),
                    filled: open.filter(|(of, _)| *of == number).map_or_else(|| blocks.filled(number), |(_, filled)| filled),
                };
                writer.item(&encode_block(&image))?;
            }
            writer.end()?;
        }
        Ok(())
    }
}
