//! How a namespace keeps its records in pages.

use super::invalid;
use serde::{Deserialize, Serialize};
use tessera_base::{Result, sentence};
use tessera_storage::paged::{FRAMES_MIN, PageSize, RING_MIN};

/// Most bytes of a page cache: 1 TiB.
const CACHE_MAX: u64 = 1 << 40;
/// Most bytes of the log's ring: 64 GiB.
const LOG_MAX: u64 = 64 << 30;
/// Longest time between checkpoints: a day.
const CHECKPOINT_INTERVAL_MAX: u32 = 86_400;

const fn checkpoint_interval_default() -> u32 {
    300
}

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct PagedConfig {
    /// 4, 8, 16, 32 or 64 KiB. Fixed for the namespace's life.
    pub page_bytes: u32,
    /// Bytes of the page cache, at least 2048 pages.
    pub cache_bytes: u64,
    /// Most bytes of pages on disk, the log aside; 0 means as much as the file system gives.
    pub capacity_bytes: u64,
    /// Bytes of the log's ring, a multiple of 4 KiB; a checkpoint begins when half of it is needed.
    pub checkpoint_log_bytes: u64,
    /// Longest time between two checkpoints while records are written, seconds; 1 to 86,400.
    #[serde(default = "checkpoint_interval_default")]
    pub checkpoint_interval_seconds: u32,
    /// Longest time a write stays out of the log on disk, milliseconds.
    pub flush_interval_ms: u32,
    /// Through the operating system's page cache; otherwise past it, where the file system allows that.
    pub cached_io: bool,
}

impl Default for PagedConfig {
    fn default() -> Self {
        Self {
            page_bytes: 16 * 1024,
            cache_bytes: 256 << 20,
            capacity_bytes: 0,
            checkpoint_log_bytes: 512 << 20,
            checkpoint_interval_seconds: checkpoint_interval_default(),
            flush_interval_ms: 1000,
            cached_io: false,
        }
    }
}

impl PagedConfig {
    /// With the smallest log and cache: tests have many namespaces, and each has its log's room on disk from the beginning.
    #[cfg(test)]
    pub(crate) fn smallest() -> Self {
        let pages = Self::default();
        Self { cache_bytes: u64::from(FRAMES_MIN) * u64::from(pages.page_bytes), checkpoint_log_bytes: RING_MIN, ..pages }
    }

    /// # Errors
    /// `config_invalid`, naming the field.
    pub(super) fn check(&self, max_record_bytes: u32, segments: u32) -> Result<()> {
        let page = PageSize::new(self.page_bytes)?.bytes() as u64;
        let least = u64::from(FRAMES_MIN) * page;
        if !(least..=CACHE_MAX).contains(&self.cache_bytes) {
            return invalid(
                "cacheBytes",
                sentence!(
                    "cacheBytes must be {least} ({pages} pages) to {most} (1 TiB), got {given}",
                    least = least,
                    pages = FRAMES_MIN,
                    most = CACHE_MAX,
                    given = self.cache_bytes
                ),
            );
        }
        if !(RING_MIN..=LOG_MAX).contains(&self.checkpoint_log_bytes) || !self.checkpoint_log_bytes.is_multiple_of(4096) {
            return invalid(
                "checkpointLogBytes",
                sentence!(
                    "checkpointLogBytes must be a multiple of 4096 from {least} to {most} (64 GiB), got {given}",
                    least = RING_MIN,
                    most = LOG_MAX,
                    given = self.checkpoint_log_bytes
                ),
            );
        }
        if !(1..=CHECKPOINT_INTERVAL_MAX).contains(&self.checkpoint_interval_seconds) {
            return invalid(
                "checkpointIntervalSeconds",
                sentence!(
                    "checkpointIntervalSeconds must be 1 to {most}, got {given}",
                    most = CHECKPOINT_INTERVAL_MAX,
                    given = self.checkpoint_interval_seconds
                ),
            );
        }
        if !(1..=60_000).contains(&self.flush_interval_ms) {
            return invalid(
                "flushIntervalMs",
                sentence!("flushIntervalMs must be 1 to 60000, got {given}", given = self.flush_interval_ms),
            );
        }
        // A segment that has a record has pages of four kinds at least, in extents of 256 KiB.
        let least = u64::from(segments) * (512 << 10) + 8 * u64::from(max_record_bytes);
        if self.capacity_bytes != 0 && self.capacity_bytes < least {
            return invalid(
                "capacityBytes",
                sentence!(
                    "capacityBytes must be at least {least} with {segments} segments and records of {bytes} bytes, got {given}",
                    least = least,
                    segments = segments,
                    bytes = max_record_bytes,
                    given = self.capacity_bytes
                ),
            );
        }
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_checked_and_named() {
        let fault = |change: &dyn Fn(&mut PagedConfig)| {
            let mut config = PagedConfig::default();
            config.check(1 << 20, 256).unwrap();
            change(&mut config);
            config.check(1 << 20, 256).unwrap_err().field.unwrap()
        };
        for bytes in [0, 2048, 5000, 128 * 1024] {
            assert_eq!(fault(&|c| c.page_bytes = bytes), "pageBytes");
        }
        assert_eq!(fault(&|c| c.cache_bytes = 2048 * 16 * 1024 - 1), "cacheBytes");
        assert_eq!(fault(&|c| c.cache_bytes = u64::MAX), "cacheBytes");
        assert_eq!(fault(&|c| c.checkpoint_log_bytes = RING_MIN - 4096), "checkpointLogBytes");
        assert_eq!(fault(&|c| c.checkpoint_log_bytes = RING_MIN + 1), "checkpointLogBytes");
        for seconds in [0, CHECKPOINT_INTERVAL_MAX + 1] {
            assert_eq!(fault(&|c| c.checkpoint_interval_seconds = seconds), "checkpointIntervalSeconds");
        }
        assert_eq!(fault(&|c| c.flush_interval_ms = 0), "flushIntervalMs");
        assert_eq!(fault(&|c| c.capacity_bytes = 1), "capacityBytes");
    }

    #[test]
    fn a_manifest_written_before_these_settings_reads() {
        let earlier = r#"{"page_bytes":16384,"cache_bytes":268435456,"capacity_bytes":0,"checkpoint_log_bytes":536870912,"flush_interval_ms":1000,"cached_io":false}"#;
        assert_eq!(serde_json::from_str::<PagedConfig>(earlier).unwrap(), PagedConfig::default());
    }
}
