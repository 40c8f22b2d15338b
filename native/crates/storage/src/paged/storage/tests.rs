mod crashes;
mod faults;
mod losses;
mod readers;
mod threads;

use super::*;
use crate::paged::page::PageSize;
use crate::paged::report::CELLS_MAX;
use crate::{IndexTarget, RecordImage, SegmentImage, SlotImage};
use std::collections::BTreeMap;
use tessera_io::Backend;
use tessera_io::faulty::FaultyDisk;
use tessera_record::KeyRef;

const SEGMENTS: u32 = 4;
const SET: u16 = 1;

pub fn options() -> PagedOptions {
    PagedOptions {
        cache_bytes: 2048 * 4096,
        log_bytes: 128 << 20,
        backend: Backend::Threads,
        flush_interval: Duration::from_secs(600),
        ..PagedOptions::new([1; 16], SEGMENTS, PageSize::new(4096).unwrap())
    }
}

/// What the segments do for a namespace.
pub struct Host {
    pub storage: PagedStorage,
    segments: Vec<parking_lot::RwLock<PagedSegment>>,
}

struct NoSink;

impl RecoverySink for NoSink {
    fn record(&self, _: u16, _: &RecordImage<'_>, _: Location, _: u64) {}
    fn damaged(&self, _: u16, _: &RecordImage<'_>, _: Location, _: u64) {}
    fn tombstone(&self, _: u16, _: &Digest, _: u64) {}
    fn target(&self) -> std::result::Result<&dyn IndexTarget, &'static str> {
        Err("none")
    }
    fn progress(&self, _: u64, _: u64) -> Result<()> {
        Ok(())
    }
}

pub fn digest(n: u64) -> Digest {
    Digest::of("s", KeyRef::Integer(n as i64))
}

pub fn meta(version: u16) -> Meta {
    Meta { generation: version, expires_at: 0, updated_at: 1_700_000_000_000 + u64::from(version) }
}

/// A body that says whose it is: of pages of 4 KiB every tenth is a long one.
pub fn body(n: u64, version: u16) -> Vec<u8> {
    let length = if n.is_multiple_of(10) { 5000 } else { 40 } + (n * 37 + u64::from(version) * 11) as usize % 700;
    (0..length).map(|at| (n as usize * 131 + usize::from(version) * 7 + at) as u8).collect()
}

impl Host {
    pub fn on(disks: &[FaultyDisk], options: PagedOptions) -> Result<Self> {
        Self::with(PagedStorage::on_faulty(disks, options)?)
    }

    pub fn with(storage: PagedStorage) -> Result<Self> {
        storage.store().bind(&|_| Ok(SET))?;
        let mut segments = vec![];
        for id in 0..SEGMENTS as u16 {
            let mut segment = storage.records(id);
            if !storage.shared.options.create {
                segment.load(&mut |_, set, _| {
                    assert_eq!(set, SET);
                    Ok(())
                })?;
            }
            segments.push(segment.into());
        }
        Ok(Self { storage, segments })
    }

    /// New disks, or files, with nothing on them.
    pub fn fresh() -> (Self, Vec<FaultyDisk>) {
        let disks = FaultyDisk::several([vec![], vec![]]);
        (Self::on(&disks, PagedOptions { create: true, ..options() }).unwrap(), disks)
    }

    pub fn start_threads(&self) {
        self.storage.recover(1, &NoSink).unwrap();
    }

    pub fn segment(&self, n: u64) -> &parking_lot::RwLock<PagedSegment> {
        &self.segments[n as usize % SEGMENTS as usize]
    }

    /// Writes version `version` of record `n`.
    pub fn put(&self, n: u64, version: u16) -> Result<()> {
        self.storage.admit(Admission::Write)?;
        let (digest, body) = (digest(n), body(n, version));
        let mut segment = self.segment(n).write();
        let old = segment.seek(&digest)?;
        let slot = old.as_ref().map_or_else(|| segment.next_slot(), |(slot, _)| *slot);
        let image = RecordImage { digest, slot, meta: meta(version), set: "s", body: &body };
        match old {
            Some((_, old)) => segment.update(SET, &old, &image)?,
            None => segment.insert(SET, &image)?,
        };
        Ok(())
    }

    pub fn remove(&self, n: u64) -> Result<()> {
        self.storage.admit(Admission::Delete)?;
        let mut segment = self.segment(n).write();
        match segment.seek(&digest(n))? {
            Some((slot, old)) => segment.remove(slot, &old),
            None => Ok(()),
        }
    }

    pub fn sync(&self) -> Result<()> {
        self.storage.sync(self.storage.write_point())
    }

    /// The version of a record that is there, once its body has been read and compared.
    pub fn version(&self, n: u64) -> Result<Option<u16>> {
        let mut out = vec![];
        loop {
            let Some((_, record)) = self.segment(n).read().seek(&digest(n))? else { return Ok(None) };
            if self.storage.read(record.location, &record.digest, &record.meta, &mut out)? {
                assert_eq!(out, body(n, record.meta.generation), "record {n}");
                return Ok(Some(record.meta.generation));
            }
        }
    }

    /// Every record below `end`, by number.
    pub fn versions(&self, end: u64) -> BTreeMap<u64, u16> {
        (0..end).filter_map(|n| Some((n, self.version(n).unwrap()?))).collect()
    }
}

/// Segments without an index.
struct NoIndexes;

impl IndexSource for NoIndexes {
    fn segments(&self) -> u32 {
        SEGMENTS
    }
    fn sets(&self) -> Vec<String> {
        vec!["s".into()]
    }
    fn segment(&self, _: u16, _: &mut dyn FnMut(&SlotImage) -> Result<()>) -> Result<SegmentImage> {
        Ok(SegmentImage::default())
    }
    fn notes(&self) -> Vec<Vec<u8>> {
        vec![]
    }
    fn part(&self, _: usize, _: u16, _: &mut Vec<u8>) -> Result<()> {
        Err(Error::new(ErrorCode::Internal, "there is none"))
    }
}

#[test]
fn a_snapshot_is_of_what_a_close_has_left_whole() {
    let directory = tempfile::tempdir().unwrap();
    let there = || directory.path().join(snapshot::SNAPSHOT_FILE).exists();
    let mut create = true;
    let mut open = || {
        let host = Host::with(PagedStorage::open(directory.path(), PagedOptions { create, ..options() }, &|| false).unwrap()).unwrap();
        create = false;
        host.start_threads();
        host.put(1, 1).unwrap();
        host
    };
    // Before its close: the log has what the pages lack.
    let host = open();
    host.storage.save_index(&NoIndexes).unwrap();
    assert!(!there());
    host.storage.close().unwrap();
    drop(host);
    // With damage that a read has found.
    let host = open();
    host.storage.note_damaged_read();
    host.storage.close().unwrap();
    host.storage.save_index(&NoIndexes).unwrap();
    assert!(!there());
    drop(host);
    // Once, however often it is asked for.
    let host = open();
    host.storage.close().unwrap();
    for again in [false, true] {
        host.storage.save_index(&NoIndexes).unwrap();
        assert_eq!(there(), !again);
        snapshot::remove(directory.path());
    }
}

#[test]
fn what_is_closed_in_order_opens_with_nothing_to_do_again() {
    let directory = tempfile::tempdir().unwrap();
    let open = |create| PagedStorage::open(directory.path(), PagedOptions { create, ..options() }, &|| false);
    let host = Host::with(open(true).unwrap()).unwrap();
    host.start_threads();
    (0..500).for_each(|n| host.put(n, 1).unwrap());
    (0..500).step_by(3).for_each(|n| host.put(n, 2).unwrap());
    (0..500).step_by(5).for_each(|n| host.remove(n).unwrap());
    let (expected, live) = (host.versions(500), host.storage.live_bytes());
    let error = open(false).err().unwrap();
    assert!(error.message.contains("another process"), "{error}");
    host.storage.close().unwrap();
    host.storage.close().unwrap();
    assert_eq!(host.put(3, 9).unwrap_err().code, ErrorCode::Closed);
    assert_eq!(host.versions(500), expected, "reads go on");
    let checkpoints = host.storage.report().checkpoints;
    assert_eq!(checkpoints.last().map(|last| (last.cause, last.whole)), Some(("close", true)));
    drop(host);
    let host = Host::with(open(false).unwrap()).unwrap();
    let Redone { records, log_bytes, settled, loss, .. } = host.storage.opened.redone.clone();
    assert_eq!(loss, None);
    assert_eq!((records, log_bytes, settled.is_some()), (0, 0, true));
    assert_eq!((host.versions(500), host.storage.live_bytes()), (expected, live));
    let usage = host.storage.usage();
    assert!(usage.live_bytes > 0 && usage.device_bytes > usage.live_bytes && usage.memory_bytes > 0 && usage.bytes_read > 0, "{usage:?}");
    let report = host.storage.report();
    let data = report.cache.kinds.iter().find(|kind| kind.kind == "data").unwrap();
    assert!(data.cached > 0 && data.misses >= u64::from(data.cached) && data.hits > 0, "{data:?}");
    assert!(report.traffic.records_read_bytes > 0 && report.traffic.pages_read_bytes > 0 && report.pages > report.free_pages, "{report:?}");
    let map = host.storage.map(CELLS_MAX, &mut |add| {
        for segment in &host.segments {
            segment.read().pages().for_each(|(page, kind, fill)| add(page, kind, fill));
        }
    });
    assert!(map.cells.iter().any(|cell| cell.used > 0 && cell.heat > 0), "{map:?}");
}

#[test]
fn files_that_are_not_there_or_not_ours_are_named_so() {
    let directory = tempfile::tempdir().unwrap();
    let open = |options: PagedOptions| PagedStorage::open(directory.path(), options, &|| false).err().map(|error| error.code);
    assert_eq!(open(options()), Some(ErrorCode::DataFileMissing));
    assert_eq!(open(PagedOptions { create: true, ..options() }), None);
    assert_eq!(open(PagedOptions { namespace_id: [2; 16], ..options() }), Some(ErrorCode::DataFileForeign));
    assert_eq!(open(PagedOptions { namespace_id: [2; 16], create: true, ..options() }), Some(ErrorCode::DataFileForeign));
    let other = PagedOptions { page_size: PageSize::new(8192).unwrap(), cache_bytes: 2048 * 8192, ..options() };
    assert_eq!(open(other), Some(ErrorCode::ConfigInvalid));
    assert!(open(PagedOptions { segments: 8, ..options() }).is_some());
    assert_eq!(open(options()), None);
    std::fs::write(directory.path().join(PAGES_FILE), vec![7; 65_536]).unwrap();
    assert_eq!(open(options()), Some(ErrorCode::DataFileDamaged));
}

#[test]
fn a_process_that_is_ending_is_waited_for_as_long_as_the_caller_says() {
    let directory = tempfile::tempdir().unwrap();
    let first = PagedStorage::open(directory.path(), PagedOptions { create: true, ..options() }, &|| false).unwrap();
    let first = Mutex::new(Some(first));
    let asked = std::sync::atomic::AtomicU32::new(0);
    let may_wait = || {
        if asked.fetch_add(1, Relaxed) == 2 {
            drop(first.lock().take());
        }
        true
    };
    PagedStorage::open(directory.path(), options(), &may_wait).unwrap();
    assert!(asked.load(Relaxed) >= 3);
}

#[test]
fn a_namespace_that_is_full_refuses_writes_and_takes_them_again_once_there_is_room() {
    let disks = FaultyDisk::several([vec![], vec![]]);
    let host = Host::on(&disks, PagedOptions { create: true, capacity_bytes: 6 << 20, ..options() }).unwrap();
    host.start_threads();
    let full = (0..100_000).find_map(|n| Some((n, host.put(n, 1).err()?)));
    let (many, error) = full.unwrap();
    assert_eq!(error.code, ErrorCode::DeviceFull, "{error}");
    assert_eq!(host.versions(many).len() as u64, many);
    (0..many / 2).for_each(|n| host.remove(n).unwrap());
    (0..many / 4).for_each(|n| host.put(n, 2).unwrap());
    host.storage.close().unwrap();
    assert!(host.storage.usage().device_bytes <= 6 << 20);
    let length = disks[0].length().unwrap();
    assert!(length <= 6 << 20, "{length} bytes");
}

#[test]
fn checkpoints_are_made_by_time_and_by_log_and_the_log_goes_round() {
    let disks = FaultyDisk::several([vec![], vec![]]);
    let host = Host::on(&disks, PagedOptions { create: true, checkpoint_interval: Duration::from_millis(20), ..options() }).unwrap();
    host.start_threads();
    let whole = |cause| host.storage.report().checkpoints.iter().any(|made| made.cause == cause && made.whole);
    let mut version = 0;
    while !whole("time") {
        version += 1;
        (0..200).for_each(|n| host.put(n, version).unwrap());
    }
    host.storage.checkpoint().unwrap();
    assert!(whole("asked"));
    drop(host);
    // A ring of which little is free at once, and no checkpoint by time.
    let disks = FaultyDisk::several([vec![], vec![]]);
    let long = Duration::from_secs(3600);
    let options = PagedOptions { create: true, checkpoint_interval: long, log_bytes: crate::paged::log::RING_MIN, ..options() };
    let host = Host::on(&disks, options).unwrap();
    host.start_threads();
    let whole = || host.storage.report().checkpoints.iter().any(|made| made.cause == "log" && made.whole);
    let mut version = 0;
    while !whole() {
        version += 1;
        (0..2000).for_each(|n| host.put(n, version).unwrap());
    }
    let report = host.storage.report();
    assert!(report.log.image_bytes == 0 || report.log.image_bytes < report.log.end, "{report:?}");
    assert!(host.versions(2000).values().all(|found| *found == version));
}
