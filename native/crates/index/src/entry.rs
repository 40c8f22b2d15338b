//! An index as its namespace and all its segments know it: what it covers, and where it stands.

use std::sync::atomic::{AtomicU8, AtomicU32, Ordering};
use std::sync::{Arc, Weak};

use parking_lot::Mutex;

use crate::document::terms;
use crate::merges::{MergeCounts, MergeQueue, Wanted};
use crate::spec::IndexSpec;
use crate::uses::{IndexUses, UseCounter};
use tessera_base::Result;
use tessera_record::{BodyRef, Path, ValueRef};

/// What an index keeps of a record.
#[derive(Clone, Copy)]
pub enum Indexed<'b> {
    /// What is in its bin, or at its path there.
    Value(ValueRef<'b>),
    /// All bins.
    Record(BodyRef<'b>),
}

/// Whether queries may use an index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexState {
    /// Takes writes; queries do not use it yet.
    Building,
    Ready,
    /// The build could not read the records; nothing is kept until the index is dropped or the namespace opened again.
    Failed,
}

/// Where an index has come from in this run of the engine.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum IndexOrigin {
    /// A job built it, or it began with its namespace.
    Built,
    /// The snapshot of the last orderly close.
    Snapshot,
    /// The records, as they were read at the start.
    Recovered,
}

/// One index of a namespace; each segment has a part of it.
pub struct Index {
    spec: IndexSpec,
    path: Path,
    state: AtomicU8,
    origin: AtomicU8,
    /// Id of the build, while it is at work and after.
    job: Mutex<Option<String>>,
    /// Nanoseconds that checking a candidate takes.
    check_ns: AtomicU32,
    /// Where its parts ask for merges; it holds indexes itself.
    merges: Weak<MergeQueue<Self>>,
    uses: UseCounter,
}

impl std::fmt::Debug for Index {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Index").field("spec", &self.spec).field("state", &self.state()).finish_non_exhaustive()
    }
}

impl Index {
    /// Candidates of it take `check_ns` nanoseconds each to be checked.
    ///
    /// # Errors
    /// What `IndexSpec::check` returns.
    pub fn new(spec: IndexSpec, state: IndexState, check_ns: u32, merges: &Arc<MergeQueue<Self>>) -> Result<Self> {
        spec.check()?;
        let path = spec.path.as_deref().map_or(Ok(Path::default()), Path::parse)?;
        let (state, origin) = (AtomicU8::new(state as u8), AtomicU8::new(IndexOrigin::Built as u8));
        let (job, check_ns) = (Mutex::new(None), AtomicU32::new(check_ns));
        Ok(Self { spec, path, state, origin, job, check_ns, merges: Arc::downgrade(merges), uses: UseCounter::default() })
    }

    /// What it covers.
    #[inline]
    pub fn spec(&self) -> &IndexSpec {
        &self.spec
    }

    /// Where in the bin its values are; empty for the whole bin.
    #[inline]
    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Whether records of `set` (empty for none) are in it.
    #[inline]
    pub fn covers(&self, set: &str) -> bool {
        self.spec.set.as_deref().is_none_or(|own| own == set)
    }

    /// What is in the bin of a record, or at the path there; `None` also for an index over whole records.
    pub fn value<'b>(&self, body: BodyRef<'b>) -> Option<ValueRef<'b>> {
        match self.kept(body)? {
            Indexed::Value(value) => Some(value),
            Indexed::Record(_) => None,
        }
    }

    /// What the index keeps of a record.
    #[inline]
    pub fn kept<'b>(&self, body: BodyRef<'b>) -> Option<Indexed<'b>> {
        match &self.spec.bin {
            Some(bin) => body.bin(bin).and_then(|value| self.path.find(value)).map(Indexed::Value),
            None => Some(Indexed::Record(body)),
        }
    }

    /// Calls `each` with every term that a document index keeps of a record; a term that occurs twice comes twice.
    pub fn each_term(&self, body: BodyRef<'_>, each: &mut impl FnMut(u32)) {
        match self.kept(body) {
            Some(Indexed::Value(value)) => terms::each_term(&value, &mut |term| each(terms::kept(term))),
            Some(Indexed::Record(body)) => terms::each_term_of_record(&body, &mut |term| each(terms::kept(term))),
            None => {}
        }
    }

    /// Nanoseconds that checking a candidate takes: finding its record, and asking it.
    #[inline]
    pub fn check_ns(&self) -> u32 {
        self.check_ns.load(Ordering::Relaxed)
    }

    /// Notes what checking a candidate was found to take.
    pub fn set_check_ns(&self, check_ns: u32) {
        self.check_ns.store(check_ns, Ordering::Relaxed);
    }

    /// Asks for a merge of the part in `segment`.
    pub fn ask_for_merge(self: &Arc<Self>, segment: u16) {
        if let Some(queue) = self.merges.upgrade() {
            queue.ask(Wanted { segment, index: Arc::clone(self) });
        }
    }

    /// Merges of its parts, at work and waiting.
    pub fn merges(self: &Arc<Self>) -> MergeCounts {
        self.merges.upgrade().map(|queue| queue.counts(self)).unwrap_or_default()
    }

    /// Whether queries may use it.
    #[inline]
    pub fn state(&self) -> IndexState {
        match self.state.load(Ordering::Acquire) {
            0 => IndexState::Building,
            1 => IndexState::Ready,
            _ => IndexState::Failed,
        }
    }

    /// Says whether queries may use it from now on.
    pub fn set_state(&self, state: IndexState) {
        self.state.store(state as u8, Ordering::Release);
    }

    /// Where it has come from.
    pub fn origin(&self) -> IndexOrigin {
        match self.origin.load(Ordering::Acquire) {
            1 => IndexOrigin::Snapshot,
            2 => IndexOrigin::Recovered,
            _ => IndexOrigin::Built,
        }
    }

    /// Notes where it has come from.
    pub fn set_origin(&self, origin: IndexOrigin) {
        self.origin.store(origin as u8, Ordering::Release);
    }

    /// Notes that a query finds its records by it.
    pub fn note_use(&self, now_ms: u64) {
        self.uses.note(now_ms);
    }

    /// How often queries have used it since it was opened.
    pub fn uses(&self) -> IndexUses {
        self.uses.read()
    }

    /// Id of its build, while that is at work and after.
    pub fn job(&self) -> Option<String> {
        self.job.lock().clone()
    }

    /// Notes the id of its build.
    pub fn set_job(&self, id: &str) {
        *self.job.lock() = Some(id.to_owned());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::IndexKind;
    use tessera_record::{BodyBuilder, KeyRef};

    fn index(set: Option<&str>, bin: Option<&str>, path: Option<&str>, merges: &Arc<MergeQueue<Index>>) -> Arc<Index> {
        let [set, bin, path] = [set, bin, path].map(|text| text.map(str::to_owned));
        let kind = if path.is_some() { IndexKind::Range } else { IndexKind::Document };
        let spec = IndexSpec { name: "all".to_owned(), set, bin, kind, path, created_at_ms: 0 };
        Arc::new(Index::new(spec, IndexState::Building, 70, merges).unwrap())
    }

    #[test]
    fn an_index_covers_one_set_or_every_record() {
        let merges = Arc::new(MergeQueue::new(1));
        let of_one = index(Some("a"), None, None, &merges);
        assert_eq!(["a", "b", ""].map(|set| of_one.covers(set)), [true, false, false]);
        let of_all = index(None, None, None, &merges);
        assert_eq!(["a", ""].map(|set| of_all.covers(set)), [true, true]);
        assert_eq!((of_one.spec().set.as_deref(), format!("{of_one:?}").contains("all")), (Some("a"), true));
    }

    #[test]
    fn an_index_keeps_what_is_at_its_path() {
        let merges = Arc::new(MergeQueue::new(1));
        let mut bytes = Vec::new();
        let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(1));
        body.encoded_bin("b", &tessera_record::sample::encode(r#"{"a":[5,6]}"#)).unwrap();
        body.finish();
        let kept = |bin, path| index(None, bin, path, &merges).kept(BodyRef::new(&bytes));
        assert!(matches!(kept(Some("b"), Some("a[1]")), Some(Indexed::Value(ValueRef::Int(6)))));
        assert!(matches!(kept(Some("b"), None), Some(Indexed::Value(ValueRef::Map(_)))));
        assert!(kept(Some("b"), Some("c")).is_none() && kept(Some("c"), None).is_none());
        assert!(matches!(kept(None, None), Some(Indexed::Record(_))));
    }

    #[test]
    fn what_is_noted_of_an_index_is_told() {
        let index = index(None, None, None, &Arc::new(MergeQueue::new(1)));
        assert_eq!((index.state(), index.origin(), index.job(), index.check_ns()), (IndexState::Building, IndexOrigin::Built, None, 70));
        for state in [IndexState::Ready, IndexState::Failed, IndexState::Building] {
            index.set_state(state);
            assert_eq!(index.state(), state);
        }
        for origin in [IndexOrigin::Snapshot, IndexOrigin::Recovered, IndexOrigin::Built] {
            index.set_origin(origin);
            assert_eq!(index.origin(), origin);
        }
        index.set_job("7");
        index.set_check_ns(90);
        assert_eq!((index.job().as_deref(), index.check_ns()), (Some("7"), 90));
    }

    #[test]
    fn parts_ask_the_queue_while_there_is_one() {
        let merges = Arc::new(MergeQueue::new(1));
        let index = index(None, None, None, &merges);
        index.ask_for_merge(3);
        assert_eq!(index.merges(), MergeCounts { running: 0, waiting: 1 });
        drop(merges);
        index.ask_for_merge(4);
        assert_eq!(index.merges(), MergeCounts::default());
    }
}
