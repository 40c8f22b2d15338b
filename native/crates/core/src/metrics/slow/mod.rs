//! The operations that took long, with where their time went: `docs/internals/slow.md`.
//!
//! The recorder compares every operation with a gate; what is beyond it comes here. `kept` keeps a ring of all beyond the
//! threshold and the slowest of each kind, `entry` is one of them, `groups` puts those of one shape together. `save` says when
//! they are written into a file, `file` how, and `codec` has their bytes.

mod codec;
mod entry;
mod file;
mod groups;
mod kept;
mod save;

pub use entry::SlowOperation;
pub(crate) use entry::{About, Name, Took};
pub use groups::SlowGroup;

use super::{HistoryStatus, Operation};
use kept::Kept;
use parking_lot::Mutex;
use save::Saved;
use std::collections::BTreeMap;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::sync::{Arc, OnceLock};
use std::time::{Duration, Instant};
use tessera_base::latency::split::Split;
use tessera_base::names::NamespaceId;
use tessera_base::ticker::Ticker;
use tessera_base::{Error, ErrorCode, Result, Sentence, clock, sentence};

const KINDS: usize = Operation::ALL.len();
/// Nothing faster is ever kept.
pub const SLOW_LEAST: Duration = Duration::from_micros(100);
/// Most that a threshold can be.
pub const SLOW_MOST: Duration = Duration::from_secs(3600);
/// The threshold after a start.
const THRESHOLD: Duration = Duration::from_millis(100);
/// Namespaces that can have thresholds of their own.
const NAMESPACES_MAX: usize = 1024;
/// Most operations in an answer.
pub const SLOW_LIMIT_MOST: usize = 10_000;

/// What is kept.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SlowSettings {
    /// Operations from here on are kept.
    pub threshold: Duration,
    /// Those of single namespaces have thresholds of their own.
    pub namespaces: BTreeMap<String, Duration>,
    /// Whether keys and the values of filters are kept.
    pub keep_keys: bool,
}

/// What becomes of the settings; what is not named stays.
#[derive(Clone, Debug, Default)]
pub struct SlowPatch {
    pub threshold: Option<Duration>,
    /// `None`: the namespace has the threshold of the engine again.
    pub namespaces: BTreeMap<String, Option<Duration>>,
    pub keep_keys: Option<bool>,
}

/// Which of the kept operations are wanted.
#[derive(Clone, Debug, Default)]
pub struct SlowQuery {
    pub namespace: Option<String>,
    pub namespace_id: Option<NamespaceId>,
    pub set: Option<String>,
    /// Empty: all.
    pub operations: Vec<Operation>,
    /// Unix milliseconds: those that ended at or after it, and before `until_ms`.
    pub since_ms: Option<u64>,
    pub until_ms: Option<u64>,
    /// At least so long, and shorter than `below`.
    pub least: Duration,
    pub below: Option<Duration>,
    /// As `least` and `below`, of the engine's latency.
    pub engine_least: Duration,
    pub engine_below: Option<Duration>,
}

/// What is kept now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlowUse {
    pub kept: usize,
    pub bytes: usize,
    pub most_bytes: usize,
    /// Operations from the threshold on since the start, or since all were cleared.
    pub seen: u64,
}

/// The slow operations of an engine.
pub struct SlowLog {
    gates: Gates,
    state: Mutex<State>,
    /// Held while the file is written, and locked before the others; `None` without a directory.
    saved: Mutex<Option<Saved>>,
    told: Mutex<HistoryStatus>,
    writer: OnceLock<Ticker>,
}

/// By kind: the least nanoseconds that anything here is interested in. Every operation reads one; they are hardly ever written,
/// and lie with nothing that is.
#[derive(Default)]
#[repr(align(128))]
struct Gates([AtomicU64; KINDS]);

struct State {
    settings: SlowSettings,
    kept: Kept,
    seen: u64,
    last_id: u64,
}

impl Default for SlowSettings {
    fn default() -> Self {
        Self { threshold: THRESHOLD, namespaces: BTreeMap::new(), keep_keys: true }
    }
}

impl SlowSettings {
    fn threshold_of(&self, namespace: &str) -> Duration {
        self.namespaces.get(namespace).copied().unwrap_or(self.threshold)
    }

    /// The least of all thresholds.
    fn least(&self) -> Duration {
        self.namespaces.values().fold(self.threshold, |least, own| least.min(*own))
    }

    /// # Errors
    /// `config_invalid`.
    fn patched(&self, patch: SlowPatch) -> Result<Self> {
        let mut next = self.clone();
        next.threshold = patch.threshold.unwrap_or(next.threshold);
        next.keep_keys = patch.keep_keys.unwrap_or(next.keep_keys);
        for (name, threshold) in patch.namespaces {
            match threshold {
                Some(threshold) => next.namespaces.insert(name, threshold),
                None => next.namespaces.remove(&name),
            };
        }
        let refused = |message: Sentence, field: &str| Err(Error::said(ErrorCode::ConfigInvalid, message).in_field(field));
        if next.namespaces.len() > NAMESPACES_MAX {
            return refused(sentence!("at most {most} namespaces can have thresholds of their own", most = NAMESPACES_MAX), "namespaces");
        }
        for (field, threshold) in
            std::iter::once(("thresholdMs", &next.threshold)).chain(next.namespaces.values().map(|threshold| ("namespaces", threshold)))
        {
            if !(SLOW_LEAST..=SLOW_MOST).contains(threshold) {
                return refused(sentence!("a threshold must be 0.1 ms to one hour, got {given}", given = format!("{threshold:?}")), field);
            }
        }
        Ok(next)
    }
}

impl Default for SlowLog {
    fn default() -> Self {
        let state = State { settings: SlowSettings::default(), kept: Kept::default(), seen: 0, last_id: 0 };
        let (saved, told) = (Mutex::default(), Mutex::default());
        let log = Self { gates: Gates::default(), state: Mutex::new(state), saved, told, writer: OnceLock::new() };
        log.set_gates(&log.state.lock());
        log
    }
}

impl SlowLog {
    /// Nanoseconds from which on an operation of this kind may be kept.
    #[inline]
    pub(in crate::metrics) fn gate(&self, operation: Operation) -> u64 {
        self.gates.0[operation as usize].load(Relaxed)
    }

    /// Keeps an operation that has just ended, unless it is not slow enough after all.
    #[cold]
    pub(crate) fn note(&self, operation: Operation, namespace: (&Arc<str>, NamespaceId), nanos: Took, split: Split, about: &About<'_>) {
        let took = Duration::from_nanos(nanos.whole);
        let mut state = self.state.lock();
        let state = &mut *state;
        let slow = took >= state.settings.threshold_of(namespace.0);
        if !slow && !state.kept.is_among_slowest(operation, took) {
            return;
        }
        state.seen += u64::from(slow);
        state.last_id += 1;
        let ended_ms = clock::unix_millis();
        let split = split.fill(nanos.whole);
        let entry = SlowOperation::new(state.last_id, operation, namespace, ended_ms, nanos, split, about, state.settings.keep_keys);
        state.kept.keep(Arc::new(entry), slow, Instant::now());
        self.set_gates(state);
    }

    /// To be called now and then: lets those of the slowest go that are too old.
    pub(crate) fn age(&self) {
        let mut state = self.state.lock();
        state.kept.age(Instant::now());
        self.set_gates(&state);
    }

    fn set_gates(&self, state: &State) {
        let least = state.settings.least();
        for operation in Operation::ALL {
            let gate = least.min(state.kept.slowest_from(operation));
            let gate = u64::try_from(gate.as_nanos()).unwrap_or(u64::MAX);
            if self.gate(operation) != gate {
                self.gates.0[operation as usize].store(gate, Relaxed);
            }
        }
    }

    pub fn settings(&self) -> SlowSettings {
        self.state.lock().settings.clone()
    }

    /// Changes settings from the next operation on. If keys are not kept, none is in memory or in the file when this returns.
    ///
    /// # Errors
    /// `config_invalid` for a threshold under 0.1 ms or over an hour, or for too many namespaces. If the file cannot be written:
    /// `data_directory_unavailable`, `storage_failed`, `device_full`. The settings are changed then, and writing is tried again.
    pub fn change(&self, patch: SlowPatch) -> Result<SlowSettings> {
        let settings = {
            let mut state = self.state.lock();
            state.settings = state.settings.patched(patch)?;
            if !state.settings.keep_keys {
                state.kept.forget_keys();
            }
            self.set_gates(&state);
            state.settings.clone()
        };
        if !settings.keep_keys {
            self.erase(true)?;
        }
        Ok(settings)
    }

    /// A namespace is gone: another of its name has the threshold of the engine.
    pub(crate) fn forget_threshold(&self, namespace: &str) {
        let mut state = self.state.lock();
        state.settings.namespaces.remove(namespace);
        self.set_gates(&state);
    }

    /// Lets all go, also those in the file; answers how many there were.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`: they are gone from memory, and the file is tried again.
    pub fn clear(&self) -> Result<usize> {
        let there = {
            let mut state = self.state.lock();
            let there = std::mem::take(&mut state.kept).all().len();
            state.seen = 0;
            self.set_gates(&state);
            there
        };
        self.erase(false)?;
        Ok(there)
    }

    pub fn usage(&self) -> SlowUse {
        let state = self.state.lock();
        SlowUse { kept: state.kept.all().len(), bytes: state.kept.bytes(), most_bytes: kept::RING_BYTES, seen: state.seen }
    }

    /// The kept operations that are wanted, newest first.
    pub fn list(&self, query: &SlowQuery) -> Vec<Arc<SlowOperation>> {
        let mut all = self.state.lock().kept.all();
        all.retain(|entry| query.wants(entry));
        all
    }

    /// The kept operations that are wanted, by shape; the shape that took most time comes first.
    pub fn groups(&self, query: &SlowQuery) -> Vec<SlowGroup> {
        groups::group(&self.list(query))
    }
}

impl SlowQuery {
    fn wants(&self, entry: &SlowOperation) -> bool {
        self.namespace.as_ref().is_none_or(|name| **name == *entry.namespace)
            && self.namespace_id.is_none_or(|id| entry.namespace_id == Some(id))
            && self.set.as_ref().is_none_or(|set| entry.set.as_deref() == Some(set))
            && (self.operations.is_empty() || self.operations.contains(&entry.operation))
            && self.since_ms.is_none_or(|since| entry.ended_at_ms >= since)
            && self.until_ms.is_none_or(|until| entry.ended_at_ms < until)
            && entry.took >= self.least
            && self.below.is_none_or(|below| entry.took < below)
            && entry.engine >= self.engine_least
            && self.engine_below.is_none_or(|below| entry.engine < below)
    }
}

#[cfg(test)]
mod tests;
