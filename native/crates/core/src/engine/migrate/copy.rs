//! The job that makes two stores the same: it copies, and then compares every record of both.
//!
//! Each step is the same: a record is looked at in the store that leads and made the same in the
//! other, in turn with those who change it. So it is right under load, and a record that is deleted
//! meanwhile does not come back.

use super::counts::{Counters, MigrationCounts};
use super::migration::Migration;
use crate::store::{Outcome, RecordStore};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result};
use tessera_jobs::{Crew, Job, Work};
use tessera_record::Digest;

/// Slots looked at in one hold of a segment's lock.
const STEP: usize = 256;
/// Records between two looks at the job.
const PACE: usize = 16;

struct Copy {
    migration: Arc<Migration>,
    leader: Arc<RecordStore>,
    follower: Arc<RecordStore>,
    job: Arc<Job>,
    counters: Arc<Counters>,
}

/// Opens the window in which changes go to both stores, and starts to make both the same.
pub(super) fn begin(migration: &Arc<Migration>, job: &Arc<Job>) {
    let (leader, follower, counters) = match migration.double(job) {
        Ok(doubled) => doubled,
        Err(error) => return job.finish(Err(error)),
    };
    let (items, pool) = (leader.cells().len() * 2 + follower.cells().len(), leader.pool().clone());
    let copy = Copy { migration: migration.clone(), leader, follower, job: job.clone(), counters };
    Crew::start(&pool, job, items, copy);
}

impl Copy {
    /// Where the comparison of the store that leads begins, and of the one that follows.
    fn stages(&self) -> (usize, usize) {
        (self.leader.cells().len(), self.leader.cells().len() * 2)
    }

    fn converge(&self, walked: &RecordStore, set: u16, digest: &Digest) -> Result<Outcome> {
        let Some(set) = walked.set_by_id(set) else { return Ok(Outcome::Same) };
        self.leader.converge(&set.name, digest).map_err(|error| match error.code {
            ErrorCode::MigrationFailed => error,
            _ => Error { message: format!("the record {digest} of the set {:?}: {}", &*set.name, error.message), ..error },
        })
    }
}

impl Work for Copy {
    type Worker = Vec<(u16, Digest)>;

    fn begins_stage(&self, item: usize) -> bool {
        let (compare, backwards) = self.stages();
        item == compare || item == backwards
    }

    fn item(&self, found: &mut Self::Worker, item: usize) -> Result<()> {
        let (compare, backwards) = self.stages();
        let (walked, cell) = if item < backwards { (&self.leader, item % compare) } else { (&self.follower, item - backwards) };
        if item >= compare {
            self.migration.verifies(&self.job);
        }
        let mut from = Some(0);
        while let Some(slot) = from {
            found.clear();
            from = walked.records_from(cell, slot, STEP, found)?;
            for some in found.chunks(self.job.step_of(PACE)) {
                self.job.pace(some.len() as u64, |_| Ok(()))?;
                for (set, digest) in some {
                    let changed = self.converge(walked, *set, digest)? != Outcome::Same;
                    match item < compare {
                        true => self.counters.copied(changed),
                        false => self.counters.compared(changed),
                    }
                }
                self.job.advance(some.len() as u64);
            }
            self.job.checkpoint()?;
        }
        Ok(())
    }

    fn leave(&self, _: Self::Worker) -> Result<()> {
        Ok(())
    }

    fn finish(&self, outcome: Result<()>) {
        let MigrationCounts { copied, compared, repaired } = self.counters.read();
        let result = serde_json::json!({ "copied": copied, "compared": compared, "repaired": repaired });
        let settled = self.migration.settle(&self.job, outcome);
        self.job.finish(settled.map(|()| result.to_string()));
    }
}
