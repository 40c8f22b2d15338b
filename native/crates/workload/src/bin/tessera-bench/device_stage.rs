//! An engine with one `device` namespace of records of one size, in a directory that the caller removes.

use crate::threads::on_threads;
use crate::{Failure, values};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig};

pub const BLOCK_BYTES: u32 = 128 * 1024;
const NAME: &str = "bench";

pub struct DeviceStage {
    pub namespace: Arc<Namespace>,
    engine: Arc<Engine>,
    directory: PathBuf,
}

impl DeviceStage {
    /// Opens the namespace in `directory`, or makes it with write blocks of `write_block_bytes`: its writes are stored within a
    /// second.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn open(directory: &Path, write_block_bytes: u32) -> Result<Self, Failure> {
        let engine = Engine::open(directory, EngineOptions::default())?;
        let device = DeviceConfig { write_block_bytes, ..DeviceConfig::default() };
        let config = NamespaceConfig { durability: Durability::Relaxed, ..NamespaceConfig::device(NAME, device) };
        let namespace = match engine.namespace(NAME) {
            Ok(namespace) => namespace,
            Err(_) => engine.create_namespace(config)?,
        };
        Ok(Self { namespace, engine, directory: directory.to_owned() })
    }

    /// Where the namespace keeps its records.
    ///
    /// # Errors
    /// When there is no data file.
    pub fn data_file(&self) -> Result<PathBuf, Failure> {
        find(&self.directory, tessera_storage::device::DATA_FILE)?.ok_or_else(|| "there is no data file".into())
    }

    /// Writes records `0..records`, values of `value_bytes`, on `threads` threads, and returns when they are on stable storage.
    ///
    /// # Errors
    /// What a write returns.
    pub fn load(&self, records: u64, value_bytes: usize, threads: u64) -> Result<(), Failure> {
        on_threads(threads, |thread| values::put(&self.namespace, (thread..records).step_by(threads as usize), value_bytes))?;
        Ok(self.namespace.sync()?)
    }
}

impl Drop for DeviceStage {
    fn drop(&mut self) {
        // Whoever wants the records synced them.
        let _ = self.engine.close();
    }
}

/// The file of that name somewhere below `directory`.
fn find(directory: &Path, name: &str) -> Result<Option<PathBuf>, Failure> {
    for entry in std::fs::read_dir(directory)? {
        let path = entry?.path();
        if path.is_dir() {
            if let Some(found) = find(&path, name)? {
                return Ok(Some(found));
            }
        } else if path.file_name().is_some_and(|found| found == name) {
            return Ok(Some(path));
        }
    }
    Ok(None)
}
