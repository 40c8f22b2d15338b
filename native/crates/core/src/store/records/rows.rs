//! Storing rows of a bulk load: grouped by segment, one lock for many rows.

use super::options::{Exists, WriteOptions};
use super::rules::Change;
use super::write::{Attempt, Fetched, Write};
use crate::metrics::{About, Operation};
use crate::sets::SetEntry;
use crate::store::RecordStore;
use tessera_base::{Error, ErrorCode, Result};
use tessera_jobs::load::{LoadMode, LoadOutcome, Row, RowBatch};
use tessera_storage::Admission;

/// Rows stored before a segment's lock is let go, so that reads get a turn.
const ROWS_PER_LOCK: usize = 256;

impl RecordStore {
    /// Stores a batch of rows in one set. Rows that are refused are reported by line; the others are stored. On a
    /// `commit` namespace the whole batch is on stable storage when this returns.
    ///
    /// # Errors
    /// `closed`, `namespace_poisoned`, `name_invalid`, `set_limit`, `stop_writes`, `device_full`, `memory_full`, `storage_failed`:
    /// failures that the next row would meet too. Rows before it are stored.
    pub(crate) fn load_rows(&self, set: &str, batch: &RowBatch, mode: LoadMode) -> Result<LoadOutcome> {
        let about = || About { set: Some(set), records: Some(batch.rows.len() as u64), ..About::default() };
        self.latency.time(Operation::Batch, about, || self.deciding(&|store| store.store_rows(set, batch, mode)))
    }

    fn store_rows(&self, set: &str, batch: &RowBatch, mode: LoadMode) -> Result<LoadOutcome> {
        // No other store begins to decide half-way: its rows would be stored twice.
        let _long = self.link.hold_off();
        self.check_open()?;
        let mut outcome = LoadOutcome::default();
        if let Some(remote) = self.remote() {
            let stored = self.load_remote(remote, set, batch, mode, &mut outcome);
            outcome.rejected.sort_by_key(|(line, _)| *line);
            return stored.map(|()| outcome);
        }
        let set = self.sets.find_or_create(set)?;
        let stored = if set.distribution.is_some() {
            batch.rows.iter().try_for_each(|row| {
                let options = options(row, mode);
                let result = self.row(&set, batch, row, &options).and_then(|write| self.admitted(Admission::Write, || write.run()));
                outcome.count(row, result.map(|written| written.created))
            })
        } else {
            self.load_by_segment(&set, batch, mode, &mut outcome)
        };
        batch.rows.iter().try_for_each(|row| self.carry(&row.digest))?;
        self.settle()?;
        outcome.rejected.sort_by_key(|(line, _)| *line);
        stored.map(|()| outcome)
    }

    fn load_by_segment(&self, set: &SetEntry, batch: &RowBatch, mode: LoadMode, outcome: &mut LoadOutcome) -> Result<()> {
        let segment_of = |row: &Row| self.home(&row.digest);
        // Stable, so that two rows of one key are stored in the order of the input.
        let mut order: Vec<u32> = (0..batch.rows.len() as u32).collect();
        order.sort_by_key(|&n| segment_of(&batch.rows[n as usize]));
        for group in order.chunk_by(|&a, &b| segment_of(&batch.rows[a as usize]) == segment_of(&batch.rows[b as usize])) {
            let segment = segment_of(&batch.rows[group[0] as usize]);
            self.heat.wrote(segment, group.len() as u64);
            let cell = self.cell(segment);
            for rows in group.chunks(ROWS_PER_LOCK) {
                let mut rows = rows;
                self.admitted(Admission::Write, || {
                    cell.write(|segment| {
                        while let Some((&n, rest)) = rows.split_first() {
                            let row = &batch.rows[n as usize];
                            let options = options(row, mode);
                            let step = self.row(set, batch, row, &options).and_then(|write| write.step(segment, &Fetched::None));
                            outcome.count(row, step.map(|step| matches!(step, Attempt::Done(written) if written.created)))?;
                            rows = rest;
                        }
                        Ok(())
                    })
                })?;
            }
        }
        Ok(())
    }

    fn row<'a>(&'a self, set: &'a SetEntry, batch: &'a RowBatch, row: &Row, options: &'a WriteOptions) -> Result<Write<'a>> {
        let body = body_of(batch, row)?;
        self.check_length(body.len())?;
        Ok(Write { store: self, set, digest: row.digest, rules: self.rules(Change::Put(body), options, None) })
    }
}

pub(super) fn body_of<'a>(batch: &'a RowBatch, row: &Row) -> Result<&'a [u8]> {
    let body = batch.bytes.get(row.start as usize..row.end as usize);
    body.ok_or_else(|| Error::new(ErrorCode::Internal, "a row reaches past its batch"))
}

pub(super) fn options(row: &Row, mode: LoadMode) -> WriteOptions {
    let exists = match mode {
        LoadMode::Upsert => Exists::Upsert,
        LoadMode::Insert => Exists::CreateOnly,
    };
    WriteOptions { exists, ttl: row.ttl, generation: row.generation, ..WriteOptions::default() }
}
