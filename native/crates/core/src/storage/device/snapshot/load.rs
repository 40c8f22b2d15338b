//! Reading a snapshot, segments in parallel. Nothing of it counts before all of it has been found sound.

use super::SNAPSHOT_FILE;
use super::chunk::{Bytes, ChunkReader, Identity, Section, part_number};
use super::head::{HEAD_BYTES, SnapshotHead};
use super::items::{BLOCK_BYTES, SEGMENT_BYTES, SLOT_BYTES, decode_block, decode_segment, decode_slot};
use crate::error::Error;
use crate::limits;
use crate::storage::device::blocks::BlockState;
use crate::storage::device::data_file::Opened;
use crate::storage::device::entry::{ENTRY_HEADER_BYTES, EntryKind, Found};
use crate::storage::device::headers::HEADER_BYTES;
use crate::storage::device::place::{Place, padded};
use crate::storage::device::shared::Shared;
use crate::storage::device::volume::Volume;
use crate::storage::{IndexTarget, RecoverySink, SegmentImage, SlotImage};
use parking_lot::Mutex;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};

/// Why a snapshot was not loaded.
#[derive(Debug)]
pub enum Stop {
    /// It cannot be trusted; the disks have to be read.
    Doubt(String),
    /// The recovery ends.
    Failed(Error),
}

impl From<String> for Stop {
    fn from(why: String) -> Self {
        Self::Doubt(why)
    }
}

impl From<&str> for Stop {
    fn from(why: &str) -> Self {
        Self::Doubt(why.to_owned())
    }
}

impl From<Error> for Stop {
    fn from(error: Error) -> Self {
        Self::Failed(error)
    }
}

/// What a snapshot held.
#[derive(Debug)]
pub struct Loaded {
    pub records: u64,
    pub bytes: u64,
    pub last_sequence: u64,
    /// For each disk, the number of the first block that was never used.
    pub ends: Vec<u64>,
}

/// What loading works with.
pub struct Load<'a> {
    pub shared: &'a Shared,
    pub opened: &'a Opened,
    pub sink: &'a dyn RecoverySink,
    pub target: &'a dyn IndexTarget,
    pub threads: usize,
}

impl Load<'_> {
    /// Loads the snapshot in `directory` into the index and what is known of the blocks.
    ///
    /// # Errors
    /// Why not; then nothing has changed.
    pub fn run(&self, directory: &Path) -> Result<Loaded, Stop> {
        let file = File::open(directory.join(SNAPSHOT_FILE)).map_err(|error| match error.kind() {
            ErrorKind::NotFound => "there is no index snapshot".to_owned(),
            _ => format!("the index snapshot cannot be opened: {error}"),
        })?;
        self.bytes(&file)
    }

    /// As `run`, from bytes.
    pub(super) fn bytes(&self, bytes: &dyn Bytes) -> Result<Loaded, Stop> {
        let head = self.head(bytes).map_err(|why| format!("the index snapshot does not count: {why}"))?;
        let outcome = self.sections(bytes, &head).map_err(|stop| match stop {
            Stop::Doubt(why) => Stop::Doubt(format!("the index snapshot is damaged: {why}")),
            failed @ Stop::Failed(_) => failed,
        });
        if outcome.is_err() {
            self.target.discard();
            numbers(&head, self.shared.block_bytes()).for_each(|number| self.shared.blocks.forget(number));
            self.shared.counters.tombstone_bytes.store(0, Relaxed);
        }
        outcome
    }

    /// The head, if the snapshot is one of the disks as they are.
    fn head(&self, bytes: &dyn Bytes) -> Result<SnapshotHead, String> {
        let (shared, opened) = (self.shared, self.opened);
        let mut head = [0; HEAD_BYTES];
        bytes.read(&mut head, 0).map_err(|error| format!("its head cannot be read: {error}"))?;
        let head = SnapshotHead::decode(&head)?;
        if head.namespace_id != shared.options.namespace_id {
            return Err("it is another namespace's".into());
        }
        if !opened.damaged.is_empty() || !opened.alike || head.run != opened.run {
            return Err(format!("it was taken in run {}, and the disks tell of others", head.run));
        }
        let members = shared.volume.members();
        if head.block_bytes != shared.options.write_block_bytes || head.disks.len() != members.len() {
            return Err("it was taken of other disks".into());
        }
        for (member, note) in members.iter().zip(&head.disks) {
            let length = member.disk.length().map_err(|error| format!("the length of {}: {error}", member.label))?;
            if length != note.length || note.end == 0 || note.end > length.div_ceil(shared.block_bytes()).max(1) {
                return Err(format!("{} has another length than when it was taken", member.label));
            }
        }
        let length = bytes.length().map_err(|error| error.to_string())?;
        if length != head.file_bytes || head.records.saturating_mul(SLOT_BYTES as u64) > length {
            return Err("it has another length than when it was taken".into());
        }
        let many = head.sets as usize > limits::SETS + 1 || head.indexes as usize > limits::INDEXES;
        if head.segments != self.target.segments() || many {
            return Err("it was taken of another configuration".into());
        }
        self.check_close(&head)?;
        Ok(head)
    }

    /// The mark of the close that it was taken after must be where it was: another copy of the file of that run has none.
    fn check_close(&self, head: &SnapshotHead) -> Result<(), String> {
        let Some(location) = head.close else { return Ok(()) };
        let place = Place::unpack(location);
        // A mark has no body; nothing longer is made room for.
        if place.length as usize != padded(ENTRY_HEADER_BYTES) {
            return Err("the mark of its close is no mark".into());
        }
        let mut scratch = None;
        let bytes = self.shared.volume.read(&mut scratch, place.offset, place.length as usize);
        let bytes = bytes.map_err(|error| format!("the mark of the close cannot be read: {error}"))?;
        match Found::decode(bytes, self.shared.seal, place.offset) {
            Some(found) if found.entry.kind == EntryKind::Close && found.sequence == head.last_sequence => Ok(()),
            _ => Err("the mark of its close is not on the disk".into()),
        }
    }

    fn sections(&self, bytes: &dyn Bytes, head: &SnapshotHead) -> Result<Loaded, Stop> {
        let identity = Identity::new(&head.namespace_id, head.run, head.last_sequence);
        let mut reader = ChunkReader::new(bytes, identity, HEAD_BYTES as u64);
        let names = sets(&mut reader, head.sets as usize)?;
        self.blocks(&mut reader, head)?;
        let notes = notes(&mut reader, head.indexes as usize)?;
        let begun = reader.offset;
        let segments = segments(&mut reader, head)?;
        if segments.iter().map(|(image, _)| u64::from(image.records)).sum::<u64>() != head.records {
            return Err("the segments have other records than the head says".into());
        }
        self.target.sets(&names).map_err(|error| error.message)?;
        self.target.notes(&notes)?;
        let done = AtomicU64::new(begun);
        self.each(segments.len(), &|segment| {
            let Some((image, offset)) = segments.get(segment) else { return Ok(()) };
            let read = self.segment(ChunkReader::new(bytes, identity, *offset), segment as u16, image, head)?;
            Ok(self.sink.progress((done.fetch_add(read, Relaxed) + read).min(head.file_bytes), head.file_bytes)?)
        })?;
        // The last that can stop it; from here on the index changes.
        self.sink.progress(head.file_bytes, head.file_bytes)?;
        self.each(segments.len(), &|segment| {
            self.target.install(segment as u16);
            Ok(())
        })?;
        let ends = (0..).zip(&head.disks).map(|(disk, note)| Volume::join(disk, 0) / self.shared.block_bytes() + note.end);
        Ok(Loaded { records: head.records, bytes: head.file_bytes, last_sequence: head.last_sequence, ends: ends.collect() })
    }

    /// Notes what is known of the blocks but for their live bytes, which the records tell.
    fn blocks(&self, reader: &mut ChunkReader<'_>, head: &SnapshotHead) -> Result<(), Stop> {
        let (shared, mut tombstones) = (self.shared, 0);
        for (disk, note) in head.disks.iter().enumerate() {
            reader.begin(Section::Blocks, disk as u32, reader.offset);
            let first = Volume::join(disk, 0) / shared.block_bytes();
            let mut numbers = first + 1..first + note.end;
            while !numbers.is_empty() {
                for item in reader.next()?.chunks(BLOCK_BYTES) {
                    let image = item.first_chunk().and_then(decode_block).ok_or("a block is not one")?;
                    let number = numbers.next().ok_or("there are more blocks than the head says")?;
                    if u64::from(image.tombstones.max(image.filled)) > shared.block_bytes() {
                        return Err("a block holds more than a block".into());
                    }
                    shared.blocks.tombstone_lives(number, image.tombstones);
                    shared.blocks.set_filled(number, image.filled);
                    tombstones += u64::from(image.tombstones);
                    shared.blocks.set_state(number, if image.free { BlockState::Free } else { BlockState::Stored });
                }
            }
        }
        shared.counters.tombstone_bytes.store(tombstones, Relaxed);
        Ok(())
    }

    /// Puts a segment's records aside, and its parts of the secondary indexes; returns the bytes read.
    fn segment(&self, mut reader: ChunkReader<'_>, segment: u16, image: &SegmentImage, head: &SnapshotHead) -> Result<u64, Stop> {
        let from = reader.offset;
        reader.begin(Section::Slots, u32::from(segment), from);
        let mut records =
            Records { reader, at: 0, left: image.records, live: 0, head, block_bytes: self.shared.block_bytes(), fault: None };
        self.target.stage(segment, image, &mut records);
        if let Some(fault) = records.fault {
            return Err(fault.into());
        }
        if records.left > 0 || records.live != image.live_bytes || records.at != records.reader.items().len() {
            return Err(format!("segment {segment} has other records than it should").into());
        }
        let Records { mut reader, .. } = records;
        for index in 0..head.indexes as usize {
            reader.begin(Section::Part, part_number(index, segment), reader.offset);
            self.target.stage_part(index, segment, &part(&mut reader)?)?;
        }
        Ok(reader.offset - from)
    }

    /// Runs `work` for every number below `count`, on all threads.
    fn each(&self, count: usize, work: &(dyn Fn(usize) -> Result<(), Stop> + Sync)) -> Result<(), Stop> {
        let (next, stop, outcome) = (AtomicUsize::new(0), AtomicBool::new(false), Mutex::new(Ok(())));
        let run = || {
            while !stop.load(Relaxed) {
                let number = next.fetch_add(1, Relaxed);
                if number >= count {
                    return;
                }
                if let Err(error) = work(number) {
                    stop.store(true, Relaxed);
                    *outcome.lock() = Err(error);
                }
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..self.threads.min(count) {
                // Where no thread is to be had, the others do its share.
                let _ = std::thread::Builder::new().name("tessera-load".to_owned()).spawn_scoped(scope, run);
            }
            run();
        });
        outcome.into_inner()
    }
}

/// Global numbers of the blocks that a snapshot tells of.
fn numbers(head: &SnapshotHead, block_bytes: u64) -> impl Iterator<Item = u64> {
    head.disks.iter().enumerate().flat_map(move |(disk, note)| {
        let first = Volume::join(disk, 0) / block_bytes;
        first + 1..first + note.end
    })
}

fn sets(reader: &mut ChunkReader<'_>, count: usize) -> Result<Vec<String>, Stop> {
    reader.begin(Section::Sets, 0, reader.offset);
    let mut names = Vec::new();
    while names.len() < count {
        let mut items = reader.next()?;
        while let Some((length, rest)) = items.split_first() {
            let (name, rest) = rest.split_at_checked(usize::from(*length)).ok_or("the name of a set is cut off")?;
            names.push(std::str::from_utf8(name).map_err(|_| "the name of a set is no text")?.to_owned());
            items = rest;
        }
    }
    if names.len() == count { Ok(names) } else { Err("there are more sets than the head says".into()) }
}

fn notes(reader: &mut ChunkReader<'_>, count: usize) -> Result<Vec<Vec<u8>>, Stop> {
    reader.begin(Section::Indexes, 0, reader.offset);
    let mut notes = Vec::new();
    while notes.len() < count {
        let mut items = reader.next()?;
        while let Some((length, rest)) = items.split_first_chunk() {
            let note = rest.split_at_checked(usize::from(u16::from_le_bytes(*length)));
            let (note, rest) = note.ok_or("the note of an index is cut off")?;
            notes.push(note.to_vec());
            items = rest;
        }
        if !items.is_empty() {
            return Err("the note of an index is cut off".into());
        }
    }
    if notes.len() == count { Ok(notes) } else { Err("there are more indexes than the head says".into()) }
}

/// A segment's part of a secondary index: its length, and as many bytes.
fn part(reader: &mut ChunkReader<'_>) -> Result<Vec<u8>, Stop> {
    let (length, first) = reader.next()?.split_first_chunk().ok_or("a part of an index is cut off")?;
    let length = u64::from_le_bytes(*length);
    let mut part = first.to_vec();
    // Room is made for what has been read, not for what is said to follow.
    while (part.len() as u64) < length {
        part.extend_from_slice(reader.next()?);
    }
    if part.len() as u64 == length { Ok(part) } else { Err("a part of an index is longer than it says".into()) }
}

fn segments(reader: &mut ChunkReader<'_>, head: &SnapshotHead) -> Result<Vec<(SegmentImage, u64)>, Stop> {
    reader.begin(Section::Segments, 0, head.segments_at);
    let mut segments = Vec::new();
    while segments.len() < head.segments as usize {
        for item in reader.next()?.chunks(SEGMENT_BYTES) {
            segments.push(decode_segment(item.first_chunk().ok_or("a segment is cut off")?));
        }
    }
    let whole = segments.len() == head.segments as usize && reader.offset == head.file_bytes;
    if whole { Ok(segments) } else { Err("there are more segments than the head says".into()) }
}

/// The records of a segment, as long as they are sound.
struct Records<'a> {
    reader: ChunkReader<'a>,
    /// Where the next item begins in the chunk.
    at: usize,
    left: u32,
    live: u64,
    head: &'a SnapshotHead,
    block_bytes: u64,
    fault: Option<String>,
}

impl Records<'_> {
    fn read(&mut self) -> Result<SlotImage, String> {
        if self.at == self.reader.items().len() {
            self.reader.next()?;
            self.at = 0;
        }
        let item = self.reader.items().get(self.at..).and_then(<[u8]>::first_chunk::<SLOT_BYTES>);
        let slot = item.and_then(decode_slot).ok_or("a record is cut off")?;
        let Place { offset, length } = Place::unpack(slot.location);
        let (disk, local) = Volume::split(offset);
        let (block, at) = (local / self.block_bytes, local % self.block_bytes);
        let known = self.head.disks.get(disk).is_some_and(|note| block > 0 && block < note.end);
        let whole = length as usize >= ENTRY_HEADER_BYTES && at >= HEADER_BYTES as u64 && at + u64::from(length) <= self.block_bytes;
        if !known || !whole || u32::from(slot.set) >= self.head.sets {
            return Err("a record lies where none can".into());
        }
        self.at += SLOT_BYTES;
        self.left -= 1;
        self.live += u64::from(length);
        Ok(slot)
    }
}

impl Iterator for Records<'_> {
    type Item = SlotImage;

    fn next(&mut self) -> Option<SlotImage> {
        if self.left == 0 || self.fault.is_some() {
            return None;
        }
        self.read().map_err(|fault| self.fault = Some(fault)).ok()
    }
}
