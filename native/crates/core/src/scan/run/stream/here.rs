//! A scan that costs less than waking another thread: done on the caller's, before `launch` returns.

use super::Running;
use crate::scan::walk::{Found, Scratch};
use std::ops::ControlFlow;
use std::sync::atomic::Ordering;
use tessera_base::pool::caught;

/// A scan of at most this many records that are in memory is done on the calling thread before `scan` returns.
const HERE_RECORDS: u64 = 2000;
/// And of about this many bytes of bodies: all of it waits in the stream's queue.
const HERE_BYTES: u64 = 512 * 1024;
/// Some bodies are larger than the average: rows of more bytes than this are not written there.
pub(super) const HERE_ROWS: usize = 2 * HERE_BYTES as usize;

impl Running {
    /// Whether the scan costs less than waking another thread, and its result fits into the queue.
    pub(super) fn small(&self, estimated: u64) -> bool {
        let (set, records) = (self.selection.set.as_ref(), self.store.records());
        let (all, bytes) = set.map_or_else(|| (records, self.store.usage().live_bytes), |set| (set.records(), set.bytes()));
        // What is looked at may bring nothing that counts.
        let unnests = self.spec.rows.as_ref().is_some_and(|rows| rows.unnests());
        let part = self.spec.sample.is_some() || self.spec.partitions.is_some() || self.selection.asks_records();
        let passes_over = self.spec.filter.is_some() || part;
        // Hidden records are looked at, too, and are in no count.
        if self.store.left_out() > HERE_RECORDS {
            return false;
        }
        let picky = unnests || passes_over || self.store.hides_any();
        // In a flat container all are looked at for those of some segments.
        let estimated = if self.selection.asks_records() { records } else { estimated };
        let wanted = self.spec.limit.filter(|_| !picky).map_or(estimated, |limit| estimated.min(limit + 1));
        let share = if all == 0 { 0 } else { (u128::from(bytes) * u128::from(wanted) / u128::from(all)) as u64 };
        let found = self.selection.use_index || self.selection.proposal.is_some() || self.selection.only.is_some();
        let waits = self.selection.proposal.as_ref().is_some_and(|proposal| proposal.may_wait());
        let cheap = found || set.is_none() || records < 100 * HERE_RECORDS;
        cheap && !waits && self.spec.records_per_second.is_none() && wanted <= HERE_RECORDS && share <= HERE_BYTES
    }

    /// The whole scan, on this thread; false when its rows turn out to be too many for that, and nothing is sent.
    pub(super) fn here(&self) -> bool {
        self.job.start();
        let at_work = self.time.at_work();
        let walk = self.walk();
        let (mut writer, mut out, mut returned, mut failure) = (self.writer(), Vec::new(), 0, None);
        let met = caught(|| {
            let each = &mut |found: &Found<'_>| {
                if writer.matches(&self.store, found) {
                    let written = writer.write(&self.store, found, 0, &mut out, |out| {
                        let more = out.len() < HERE_ROWS;
                        returned += u64::from(more);
                        more
                    });
                    failure = written.err();
                }
                if out.len() < HERE_ROWS && failure.is_none() && !writer.done() {
                    ControlFlow::Continue(())
                } else {
                    ControlFlow::Break(())
                }
            };
            match walk.everything(each) {
                (met, ControlFlow::Continue(())) => Ok(met + walk.moved(&mut Scratch::default(), each)?.met),
                (met, ControlFlow::Break(())) => Ok(met),
            }
        });
        drop(at_work);
        let met = failure.map_or(met, Err);
        if met.is_ok() && out.len() >= HERE_ROWS {
            return false;
        }
        self.job.advance(*met.as_ref().unwrap_or(&0));
        self.scanned.store(*met.as_ref().unwrap_or(&0), Ordering::Relaxed);
        self.returned.store(returned, Ordering::Relaxed);
        self.sink.set_bounded(false);
        if self.spec.segment_marks && met.is_ok() && !writer.done() {
            (0..self.store.cells().len()).for_each(|cell| self.selection.mark_done(cell, self.store.segment_count(), &mut out));
        }
        self.end(met.and_then(|_| self.hand_over(&writer, out)), None);
        true
    }
}
