//! The workers of a job that is made of numbered tasks: as many threads as the job wants at the moment.

use super::handle::Job;
use crate::error::{Error, ErrorCode, Result};
use parking_lot::Mutex;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread;

/// What a crew does.
pub trait Work: Send + Sync + 'static {
    /// Buffers that a worker keeps from task to task.
    type Scratch: Default;

    /// Does one task. Long ones call the job's `checkpoint` in between.
    ///
    /// # Errors
    /// The first error ends the work: no further task is begun.
    fn run(&self, task: usize, scratch: &mut Self::Scratch) -> Result<()>;

    /// Called once, on the last worker, when every task is done or one has failed; finishes the job.
    fn finish(&self, outcome: Result<()>);
}

struct Crew<W> {
    job: Arc<Job>,
    tasks: usize,
    state: Mutex<State>,
    work: W,
}

#[derive(Default)]
struct State {
    /// The first task that nobody has begun.
    next: usize,
    workers: u32,
    failed: Option<Error>,
}

/// Starts the job and works on tasks `0..tasks`; threads come and go as the job's `threads` changes.
///
/// # Errors
/// `internal` when the system gives not even one thread; then `finish` is not called.
pub fn start<W: Work>(job: &Arc<Job>, tasks: usize, work: W) -> Result<()> {
    job.start();
    let crew = Arc::new(Crew { job: Arc::clone(job), tasks, state: Mutex::default(), work });
    if tasks == 0 {
        crew.work.finish(job.checkpoint());
        return Ok(());
    }
    recruit(&crew)?;
    let recruiter = Arc::clone(&crew);
    // Fewer threads than asked for is no reason to stop.
    job.on_change(move |_| _ = recruit(&recruiter));
    Ok(())
}

/// Adds workers until there are as many as the job wants, or tasks.
fn recruit<W: Work>(crew: &Arc<Crew<W>>) -> Result<()> {
    let mut state = crew.state.lock();
    loop {
        let enough = state.workers >= crew.job.target_threads() || state.workers as usize >= crew.tasks;
        if enough || state.next >= crew.tasks || state.failed.is_some() {
            return Ok(());
        }
        let worker = Arc::clone(crew);
        let spawned = thread::Builder::new().name(crew.job.spec().kind.as_str().to_owned()).spawn(move || worker.work());
        match spawned {
            Ok(_) => state.workers += 1,
            Err(_) if state.workers > 0 => return Ok(()),
            Err(error) => return Err(Error::new(ErrorCode::Internal, format!("start a thread: {error}"))),
        }
    }
}

impl<W: Work> Crew<W> {
    fn work(&self) {
        let mut scratch = W::Scratch::default();
        while let Some(task) = self.next_task() {
            let run = || self.job.checkpoint().and_then(|()| self.work.run(task, &mut scratch));
            let outcome = catch_unwind(AssertUnwindSafe(run));
            let outcome = outcome.unwrap_or_else(|_| Err(Error::new(ErrorCode::Internal, "a worker of this job panicked")));
            if let Err(error) = outcome {
                self.state.lock().failed.get_or_insert(error);
            }
        }
    }

    /// What this worker does next; `None` when it leaves. The last one to leave finishes the work.
    fn next_task(&self) -> Option<usize> {
        let mut state = self.state.lock();
        let done = state.failed.is_some() || state.next >= self.tasks;
        if !done && state.workers <= self.job.target_threads() {
            state.next += 1;
            return Some(state.next - 1);
        }
        state.workers -= 1;
        if done && state.workers == 0 {
            let outcome = state.failed.clone().map_or(Ok(()), Err);
            drop(state);
            self.work.finish(outcome);
        }
        None
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::job::{JobKind, JobLimits, JobPatch, JobRegistry, JobSpec, JobState};
    use std::sync::atomic::{AtomicU32, Ordering};
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    /// Each task says that it has begun, and waits to be told to go on.
    struct Gated {
        job: Arc<Job>,
        begun: Sender<usize>,
        go: Mutex<Receiver<()>>,
        finished: Arc<AtomicU32>,
    }

    impl Work for Gated {
        type Scratch = ();

        fn run(&self, task: usize, (): &mut ()) -> Result<()> {
            self.begun.send(task).unwrap();
            self.go.lock().recv().unwrap();
            assert_ne!(task, 99, "task 99 panics");
            Ok(())
        }

        fn finish(&self, outcome: Result<()>) {
            self.finished.fetch_add(1, Ordering::Relaxed);
            self.job.finish(outcome.map(|()| "{}".to_owned()));
        }
    }

    struct Rig {
        job: Arc<Job>,
        begun: Receiver<usize>,
        go: Sender<()>,
        finished: Arc<AtomicU32>,
        _registry: Arc<JobRegistry>,
    }

    fn rig(threads: u32, tasks: usize) -> Rig {
        let registry = JobRegistry::open(None, JobLimits::default()).unwrap();
        let job = registry.begin(JobSpec { threads, ..JobSpec::new(JobKind::IndexBuild, "n", "t") }).unwrap();
        let (begun_to, begun) = channel();
        let (go, go_from) = channel();
        let finished = Arc::new(AtomicU32::new(0));
        let work = Gated { job: job.clone(), begun: begun_to, go: Mutex::new(go_from), finished: finished.clone() };
        start(&job, tasks, work).unwrap();
        Rig { job, begun, go, finished, _registry: registry }
    }

    fn ended(rig: &Rig) -> JobState {
        rig.job.wait_blocking(Duration::from_secs(60)).state
    }

    #[test]
    fn every_task_is_done_once() {
        let rig = rig(3, 50);
        (0..50).for_each(|_| rig.go.send(()).unwrap());
        assert_eq!(ended(&rig), JobState::Done);
        let mut tasks: Vec<usize> = rig.begun.try_iter().collect();
        tasks.sort_unstable();
        assert_eq!(tasks, (0..50).collect::<Vec<_>>());
        assert_eq!(rig.finished.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn more_threads_begin_more_tasks_at_once() {
        let rig = rig(1, 10);
        rig.begun.recv().unwrap();
        rig.job.patch(JobPatch { threads: Some(4), ..JobPatch::default() }).unwrap();
        (0..3).for_each(|_| _ = rig.begun.recv().unwrap());
        rig.job.patch(JobPatch { threads: Some(1), ..JobPatch::default() }).unwrap();
        (0..10).for_each(|_| rig.go.send(()).unwrap());
        assert_eq!(ended(&rig), JobState::Done);
    }

    #[test]
    fn an_abort_ends_the_work_and_a_panic_fails_it() {
        let aborted = rig(2, 1000);
        (0..2).for_each(|_| _ = aborted.begun.recv().unwrap());
        aborted.job.abort().unwrap();
        (0..2).for_each(|_| aborted.go.send(()).unwrap());
        assert_eq!(ended(&aborted), JobState::Aborted);
        let failed = rig(1, 100);
        (0..100).for_each(|_| failed.go.send(()).unwrap());
        assert_eq!(ended(&failed), JobState::Failed);
        assert_eq!(failed.finished.load(Ordering::Relaxed), 1);
    }

    #[test]
    fn no_tasks_are_done_at_once() {
        let rig = rig(1, 0);
        assert_eq!(ended(&rig), JobState::Done);
        assert_eq!(rig.begun.try_iter().count(), 0);
    }
}
