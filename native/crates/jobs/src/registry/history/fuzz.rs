//! A fuzz target: the log of jobs.

use super::ended::{decode, encode};
use super::log::{MAGIC, replay};
use crate::job::{JobError, JobInfo, JobKind, JobState, Progress, Unit};
use crate::registry::id::base32;
use tessera_base::frames::{self, HEAD_BYTES};

/// Flag of the first byte: the rest is the file as it is, and not the JSON of one job in it.
const RAW: u8 = 1;

/// First byte: flags. What is read is written again as it was; a damaged byte costs its own job alone, and is told.
pub fn run(data: &[u8]) {
    let Some((&flags, rest)) = data.split_first() else { return };
    if flags & RAW != 0 {
        let (past, end) = replay(rest, 0);
        assert!(end <= rest.len() && past.damaged <= rest.len() as u64);
        let mut out = Vec::new();
        past.ended.iter().for_each(|(_, json)| frames::push(&mut out, MAGIC, json));
        let (again, _) = replay(&out, 0);
        assert_eq!((again.ended, again.damaged), (past.ended, 0));
        return;
    }
    let Some(job) = decode(rest) else { return };
    // Numbers with a fraction need not come back to the last bit.
    let job = JobInfo { rate_per_second: 0.5, eta_seconds: None, eta_least_seconds: None, eta_most_seconds: None, ..job };
    assert!(decode(&encode(&job)).as_ref() == Some(&job), "another job is read back");
    let before = sample(1);
    let (first, third) = (log_of([&before].into_iter()), log_of([&sample(3)].into_iter()));
    let middle = log_of([&job].into_iter());
    let mut file = [&first[..], &middle, &third].concat();
    assert_eq!(replay(&file, 0).0.damaged, u64::from(!known(&job)));
    let roll = crc32c::crc32c(data);
    let at = first.len() + roll as usize % middle.len();
    file[at] ^= roll as u8 | 1;
    let (past, end) = replay(&file, 0);
    assert!(past.damaged == 1 && end == file.len(), "byte {at}");
    let ended: Vec<_> = past.ended.iter().filter_map(|(_, json)| decode(json)).collect();
    assert!(ended.first() == Some(&before) && ended.len() == 2, "byte {at} cost more than its own job");
}

fn known(job: &JobInfo) -> bool {
    crate::registry::id::number_of(&job.id) > 0
}

fn log_of<'a>(jobs: impl Iterator<Item = &'a JobInfo>) -> Vec<u8> {
    let mut out = Vec::new();
    jobs.for_each(|job| frames::push(&mut out, MAGIC, &encode(job)));
    out
}

/// A job that ended, with every field.
fn sample(number: u64) -> JobInfo {
    JobInfo {
        id: base32(number),
        kind: JobKind::IndexBuild,
        namespace: "shop".to_owned(),
        namespace_id: Some("0123456789abcdef0123456789abcdef".to_owned()),
        set: Some("events".to_owned()),
        title: "Build index payload".to_owned(),
        parameters: "{\"bin\":\"payload\"}".to_owned(),
        tag: Some("nightly".to_owned()),
        who: Some("token".to_owned()),
        state: JobState::Failed,
        reason: None,
        done: 2000,
        total: Some(4000),
        unit: Unit::Records,
        rate_per_second: 603.5,
        eta_seconds: None,
        eta_least_seconds: None,
        eta_most_seconds: None,
        threads: 2,
        records_per_second: Some(9),
        created_at_ms: 1_764_000_000_000,
        started_at_ms: Some(1_764_000_000_001),
        ended_at_ms: Some(1_764_000_000_900),
        error: Some(JobError { code: "storage_failed".to_owned(), message: "the disk is gone".to_owned(), said: None }),
        damaged: 1,
        damage: Vec::new(),
        lanes: Vec::new(),
        progress: Some(Progress { step_ms: 1000, done: vec![600, 1200, 1800] }),
        result: Some("{\"entries\":7}".to_owned()),
    }
}

/// A job with every field, and files of none, one and many jobs, cut and damaged.
pub fn seeds() -> Vec<Vec<u8>> {
    let job = encode(&sample(2));
    let many: Vec<JobInfo> = (1..6).map(sample).collect();
    let running = JobInfo { state: JobState::Running, ..sample(9) };
    let whole = log_of(many.iter().chain([&running]));
    let cut = whole[..whole.len() - HEAD_BYTES].to_vec();
    let mut damaged = whole.clone();
    damaged[whole.len() / 2] ^= 4;
    let files = [Vec::new(), log_of(many.iter().take(1)), whole, cut, damaged];
    let files = files.iter().map(|file| [&[RAW][..], file].concat());
    [[&[0][..], &job].concat()].into_iter().chain(files).collect()
}
