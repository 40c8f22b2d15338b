//! What the import hands to a namespace: encoded rows, many at a time.

use std::collections::HashMap;
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::{Digest, KeyLimit, Ttl};

/// Rows that were parsed together. `bytes` holds their bodies back to back; both vectors are reused from batch to batch.
#[derive(Debug, Default)]
pub struct RowBatch {
    pub bytes: Vec<u8>,
    pub rows: Vec<Row>,
    pub sets: OtherSets,
}

/// Names of the sets, other than the import's, that rows of a batch go to.
#[derive(Debug, Default)]
pub struct OtherSets {
    names: Vec<Box<str>>,
    numbers: HashMap<Box<str>, u32>,
}

/// One row: where its body lies in the batch, and what decides its place.
#[derive(Clone, Copy, Debug)]
pub struct Row {
    /// Line of the input where the row starts, from 1.
    pub line: u64,
    pub start: u32,
    pub end: u32,
    pub digest: Digest,
    pub ttl: Ttl,
    /// The generation that the record gets. `None`: the one that a write gives it.
    pub generation: Option<u16>,
    /// Its set in `RowBatch::sets`. `None`: that of the import.
    pub set: Option<u32>,
}

/// What becomes of a row whose key is already there.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum LoadMode {
    /// It replaces the record.
    #[default]
    Upsert,
    /// It is rejected with `record_exists`.
    Insert,
}

/// What became of a batch. Every row is counted once.
#[derive(Debug, Default)]
pub struct LoadOutcome {
    pub inserted: u64,
    pub updated: u64,
    /// Line and reason.
    pub rejected: Vec<(u64, Error)>,
}

/// Where rows go. The namespace is one; tests have their own.
pub trait RowSink: Send + Sync {
    /// Makes `set` ready for rows before the first batch, and says which bin decides a row's segment, if one does.
    /// `distribution_bin` is what the import asked for: a new set gets it, a set that has another refuses.
    ///
    /// # Errors
    /// `name_invalid`, `set_limit`, `config_invalid`.
    fn prepare(&self, set: &str, distribution_bin: Option<&str>) -> Result<Option<String>>;

    /// Largest record body it takes, bytes.
    fn max_record_bytes(&self) -> usize;

    /// How long keys may be.
    fn key_limit(&self) -> KeyLimit {
        KeyLimit::default()
    }

    /// Whether a record has one bin, `value`.
    fn single_bin(&self) -> bool {
        false
    }

    /// What tells this sink from others of its name, if what it stores outlives the process once `sync` has returned.
    fn lasting(&self) -> Option<u64> {
        None
    }

    /// Waits until what was stored so far is on stable storage.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`.
    fn sync(&self) -> Result<()> {
        Ok(())
    }

    /// Stores a batch, keeping every index. Called by several threads at once.
    ///
    /// # Errors
    /// A failure of the whole batch (`memory_full`, `device_full`, `namespace_poisoned`, ...); it ends the import. A
    /// row that alone is at fault goes into `LoadOutcome::rejected`.
    fn load_rows(&self, set: &str, batch: &RowBatch, mode: LoadMode) -> Result<LoadOutcome>;
}

impl RowBatch {
    /// Forgets the rows, keeps the memory.
    pub fn clear(&mut self) {
        self.bytes.clear();
        self.rows.clear();
        self.sets.names.clear();
        self.sets.numbers.clear();
    }

    /// The body of a row of this batch.
    #[inline]
    pub fn body(&self, row: &Row) -> &[u8] {
        &self.bytes[row.start as usize..row.end as usize]
    }
}

impl OtherSets {
    /// The number of a set, known from now on.
    pub fn number(&mut self, name: &str) -> u32 {
        // Rows of one set mostly stand together.
        match self.names.last() {
            Some(last) if **last == *name => self.names.len() as u32 - 1,
            _ => self.numbers.get(name).copied().unwrap_or_else(|| {
                let number = self.names.len() as u32;
                self.names.push(name.into());
                self.numbers.insert(name.into(), number);
                number
            }),
        }
    }

    pub fn is_empty(&self) -> bool {
        self.names.is_empty()
    }

    pub fn name(&self, number: u32) -> Option<&str> {
        self.names.get(number as usize).map(|name| &**name)
    }
}

impl LoadOutcome {
    /// Adds what became of other rows.
    pub fn add(&mut self, other: Self) {
        self.inserted += other.inserted;
        self.updated += other.updated;
        self.rejected.extend(other.rejected);
    }

    /// Counts one row: created or not, or refused.
    ///
    /// # Errors
    /// What is not the fault of the row.
    #[inline]
    pub fn count(&mut self, row: &Row, result: Result<bool>) -> Result<()> {
        match result {
            Ok(true) => self.inserted += 1,
            Ok(false) => self.updated += 1,
            Err(error) => match error.code {
                ErrorCode::RecordExists
                | ErrorCode::RecordTooLarge
                | ErrorCode::TtlInvalid
                | ErrorCode::SetQuota
                | ErrorCode::SingleBin => self.rejected.push((row.line, error)),
                _ => return Err(error),
            },
        }
        Ok(())
    }
}
