//! What the tests share: a storage over a disk in memory, and an index like a namespace's.

use crate::device::{DeviceOptions, DeviceStorage};
use crate::{IndexTarget, Location, RecordImage, RecoveryReport, RecoverySink, Relocator, SegmentStore, Storage};
use parking_lot::Mutex;
use std::collections::HashMap;
use std::time::Duration;
use tessera_base::Result;
use tessera_io::faulty::FaultyDisk;
use tessera_record::{Digest, Meta};

pub const BLOCK: u64 = 16 * 1024;
pub const META: Meta = Meta { generation: 1, expires_at: 0, updated_at: 5 };

/// Small blocks, and no flush or mark that the test does not ask for. What is lost is accepted, and reported.
pub fn options() -> DeviceOptions {
    DeviceOptions {
        write_block_bytes: BLOCK as u32,
        flush_interval: Duration::from_secs(600),
        mark_after: Duration::from_secs(600),
        post_write_cache_bytes: 0,
        create: true,
        accept_loss: true,
        ..DeviceOptions::new([7; 16])
    }
}

pub fn digest(key: u32) -> Digest {
    let mut digest = Digest::default();
    digest.0[..4].copy_from_slice(&key.to_le_bytes());
    digest
}

/// Segments of the storage; a key's is its remainder.
const SEGMENTS: u32 = 4;

/// The newest of what recovery reports for each digest.
pub struct Index {
    newest: Mutex<HashMap<Digest, (u64, State)>>,
    segments: Vec<Mutex<Box<dyn SegmentStore>>>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum State {
    Body(Location, Vec<u8>),
    Damaged(Location),
    Deleted,
}

impl State {
    fn location(&self) -> Option<Location> {
        match self {
            Self::Body(location, _) | Self::Damaged(location) => Some(*location),
            Self::Deleted => None,
        }
    }
}

impl Index {
    pub fn of(storage: &DeviceStorage) -> Self {
        let segments = (0..SEGMENTS).map(|segment| Mutex::new(Box::new(storage.bodies(segment as u16)) as Box<dyn SegmentStore>)).collect();
        Self { newest: Mutex::default(), segments }
    }

    fn offer(&self, segment: u16, digest: Digest, sequence: u64, state: State) {
        let mut index = self.newest.lock();
        if index.get(&digest).is_none_or(|(newest, _)| *newest < sequence) {
            let current = state.location();
            let replaced = index.insert(digest, (sequence, state)).and_then(|(_, old)| old.location());
            self.segments[usize::from(segment)].lock().recovered(current, replaced);
        }
    }

    pub fn get(&self, key: u32) -> Option<State> {
        self.newest.lock().get(&digest(key)).map(|(_, state)| state.clone())
    }

    /// Bodies of the live records by key.
    pub fn live(&self) -> HashMap<u32, Vec<u8>> {
        let key = |d: &Digest| u32::from_le_bytes(d.0[..4].try_into().unwrap());
        let index = self.newest.lock();
        index.iter().filter_map(|(d, (_, s))| if let State::Body(_, body) = s { Some((key(d), body.clone())) } else { None }).collect()
    }
}

impl Relocator for Index {
    fn relocate(&self, segment: u16, image: &RecordImage<'_>, from: Location) -> Result<()> {
        let mut index = self.newest.lock();
        let current = index.get_mut(&image.digest).filter(|(_, state)| state.location() == Some(from));
        if let Some((_, State::Body(location, _))) = current {
            *location = self.segments[usize::from(segment)].lock().relocate(image, from)?;
        }
        Ok(())
    }

    fn rebury(&self, segment: u16, digest: &Digest, set: &str) -> Result<()> {
        let live = self.newest.lock().get(digest).is_some_and(|(_, state)| *state != State::Deleted);
        if live { Ok(()) } else { self.segments[usize::from(segment)].lock().rebury(digest, set) }
    }
}

impl RecoverySink for Index {
    fn record(&self, segment: u16, image: &RecordImage<'_>, location: Location, sequence: u64) {
        self.offer(segment, image.digest, sequence, State::Body(location, image.body.to_vec()));
    }

    fn damaged(&self, segment: u16, image: &RecordImage<'_>, location: Location, sequence: u64) {
        self.offer(segment, image.digest, sequence, State::Damaged(location));
    }

    fn tombstone(&self, segment: u16, digest: &Digest, sequence: u64) {
        self.offer(segment, *digest, sequence, State::Deleted);
    }

    fn target(&self) -> std::result::Result<&dyn IndexTarget, &'static str> {
        Err("the rig keeps no snapshot")
    }

    fn progress(&self, done: u64, total: u64) -> Result<()> {
        assert!(done <= total);
        Ok(())
    }
}

pub struct Rig {
    /// The first of its disks.
    pub disk: FaultyDisk,
    pub storage: DeviceStorage,
    pub index: Index,
    pub report: RecoveryReport,
}

impl Rig {
    pub fn open(disk: &FaultyDisk, options: DeviceOptions) -> Result<Self> {
        Self::open_all(std::slice::from_ref(disk), options)
    }

    pub fn open_all(disks: &[FaultyDisk], options: DeviceOptions) -> Result<Self> {
        let storage = DeviceStorage::on_faulty(disks, options)?;
        let index = Index::of(&storage);
        let report = storage.recover(2, &index)?;
        Ok(Self { disk: disks[0].clone(), storage, index, report })
    }

    pub fn new() -> Self {
        Self::open(&FaultyDisk::default(), options()).unwrap()
    }

    /// Opens what is on the disk now with a new storage, as after a `kill -9`.
    pub fn reopened(&self) -> Self {
        Self::open(&FaultyDisk::with(self.disk.image()), options()).unwrap()
    }

    pub fn put(&self, key: u32, body: &[u8]) -> Result<Location> {
        let image = RecordImage { digest: digest(key), slot: 0, meta: META, set: "events", body };
        let mut index = self.index.newest.lock();
        let replaces = index.get(&digest(key)).and_then(|(_, state)| state.location());
        let location = self.storage.bodies((key % SEGMENTS) as u16).put(&image, replaces)?;
        index.insert(digest(key), (u64::MAX, State::Body(location, body.to_vec())));
        Ok(location)
    }

    pub fn remove(&self, key: u32, location: Location) -> Result<()> {
        let mut segment = self.storage.bodies((key % SEGMENTS) as u16);
        let mut index = self.index.newest.lock();
        segment.bury(&digest(key), "events")?;
        segment.forget(location);
        index.insert(digest(key), (u64::MAX, State::Deleted));
        Ok(())
    }

    /// Where a key's record is now.
    pub fn place(&self, key: u32) -> Option<Location> {
        self.index.newest.lock().get(&digest(key)).and_then(|(_, state)| state.location())
    }

    pub fn sync(&self) -> Result<()> {
        self.storage.sync(self.storage.write_point())
    }

    pub fn read(&self, key: u32, location: Location) -> Result<Vec<u8>> {
        let mut out = vec![1, 2, 3];
        assert!(self.storage.read(location, &digest(key), &META, &mut out)?);
        Ok(out)
    }
}
