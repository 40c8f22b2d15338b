//! Records in memory: each segment appends bodies to extents of its own, so that slot order is about memory order and
//! every byte is accounted for.
//!
//! A body lies behind a header of `u32` length and `u32` slot. A forgotten one only has its slot overwritten; when
//! enough of what is used is dead, the extent with the most dead bytes is rewritten at the tail and freed.

mod extents;
mod place;
mod share;
mod site;
#[cfg(test)]
mod tests;

pub use extents::{Extents, bytes_for};
pub use place::{BITS, HEADER, room};
pub use share::MemoryShare;

use super::{Location, RecoveryReport, RecoverySink, SegmentPart, Storage, StorageUsage};
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::{Digest, Meta};

/// The bodies of one memory namespace.
#[derive(Debug)]
pub struct MemoryStorage {
    usage: Arc<Usage>,
}

#[derive(Debug)]
struct Usage {
    allocated: AtomicU64,
    live: AtomicU64,
    /// Most bytes of extents; `u64::MAX` without a limit.
    limit: u64,
    /// Of those that have no limit of their own.
    share: Option<Arc<MemoryShare>>,
}

impl Usage {
    /// Takes bytes for an extent.
    ///
    /// # Errors
    /// `memory_full`, if it is `limited`.
    fn take(&self, bytes: u64, limited: bool) -> Result<()> {
        let full = |why| Err(Error::said(ErrorCode::MemoryFull, why));
        if let Some(share) = self.share.as_ref().filter(|share| !share.take(bytes, limited)) {
            return full(share.full());
        }
        let before = self.allocated.fetch_add(bytes, Ordering::Relaxed);
        if limited && before + bytes > self.limit {
            self.give(bytes);
            return full(sentence!("the namespace has used its {bytes, number} bytes of memory for records", bytes = self.limit));
        }
        Ok(())
    }

    /// Gives bytes of extents back.
    fn give(&self, bytes: u64) {
        self.allocated.fetch_sub(bytes, Ordering::Relaxed);
        if let Some(share) = &self.share {
            share.give(bytes);
        }
    }

    /// Whether so much is allocated that slack and dead bytes keep live ones out.
    fn crowded(&self) -> bool {
        let shared = self.share.as_ref().is_some_and(|share| share.used() > share.limit() / 4 * 3);
        shared || self.allocated.load(Ordering::Relaxed) > self.limit / 4 * 3
    }
}

impl MemoryStorage {
    /// `limit`: most bytes of memory for bodies.
    pub fn new(limit: Option<u64>) -> Self {
        Self::on(limit.unwrap_or(u64::MAX), None)
    }

    /// Of a namespace without a limit of its own.
    pub fn sharing(share: Arc<MemoryShare>) -> Self {
        Self::on(u64::MAX, Some(share))
    }

    fn on(limit: u64, share: Option<Arc<MemoryShare>>) -> Self {
        Self { usage: Arc::new(Usage { allocated: AtomicU64::new(0), live: AtomicU64::new(0), limit, share }) }
    }

    /// The bodies of a segment.
    fn bodies(&self) -> Extents {
        Extents::new(self.usage.clone())
    }
}

impl Storage for MemoryStorage {
    fn segment(&self, _segment: u16) -> SegmentPart {
        SegmentPart::Memory(self.bodies())
    }

    fn read(&self, _location: Location, _digest: &Digest, _meta: &Meta, _out: &mut Vec<u8>) -> Result<bool> {
        // Every body is resident; a caller that gets here lost a race with a write and looks again.
        Ok(false)
    }

    fn write_point(&self) -> u64 {
        0
    }

    fn sync(&self, _point: u64) -> Result<()> {
        Ok(())
    }

    fn recover(&self, _threads: usize, _sink: &dyn RecoverySink) -> Result<RecoveryReport> {
        Ok(RecoveryReport::default())
    }

    fn usage(&self) -> StorageUsage {
        StorageUsage {
            memory_bytes: self.usage.allocated.load(Ordering::Relaxed),
            live_bytes: self.usage.live.load(Ordering::Relaxed),
            ..StorageUsage::default()
        }
    }

    fn live_bytes(&self) -> u64 {
        self.usage.live.load(Ordering::Relaxed)
    }

    fn close(&self) -> Result<()> {
        Ok(())
    }
}
