//! How full a namespace is, and when it stops taking writes that add to it.
//!
//! What counts is the bytes of live records, as stored: all else is given back sooner or later without anybody's doing. In pages it is all that was taken
//! from the file, less the room there that what is stored next can use: the index is in there too, and a page that is half empty is of no use elsewhere.

use crate::config::{EngineConfig, NamespaceConfig};
use crate::store::RecordStore;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64, Ordering::Relaxed};
use tessera_base::{Error, ErrorCode, Result, Sentence, sentence};

/// Writes go on once this part of what stopped them is free again, so that they do not stop and go with each record.
const SLACK: u64 = 32;

/// Hidden records give way to writes when less than this part is left before those stop.
const NEARLY: u64 = 16;

/// What counts, and of what it is a share.
#[derive(Clone, Copy)]
enum Counts {
    InMemory,
    OnDevice,
    InPages,
}

impl Counts {
    /// Why writes are stopped: who takes what share of the bytes that there are.
    fn stopped(self, percent: String, bytes: u64, stop: u64) -> Sentence {
        match self {
            Self::InMemory => sentence!(
                "Writes stopped: live records take {percent}% of the memory's {bytes, number} bytes (maxMemoryBytes), and stopWritesPercent is {stop}; reads, deletes and writes that add no data still work",
                percent = percent,
                bytes = bytes,
                stop = stop
            ),
            Self::OnDevice => sentence!(
                "Writes stopped: live records take {percent}% of the device's {bytes, number} bytes (capacityBytes), and stopWritesPercent is {stop}; reads, deletes and writes that add no data still work",
                percent = percent,
                bytes = bytes,
                stop = stop
            ),
            Self::InPages => sentence!(
                "Writes stopped: records and their index take {percent}% of the pages' {bytes, number} bytes (capacityBytes), and stopWritesPercent is {stop}; reads, deletes and writes that add no data still work",
                percent = percent,
                bytes = bytes,
                stop = stop
            ),
        }
    }
}

pub(in crate::store) struct Fullness {
    /// Most bytes that may count; 0 for as much as there is.
    capacity: u64,
    counts: Counts,
    pub(in crate::store) stop_percent: AtomicU32,
    pub(in crate::store) evict_percent: AtomicU32,
    stopped: AtomicBool,
    pub(in crate::store) evicted: AtomicU64,
    pub(in crate::store) expired: AtomicU64,
}

/// How near a namespace is to its limits.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct LimitsInfo {
    /// Most bytes that may count; `None`: no limit is set, and nothing is ever refused or evicted for it.
    pub capacity_bytes: Option<u64>,
    /// Of a memory namespace without a limit: what all such may hold together, and do.
    pub shared: Option<(u64, u64)>,
    /// Bytes of live records as stored; of a `paged` namespace with a capacity all that records and their index have taken from the file, less the
    /// room in it for others.
    pub used_bytes: u64,
    /// Why writes that add are refused (`stop_writes`), if they are.
    pub stopped: Option<Error>,
    /// Records that eviction and expiry have removed since the namespace was opened.
    pub evicted: u64,
    pub expired: u64,
}

impl Fullness {
    /// `device_bytes`: the capacity of the devices together, 0 for no bound.
    pub(in crate::store) fn new(config: &NamespaceConfig, device_bytes: u64) -> Self {
        let (capacity, counts) = match &config.engine {
            EngineConfig::Memory => (config.max_memory_bytes.unwrap_or(0), Counts::InMemory),
            EngineConfig::Device(device) if device.capacity_bytes > 0 => (device.capacity_bytes, Counts::OnDevice),
            EngineConfig::Device(_) => (device_bytes, Counts::OnDevice),
            EngineConfig::Paged(_) => (device_bytes, Counts::InPages),
            EngineConfig::Cassandra(_) => (0, Counts::OnDevice),
        };
        Self {
            capacity,
            counts,
            stop_percent: AtomicU32::new(config.stop_writes_percent),
            evict_percent: AtomicU32::new(config.evict_at_percent),
            stopped: AtomicBool::new(false),
            evicted: AtomicU64::new(0),
            expired: AtomicU64::new(0),
        }
    }

    fn share(&self, percent: &AtomicU32) -> u64 {
        (u128::from(self.capacity) * u128::from(percent.load(Relaxed)) / 100) as u64
    }

    /// Whether writes that add are refused while `used` bytes count.
    fn stops(&self, used: u64) -> bool {
        let most = self.share(&self.stop_percent);
        let before = self.stopped.load(Relaxed);
        let now = if before { used > most - most / SLACK } else { used >= most };
        if now != before {
            self.stopped.store(now, Relaxed);
        }
        now
    }

    fn refusal(&self, used: u64) -> Error {
        let percent = used as f64 * 100.0 / self.capacity as f64;
        let stop = u64::from(self.stop_percent.load(Relaxed));
        Error::said(ErrorCode::StopWrites, self.counts.stopped(format!("{percent:.1}"), self.capacity, stop))
    }
}

impl RecordStore {
    /// How many bytes are more than eviction leaves; `None` when it is off or there is no limit.
    pub(in crate::store) fn to_evict(&self) -> Option<u64> {
        let fullness = &self.fullness;
        let on = fullness.capacity > 0 && fullness.evict_percent.load(Relaxed) > 0;
        on.then(|| self.storage.occupied_bytes().saturating_sub(fullness.share(&fullness.evict_percent)))
    }

    /// For a write that makes a record of `had` bytes (0: there is none) one of `takes`.
    ///
    /// # Errors
    /// `stop_writes`.
    pub(in crate::store) fn check_growth(&self, had: usize, takes: usize) -> Result<()> {
        if takes <= had || self.fullness.capacity == 0 {
            return Ok(());
        }
        let used = self.storage.occupied_bytes();
        if self.fullness.stops(used) { Err(self.fullness.refusal(used)) } else { Ok(()) }
    }

    /// Whether writes are about to be refused, or records to be evicted.
    pub(crate) fn is_nearly_full(&self) -> bool {
        let nearly = |used: u64, most: u64| used >= most - most / NEARLY;
        let fullness = &self.fullness;
        if self.shares_memory() {
            return nearly(self.resources.memory.used(), self.resources.memory.limit());
        }
        let used = self.storage.occupied_bytes();
        fullness.capacity > 0 && (nearly(used, fullness.share(&fullness.stop_percent)) || self.to_evict().is_some_and(|over| over > 0))
    }

    /// Why writes that add are refused, if they are.
    pub fn writes_stopped(&self) -> Option<Error> {
        let used = self.storage.occupied_bytes();
        (self.fullness.capacity > 0 && self.fullness.stops(used)).then(|| self.fullness.refusal(used))
    }

    /// How near it is to its limits.
    pub fn limits(&self) -> LimitsInfo {
        LimitsInfo {
            capacity_bytes: Some(self.fullness.capacity).filter(|&bytes| bytes > 0),
            shared: self.shares_memory().then(|| (self.resources.memory.limit(), self.resources.memory.used())),
            used_bytes: self.storage.occupied_bytes(),
            stopped: self.writes_stopped(),
            evicted: self.fullness.evicted.load(Relaxed),
            expired: self.fullness.expired.load(Relaxed),
        }
    }
}
