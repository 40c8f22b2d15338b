//! The log of the pages, as it may lie on a disk: its records, and doing again what they say.

use super::record::header_of;
use super::{Log, LogStart, RECORD_HEADER, RING_AT, RING_MIN, look_behind, replay};
use crate::device::fuzz::MemoryDisk;
use crate::paged::cache::Cache;
use crate::paged::change::{Change, Room, redo};
use crate::paged::page::{HEADER, Kind, PageId, PageSize, Seal, u32_at};
use std::collections::BTreeMap;
use std::sync::Arc;
use tessera_base::{ErrorCode, Result};
use tessera_io::{Backend, Disk};

const PAGE: u32 = 4096;
/// Pages that there may be: the table of the cache is made for so many.
const PAGES: u32 = 1 << 12;
const START: LogStart = LogStart { redo: 0, incarnation: 1 };
/// Most bytes of a log.
const LONGEST: usize = 64 * 1024;

/// A record: where it ends, segment, payload.
type Found = (u64, u16, Vec<u8>);

/// First byte: whether to make positions and checksums right. Then the log, up to 64 KiB of it.
pub fn log(data: &[u8]) {
    let Some((&flags, bytes)) = data.split_first() else { return };
    let mut log = bytes[..bytes.len().min(LONGEST)].to_vec();
    if flags & 1 != 0 {
        reseal(&mut log);
    }
    let records = found(&log);
    written_as_they_were(&log, &records);
    a_changed_byte_is_seen(&log, &records, crc32c::crc32c(data));
    done_again_twice_is_once(&records);
}

fn reseal(log: &mut [u8]) {
    let mut at = 0;
    while at + RECORD_HEADER <= log.len() {
        let (length, segment) = (u32_at(log, at) as usize, u16::from_le_bytes([log[at + 16], log[at + 17]]));
        let Some(end) = at.checked_add(RECORD_HEADER + length).filter(|end| *end <= log.len()) else { return };
        let header = header_of(START.incarnation, at as u64, segment, &log[at + RECORD_HEADER..end]);
        log[at..at + RECORD_HEADER].copy_from_slice(&header);
        at = end;
    }
}

fn found(log: &[u8]) -> Vec<Found> {
    let mut image = [&[0; RING_AT as usize], log].concat();
    image.resize(image.len().next_multiple_of(PAGE as usize), 0);
    let mut records = vec![];
    let disk = MemoryDisk::with(image);
    let end = replay(&disk, RING_MIN, START, &mut |record| {
        records.push((record.end, record.segment, record.payload.to_vec()));
        Ok(())
    });
    let behind = end.and_then(|found| {
        assert!(found.end >= records.last().map_or(0, |(end, ..)| *end) && found.records == records.len() as u64);
        look_behind(&disk, RING_MIN, START, found.end)
    });
    assert!(behind.is_ok_and(|behind| behind.bytes >= behind.records * RECORD_HEADER as u64));
    records
}

fn written_as_they_were(log: &[u8], records: &[Found]) {
    for (end, segment, payload) in records {
        let (payload_at, end) = (*end as usize - payload.len(), *end as usize);
        let at = payload_at - RECORD_HEADER;
        assert_eq!(log.get(payload_at..end.min(log.len())), payload.get(..log.len().saturating_sub(payload_at).min(payload.len())));
        let header = header_of(START.incarnation, at as u64, *segment, payload);
        // Two bytes mean nothing yet, and are part of the checksum all the same.
        assert!(log[at..payload_at] == header || log[at + 18..payload_at] != [0, 0]);
    }
}

fn a_changed_byte_is_seen(log: &[u8], records: &[Found], roll: u32) {
    let Some((last, ..)) = records.last() else { return };
    let mut log = log.to_vec();
    let at = roll as usize % (*last as usize).min(log.len());
    log[at] ^= 1 << (roll >> 29);
    let left = found(&log);
    assert!(left.iter().zip(records).all(|(left, record)| left == record || left.0 > at as u64));
    assert!(
        left.iter().take_while(|(end, ..)| *end <= at as u64).count() == records.iter().take_while(|(end, ..)| *end <= at as u64).count()
    );
    assert!(!left.iter().any(|(end, _, payload)| {
        let from = *end as usize - payload.len() - RECORD_HEADER;
        (from..*end as usize).contains(&at)
    }));
}

/// An empty cache over an empty disk.
fn cache() -> Result<Cache> {
    let disk: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
    let log = Arc::new(Log::open(Arc::new(MemoryDisk::default()), RING_MIN, 0, 1)?);
    Cache::new(PageSize::new(PAGE)?, 2048 * u64::from(PAGE), PAGES, Seal::new(&[7; 16]), disk, log, Backend::Threads)
}

/// The pages that are in the cache.
fn pages(cache: &Cache) -> BTreeMap<u32, Vec<u8>> {
    cache.seen().filter_map(|seen| Some((seen.page.0, cache.read(seen.page).ok()?.to_vec()))).collect()
}

fn done_again_twice_is_once(records: &[Found]) {
    let Ok(cache) = cache() else { return };
    let all = || {
        for (end, segment, payload) in records {
            if let Err(error) = redo(&cache, *segment, payload, *end, false) {
                assert!(matches!(error.code, ErrorCode::StorageFailed | ErrorCode::RecordDamaged), "{error}");
                return;
            }
        }
    };
    all();
    let once = pages(&cache);
    all();
    assert_eq!(pages(&cache), once);
}

/// Logs of changes of every kind.
pub fn log_seeds() -> Vec<Vec<u8>> {
    [1, 3].into_iter().flat_map(|changes| [0, 1].map(|flags| seed(flags, changes).unwrap_or_default())).collect()
}

fn seed(flags: u8, changes: u32) -> Result<Vec<u8>> {
    let disk = MemoryDisk::default();
    let log = Arc::new(Log::open(Arc::new(disk.clone()), RING_MIN, 0, START.incarnation)?);
    let seal = Seal::new(&[7; 16]);
    let pages: Arc<dyn Disk> = Arc::new(MemoryDisk::default());
    let cache = Cache::new(PageSize::new(PAGE)?, 2048 * u64::from(PAGE), PAGES, seal, pages, Arc::clone(&log), Backend::Threads)?;
    let mut room = Room::default();
    for round in 0..changes {
        let mut change = Change::begin(&cache, round as u16, &mut room);
        let page = change.format(PageId(2 + round), Kind::Data)?;
        change.write(page, HEADER + 10, &[round as u8 + 1; 30]);
        change.shift(page, HEADER + 10, HEADER + 500, 20);
        change.commit()?;
        let begun = log.begin_checkpoint()?;
        let mut change = Change::begin(&cache, round as u16, &mut room);
        let page = change.page(PageId(2 + round))?;
        change.write(page, HEADER, b"after a checkpoint has begun");
        change.commit()?;
        log.end_checkpoint(begun);
    }
    log.sync(log.end())?;
    let mut bytes = vec![0; log.end() as usize];
    let length = disk.length().map_or(0, |length| length.saturating_sub(RING_AT) as usize).min(bytes.len());
    let read = disk.read_at(&mut bytes[..length], RING_AT);
    Ok(if read.is_ok() { [&[flags], &bytes[..]].concat() } else { vec![] })
}
