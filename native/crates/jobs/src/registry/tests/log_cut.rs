//! What a start tells of a log that ends too early, and what it does not: a kill cuts off the last write.

use super::history::{all, append, end, open, open_on, path};
use super::*;
use std::cell::{Cell, RefCell};
use std::fs::{self, File};
use std::io;
use std::os::unix::fs::{MetadataExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::PathBuf;

fn mark(directory: &Path) -> PathBuf {
    directory.join("jobs.log.synced")
}

fn copy(from: &Path, to: &Path) {
    for entry in fs::read_dir(from).unwrap() {
        let entry = entry.unwrap();
        fs::copy(entry.path(), to.join(entry.file_name())).unwrap();
    }
}

fn opened(directory: &Path) -> Arc<JobRegistry> {
    open(directory, JobLimits::default())
}

/// Five jobs, each with a write and a sync of its own; the length of the log after each.
fn synced_jobs(directory: &Path) -> Vec<usize> {
    let jobs = opened(directory);
    let one = |_| {
        end(&jobs, JobKind::Import);
        jobs.save().unwrap();
        fs::metadata(path(directory)).unwrap().len() as usize
    };
    (0..5).map(one).collect()
}

#[test]
fn a_cut_inside_what_was_synced_is_told_wherever_it_is() {
    let directory = tempfile::tempdir().unwrap();
    let ends = synced_jobs(directory.path());
    let (whole, before) = (fs::read(path(directory.path())).unwrap(), all(&opened(directory.path())));
    for cut in 0..=whole.len() {
        let damaged = tempfile::tempdir().unwrap();
        copy(directory.path(), damaged.path());
        fs::write(path(damaged.path()), &whole[..cut]).unwrap();
        let jobs = opened(damaged.path());
        let kept: Vec<JobInfo> = all(&jobs);
        let there = ends.iter().filter(|end| **end <= cut).count();
        assert_eq!((kept.len(), kept.iter().all(|job| before.contains(job))), (there, true), "cut at {cut}");
        let told = jobs.history();
        let length = if there == 0 { 0 } else { ends[there - 1] };
        let says = format!("jobs.log: it was cut: jobs end at byte {length}, and {} bytes were on the disk", whole.len());
        assert_eq!(told.unreadable.iter().filter(|line| line.ends_with(&says)).count(), usize::from(cut < whole.len()), "{told:?}");
        assert_eq!((told.unreadable.len(), told.damaged), (usize::from(cut < whole.len()), 0), "cut at {cut}");
        // It goes on, and what is not there any more is told once.
        let id = end(&jobs, JobKind::Scan);
        jobs.save().unwrap();
        let again = opened(damaged.path());
        assert_eq!((again.info(&id).is_ok(), again.history().unreadable.len()), (true, 0), "cut at {cut}");
    }
}

#[test]
fn a_job_whose_end_a_cut_may_have_taken_says_so() {
    let directory = tempfile::tempdir().unwrap();
    let jobs = opened(directory.path());
    let job = jobs.begin(spec(JobKind::IndexBuild)).unwrap();
    jobs.save().unwrap();
    let begun = fs::metadata(path(directory.path())).unwrap().len();
    job.finish(Ok("{}".to_owned()));
    jobs.save().unwrap();
    File::options().write(true).open(path(directory.path())).unwrap().set_len(begun).unwrap();
    let cut = opened(directory.path());
    assert!(cut.info(job.id()).unwrap().error.unwrap().message.contains("damaged part of the history"));
    assert_eq!(cut.history().unreadable.len(), 1);
}

#[test]
fn a_cut_behind_what_was_synced_is_a_torn_write_and_no_damage() {
    let directory = tempfile::tempdir().unwrap();
    let synced = *synced_jobs(directory.path()).last().unwrap();
    let jobs = opened(directory.path());
    for _ in 0..2 {
        end(&jobs, JobKind::Count);
        jobs.write_log().unwrap();
    }
    let whole = fs::read(path(directory.path())).unwrap();
    for cut in synced..=whole.len() {
        let killed = tempfile::tempdir().unwrap();
        copy(directory.path(), killed.path());
        fs::write(path(killed.path()), &whole[..cut]).unwrap();
        let told = opened(killed.path()).history();
        assert_eq!((told.damaged, told.unreadable), (0, Vec::new()), "cut at {cut}");
    }
}

#[test]
fn a_log_that_is_gone_or_is_an_older_copy_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let older = tempfile::tempdir().unwrap();
    let jobs = opened(directory.path());
    end(&jobs, JobKind::Import);
    jobs.save().unwrap();
    copy(directory.path(), older.path());
    end(&jobs, JobKind::Import);
    jobs.save().unwrap();
    fs::copy(path(older.path()), path(directory.path())).unwrap();
    assert!(opened(directory.path()).history().unreadable[0].contains("it was cut"));
    fs::remove_file(path(directory.path())).unwrap();
    assert!(opened(directory.path()).history().unreadable[0].contains("jobs end at byte 0,"));
    // Of both an older copy, nobody knows.
    copy(older.path(), directory.path());
    assert_eq!((opened(directory.path()).history().unreadable.len(), all(&opened(directory.path())).len()), (0, 1));
    // A log of an earlier build has none beside it.
    fs::remove_file(mark(directory.path())).unwrap();
    assert_eq!(opened(directory.path()).history().unreadable.len(), 0);
}

#[test]
fn whatever_lies_in_the_place_of_the_mark_costs_no_job_and_is_told() {
    let directory = tempfile::tempdir().unwrap();
    synced_jobs(directory.path());
    let (whole, before) = (fs::read(mark(directory.path())).unwrap(), all(&opened(directory.path())));
    let flipped = (0..whole.len()).map(|at| {
        let mut bytes = whole.clone();
        bytes[at] ^= 1 << (at % 8);
        bytes
    });
    let cut = (1..whole.len()).map(|at| whole[..at].to_vec());
    let log = fs::read(path(directory.path())).unwrap();
    type Make = Box<dyn Fn(&Path)>;
    let file = |bytes: Vec<u8>| -> Make { Box::new(move |path| fs::write(path, &bytes).unwrap()) };
    let others: [Make; 3] = [
        Box::new(|path| fs::create_dir(path).unwrap()),
        Box::new(|path| symlink("elsewhere", path).unwrap()),
        Box::new(|path| drop(UnixListener::bind(path).unwrap())),
    ];
    for (number, make) in flipped.chain(cut).chain([log]).map(file).chain(others).enumerate() {
        let damaged = tempfile::tempdir().unwrap();
        copy(directory.path(), damaged.path());
        fs::remove_file(mark(damaged.path())).unwrap();
        make(&mark(damaged.path()));
        let jobs = opened(damaged.path());
        assert!(all(&jobs) == before, "{number}");
        let told = jobs.history().unreadable;
        assert!(told.len() == 1 && told[0].ends_with("; it is jobs.log.synced.damaged now"), "{number}: {told:?}");
        assert!(fs::symlink_metadata(damaged.path().join("jobs.log.synced.damaged")).is_ok());
        jobs.save().unwrap();
        assert!(opened(damaged.path()).history().unreadable.is_empty() && !damaged.path().join("elsewhere").exists(), "{number}");
        // It works again.
        File::options().write(true).open(path(damaged.path())).unwrap().set_len(9).unwrap();
        assert!(opened(damaged.path()).history().unreadable[0].contains("it was cut"), "{number}");
    }
    // One that was made and not written, by a kill or a power loss.
    for bytes in [&[][..], &[0; 16]] {
        fs::write(mark(directory.path()), bytes).unwrap();
        assert!(opened(directory.path()).history().unreadable.is_empty());
    }
}

#[test]
fn nothing_is_written_through_a_link_in_the_place_of_the_mark() {
    let directory = tempfile::tempdir().unwrap();
    let theirs = directory.path().join("theirs");
    let link = |file: &Path| {
        fs::remove_file(file).unwrap();
        symlink("theirs", file).unwrap();
    };
    fs::write(&theirs, [b'x'; 600]).unwrap();
    synced_jobs(directory.path());
    let jobs = opened(directory.path());
    link(&mark(directory.path()));
    let id = end(&jobs, JobKind::Scan);
    jobs.save().unwrap();
    drop(jobs);
    assert_eq!(fs::read(&theirs).unwrap(), [b'x'; 600]);
    let jobs = opened(directory.path());
    assert!(jobs.info(&id).is_ok() && jobs.history().unreadable.len() == 1, "{:?}", jobs.history());
    jobs.save().unwrap();
    drop(jobs);
    // Both at once, while nobody has them.
    [mark(directory.path()), path(directory.path())].iter().for_each(|file| link(file));
    let jobs = opened(directory.path());
    assert_eq!(jobs.history().unreadable.len(), 2);
    jobs.save().unwrap();
    assert_eq!(fs::read(&theirs).unwrap(), [b'x'; 600]);
}

#[test]
fn a_mark_that_is_none_of_ours_goes_aside_as_it_is_when_the_log_does() {
    let directory = tempfile::tempdir().unwrap();
    for file in [mark(directory.path()), path(directory.path())] {
        fs::write(file, [b'x'; 600]).unwrap();
    }
    assert_eq!(opened(directory.path()).history().unreadable.len(), 2);
    for name in ["jobs.log.damaged", "jobs.log.synced.damaged"] {
        assert_eq!(fs::read(directory.path().join(name)).unwrap(), [b'x'; 600], "{name}");
    }
}

thread_local! {
    /// The data directory of this test's thread, and a copy of it for each moment.
    static WATCHED: RefCell<Option<PathBuf>> = const { RefCell::new(None) };
    static MOMENTS: RefCell<Vec<tempfile::TempDir>> = const { RefCell::new(Vec::new()) };
    /// The inode of the log at the last sync, and whether that was one of the mark.
    static SYNCED: Cell<(u64, bool)> = const { Cell::new((0, false)) };
    static REPLACED: Cell<u32> = const { Cell::new(0) };
}

/// Bytes of a mark: a kill does not tear these.
const MARK_BYTES: usize = 16;

fn moment() {
    let copied = tempfile::tempdir().unwrap();
    WATCHED.with_borrow(|watched| copy(watched.as_ref().unwrap(), copied.path()));
    MOMENTS.with_borrow_mut(|moments| moments.push(copied));
}

fn append_in_halves(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    let half = if bytes.len() == MARK_BYTES { 0 } else { bytes.len() / 2 };
    moment();
    append(file, &bytes[..half], at)?;
    moment();
    append(file, &bytes[half..], at + half as u64)
}

fn watched_sync(file: &File) -> io::Result<()> {
    moment();
    let inode = WATCHED.with_borrow(|watched| fs::metadata(path(watched.as_ref().unwrap()))).map_or(0, |log| log.ino());
    let (before, marked) = SYNCED.get();
    if before != 0 && inode != before {
        // Or a power loss could leave the new log beside what was said of the old one.
        assert!(marked, "a shorter log came before the mark was cleared");
        REPLACED.set(REPLACED.get() + 1);
    }
    SYNCED.set((inode, file.metadata()?.len() == MARK_BYTES as u64));
    Ok(())
}

#[test]
fn a_kill_at_any_moment_is_told_as_no_damage_and_takes_no_job_that_was_saved() {
    let directory = tempfile::tempdir().unwrap();
    WATCHED.set(Some(directory.path().to_owned()));
    let limits = JobLimits { kept: 3, ..JobLimits::default() };
    let jobs = open_on(Disk { append: append_in_halves, sync: watched_sync }, directory.path(), limits);
    for number in 0..16 {
        let job = jobs.begin(spec(JobKind::Count)).unwrap();
        job.finish(Ok(format!("\"{}\"", "x".repeat(150_000))));
        let saved: Vec<String> = all(&jobs).into_iter().skip(1).map(|job| job.id).collect();
        jobs.save().unwrap();
        moment();
        for moment in MOMENTS.take() {
            let killed = open(moment.path(), limits);
            let told = killed.history();
            assert_eq!((told.damaged, told.unreadable), (0, Vec::new()), "job {number}");
            assert!(saved.iter().all(|id| killed.info(id).is_ok()), "job {number}");
        }
    }
    assert!(REPLACED.get() > 0, "the log was written anew");
}
