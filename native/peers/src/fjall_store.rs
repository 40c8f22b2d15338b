//! `fjall`: a log-structured merge tree. Compression and the sizes of its tables in memory are as it comes.

use crate::Trouble;
use crate::store::Store;
use fjall::{Database, Keyspace, KeyspaceCreateOptions, PersistMode};
use std::path::Path;

pub struct Fjall {
    database: Database,
    records: Keyspace,
}

impl Fjall {
    /// # Errors
    /// What the store says.
    pub fn create(directory: &Path, cache_bytes: u64) -> Result<Self, Trouble> {
        let database = Database::builder(directory.join("fjall")).cache_size(cache_bytes).open()?;
        let records = database.keyspace("usertable", KeyspaceCreateOptions::default)?;
        Ok(Self { database, records })
    }
}

impl Store for Fjall {
    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, Trouble> {
        value.clear();
        let found = self.records.get(key)?;
        if let Some(found) = &found {
            value.extend_from_slice(found);
        }
        Ok(found.is_some())
    }

    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), Trouble> {
        Ok(self.records.insert(key, value)?)
    }

    /// Two updates of one record at once may lose one of them, which costs the store less than a transaction would.
    fn update(&self, key: &[u8], begin: usize, bytes: &[u8], value: &mut Vec<u8>) -> Result<bool, Trouble> {
        if !self.get(key, value)? {
            return Ok(false);
        }
        value[begin..begin + bytes.len()].copy_from_slice(bytes);
        self.put(key, value)?;
        Ok(true)
    }

    fn sync(&self) -> Result<(), Trouble> {
        Ok(self.database.persist(PersistMode::SyncData)?)
    }
}
