//! The job that makes two stores the same: it copies, and then compares every record of both.
//!
//! A record is looked at in the store that leads and made the same in the other, in turn with those
//! who change it. So it is right under load, and a record that is deleted meanwhile does not come
//! back. The comparison does so with what it finds to differ, and with nothing else.

use super::counts::{Counters, MigrationCounts};
use super::migration::Migration;
use crate::store::{MetRecord, Outcome, RecordStore, passes};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result};
use tessera_jobs::{Crew, Job, Work};

/// Slots looked at in one hold of a segment's lock, or rows of a page.
const STEP: usize = 256;
/// Records between two looks at the job.
const PACE: usize = 16;
/// It waits so long for a cluster that does not answer.
const PATIENCE: Duration = Duration::from_secs(30);

struct Copy {
    migration: Arc<Migration>,
    /// What came of preparing both stores, which the first worker does.
    ready: OnceLock<Result<()>>,
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
    let (items, pool) = (leader.walk_parts() * 2 + follower.walk_parts(), leader.pool().clone());
    let copy = Copy { migration: migration.clone(), ready: OnceLock::new(), leader, follower, job: job.clone(), counters };
    Crew::start(&pool, job, items, copy);
}

impl Copy {
    /// Where the comparison of the store that leads begins, and of the one that follows.
    fn stages(&self) -> (usize, usize) {
        (self.leader.walk_parts(), self.leader.walk_parts() * 2)
    }

    /// Keeps other servers from writing where a cluster has one of the stores, and gives that one the indexes that it lacks.
    fn prepare(&self) -> Result<()> {
        let mut wait = || {
            self.leader.check_mirror()?;
            self.job.look_again()
        };
        [&self.leader, &self.follower].into_iter().try_for_each(|store| store.reserve(&mut wait))?;
        self.migration.index_follower()
    }

    fn is_same(&self, walked: &Arc<RecordStore>, met: &MetRecord) -> bool {
        let set = walked.set_by_id(met.set);
        set.is_some_and(|set| self.leader.is_same(Arc::ptr_eq(walked, &self.leader), &set.name, met))
    }

    fn converge(&self, walked: &RecordStore, met: &MetRecord) -> Result<Outcome> {
        let (Some(set), digest) = (walked.set_by_id(met.set), &met.digest) else { return Ok(Outcome::Same) };
        let began = Instant::now();
        // What a change has given up is answered with its reason, which may look as if it passed.
        let may_pass = |error: &Error| passes(error) && self.leader.mirror_failure().is_none() && began.elapsed() < PATIENCE;
        loop {
            match self.leader.converge(&set.name, digest) {
                Err(error) if may_pass(&error) => self.job.look_again()?,
                Err(error) if error.code != ErrorCode::MigrationFailed => {
                    let message = format!("the record {digest} of the set {:?}: {}", &*set.name, error.message);
                    return Err(Error { message, ..error });
                }
                converged => return converged,
            }
        }
    }
}

impl Work for Copy {
    type Worker = ();

    fn begins_stage(&self, item: usize) -> bool {
        let (compare, backwards) = self.stages();
        item == compare || item == backwards
    }

    fn item(&self, (): &mut (), item: usize) -> Result<()> {
        let (compare, backwards) = self.stages();
        let (walked, part) = if item < backwards { (&self.leader, item % compare) } else { (&self.follower, item - backwards) };
        self.ready.get_or_init(|| self.prepare()).clone()?;
        if item >= compare {
            self.migration.verifies(&self.job);
        }
        walked.walk_part(part, STEP, item >= compare, &mut |found| {
            for some in found.chunks(self.job.step_of(PACE)) {
                self.job.pace(some.len() as u64, |_| Ok(()))?;
                for met in some {
                    match item < compare {
                        true => self.counters.copied(self.converge(walked, met)? != Outcome::Same),
                        false => self.counters.compared(!self.is_same(walked, met) && self.converge(walked, met)? != Outcome::Same),
                    }
                }
                self.job.advance(some.len() as u64);
            }
            self.job.checkpoint()
        })
    }

    fn leave(&self, (): ()) -> Result<()> {
        Ok(())
    }

    fn finish(&self, outcome: Result<()>) {
        let MigrationCounts { copied, compared, repaired } = self.counters.read();
        let result = serde_json::json!({ "copied": copied, "compared": compared, "repaired": repaired });
        let settled = self.migration.settle(&self.job, outcome);
        self.job.finish(settled.map(|()| result.to_string()));
    }
}
