//! Whether a record that was met is one of those that are wanted; one for each worker.

use crate::scan::plan::Sample;
use crate::scan::walk::Found;
use crate::store::RecordStore;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use tessera_record::filter::{Filter, Subject};
use tessera_record::{BodyRef, Digest, Meta};

/// How many records may still be taken, of all workers together; `None` without a bound.
pub(in crate::scan) type Left = Option<Arc<AtomicU64>>;

#[derive(Clone)]
pub(in crate::scan) struct Matcher {
    filter: Option<Arc<Filter>>,
    left: Left,
}

/// A record as a scan met it.
pub(crate) struct Met<'a> {
    pub(crate) store: &'a RecordStore,
    pub(crate) found: &'a Found<'a>,
}

pub(in crate::scan) fn left(sample: Option<&Sample>) -> Left {
    sample.and_then(Sample::first).map(|first| Arc::new(AtomicU64::new(first)))
}

impl Matcher {
    pub(in crate::scan) fn new(filter: Option<Arc<Filter>>, left: Left) -> Self {
        Self { filter, left }
    }

    pub(in crate::scan) fn filter(&self) -> Option<&Filter> {
        self.filter.as_deref()
    }

    /// Whether the record is wanted; then it counts as taken.
    pub(in crate::scan) fn matches(&self, met: &Met<'_>) -> bool {
        self.filter.as_ref().is_none_or(|filter| filter.holds(met) == Some(true)) && self.claims()
    }

    /// Whether every record that is met is wanted.
    pub(in crate::scan) fn takes_all(&self) -> bool {
        self.filter.is_none() && self.left.is_none()
    }

    /// Whether all that is wanted has been taken.
    pub(in crate::scan) fn done(&self) -> bool {
        self.left.as_ref().is_some_and(|left| left.load(Ordering::Relaxed) == 0)
    }

    fn claims(&self) -> bool {
        let Some(left) = &self.left else { return true };
        left.fetch_update(Ordering::Relaxed, Ordering::Relaxed, |left| left.checked_sub(1)).is_ok()
    }
}

impl Subject for Met<'_> {
    fn digest(&self) -> &Digest {
        &self.found.digest
    }

    fn meta(&self) -> &Meta {
        &self.found.meta
    }

    fn size(&self) -> u64 {
        self.found.size
    }

    fn with_set<R>(&self, with: impl FnOnce(&str) -> R) -> R {
        let set = self.store.set_by_id(self.found.set);
        with(set.as_ref().map_or("", |set| &set.name))
    }

    /// A walk without bodies has none, and nothing that asks for them.
    fn body(&self) -> Option<BodyRef<'_>> {
        (!self.found.body.is_empty()).then(|| BodyRef::new(self.found.body))
    }
}
