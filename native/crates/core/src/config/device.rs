//! How a namespace keeps its records on files and block devices. What a manifest of an earlier version does not name has the
//! default.

use super::invalid;
use serde::{Deserialize, Serialize};
use std::path::{Component, Path, PathBuf};
use tessera_base::{Result, Sentence, sentence};
use tessera_storage::device::DiskPlace;

/// Most files and block devices of a namespace.
const DEVICES: usize = 16;
/// Most bytes of the post-write cache.
const CACHE_MAX: u64 = 1 << 30;

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceConfig {
    /// Most bytes on disk; 0 means as much as the file system gives. Of a namespace with `devices` each has its own.
    pub capacity_bytes: u64,
    /// Longest time a write stays in a buffer, milliseconds.
    pub flush_interval_ms: u32,
    /// Bytes of a write block: a power of two, 16 KiB to 8 MiB.
    pub write_block_bytes: u32,
    /// What the records are spread over, up to 16; none means a file in the namespace's folder.
    #[serde(default, skip_serializing_if = "Vec::is_empty")]
    pub devices: Vec<DeviceFile>,
    /// Bytes of the newest blocks that stay in memory after they are stored.
    #[serde(default = "post_write_cache_default")]
    pub post_write_cache_bytes: u64,
    /// Blocks with less than this share of wanted bytes are rewritten; 0 to 95.
    #[serde(default = "defrag_below_default")]
    pub defrag_below_percent: u32,
    /// Most bytes a second that rewriting such blocks reads; 0 means no bound. Where space is short there is none.
    #[serde(default = "defrag_rate_default")]
    pub defrag_bytes_per_second: u64,
    /// Through the page cache; otherwise past it, where the file system allows that.
    #[serde(default, skip_serializing_if = "std::ops::Not::not")]
    pub cached_io: bool,
}

/// A file, made with the namespace, or a block device.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct DeviceFile {
    /// Absolute.
    pub path: String,
    /// Most bytes to use of it; 0 means as much as there is.
    pub capacity_bytes: u64,
}

const fn post_write_cache_default() -> u64 {
    8 * 1024 * 1024
}

const fn defrag_below_default() -> u32 {
    50
}

const fn defrag_rate_default() -> u64 {
    64 * 1024 * 1024
}

impl Default for DeviceConfig {
    fn default() -> Self {
        Self {
            capacity_bytes: 0,
            flush_interval_ms: 1000,
            write_block_bytes: 128 * 1024,
            devices: Vec::new(),
            post_write_cache_bytes: post_write_cache_default(),
            defrag_below_percent: defrag_below_default(),
            defrag_bytes_per_second: defrag_rate_default(),
            cached_io: false,
        }
    }
}

impl DeviceConfig {
    /// The disks of a namespace whose folder is `folder`.
    pub fn places(&self, folder: &Path) -> Vec<DiskPlace> {
        match &self.devices[..] {
            [] => vec![DiskPlace::in_folder(folder)],
            devices => devices.iter().map(|device| DiskPlace::at(&device.path, device.capacity_bytes)).collect(),
        }
    }

    /// # Errors
    /// `config_invalid`, naming the field.
    pub(super) fn check(&self, max_record_bytes: u32) -> Result<()> {
        if !self.write_block_bytes.is_power_of_two() || !(16 << 10..=8 << 20).contains(&self.write_block_bytes) {
            return invalid(
                "writeBlockBytes",
                sentence!("writeBlockBytes must be a power of two from 16 KiB to 8 MiB, got {given}", given = self.write_block_bytes),
            );
        }
        if !(1..=60_000).contains(&self.flush_interval_ms) {
            return invalid(
                "flushIntervalMs",
                sentence!("flushIntervalMs must be 1 to 60000, got {given}", given = self.flush_interval_ms),
            );
        }
        if self.post_write_cache_bytes > CACHE_MAX {
            return invalid(
                "postWriteCacheBytes",
                sentence!(
                    "postWriteCacheBytes must be at most {most} (1 GiB), got {given}",
                    most = CACHE_MAX,
                    given = self.post_write_cache_bytes
                ),
            );
        }
        if self.defrag_below_percent > 95 {
            return invalid(
                "defragBelowPercent",
                sentence!("defragBelowPercent must be 0 to 95, got {given}", given = self.defrag_below_percent),
            );
        }
        let least = 8 * u64::from(self.write_block_bytes).max(u64::from(max_record_bytes));
        if self.capacity_bytes != 0 && self.capacity_bytes < least {
            return invalid("capacityBytes", too_small(least, self.capacity_bytes));
        }
        self.check_devices(least)
    }

    fn check_devices(&self, least: u64) -> Result<()> {
        if self.devices.len() > DEVICES {
            return invalid(
                "devices",
                sentence!("a namespace can have at most {most} devices, got {given}", most = DEVICES, given = self.devices.len()),
            );
        }
        if !self.devices.is_empty() && self.capacity_bytes != 0 {
            return invalid("capacityBytes", sentence!("with devices, set the capacity of each device instead"));
        }
        for (position, device) in self.devices.iter().enumerate() {
            let (path, field) = (Path::new(&device.path), format!("devices.{position}.path"));
            let plain = path.components().all(|part| matches!(part, Component::RootDir | Component::Normal(_)));
            // The parts of a path leave out what is doubled, so they are put together again and compared.
            let same = path.components().collect::<PathBuf>().as_os_str() == path.as_os_str();
            if !path.is_absolute() || path.parent().is_none() || !plain || !same || device.path.contains('\0') {
                return invalid(
                    &field,
                    sentence!(
                        "a device must have an absolute path without \"..\", \".\" and \"//\", got \"{given}\"",
                        given = &device.path
                    ),
                );
            }
            if self.devices[..position].iter().any(|other| other.path == device.path) {
                return invalid(&field, sentence!("the device {path} is listed twice", path = &device.path));
            }
            if device.capacity_bytes != 0 && device.capacity_bytes < least {
                return invalid(&format!("devices.{position}.capacityBytes"), too_small(least, device.capacity_bytes));
            }
        }
        Ok(())
    }
}

fn too_small(least: u64, bytes: u64) -> Sentence {
    sentence!(
        "a device must have at least {least} bytes (eight write blocks, and eight of the largest records), got {given}",
        least = least,
        given = bytes
    )
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_setting_is_checked_and_named() {
        let faults = |change: &dyn Fn(&mut DeviceConfig)| {
            let mut config = DeviceConfig::default();
            config.check(1024).unwrap();
            change(&mut config);
            config.check(1024).unwrap_err().field.unwrap()
        };
        let at = |paths: &[&str]| paths.iter().map(|path| DeviceFile { path: (*path).into(), capacity_bytes: 0 }).collect::<Vec<_>>();
        assert_eq!(faults(&|c| c.write_block_bytes = 1000), "writeBlockBytes");
        assert_eq!(faults(&|c| c.flush_interval_ms = 0), "flushIntervalMs");
        assert_eq!(faults(&|c| c.post_write_cache_bytes = CACHE_MAX + 1), "postWriteCacheBytes");
        assert_eq!(faults(&|c| c.defrag_below_percent = 96), "defragBelowPercent");
        assert_eq!(faults(&|c| c.capacity_bytes = 7 * 128 * 1024), "capacityBytes");
        for path in ["", "/", "a", "./a", "/a/../b", "/a/./b", "/a//b", "/a/", "//a", "/a\0"] {
            assert_eq!(faults(&|c| c.devices = at(&["/ok", path])), "devices.1.path", "{path:?}");
        }
        assert_eq!(faults(&|c| c.devices = at(&["/a", "/a"])), "devices.1.path");
        assert_eq!(faults(&|c| c.devices = at(&["/a"; 17])), "devices");
        assert_eq!(faults(&|c| (c.devices, c.capacity_bytes) = (at(&["/a"]), 1 << 30)), "capacityBytes");
        assert_eq!(faults(&|c| c.devices = vec![DeviceFile { path: "/a".into(), capacity_bytes: 1 }]), "devices.0.capacityBytes");
    }

    #[test]
    fn a_manifest_written_before_these_settings_reads() {
        let earlier = r#"{"capacity_bytes":0,"flush_interval_ms":1000,"write_block_bytes":131072}"#;
        assert_eq!(serde_json::from_str::<DeviceConfig>(earlier).unwrap(), DeviceConfig::default());
    }
}
