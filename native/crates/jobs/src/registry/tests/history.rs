//! The history of jobs: its bounds, and its log under kills, damage and full disks.

use super::*;
use std::cell::Cell;
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{FileExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;
use tessera_record::Digest;

thread_local! {
    /// Room on the disk of this test's thread, bytes.
    static ROOM: Cell<usize> = const { Cell::new(usize::MAX) };
}

pub(super) fn append(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    let fits = bytes.len().min(ROOM.get());
    file.write_all_at(&bytes[..fits], at)?;
    ROOM.set(ROOM.get() - fits);
    if fits < bytes.len() { Err(io::Error::from_raw_os_error(28)) } else { Ok(()) }
}

/// Without the threads that write and sync: only the test does.
pub(super) fn open(directory: &Path, limits: JobLimits) -> Arc<JobRegistry> {
    open_on(Disk { append, ..Disk::default() }, directory, limits)
}

pub(super) fn open_on(disk: Disk, directory: &Path, limits: JobLimits) -> Arc<JobRegistry> {
    let registry = JobRegistry::open_on(disk, Some(directory), limits, Arc::default()).unwrap();
    registry.writers.get().unwrap().iter().for_each(Ticker::close);
    registry
}

pub(super) fn end(jobs: &JobRegistry, kind: JobKind) -> String {
    let job = jobs.begin(spec(kind)).unwrap();
    job.finish(Ok("{\"records\":12}".to_owned()));
    job.id().to_owned()
}

pub(super) fn all(jobs: &JobRegistry) -> Vec<JobInfo> {
    let (mut all, mut after) = (Vec::new(), None);
    loop {
        let page = jobs.list(&JobQuery { after, limit: 500, ..JobQuery::default() }).unwrap();
        after = page.jobs.last().map(|job| job.id.clone());
        all.extend(page.jobs);
        if !page.more {
            return all;
        }
    }
}

pub(super) fn path(directory: &Path) -> PathBuf {
    directory.join("jobs.log")
}

#[test]
fn ten_thousand_jobs_outlive_a_kill_and_many_scans_evict_no_build() {
    let directory = tempfile::tempdir().unwrap();
    let jobs = open(directory.path(), JobLimits::default());
    let build = end(&jobs, JobKind::IndexBuild);
    let imports: Vec<String> = (0..20).map(|_| end(&jobs, JobKind::Import)).collect();
    for number in 0..25_000 {
        end(&jobs, [JobKind::Scan, JobKind::Query, JobKind::Stream][number % 3]);
        if number % 1000 == 0 {
            jobs.save().unwrap();
        }
    }
    jobs.save().unwrap();
    let before = all(&jobs);
    assert_eq!(before.len(), 10_000 + 1 + imports.len());
    // As after a kill: no close.
    let again = open(directory.path(), JobLimits::default());
    assert!(all(&again) == before);
    assert_eq!(again.info(&build).unwrap(), jobs.info(&build).unwrap());
    assert_eq!(again.history().damaged, 0);
    let HistoryStatus { bytes, most_bytes, .. } = again.history();
    assert!(bytes <= 3 * again.table.lock().ended.bytes() as u64 && bytes < most_bytes, "{bytes} bytes");
}

#[test]
fn the_class_with_the_most_bytes_gives_way() {
    let jobs = JobRegistry::open(None, JobLimits { kept_bytes: 100_000, ..JobLimits::default() }).unwrap();
    let build = end(&jobs, JobKind::IndexBuild);
    for _ in 0..300 {
        let job = jobs.begin(spec(JobKind::Export)).unwrap();
        job.finish(Ok(format!("\"{}\"", "x".repeat(2000))));
    }
    let large = jobs.begin(spec(JobKind::Truncate)).unwrap();
    large.finish(Ok(format!("\"{}\"", "x".repeat(50_000))));
    assert!(jobs.table.lock().ended.bytes() <= 100_000);
    let exports = listed(&jobs).iter().filter(|job| job.kind == JobKind::Export).count();
    assert!((20..60).contains(&exports), "{exports} exports");
    assert!(jobs.info(&build).is_ok());
    assert_eq!(jobs.info(large.id()).unwrap().result, None, "what is too large stays without its result");
}

#[test]
fn a_job_goes_by_its_end_and_not_by_its_beginning() {
    let jobs = registry();
    let slow = jobs.begin(spec(JobKind::Scan)).unwrap();
    (0..20).for_each(|_| drop(end(&jobs, JobKind::Count)));
    slow.finish(Ok("{}".to_owned()));
    assert_eq!(listed(&jobs).last().map(|job| job.id.clone()), Some(slow.id().to_owned()));
}

#[test]
fn a_kill_in_the_middle_of_a_write_loses_that_write_alone() {
    let directory = tempfile::tempdir().unwrap();
    let jobs = open(directory.path(), JobLimits::default());
    let first = end(&jobs, JobKind::Import);
    jobs.save().unwrap();
    let before = fs::read(path(directory.path())).unwrap();
    end(&jobs, JobKind::Import);
    jobs.save().unwrap();
    let whole = fs::read(path(directory.path())).unwrap();
    for cut in before.len()..whole.len() {
        let killed = tempfile::tempdir().unwrap();
        fs::write(path(killed.path()), &whole[..cut]).unwrap();
        let jobs = open(killed.path(), JobLimits::default());
        assert_eq!(listed(&jobs).iter().map(|job| job.id.as_str()).collect::<Vec<_>>(), [first.as_str()], "cut at {cut}");
        assert_eq!(jobs.history(), HistoryStatus { bytes: before.len() as u64, most_bytes: Log::most_bytes(), ..HistoryStatus::default() });
        // What was half-written goes with the next write. By their kinds: within a millisecond the next job has the lost one's id.
        end(&jobs, JobKind::Scan);
        jobs.save().unwrap();
        let again = open(killed.path(), JobLimits::default());
        let kinds: Vec<_> = listed(&again).iter().map(|job| job.kind).collect();
        assert_eq!((again.history().damaged, kinds), (0, vec![JobKind::Scan, JobKind::Import]));
    }
}

#[test]
fn a_damaged_byte_costs_one_job_and_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let jobs = open(directory.path(), JobLimits::default());
    (0..5).for_each(|_| drop(end(&jobs, JobKind::IndexBuild)));
    jobs.save().unwrap();
    let before = all(&jobs);
    let whole = fs::read(path(directory.path())).unwrap();
    for at in 0..whole.len() {
        let mut damaged = whole.clone();
        damaged[at] ^= 1 << (at % 8);
        fs::write(path(directory.path()), &damaged).unwrap();
        let jobs = open(directory.path(), JobLimits::default());
        let read = all(&jobs);
        assert_eq!((read.len(), jobs.history().damaged), (4, 1), "byte {at}");
        assert!(read.iter().all(|job| before.contains(job)), "byte {at}");
    }
}

#[test]
fn whatever_lies_there_the_start_goes_on() {
    let whole = {
        let directory = tempfile::tempdir().unwrap();
        let jobs = open(directory.path(), JobLimits::default());
        end(&jobs, JobKind::IndexBuild);
        jobs.save().unwrap();
        fs::read(path(directory.path())).unwrap()
    };
    let mut version = whole.clone();
    version[3] = b'2';
    for bytes in [&b"not a log, and long enough"[..], &[0; 5000], &version] {
        let directory = tempfile::tempdir().unwrap();
        fs::write(path(directory.path()), bytes).unwrap();
        // What earlier builds left.
        fs::write(directory.path().join("jobs.json"), "{\"version\":1,\"jobs\":[]}").unwrap();
        let jobs = open(directory.path(), JobLimits::default());
        assert!(listed(&jobs).is_empty());
        assert!(jobs.history().unreadable[0].contains("no job in it can be read"), "{:?}", jobs.history());
        assert_eq!(fs::read(directory.path().join("jobs.log.damaged")).unwrap(), bytes);
        let id = end(&jobs, JobKind::Scan);
        jobs.save().unwrap();
        assert!(open(directory.path(), JobLimits::default()).info(&id).is_ok());
    }
}

#[test]
fn what_is_no_file_is_told_and_put_aside_and_never_written_into() {
    type Make = fn(&Path) -> io::Result<()>;
    let folder: Make = |path| fs::create_dir_all(path.join("a"));
    let socket: Make = |path| UnixListener::bind(path).map(drop);
    let dangling: Make = |path| symlink("elsewhere", path);
    let link: Make = |path| {
        fs::write(path.with_file_name("theirs"), "theirs")?;
        symlink("theirs", path)
    };
    for make in [folder, socket, pipe, dangling, link] {
        let directory = tempfile::tempdir().unwrap();
        // An older one stays as it is.
        fs::write(directory.path().join("jobs.log.damaged"), "older").unwrap();
        make(&path(directory.path())).unwrap();
        let jobs = open(directory.path(), JobLimits::default());
        let told = &jobs.history().unreadable[0];
        assert!(told.contains("it is no regular file") && told.ends_with("it is jobs.log.damaged-2 now"), "{told}");
        assert!(fs::symlink_metadata(directory.path().join("jobs.log.damaged-2")).is_ok());
        assert_eq!(fs::read(directory.path().join("jobs.log.damaged")).unwrap(), b"older");
        let id = end(&jobs, JobKind::Scan);
        jobs.save().unwrap();
        assert!(open(directory.path(), JobLimits::default()).info(&id).is_ok());
        assert!(!directory.path().join("elsewhere").exists());
        assert!(fs::read(directory.path().join("theirs")).map_or(true, |theirs| theirs == b"theirs"));
    }
}

fn pipe(path: &Path) -> io::Result<()> {
    assert!(std::process::Command::new("mkfifo").arg(path).status()?.success());
    Ok(())
}

#[test]
fn a_log_that_is_written_anew_writes_through_no_link_and_waits_for_no_pipe() {
    let link = |path: &Path| symlink("theirs", path);
    for make in [&link as &dyn Fn(&Path) -> io::Result<()>, &pipe] {
        let directory = tempfile::tempdir().unwrap();
        let (theirs, new) = (directory.path().join("theirs"), directory.path().join("jobs.log.new"));
        fs::write(&theirs, "theirs").unwrap();
        make(&new).unwrap();
        let jobs = open(directory.path(), JobLimits::default());
        let id = end(&jobs, JobKind::Scan);
        jobs.save().unwrap();
        let log = jobs.log.as_ref().unwrap();
        let (write, kept) = (log.lock().anew(), jobs.table.lock().ended.log());
        let anew = write(&kept).unwrap();
        log.lock().replace(anew).unwrap();
        assert!(fs::symlink_metadata(&new).is_err());
        assert_eq!(fs::read(&theirs).unwrap(), b"theirs");
        assert!(fs::symlink_metadata(path(directory.path())).unwrap().is_file());
        assert!(open(directory.path(), JobLimits::default()).info(&id).is_ok());
    }
}

#[test]
fn what_cannot_be_put_aside_stays_as_it_is() {
    let directory = tempfile::tempdir().unwrap();
    symlink("elsewhere", path(directory.path())).unwrap();
    for copy in ["", "-2", "-3", "-4", "-5", "-6", "-7", "-8", "-9"] {
        fs::write(directory.path().join(format!("jobs.log.damaged{copy}")), "older").unwrap();
    }
    let jobs = open(directory.path(), JobLimits::default());
    assert!(jobs.history().unreadable[0].ends_with("it stays, because there are 9 damaged ones already"), "{:?}", jobs.history());
    let id = end(&jobs, JobKind::Scan);
    assert!(jobs.save().is_err() && jobs.info(&id).is_ok() && jobs.history().failure.is_some());
    assert!(!directory.path().join("elsewhere").exists());
}

#[test]
fn a_job_that_ended_outlives_a_kill_although_the_disk_takes_no_sync() {
    static STALLED: Mutex<()> = Mutex::new(());
    static ASKED: AtomicBool = AtomicBool::new(false);
    let directory = tempfile::tempdir().unwrap();
    let stalls = |_: &File| {
        ASKED.store(true, Ordering::Release);
        drop(STALLED.lock());
        Ok(())
    };
    let stalled = STALLED.lock();
    let disk = Disk { sync: stalls, ..Disk::default() };
    let jobs = JobRegistry::open_on(disk, Some(directory.path()), JobLimits::default(), Arc::default()).unwrap();
    let first = end(&jobs, JobKind::Import);
    while !ASKED.load(Ordering::Acquire) {
        std::thread::yield_now();
    }
    let second = end(&jobs, JobKind::Import);
    let written = |id: &str| fs::read(path(directory.path())).is_ok_and(|log| String::from_utf8_lossy(&log).contains(id));
    while !written(&second) {
        std::thread::yield_now();
    }
    // As after a kill.
    let again = open(directory.path(), JobLimits::default());
    assert_eq!([&first, &second].map(|id| again.info(id).unwrap().state), [JobState::Done; 2]);
    drop(stalled);
    jobs.close(LONG).unwrap();
}

#[test]
fn what_a_sync_that_failed_may_have_lost_is_written_again() {
    thread_local! {
        static FAILS: Cell<bool> = const { Cell::new(false) };
    }
    let sync = |file: &File| if FAILS.get() { Err(io::Error::from_raw_os_error(5)) } else { file.sync_data() };
    let directory = tempfile::tempdir().unwrap();
    let jobs = open_on(Disk { sync, ..Disk::default() }, directory.path(), JobLimits::default());
    end(&jobs, JobKind::Import);
    jobs.save().unwrap();
    let synced = jobs.history().bytes;
    end(&jobs, JobKind::Import);
    FAILS.set(true);
    assert_eq!(jobs.save().unwrap_err().code, ErrorCode::StorageFailed);
    assert_eq!(jobs.table.lock().unsaved.len(), 1);
    // A write that succeeds does not hide it.
    jobs.write_log().unwrap();
    assert!(jobs.history().failure.is_some());
    // As after a power loss that took all of it.
    File::options().write(true).open(path(directory.path())).unwrap().set_len(synced).unwrap();
    assert!(jobs.sync_log().is_err());
    FAILS.set(false);
    jobs.save().unwrap();
    assert_eq!(jobs.history().failure, None);
    assert!(all(&open(directory.path(), JobLimits::default())) == all(&jobs));
}

#[test]
fn what_comes_while_the_log_is_written_anew_is_in_it() {
    let directory = tempfile::tempdir().unwrap();
    let jobs = open(directory.path(), JobLimits { kept: 5, ..JobLimits::default() });
    let large = || {
        let job = jobs.begin(spec(JobKind::Count)).unwrap();
        job.finish(Ok(format!("\"{}\"", "x".repeat(100_000))));
    };
    for _ in 0..30 {
        large();
        jobs.write_log().unwrap();
    }
    let log = jobs.log.as_ref().unwrap();
    assert!(log.lock().is_due(jobs.table.lock().ended.bytes() as u64));
    let (write, kept) = (log.lock().anew(), jobs.table.lock().ended.log());
    let anew = write(&kept).unwrap();
    let late = end(&jobs, JobKind::Import);
    jobs.write_log().unwrap();
    log.lock().replace(anew).unwrap();
    jobs.save().unwrap();
    let again = open(directory.path(), JobLimits { kept: 5, ..JobLimits::default() });
    assert_eq!((again.info(&late).unwrap().state, again.history().damaged), (JobState::Done, 0));
    assert!(again.history().bytes < 700_000, "{}", again.history().bytes);
}

#[test]
fn a_log_written_anew_replaces_nothing_in_a_directory_that_replaced_ours() {
    let outer = tempfile::tempdir().unwrap();
    let (ours, away) = (outer.path().join("data"), outer.path().join("away"));
    fs::create_dir(&ours).unwrap();
    let jobs = open(&ours, JobLimits::default());
    let id = end(&jobs, JobKind::Count);
    jobs.save().unwrap();
    let log = jobs.log.as_ref().unwrap();
    let (write, kept) = (log.lock().anew(), jobs.table.lock().ended.log());
    let anew = write(&kept).unwrap();
    fs::rename(&ours, &away).unwrap();
    fs::create_dir(&ours).unwrap();
    let copies = ["jobs.log", "jobs.log.new"].map(|name| ours.join(name));
    copies.iter().for_each(|copy| fs::write(copy, "theirs").unwrap());
    assert_eq!(log.lock().replace(anew).unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
    log.lock().be_patient();
    assert!(copies.iter().all(|copy| fs::read(copy).unwrap() == b"theirs"));
    fs::remove_dir_all(&ours).unwrap();
    fs::rename(&away, &ours).unwrap();
    log.lock().be_patient();
    assert!(!copies[1].exists(), "what was left is removed once the directory is ours again");
    let later = end(&jobs, JobKind::Count);
    jobs.save().unwrap();
    let again = open(&ours, JobLimits::default());
    assert!([id, later].iter().all(|id| again.info(id).unwrap().state == JobState::Done));
}

#[test]
fn a_full_disk_stops_no_job_and_what_waits_is_written_later() {
    let directory = tempfile::tempdir().unwrap();
    let jobs = open(directory.path(), JobLimits::default());
    let mut ids = vec![end(&jobs, JobKind::Import)];
    jobs.save().unwrap();
    for room in [0, 10, 100] {
        ROOM.set(room);
        ids.push(end(&jobs, JobKind::Import));
        assert_eq!(jobs.save().unwrap_err().code, ErrorCode::DeviceFull);
        let failure = jobs.history().failure.unwrap();
        assert!(failure.message.contains("the history of jobs"), "{}", failure.message);
        let killed = open(directory.path(), JobLimits::default());
        assert_eq!((all(&killed).len(), killed.history().damaged), (1, 0));
    }
    assert_eq!(all(&jobs).len(), ids.len());
    ROOM.set(usize::MAX);
    jobs.save().unwrap();
    assert_eq!(jobs.history().failure, None);
    assert!(all(&open(directory.path(), JobLimits::default())) == all(&jobs));
}

#[test]
fn what_waits_for_a_disk_is_bounded() {
    let directory = tempfile::tempdir().unwrap();
    let jobs = open(directory.path(), JobLimits { kept: 5, ..JobLimits::default() });
    ROOM.set(0);
    for number in 0..60 {
        end(&jobs, JobKind::Scan);
        if number % 7 == 0 {
            jobs.save().unwrap_err();
        }
        assert!(jobs.table.lock().unsaved.len() <= 5);
    }
}

#[test]
fn a_log_that_cannot_be_written_anew_is_gone_on_with() {
    let directory = tempfile::tempdir().unwrap();
    let limits = JobLimits { kept: 5, ..JobLimits::default() };
    let jobs = open(directory.path(), limits);
    let mut failed = 0;
    for _ in 0..60 {
        let job = jobs.begin(spec(JobKind::Count)).unwrap();
        job.finish(Ok(format!("\"{}\"", "x".repeat(100_000))));
        // Room for the job, and none for the five that are kept.
        ROOM.set(150_000);
        failed += usize::from(jobs.save().is_err());
    }
    assert!(failed > 0 && jobs.history().bytes > 3 << 20, "{failed} failed");
    let kept = all(&jobs);
    assert!(all(&open(directory.path(), limits)) == kept);
    ROOM.set(usize::MAX);
    for _ in 0..20 {
        let job = jobs.begin(spec(JobKind::Count)).unwrap();
        job.finish(Ok(format!("\"{}\"", "x".repeat(100_000))));
        jobs.save().unwrap();
    }
    assert!(jobs.history().bytes < 3 << 20, "{} bytes", jobs.history().bytes);
    assert!(all(&open(directory.path(), limits)) == all(&jobs));
    assert!(!directory.path().join("jobs.log.new").exists());
}

#[test]
fn who_asked_and_a_second_begin_reach_the_log() {
    let directory = tempfile::tempdir().unwrap();
    let jobs = open(directory.path(), JobLimits::default());
    let id = end(&jobs, JobKind::Import);
    jobs.save().unwrap();
    jobs.attribute(&id, "token").unwrap();
    jobs.attribute(&id, "console").unwrap();
    jobs.save().unwrap();
    assert_eq!(open(directory.path(), JobLimits::default()).info(&id).unwrap().who.as_deref(), Some("token"));
    let job = jobs.begin_again(&id, spec(JobKind::Import)).unwrap();
    jobs.save().unwrap();
    let killed = open(directory.path(), JobLimits::default()).info(&id).unwrap();
    assert_eq!((killed.state, killed.error.map(|error| error.code)), (JobState::Failed, Some("aborted".to_owned())));
    job.finish(Ok("{}".to_owned()));
    jobs.save().unwrap();
    let again = open(directory.path(), JobLimits::default());
    assert_eq!((all(&again).len(), again.info(&id).unwrap().state), (1, JobState::Done));
}

#[test]
fn how_far_a_job_was_over_time_is_kept_and_no_list_has_it() {
    let directory = tempfile::tempdir().unwrap();
    let jobs = open(directory.path(), JobLimits::default());
    let job = jobs.begin(spec(JobKind::IndexBuild)).unwrap();
    jobs.look(Instant::now() + LONG);
    assert_eq!(job.info().progress, None, "it has not started");
    job.start();
    let started = Instant::now();
    for second in 1..=4 {
        job.advance(100 * second);
        jobs.look(started + Duration::from_secs(second));
    }
    let running = jobs.info(job.id()).unwrap().progress.unwrap();
    assert_eq!((running.step_ms, &running.done[..]), (1000, &[100, 300, 600, 1000][..]));
    job.finish(Ok("{}".to_owned()));
    jobs.look(started + LONG);
    jobs.save().unwrap();
    let again = open(directory.path(), JobLimits::default());
    assert_eq!(again.info(job.id()).unwrap().progress.as_ref(), Some(&running));
    assert!([&jobs, &again].iter().all(|jobs| listed(jobs).iter().all(|job| job.progress.is_none())));
}

#[test]
fn ten_thousand_long_jobs_of_a_class_are_kept_with_their_progress() {
    let jobs = JobRegistry::open(None, JobLimits::default()).unwrap();
    let started = Instant::now();
    for _ in 0..10_000 {
        let job = jobs.begin(spec(JobKind::Scan)).unwrap();
        job.start();
        // The most points that there are, of a job that reads gigabytes in each step.
        for second in 1..120 {
            job.advance(4_000_000_000 + second * 1000);
            job.look(started + Duration::from_secs(second));
        }
        job.finish(Ok("{\"records\":12}".to_owned()));
    }
    let table = jobs.table.lock();
    assert!(table.ended.bytes() < 24 << 20, "{} bytes", table.ended.bytes());
    drop(table);
    assert_eq!(all(&jobs).len(), 10_000);
}

#[test]
fn the_damage_that_a_job_met_stays_until_the_next_start() {
    let directory = tempfile::tempdir().unwrap();
    let jobs = open(directory.path(), JobLimits::default());
    let job = jobs.begin(spec(JobKind::Scrub)).unwrap();
    job.damaged("s".to_owned(), &Digest::default(), &Error::new(ErrorCode::RecordDamaged, "torn"));
    job.finish(Ok("{}".to_owned()));
    jobs.attribute(job.id(), "token").unwrap();
    assert_eq!(jobs.info(job.id()).unwrap().damage.len(), 1);
    jobs.save().unwrap();
    let again = open(directory.path(), JobLimits::default()).info(job.id()).unwrap();
    assert_eq!((again.damaged, again.damage.len()), (1, 0));
}

#[test]
fn nothing_is_written_into_a_directory_that_replaced_ours() {
    let parent = tempfile::tempdir().unwrap();
    let directory = parent.path().join("data");
    fs::create_dir(&directory).unwrap();
    let jobs = open(&directory, JobLimits::default());
    fs::rename(&directory, parent.path().join("moved")).unwrap();
    fs::create_dir(&directory).unwrap();
    end(&jobs, JobKind::Import);
    assert_eq!(jobs.save().unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
    assert!(!path(&directory).exists());
}

#[test]
fn the_seeds_of_the_fuzz_target_hold() {
    fuzz::seeds().iter().for_each(|seed| fuzz::run(seed));
}
