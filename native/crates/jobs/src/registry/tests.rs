mod history;
mod list;
mod log_cut;

use super::*;
use crate::{JobKind, JobState};
use std::sync::mpsc;
use std::thread;

const LONG: Duration = Duration::from_secs(120);

fn registry() -> Arc<JobRegistry> {
    JobRegistry::open(None, JobLimits { running: 4, kept: 10, ..JobLimits::default() }).unwrap()
}

fn listed(jobs: &JobRegistry) -> Vec<JobInfo> {
    jobs.list(&JobQuery::default()).unwrap().jobs
}

fn spec(kind: JobKind) -> JobSpec {
    JobSpec { total: Some(1000), threads: 2, ..JobSpec::new(kind, "test", "a title") }
}

#[test]
fn a_job_goes_from_queued_to_done_and_stays_visible() {
    let jobs = registry();
    let job = jobs.begin(spec(JobKind::Import)).unwrap();
    assert_eq!(jobs.info(job.id()).unwrap().state, JobState::Queued);
    job.start();
    job.advance(250);
    let running = jobs.info(job.id()).unwrap();
    assert_eq!((running.state, running.done, running.total), (JobState::Running, 250, Some(1000)));
    job.finish(Ok("{\"rows\":250}".to_owned()));
    job.finish(Err(Error::new(ErrorCode::Internal, "too late")));
    let done = jobs.info(job.id()).unwrap();
    assert_eq!((done.state, done.result.as_deref(), done.error), (JobState::Done, Some("{\"rows\":250}"), None));
    assert_eq!(jobs.abort(job.id()).unwrap_err().code, ErrorCode::JobFinished);
    assert_eq!(jobs.patch(job.id(), JobPatch::default()).unwrap_err().code, ErrorCode::JobFinished);
    assert_eq!(jobs.info("nope").unwrap_err().code, ErrorCode::JobNotFound);
    assert_eq!(jobs.marks().take().iter().map(|m| m.kind.as_str()).collect::<Vec<_>>(), ["job-start", "job-end"]);
}

#[test]
fn abort_wakes_a_paused_worker_and_listeners() {
    let jobs = registry();
    let job = jobs.begin(spec(JobKind::IndexBuild)).unwrap();
    let (heard, listener) = mpsc::channel();
    job.on_change(move |job| heard.send(job.should_stop()).unwrap());
    jobs.patch(job.id(), JobPatch { paused: Some(true), ..JobPatch::default() }).unwrap();
    let worker = Arc::clone(&job);
    let thread = thread::spawn(move || worker.run(|job| job.checkpoint().map(|()| "{}".to_owned())));
    jobs.abort(job.id()).unwrap();
    let ended = job.wait_blocking(LONG);
    thread.join().unwrap();
    assert_eq!(ended.state, JobState::Aborted);
    assert_eq!(ended.error.unwrap().code, "aborted");
    assert_eq!(listener.try_iter().collect::<Vec<_>>(), [false, true]);
}

#[test]
fn a_job_that_was_aborted_for_a_cause_fails_with_the_first_cause() {
    let jobs = registry();
    let job = jobs.begin(spec(JobKind::Export)).unwrap();
    job.abort_because(Error::new(ErrorCode::ReaderStalled, "nobody reads")).unwrap();
    job.abort_because(Error::new(ErrorCode::Internal, "too late")).unwrap();
    job.abort().unwrap();
    job.run(|job| job.checkpoint().map(|()| "{}".to_owned()));
    let ended = jobs.info(job.id()).unwrap();
    assert_eq!(ended.state, JobState::Failed);
    assert_eq!(ended.error.map(|error| error.code), Some("reader_stalled".to_owned()));
    // What failed by itself says so, and what was done is done.
    let job = jobs.begin(spec(JobKind::Export)).unwrap();
    job.abort_because(Error::new(ErrorCode::ReaderStalled, "nobody reads")).unwrap();
    job.finish(Err(Error::new(ErrorCode::StorageFailed, "the disk is gone")));
    assert_eq!(jobs.info(job.id()).unwrap().error.map(|error| error.code), Some("storage_failed".to_owned()));
}

#[test]
fn the_jobs_that_run_are_listed_without_those_that_ended() {
    let jobs = registry();
    let all: Vec<_> = (0..3).map(|_| jobs.begin(spec(JobKind::Scan)).unwrap()).collect();
    all[1].finish(Ok("{}".to_owned()));
    let running: Vec<_> = jobs.list_running().into_iter().map(|job| job.id).collect();
    assert_eq!(running, [all[2].id(), all[0].id()]);
    assert_eq!(listed(&jobs).len(), 3);
}

#[test]
fn pause_holds_workers_until_resumed_and_threads_change_live() {
    let jobs = registry();
    let job = jobs.begin(spec(JobKind::Scan)).unwrap();
    job.start();
    let paused = jobs.patch(job.id(), JobPatch { paused: Some(true), threads: Some(7), ..JobPatch::default() }).unwrap();
    assert_eq!((paused.state, paused.threads, job.target_threads()), (JobState::Paused, 7, 7));
    let worker = Arc::clone(&job);
    let (send, passed) = mpsc::channel();
    let thread = thread::spawn(move || worker.pace(1, |wait| send.send(wait).map_err(|_| unreachable!())));
    // Told before the wait that nobody knows its length.
    assert_eq!(passed.recv().unwrap(), Duration::MAX);
    assert!(!thread.is_finished());
    jobs.patch(job.id(), JobPatch { paused: Some(false), ..JobPatch::default() }).unwrap();
    thread.join().unwrap().unwrap();
    let refused = jobs.patch(job.id(), JobPatch { threads: Some(0), paused: Some(true), ..JobPatch::default() });
    assert_eq!(refused.unwrap_err().code, ErrorCode::ThreadsInvalid);
    assert_eq!(job.info().state, JobState::Running);
}

#[test]
fn waiters_hear_the_end_once_or_the_timeout() {
    let jobs = registry();
    let job = jobs.begin(spec(JobKind::Import)).unwrap();
    let (send, receive) = mpsc::channel();
    let early = send.clone();
    jobs.wait_with(job.id(), Duration::from_millis(1), move |info| early.send(info.state).unwrap()).unwrap();
    assert_eq!(receive.recv().unwrap(), JobState::Queued);
    let late = send.clone();
    jobs.wait_with(job.id(), LONG, move |info| late.send(info.state).unwrap()).unwrap();
    job.finish(Ok("{}".to_owned()));
    assert_eq!(receive.recv().unwrap(), JobState::Done);
    jobs.wait_with(job.id(), LONG, move |info| send.send(info.state).unwrap()).unwrap();
    assert_eq!(receive.recv().unwrap(), JobState::Done);
    assert!(jobs.wait_with("nope", LONG, |_| {}).is_err());
}

#[test]
fn a_rate_limit_is_kept_and_lifted() {
    let jobs = registry();
    let job = jobs.begin(JobSpec { records_per_second: Some(1), ..spec(JobKind::Scan) }).unwrap();
    job.start();
    job.pace(1_000_000, |_| Ok(())).unwrap();
    let worker = Arc::clone(&job);
    // At one record a second the next one is due in 11 days: only the patch can let it through.
    let thread = thread::spawn(move || worker.pace(1, |_| Ok(())));
    jobs.patch(job.id(), JobPatch { records_per_second: Some(0), ..JobPatch::default() }).unwrap();
    thread.join().unwrap().unwrap();
    assert_eq!(job.info().records_per_second, None);
}

#[test]
fn a_panicking_worker_fails_its_job() {
    let jobs = registry();
    let job = jobs.begin(spec(JobKind::Truncate)).unwrap();
    job.run(|_| panic!("a bug"));
    assert_eq!(job.info().error.unwrap().code, "internal");
}

#[test]
fn running_jobs_and_history_are_bounded() {
    let jobs = registry();
    let held: Vec<_> = (0..4).map(|_| jobs.begin(spec(JobKind::Import)).unwrap()).collect();
    assert_eq!(jobs.begin(spec(JobKind::Scan)).err().map(|e| e.code), Some(ErrorCode::JobLimit));
    held.iter().for_each(|job| job.finish(Ok("{}".to_owned())));
    for _ in 0..25 {
        for kind in [JobKind::Scan, JobKind::Count, JobKind::Import] {
            jobs.begin(spec(kind)).unwrap().finish(Ok("{}".to_owned()));
        }
        jobs.begin(spec(JobKind::IndexBuild)).unwrap().finish(Ok("{}".to_owned()));
    }
    let list = listed(&jobs);
    let of = |kinds: &[JobKind]| list.iter().filter(|job| kinds.contains(&job.kind)).count();
    assert_eq!(of(&[JobKind::Scan, JobKind::Count]), 10, "those that read share a place");
    assert_eq!((of(&[JobKind::Import]), of(&[JobKind::IndexBuild]), list.len()), (10, 10, 30));
    assert!(list.windows(2).all(|pair| pair[0].id > pair[1].id));
    assert!(!list.iter().any(|job| job.id == held[0].id()));
}

#[test]
fn jobs_survive_a_restart_and_a_crash() {
    let directory = tempfile::tempdir().unwrap();
    let open = || JobRegistry::open(Some(directory.path()), JobLimits::default()).unwrap();
    let jobs = open();
    let done = jobs.begin(spec(JobKind::Import)).unwrap();
    done.start();
    done.advance(7);
    done.finish(Ok("{\"rows\":7}".to_owned()));
    let cut = jobs.begin(spec(JobKind::IndexBuild)).unwrap();
    cut.start();
    jobs.save().unwrap();
    // As after a crash: no close.
    let again = open();
    assert_eq!(again.info(done.id()).unwrap(), done.info());
    let failed = again.info(cut.id()).unwrap();
    assert_eq!((failed.state, failed.error.unwrap().code.as_str()), (JobState::Failed, "aborted"));
    assert!(again.begin(spec(JobKind::Scan)).unwrap().id() > cut.id());
}

#[test]
fn close_aborts_waits_and_writes() {
    let directory = tempfile::tempdir().unwrap();
    let jobs = JobRegistry::open(Some(directory.path()), JobLimits::default()).unwrap();
    let job = jobs.begin(spec(JobKind::Export)).unwrap();
    let worker = Arc::clone(&job);
    let thread = thread::spawn(move || {
        worker.run(|job| {
            loop {
                job.pace(1, |_| Ok(()))?;
                thread::yield_now();
            }
        });
    });
    jobs.close(LONG).unwrap();
    thread.join().unwrap();
    assert_eq!(jobs.begin(spec(JobKind::Scan)).err().map(|e| e.code), Some(ErrorCode::Closed));
    let again = JobRegistry::open(Some(directory.path()), JobLimits::default()).unwrap();
    assert_eq!(again.info(job.id()).unwrap().state, JobState::Aborted);
}

#[test]
fn a_job_that_is_in_no_list_takes_no_place_and_ends_like_any_other() {
    let jobs = registry();
    let held: Vec<_> = (0..4).map(|_| jobs.begin(spec(JobKind::Scan)).unwrap()).collect();
    assert_eq!(jobs.begin(spec(JobKind::Scan)).err().map(|error| error.code), Some(ErrorCode::JobLimit));
    let step = jobs.begin_unlisted(spec(JobKind::Scan)).unwrap();
    assert_eq!((jobs.running_count(), listed(&jobs).len()), (4, 4));
    step.run(|job| {
        job.advance(3);
        Ok("{}".to_owned())
    });
    assert_eq!((step.info().state, step.info().done, listed(&jobs).len()), (JobState::Done, 3, 4));
    held.iter().for_each(|job| job.finish(Ok("{}".to_owned())));
    jobs.close(LONG).unwrap();
    assert_eq!(jobs.begin_unlisted(spec(JobKind::Scan)).err().map(|error| error.code), Some(ErrorCode::Closed));
}
