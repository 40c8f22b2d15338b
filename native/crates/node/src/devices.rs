//! Where the records of a namespace are: its engine, files and block devices, both ways.

use crate::choice::one_of;
use crate::numbers::{whole, whole_u32};
use napi_derive::napi;
use tessera_core::storage::DiskUsage;
use tessera_core::{DeviceConfig, EngineConfig, Error, ErrorCode, Namespace, Result};

/// A file, made with the namespace, or a block device.
#[napi(object)]
pub struct DeviceFile {
    /// Absolute.
    pub path: String,
    /// Most bytes to use of it; 0 or absent: as much as there is.
    pub capacity_bytes: Option<f64>,
}

/// Where records live. `maxMemoryBytes` is for `memory`, the other fields are for `device`.
#[napi(object)]
#[derive(Default)]
pub struct StorageConfig {
    #[napi(ts_type = "'memory' | 'device'")]
    pub engine: String,
    /// Most bytes on disk; 0 or absent: as much as the file system gives.
    pub capacity_bytes: Option<f64>,
    pub flush_interval_ms: Option<f64>,
    pub write_block_bytes: Option<f64>,
    /// What records are spread over; absent: one file in the data directory.
    pub devices: Option<Vec<DeviceFile>>,
    /// Bytes of the newest blocks that stay in memory.
    pub post_write_cache_bytes: Option<f64>,
    /// Blocks with less than this share of wanted bytes are rewritten.
    pub defrag_below_percent: Option<f64>,
    /// Most bytes a second that rewriting reads; 0: no bound.
    pub defrag_bytes_per_second: Option<f64>,
    /// Through the page cache.
    pub cached_io: Option<bool>,
    /// Most bytes of memory for records; 0 or absent: as much as there is.
    pub max_memory_bytes: Option<f64>,
}

/// Traffic and contents of a device namespace, bytes.
#[napi(object, object_from_js = false)]
pub struct DeviceInfo {
    pub bytes: f64,
    pub capacity_bytes: f64,
    pub live_bytes: f64,
    pub bytes_written: f64,
    pub bytes_read: f64,
    /// Reads that found a damaged record.
    pub damaged_reads: f64,
    pub devices: Vec<DeviceUse>,
}

/// One file or block device.
#[napi(object, object_from_js = false)]
pub struct DeviceUse {
    pub path: String,
    #[napi(ts_type = "'file' | 'device'")]
    pub kind: &'static str,
    /// How it is really reached.
    #[napi(ts_type = "'direct' | 'cached'")]
    pub access: &'static str,
    /// 0: as much as the file system gives.
    pub capacity_bytes: f64,
    pub used_bytes: f64,
}

/// What a `StorageConfig` asks for.
pub enum Made {
    /// With most bytes of memory.
    Memory(Option<u64>),
    Device(DeviceConfig),
}

impl StorageConfig {
    /// # Errors
    /// `config_invalid`, naming the field.
    pub fn made(self) -> Result<Made> {
        let bytes = |bytes: f64, field: &str| whole(bytes, field, ErrorCode::ConfigInvalid);
        if !one_of(&self.engine, "storage.engine", &[("memory", false), ("device", true)])? {
            if self.devices.is_some() {
                return Err(Error::new(ErrorCode::ConfigInvalid, "a memory namespace has no devices").in_field("devices"));
            }
            let most = bytes(self.max_memory_bytes.unwrap_or(0.0), "maxMemoryBytes")?;
            return Ok(Made::Memory(Some(most).filter(|&bytes| bytes > 0)));
        }
        if self.max_memory_bytes.is_some() {
            let message = "only a memory namespace keeps its records in memory";
            return Err(Error::new(ErrorCode::ConfigInvalid, message).in_field("maxMemoryBytes"));
        }
        let mut device = DeviceConfig { cached_io: self.cached_io.unwrap_or(false), ..DeviceConfig::default() };
        for (given, field, setting) in [
            (self.capacity_bytes, "capacityBytes", &mut device.capacity_bytes),
            (self.post_write_cache_bytes, "postWriteCacheBytes", &mut device.post_write_cache_bytes),
            (self.defrag_bytes_per_second, "defragBytesPerSecond", &mut device.defrag_bytes_per_second),
        ] {
            if let Some(given) = given {
                *setting = bytes(given, field)?;
            }
        }
        for (given, field, setting) in [
            (self.flush_interval_ms, "flushIntervalMs", &mut device.flush_interval_ms),
            (self.write_block_bytes, "writeBlockBytes", &mut device.write_block_bytes),
            (self.defrag_below_percent, "defragBelowPercent", &mut device.defrag_below_percent),
        ] {
            if let Some(given) = given {
                *setting = whole_u32(given, field, ErrorCode::ConfigInvalid)?;
            }
        }
        for (position, file) in self.devices.unwrap_or_default().into_iter().enumerate() {
            let capacity_bytes = bytes(file.capacity_bytes.unwrap_or(0.0), &format!("devices.{position}.capacityBytes"))?;
            device.devices.push(tessera_core::DeviceFile { path: file.path, capacity_bytes });
        }
        Ok(Made::Device(device))
    }

    pub fn of(config: &tessera_core::NamespaceConfig) -> Self {
        let device = match &config.engine {
            EngineConfig::Memory => {
                let max_memory_bytes = config.max_memory_bytes.map(|bytes| bytes as f64);
                return Self { engine: "memory".to_owned(), max_memory_bytes, ..Self::default() };
            }
            EngineConfig::Device(device) => device,
        };
        let file =
            |file: &tessera_core::DeviceFile| DeviceFile { path: file.path.clone(), capacity_bytes: Some(file.capacity_bytes as f64) };
        Self {
            engine: "device".to_owned(),
            capacity_bytes: Some(device.capacity_bytes as f64),
            flush_interval_ms: Some(device.flush_interval_ms.into()),
            write_block_bytes: Some(device.write_block_bytes.into()),
            devices: Some(device.devices.iter().map(file).collect()).filter(|files: &Vec<_>| !files.is_empty()),
            post_write_cache_bytes: Some(device.post_write_cache_bytes as f64),
            defrag_below_percent: Some(device.defrag_below_percent.into()),
            defrag_bytes_per_second: Some(device.defrag_bytes_per_second as f64),
            cached_io: Some(device.cached_io),
            max_memory_bytes: None,
        }
    }
}

impl DeviceInfo {
    pub fn of(namespace: &Namespace) -> Self {
        let usage = namespace.usage();
        Self {
            bytes: usage.device_bytes as f64,
            capacity_bytes: usage.device_capacity_bytes as f64,
            live_bytes: usage.live_bytes as f64,
            bytes_written: usage.bytes_written as f64,
            bytes_read: usage.bytes_read as f64,
            damaged_reads: usage.damaged_reads as f64,
            devices: namespace.disks().into_iter().map(DeviceUse::from).collect(),
        }
    }
}

impl From<DiskUsage> for DeviceUse {
    fn from(disk: DiskUsage) -> Self {
        Self {
            path: disk.path,
            kind: disk.kind.as_str(),
            access: disk.access.as_str(),
            capacity_bytes: disk.capacity_bytes as f64,
            used_bytes: disk.used_bytes as f64,
        }
    }
}
