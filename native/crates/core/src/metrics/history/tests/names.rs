//! Files of the history under names that are not theirs.

use super::*;
use segment::Segment;
use std::cell::RefCell;
use std::ops::Range;

/// A history of several files of the finest tiers, and its seconds.
fn kept(directory: &Path) -> Vec<Arc<Frame>> {
    let history = open(directory);
    let frames = record(&history, 6000..6950);
    history.close();
    frames
}

/// Seconds that are written as they come: no more wait than fit.
pub(super) fn record(history: &History, seconds: Range<u64>) -> Vec<Arc<Frame>> {
    let one = |second: u64| {
        if second.is_multiple_of(50) {
            history.flush(false);
        }
        history.record(samples::frame(second, second))
    };
    seconds.map(one).collect()
}

/// What was recorded, in steps of each length that was asked for: adding it up takes longer than reading it.
struct Recorded<'a> {
    frames: &'a [Arc<Frame>],
    steps: BTreeMap<u64, Steps>,
}

impl<'a> Recorded<'a> {
    fn new(frames: &'a [Arc<Frame>]) -> Self {
        Self { frames, steps: BTreeMap::new() }
    }

    fn steps(&mut self, step_ms: u64) -> &Steps {
        self.steps.entry(step_ms).or_insert_with(|| steps_of(self.frames, step_ms))
    }
}

/// What is served, in whatever steps there are. None of it is more than what was.
fn served(history: &History, recorded: &mut Recorded<'_>, step_ms: u64) {
    let mut found = history.steps(HistoryQuery { to_ms: u64::MAX, step_ms, ..HistoryQuery::default() });
    let step_ms = found.step_ms();
    let (mut steps, all) = (Steps::new(), recorded.steps(step_ms));
    std::iter::from_fn(|| history.next(&mut found)).for_each(|step| note(&mut steps, step_ms, &step.frame));
    for (step, counts) in &steps {
        let was = all.get(step).expect("a time that nothing was recorded at");
        assert!(counts.0 < was.0 || counts == was, "{counts:?} for {was:?} in step {step} of {step_ms} ms");
    }
}

fn name(path: &Path) -> String {
    path.file_name().unwrap().to_str().unwrap().to_owned()
}

/// All of it is served, and nothing is told.
fn is_whole(directory: &Path, frames: &[Arc<Frame>]) -> bool {
    let history = open(directory);
    asked(&history, 1000) == steps_of(frames, 1000) && history.status().damaged == 0 && history.status().unreadable.is_empty()
}

#[test]
fn a_renamed_file_is_told_and_never_served_under_a_wrong_time() {
    let directory = tempfile::tempdir().unwrap();
    let frames = kept(directory.path());
    let all = files(directory.path());
    assert!(all.len() > 7, "{all:?}");
    let mut recorded = Recorded::new(&frames);
    for path in &all {
        let own = name(path);
        let (tier, number) = Segment::parse(&own).unwrap();
        let others = [
            format!("{tier:05}-{:016x}", number.saturating_sub(1)),
            format!("{tier:05}-{:016x}", 0xffff),
            format!("00005-{:016x}", number + 1),
            format!("00002-{number:016x}"),
            format!("{tier:05}-{:016x}", u64::MAX),
            "mine".to_owned(),
        ];
        for other in others.iter().filter(|other| !all.iter().any(|path| name(path) == **other)) {
            let renamed = path.with_file_name(other);
            fs::rename(path, &renamed).unwrap();
            let history = open(directory.path());
            served(&history, &mut recorded, 1000);
            served(&history, &mut recorded, 15_000);
            let HistoryStatus { damaged, unreadable, .. } = history.status();
            let says = format!("{}: it was renamed: its name should be {own}", renamed.display());
            assert_eq!((damaged, unreadable), (0, vec![says]));
            drop(history);
            fs::rename(&renamed, path).unwrap();
        }
    }
    assert!(is_whole(directory.path(), &frames));
}

#[test]
fn swapped_files_are_told_and_never_served_under_a_wrong_time() {
    let directory = tempfile::tempdir().unwrap();
    let frames = kept(directory.path());
    let all = files(directory.path());
    let aside = directory.path().join("aside");
    let swap = |one: &Path, other: &Path| {
        fs::rename(one, &aside).unwrap();
        fs::rename(other, one).unwrap();
        fs::rename(&aside, other).unwrap();
    };
    let mut recorded = Recorded::new(&frames);
    for (at, one) in all.iter().enumerate() {
        for other in &all[at + 1..] {
            swap(one, other);
            let history = open(directory.path());
            served(&history, &mut recorded, 15_000);
            let told = history.status().unreadable;
            let says =
                |path: &Path, is: &Path| told.contains(&format!("{}: it was renamed: its name should be {}", path.display(), name(is)));
            assert!(told.len() == 2 && says(one, other) && says(other, one), "{told:?}");
            drop(history);
            swap(one, other);
        }
    }
    assert!(is_whole(directory.path(), &frames));
}

thread_local! {
    /// What lay in the folder at each moment.
    static MOMENTS: RefCell<Vec<BTreeMap<String, Vec<u8>>>> = const { RefCell::new(Vec::new()) };
    static FOLDER: RefCell<PathBuf> = const { RefCell::new(PathBuf::new()) };
}

fn watched_append(file: &File, bytes: &[u8], at: u64) -> io::Result<()> {
    let content = |path: &PathBuf| (name(path), fs::read(path).unwrap());
    let now = || FOLDER.with_borrow(|folder| files(folder).iter().map(content).collect());
    MOMENTS.with_borrow_mut(|moments| moments.push(now()));
    append(file, bytes, at)?;
    MOMENTS.with_borrow_mut(|moments| moments.push(now()));
    Ok(())
}

#[test]
fn a_kill_at_any_moment_between_writes_is_told_as_no_damage() {
    let directory = tempfile::tempdir().unwrap();
    FOLDER.set(directory.path().to_owned());
    let history = History::new(Some((directory.path().join("history"), watched_append)), Box::new(|| Ok(())));
    let frames: Vec<_> = (6000..6130).map(|second| history.record(samples::frame(second, second))).collect();
    history.flush(true);
    let mut recorded = Recorded::new(&frames);
    for moment in MOMENTS.take() {
        let killed = tempfile::tempdir().unwrap();
        fs::create_dir(killed.path().join("history")).unwrap();
        moment.iter().for_each(|(name, bytes)| fs::write(killed.path().join("history").join(name), bytes).unwrap());
        let history = open(killed.path());
        served(&history, &mut recorded, 1000);
        assert_eq!((history.status().damaged, history.status().unreadable), (0, Vec::new()), "{:?}", moment.keys());
    }
}

#[test]
fn every_byte_of_a_header_is_checked() {
    let directory = tempfile::tempdir().unwrap();
    let history = open(directory.path());
    let frames = record(&history, 6000..6020);
    history.close();
    let path = &files(directory.path())[0];
    let whole = fs::read(path).unwrap();
    let mut recorded = Recorded::new(&frames);
    for at in 0..segment::HEADER_BYTES {
        for bit in 0..8 {
            let mut damaged = whole.clone();
            damaged[at] ^= 1 << bit;
            fs::write(path, &damaged).unwrap();
            let history = open(directory.path());
            served(&history, &mut recorded, 1000);
            assert_eq!((history.status().damaged, history.status().unreadable.len()), (0, 1), "byte {at}, bit {bit}");
        }
        fs::write(path, &whole[..at]).unwrap();
        assert_eq!(open(directory.path()).status().unreadable.len(), 1, "cut at {at}");
    }
}

/// The file as version 1 had it: no number.
fn of_version_1(bytes: &[u8]) -> Vec<u8> {
    let mut header = [&bytes[..8], &1u32.to_le_bytes(), &bytes[12..16]].concat();
    header.extend_from_slice(&crc32c::crc32c(&header).to_le_bytes());
    [&header, &bytes[segment::HEADER_BYTES..]].concat()
}

#[test]
fn files_of_version_1_are_read_and_gone_on_with_and_told_if_they_are_renamed() {
    let directory = tempfile::tempdir().unwrap();
    let mut frames = kept(directory.path());
    for path in files(directory.path()) {
        fs::write(&path, of_version_1(&fs::read(&path).unwrap())).unwrap();
    }
    assert!(is_whole(directory.path(), &frames));
    let history = open(directory.path());
    frames.extend(record(&history, 6950..7000));
    history.close();
    assert!(is_whole(directory.path(), &frames));
    let all = files(directory.path());
    let mut recorded = Recorded::new(&frames);
    for (path, other, why) in [
        (&all[0], "00001-0000000000000101", "it begins with second 1"),
        (&all[1], "00005-0000000000000101", "its name should begin with 00001-"),
        (&all[2], "mine", "its name should begin with 00001-"),
    ] {
        fs::rename(path, path.with_file_name(other)).unwrap();
        let history = open(directory.path());
        served(&history, &mut recorded, 1000);
        let told = history.status().unreadable;
        assert!(told.len() == 1 && told[0].contains(other) && told[0].contains(why), "{told:?}");
        drop(history);
        fs::rename(path.with_file_name(other), path).unwrap();
    }
}
