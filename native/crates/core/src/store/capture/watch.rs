//! Which records of a segment have changed since a capture of it began.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::atomic::{AtomicU64, AtomicUsize, Ordering};
use tessera_record::Digest;

/// Digests, each with the id of its set.
pub(super) type Noted = HashMap<Digest, u16>;

pub(in crate::store) struct Watch {
    /// How many segments are watched: a write looks at this alone if there are none.
    watched: AtomicUsize,
    /// One bit per segment.
    bits: Box<[AtomicU64]>,
    noted: Mutex<HashMap<u16, Noted>>,
}

/// A segment that is watched until this is dropped.
pub(super) struct Watching<'a> {
    watch: &'a Watch,
    segment: u16,
}

impl Watch {
    pub(in crate::store) fn new(segments: u32) -> Self {
        let bits = (0..segments.div_ceil(64)).map(|_| AtomicU64::new(0)).collect();
        Self { watched: AtomicUsize::new(0), bits, noted: Mutex::default() }
    }

    /// Notes a record that was changed just now; the segment's lock is held since before.
    #[inline]
    pub(in crate::store) fn note(&self, segment: u16, digest: &Digest, set: u16) {
        if self.watched.load(Ordering::Acquire) > 0 {
            self.note_watched(segment, digest, set);
        }
    }

    #[cold]
    fn note_watched(&self, segment: u16, digest: &Digest, set: u16) {
        let (word, bit) = place(segment);
        if self.bits[word].load(Ordering::Acquire) & bit != 0
            && let Some(noted) = self.noted.lock().get_mut(&segment)
        {
            noted.insert(*digest, set);
        }
    }

    /// Changes that take the segment's lock from here on are noted.
    pub(super) fn begin(&self, segment: u16) -> Watching<'_> {
        let (word, bit) = place(segment);
        self.noted.lock().insert(segment, Noted::new());
        self.bits[word].fetch_or(bit, Ordering::AcqRel);
        self.watched.fetch_add(1, Ordering::AcqRel);
        Watching { watch: self, segment }
    }
}

fn place(segment: u16) -> (usize, u64) {
    (usize::from(segment) / 64, 1 << (segment % 64))
}

impl Watching<'_> {
    pub(super) fn count(&self) -> usize {
        self.watch.noted.lock().get(&self.segment).map_or(0, HashMap::len)
    }

    /// What was noted since the last call.
    pub(super) fn take(&self) -> Noted {
        self.watch.noted.lock().get_mut(&self.segment).map(std::mem::take).unwrap_or_default()
    }
}

impl Drop for Watching<'_> {
    fn drop(&mut self) {
        let (word, bit) = place(self.segment);
        self.watch.watched.fetch_sub(1, Ordering::AcqRel);
        self.watch.bits[word].fetch_and(!bit, Ordering::AcqRel);
        self.watch.noted.lock().remove(&self.segment);
    }
}
