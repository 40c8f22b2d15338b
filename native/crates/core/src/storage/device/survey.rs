//! Reading all blocks in parallel: sound entries go to the sink at once, what is doubtful is noted for the verdict.

use super::entry::{EntryKind, Found};
use super::headers::{BlockHeader, HEADER_BYTES, HeaderFault, unknown_version};
use super::place::{Place, padded};
use super::shared::Shared;
use super::walk::{Step, walk};
use crate::error::{Error, Result};
use crate::record::{Digest, Meta};
use crate::storage::{Location, RecordImage, RecoverySink};
use parking_lot::Mutex;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};

/// Bytes read at once by a thread, at least one block.
const READ_BYTES: u64 = 1024 * 1024;

/// What is known of one block after reading it.
#[derive(Debug, Default)]
pub struct BlockNote {
    pub number: u64,
    /// Run, first sequence and durable sequence of a sound header.
    pub header: Option<(u32, u64, u64)>,
    /// Sequence of the mark of an orderly close, if the block has one.
    pub closed_at: Option<u64>,
    pub doubts: Vec<Doubt>,
}

/// A place that is not as it should be: damage, or a write that a crash cut short.
#[derive(Debug)]
pub struct Doubt {
    pub offset: u64,
    pub why: String,
    pub suspect: Option<Suspect>,
}

/// The record whose body is not sound while its header is.
#[derive(Debug)]
pub struct Suspect {
    pub segment: u16,
    pub digest: Digest,
    pub meta: Meta,
    pub set: String,
    pub location: Location,
    pub sequence: u64,
}

#[derive(Debug, Default)]
pub struct Survey {
    /// In order of number.
    pub blocks: Vec<BlockNote>,
    pub records: u64,
    pub tombstones: u64,
    pub bytes_read: u64,
    /// Highest sequence number seen anywhere.
    pub highest: u64,
}

/// Reads blocks `1..end` of a file of `length` bytes on `threads` threads, the calling one among them.
///
/// # Errors
/// `data_file_version_unknown`, and what the sink refuses with.
pub fn survey(shared: &Shared, end: u64, length: u64, threads: usize, sink: &dyn RecoverySink) -> Result<Survey> {
    let run = Run {
        shared,
        sink,
        end,
        length,
        step: (READ_BYTES / shared.block_bytes()).max(1),
        next: AtomicU64::new(1),
        done: AtomicU64::new(0),
        stop: AtomicBool::new(false),
        whole: Mutex::new((Survey::default(), None)),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread is to be had, the others do its share.
            let _ = std::thread::Builder::new().name("tessera-recover".to_owned()).spawn_scoped(scope, || run.work());
        }
        run.work();
    });
    let (mut whole, error) = run.whole.into_inner();
    whole.blocks.sort_unstable_by_key(|block| block.number);
    error.map_or(Ok(whole), Err)
}

struct Run<'a> {
    shared: &'a Shared,
    sink: &'a dyn RecoverySink,
    end: u64,
    length: u64,
    step: u64,
    next: AtomicU64,
    done: AtomicU64,
    stop: AtomicBool,
    whole: Mutex<(Survey, Option<Error>)>,
}

impl Run<'_> {
    fn work(&self) {
        let mut mine = Survey::default();
        let mut buffer = Vec::new();
        let mut failure = None;
        while failure.is_none() && !self.stop.load(Relaxed) {
            let from = self.next.fetch_add(self.step, Relaxed);
            if from >= self.end {
                break;
            }
            failure = self.chunk(from, &mut buffer, &mut mine).err();
        }
        let mut whole = self.whole.lock();
        if failure.is_some() {
            self.stop.store(true, Relaxed);
            whole.1 = failure;
        }
        let all = &mut whole.0;
        all.blocks.append(&mut mine.blocks);
        all.records += mine.records;
        all.tombstones += mine.tombstones;
        all.bytes_read += mine.bytes_read;
        all.highest = all.highest.max(mine.highest);
    }

    /// Reads `step` blocks at once; where that fails, one by one, so that only unreadable ones are lost.
    fn chunk(&self, from: u64, buffer: &mut Vec<u8>, mine: &mut Survey) -> Result<()> {
        let block_bytes = self.shared.block_bytes();
        let to = (from + self.step).min(self.end);
        let whole = self.read(from, to, buffer);
        for number in from..to {
            let read = match &whole {
                Ok(()) => {
                    let start = ((number - from) * block_bytes) as usize;
                    let end = (start + block_bytes as usize).min(buffer.len());
                    Ok(buffer.get(start..end).unwrap_or_default())
                }
                Err(_) => self.read(number, number + 1, buffer).map(|()| buffer.as_slice()),
            };
            let mut note = BlockNote { number, ..BlockNote::default() };
            match read {
                Ok(block) => self.block(block, &mut note, mine)?,
                Err(error) => note.doubts.push(Doubt {
                    offset: number * block_bytes,
                    why: format!("a write block cannot be read: {error}"),
                    suspect: None,
                }),
            }
            mine.blocks.push(note);
        }
        let bytes = (to - from) * block_bytes;
        let done = self.done.fetch_add(bytes, Relaxed) + bytes;
        self.sink.progress(done, (self.end - 1) * block_bytes)
    }

    fn read(&self, from: u64, to: u64, buffer: &mut Vec<u8>) -> std::io::Result<()> {
        let (start, end) = (from * self.shared.block_bytes(), (to * self.shared.block_bytes()).min(self.length));
        buffer.resize(end.saturating_sub(start) as usize, 0);
        self.shared.disk.read_at(buffer, start)
    }

    fn block(&self, block: &[u8], note: &mut BlockNote, mine: &mut Survey) -> Result<()> {
        let start = note.number * self.shared.block_bytes();
        mine.bytes_read += block.len() as u64;
        let header = block.first_chunk::<HEADER_BYTES>().map_or(Err(HeaderFault::Blank), BlockHeader::decode);
        match header {
            Ok(h) if h.number == note.number && h.namespace_id == self.shared.options.namespace_id => {
                mine.highest = mine.highest.max(h.first_sequence.saturating_sub(1)).max(h.durable_sequence);
                note.header = Some((h.run, h.first_sequence, h.durable_sequence));
            }
            Ok(_) => note.doubt(start, "a write block of another place or namespace"),
            Err(HeaderFault::Version(version)) => return Err(unknown_version(version)),
            Err(HeaderFault::Blank) => note.doubt(start, "a write block without a header"),
            Err(HeaderFault::Damaged) => note.doubt(start, "a write block with a damaged header"),
        }
        walk(block, start, self.shared.seal, &mut |offset, step| match step {
            Step::Gap(why) => note.doubt(offset, why),
            Step::Entry(found) => self.entry(offset, &found, note, mine),
        });
        Ok(())
    }

    fn entry(&self, offset: u64, found: &Found<'_>, note: &mut BlockNote, mine: &mut Survey) {
        let (entry, sequence) = (&found.entry, found.sequence);
        let place = Place { offset, length: padded(entry.length()) as u32 };
        let Some(location) = place.pack() else { return };
        mine.highest = mine.highest.max(sequence);
        if !found.body_sound {
            let set = entry.set.to_owned();
            let suspect = Suspect { segment: entry.segment, digest: entry.digest, meta: entry.meta, set, location, sequence };
            let why = "a record with a damaged body".to_owned();
            note.doubts.push(Doubt { offset, why, suspect: Some(suspect) });
            return;
        }
        match entry.kind {
            EntryKind::Record => {
                mine.records += 1;
                let image = RecordImage { digest: entry.digest, slot: 0, meta: entry.meta, set: entry.set, body: entry.body };
                self.sink.record(entry.segment, &image, location, sequence);
            }
            EntryKind::Tombstone => {
                mine.tombstones += 1;
                self.sink.tombstone(entry.segment, &entry.digest, sequence);
            }
            EntryKind::Close => note.closed_at = Some(sequence),
        }
    }
}

impl BlockNote {
    fn doubt(&mut self, offset: u64, why: &str) {
        self.doubts.push(Doubt { offset, why: why.to_owned(), suspect: None });
    }
}
