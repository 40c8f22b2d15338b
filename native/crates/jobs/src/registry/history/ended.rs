//! The jobs that ended, as many as there is room for.
//!
//! Jobs are in classes: those that read are one, each other kind is one of its own. A class has a bound, and all of them
//! together have one of bytes; the class that has most gives way to it. So thousands of short scans take no place of a build.

use crate::job::{JobDamage, JobError, JobInfo, JobKind, JobState};
use crate::registry::id::{base32, number_of};
use serde::Deserialize;
use std::collections::BTreeMap;
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_base::clock::unix_millis;
use tessera_base::sentence;

/// What a job takes besides its JSON, about.
const OVERHEAD_BYTES: usize = 256;

/// How many ended jobs are remembered.
#[derive(Clone, Copy, Debug)]
pub(in crate::registry) struct Bounds {
    /// Of each class.
    pub(in crate::registry) jobs: usize,
    /// Of all classes. One job has an eighth of it at most.
    pub(in crate::registry) bytes: usize,
}

/// A job that is not remembered any more.
#[derive(Debug, PartialEq, Eq)]
pub(in crate::registry) struct Forgotten {
    pub(in crate::registry) id: String,
    pub(in crate::registry) kind: JobKind,
}

/// What lists look at. A start reads no more of a job, which takes less than half of the time.
#[derive(Debug, PartialEq, Eq, Deserialize)]
#[serde(rename_all = "camelCase")]
pub(in crate::registry) struct Head {
    pub(in crate::registry) id: String,
    kind: JobKind,
    pub(in crate::registry) state: JobState,
    namespace: String,
    created_at_ms: u64,
}

impl Head {
    fn number(&self) -> u64 {
        number_of(&self.id)
    }
}

/// A job as it is remembered.
#[derive(Debug)]
struct Kept {
    head: Head,
    /// As it lies in the log.
    json: Arc<[u8]>,
    /// The log has none of it.
    damage: Box<[JobDamage]>,
    /// Its place in the order in which jobs ended.
    order: u64,
}

impl Kept {
    fn new(mut job: JobInfo, most: usize, order: u64) -> Self {
        let mut json = encode(&job);
        if json.len() > most {
            (job.parameters, job.result) = ("{}".to_owned(), None);
            json = encode(&job);
        }
        let JobInfo { id, kind, state, namespace, created_at_ms, damage, .. } = job;
        Self { head: Head { id, kind, state, namespace, created_at_ms }, json: json.into(), damage: damage.into(), order }
    }

    fn bytes(&self) -> usize {
        let said = |one: &JobDamage| one.said.as_ref().map_or(0, String::len);
        let of = |one: &JobDamage| one.set.len() + one.digest.len() + one.message.len() + said(one) + OVERHEAD_BYTES;
        let damage: usize = self.damage.iter().map(of).sum();
        OVERHEAD_BYTES + self.head.namespace.len() + self.json.len() + damage
    }

    fn info(&self) -> Option<JobInfo> {
        let job: JobInfo = decode(&self.json)?;
        Some(JobInfo { damage: self.damage.to_vec(), ..job })
    }
}

#[derive(Debug, Default)]
struct Class {
    /// By the order in which they ended.
    jobs: BTreeMap<u64, u64>,
    bytes: usize,
}

#[derive(Debug)]
pub(in crate::registry) struct Ended {
    bounds: Bounds,
    /// By the number in the id, so that the newest are the last.
    jobs: BTreeMap<u64, Kept>,
    classes: [Class; JobKind::ALL.len() + 1],
    bytes: usize,
    next: u64,
}

impl Ended {
    pub(in crate::registry) fn new(bounds: Bounds) -> Self {
        Self { bounds, jobs: BTreeMap::new(), classes: Default::default(), bytes: 0, next: 0 }
    }

    pub(in crate::registry) fn contains(&self, id: &str) -> bool {
        self.jobs.contains_key(&number_of(id))
    }

    /// The newest job's.
    pub(in crate::registry) fn last_number(&self) -> u64 {
        self.jobs.last_key_value().map_or(0, |(number, _)| *number)
    }

    /// What they take in memory, about; in the log they take less.
    pub(in crate::registry) const fn bytes(&self) -> usize {
        self.bytes
    }

    pub(in crate::registry) fn info(&self, id: &str) -> Option<JobInfo> {
        self.jobs.get(&number_of(id))?.info()
    }

    /// The job's line of the log.
    pub(in crate::registry) fn json(&self, id: &str) -> Option<Arc<[u8]>> {
        Some(Arc::clone(&self.jobs.get(&number_of(id))?.json))
    }

    /// All lines of the log, in the order in which the jobs ended.
    pub(in crate::registry) fn log(&self) -> Vec<Arc<[u8]>> {
        let mut jobs: Vec<&Kept> = self.jobs.values().collect();
        jobs.sort_unstable_by_key(|job| job.order);
        jobs.into_iter().map(|job| Arc::clone(&job.json)).collect()
    }

    /// Those older than `before`, newest first, that `wanted` takes by kind, state, namespace and time of creation.
    pub(in crate::registry) fn newest_first<'a>(
        &'a self,
        before: Option<u64>,
        wanted: impl Fn(JobKind, JobState, &str, u64) -> bool + 'a,
    ) -> impl Iterator<Item = Arc<[u8]>> + 'a {
        let jobs = self.jobs.range(..before.unwrap_or(u64::MAX)).rev();
        let wanted = move |Head { kind, state, namespace, created_at_ms, .. }: &Head| wanted(*kind, *state, namespace, *created_at_ms);
        jobs.filter(move |(_, job)| wanted(&job.head)).map(|(_, job)| Arc::clone(&job.json))
    }

    /// Remembers a job, and answers those that had to go for it.
    pub(in crate::registry) fn insert(&mut self, job: JobInfo) -> Vec<Forgotten> {
        let kept = Kept::new(job, self.bounds.bytes / 8, self.next);
        self.keep(kept)
    }

    /// As `insert`, of a job that the log has as `json`.
    pub(in crate::registry) fn restore(&mut self, head: Head, json: Arc<[u8]>) -> Vec<Forgotten> {
        self.keep(Kept { head, json, damage: Box::default(), order: self.next })
    }

    fn keep(&mut self, kept: Kept) -> Vec<Forgotten> {
        let number = kept.head.number();
        self.take(number);
        self.next += 1;
        let class = &mut self.classes[class_of(kept.head.kind)];
        class.jobs.insert(kept.order, number);
        class.bytes += kept.bytes();
        self.bytes += kept.bytes();
        self.jobs.insert(number, kept);
        std::iter::from_fn(|| self.forget_one()).collect()
    }

    /// Changes a job that is there.
    pub(in crate::registry) fn change(&mut self, id: &str, change: impl FnOnce(&mut JobInfo)) -> Option<()> {
        let number = number_of(id);
        let (mut job, order) = self.jobs.get(&number).and_then(|kept| Some((kept.info()?, kept.order)))?;
        change(&mut job);
        let changed = Kept::new(job, self.bounds.bytes / 8, order);
        let class = &mut self.classes[class_of(changed.head.kind)];
        let (before, after) = (self.jobs.get(&number)?.bytes(), changed.bytes());
        class.bytes = class.bytes - before + after;
        self.bytes = self.bytes - before + after;
        self.jobs.insert(number, changed);
        Some(())
    }

    pub(in crate::registry) fn remove(&mut self, id: &str) -> Option<JobInfo> {
        self.take(number_of(id))?.info()
    }

    /// The oldest of a class that has too many; otherwise, if all have too many bytes, of the class that has most of them.
    fn forget_one(&mut self) -> Option<Forgotten> {
        let full = self.classes.iter().position(|class| class.jobs.len() > self.bounds.jobs);
        let heavy = || (0..self.classes.len()).max_by_key(|&class| self.classes[class].bytes).filter(|_| self.bytes > self.bounds.bytes);
        let (_, &number) = self.classes[full.or_else(heavy)?].jobs.first_key_value()?;
        let kind = self.take(number)?.head.kind;
        Some(Forgotten { id: base32(number), kind })
    }

    fn take(&mut self, number: u64) -> Option<Kept> {
        let kept = self.jobs.remove(&number)?;
        let class = &mut self.classes[class_of(kept.head.kind)];
        class.jobs.remove(&kept.order);
        class.bytes -= kept.bytes();
        self.bytes -= kept.bytes();
        Some(kept)
    }
}

const fn class_of(kind: JobKind) -> usize {
    if kind.is_read() { JobKind::ALL.len() } else { kind as usize }
}

/// The JSON of a job; empty if there is none, which no job has.
pub(in crate::registry) fn encode(job: &JobInfo) -> Vec<u8> {
    serde_json::to_vec(job).unwrap_or_default()
}

/// What lists look at of a job; `None` if it is none of ours.
pub(in crate::registry) fn head(json: &[u8]) -> Option<Head> {
    serde_json::from_slice(json).ok().filter(|head: &Head| head.number() > 0)
}

pub(in crate::registry) fn decode(json: &[u8]) -> Option<JobInfo> {
    serde_json::from_slice(json).ok()
}

/// A job that a kill cut off.
pub(in crate::registry) fn settle(mut job: JobInfo, damaged: bool) -> JobInfo {
    let message = if damaged {
        sentence!("the process ended while the job ran, or its end was in a damaged part of the history")
    } else {
        sentence!("the process ended while the job ran")
    };
    job.state = JobState::Failed;
    job.ended_at_ms = Some(unix_millis());
    (job.eta_seconds, job.eta_least_seconds, job.eta_most_seconds) = (None, None, None);
    job.error = Some(JobError { code: ErrorCode::Aborted.as_str().to_owned(), message: message.to_string(), said: None });
    job
}
