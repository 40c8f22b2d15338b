//! `redb`: a copy-on-write B-tree with one writer at a time. A write is a transaction of its own.

use crate::Trouble;
use crate::store::Store;
use redb::{Database, Durability, ReadableDatabase, ReadableTable, TableDefinition};
use std::path::Path;

const TABLE: TableDefinition<'_, &[u8], &[u8]> = TableDefinition::new("usertable");

pub struct Redb {
    database: Database,
}

impl Redb {
    /// # Errors
    /// What the store says.
    pub fn create(directory: &Path, cache_bytes: u64) -> Result<Self, Trouble> {
        let database = Database::builder().set_cache_size(usize::try_from(cache_bytes)?).create(directory.join("redb"))?;
        let write = database.begin_write()?;
        write.open_table(TABLE)?;
        write.commit()?;
        Ok(Self { database })
    }
}

impl Store for Redb {
    fn get(&self, key: &[u8], value: &mut Vec<u8>) -> Result<bool, Trouble> {
        value.clear();
        let table = self.database.begin_read()?.open_table(TABLE)?;
        let found = table.get(key)?;
        if let Some(found) = &found {
            value.extend_from_slice(found.value());
        }
        Ok(found.is_some())
    }

    fn put(&self, key: &[u8], value: &[u8]) -> Result<(), Trouble> {
        let mut write = self.database.begin_write()?;
        write.set_durability(Durability::None)?;
        write.open_table(TABLE)?.insert(key, value)?;
        Ok(write.commit()?)
    }

    fn update(&self, key: &[u8], begin: usize, bytes: &[u8], value: &mut Vec<u8>) -> Result<bool, Trouble> {
        let mut write = self.database.begin_write()?;
        write.set_durability(Durability::None)?;
        {
            let mut table = write.open_table(TABLE)?;
            value.clear();
            match table.get(key)? {
                Some(found) => value.extend_from_slice(found.value()),
                None => return Ok(false),
            }
            value[begin..begin + bytes.len()].copy_from_slice(bytes);
            table.insert(key, value.as_slice())?;
        }
        write.commit()?;
        Ok(true)
    }

    fn sync(&self) -> Result<(), Trouble> {
        let mut write = self.database.begin_write()?;
        write.set_durability(Durability::Immediate)?;
        Ok(write.commit()?)
    }
}
