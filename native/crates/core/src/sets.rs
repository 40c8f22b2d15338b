//! The sets of a namespace: 16-bit ids given by the first record, counters, and what is configured.

mod presence;
mod recent;

pub(crate) use presence::Presence;
pub(crate) use recent::Lent;

use crate::config::{SetConfig, SetLimits};
use crate::directory::Directory;
use crossbeam_utils::CachePadded;
use parking_lot::{Mutex, MutexGuard, RwLock, RwLockWriteGuard};
use recent::Recents;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_jobs::Job;
use tessera_record::Digest;

/// Sets that `Sets::visit` shows before writers that make new ones get a turn.
const VISITED_AT_ONCE: usize = 1024;

/// Id of records without a set.
pub const NO_SET: u16 = 0;

/// One set. Counters are exact whenever no write is under way.
pub struct SetEntry {
    pub id: u16,
    /// Empty for records without a set.
    pub name: Box<str>,
    /// The bin whose value names the segment, and where each record went.
    pub distribution: Option<Distribution>,
    /// Written with every record, and so apart from the rest.
    counts: CachePadded<Counts>,
    /// Most of each; `u64::MAX` without a limit.
    max_records: AtomicU64,
    max_bytes: AtomicU64,
    presence: Presence,
    /// Whether segments keep an index of the set; read and changed with a segment's lock held in between.
    indexed: AtomicBool,
    /// Whether every segment has its index.
    index_ready: AtomicBool,
    /// The job that builds the index; locked while the index is switched.
    build: Mutex<Option<Arc<Job>>>,
}

#[derive(Debug, Default)]
struct Counts {
    records: AtomicU64,
    bytes: AtomicU64,
}

#[derive(Debug)]
pub struct Distribution {
    pub bin: Box<str>,
    pub directory: Directory,
}

/// Where the index of a set stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum SetIndexState {
    Off,
    Building,
    On,
}

impl SetEntry {
    fn new(id: u16, name: &str, distribution_bin: Option<&str>, segments: u32) -> Self {
        let distribution = distribution_bin.map(|bin| Distribution { bin: bin.into(), directory: Directory::default() });
        Self {
            id,
            name: name.into(),
            distribution,
            counts: CachePadded::default(),
            max_records: AtomicU64::new(u64::MAX),
            max_bytes: AtomicU64::new(u64::MAX),
            presence: Presence::new(segments),
            indexed: AtomicBool::new(false),
            index_ready: AtomicBool::new(false),
            build: Mutex::new(None),
        }
    }

    pub fn records(&self) -> u64 {
        self.counts.records.load(Ordering::Relaxed)
    }

    /// Segments that have records of the set; only while its index is on.
    pub(crate) fn presence(&self) -> &Presence {
        &self.presence
    }

    /// Bytes of the set's bodies as stored, headers included.
    pub fn bytes(&self) -> u64 {
        self.counts.bytes.load(Ordering::Relaxed)
    }

    pub fn indexed(&self) -> bool {
        self.indexed.load(Ordering::Acquire)
    }

    pub fn index_state(&self) -> SetIndexState {
        match (self.indexed(), self.index_ready.load(Ordering::Acquire)) {
            (false, _) => SetIndexState::Off,
            (true, false) => SetIndexState::Building,
            (true, true) => SetIndexState::On,
        }
    }

    pub(crate) fn set_index_state(&self, state: SetIndexState) {
        self.index_ready.store(state == SetIndexState::On, Ordering::Release);
        self.indexed.store(state != SetIndexState::Off, Ordering::Release);
    }

    /// Held while the index is switched on or off, and when a build ends.
    pub(crate) fn build(&self) -> MutexGuard<'_, Option<Arc<Job>>> {
        self.build.lock()
    }

    pub fn index_job(&self) -> Option<String> {
        self.build.lock().as_ref().map(|job| job.id().to_owned())
    }

    /// Notes that a record, of a set with a distribution bin, is in a segment.
    pub(crate) fn place(&self, digest: &Digest, segment: u16) {
        if let Some(distribution) = &self.distribution {
            distribution.directory.add(digest, segment);
        }
    }

    /// Notes that it is there no more.
    pub(crate) fn displace(&self, digest: &Digest, segment: u16) {
        if let Some(distribution) = &self.distribution {
            distribution.directory.remove(digest, segment);
        }
    }

    /// Counts a change made under a segment's lock, whatever the limits.
    pub(crate) fn count(&self, records: i64, bytes: i64) {
        if records != 0 {
            self.counts.records.fetch_add(records as u64, Ordering::Relaxed);
        }
        self.counts.bytes.fetch_add(bytes as u64, Ordering::Relaxed);
    }

    /// What a cluster is thought to hold of it.
    pub(crate) fn hold(&self, records: u64, bytes: u64) {
        self.counts.records.store(records, Ordering::Relaxed);
        self.counts.bytes.store(bytes, Ordering::Relaxed);
    }

    /// Counts what is about to be stored, unless it is more than the set may hold. Never over a limit, whatever is counted
    /// at the same time.
    ///
    /// # Errors
    /// `set_quota`; then nothing is counted.
    pub(crate) fn claim(&self, records: u64, bytes: u64) -> Result<()> {
        let full = |why| Err(Error::said(ErrorCode::SetQuota, why).in_field("set"));
        let name = &*self.name;
        if !add_within(&self.counts.records, records, &self.max_records) {
            return full(sentence!(
                "the set \"{name}\" may have at most {most, number} records; delete records, or raise its limits",
                name = name,
                most = self.max_records.load(Ordering::Relaxed)
            ));
        }
        if !add_within(&self.counts.bytes, bytes, &self.max_bytes) {
            self.count(-(records as i64), 0);
            return full(sentence!(
                "the set \"{name}\" may have at most {most, number} bytes; delete records, or raise its limits",
                name = name,
                most = self.max_bytes.load(Ordering::Relaxed)
            ));
        }
        Ok(())
    }

    pub fn limits(&self) -> SetLimits {
        let limit = |most: &AtomicU64| Some(most.load(Ordering::Relaxed)).filter(|&n| n != u64::MAX).unwrap_or(0);
        SetLimits { max_records: limit(&self.max_records), max_bytes: limit(&self.max_bytes) }
    }

    /// Limits that are below what the set holds keep it from growing.
    pub(crate) fn set_limits(&self, limits: SetLimits) {
        let store = |most: &AtomicU64, n: u64| most.store(if n == 0 { u64::MAX } else { n }, Ordering::Relaxed);
        store(&self.max_records, limits.max_records);
        store(&self.max_bytes, limits.max_bytes);
    }

    pub(crate) fn config(&self) -> SetConfig {
        SetConfig {
            name: self.name.to_string(),
            distribution_bin: self.distribution.as_ref().map(|d| d.bin.to_string()),
            index: self.indexed(),
            limits: self.limits(),
        }
    }
}

/// Bytes of memory of one set, with its place in the table.
fn entry_bytes(name: usize, presence: &Presence) -> usize {
    name * 2 + size_of::<SetEntry>() + presence.heap_bytes() + 48
}

/// Adds to a counter unless that would take it over the limit. Whether it did.
fn add_within(counter: &AtomicU64, more: u64, most: &AtomicU64) -> bool {
    let most = most.load(Ordering::Relaxed);
    if more == 0 || most == u64::MAX {
        counter.fetch_add(more, Ordering::Relaxed);
        return true;
    }
    counter.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |n| n.checked_add(more).filter(|&sum| sum <= most)).is_ok()
}

impl std::fmt::Debug for SetEntry {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("SetEntry").field("id", &self.id).field("name", &self.name).finish_non_exhaustive()
    }
}

/// All sets of a namespace. Reads of records do not touch it unless some set has a distribution bin.
#[derive(Debug)]
pub struct Sets {
    table: RwLock<Table>,
    recents: Recents,
    distributed: AtomicUsize,
    segments: u32,
}

#[derive(Debug)]
struct Table {
    by_name: HashMap<Box<str>, Arc<SetEntry>>,
    by_id: Vec<Arc<SetEntry>>,
}

/// A set that is there already, or is about to be.
pub(crate) enum Drafted<'a> {
    There(Arc<SetEntry>),
    New(Draft<'a>),
}

/// A set that is not there yet; whoever looks for any waits until it is published or dropped.
pub(crate) struct Draft<'a> {
    sets: &'a Sets,
    table: RwLockWriteGuard<'a, Table>,
    set: Arc<SetEntry>,
}

impl Drafted<'_> {
    pub(crate) fn published(self) -> Arc<SetEntry> {
        let Draft { sets, mut table, set } = match self {
            Self::There(set) => return set,
            Self::New(draft) => draft,
        };
        table.by_name.insert(set.name.clone(), set.clone());
        table.by_id.push(set.clone());
        if set.distribution.is_some() {
            sets.distributed.fetch_add(1, Ordering::Release);
        }
        set
    }
}

impl Sets {
    /// The sets of a namespace of so many segments: none yet but that of records without a set.
    pub(crate) fn new(segments: u32) -> Self {
        let none = Arc::new(SetEntry::new(NO_SET, "", None, segments));
        let table = Table { by_name: HashMap::from([(Box::from(""), none.clone())]), by_id: vec![none] };
        Self { table: RwLock::new(table), recents: Recents::default(), distributed: AtomicUsize::new(0), segments }
    }

    pub fn find(&self, name: &str) -> Option<Arc<SetEntry>> {
        self.table.read().by_name.get(name).cloned()
    }

    /// The set if its records are placed by a bin, without a lock where no set's are.
    pub(crate) fn distributed(&self, name: &str) -> Option<Arc<SetEntry>> {
        if !self.any_distributed() {
            return None;
        }
        self.find(name).filter(|set| set.distribution.is_some())
    }

    /// Whether any set's records are placed by a bin.
    pub(crate) fn any_distributed(&self) -> bool {
        self.distributed.load(Ordering::Acquire) > 0
    }

    pub(crate) fn by_id(&self, id: u16) -> Option<Arc<SetEntry>> {
        self.table.read().by_id.get(usize::from(id)).cloned()
    }

    /// Every set, the records without a set first.
    pub fn all(&self) -> Vec<Arc<SetEntry>> {
        self.table.read().by_id.clone()
    }

    /// Every set, in the order in which they came, with the lock let go from time to time.
    pub(crate) fn visit(&self, mut met: impl FnMut(&Arc<SetEntry>)) {
        let mut from = 0;
        loop {
            let table = self.table.read();
            let some = table.by_id.iter().skip(from).take(VISITED_AT_ONCE);
            let count = some.len();
            some.for_each(&mut met);
            from += count;
            if count < VISITED_AT_ONCE {
                return;
            }
        }
    }

    /// The set of this name, made now if it is new.
    ///
    /// # Errors
    /// `name_invalid`, `set_limit`.
    pub(crate) fn find_or_create(&self, name: &str) -> Result<Arc<SetEntry>> {
        match self.find(name) {
            Some(set) => Ok(set),
            None => self.create(name, None),
        }
    }

    /// As `find_or_create`, for one operation: a thread that writes to one set many times finds it without a lock that others
    /// take.
    ///
    /// # Errors
    /// As `find_or_create`.
    pub(crate) fn lend_or_create(&self, name: &str) -> Result<Lent<'_>> {
        self.recents.lend(name, || self.find_or_create(name))
    }

    /// Makes a set ahead of its first record. Repeating it with the same distribution bin changes nothing.
    ///
    /// # Errors
    /// As `draft`.
    pub(crate) fn create(&self, name: &str, distribution_bin: Option<&str>) -> Result<Arc<SetEntry>> {
        self.draft(name, distribution_bin).map(Drafted::published)
    }

    /// As `create`, of a set that nobody sees before it is published.
    ///
    /// # Errors
    /// `name_invalid`, `set_limit`, and `set_not_empty` when the set is there with another distribution bin.
    pub(crate) fn draft(&self, name: &str, distribution_bin: Option<&str>) -> Result<Drafted<'_>> {
        limits::check_name(name, "set")?;
        let table = self.table.write();
        if let Some(set) = table.by_name.get(name) {
            if distribution_bin.is_none() || set.distribution.as_ref().map(|d| &*d.bin) == distribution_bin {
                return Ok(Drafted::There(set.clone()));
            }
            let message =
                sentence!("the set \"{name}\" already exists; a distribution bin can only be set when the set is created", name = name);
            return Err(Error::said(ErrorCode::SetNotEmpty, message).in_field("distributionBin"));
        }
        if table.by_id.len() > limits::SETS {
            return Err(Error::said(ErrorCode::SetLimit, sentence!("a namespace can have at most {most} sets", most = limits::SETS))
                .in_field("set"));
        }
        let set = Arc::new(SetEntry::new(table.by_id.len() as u16, name, distribution_bin, self.segments));
        Ok(Drafted::New(Draft { sets: self, table, set }))
    }

    /// Bytes of memory of so many sets whose names have so many bytes.
    pub(crate) fn bytes_for(sets: usize, name: usize, segments: u32) -> usize {
        sets * entry_bytes(name, &Presence::new(segments))
    }

    /// Bytes of memory of the names and, where there are any, the directories.
    pub(crate) fn heap_bytes(&self) -> (usize, usize) {
        let table = self.table.read();
        let names = table.by_id.iter().map(|set| entry_bytes(set.name.len(), &set.presence)).sum();
        let directories = table.by_id.iter().filter_map(|set| set.distribution.as_ref()).map(|d| d.directory.heap_bytes()).sum();
        (names, directories)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_are_given_in_order_and_names_are_checked() {
        let sets = Sets::new(16);
        assert_eq!(sets.find("").unwrap().id, NO_SET);
        assert_eq!(sets.find_or_create("a").unwrap().id, 1);
        assert_eq!(sets.find_or_create("a").unwrap().id, 1);
        assert_eq!(sets.find_or_create("a\0").unwrap_err().code, ErrorCode::NameInvalid);
        assert_eq!(sets.create("b", Some("repo")).unwrap().id, 2);
        assert_eq!(sets.create("a", Some("repo")).unwrap_err().code, ErrorCode::SetNotEmpty);
        assert!(sets.distributed("a").is_none());
        assert!(sets.distributed("b").is_some());
    }

    #[test]
    fn a_lent_set_is_the_one_that_find_gives() {
        let sets = Sets::new(16);
        let lent = sets.lend_or_create("a").unwrap();
        // Another operation of the same thread while one is under way.
        assert_eq!((lent.id, sets.lend_or_create("b").unwrap().id, lent.id), (1, 2, 1));
        drop(lent);
        assert_eq!(["a", "b", "b", ""].map(|name| sets.lend_or_create(name).unwrap().id), [1, 2, 2, NO_SET]);
        assert_eq!(sets.lend_or_create("a\0").err().map(|error| error.code), Some(ErrorCode::NameInvalid));
        sets.create("c", Some("repo")).unwrap();
        assert!(sets.lend_or_create("c").unwrap().distribution.is_some());
    }

    #[test]
    fn a_set_is_seen_when_it_is_published() {
        let sets = Sets::new(16);
        drop(sets.draft("a", Some("repo")).unwrap());
        assert!(sets.find("a").is_none() && !sets.any_distributed());
        std::thread::scope(|scope| {
            let draft = sets.draft("a", Some("repo")).unwrap();
            let writer = scope.spawn(|| sets.find_or_create("a").unwrap().distribution.is_some());
            assert_eq!(draft.published().id, 1);
            assert!(writer.join().unwrap(), "it waited for the one with the bin");
        });
    }

    #[test]
    fn more_sets_than_ids_are_refused() {
        let sets = Sets::new(16);
        for n in 0..limits::SETS {
            sets.find_or_create(&format!("s{n}")).unwrap();
        }
        assert_eq!(sets.find_or_create("one-more").unwrap_err().code, ErrorCode::SetLimit);
    }
}
