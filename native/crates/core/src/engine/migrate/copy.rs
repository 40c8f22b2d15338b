//! The job that makes two stores the same: it copies, and then compares every record of both.
//!
//! A record is looked at in the store that leads and made the same in the other, in turn with those
//! who change it. So it is right under load, and a record that is deleted meanwhile does not come
//! back. The comparison does so with what it finds to differ, and with nothing else.

use super::counts::{Counters, MigrationCounts};
use super::migration::Migration;
use crate::store::{MetRecord, Outcome, Reason, RecordStore, Seen, passes};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result, sentence};
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
    /// Both, in the order in which their records are compared.
    compared: [Arc<RecordStore>; 2],
    /// What the first comparison has seen of the second store.
    seen: Option<Seen>,
    job: Arc<Job>,
    counters: Arc<Counters>,
}

/// What is done with a part of a store.
#[derive(Clone, Copy)]
enum Stage {
    Copy,
    Compare,
    /// What the comparison before has not seen.
    CompareRest,
}

/// Opens the window in which changes go to both stores, and starts to make both the same.
pub(super) fn begin(migration: &Arc<Migration>, job: &Arc<Job>) {
    let (leader, follower, counters) = match migration.double(job) {
        Ok(doubled) => doubled,
        Err(error) => return job.finish(Err(error)),
    };
    let (items, pool) = (leader.walk_parts() * 2 + follower.walk_parts(), leader.pool().clone());
    // A cluster sends its records in pages; to ask it for each of those here takes much longer.
    let (first, second) = if follower.is_elsewhere() { (&follower, &leader) } else { (&leader, &follower) };
    let (compared, seen) = ([first.clone(), second.clone()], second.unseen());
    let (migration, ready, job) = (migration.clone(), OnceLock::new(), job.clone());
    Crew::start(&pool, &job.clone(), items, Copy { migration, ready, leader, follower, compared, seen, job, counters });
}

impl Copy {
    /// The first items of the two comparisons.
    fn comparisons(&self) -> [usize; 2] {
        let first = self.leader.walk_parts();
        [first, first + self.compared[0].walk_parts()]
    }

    /// What an item is: a part of a store.
    fn stage(&self, item: usize) -> (Stage, &Arc<RecordStore>, usize) {
        let ([first, second], [one, other]) = (self.comparisons(), &self.compared);
        match item {
            item if item < first => (Stage::Copy, &self.leader, item),
            item if item < second => (Stage::Compare, one, item - first),
            item => (Stage::CompareRest, other, item - second),
        }
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

    fn copy(&self, walked: &Arc<RecordStore>, met: &MetRecord) -> Result<()> {
        self.counters.copied(self.converge(walked, met, Reason::Copy)? != Outcome::Same);
        Ok(())
    }

    fn compare(&self, walked: &Arc<RecordStore>, met: &MetRecord, seen: Option<&Seen>) -> Result<()> {
        let set = walked.set_by_id(met.set);
        let is_same = || set.is_some_and(|set| self.leader.is_same(Arc::ptr_eq(walked, &self.leader), &set.name, met, seen));
        let differs = !is_same() && self.converge(walked, met, Reason::Difference)? != Outcome::Same;
        self.counters.compared(differs);
        Ok(())
    }

    fn converge(&self, walked: &RecordStore, met: &MetRecord, why: Reason) -> Result<Outcome> {
        let (Some(set), digest) = (walked.set_by_id(met.set), &met.digest) else { return Ok(Outcome::Same) };
        let began = Instant::now();
        // What a change has given up is answered with its reason, which may look as if it passed.
        let may_pass = |error: &Error| passes(error) && self.leader.mirror_failure().is_none() && began.elapsed() < PATIENCE;
        loop {
            match self.leader.converge(&set.name, digest, why) {
                Err(error) if may_pass(&error) => self.job.look_again()?,
                Err(error) if error.code != ErrorCode::MigrationFailed => {
                    return Err(error.within(|why| {
                        sentence!(
                            "the record {digest} of the set \"{set}\": {why}",
                            digest = digest.to_string(),
                            set = &*set.name,
                            why = why
                        )
                    }));
                }
                converged => return converged,
            }
        }
    }
}

impl Work for Copy {
    type Worker = ();

    fn begins_stage(&self, item: usize) -> bool {
        self.comparisons().contains(&item)
    }

    fn item(&self, (): &mut (), item: usize) -> Result<()> {
        let (stage, walked, part) = self.stage(item);
        self.ready.get_or_init(|| self.prepare()).clone()?;
        let (bodies, seen) = match stage {
            Stage::Copy => (false, None),
            Stage::Compare => (true, None),
            Stage::CompareRest => (true, self.seen.as_ref()),
        };
        if bodies {
            self.migration.verifies(&self.job);
        }
        walked.walk_part(part, STEP, bodies, seen, &mut |found| {
            for some in found.chunks(self.job.step_of(PACE)) {
                self.job.pace(some.len() as u64, |_| Ok(()))?;
                some.iter().try_for_each(|met| match stage {
                    Stage::Copy => self.copy(walked, met),
                    Stage::Compare => self.compare(walked, met, self.seen.as_ref()),
                    Stage::CompareRest if met.seen => {
                        self.counters.compared(false);
                        Ok(())
                    }
                    Stage::CompareRest => self.compare(walked, met, None),
                })?;
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
