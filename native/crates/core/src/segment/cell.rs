//! A segment behind its lock, with what lists and reports show of it readable without it.

use super::gauge::{Footprint, Gauge};
use super::primary::Hints;
use super::segment::Segment;
use parking_lot::{RwLock, RwLockReadGuard};
use std::ptr;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering};
use tessera_base::latency::split::{self, Part};
use tessera_base::poison::Poison;
use tessera_base::prefetch;
use tessera_base::sentence;
use tessera_record::Digest;
use tessera_storage::SegmentBytes;

/// Aligned to a pair of cache lines, so that the locks of two segments never share one. What a read takes is at the beginning: with many segments it meets
/// one at random, and waits for each line that it has to find.
#[repr(C, align(128))]
pub struct SegmentCell {
    hints: Hints,
    /// Writers that wait for the lock.
    waiting: AtomicU32,
    lock: RwLock<Segment>,
    records: AtomicU64,
    gauge: Gauge,
    poison: Arc<Poison>,
}

impl SegmentCell {
    pub(crate) fn new(segment: Segment, poison: Arc<Poison>) -> Self {
        Self {
            hints: Hints::default(),
            waiting: AtomicU32::new(0),
            lock: RwLock::new(segment),
            records: AtomicU64::new(0),
            gauge: Gauge::default(),
            poison,
        }
    }

    /// Records in the segment that no truncation hides, expired ones that the sweeper has not met included.
    pub fn records(&self) -> u64 {
        self.records.load(Ordering::Relaxed)
    }

    /// Records that a truncation hides and that could come back.
    pub(crate) fn left_out(&self) -> u64 {
        self.gauge.left_out()
    }

    /// Time of the newest write, Unix milliseconds; 0 before the first. Waits for no writer.
    pub fn newest_update(&self) -> u64 {
        self.gauge.newest_update()
    }

    /// What the segment takes: now, or while a writer has it, as at the last call that found none. Waits for none.
    pub fn footprint(&self) -> Footprint {
        self.gauge.footprint(self.try_read().as_deref())
    }

    /// As `footprint`, of its records alone.
    pub fn bytes(&self) -> SegmentBytes {
        self.gauge.bytes(self.try_read().as_deref())
    }

    /// Asks the processor for what a lookup of the digest will take, without the lock.
    #[inline]
    pub(crate) fn prefetch(&self, digest: &Digest) {
        prefetch::lines(ptr::from_ref(self).cast(), size_of::<Self>() / prefetch::LINE);
        self.hints.prefetch(digest);
    }

    /// Several segments may be held for reading at once, and one more than once; never ask for `write` meanwhile.
    pub fn read(&self) -> RwLockReadGuard<'_, Segment> {
        self.lock.try_read_recursive().unwrap_or_else(|| {
            let _wait = split::wait(Part::Queue);
            self.lock.read_recursive()
        })
    }

    /// As `read`, where that takes no waiting.
    pub(crate) fn try_read(&self) -> Option<RwLockReadGuard<'_, Segment>> {
        self.lock.try_read_recursive()
    }

    /// As `read`, but behind the writers that wait: for who comes again and again. Not while this thread holds any segment.
    pub(crate) fn read_in_turn(&self) -> RwLockReadGuard<'_, Segment> {
        self.lock.try_read().unwrap_or_else(|| {
            let _wait = split::wait(Part::Queue);
            self.lock.read()
        })
    }

    /// Whether a writer waits: who reads for long lets go of the lock then.
    pub(crate) fn is_wanted(&self) -> bool {
        self.waiting.load(Ordering::Relaxed) > 0
    }

    /// Writers that wait for the lock.
    #[cfg(test)]
    pub(crate) fn waiting(&self) -> u32 {
        self.waiting.load(Ordering::Relaxed)
    }

    /// Runs `change` with the lock held for writing. A panic in it poisons the namespace.
    pub(crate) fn write<R>(&self, change: impl FnOnce(&mut Segment) -> R) -> R {
        let _guard = self.poison.on_panic(|| sentence!("changing a segment"));
        let mut segment = self.lock.try_write().unwrap_or_else(|| {
            let _wait = split::wait(Part::Queue);
            self.waiting.fetch_add(1, Ordering::Relaxed);
            let segment = self.lock.write();
            self.waiting.fetch_sub(1, Ordering::Relaxed);
            segment
        });
        let result = change(&mut segment);
        self.records.store(segment.len() as u64 - segment.left_out(), Ordering::Relaxed);
        self.gauge.changed(&segment);
        segment.note(&self.hints);
        result
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::sync::mpsc::channel;
    use std::thread;
    use std::time::Duration;
    use tessera_storage::Storage;
    use tessera_storage::memory::MemoryStorage;

    fn cell(poison: &Arc<Poison>) -> SegmentCell {
        SegmentCell::new(Segment::new(0, MemoryStorage::new(None).segment(0)), poison.clone())
    }

    #[test]
    fn what_a_segment_takes_is_told_while_a_writer_has_it() {
        let cell = cell(&Arc::default());
        cell.write(|segment| segment.saw_update(7));
        let before = cell.footprint();
        assert!(before.document_indexes > 0 || before.primary_index > 0, "{before:?}");
        let (tell, told) = channel();
        thread::scope(|scope| {
            cell.write(|segment| {
                segment.saw_update(9);
                scope.spawn(|| tell.send((cell.footprint(), cell.newest_update())));
                // Far more than it takes: one who waits for the lock never answers.
                assert_eq!(told.recv_timeout(Duration::from_secs(60)), Ok((before, 7)));
            });
        });
        assert_eq!(cell.newest_update(), 9);
    }

    #[test]
    fn a_panic_under_the_lock_stops_writes_and_lets_readers_in() {
        let poison = Arc::new(Poison::default());
        let cell = cell(&poison);
        assert!(catch_unwind(AssertUnwindSafe(|| cell.write(|_| panic!("boom")))).is_err());
        assert!(poison.check().is_err());
        assert!(cell.read().is_empty());
    }
}
