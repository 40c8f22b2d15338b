//! Records that a truncation has taken while they are still being removed: whoever looks for them finds none.

use crate::manifest::Truncation;
use crate::segment::Segment;
use crate::store::RecordStore;
use parking_lot::{Mutex, RwLock};
use std::sync::atomic::{AtomicBool, AtomicU64, AtomicUsize, Ordering};
use tessera_record::Meta;

#[derive(Default)]
pub(in crate::store) struct Hidden {
    /// The latest moment of any; 0 with none, so that reads need look no further.
    until_ms: AtomicU64,
    truncations: RwLock<Vec<Hiding>>,
    /// Changes whenever records are hidden or come back.
    begun: AtomicU64,
    /// Jobs that remove hidden records.
    removing: AtomicUsize,
    /// Whether the room of records that could come back is needed.
    room_wanted: AtomicBool,
    /// Records are about to come back: no backup has its moment now.
    undoing: AtomicBool,
    /// See `NamespaceRecord`.
    pub(in crate::store) undone_at_ms: AtomicU64,
    /// Those of the manifest whose records have been removed, and the write point then: they are over once a checkpoint has passed it.
    pub(in crate::store) emptied: Mutex<Vec<(Truncation, u64)>>,
}

/// Records of a set, or all, that were last updated up to a moment.
#[derive(Debug, PartialEq, Eq)]
struct Hiding {
    set: Option<u16>,
    until_ms: u64,
    /// The id of a truncation that can be undone.
    pending: Option<Box<str>>,
}

impl Hiding {
    fn covers(&self, set: u16, meta: &Meta) -> bool {
        self.set.is_none_or(|of| of == set) && meta.updated_at <= self.until_ms
    }

    fn is_pending(&self, id: &str) -> bool {
        self.pending.as_deref() == Some(id)
    }
}

impl Hidden {
    /// Nothing is hidden yet; `undone_at_ms`: see `NamespaceRecord`.
    pub(in crate::store) fn after(undone_at_ms: u64) -> Self {
        Self { undone_at_ms: undone_at_ms.into(), ..Self::default() }
    }

    /// Hides records of a set, or all, that were last updated up to a moment, for good.
    pub(in crate::store) fn begin(&self, set: Option<u16>, until_ms: u64) {
        self.change(|truncations| {
            // One that damage has kept from its end is covered by the next, and so is one that could be undone.
            truncations.retain(|other| !((set.is_none() || other.set == set) && other.until_ms <= until_ms));
            truncations.push(Hiding { set, until_ms, pending: None });
        });
    }

    /// As `begin`, until `bring_back` or `begin` with the same.
    pub(in crate::store) fn begin_pending(&self, id: &str, set: Option<u16>, until_ms: u64) {
        self.change(|truncations| truncations.push(Hiding { set, until_ms, pending: Some(id.into()) }));
    }

    /// Shows the records again that only this truncation hides.
    pub(in crate::store) fn bring_back(&self, id: &str) {
        self.change(|truncations| truncations.retain(|other| !other.is_pending(id)));
    }

    /// A number that changes with each truncation and each undo: what was seen between two equal answers, none has hidden or brought back
    /// meanwhile.
    pub(in crate::store) fn begun(&self) -> u64 {
        self.begun.load(Ordering::Acquire)
    }

    /// They have been removed.
    pub(in crate::store) fn end(&self, set: Option<u16>, until_ms: u64) {
        let mut truncations = self.truncations.write();
        let over = Hiding { set, until_ms, pending: None };
        if let Some(at) = truncations.iter().position(|known| *known == over) {
            truncations.swap_remove(at);
        }
        self.note(&truncations);
    }

    /// Whether a truncation can be undone.
    pub(in crate::store) fn is_pending(&self, id: &str) -> bool {
        self.truncations.read().iter().any(|hiding| hiding.is_pending(id))
    }

    pub(in crate::store) fn is_undoing(&self) -> bool {
        self.undoing.load(Ordering::Acquire)
    }

    /// Until this is dropped, records are about to come back.
    fn undoing(&self) -> Undoing<'_> {
        self.undoing.store(true, Ordering::Release);
        Undoing(self)
    }

    fn any_pending(&self) -> bool {
        self.until_ms.load(Ordering::Acquire) > 0 && self.truncations.read().iter().any(|hiding| hiding.pending.is_some())
    }

    /// While a job removes records.
    pub(in crate::store) fn removing(&self) -> Removing<'_> {
        self.removing.fetch_add(1, Ordering::AcqRel);
        Removing(self)
    }

    pub(in crate::store) fn covers(&self, set: u16, meta: &Meta) -> bool {
        self.truncations.read().iter().any(|hiding| hiding.covers(set, meta))
    }

    fn change(&self, change: impl FnOnce(&mut Vec<Hiding>)) {
        // On both sides: who began in between sees that it did.
        self.begun.fetch_add(1, Ordering::AcqRel);
        let mut truncations = self.truncations.write();
        change(&mut truncations);
        self.note(&truncations);
        self.begun.fetch_add(1, Ordering::AcqRel);
    }

    fn note(&self, truncations: &[Hiding]) {
        let latest = truncations.iter().map(|hiding| hiding.until_ms).max();
        self.until_ms.store(latest.unwrap_or(0), Ordering::Release);
    }
}

/// A job that removes hidden records, until this is dropped.
pub(in crate::store) struct Removing<'a>(&'a Hidden);

impl Drop for Removing<'_> {
    fn drop(&mut self) {
        self.0.removing.fetch_sub(1, Ordering::AcqRel);
    }
}

/// Records are about to come back, until this is dropped.
pub(crate) struct Undoing<'a>(&'a Hidden);

impl Drop for Undoing<'_> {
    fn drop(&mut self) {
        self.0.undoing.store(false, Ordering::Release);
    }
}

impl RecordStore {
    /// Keeps the moments of backups before an undo, or behind it. With it comes the time of the undo: what was captured before has the same
    /// one or an earlier one.
    pub(crate) fn begin_undoing(&self) -> (Undoing<'_>, u64) {
        let undoing = self.hidden.undoing();
        // Who has not seen that holds a segment.
        self.pass();
        (undoing, self.stamp().max(self.newest_update()))
    }

    /// Whether a truncation has taken records that are still there.
    pub(crate) fn hides_any(&self) -> bool {
        self.hides_until() > 0
    }

    /// The latest time of last update that a truncation hides whose records are still there; 0 without one.
    #[inline]
    pub(crate) fn hides_until(&self) -> u64 {
        self.hidden.until_ms.load(Ordering::Acquire)
    }

    /// Whether room comes without taking records that callers see: hidden ones are being removed, or can be.
    pub(in crate::store) fn has_hidden_room(&self) -> bool {
        self.hidden.removing.load(Ordering::Acquire) > 0 || self.hidden.any_pending()
    }

    /// Notes that a write found no room, if that of hidden records can be had.
    pub(in crate::store) fn want_hidden_room(&self) {
        if self.hidden.any_pending() {
            self.hidden.room_wanted.store(true, Ordering::Release);
        }
    }

    /// Whether the oldest truncation that can be undone has to become final to make room: a write found none since the last call, or
    /// little is left.
    pub(crate) fn takes_hidden_room(&self) -> bool {
        self.hidden.room_wanted.swap(false, Ordering::AcqRel) | self.is_nearly_full()
    }

    /// Time of last update when a truncation was last undone, Unix milliseconds; 0: none was.
    pub(crate) fn undone_at_ms(&self) -> u64 {
        self.hidden.undone_at_ms.load(Ordering::Acquire)
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

    #[test]
    fn an_undo_shows_what_no_other_truncation_hides() {
        let hidden = Hidden::default();
        let meta = |updated_at| Meta { updated_at, ..Meta::default() };
        hidden.begin(Some(1), 5);
        hidden.begin_pending("a", Some(1), 10);
        hidden.begin_pending("b", None, 10);
        let before = hidden.begun();
        hidden.bring_back("b");
        assert!(hidden.covers(1, &meta(10)) && !hidden.covers(2, &meta(10)) && hidden.begun() != before);
        hidden.bring_back("a");
        assert!(hidden.covers(1, &meta(5)) && !hidden.covers(1, &meta(6)));
        hidden.begin_pending("c", Some(1), 20);
        hidden.end(Some(1), 20);
        assert!(hidden.is_pending("c"), "that was none for good");
        hidden.begin(None, 20);
        hidden.bring_back("c");
        assert!(hidden.covers(1, &meta(20)), "it is final");
    }
}
