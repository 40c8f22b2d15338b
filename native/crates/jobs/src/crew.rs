//! The workers of one job: they take items (segments, mostly) in turn, and their number follows the job's while it runs.

use crate::job::{Job, JobKind};
use parking_lot::Mutex;
use std::sync::Arc;
use tessera_base::Result;
use tessera_base::pool::{Class, Pool, caught};

/// What a crew does.
pub trait Work: Send + Sync + 'static {
    /// What one worker carries from item to item.
    type Worker: Default;

    /// Whether an item is begun only when all before it are done and their workers have left.
    fn begins_stage(&self, item: usize) -> bool {
        let _ = item;
        false
    }

    /// Does one item; looks at the job's `checkpoint` at least every few milliseconds.
    ///
    /// # Errors
    /// Any error ends the whole work with it.
    fn item(&self, worker: &mut Self::Worker, item: usize) -> Result<()>;

    /// A worker that has done its last item hands in what it carries.
    ///
    /// # Errors
    /// As `item`.
    fn leave(&self, worker: Self::Worker) -> Result<()>;

    /// Called once, when the last worker has left. Must finish the job.
    fn finish(&self, outcome: Result<()>);
}

/// The workers of one job at one work.
pub struct Crew<W: Work> {
    pool: Arc<Pool>,
    job: Arc<Job>,
    items: usize,
    work: W,
    roster: Mutex<Roster>,
}

struct Roster {
    next: usize,
    active: usize,
    outcome: Result<()>,
}

/// Helpers of whoever's answer is read have a bound of their own.
const fn class_of(kind: JobKind) -> Class {
    if kind.is_read() || matches!(kind, JobKind::Export) { Class::Stream } else { Class::Job }
}

impl<W: Work> Crew<W> {
    /// Starts the job and as many workers as it asks for, but no more than there are items, nor than the pool has threads
    /// for now: one in any case, and others later, as threads become free.
    pub fn start(pool: &Arc<Pool>, job: &Arc<Job>, items: usize, work: W) {
        let roster = Mutex::new(Roster { next: 0, active: 1, outcome: Ok(()) });
        let crew = Arc::new(Self { pool: pool.clone(), job: job.clone(), items, work, roster });
        job.start();
        let growing = crew.clone();
        job.on_change(move |_| growing.grow());
        crew.grow();
        let first = crew.clone();
        pool.spawn(move || first.serve());
    }

    /// As `start`, but the whole work is done here and now, by one worker.
    pub fn run_here(pool: &Arc<Pool>, job: &Arc<Job>, items: usize, work: W) {
        let roster = Mutex::new(Roster { next: 0, active: 1, outcome: Ok(()) });
        let crew = Arc::new(Self { pool: pool.clone(), job: job.clone(), items, work, roster });
        job.start();
        crew.serve();
    }

    fn grow(self: &Arc<Self>) {
        self.grow_from(&mut self.roster.lock());
    }

    fn grow_from(self: &Arc<Self>, roster: &mut Roster) {
        let wanted = self.job.target_threads() as usize;
        // `active` is 0 only once everything is over.
        while roster.active > 0 && roster.active < wanted && roster.active < self.items - roster.next.min(self.items) {
            let crew = self.clone();
            if !self.pool.try_help(class_of(self.job.spec().kind), roster.active, move || crew.serve()) {
                return;
            }
            roster.active += 1;
        }
    }

    /// The next item, unless there is none, or there are more workers than the job wants, or than may begin the next stage.
    /// And whether more workers could take those behind it now.
    fn take(&self) -> Option<(usize, bool)> {
        let mut roster = self.roster.lock();
        let others_busy = self.begins_stage(roster.next) && roster.active > 1;
        if others_busy || roster.outcome.is_err() || roster.next >= self.items || roster.active > self.job.target_threads() as usize {
            return None;
        }
        let begins_stage = self.begins_stage(roster.next);
        roster.next += 1;
        let short = roster.active < self.job.target_threads() as usize && !self.begins_stage(roster.next);
        Some((roster.next - 1, begins_stage || short))
    }

    fn begins_stage(&self, item: usize) -> bool {
        item > 0 && self.work.begins_stage(item)
    }

    fn serve(self: &Arc<Self>) {
        let outcome = caught(|| {
            let mut worker = W::Worker::default();
            let lane = self.job.enter_lane(self.items);
            while let Some((item, short)) = self.take() {
                lane.begin(item);
                self.job.checkpoint()?;
                if short {
                    self.grow();
                }
                self.work.item(&mut worker, item)?;
            }
            self.work.leave(worker)
        });
        let mut roster = self.roster.lock();
        if roster.outcome.is_ok() {
            roster.outcome = outcome;
        }
        // Two workers may both find one too many and leave, and so do all at the end of a stage: whoever would be the last
        // goes on while there is work.
        if roster.active == 1 && roster.outcome.is_ok() && roster.next < self.items {
            drop(roster);
            return self.serve();
        }
        roster.active -= 1;
        // The job may want more since this worker was one too many: whoever asked found it still there.
        if roster.outcome.is_ok() && !self.begins_stage(roster.next) {
            self.grow_from(&mut roster);
        }
        if roster.active == 0 {
            let outcome = std::mem::replace(&mut roster.outcome, Ok(()));
            drop(roster);
            self.finish(outcome);
        }
    }

    /// A panic in it leaves neither a job that never ends, nor a reader that waits for ever.
    fn finish(&self, outcome: Result<()>) {
        let finished = caught(|| {
            self.work.finish(outcome);
            Ok(())
        });
        if let Err(panic) = finished {
            // The abort tells the stream's reader; it fails if the job has ended already.
            let _ = self.job.abort();
            self.job.finish(Err(panic));
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{JobInfo, JobLimits, JobPatch, JobRegistry, JobSpec, JobState, LaneState};
    use parking_lot::Condvar;
    use std::collections::BTreeSet;
    use std::time::Duration;
    use tessera_base::pool::THREADS;
    use tessera_base::wait_until;

    const LONG: Duration = Duration::from_secs(120);

    #[derive(Default)]
    struct Seen {
        items: Mutex<Vec<usize>>,
        gate: Mutex<Gate>,
        changed: Condvar,
    }

    #[derive(Default)]
    struct Gate {
        inside: usize,
        open: bool,
        /// So many may leave although it is not open.
        passes: usize,
        /// Workers that have done their last item wait until it is not.
        held_at_the_end: bool,
        leaving: usize,
    }

    /// Workers that count an item and wait in it until the gate is open.
    struct Held(Arc<Seen>, Arc<Job>);

    impl Work for Held {
        type Worker = usize;

        fn item(&self, worker: &mut usize, item: usize) -> Result<()> {
            *worker += 1;
            self.1.advance(1);
            let mut gate = self.0.gate.lock();
            gate.inside += 1;
            self.0.changed.notify_all();
            while !gate.open && gate.passes == 0 {
                self.0.changed.wait_for(&mut gate, Duration::from_millis(5));
                self.1.checkpoint()?;
            }
            gate.passes = gate.passes.saturating_sub(1);
            gate.inside -= 1;
            drop(gate);
            self.0.items.lock().push(item);
            Ok(())
        }

        fn leave(&self, _: usize) -> Result<()> {
            let mut gate = self.0.gate.lock();
            gate.leaving += 1;
            self.0.changed.notify_all();
            while gate.held_at_the_end {
                self.0.changed.wait(&mut gate);
            }
            Ok(())
        }

        fn finish(&self, outcome: Result<()>) {
            self.1.finish(outcome.map(|()| "{}".to_owned()));
        }
    }

    fn begin(threads: u32) -> (Arc<JobRegistry>, Arc<Job>, Arc<Seen>, Arc<Pool>) {
        let (registry, pool) = (JobRegistry::open(None, JobLimits::default()).unwrap(), Pool::new());
        let (job, seen) = begin_on(&registry, &pool, JobKind::Scan, threads, 40);
        (registry, job, seen, pool)
    }

    fn begin_on(registry: &JobRegistry, pool: &Arc<Pool>, kind: JobKind, threads: u32, items: usize) -> (Arc<Job>, Arc<Seen>) {
        let job = registry.begin(JobSpec { threads, ..JobSpec::new(kind, "n", "t") }).unwrap();
        let seen = Arc::new(Seen::default());
        Crew::start(pool, &job, items, Held(seen.clone(), job.clone()));
        (job, seen)
    }

    fn wait_inside(seen: &Seen, wanted: usize) {
        let mut gate = seen.gate.lock();
        while gate.inside != wanted {
            assert!(!seen.changed.wait_for(&mut gate, LONG).timed_out(), "{} workers, not {wanted}", gate.inside);
        }
    }

    #[test]
    fn the_number_of_workers_follows_the_job_and_every_item_is_done_once() {
        let (_registry, job, seen, _pool) = begin(2);
        wait_inside(&seen, 2);
        job.patch(JobPatch { threads: Some(7), ..JobPatch::default() }).unwrap();
        wait_inside(&seen, 7);
        job.patch(JobPatch { threads: Some(1), ..JobPatch::default() }).unwrap();
        seen.gate.lock().open = true;
        seen.changed.notify_all();
        assert_eq!(job.wait_blocking(LONG).state, JobState::Done);
        let items = seen.items.lock();
        assert_eq!(items.len(), 40);
        assert_eq!(items.iter().copied().collect::<BTreeSet<_>>().len(), 40);
    }

    #[test]
    fn lanes_follow_the_workers_and_their_counts_are_the_jobs() {
        let (registry, job, seen, _pool) = begin(2);
        let lanes = |wanted: usize| {
            wait_until(|| registry.info(job.id()).unwrap().lanes.len() == wanted);
            registry.info(job.id()).unwrap()
        };
        let sum = |info: &JobInfo| info.lanes.iter().map(|lane| lane.done).sum::<u64>();
        let threads = |threads| job.patch(JobPatch { threads: Some(threads), ..JobPatch::default() }).unwrap();
        wait_inside(&seen, 2);
        let info = lanes(2);
        assert_eq!((info.done, sum(&info)), (2, 2));
        assert_eq!(info.lanes.iter().map(|lane| (lane.worker, lane.items)).collect::<Vec<_>>(), [(0, Some(40)), (1, Some(40))]);
        assert_eq!(info.lanes.iter().filter_map(|lane| lane.item).collect::<BTreeSet<_>>(), BTreeSet::from([0, 1]));
        threads(7);
        wait_inside(&seen, 7);
        let info = lanes(7);
        assert_eq!((info.done, sum(&info)), (7, 7));
        threads(1);
        seen.gate.lock().passes = 7;
        seen.changed.notify_all();
        assert_eq!(lanes(1).lanes.len(), 1);
        threads(5);
        wait_inside(&seen, 5);
        let info = lanes(5);
        assert!(sum(&info) <= info.done, "two have left");
        threads(7);
        wait_inside(&seen, 7);
        let info = lanes(7);
        assert_eq!(sum(&info), info.done);
        assert!(registry.list(&crate::JobQuery::default()).unwrap().jobs[0].lanes.is_empty());
        seen.gate.lock().open = true;
        seen.changed.notify_all();
        let ended = job.wait_blocking(LONG);
        assert_eq!((ended.state, ended.done, ended.lanes.len()), (JobState::Done, 40, 0));
        assert!(registry.info(job.id()).unwrap().lanes.is_empty());
    }

    #[test]
    fn a_worker_that_leaves_while_more_are_wanted_is_replaced() {
        let (_registry, job, seen, _pool) = begin(2);
        let threads = |threads| job.patch(JobPatch { threads: Some(threads), ..JobPatch::default() }).unwrap();
        wait_inside(&seen, 2);
        threads(1);
        seen.gate.lock().held_at_the_end = true;
        seen.gate.lock().passes = 1;
        seen.changed.notify_all();
        let mut gate = seen.gate.lock();
        while gate.leaving == 0 {
            assert!(!seen.changed.wait_for(&mut gate, LONG).timed_out(), "nobody leaves");
        }
        drop(gate);
        threads(2);
        seen.gate.lock().held_at_the_end = false;
        seen.changed.notify_all();
        wait_inside(&seen, 2);
        seen.gate.lock().open = true;
        seen.changed.notify_all();
        assert_eq!(job.wait_blocking(LONG).state, JobState::Done);
        assert_eq!(seen.items.lock().len(), 40);
    }

    #[test]
    fn a_paused_worker_says_so() {
        let (registry, job, seen, _pool) = begin(1);
        wait_inside(&seen, 1);
        job.patch(JobPatch { paused: Some(true), ..JobPatch::default() }).unwrap();
        wait_until(|| registry.info(job.id()).unwrap().lanes.iter().any(|lane| lane.state == LaneState::Paused));
        job.abort().unwrap();
        assert_eq!(job.wait_blocking(LONG).state, JobState::Aborted);
    }

    #[test]
    fn an_abort_ends_all_workers() {
        let (_registry, job, seen, _pool) = begin(3);
        wait_inside(&seen, 3);
        job.abort().unwrap();
        assert_eq!(job.wait_blocking(LONG).state, JobState::Aborted);
        assert!(seen.items.lock().is_empty());
    }

    #[test]
    fn streams_that_nobody_reads_leave_threads_to_all_others() {
        const ITEMS: usize = 300;
        let (registry, pool) = (JobRegistry::open(None, JobLimits::default()).unwrap(), Pool::new());
        let inside = |seen: &Seen| seen.gate.lock().inside;
        let unread: Vec<_> = (0..4).map(|_| begin_on(&registry, &pool, JobKind::Export, 128, ITEMS)).collect();
        // A stream more, and a job of another kind, which has all that it asked for.
        let (next, next_seen) = begin_on(&registry, &pool, JobKind::Scan, 128, ITEMS);
        let (build, build_seen) = begin_on(&registry, &pool, JobKind::IndexBuild, 128, ITEMS);
        wait_until(|| inside(&next_seen) > 0);
        wait_inside(&build_seen, 128);
        let streams = || unread.iter().map(|(_, seen)| inside(seen)).sum::<usize>() + inside(&next_seen);
        wait_until(|| streams() == 5 + pool.helpers(Class::Stream));
        assert_eq!(inside(&unread[0].1), 128, "one alone has all that it asked for");
        assert!(unread.windows(2).all(|two| inside(&two[0].1) > inside(&two[1].1)), "the next has a part of what is left");
        assert!(pool.helpers(Class::Stream) < THREADS / 2);
        // What ends leaves its threads to others, which take them with their next item.
        unread[0].0.abort().unwrap();
        assert_eq!(unread[0].0.wait_blocking(LONG).state, JobState::Aborted);
        next_seen.gate.lock().passes = 1;
        next_seen.changed.notify_all();
        wait_until(|| inside(&next_seen) >= 64);
        for (job, seen) in unread[1..].iter().chain([&(next, next_seen), &(build, build_seen)]) {
            seen.gate.lock().open = true;
            seen.changed.notify_all();
            assert_eq!(job.wait_blocking(LONG).state, JobState::Done);
            assert_eq!(seen.items.lock().iter().collect::<BTreeSet<_>>().len(), ITEMS);
            assert_eq!(seen.items.lock().len(), ITEMS, "each once");
        }
        wait_until(|| pool.helpers(Class::Stream) + pool.helpers(Class::Job) == 0);
    }
}
