//! One write block, as it may lie on a disk: its header, its entries, and all that reads them.

use super::memory_disk::{BLOCK, ID, MemoryDisk, shared};
use super::reseal::{BODIES, ENTRIES, HEADER, reseal};
use crate::device::format::entry::{ENTRY_HEADER_BYTES, Entry, EntryKind, Found, Stamp};
use crate::device::format::headers::{BlockHeader, BlockUse, HEADER_BYTES};
use crate::device::format::place::{Place, UNIT, padded};
use crate::device::format::seal::Seal;
use crate::device::format::summary::FRONT_PARITY_AT;
use crate::device::format::walk::{WalkStep, walk};
use crate::device::recovery::loss::Evidence;
use crate::device::recovery::survey::survey;
use crate::device::write::blocks::BlockState;
use crate::{IndexTarget, Location, RecordImage, RecoverySink, Scrub};
use parking_lot::Mutex;
use tessera_base::{ErrorCode, Result};
use tessera_record::{Digest, Meta};

/// The block behind the one with the disk's header.
const NUMBER: u64 = 1;
const START: u64 = NUMBER * BLOCK as u64;

/// An entry of the block with a sound header.
#[derive(Clone, Copy)]
struct Note {
    at: usize,
    length: usize,
    set: usize,
    sequence: u64,
    kind: EntryKind,
    body_sound: bool,
}

/// First byte: which checksums to make right (`reseal`). Then the block, up to 16 KiB of it.
pub fn block(data: &[u8]) {
    let Some((&flags, bytes)) = data.split_first() else { return };
    let mut block = bytes[..bytes.len().min(BLOCK)].to_vec();
    // A start makes a file end with whole units.
    block.resize(block.len().next_multiple_of(UNIT), 0);
    reseal(&mut block, NUMBER, flags);
    let header = header(&block);
    let notes = entries(&block);
    change_a_byte(&block, &notes, crc32c::crc32c(data));
    survive(block, header, &notes);
}

/// A header that is read is written as it was, but for the bytes that mean nothing.
fn header(block: &[u8]) -> Option<BlockHeader> {
    let header = BlockHeader::decode(block.first_chunk::<HEADER_BYTES>()?).ok()?;
    assert_eq!(BlockHeader::decode(&header.encode()), Ok(header));
    Some(header)
}

/// Steps follow each other inside the block, and what is sound is written as it was read.
fn entries(block: &[u8]) -> Vec<Note> {
    let (mut notes, mut behind) = (Vec::new(), FRONT_PARITY_AT);
    walk(block, FRONT_PARITY_AT, START, Seal::new(&ID), &mut |offset, step| {
        let at = (offset - START) as usize;
        assert!(at >= behind && at < block.len() && at.is_multiple_of(UNIT), "{at} after {behind} of {}", block.len());
        behind = at + UNIT;
        if let WalkStep::Entry(Found { entry, sequence, durable, body_sound }) = step {
            let length = entry.length();
            assert!(length >= ENTRY_HEADER_BYTES && at + padded(length) <= block.len());
            assert!(Place { offset, length: padded(length) as u32 }.pack().is_some());
            // A later entry may lie over one whose body is not as it was written.
            if body_sound {
                behind = at + padded(length);
                let mut again = vec![1; padded(length)];
                entry.encode(Stamp { sequence, durable }, entry.body_crc(), Seal::new(&ID), offset, &mut again);
                // A distance may be written in more ways than one.
                assert_eq!((&again[8..length], &again[..2]), (&block[at + 8..at + length], &block[at..at + 2]));
            }
            notes.push(Note { at, length, set: entry.set.len(), sequence, kind: entry.kind, body_sound });
        }
    });
    notes
}

/// One changed byte of a sound entry is always seen.
fn change_a_byte(block: &[u8], notes: &[Note], roll: u32) {
    for (nth, note) in notes.iter().filter(|note| note.body_sound).take(8).enumerate() {
        let mut entry = block[note.at..note.at + note.length].to_vec();
        let at = (roll >> nth) as usize % note.length;
        // The length of the set's name says how far the header's checksum goes; then a checksum is no certainty.
        if at == 59 {
            continue;
        }
        entry[at] ^= roll as u8 | 1;
        let found = Found::decode(&entry, Seal::new(&ID), START + note.at as u64);
        assert!(found.is_none_or(|found| !found.body_sound && at >= ENTRY_HEADER_BYTES + note.set), "byte {at}");
    }
}

/// The entries of the block's present use; `None` where it is marked as holding nothing.
fn present(header: Option<BlockHeader>, notes: &[Note]) -> Option<Vec<Note>> {
    match header.filter(|header| header.number == NUMBER && header.namespace_id == ID) {
        Some(BlockHeader { holds: BlockUse::Nothing, .. }) => None,
        Some(header) => Some(notes.iter().filter(|note| note.sequence >= header.first_sequence).copied().collect()),
        None => {
            let highest = notes.iter().map(|note| note.sequence).max();
            let last = notes.iter().rposition(|note| Some(note.sequence) == highest).map_or(0, |last| last + 1);
            Some(notes[..last].to_vec())
        }
    }
}

/// A cold start, reads and a scrub find the same records.
fn survive(block: Vec<u8>, header: Option<BlockHeader>, notes: &[Note]) {
    let length = block.len();
    let shared = shared(&MemoryDisk::with([vec![0; BLOCK], block].concat()));
    let sink = Records::default();
    let found = match survey(&shared, &Evidence::default(), &[START + length as u64], 1, &sink) {
        Ok(found) => found,
        Err(error) => return assert_eq!(error.code, ErrorCode::DataFileVersionUnknown),
    };
    let doubts: usize = found.blocks.iter().map(|block| block.doubts.len()).sum();
    assert!(doubts <= length / UNIT + 2, "{doubts} doubts of {length} bytes");
    let wanted = present(header, notes);
    let records = wanted.iter().flatten().filter(|note| note.kind == EntryKind::Record && note.body_sound);
    let wanted_records: Vec<_> = records.map(|note| (START + note.at as u64, note.sequence)).collect();
    let records = sink.0.into_inner();
    let places = records.iter().map(|record| (Place::unpack(record.location).offset, record.sequence));
    assert_eq!(places.collect::<Vec<_>>(), wanted_records);
    assert!(wanted.iter().flatten().all(|note| note.sequence <= found.highest));
    let mut out = vec![];
    for Record { location, digest, meta, body, .. } in &records {
        assert_eq!(shared.read_stored(*location, digest, meta, &mut out), Ok(true));
        assert_eq!(out, *body);
    }
    shared.blocks.set_state(NUMBER, BlockState::Stored);
    let scrubbed = shared.check(NUMBER, &|_, _, _| true);
    assert!(wanted.is_none() || scrubbed.records == records.len() as u64);
    for note in notes.iter().filter(|note| !note.body_sound) {
        let place = Place { offset: START + note.at as u64, length: padded(note.length) as u32 };
        let Some(location) = place.pack() else { continue };
        let read = shared.read_stored(location, &Digest::default(), &Meta::default(), &mut out);
        assert_eq!(read.map_err(|error| error.code), Err(ErrorCode::RecordDamaged));
    }
}

struct Record {
    location: Location,
    sequence: u64,
    digest: Digest,
    meta: Meta,
    body: Vec<u8>,
}

/// The records that a survey finds.
#[derive(Default)]
struct Records(Mutex<Vec<Record>>);

impl RecoverySink for Records {
    fn record(&self, _segment: u16, image: &RecordImage<'_>, location: Location, sequence: u64) {
        self.0.lock().push(Record { location, sequence, digest: image.digest, meta: image.meta, body: image.body.to_vec() });
    }

    fn damaged(&self, _segment: u16, _image: &RecordImage<'_>, _location: Location, _sequence: u64) {}

    fn tombstone(&self, _segment: u16, _digest: &Digest, _sequence: u64) {}

    fn target(&self) -> std::result::Result<&dyn IndexTarget, &'static str> {
        Err("a survey takes no image")
    }

    fn progress(&self, done: u64, total: u64) -> Result<()> {
        assert!(done <= total);
        Ok(())
    }
}

/// Blocks as they are written: full of records, with marks and what an earlier use left, free, and with a damaged body.
pub fn block_seeds() -> Vec<Vec<u8>> {
    let record = |set, body| Entry {
        kind: EntryKind::Record,
        segment: 3,
        digest: Digest([5; 20]),
        meta: Meta { generation: 2, expires_at: 1_700_000_000, updated_at: 1_600_000_000_000 },
        set,
        body,
    };
    let tombstone = Entry { kind: EntryKind::Tombstone, meta: Meta::default(), ..record("events", b"") };
    let used = [record("events", b"hello"), record("", &[9; 100]), tombstone, record("old", b"left over")];
    let sequences = [20, 21, 22, 4];
    let closed = [record("a", b"x"), Entry::mark(EntryKind::Close)];
    let mut seeds = vec![
        written(BlockUse::Entries, 20, used.into_iter().zip(sequences)),
        written(BlockUse::Entries, 7, closed.into_iter().zip([7, 8])),
        written(BlockUse::Nothing, 7, closed.into_iter().zip([7, 8])),
        written(BlockUse::Entries, 1, std::iter::empty()),
    ];
    let mut damaged = seeds[0].clone();
    damaged[1 + FRONT_PARITY_AT + 70] ^= 1;
    seeds.push(damaged);
    let resealed = seeds.iter().map(|seed| [&[HEADER | ENTRIES | BODIES], &seed[1..]].concat());
    let unsound = seeds.iter().map(|seed| [&[HEADER | ENTRIES], &seed[1..]].concat());
    [resealed.collect(), unsound.collect(), seeds.clone()].concat()
}

/// The input that stands for a block with these entries and their sequences.
fn written<'a>(holds: BlockUse, first_sequence: u64, entries: impl Iterator<Item = (Entry<'a>, u64)>) -> Vec<u8> {
    let header = BlockHeader {
        holds,
        namespace_id: ID,
        block_bytes: BLOCK as u32,
        number: NUMBER,
        run: 3,
        first_sequence,
        durable_sequence: first_sequence - 1,
    };
    let mut block = header.encode().to_vec();
    block.resize(FRONT_PARITY_AT, 0);
    for (entry, sequence) in entries {
        let at = block.len();
        block.resize(at + padded(entry.length()), 0);
        entry.encode(
            Stamp { sequence, durable: first_sequence - 1 },
            entry.body_crc(),
            Seal::new(&ID),
            START + at as u64,
            &mut block[at..],
        );
    }
    block.insert(0, 0);
    block
}
