use super::*;
use crate::metrics::unwritable::unwritable;
use rustix::fs::{FileType, Mode};
use std::cell::Cell;
use std::collections::BTreeMap;
use std::fs::{self, File};
use std::io;
use std::path::Path;
use std::sync::atomic::{AtomicBool, Ordering};
use tessera_base::ErrorCode;
use tessera_base::dice::Dice;

thread_local! {
    /// Bytes that the disk still takes.
    static ROOM: Cell<usize> = const { Cell::new(usize::MAX) };
}

fn append(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    let taken = bytes.len().min(ROOM.get());
    ROOM.set(ROOM.get() - taken);
    file.write_all_at(&bytes[..taken], at)?;
    if taken < bytes.len() { Err(io::Error::from_raw_os_error(libc::ENOSPC)) } else { Ok(()) }
}

/// A history whose files are written when the test says so.
fn open(directory: &Path) -> History {
    History::new(Some((directory.join("history"), append)), Box::new(|| Ok(())))
}

/// The seconds in each step: numbers, time, duration and durations counted.
type Steps = BTreeMap<u64, (u64, u64, u64)>;

fn note(steps: &mut Steps, step_ms: u64, frame: &Frame) {
    let step = steps.entry((frame.time_ms - 500) / step_ms).or_default();
    step.0 += frame.duration_nanos;
    step.1 += frame.latency.iter().map(|series| series.histogram().count()).sum::<u64>();
    step.2 = step.2.wrapping_add(frame.latency.iter().map(|series| series.histogram().sum()).sum());
}

fn steps_of(frames: &[Arc<Frame>], step_ms: u64) -> Steps {
    let mut steps = Steps::new();
    frames.iter().for_each(|frame| note(&mut steps, step_ms, frame));
    steps
}

fn asked(history: &History, step_ms: u64) -> Steps {
    let query = HistoryQuery { to_ms: u64::MAX, step_ms, ..HistoryQuery::default() };
    let mut found = history.steps(query);
    assert_eq!(found.step_ms(), step_ms);
    let mut steps = Steps::new();
    std::iter::from_fn(|| history.next(&mut found)).for_each(|step| note(&mut steps, step_ms, &step.frame));
    steps
}

fn files(directory: &Path) -> Vec<PathBuf> {
    let mut files: Vec<PathBuf> = fs::read_dir(directory.join("history")).unwrap().map(|entry| entry.unwrap().path()).collect();
    files.sort();
    files
}

/// Removes the files of all tiers but the finest.
fn remove_coarser(directory: &Path) {
    let coarser = |path: &PathBuf| !path.file_name().unwrap().to_str().unwrap().starts_with("00001");
    files(directory).iter().filter(|path| coarser(path)).for_each(|path| fs::remove_file(path).unwrap());
}

mod names;

#[test]
fn a_kill_at_any_moment_loses_only_what_was_not_written() {
    for seed in 1..6 {
        let directory = tempfile::tempdir().unwrap();
        let mut dice = Dice(seed);
        let (mut kept, mut time_s) = (Vec::new(), 1_000_000);
        for _ in 0..6 {
            let history = open(directory.path());
            let mut unwritten = Vec::new();
            for _ in 0..dice.roll(350) {
                time_s += 1;
                let frame = history.record(samples::frame(1 + time_s % 997, time_s));
                assert!(kept.last().is_none_or(|last: &Arc<Frame>| frame.seq > last.seq), "a number is used again");
                unwritten.push(frame);
                if dice.roll(10) == 0 {
                    history.flush(false);
                    kept.append(&mut unwritten);
                }
            }
            time_s += dice.roll(3) * 400;
        }
        let history = open(directory.path());
        for step_ms in [1_000, 5_000, 15_000, 60_000, 600_000, 1_800_000] {
            let expected = steps_of(&kept, step_ms);
            assert!(asked(&history, step_ms) == expected, "seed {seed}, step {step_ms}");
        }
        assert_eq!((history.status().damaged, history.status().failure), (0, None));
    }
}

#[test]
fn a_cut_file_of_seconds_loses_nothing_that_coarser_points_have() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let frames: Vec<_> = (1..=120).map(|second| history.record(samples::frame(second, 6000 + second))).collect();
    history.close();
    let seconds = &files(directory.path())[0];
    let whole = fs::metadata(seconds).unwrap().len();
    File::options().write(true).open(seconds).unwrap().set_len(whole / 50).unwrap();
    let history = open(directory.path());
    assert!(history.state().tiers[0].written.front().is_some_and(|first| first.head.seq == 1), "it reaches back to the start");
    let mut found = history.steps(HistoryQuery { to_ms: u64::MAX, step_ms: 1000, ..HistoryQuery::default() });
    assert_eq!(found.step_ms(), 5000);
    let mut steps = Steps::new();
    std::iter::from_fn(|| history.next(&mut found)).for_each(|step| note(&mut steps, 5000, &step.frame));
    // The slot that was open had its seconds in this file only.
    assert!(steps == steps_of(&frames[..115], 5000));
}

#[test]
fn an_orderly_stop_loses_nothing_and_nothing_is_written_after_it() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let mut frames: Vec<_> = (1..=100).map(|second| history.record(samples::frame(second, 1000 + second))).collect();
    history.close();
    let before: Vec<Vec<u8>> = files(directory.path()).iter().map(|file| fs::read(file).unwrap()).collect();
    history.record(samples::frame(1, 1101));
    history.flush(true);
    history.close();
    assert_eq!(files(directory.path()).iter().map(|file| fs::read(file).unwrap()).collect::<Vec<_>>(), before);
    let history = open(directory.path());
    assert!(asked(&history, 5000) == steps_of(&frames, 5000));
    frames.push(history.record(samples::frame(7, 2000)));
    assert!(asked(&history, 5000) == steps_of(&frames, 5000));
    // A whole file is gone on with.
    history.close();
    assert_eq!(files(directory.path()).len(), before.len() + 1, "the minute has a file now");
}

#[test]
fn a_full_disk_stops_no_recording() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let mut frames = Vec::new();
    let mut record = |from: u64| (from..from + 40).for_each(|second| frames.push(history.record(samples::frame(second, second))));
    record(1000);
    history.flush(true);
    record(1040);
    for room in [0, 10, 700] {
        ROOM.set(room);
        history.flush(true);
        let failure = history.status().failure.unwrap();
        assert_eq!(failure.code, ErrorCode::DeviceFull);
        assert!(failure.message.contains("writing the history"), "{}", failure.message);
    }
    record(1080);
    assert!(asked(&history, 1000) == steps_of(&frames, 1000), "what waits is served");
    // A kill now leaves what was whole, and no torn block.
    let killed = open(directory.path());
    assert!(asked(&killed, 1000).len() >= 40);
    assert_eq!(killed.status().damaged, 0);
    ROOM.set(usize::MAX);
    history.flush(true);
    assert_eq!(history.status().failure, None);
    drop(history);
    assert!(asked(&open(directory.path()), 1000) == steps_of(&frames, 1000));
}

#[test]
fn what_waits_for_a_disk_is_bounded() {
    let history = History::in_memory();
    let text = "x".repeat(200_000);
    for second in 1..200 {
        let mark = tessera_jobs::Mark { time_ms: 0, kind: String::new(), text: text.clone(), job: None, namespace: None };
        history.record(Frame { time_ms: second * 1000, marks: vec![mark], ..Frame::default() });
    }
    let state = history.state();
    for (kept, tier) in state.tiers.iter().zip(TIERS) {
        let bytes: usize = kept.waiting.iter().map(|point| point.heap_bytes()).sum();
        assert_eq!(bytes, kept.waiting_bytes);
        assert!(bytes as u64 <= tier.segment_bytes());
    }
    assert_eq!(state.tiers[0].waiting.back().unwrap().seq, 199);
}

#[test]
fn nothing_is_written_into_a_directory_that_is_not_ours() {
    let directory = tempfile::tempdir().unwrap();
    let ours = Arc::new(AtomicBool::new(false));
    let still_ours = ours.clone();
    let check = move || match still_ours.load(Ordering::Relaxed) {
        true => Ok(()),
        false => Err(Error::new(ErrorCode::DataDirectoryUnavailable, "replaced")),
    };
    let history = History::new(Some((directory.path().join("history"), append)), Box::new(check));
    history.record(samples::frame(1, 1000));
    history.flush(true);
    assert_eq!(history.status().failure.map(|error| error.code), Some(ErrorCode::DataDirectoryUnavailable));
    assert!(!directory.path().join("history").exists());
    ours.store(true, Ordering::Relaxed);
    history.flush(true);
    assert_eq!((history.status().failure, files(directory.path()).len()), (None, 1));
}

#[test]
fn a_folder_that_takes_no_writes_is_read_and_nothing_else_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let mut frames: Vec<_> = (1000..1020).map(|second| history.record(samples::frame(second, second))).collect();
    history.close();
    // A kill left the beginning of a block.
    let mut bytes = fs::read(&files(directory.path())[0]).unwrap();
    bytes.extend_from_within(segment::HEADER_BYTES..segment::HEADER_BYTES + 20);
    fs::write(&files(directory.path())[0], bytes).unwrap();
    let before = files(directory.path());
    let history = unwritable(&directory.path().join("history"), || {
        let history = open(directory.path());
        assert!(asked(&history, 1000) == steps_of(&frames, 1000));
        assert_eq!(history.status().failure, None);
        frames.push(history.record(samples::frame(1020, 1020)));
        history.flush(true);
        let status = history.status();
        assert_eq!((status.damaged, status.unreadable), (0, Vec::new()));
        assert!(status.failure.unwrap().message.contains("Permission denied"));
        history
    });
    // It goes on in the same files once it may, and what was torn is no damage later.
    history.flush(true);
    assert_eq!((history.status().failure, files(directory.path())), (None, before));
    let history = open(directory.path());
    assert!(asked(&history, 1000) == steps_of(&frames, 1000));
    assert_eq!(history.status().damaged, 0);
}

#[test]
fn a_clock_that_jumps_loses_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let day = 86_400;
    let mut frames = Vec::new();
    // Set to years ahead, back to years before, and right at last.
    for jump in [20_000 * day, 40_000 * day, 19_000 * day, 20_000 * day + 60] {
        for second in jump..jump + 120 {
            frames.push(history.record(samples::frame(1 + second % 997, second)));
        }
        history.flush(false);
    }
    for history in [history, open(directory.path())] {
        for step_ms in [1000, 5000, 60_000] {
            assert!(asked(&history, step_ms) == steps_of(&frames, step_ms), "step {step_ms}");
        }
    }
}

#[test]
fn whatever_lies_there_the_history_opens() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let frames: Vec<_> = (1000..1100).map(|second| history.record(samples::frame(second, second))).collect();
    history.close();
    let folder = directory.path().join("history");
    let whole = fs::read(folder.join("00001-0000000000000001")).unwrap();
    let mut other_version = whole.clone();
    other_version[8] = 3;
    let mut other_header = whole.clone();
    other_header[13] ^= 1;
    let lie = [
        ("00001-0000000000000002", &whole[..]),
        ("00001-0000000000000f00", &[]),
        ("00001-0000000000000f01", &other_version),
        ("00001-0000000000000f02", &other_header),
        ("00005-0000000000000f03", &whole),
        ("00001-0000000000000f04", &[0; 5000]),
        ("00007-0000000000000001", &whole),
        ("00001-zzzz", &whole),
        ("notes", &whole),
    ];
    for (name, bytes) in lie {
        fs::write(folder.join(name), bytes).unwrap();
    }
    fs::create_dir(folder.join("00001-0000000000000f05")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("00005-0000000000000f06")).unwrap();
    rustix::fs::mknodat(rustix::fs::CWD, folder.join("00001-0000000000000f07"), FileType::Fifo, Mode::RWXU, 0).unwrap();
    let history = open(directory.path());
    assert!(asked(&history, 1000) == steps_of(&frames, 1000));
    let status = history.status();
    assert_eq!(status.damaged, 0);
    let said = |name: &str, why: &str| status.unreadable.iter().any(|line| line.contains(name) && line.contains(why));
    assert!(said("f00", "header is incomplete") && said("f01", "version 3") && said("f02", "header is damaged"));
    assert!(said("f04", "header is damaged"), "{:?}", status.unreadable);
    for renamed in ["00001-0000000000000002", "00005-0000000000000f03", "00007-0000000000000001", "00001-zzzz", "notes"] {
        assert!(said(renamed, "it was renamed: its name should be 00001-0000000000000001"), "{:?}", status.unreadable);
    }
    for no_file in ["00001-0000000000000f05", "00005-0000000000000f06", "00001-0000000000000f07"] {
        assert!(said(no_file, "no regular file"), "{:?}", status.unreadable);
    }
    assert_eq!(status.unreadable.len(), 12);
    // Recording goes on in a new file, with numbers above all of them.
    assert!(history.record(samples::frame(1, 1200)).seq > 0xf07);
    history.flush(true);
    assert_eq!(history.status().failure, None);
    drop(history);
    assert_eq!(asked(&open(directory.path()), 1000).len(), 101);
    // A file where the folder belongs.
    let other = tempfile::tempdir().unwrap();
    fs::write(other.path().join("history"), "mine").unwrap();
    let history = open(other.path());
    history.record(samples::frame(1, 1000));
    history.flush(true);
    assert!(history.status().failure.is_some() && asked(&history, 1000).len() == 1);
}

#[test]
fn a_file_is_begun_through_no_link_and_waits_for_no_pipe() {
    let link = |path: &Path| std::os::unix::fs::symlink("theirs", path).unwrap();
    let pipe = |path: &Path| rustix::fs::mknodat(rustix::fs::CWD, path, FileType::Fifo, Mode::RWXU, 0).unwrap();
    for make in [&link as &dyn Fn(&Path), &pipe] {
        let directory = tempfile::tempdir().unwrap();
        let folder = directory.path().join("history");
        fs::create_dir(&folder).unwrap();
        fs::write(folder.join("theirs"), "theirs").unwrap();
        make(&folder.join("new"));
        let history = open(directory.path());
        let frames: Vec<_> = (0..20).map(|second| history.record(samples::frame(second, second + 1))).collect();
        history.flush(true);
        assert_eq!((history.status().failure, fs::read(folder.join("theirs")).unwrap()), (None, b"theirs".to_vec()));
        assert!(fs::read_dir(&folder).unwrap().all(|file| file.unwrap().file_type().unwrap().is_file()));
        drop(history);
        assert!(asked(&open(directory.path()), 1000) == steps_of(&frames, 1000));
    }
}

#[test]
fn damage_and_cuts_cost_the_points_they_hit_and_are_told() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let frames: Vec<_> = (1000..1010).map(|second| history.record(samples::frame(second, second))).collect();
    history.close();
    let path = directory.path().join("history/00001-0000000000000001");
    let whole = fs::read(&path).unwrap();
    // Or it would reach further back, and the step would be longer.
    remove_coarser(directory.path());
    let all = steps_of(&frames, 1000);
    let mut dice = Dice(7);
    for _ in 0..300 {
        let mut damaged = whole.clone();
        let at = dice.roll(whole.len() as u64) as usize;
        damaged[at] ^= 1 << dice.roll(8);
        if dice.roll(2) == 0 {
            damaged.truncate(at);
        }
        fs::write(&path, &damaged).unwrap();
        let history = open(directory.path());
        let served = asked(&history, 1000);
        assert!(served.iter().all(|(step, counts)| all.get(step) == Some(counts)), "byte {at}");
        let HistoryStatus { damaged: places, unreadable, .. } = history.status();
        assert!(served.len() == all.len() || places == 1 || unreadable.len() == 1 || damaged.len() == at, "byte {at} was not noticed");
    }
}

#[test]
fn a_damaged_second_is_a_gap_and_coarsens_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let frames = names::record(&history, 6000..7000);
    history.close();
    let path = &files(directory.path())[0];
    let mut bytes = fs::read(path).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    fs::write(path, bytes).unwrap();
    let history = open(directory.path());
    let (served, all) = (asked(&history, 1000), steps_of(&frames, 1000));
    assert!(served.iter().all(|(step, counts)| all.get(step) == Some(counts)) && served.len() == all.len() - 1);
    assert_eq!((history.status().damaged, history.status().unreadable), (1, Vec::new()));
    // Longer steps have it.
    assert!(asked(&history, 5000) == steps_of(&frames, 5000));
}

#[test]
fn a_block_that_is_damaged_later_is_left_out_and_finer_points_take_its_place() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let frames: Vec<_> = (1000..1100).map(|second| history.record(samples::frame(second, second))).collect();
    history.flush(true);
    let path = directory.path().join("history/00005-0000000000000001");
    let mut bytes = fs::read(&path).unwrap();
    let at = bytes.len() / 2;
    bytes[at] ^= 1;
    fs::write(&path, bytes).unwrap();
    let expected = steps_of(&frames, 5000);
    assert!(asked(&history, 5000).len() == expected.len() - 1 && history.status().damaged == 1);
    assert!(asked(&history, 5000) == expected && history.status().damaged == 1);
}

#[test]
fn a_file_that_cannot_be_read_gives_its_name_to_what_is_made_again() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let frames = names::record(&history, 6000..6300);
    history.close();
    let path = directory.path().join("history/00005-0000000000000001");
    fs::write(&path, "torn").unwrap();
    let history = open(directory.path());
    assert!(history.status().unreadable.len() == 1 && asked(&history, 5000) == steps_of(&frames, 5000));
    history.close();
    let history = open(directory.path());
    assert!(history.status().unreadable.is_empty() && asked(&history, 5000) == steps_of(&frames, 5000));
    let archive = history.archive.lock();
    assert_eq!(archive.as_ref().unwrap().bytes(), files(directory.path()).iter().map(|path| path.metadata().unwrap().len()).sum::<u64>());
}

#[test]
fn a_tier_without_files_is_made_again_from_the_finer_one() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let mut frames = Vec::new();
    for second in 600..3000 {
        frames.push(history.record(samples::frame(second, second)));
        if second % 100 == 0 {
            history.flush(false);
        }
    }
    history.close();
    remove_coarser(directory.path());
    let history = open(directory.path());
    assert!(history.state().tiers[4].waiting.len() == 4);
    assert!(asked(&history, 600_000) == steps_of(&frames, 600_000));
}

/// A directory with 20 seconds, and the bytes of its newest file of seconds.
fn twenty_seconds(directory: &Path) -> (Vec<Arc<Frame>>, PathBuf, Vec<u8>) {
    let history = open(directory);
    let frames = (1000..1020).map(|second| history.record(samples::frame(second, second))).collect();
    history.close();
    remove_coarser(directory);
    let path = directory.join("history/00001-0000000000000001");
    let whole = fs::read(&path).unwrap();
    (frames, path, whole)
}

#[test]
fn a_torn_end_is_dropped_quietly_and_written_over() {
    let directory = tempfile::tempdir().unwrap();
    let (frames, path, whole) = twenty_seconds(directory.path());
    let mut last = 0;
    let _ = block::scan(1, &whole[segment::HEADER_BYTES..], |at, _, _| last = segment::HEADER_BYTES + at);
    // Every length is tried in `block`.
    for length in (last + 1..whole.len()).step_by(29).chain([whole.len() - 1]) {
        fs::write(&path, &whole[..length]).unwrap();
        let history = open(directory.path());
        assert!(asked(&history, 1000) == steps_of(&frames[..19], 1000), "{length} bytes");
        assert_eq!((history.status().damaged, history.status().unreadable), (0, Vec::new()), "{length} bytes");
        // Shorter than what was torn, or longer.
        let next = history.record(samples::frame(length as u64 % 7, 1200));
        history.flush(false);
        drop(history);
        remove_coarser(directory.path());
        let history = open(directory.path());
        let all: Vec<_> = frames[..19].iter().cloned().chain([next]).collect();
        assert!(asked(&history, 1000) == steps_of(&all, 1000), "{length} bytes");
        assert_eq!((history.status().damaged, files(directory.path()).len()), (0, 1), "{length} bytes");
        drop(history);
        remove_coarser(directory.path());
    }
}

#[test]
fn an_older_file_that_was_cut_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let (frames, path, whole) = twenty_seconds(directory.path());
    // A file behind it makes it an older one.
    segment::Segment::create(&directory.path().join("history"), 1, frames.last().unwrap().seq + 1, append).unwrap();
    fs::write(&path, &whole[..whole.len() - 1]).unwrap();
    assert_eq!(open(directory.path()).status().damaged, 1);
}
