//! A whole disk: a start after a crash, writes behind it, and the next start.

use super::memory_disk::{BLOCK, ID, MemoryDisk, member, options};
use super::reseal::{BODIES, ENTRIES, HEADER, reseal};
use crate::device::DeviceStorage;
use crate::device::format::headers::{BlockHeader, BlockUse, FileHeader, HEADER_BYTES, TornRuns};
use crate::device::format::seal::Seal;
use crate::device::format::summary::FRONT_PARITY_AT;
use crate::device::format::walk::{WalkStep, walk};
use crate::{IndexTarget, Location, RecordImage, RecoveryReport, RecoverySink, SegmentStore, Storage};
use parking_lot::Mutex;
use std::collections::{BTreeMap, BTreeSet};
use tessera_base::{ErrorCode, Result};
use tessera_record::{Digest, Meta};

/// Most parts: the block with the disk's header, and those behind it.
const PARTS: usize = 6;
/// Beyond it a start may leave no room for the sequences of the next.
const SEQUENCES: u64 = 1 << 61;
const RUNS: u32 = 1 << 30;

/// Segment and digest: the same record in two segments is two here.
type Name = (u16, Digest);
type Bodies = BTreeMap<Name, Vec<u8>>;

/// Parts: which checksums to make right (`reseal`), u16 length, bytes. The first is the disk's header, the others are blocks.
pub fn recovery(data: &[u8]) {
    let disk = MemoryDisk::with(image(data));
    let Some(first) = Started::on(&disk) else { return };
    let (mut bodies, damaged) = (first.bodies(), first.damaged());
    let (name, meta) = ((3, Digest([0xee; 20])), Meta { generation: 1, expires_at: 0, updated_at: 9 });
    // The record to be written has to be a new one.
    if first.storage.write_point() > SEQUENCES || first.newest.contains_key(&name) {
        return;
    }
    let gone = bodies.keys().next().copied();
    if let Some((segment, digest)) = gone {
        assert_eq!(first.storage.bodies(segment).bury(&digest, "s"), Ok(()));
        bodies.remove(&(segment, digest));
    }
    let image = RecordImage { digest: name.1, slot: 0, meta, set: "s", body: b"written after the start" };
    assert!(first.storage.bodies(name.0).put(&image, None).is_ok());
    bodies.insert(name, image.body.to_vec());
    assert_eq!(first.storage.close(), Ok(()));
    drop(first);
    // What proves that a record is damaged, and no write cut short, may be gone at the next start.
    let mut second = Started::on(&disk).map(|second| second.bodies());
    second.iter_mut().for_each(|bodies| bodies.retain(|name, _| !damaged.contains(name)));
    assert_eq!(second, Some(bodies));
}

fn image(mut data: &[u8]) -> Vec<u8> {
    let mut image = vec![];
    for number in 0..PARTS {
        let Some(([flags, a, b], rest)) = data.split_first_chunk() else { break };
        let (bytes, rest) = rest.split_at(rest.len().min(usize::from(u16::from_le_bytes([*a, *b]))));
        data = rest;
        let mut block = bytes[..bytes.len().min(BLOCK)].to_vec();
        match block.first_chunk_mut::<HEADER_BYTES>() {
            Some(header) if number == 0 && flags & HEADER != 0 => {
                let run = u32::from_le_bytes([header[32], header[33], header[34], header[35]]) % RUNS;
                let torn = match (header[38], u32::from(header[40])) {
                    (1, 0) => TornRuns::NONE,
                    (1, torn) => TornRuns::NONE.and(torn..=torn),
                    _ => TornRuns::UNKNOWN,
                };
                *header = FileHeader { namespace_id: ID, block_bytes: BLOCK as u32, run, disk: 0, disks: 1, torn }.encode();
            }
            _ if number == 0 => {}
            _ => {
                reseal(&mut block, number as u64, *flags);
                cover(&mut block, number as u64);
            }
        }
        image.resize(number * BLOCK, 0);
        image.append(&mut block);
    }
    image
}

/// The mark of a free block tells a sequence that no entry behind it is past, as those that are written do.
fn cover(block: &mut [u8], number: u64) {
    let header = block.first_chunk::<HEADER_BYTES>().and_then(|bytes| BlockHeader::decode(bytes).ok());
    let Some(header) = header.filter(|header| header.holds == BlockUse::Nothing) else { return };
    let mut first_sequence = header.first_sequence;
    walk(block, FRONT_PARITY_AT, number * BLOCK as u64, Seal::new(&ID), &mut |_, step| {
        if let WalkStep::Entry(found) = step {
            first_sequence = first_sequence.max(found.sequence);
        }
    });
    block[..HEADER_BYTES].copy_from_slice(&BlockHeader { first_sequence, ..header }.encode());
}

/// A storage that has been recovered, and what it found.
struct Started {
    storage: DeviceStorage,
    newest: BTreeMap<Name, Newest>,
}

/// The newest there is of a record.
struct Newest {
    sequence: u64,
    meta: Meta,
    /// `None` for a tombstone.
    location: Option<Location>,
    /// `None` where it is damaged.
    body: Option<Vec<u8>>,
}

impl Started {
    /// `None` where the disk is refused.
    fn on(disk: &MemoryDisk) -> Option<Self> {
        let started = || {
            let storage = DeviceStorage::on_disks(vec![member(disk)], options())?;
            let index = Index { storage: &storage, newest: Mutex::default() };
            let report = storage.recover(1, &index)?;
            let newest = index.newest.into_inner();
            check(&report);
            Ok(Self { storage, newest })
        };
        let refused = |error: &tessera_base::Error| {
            use ErrorCode::{ConfigInvalid, DataFileDamaged, DataFileForeign, DataFileVersionUnknown};
            assert!(matches!(error.code, ConfigInvalid | DataFileDamaged | DataFileForeign | DataFileVersionUnknown), "{error}");
        };
        started().inspect_err(refused).ok()
    }

    /// What is there and sound; each reads as it was found.
    fn bodies(&self) -> Bodies {
        let mut bodies = Bodies::new();
        for (name, newest) in &self.newest {
            let Some(location) = newest.location else { continue };
            let mut out = vec![];
            let read = self.storage.read(location, &name.1, &newest.meta, &mut out).map_err(|error| error.code);
            match &newest.body {
                Some(body) => {
                    assert_eq!((read, &out), (Ok(true), body));
                    bodies.insert(*name, out);
                }
                None => assert_eq!(read, Err(ErrorCode::RecordDamaged)),
            }
        }
        bodies
    }

    fn damaged(&self) -> BTreeSet<Name> {
        let damaged = |newest: &Newest| newest.location.is_some() && newest.body.is_none();
        self.newest.iter().filter(|(_, newest)| damaged(newest)).map(|(name, _)| *name).collect()
    }
}

fn check(report: &RecoveryReport) {
    assert!(report.blocks < PARTS as u64 + 1);
    assert!(report.records + report.tombstones <= (PARTS * BLOCK / HEADER_BYTES) as u64);
    assert!(report.damaged as usize >= report.damage.len());
}

struct Index<'a> {
    storage: &'a DeviceStorage,
    newest: Mutex<BTreeMap<Name, Newest>>,
}

impl Index<'_> {
    fn offer(&self, name: Name, found: Newest) {
        let mut index = self.newest.lock();
        if index.get(&name).is_none_or(|newest| newest.sequence < found.sequence) {
            let current = found.location;
            let replaced = index.insert(name, found).and_then(|old| old.location);
            self.storage.bodies(name.0).recovered(current, replaced);
        }
    }
}

impl RecoverySink for Index<'_> {
    fn record(&self, segment: u16, image: &RecordImage<'_>, location: Location, sequence: u64) {
        let found = Newest { sequence, meta: image.meta, location: Some(location), body: Some(image.body.to_vec()) };
        self.offer((segment, image.digest), found);
    }

    fn damaged(&self, segment: u16, image: &RecordImage<'_>, location: Location, sequence: u64) {
        self.offer((segment, image.digest), Newest { sequence, meta: image.meta, location: Some(location), body: None });
    }

    fn tombstone(&self, segment: u16, digest: &Digest, sequence: u64) {
        self.offer((segment, *digest), Newest { sequence, meta: Meta::default(), location: None, body: None });
    }

    fn target(&self) -> std::result::Result<&dyn IndexTarget, &'static str> {
        Err("there is no snapshot here")
    }

    fn progress(&self, done: u64, total: u64) -> Result<()> {
        assert!(done <= total);
        Ok(())
    }
}

/// Disks of a few blocks: after a crash, after a close, with a free block, with headers and bodies that are damaged.
pub fn recovery_seeds() -> Vec<Vec<u8>> {
    let part = |flags: u8, bytes: &[u8]| [&[flags][..], &(bytes.len() as u16).to_le_bytes(), bytes].concat();
    let head = part(
        HEADER,
        &FileHeader { namespace_id: ID, block_bytes: BLOCK as u32, run: 3, disk: 0, disks: 1, torn: TornRuns::UNKNOWN }.encode(),
    );
    let blocks: Vec<Vec<u8>> = super::block::block_seeds().into_iter().map(|seed| seed[1..].to_vec()).collect();
    let free = BlockHeader {
        holds: BlockUse::Nothing,
        namespace_id: ID,
        block_bytes: BLOCK as u32,
        number: 2,
        run: 3,
        first_sequence: 10,
        durable_sequence: 9,
    };
    let all = HEADER | ENTRIES | BODIES;
    let [open, closed, .., damaged] = &blocks[..5] else { return vec![] };
    let disks = [
        vec![part(all, open)],
        vec![part(all, open), part(all, closed)],
        vec![part(all, closed), part(0, &free.encode()), part(HEADER | ENTRIES, damaged)],
        vec![part(0, &[1; 80]), part(ENTRIES | BODIES, open), part(all, closed)],
        vec![],
    ];
    let mut seeds: Vec<Vec<u8>> = disks.iter().map(|parts| [head.clone(), parts.concat()].concat()).collect();
    seeds.push([part(0, &[9; 64]), part(all, open)].concat());
    seeds
}
