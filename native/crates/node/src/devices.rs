//! Where the records of a namespace are: its engine, files and block devices, both ways.

use crate::choice::one_of;
use crate::clusters::ClusterConfig;
use crate::numbers::{whole, whole_u32};
use napi_derive::napi;
use tessera_base::{Error, ErrorCode, Result, Sentence, sentence};
use tessera_core::{CassandraConfig, DeviceConfig, EngineConfig, Namespace, PagedConfig};
use tessera_storage::DiskUsage;

/// A file, made with the namespace, or a block device.
#[napi(object)]
pub struct DeviceFile {
    /// Absolute.
    pub path: String,
    /// Most bytes to use of it; 0 or absent: as much as there is.
    pub capacity_bytes: Option<f64>,
}

/// Where records live. `maxMemoryBytes` is for `memory`; `pageBytes`, `cacheBytes`, `checkpointLogBytes` and
/// `checkpointIntervalSeconds` are for `paged`; capacity, flush interval and `cachedIo` are for both others, and the rest is for `device`.
#[napi(object)]
#[derive(Default)]
pub struct StorageConfig {
    #[napi(ts_type = "'memory' | 'device' | 'paged' | 'cassandra'")]
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
    /// Through the system's page cache.
    pub cached_io: Option<bool>,
    /// 4, 8, 16, 32 or 64 KiB.
    pub page_bytes: Option<f64>,
    /// Memory for pages.
    pub cache_bytes: Option<f64>,
    /// Ring of the write-ahead log.
    pub checkpoint_log_bytes: Option<f64>,
    /// Longest time between checkpoints.
    pub checkpoint_interval_seconds: Option<f64>,
    /// Most bytes of memory for records; 0 or absent: as much as there is.
    pub max_memory_bytes: Option<f64>,
    /// For `cassandra`, which has no other field.
    pub cluster: Option<ClusterConfig>,
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
    Paged(PagedConfig),
    Cassandra(CassandraConfig),
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Engine {
    Memory,
    Device,
    Paged,
    Cassandra,
}

impl StorageConfig {
    /// # Errors
    /// `config_invalid`, naming the field.
    pub fn made(self) -> Result<Made> {
        let choices = [("memory", Engine::Memory), ("device", Engine::Device), ("paged", Engine::Paged), ("cassandra", Engine::Cassandra)];
        let engine = one_of(&self.engine, "storage.engine", &choices)?;
        self.check_fields(engine)?;
        match engine {
            Engine::Memory => {
                let most = bytes(self.max_memory_bytes.unwrap_or(0.0), "maxMemoryBytes")?;
                Ok(Made::Memory(Some(most).filter(|&bytes| bytes > 0)))
            }
            Engine::Device => self.device().map(Made::Device),
            Engine::Paged => self.paged().map(Made::Paged),
            Engine::Cassandra => {
                let missing =
                    || Error::said(ErrorCode::ConfigInvalid, sentence!("a cassandra namespace needs a cluster")).in_field("cluster");
                CassandraConfig::try_from(self.cluster.ok_or_else(missing)?).map(Made::Cassandra)
            }
        }
    }

    /// A field that another engine has would be lost in silence.
    fn check_fields(&self, engine: Engine) -> Result<()> {
        let other = |given: bool, field: &str, message: Sentence| match given {
            true => Err(Error::said(ErrorCode::ConfigInvalid, message).in_field(field)),
            false => Ok(()),
        };
        if engine == Engine::Cassandra {
            for (given, field) in [
                (self.capacity_bytes.is_some(), "capacityBytes"),
                (self.flush_interval_ms.is_some(), "flushIntervalMs"),
                (self.cached_io.is_some(), "cachedIo"),
                (self.write_block_bytes.is_some(), "writeBlockBytes"),
                (self.post_write_cache_bytes.is_some(), "postWriteCacheBytes"),
                (self.defrag_below_percent.is_some(), "defragBelowPercent"),
                (self.defrag_bytes_per_second.is_some(), "defragBytesPerSecond"),
            ] {
                other(given, field, sentence!("{field} is not for cassandra namespaces, which have no disks of their own", field = field))?;
            }
        } else {
            other(self.cluster.is_some(), "cluster", sentence!("only a cassandra namespace can have a cluster"))?;
        }
        if engine != Engine::Memory {
            other(self.max_memory_bytes.is_some(), "maxMemoryBytes", sentence!("only a memory namespace can have maxMemoryBytes"))?;
        }
        if engine != Engine::Device {
            other(self.devices.is_some(), "devices", sentence!("a {engine} namespace cannot have devices", engine = &self.engine))?;
        }
        if engine != Engine::Paged {
            for (given, field) in [
                (self.page_bytes.is_some(), "pageBytes"),
                (self.cache_bytes.is_some(), "cacheBytes"),
                (self.checkpoint_log_bytes.is_some(), "checkpointLogBytes"),
                (self.checkpoint_interval_seconds.is_some(), "checkpointIntervalSeconds"),
            ] {
                other(given, field, sentence!("{field} is only for paged namespaces", field = field))?;
            }
        } else {
            for (given, field) in [
                (self.write_block_bytes.is_some(), "writeBlockBytes"),
                (self.post_write_cache_bytes.is_some(), "postWriteCacheBytes"),
                (self.defrag_below_percent.is_some(), "defragBelowPercent"),
                (self.defrag_bytes_per_second.is_some(), "defragBytesPerSecond"),
            ] {
                other(given, field, sentence!("{field} is not for paged namespaces, which have no write blocks", field = field))?;
            }
        }
        Ok(())
    }

    fn paged(self) -> Result<PagedConfig> {
        let mut paged = PagedConfig { cached_io: self.cached_io.unwrap_or(false), ..PagedConfig::default() };
        set_bytes([
            (self.capacity_bytes, "capacityBytes", &mut paged.capacity_bytes),
            (self.cache_bytes, "cacheBytes", &mut paged.cache_bytes),
            (self.checkpoint_log_bytes, "checkpointLogBytes", &mut paged.checkpoint_log_bytes),
        ])?;
        set_numbers([
            (self.page_bytes, "pageBytes", &mut paged.page_bytes),
            (self.flush_interval_ms, "flushIntervalMs", &mut paged.flush_interval_ms),
            (self.checkpoint_interval_seconds, "checkpointIntervalSeconds", &mut paged.checkpoint_interval_seconds),
        ])?;
        Ok(paged)
    }

    fn device(self) -> Result<DeviceConfig> {
        let mut device = DeviceConfig { cached_io: self.cached_io.unwrap_or(false), ..DeviceConfig::default() };
        set_bytes([
            (self.capacity_bytes, "capacityBytes", &mut device.capacity_bytes),
            (self.post_write_cache_bytes, "postWriteCacheBytes", &mut device.post_write_cache_bytes),
            (self.defrag_bytes_per_second, "defragBytesPerSecond", &mut device.defrag_bytes_per_second),
        ])?;
        set_numbers([
            (self.flush_interval_ms, "flushIntervalMs", &mut device.flush_interval_ms),
            (self.write_block_bytes, "writeBlockBytes", &mut device.write_block_bytes),
            (self.defrag_below_percent, "defragBelowPercent", &mut device.defrag_below_percent),
        ])?;
        for (position, file) in self.devices.unwrap_or_default().into_iter().enumerate() {
            let capacity_bytes = bytes(file.capacity_bytes.unwrap_or(0.0), &format!("devices.{position}.capacityBytes"))?;
            device.devices.push(tessera_core::DeviceFile { path: file.path, capacity_bytes });
        }
        Ok(device)
    }

    pub fn of(config: &tessera_core::NamespaceConfig) -> Self {
        let device = match &config.engine {
            EngineConfig::Memory => {
                let max_memory_bytes = config.max_memory_bytes.map(|bytes| bytes as f64);
                return Self { engine: "memory".to_owned(), max_memory_bytes, ..Self::default() };
            }
            EngineConfig::Device(device) => device,
            EngineConfig::Paged(paged) => return Self::of_paged(paged),
            EngineConfig::Cassandra(cassandra) => {
                return Self { engine: "cassandra".to_owned(), cluster: Some(cassandra.into()), ..Self::default() };
            }
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
            ..Self::default()
        }
    }

    fn of_paged(paged: &PagedConfig) -> Self {
        Self {
            engine: "paged".to_owned(),
            capacity_bytes: Some(paged.capacity_bytes as f64),
            flush_interval_ms: Some(paged.flush_interval_ms.into()),
            cached_io: Some(paged.cached_io),
            page_bytes: Some(paged.page_bytes.into()),
            cache_bytes: Some(paged.cache_bytes as f64),
            checkpoint_log_bytes: Some(paged.checkpoint_log_bytes as f64),
            checkpoint_interval_seconds: Some(paged.checkpoint_interval_seconds.into()),
            ..Self::default()
        }
    }
}

fn bytes(bytes: f64, field: &str) -> Result<u64> {
    whole(bytes, field, ErrorCode::ConfigInvalid)
}

/// Settings that were given; the others stay.
fn set_bytes<const N: usize>(settings: [(Option<f64>, &str, &mut u64); N]) -> Result<()> {
    for (given, field, setting) in settings {
        if let Some(given) = given {
            *setting = bytes(given, field)?;
        }
    }
    Ok(())
}

/// As `set_bytes`.
fn set_numbers<const N: usize>(settings: [(Option<f64>, &str, &mut u32); N]) -> Result<()> {
    for (given, field, setting) in settings {
        if let Some(given) = given {
            *setting = whole_u32(given, field, ErrorCode::ConfigInvalid)?;
        }
    }
    Ok(())
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
