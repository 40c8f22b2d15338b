//! The scrub: a job that reads all that is stored and names the records that are damaged.
//!
//! Blocks are read one after the other, at a bounded rate. A block in which less was found than the index refers to is
//! suspect; at the end each record that lies in such a block is read by itself. Only one that is damaged at a place that
//! the index still names afterwards is: a place may be used again meanwhile.

use crate::config::Feature;
use crate::store::RecordStore;
use std::collections::HashSet;
use std::sync::Arc;
use std::sync::atomic::Ordering::Relaxed;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_jobs::{Job, JobKind, JobSpec, Unit};
use tessera_storage::{Scrub, SlotRecord};

/// Bytes a second that a scrub reads unless told otherwise.
pub const SCRUB_BYTES_PER_SECOND: u32 = 64 * 1024 * 1024;
/// Slots looked at in one hold of a segment's lock.
const STEP: u32 = 4096;
/// Damaged block headers that a result names; the rest are counted.
const PLACES_MOST: usize = 1000;

#[derive(Default)]
struct Found {
    blocks: u64,
    records: u64,
    suspects: HashSet<u64>,
    headers: u64,
    places: Vec<String>,
}

impl RecordStore {
    /// Starts a job that reads every stored block, at most `bytes_per_second` (0: no bound). Its result counts blocks, bytes and
    /// records; damaged records are listed by the job.
    ///
    /// # Errors
    /// `unsupported` where bodies are in memory; `job_limit`, `closed`.
    pub fn scrub(self: &Arc<Self>, bytes_per_second: Option<u32>) -> Result<Arc<Job>> {
        self.require(Feature::Disks)?;
        self.check_open()?;
        let unsupported = || {
            Error::said(ErrorCode::Unsupported, sentence!("the namespace \"{name}\" does not use the device engine", name = self.name()))
        };
        let scrub = self.storage.scrub().ok_or_else(unsupported)?;
        let blocks = scrub.blocks();
        let rate = bytes_per_second.unwrap_or(SCRUB_BYTES_PER_SECOND);
        let job = self.resources.jobs.begin(JobSpec {
            unit: Unit::Bytes,
            total: Some(blocks.len() as u64 * scrub.block_bytes()),
            parameters: serde_json::json!({ "bytesPerSecond": rate }).to_string(),
            records_per_second: Some(rate).filter(|rate| *rate > 0),
            ..JobSpec::new(JobKind::Scrub, self.named(), format!("Scrub {}", self.name()))
        })?;
        job.start();
        let (store, running) = (self.clone(), job.clone());
        self.resources.pool.spawn(move || running.run(|job| store.scrub_all(&blocks, job)));
        Ok(job)
    }

    /// Damaged records and block headers that the last scrub found.
    pub fn scrub_damage(&self) -> u64 {
        self.scrub_damage.load(Relaxed)
    }

    fn scrub_all(&self, blocks: &[u64], job: &Job) -> Result<String> {
        let Some(scrub) = self.storage.scrub() else { return Ok("{}".to_owned()) };
        let mut found = Found::default();
        for &number in blocks {
            job.pace(scrub.block_bytes(), |_| Ok(()))?;
            let check = scrub.check(number, &|segment, digest, location| {
                let cell = self.segments.get(usize::from(segment));
                cell.is_some_and(|cell| {
                    let segment = cell.read();
                    // Only devices have blocks to check, and their index is in memory.
                    segment.slots().is_some_and(|slots| {
                        slots.find(digest).and_then(|slot| slots.get(slot)).is_some_and(|record| record.location == location)
                    })
                })
            });
            found.blocks += u64::from(check.bytes > 0);
            found.records += check.records;
            if check.suspect {
                found.suspects.insert(number);
            }
            if check.header_damaged {
                found.headers += 1;
                if found.places.len() < PLACES_MOST {
                    found.places.push(scrub.name_of(number));
                }
            }
            job.advance(scrub.block_bytes());
        }
        if !found.suspects.is_empty() {
            self.question(scrub, &found.suspects, job)?;
        }
        let damaged = job.damaged_records();
        self.scrub_damage.store(damaged + found.headers, Relaxed);
        let result = serde_json::json!({
            "blocks": found.blocks,
            "records": found.records,
            "damagedRecords": damaged,
            "damagedBlocks": found.headers,
            "damagedBlockPlaces": found.places,
        });
        Ok(result.to_string())
    }

    /// Reads each record that lies in a suspect block.
    fn question(&self, scrub: &dyn Scrub, suspects: &HashSet<u64>, job: &Job) -> Result<()> {
        let mut body = Vec::new();
        for cell in &self.segments {
            let (mut from, mut end) = (0, 1);
            while from < end {
                let mut asked = Vec::new();
                {
                    let segment = cell.read();
                    end = segment.end();
                    for slot in from..end.min(from.saturating_add(STEP)) {
                        let record = segment.record(slot)?.filter(|record| suspects.contains(&scrub.block_of(record.location)));
                        asked.extend(record.map(|record| (slot, segment.sets().set_of(slot), record)));
                    }
                }
                for (slot, set, record) in asked {
                    job.pace(cell.read().stored_bytes(record.location) as u64, |_| Ok(()))?;
                    let current = || Ok(cell.read().record(slot)?.filter(|now| now.digest == record.digest));
                    if let Err(error) = verify(scrub, record, &current, &mut body) {
                        let set = self.set_by_id(set).map(|set| set.name.to_string()).unwrap_or_default();
                        job.damaged(set, &record.digest, &error);
                    }
                }
                job.checkpoint()?;
                from = from.saturating_add(STEP);
            }
        }
        Ok(())
    }
}

/// Reads a record from where it is stored, following it where it moves.
///
/// # Errors
/// Why it cannot be read at a place that the index still names.
fn verify(scrub: &dyn Scrub, met: SlotRecord, current: &dyn Fn() -> Result<Option<SlotRecord>>, body: &mut Vec<u8>) -> Result<()> {
    let mut record = met;
    loop {
        let outcome = scrub.verify(record.location, &record.digest, &record.meta, body);
        match (outcome, current()?) {
            (Ok(true), _) | (_, None) => return Ok(()),
            (Err(error), Some(now)) if now.location == record.location => return Err(error),
            // An update may have been looked up before all of it was there.
            (Ok(false), Some(now)) if now.location == record.location && now.meta == record.meta => {
                return Err(Error::said(ErrorCode::RecordDamaged, sentence!("the index points to another record")));
            }
            (_, Some(now)) => record = now,
        }
    }
}
