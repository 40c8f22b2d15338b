//! Reading all blocks in parallel: sound entries go to the sink at once, what is doubtful is noted for the verdict.

use super::block_note::{BlockNote, Doubt, Head, Named};
use super::loss::Evidence;
use super::lost_names::{Gap, Lossy, Seen};
use crate::device::disks::volume::{Scratch, Volume};
use crate::device::format::entry::{EntryKind, Found};
use crate::device::format::headers::{BlockHeader, BlockUse, HEADER_BYTES, HeaderFault, NAMESPACE_ID, unknown_version};
use crate::device::format::identity::Identity;
use crate::device::format::place::{Place, padded};
use crate::device::format::summary::{BlockUseId, FRONT_PARITY_AT, Summary, Use};
use crate::device::format::walk::{WalkStep, walk_current};
use crate::device::write::mark::Known;
use crate::device::write::shared::Shared;
use crate::{RecordImage, RecoverySink};
use parking_lot::Mutex;
use std::borrow::Cow;
use std::io::ErrorKind;
use std::ops::Range;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicUsize, Ordering::Relaxed};
use tessera_base::{Error, Result};
use tessera_io::ReadWindow;

/// Bytes read at once by a thread, at least one block.
const READ_BYTES: u64 = 1024 * 1024;
/// Reads of a thread in flight.
const CHUNKS_AHEAD: usize = 4;

/// What was found on all disks, in no order.
#[derive(Debug, Default)]
pub struct Survey {
    pub blocks: Vec<BlockNote>,
    /// Numbers of blocks that were never used, as ranges: all zeros, or on a block device another namespace's.
    pub blank: Vec<Range<u64>>,
    pub records: u64,
    pub tombstones: u64,
    pub bytes_read: u64,
    pub highest: u64,
}

/// Reads the blocks of all disks, of which the first `lengths[disk]` bytes are there, on `threads` threads, the calling one
/// among them.
///
/// # Errors
/// `data_file_version_unknown`, and what the sink refuses with.
pub fn survey(shared: &Shared, evidence: &Evidence, lengths: &[u64], threads: usize, sink: &dyn RecoverySink) -> Result<Survey> {
    let run = Run {
        shared,
        evidence,
        sink,
        chunks: chunks(lengths, shared.block_bytes()),
        next: AtomicUsize::new(0),
        total: lengths.iter().map(|length| length.saturating_sub(shared.block_bytes())).sum(),
        stop: AtomicBool::new(false),
        whole: Mutex::new((Survey::default(), None)),
        done: Mutex::new(0),
    };
    std::thread::scope(|scope| {
        for _ in 1..threads {
            // Where no thread is to be had, the others do its share.
            let _ = std::thread::Builder::new().name("tessera-recover".to_owned()).spawn_scoped(scope, || run.work());
        }
        run.work();
    });
    let (whole, error) = run.whole.into_inner();
    error.map_or(Ok(whole), Err)
}

/// What one thread reads at once.
#[derive(Clone, Copy, Debug)]
struct Chunk {
    /// Global offset, at a block's start.
    offset: u64,
    bytes: u64,
}

/// All chunks, the disks in turn, so that all of them are kept busy.
fn chunks(lengths: &[u64], block_bytes: u64) -> Vec<Chunk> {
    let step = (READ_BYTES / block_bytes).max(1) * block_bytes;
    let mut chunks: Vec<(u64, Chunk)> = Vec::new();
    for (disk, &length) in lengths.iter().enumerate() {
        let mut from = block_bytes;
        while from < length {
            chunks.push((from, Chunk { offset: Volume::join(disk, from), bytes: step.min(length - from) }));
            from += step;
        }
    }
    chunks.sort_by_key(|(from, _)| *from);
    chunks.into_iter().map(|(_, chunk)| chunk).collect()
}

struct Run<'a> {
    shared: &'a Shared,
    evidence: &'a Evidence,
    sink: &'a dyn RecoverySink,
    chunks: Vec<Chunk>,
    next: AtomicUsize,
    total: u64,
    stop: AtomicBool,
    whole: Mutex<(Survey, Option<Error>)>,
    done: Mutex<u64>,
}

impl Run<'_> {
    fn work(&self) {
        let mut mine = Survey::default();
        let failure = self.read_chunks(&mut mine).err();
        let mut whole = self.whole.lock();
        if failure.is_some() {
            self.stop.store(true, Relaxed);
            whole.1 = failure;
        }
        let all = &mut whole.0;
        all.blocks.append(&mut mine.blocks);
        all.blank.append(&mut mine.blank);
        all.records += mine.records;
        all.tombstones += mine.tombstones;
        all.bytes_read += mine.bytes_read;
        all.highest = all.highest.max(mine.highest);
    }

    /// Takes chunks until none is left: while one is looked at, the next are read.
    fn read_chunks(&self, mine: &mut Survey) -> Result<()> {
        let volume = &self.shared.volume;
        let window = ReadWindow::open(self.shared.options.backend, Arc::clone(volume.disks()), CHUNKS_AHEAD);
        let mut window = window.map_err(|e| Error::io("beginning to read the disks", &e))?;
        let mut scratch = None;
        while !self.stop.load(Relaxed) {
            while window.in_flight() < CHUNKS_AHEAD {
                let at = self.next.fetch_add(1, Relaxed);
                let Some(chunk) = self.chunks.get(at) else { break };
                let (disk, local) = Volume::split(chunk.offset);
                let (before, whole) = volume.around(local, chunk.bytes as usize);
                if window.start(at as u64, disk, local - before as u64, whole).is_err() {
                    self.block_by_block(*chunk, &mut scratch, mine)?;
                }
            }
            let Some(read) = window.next() else { break };
            let Some(chunk) = self.chunks.get(read.tag as usize).copied() else { continue };
            let (before, _) = volume.around(Volume::split(chunk.offset).1, chunk.bytes as usize);
            match read.result.ok().and_then(|bytes| bytes.get(before..before + chunk.bytes as usize)) {
                Some(bytes) => self.blocks(chunk, bytes, mine)?,
                None => self.block_by_block(chunk, &mut scratch, mine)?,
            }
        }
        Ok(())
    }

    fn blocks(&self, chunk: Chunk, bytes: &[u8], mine: &mut Survey) -> Result<()> {
        let block_bytes = self.shared.block_bytes() as usize;
        for (at, block) in bytes.chunks(block_bytes).enumerate() {
            self.block(chunk.offset + (at * block_bytes) as u64, block, mine)?;
        }
        self.progress(chunk)
    }

    /// What cannot be read at once is read block by block, so that only unreadable ones are lost.
    fn block_by_block(&self, chunk: Chunk, scratch: &mut Scratch, mine: &mut Survey) -> Result<()> {
        let block_bytes = self.shared.block_bytes();
        for at in (0..chunk.bytes).step_by(block_bytes as usize) {
            let (offset, length) = (chunk.offset + at, block_bytes.min(chunk.bytes - at) as usize);
            match self.shared.volume.read_twice(scratch, offset, length) {
                Ok(block) => self.block(offset, block, mine)?,
                // The file has become shorter meanwhile: nothing is there.
                Err(error) if error.kind() == ErrorKind::UnexpectedEof => mine.note_blank(offset / block_bytes),
                Err(error) => {
                    let mut note = BlockNote { number: offset / block_bytes, head: Head::Unreadable, ..BlockNote::default() };
                    note.doubt(offset, &format!("a write block cannot be read: {error}"), true);
                    mine.blocks.push(note);
                }
            }
        }
        self.progress(chunk)
    }

    fn progress(&self, chunk: Chunk) -> Result<()> {
        let mut done = self.done.lock();
        *done += chunk.bytes;
        self.sink.progress(*done, self.total)
    }

    fn block(&self, start: u64, block: &[u8], mine: &mut Survey) -> Result<()> {
        let mut note = BlockNote { number: start / self.shared.block_bytes(), ..BlockNote::default() };
        mine.bytes_read += block.len() as u64;
        let block = &*self.whole(block);
        let identity = self.shared.identity(note.number, block);
        let known = self.evidence.known(note.number);
        let mut marked = None;
        match block.first_chunk::<HEADER_BYTES>().map_or(Err(HeaderFault::Blank), BlockHeader::decode) {
            Ok(h) if h.number == note.number && h.namespace_id == self.shared.options.namespace_id => {
                mine.highest = mine.highest.max(h.first_sequence.saturating_sub(1)).max(h.durable_sequence);
                marked = (h.holds == BlockUse::Nothing).then_some(h.first_sequence);
            }
            Ok(h) if h.namespace_id != self.shared.options.namespace_id && self.shared.is_device(note.number) && known.is_none() => {
                mine.note_blank(note.number);
                return Ok(());
            }
            Ok(_) => {
                note.head = Head::Damaged;
                note.doubt(start, "a write block of another place or namespace", true);
            }
            Err(HeaderFault::Version(_)) if self.shared.is_device(note.number) && !self.names_us(block) && known.is_none() => {
                mine.note_blank(note.number);
                return Ok(());
            }
            Err(HeaderFault::Version(version)) => return Err(unknown_version(version)),
            Err(HeaderFault::Blank) if known.is_none() && block.iter().all(|byte| *byte == 0) => {
                mine.note_blank(note.number);
                return Ok(());
            }
            Err(HeaderFault::Blank) => {
                // One that a crash has left without its header may be known by what lies behind.
                let gone = known.is_some_and(|known| identity.as_ref().is_none_or(|found| found.first < known.id.first));
                note.doubt(start, "a write block without a header", gone);
                let first = identity.as_ref().map(|identity| identity.first);
                note.doubts.iter_mut().for_each(|doubt| doubt.first = first);
            }
            Err(HeaderFault::Damaged) => {
                note.head = Head::Damaged;
                note.doubt(start, "a write block with a damaged header", true);
            }
        }
        let found = identity.as_ref().map(|identity| identity.first);
        let present = self.present(identity, known, start, block, &mut note);
        if let Some(present) = &present {
            mine.highest = mine.highest.max(present.first.saturating_sub(1));
            note.id = Some(BlockUseId { number: note.number, first: present.first });
            note.marked = present.free && marked == Some(present.first);
            note.head = if present.free { Head::Free } else { Head::Entries(present.run, present.first, present.durable) };
        }
        if note.head != Head::Free {
            self.look(start, block, present, &mut note, mine);
            if let Some(known) = known.filter(|known| !known.free && found.is_none_or(|found| found < known.id.first)) {
                note.gone(known, start);
            }
        }
        mine.blocks.push(note);
        Ok(())
    }

    /// The present use of a block, by what it says itself and what a mark knows.
    fn present(
        &self,
        identity: Option<Identity>,
        known: Option<Known>,
        start: u64,
        block: &[u8],
        note: &mut BlockNote,
    ) -> Option<Identity> {
        let newer = known.filter(|known| identity.as_ref().is_none_or(|found| found.first < known.id.first));
        let Some(known) = newer else { return identity };
        let partial = self.evidence.partial(known.id);
        if identity.is_some() {
            note.doubt(start, "a write block as it was in an earlier use", true);
        }
        let mut present = Identity {
            free: known.free,
            run: known.run,
            first: known.id.first,
            durable: 0,
            begin: partial.map_or(FRONT_PARITY_AT, |partial| partial.begin as usize),
            filled: None,
            sequences: None,
            previous: None,
            parities: vec![],
        };
        if !known.free {
            self.shared.blocks.hide(note.number, known.id.first);
            // An earlier start may have closed it behind a header of an earlier use.
            let end = Summary::end(block, start, self.shared.seal, self.shared.block_bytes() as usize);
            if let Some((summary, parity)) = end.filter(|(summary, _)| summary.first == known.id.first && summary.state == Use::Closed) {
                present.told(&summary, parity);
            }
        }
        Some(present)
    }

    /// Visits the entries of a block, and notes those that should be there and are not.
    fn look(&self, start: u64, block: &[u8], present: Option<Identity>, note: &mut BlockNote, mine: &mut Survey) {
        let first = present.as_ref().map(|present| present.first);
        let begin = present.as_ref().map_or(FRONT_PARITY_AT, |present| present.begin);
        let filled = present.as_ref().and_then(|present| present.filled);
        let (mut seen, mut garbage) = (Vec::<Seen>::new(), None);
        let entries = block.get(..filled.unwrap_or(block.len())).unwrap_or(block);
        walk_current(entries, begin, start, self.shared.seal, first, &mut |offset, step| match step {
            WalkStep::Gap(why) => garbage = Some((offset, why)),
            WalkStep::Entry(found) => {
                garbage = None;
                // They rise from entry to entry.
                if seen.last().is_none_or(|last| last.sequence < found.sequence) {
                    seen.push(Seen { sequence: found.sequence, offset, end: offset + padded(found.entry.length()) as u64 });
                }
                self.entry(offset, &found, note, mine);
            }
        });
        self.shared.blocks.set_begin(note.number, begin as u32);
        note.ended |= filled.is_some();
        note.previous = present.as_ref().and_then(|present| present.previous);
        note.end = present.as_ref().and_then(|present| present.sequences.as_ref()).map(|sequences| sequences.end);
        let (mut next, mut offset) = (first.or(seen.first().map(|seen| seen.sequence)).unwrap_or(0), start + begin as u64);
        let mut gaps = vec![];
        for seen in &seen {
            if next < seen.sequence {
                gaps.push(Gap { sequences: next..seen.sequence, offset, end: Some(seen.offset) });
            }
            (next, offset) = (seen.sequence.saturating_add(1), seen.end);
        }
        note.next = (next, offset);
        let partial = note.id.and_then(|id| self.evidence.partial(id));
        let vouched = partial.map(|_| self.evidence.stable().saturating_add(1));
        note.vouched = note.id.and_then(|id| self.evidence.end(id)).unwrap_or(0);
        let end = note.end.or(vouched).unwrap_or(next).max(note.vouched);
        if next < end {
            gaps.push(Gap { sequences: next..end, offset, end: filled.filter(|_| note.end.is_some()).map(|filled| start + filled as u64) });
            note.next = (end, offset);
        } else if let Some((offset, why)) = garbage {
            note.doubts.push(Doubt { first: Some(next), ..Doubt::at(offset, why.to_owned()) });
        }
        if gaps.is_empty() {
            return;
        }
        let lossy = Lossy { block, start, seal: self.shared.seal, seen: &seen, gaps: &gaps };
        let (parities, sequences) = present.map_or_else(Default::default, |present| (present.parities, present.sequences));
        let whole = sequences.unwrap_or(0..0);
        let sources = parities.iter().map(|parity| (parity, whole.clone()));
        let marked = partial.map(|partial| (&partial.parity, partial.id.first..end));
        let mut named: Vec<Named> = vec![];
        for (parity, covered) in sources.chain(marked) {
            for found in lossy.named(parity, &covered) {
                if named.iter().all(|known| known.sequence != found.sequence) {
                    named.push(found);
                }
            }
        }
        note.missing(gaps, named, next);
    }

    /// A block that its file ends in, as it is once the file goes on: what was skipped now must not be sound then.
    fn whole<'b>(&self, block: &'b [u8]) -> Cow<'b, [u8]> {
        let mut block = Cow::Borrowed(block);
        if (HEADER_BYTES..self.shared.block_bytes() as usize).contains(&block.len()) {
            block.to_mut().resize(self.shared.block_bytes() as usize, 0);
        }
        block
    }

    /// Whether the header of a block of any version has this namespace's id.
    fn names_us(&self, block: &[u8]) -> bool {
        block.get(NAMESPACE_ID) == Some(&self.shared.options.namespace_id)
    }

    fn entry(&self, offset: u64, found: &Found<'_>, note: &mut BlockNote, mine: &mut Survey) {
        let (entry, sequence) = (&found.entry, found.sequence);
        let place = Place { offset, length: padded(entry.length()) as u32 };
        let Some(location) = place.pack() else { return };
        mine.highest = mine.highest.max(sequence);
        note.first.get_or_insert(sequence);
        note.stable = note.stable.max(found.durable);
        self.shared.blocks.set_filled(note.number, (offset % self.shared.block_bytes()) as u32 + place.length);
        note.doubts.iter_mut().for_each(|doubt| doubt.trailing = false);
        if !found.body_sound {
            let (kind, segment, digest, meta, set) = (entry.kind, entry.segment, entry.digest, entry.meta, entry.set.to_owned());
            let suspect = Named { kind, segment, digest, meta, set, sequence, offset, length: place.length, header: vec![] };
            let damaged = Doubt::at(offset, "a record with a damaged body".to_owned());
            note.doubts.push(Doubt { suspect: Some(suspect), first: Some(sequence), trailing: false, ..damaged });
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
                self.shared.tombstone_lives(note.number, place.length);
                self.sink.tombstone(entry.segment, &entry.digest, sequence);
            }
            EntryKind::Close => (note.closed, note.ended) = (true, true),
        }
    }
}

impl Survey {
    fn note_blank(&mut self, number: u64) {
        match self.blank.last_mut().filter(|range| range.end == number) {
            Some(range) => range.end += 1,
            None => self.blank.push(number..number + 1),
        }
    }

    /// A block device keeps what it held before it was ours; nothing of it counts behind the last block that we wrote.
    /// `ends`: of each disk, the number behind that block.
    pub fn leave_out_earlier_use(&mut self, shared: &Shared, ends: &[u64]) {
        let earlier = |note: &mut BlockNote| {
            let behind = ends.get(shared.disk_of(note.number)).is_some_and(|end| note.number >= *end);
            behind && note.head != Head::Unreadable && shared.is_device(note.number)
        };
        for note in self.blocks.extract_if(.., earlier) {
            self.blank.push(note.number..note.number + 1);
        }
    }
}
