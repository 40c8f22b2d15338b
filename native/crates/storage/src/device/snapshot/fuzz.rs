//! A fuzz target: an index snapshot, as it may lie beside the disks of a namespace.

use super::DeviceOwner;
use crate::device::disks::data_file::Opened;
use crate::device::format::entry::{ENTRY_HEADER_BYTES, Entry, EntryKind, Stamp};
use crate::device::format::headers::TornRuns;
use crate::device::format::place::{Place, padded};
use crate::device::format::seal::Seal;
use crate::device::format::summary::FRONT_PARITY_AT;
use crate::device::fuzz::{BLOCK, ID, MemoryDisk, shared};
use crate::device::write::blocks::BlockState;
use crate::snapshot::chunk::{Identity, Section, part_number};
use crate::snapshot::head::{DiskNote, HEAD_BYTES, SnapshotHead};
use crate::snapshot::items::{
    BLOCK_BYTES, BlockImage, SEGMENT_BYTES, SLOT_BYTES, decode_segment, decode_slot, encode_block, encode_segment, encode_slot,
};
use crate::snapshot::{Load, Stop};
use crate::{IndexTarget, Location, RecordImage, RecoverySink, SegmentImage, SlotImage};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::LazyLock;
use std::sync::atomic::Ordering::Relaxed;
use tessera_base::{Result, limits};
use tessera_index::image;
use tessera_index::{IndexKind, Indexed, Renumbering, SegmentIndex};
use tessera_record::{Digest, Meta, ValueRef};

const SEGMENTS: u32 = 4;
const RUN: u32 = 5;
const LAST: u64 = 99;
/// Blocks of the disk, the header's included.
const BLOCKS: u64 = 4;

/// Flags of the first byte: the rest is a snapshot as it is; what it says of its segments is left as it is.
const RAW: u8 = 1;
const LEAVE_SEGMENTS: u8 = 2;
/// Kinds of parts beside the sections: bytes over the head's.
const PATCH: u8 = 0;

/// First byte: flags. Then, unless it is `RAW`, parts: kind, number, u16 length, bytes. Sections become chunks with the right
/// checksums behind a head that fits them, so that mutated items get past both.
pub fn snapshot(data: &[u8]) {
    let Some((&flags, rest)) = data.split_first() else { return };
    let mut file = if flags & RAW == 0 { assembled(flags, rest) } else { rest.to_vec() };
    let Some(first) = load(&file) else { return };
    // A byte that changes nothing lies between the sections.
    let roll = crc32c::crc32c(data);
    let at = roll as usize % file.len();
    file[at] ^= roll as u8 | 1;
    assert!(load(&file).is_none_or(|second| second == first), "byte {at}");
}

/// What a load left in the index; `None` where the snapshot was not taken.
fn load(file: &[u8]) -> Option<Index> {
    let shared = shared(&DISK.0);
    let opened = Opened { block_bytes: BLOCK as u32, run: RUN, torn: TornRuns::NONE, runs: vec![Some(RUN)], alike: true, damaged: vec![] };
    let target = Target { file_bytes: file.len(), ..Target::default() };
    let owner = DeviceOwner { shared: &shared, opened: &opened };
    let outcome = Load { owner: &owner, sink: &target, target: &target, threads: 1 }.bytes(&file);
    let index = target.index.into_inner();
    let tombstones = shared.counters.tombstone_bytes.load(Relaxed);
    match outcome {
        Ok(head) => {
            check(&head, &owner.ends(&head), &index, file);
            assert_eq!((1..BLOCKS).map(|number| u64::from(shared.blocks.kept(number).tombstones)).sum::<u64>(), tombstones);
            Some(index)
        }
        Err(Stop::Doubt(_)) => {
            assert!(index.installed.is_empty() && index.staged.is_empty() && tombstones == 0);
            let forgotten = |number| shared.blocks.state(number) == BlockState::Free && shared.blocks.kept(number).total() == 0;
            assert!((1..BLOCKS).all(forgotten));
            None
        }
        Err(Stop::Failed(error)) => {
            assert_eq!(error.message, "a load that nobody stops does not fail");
            None
        }
    }
}

fn check(head: &SnapshotHead, ends: &[u64], index: &Index, file: &[u8]) {
    assert_eq!(head.file_bytes, file.len() as u64);
    assert_eq!(head.records, index.installed.values().map(|slots| slots.len() as u64).sum::<u64>());
    assert!(index.installed.len() == SEGMENTS as usize && ends.len() == 1 && (1..=BLOCKS).contains(&ends[0]));
    assert!(index.parts.len() <= index.kinds.len() * SEGMENTS as usize);
    for slot in index.installed.values().flatten() {
        let Place { offset, length } = Place::unpack(slot.location);
        let (block, at) = (offset / BLOCK as u64, offset % BLOCK as u64);
        assert!(block > 0 && block < ends[0] && at >= FRONT_PARITY_AT as u64);
        assert!(length as usize >= ENTRY_HEADER_BYTES && at + u64::from(length) <= BLOCK as u64, "{length} bytes at {at}");
        assert!(usize::from(slot.set) < index.sets.len());
        assert_eq!(decode_slot(&encode_slot(slot)), Some(*slot));
    }
}

/// A disk with a close on it, and the place of that.
static DISK: LazyLock<(MemoryDisk, Option<Location>)> = LazyLock::new(|| {
    let mark = Entry::mark(EntryKind::Close);
    let (at, length) = (2 * BLOCK + FRONT_PARITY_AT, padded(mark.length()));
    let mut image = vec![0; BLOCKS as usize * BLOCK];
    mark.encode(Stamp { sequence: LAST, durable: LAST - 1 }, mark.body_crc(), Seal::new(&ID), at as u64, &mut image[at..at + length]);
    (MemoryDisk::with(image), Place { offset: at as u64, length: length as u32 }.pack())
});

/// The snapshot that the parts stand for.
fn assembled(flags: u8, mut rest: &[u8]) -> Vec<u8> {
    let identity = Identity::new(&ID, RUN, LAST);
    let mut file = vec![0; HEAD_BYTES];
    let (mut patches, mut last, mut chunk) = (vec![], None, 0);
    let mut slots = BTreeMap::<u8, (u64, Vec<u8>)>::new();
    let (mut sets, mut indexes, mut records, mut segments_at) = (0, 0, 0, 0);
    while let Some(([kind, number, a, b], after)) = rest.split_first_chunk() {
        let (bytes, after) = after.split_at(after.len().min(usize::from(u16::from_le_bytes([*a, *b]))));
        rest = after;
        let section = match kind % 7 {
            PATCH => {
                patches.push((usize::from(*number) * 2, bytes));
                continue;
            }
            1 => Section::Sets,
            2 => Section::Blocks,
            3 => Section::Slots,
            4 => Section::Segments,
            5 => Section::Indexes,
            _ => Section::Part,
        };
        // Two bits for the segment, the others for the index.
        let place = match section {
            Section::Part => (section, part_number(usize::from(*number >> 2), u16::from(*number & 3))),
            _ => (section, u32::from(*number)),
        };
        chunk = if last == Some(place) { chunk + 1 } else { 0 };
        last = Some(place);
        let mut items = bytes.to_vec();
        match section {
            Section::Sets => sets += names(bytes),
            Section::Blocks => {}
            Section::Indexes => indexes += notes(bytes),
            // What follows no records follows the place where they would be.
            Section::Part => drop(slots.entry(*number & 3).or_insert((file.len() as u64, vec![]))),
            Section::Slots => slots.entry(*number).or_insert((file.len() as u64, vec![])).1.extend_from_slice(bytes),
            Section::Segments => {
                segments_at = if chunk == 0 { file.len() as u64 } else { segments_at };
                for (segment, item) in (0..).zip(items.chunks_exact_mut(SEGMENT_BYTES)) {
                    if flags & LEAVE_SEGMENTS == 0 {
                        item.copy_from_slice(&segment_of(item, slots.get(&segment)));
                    }
                    records += item.first_chunk().map_or(0, |item| u64::from(decode_segment(item).0.records));
                }
            }
        }
        file.extend_from_slice(&(items.len() as u32).to_le_bytes());
        file.extend_from_slice(&identity.over(place, chunk, &items).to_le_bytes());
        file.append(&mut items);
    }
    let head = SnapshotHead {
        namespace_id: ID,
        block_bytes: BLOCK as u32,
        run: RUN,
        segments: SEGMENTS,
        sets,
        indexes,
        records,
        last_sequence: LAST,
        close: DISK.1,
        segments_at,
        file_bytes: file.len() as u64,
        disks: vec![DiskNote { length: BLOCKS * BLOCK as u64, end: BLOCKS }],
    };
    file[..HEAD_BYTES].copy_from_slice(&patched(head.encode(), &patches));
    file
}

/// A segment's item that fits the slots which are there, newest update as it was.
fn segment_of(item: &[u8], slots: Option<&(u64, Vec<u8>)>) -> [u8; SEGMENT_BYTES] {
    let newest_update = item.first_chunk().map_or(0, |item| decode_segment(item).0.newest_update);
    let (offset, bytes) = slots.map_or((0, &[][..]), |(offset, bytes)| (*offset, &bytes[..]));
    let lengths = bytes.chunks_exact(SLOT_BYTES).filter_map(|item| item.first_chunk().and_then(decode_slot));
    let live_bytes = lengths.map(|slot| u64::from(Place::unpack(slot.location).length)).sum();
    encode_segment(&SegmentImage { records: (bytes.len() / SLOT_BYTES) as u32, live_bytes, newest_update }, offset)
}

fn names(mut bytes: &[u8]) -> u32 {
    let mut count = 0;
    while let Some((length, rest)) = bytes.split_first() {
        count += 1;
        bytes = rest.get(usize::from(*length)..).unwrap_or_default();
    }
    count
}

fn notes(mut bytes: &[u8]) -> u32 {
    let mut count = 0;
    while let Some((length, rest)) = bytes.split_first_chunk() {
        count += 1;
        bytes = rest.get(usize::from(u16::from_le_bytes(*length))..).unwrap_or_default();
    }
    count
}

/// The head with other bytes in it, and the right checksum.
fn patched(mut head: [u8; HEAD_BYTES], patches: &[(usize, &[u8])]) -> [u8; HEAD_BYTES] {
    let (content, crc) = head.split_at_mut(HEAD_BYTES - 4);
    for (at, bytes) in patches {
        content.iter_mut().skip(*at).zip(*bytes).for_each(|(byte, new)| *byte = *new);
    }
    crc.copy_from_slice(&crc32c::crc32c(content).to_le_bytes());
    head
}

#[derive(Debug, Default, PartialEq, Eq)]
struct Index {
    sets: Vec<String>,
    staged: BTreeMap<u16, Vec<SlotImage>>,
    installed: BTreeMap<u16, Vec<SlotImage>>,
    kinds: Vec<IndexKind>,
    /// By segment and index: what its image says anew.
    parts: BTreeMap<(u16, usize), Vec<u8>>,
}

#[derive(Default)]
struct Target {
    file_bytes: usize,
    index: Mutex<Index>,
}

impl IndexTarget for Target {
    fn segments(&self) -> u32 {
        SEGMENTS
    }

    fn sets(&self, names: &[String]) -> Result<()> {
        self.index.lock().sets = names.to_vec();
        names.iter().filter(|name| !name.is_empty()).try_for_each(|name| limits::check_name(name, "set"))
    }

    fn stage(&self, segment: u16, image: &SegmentImage, records: &mut dyn Iterator<Item = SlotImage>) {
        // A namespace makes room for so many before it reads the first.
        assert!(image.records as usize * SLOT_BYTES <= self.file_bytes, "{} records", image.records);
        let slots = records.collect();
        self.index.lock().staged.insert(segment, slots);
    }

    /// The first byte of a note decides.
    fn notes(&self, notes: &[Vec<u8>]) -> std::result::Result<(), &'static str> {
        let kind = |note: &Vec<u8>| if note.first().is_some_and(|byte| byte % 2 == 1) { IndexKind::Range } else { IndexKind::Document };
        self.index.lock().kinds = notes.iter().map(kind).collect();
        Ok(())
    }

    fn stage_part(&self, index: usize, segment: u16, part: &[u8]) -> std::result::Result<(), &'static str> {
        let mut all = self.index.lock();
        let records = all.staged.get(&segment).map_or(0, Vec::len);
        let same = Renumbering::of((0..records).map(|_| true));
        let read = image::read(all.kinds[index], part, &same).ok_or("a part is not sound")?;
        let mut again = vec![];
        image::write(&read, &same, &mut again).ok_or("a part cannot be written")?;
        assert_eq!(again, part);
        // As after a truncation: the slots move up.
        let fewer = image::read(all.kinds[index], part, &Renumbering::of((0..records).map(|n| n % 2 == 0)));
        let entries = |part: &SegmentIndex| part.stats().entries;
        assert!(fewer.is_some_and(|fewer| entries(&fewer) <= entries(&read)));
        all.parts.insert((segment, index), again);
        Ok(())
    }

    fn install(&self, segment: u16) {
        let mut index = self.index.lock();
        let slots = index.staged.remove(&segment);
        index.installed.extend(slots.map(|slots| (segment, slots)));
    }

    fn discard(&self) {
        let mut index = self.index.lock();
        index.staged.clear();
        index.parts.clear();
    }
}

impl RecoverySink for Target {
    fn record(&self, _segment: u16, _image: &RecordImage<'_>, _location: Location, _sequence: u64) {}

    fn damaged(&self, _segment: u16, _image: &RecordImage<'_>, _location: Location, _sequence: u64) {}

    fn tombstone(&self, _segment: u16, _digest: &Digest, _sequence: u64) {}

    fn target(&self) -> std::result::Result<&dyn IndexTarget, &'static str> {
        Ok(self)
    }

    fn progress(&self, done: u64, total: u64) -> Result<()> {
        assert!(done <= total);
        Ok(())
    }
}

/// Snapshots of a few records: in parts, with chunks and patches, and as they are.
pub fn snapshot_seeds() -> Vec<Vec<u8>> {
    let part = |kind: u8, number: u8, bytes: &[u8]| [&[kind, number][..], &(bytes.len() as u16).to_le_bytes(), bytes].concat();
    let slot = |n: u8, block: u64, at: u64| {
        let location = Place { offset: block * BLOCK as u64 + at, length: 96 }.pack();
        let meta = Meta { generation: 1, expires_at: u32::from(n), updated_at: 1_600_000_000_000 };
        location
            .map_or([0; SLOT_BYTES], |location| encode_slot(&SlotImage { digest: Digest([n; 20]), location, meta, set: u16::from(n % 2) }))
    };
    let block = |free, filled| encode_block(&BlockImage { free, tombstones: filled / 2, begin: FRONT_PARITY_AT as u32, filled });
    let sets = part(1, 0, b"\0\x06events");
    let blocks = part(2, 0, &[block(false, 512), block(false, 320), block(true, 0)].concat());
    let slots = [part(3, 0, &[slot(1, 1, 128), slot(2, 1, 224)].concat()), part(3, 0, &slot(3, 1, 320)), part(3, 2, &slot(4, 2, 224))];
    let segments = part(4, 0, &encode_segment(&SegmentImage { newest_update: 5, ..SegmentImage::default() }, 0).repeat(SEGMENTS as usize));
    let whole = [&sets[..], &blocks, &slots.concat(), &segments].concat();
    let empty = [sets.clone(), part(2, 0, &[0; 3 * BLOCK_BYTES]), segments.clone()].concat();
    // A document index and a range index; the notes come before the segments, each segment's parts after its records.
    let indexes = part(5, 0, b"\x02\0\x02d\x02\0\x01r");
    let parts_of = |segment: u8, records: u32| {
        [IndexKind::Document, IndexKind::Range]
            .iter()
            .zip(0..)
            .map(|(kind, index)| part(6, index << 2 | segment, &part_of(*kind, records)))
            .collect::<Vec<_>>()
            .concat()
    };
    let [slots0, slots0_more, slots2] = slots;
    let indexed = [
        sets,
        blocks,
        indexes,
        [slots0, slots0_more, parts_of(0, 3)].concat(),
        parts_of(1, 0),
        [slots2, parts_of(2, 1)].concat(),
        parts_of(3, 0),
        segments,
    ]
    .concat();
    let patches = [part(PATCH, 28, &[0; 8]), part(PATCH, 16, &[6]), part(PATCH, 52, &[2])].map(|patch| [&whole[..], &patch].concat());
    let mut seeds = vec![[&[0][..], &empty].concat(), [&[0][..], &whole].concat(), [&[LEAVE_SEGMENTS][..], &whole].concat()];
    seeds.extend(patches.map(|parts| [&[0][..], &parts].concat()));
    seeds.extend([&whole, &empty, &indexed].map(|parts| [&[RAW][..], &assembled(0, parts)].concat()));
    seeds.push([&[0][..], &indexed].concat());
    seeds
}

/// A part of an index as its section begins, over so many records: terms of one record and of several, numbers and strings.
fn part_of(kind: IndexKind, records: u32) -> Vec<u8> {
    let mut part = SegmentIndex::new(kind);
    for slot in 0..records {
        let text = if slot == 1 { &b"b"[..] } else { &b"a"[..] };
        let value = if kind == IndexKind::Range && slot == 2 { ValueRef::Int(7) } else { ValueRef::String(text) };
        part.insert(slot, Some(Indexed::Value(value)));
    }
    part.merge_now();
    let mut image = vec![];
    // What was just merged is written.
    let _ = image::write(&part, &Renumbering::of((0..records).map(|_| true)), &mut image);
    [&(image.len() as u64).to_le_bytes(), &image[..]].concat()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_seed_brings_parts_of_both_kinds_for_every_segment() {
        let seeds = snapshot_seeds();
        let assembled_parts = seeds.last().map(|seed| assembled(0, &seed[1..])).unwrap();
        let index = load(&assembled_parts).unwrap();
        assert_eq!(index.parts.len(), 2 * SEGMENTS as usize);
        assert!(index.parts.contains_key(&(0, 1)) && index.parts[&(0, 1)].len() > index.parts[&(1, 1)].len());
    }
}
