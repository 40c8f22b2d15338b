//! Records that a truncation has taken while they are still being removed: whoever looks for them finds none.

use crate::manifest::Truncation;
use crate::segment::Segment;
use crate::store::RecordStore;
use parking_lot::{Mutex, RwLock};
use std::sync::atomic::{AtomicU64, Ordering};
use tessera_record::Meta;

#[derive(Default)]
pub(in crate::store) struct Hidden {
    /// The latest moment of any; 0 with none, so that reads need look no further.
    until_ms: AtomicU64,
    truncations: RwLock<Vec<(Option<u16>, u64)>>,
    /// Twice as many as have begun.
    begun: AtomicU64,
    /// Those of the manifest whose records have been removed, and the write point then: they are over once a checkpoint has passed it.
    pub(in crate::store) emptied: Mutex<Vec<(Truncation, u64)>>,
}

impl Hidden {
    /// Hides records of a set, or all, that were last updated up to a moment.
    pub(in crate::store) fn begin(&self, set: Option<u16>, until_ms: u64) {
        // On both sides: who began in between sees that it did.
        self.begun.fetch_add(1, Ordering::AcqRel);
        let mut truncations = self.truncations.write();
        // One that damage has kept from its end is covered by the next.
        truncations.retain(|&(of, until)| !((set.is_none() || of == set) && until <= until_ms));
        truncations.push((set, until_ms));
        self.until_ms.fetch_max(until_ms, Ordering::Release);
        self.begun.fetch_add(1, Ordering::AcqRel);
    }

    /// A count of those that have begun: what was seen between two equal answers, no truncation has hidden meanwhile.
    pub(in crate::store) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Acquire)
    }

    /// They have been removed.
    pub(in crate::store) fn end(&self, set: Option<u16>, until_ms: u64) {
        let mut truncations = self.truncations.write();
        if let Some(at) = truncations.iter().position(|&known| known == (set, until_ms)) {
            truncations.swap_remove(at);
        }
        let latest = truncations.iter().map(|&(_, until_ms)| until_ms).max();
        self.until_ms.store(latest.unwrap_or(0), Ordering::Release);
    }

    fn covers(&self, set: u16, meta: &Meta) -> bool {
        self.truncations.read().iter().any(|&(of, until_ms)| of.is_none_or(|of| of == set) && meta.updated_at <= until_ms)
    }
}

impl RecordStore {
    /// Whether a truncation has taken records that are still there.
    pub(crate) fn hides_any(&self) -> bool {
        self.hides_until() > 0
    }

    /// The latest time of last update that a truncation hides whose records are still there; 0 without one.
    #[inline]
    pub(crate) fn hides_until(&self) -> u64 {
        self.hidden.until_ms.load(Ordering::Acquire)
    }

    /// Whether a truncation has taken the record in a slot of a segment.
    pub(crate) fn hides(&self, segment: &Segment, slot: u32, meta: &Meta) -> bool {
        // Almost always false: nothing else of a read depends on it.
        meta.updated_at <= self.hides_until() && self.hidden.covers(segment.sets().set_of(slot), meta)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_latest_of_those_that_are_left_is_known() {
        let hidden = Hidden::default();
        let meta = |updated_at| Meta { updated_at, ..Meta::default() };
        hidden.begin(Some(1), 10);
        hidden.begin(None, 5);
        assert_eq!(hidden.until_ms.load(Ordering::Relaxed), 10);
        assert!(hidden.covers(1, &meta(10)) && !hidden.covers(1, &meta(11)));
        assert!(hidden.covers(2, &meta(5)) && !hidden.covers(2, &meta(6)));
        hidden.end(Some(1), 10);
        assert_eq!(hidden.until_ms.load(Ordering::Relaxed), 5);
        assert!(!hidden.covers(1, &meta(6)));
        hidden.end(None, 5);
        assert_eq!(hidden.until_ms.load(Ordering::Relaxed), 0);
    }
}
