//! How a paged storage is set up, with units and limits.

use super::cache::FRAMES_MIN;
use super::page::PageSize;
use super::pages::PagesOptions;
use super::pages::loss::Witness;
use super::segment::frames_bytes;
use std::time::Duration;
use tessera_io::{Access, Backend};

#[derive(Clone, Copy, Debug)]
pub struct PagedOptions {
    /// Random bytes that name the namespace; they take part in the checksum of every page.
    pub namespace_id: [u8; 16],
    pub segments: u32,
    pub page_size: PageSize,
    /// Bytes of the page cache, with hints where records are.
    pub cache_bytes: u64,
    /// Most bytes of pages; 0 means as many as the file system gives.
    pub capacity_bytes: u64,
    /// Bytes of the log's ring. Counts when the namespace is created.
    pub log_bytes: u64,
    /// A write that nobody syncs is on stable storage after this.
    pub flush_interval: Duration,
    /// Longest time between two checkpoints while records are written.
    pub checkpoint_interval: Duration,
    /// How long a writer waits for the log and the cache before `device_overload`.
    pub stall_timeout: Duration,
    /// How the files are reached, where their file system offers it.
    pub access: Access,
    /// What keeps reads and writes in flight.
    pub backend: Backend,
    /// Whether the files are to be made.
    pub create: bool,
    /// What the manifest keeps of the last start or stop; see `Storage::stamp`.
    pub stamp: u64,
    /// Whether to go on with what is left where the files show a loss (`log_damaged`, `data_rolled_back`). Each loss is then
    /// reported in `RecoveryReport::losses`.
    pub accept_loss: bool,
}

impl PagedOptions {
    pub const fn new(namespace_id: [u8; 16], segments: u32, page_size: PageSize) -> Self {
        Self {
            namespace_id,
            segments,
            page_size,
            cache_bytes: 256 << 20,
            capacity_bytes: 0,
            log_bytes: 512 << 20,
            flush_interval: Duration::from_secs(1),
            checkpoint_interval: Duration::from_secs(300),
            stall_timeout: Duration::from_secs(5),
            access: Access::Direct,
            backend: Backend::IoUring,
            create: false,
            stamp: 0,
            accept_loss: false,
        }
    }

    /// One past the last page that there may be.
    pub fn end(&self) -> u32 {
        match self.capacity_bytes / self.page_size.bytes() as u64 {
            0 if self.capacity_bytes == 0 => u32::MAX,
            pages => u32::try_from(pages).unwrap_or(u32::MAX),
        }
    }

    /// `snapshot`: run and mark of the pages that there is a snapshot of.
    pub(super) fn pages(&self, snapshot: Option<(u32, u64)>) -> PagesOptions {
        let Self { namespace_id, page_size, log_bytes, backend, accept_loss, .. } = *self;
        // What hints take is taken from the cache, but of the smallest there may be.
        let least = u64::from(FRAMES_MIN) * page_size.bytes() as u64;
        let cache_bytes = frames_bytes(self.cache_bytes).max(self.cache_bytes.min(least));
        let (pages, witness) = (self.end(), Witness { sequence: self.stamp, snapshot });
        PagesOptions { namespace_id, page_size, cache_bytes, log_bytes, pages, backend, witness, accept_loss }
    }
}
