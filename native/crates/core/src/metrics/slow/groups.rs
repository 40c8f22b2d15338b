//! Slow operations of one shape: kind, namespace, set, and the filter without its values.

use super::{Operation, SlowOperation};
use std::collections::HashMap;
use std::sync::Arc;
use std::time::Duration;
use tessera_base::latency::split::Split;
use tessera_base::names::NamespaceId;

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowGroup {
    pub operation: Operation,
    pub namespace: Arc<str>,
    pub namespace_id: Option<NamespaceId>,
    pub set: Option<Box<str>>,
    pub filter_shape: Option<Box<str>>,
    pub count: u64,
    pub failed: u64,
    /// Of all together.
    pub took: Duration,
    pub split: Split,
    pub slowest: Duration,
    /// The id of the slowest.
    pub slowest_id: u64,
    /// Unix milliseconds: when the first and the last of them ended.
    pub first_at_ms: u64,
    pub last_at_ms: u64,
}

impl SlowGroup {
    fn of(entry: &SlowOperation) -> Self {
        Self {
            operation: entry.operation,
            namespace: Arc::clone(&entry.namespace),
            namespace_id: entry.namespace_id,
            set: entry.set.clone(),
            filter_shape: entry.filter_shape.clone(),
            count: 0,
            failed: 0,
            took: Duration::ZERO,
            split: Split::default(),
            slowest: Duration::ZERO,
            slowest_id: entry.id,
            first_at_ms: entry.ended_at_ms,
            last_at_ms: entry.ended_at_ms,
        }
    }

    fn add(&mut self, entry: &SlowOperation) {
        self.count += 1;
        self.failed += u64::from(entry.failure.is_some());
        self.took = self.took.saturating_add(entry.took);
        self.split = self.split.and(entry.split);
        if entry.took > self.slowest {
            (self.slowest, self.slowest_id) = (entry.took, entry.id);
        }
        self.first_at_ms = self.first_at_ms.min(entry.ended_at_ms);
        self.last_at_ms = self.last_at_ms.max(entry.ended_at_ms);
    }
}

/// The shape that took most time comes first.
pub(super) fn group(entries: &[Arc<SlowOperation>]) -> Vec<SlowGroup> {
    let mut groups: HashMap<_, SlowGroup> = HashMap::new();
    for entry in entries {
        let shape = (entry.operation, &*entry.namespace, entry.namespace_id, entry.set.as_deref(), entry.filter_shape.as_deref());
        groups.entry(shape).or_insert_with(|| SlowGroup::of(entry)).add(entry);
    }
    let mut groups: Vec<_> = groups.into_values().collect();
    groups.sort_unstable_by_key(|group| (std::cmp::Reverse(group.took), group.slowest_id));
    groups
}
