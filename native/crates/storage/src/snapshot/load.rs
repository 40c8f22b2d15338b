//! Reading a snapshot, segments in parallel. Nothing of it counts before all of it has been found sound.

use super::SNAPSHOT_FILE;
use super::chunk::{Bytes, ChunkReader, Identity, Section, part_number};
use super::head::{HEAD_BYTES, SnapshotHead};
use super::items::{SEGMENT_BYTES, SLOT_BYTES, decode_segment, decode_slot};
use crate::{IndexTarget, Location, RecoverySink, SegmentImage, SlotImage};
use parking_lot::Mutex;
use std::fs::File;
use std::io::ErrorKind;
use std::path::Path;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering::Relaxed};
use tessera_base::{Error, limits};

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

/// The storage that a snapshot was taken of.
pub trait Owner: Sync {
    fn namespace_id(&self) -> [u8; 16];

    /// Whether the storage is as the head tells.
    ///
    /// # Errors
    /// What has changed.
    fn check(&self, head: &SnapshotHead) -> Result<(), String>;

    /// Reads the sections of blocks; the reader stands where they begin.
    ///
    /// # Errors
    /// What is wrong with them.
    fn blocks(&self, reader: &mut ChunkReader<'_>, head: &SnapshotHead) -> Result<(), Stop>;

    /// Forgets what `blocks` has read.
    fn forget_blocks(&self, head: &SnapshotHead);

    /// Bytes of a record that lies there; `None` where none can.
    fn record_bytes(&self, location: Location, head: &SnapshotHead) -> Option<u64>;
}

/// What loading works with.
pub struct Load<'a> {
    pub owner: &'a dyn Owner,
    pub sink: &'a dyn RecoverySink,
    pub target: &'a dyn IndexTarget,
    pub threads: usize,
}

impl Load<'_> {
    /// Loads the snapshot in `directory` into the index, and what it knows of blocks into its owner.
    ///
    /// # Errors
    /// Why not; then nothing has changed.
    pub fn run(&self, directory: &Path) -> Result<SnapshotHead, Stop> {
        let file = File::open(directory.join(SNAPSHOT_FILE)).map_err(|error| match error.kind() {
            ErrorKind::NotFound => "there is no index snapshot".to_owned(),
            _ => format!("the index snapshot cannot be opened: {error}"),
        })?;
        self.bytes(&file)
    }

    /// As `run`, from bytes.
    ///
    /// # Errors
    /// As `run`.
    pub fn bytes(&self, bytes: &dyn Bytes) -> Result<SnapshotHead, Stop> {
        let head = self.head(bytes).map_err(|why| format!("the index snapshot does not count: {why}"))?;
        let outcome = self.sections(bytes, &head).map_err(|stop| match stop {
            Stop::Doubt(why) => Stop::Doubt(format!("the index snapshot is damaged: {why}")),
            failed @ Stop::Failed(_) => failed,
        });
        if outcome.is_err() {
            self.target.discard();
            self.owner.forget_blocks(&head);
        }
        outcome.map(|()| head)
    }

    /// The head, if the snapshot is one of the storage as it is.
    fn head(&self, bytes: &dyn Bytes) -> Result<SnapshotHead, String> {
        let mut head = [0; HEAD_BYTES];
        bytes.read(&mut head, 0).map_err(|error| format!("its head cannot be read: {error}"))?;
        let head = SnapshotHead::decode(&head)?;
        if head.namespace_id != self.owner.namespace_id() {
            return Err("it belongs to another namespace".into());
        }
        self.owner.check(&head)?;
        let length = bytes.length().map_err(|error| error.to_string())?;
        if length != head.file_bytes || head.has_records() && head.records.saturating_mul(SLOT_BYTES as u64) > length {
            return Err("its length has changed".into());
        }
        let many = head.sets as usize > limits::SETS + 1 || head.indexes as usize > limits::INDEXES;
        if head.segments != self.target.segments() || many {
            return Err("the configuration has changed since".into());
        }
        Ok(head)
    }

    fn sections(&self, bytes: &dyn Bytes, head: &SnapshotHead) -> Result<(), Stop> {
        let identity = Identity::new(&head.namespace_id, head.run, head.last_sequence);
        let mut reader = ChunkReader::new(bytes, identity, HEAD_BYTES as u64);
        let names = sets(&mut reader, head.sets as usize)?;
        self.owner.blocks(&mut reader, head)?;
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
        })
    }

    /// Puts a segment's records aside, and its parts of the secondary indexes; returns the bytes read.
    fn segment(&self, mut reader: ChunkReader<'_>, segment: u16, image: &SegmentImage, head: &SnapshotHead) -> Result<u64, Stop> {
        let from = reader.offset;
        reader.begin(Section::Slots, u32::from(segment), from);
        let left = if head.has_records() { image.records } else { 0 };
        let mut records = Records { reader, at: 0, left, live: 0, head, owner: self.owner, fault: None };
        self.target.stage(segment, image, &mut records);
        if let Some(fault) = records.fault {
            return Err(fault.into());
        }
        let live = if head.has_records() { image.live_bytes } else { 0 };
        if records.left > 0 || records.live != live || records.at != records.reader.items().len() {
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

fn sets(reader: &mut ChunkReader<'_>, count: usize) -> Result<Vec<String>, Stop> {
    reader.begin(Section::Sets, 0, reader.offset);
    let mut names = Vec::new();
    while names.len() < count {
        let mut items = reader.next()?;
        while let Some((length, rest)) = items.split_first() {
            let (name, rest) = rest.split_at_checked(usize::from(*length)).ok_or("the name of a set is cut off")?;
            names.push(std::str::from_utf8(name).map_err(|_| "a set name is not UTF-8")?.to_owned());
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
    owner: &'a dyn Owner,
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
        let bytes = self.owner.record_bytes(slot.location, self.head).filter(|_| u32::from(slot.set) < self.head.sets);
        let bytes = bytes.ok_or("a record lies where none can")?;
        self.at += SLOT_BYTES;
        self.left -= 1;
        self.live += bytes;
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
