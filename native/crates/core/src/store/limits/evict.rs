//! Removing records ahead of their time when a namespace is too full: those that expire soonest first, a bounded amount of
//! work at a time. Records that never expire are never evicted.
//!
//! A round has two passes over the segments. The first counts bytes by time to live in a histogram; from it comes the
//! time before which records have to go, so that the second removes just enough of them.

use crate::segment::{Effect, Removal, Segment};
use crate::store::RecordStore;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use tessera_base::Result;
use tessera_storage::Admission;

/// Slots looked at in one hold of a segment's lock for reading, and for writing.
const LOOK: u32 = 4096;
const TAKE: u32 = 512;
/// Buckets up to this are one second wide; each further 64 are twice as wide as those before.
const FINE: u32 = 128;
const BUCKETS: usize = 26 * 64 + 64;

/// Where eviction goes on.
pub(in crate::store) struct Round {
    pass: Pass,
    /// Segment and slot.
    at: (usize, u32),
}

enum Pass {
    Count(Histogram),
    /// Records that expire before `sure` go; those before `enough` only while there is still too much.
    Remove {
        sure: u32,
        enough: u32,
        last: bool,
    },
}

/// Bytes of records by the seconds that they had left when the count began.
struct Histogram {
    began: u32,
    bytes: Box<[u64; BUCKETS]>,
}

fn bucket(seconds: u32) -> usize {
    let shift = (32 - seconds.leading_zeros()).saturating_sub(7);
    (shift * 64 + (seconds >> shift)) as usize
}

/// The fewest seconds that go into a bucket.
fn floor(bucket: usize) -> u64 {
    let bucket = bucket as u64;
    if bucket < u64::from(FINE) {
        return bucket;
    }
    let shift = bucket / 64 - 1;
    (bucket - shift * 64) << shift
}

impl Histogram {
    fn new(began: u32) -> Self {
        Self { began, bytes: Box::new([0; BUCKETS]) }
    }

    fn add(&mut self, expires_at: u32, bytes: usize) {
        self.bytes[bucket(expires_at.saturating_sub(self.began))] += bytes as u64;
    }

    /// Times of expiry: all records before the first are not enough to free so many bytes, all before the second are, or are
    /// all there is. `None` when no record expires.
    fn cutoff(&self, wanted: u64) -> Option<(u32, u32)> {
        let mut sum = 0;
        let mut cutoff = None;
        for (n, &bytes) in self.bytes.iter().enumerate().filter(|(_, bytes)| **bytes > 0) {
            let at = |bucket: usize| u64::from(self.began).saturating_add(floor(bucket)).min(u64::from(u32::MAX)) as u32;
            cutoff = Some((at(n), at(n + 1)));
            sum += bytes;
            if sum >= wanted {
                break;
            }
        }
        cutoff
    }
}

impl Round {
    pub(in crate::store) fn new(began: u32) -> Self {
        Self { pass: Pass::Count(Histogram::new(began)), at: (0, 0) }
    }
}

impl RecordStore {
    /// Goes on with the round, looks at about `budget` slots, and removes what has to go. Returns how many it removed.
    ///
    /// # Errors
    /// What the storage returns; the next call tries again.
    pub(crate) fn evict(&self, budget: u64) -> Result<u64> {
        let evicted = self.evict_here(budget);
        self.carry_all().and(evicted)
    }

    fn evict_here(&self, budget: u64) -> Result<u64> {
        if self.remote.is_some() || self.check_open().is_err() || self.device_failure().is_some() {
            return Ok(0);
        }
        // The room of hidden records first: nobody sees those.
        if self.has_hidden_room() {
            return Ok(0);
        }
        self.bury_all()?;
        let now = self.sweep_seconds();
        let mut round = self.eviction.lock();
        let (mut looked, mut removed) = (0, 0);
        let take = self.removed_at_once(TAKE as usize) as u32;
        while looked < budget {
            let over = self.to_evict().unwrap_or(0);
            if over == 0 {
                *round = Round::new(now);
                break;
            }
            let Round { pass, at } = &mut *round;
            let (id, slot) = *at;
            let (span, end) = match pass {
                Pass::Count(histogram) => (LOOK, self.count_step(histogram, id, slot)?),
                Pass::Remove { sure, enough, last } => {
                    let before = if *last { *enough } else { *sure };
                    let (gone, end) = self.evict_step(id, slot..slot.saturating_add(take), before)?;
                    removed += gone;
                    (take, end)
                }
            };
            // A segment without records that expire costs as much as one slot.
            looked += u64::from(end.saturating_sub(slot).min(span).max(1));
            *at = match slot.saturating_add(span) {
                next if next < end => (id, next),
                _ => (id + 1, 0),
            };
            if at.0 == self.segments.len() {
                let Some(next) = round.pass.after(over) else {
                    // Once everywhere: enough for now, however much budget there is.
                    *round = Round::new(now);
                    break;
                };
                *round = Round { pass: next, at: (0, 0) };
            }
        }
        self.fullness.evicted.fetch_add(removed, Relaxed);
        Ok(removed)
    }

    /// Counts the next slots of a segment; returns where its slots end.
    fn count_step(&self, histogram: &mut Histogram, id: usize, from: u32) -> Result<u32> {
        let segment = self.segments[id].read();
        let end = expiring_end(&segment);
        for slot in from..end.min(from.saturating_add(LOOK)) {
            if let Some(record) = self.sound_record(&segment, slot)?.filter(|record| record.meta.expires_at != 0) {
                histogram.add(record.meta.expires_at, segment.stored_bytes(record.location));
            }
        }
        Ok(end)
    }

    /// Removes those of the next slots that expire before a time, while there is too much; returns how many, and where the
    /// slots end.
    fn evict_step(&self, id: usize, among: Range<u32>, before: u32) -> Result<(u64, u32)> {
        let end = expiring_end(&self.segments[id].read());
        let slots = among.start..end.min(among.end);
        if slots.is_empty() {
            return Ok((0, end));
        }
        let mut removed = 0;
        let mut remove = |segment: &mut Segment| -> Result<()> {
            self.check_open()?;
            for slot in slots.clone() {
                if self.to_evict().unwrap_or(0) == 0 {
                    break;
                }
                let goes = |expires_at: u32| expires_at != 0 && expires_at < before;
                let Some(record) = self.sound_record(segment, slot)?.filter(|record| goes(record.meta.expires_at)) else { continue };
                let Some(set) = self.sets.by_id(segment.sets().set_of(slot)) else { continue };
                let gone = segment.remove(&set, slot, &record, Removal::Logged);
                if self.past_damage(segment.id(), slot, gone)?.is_some() {
                    self.enter(segment, &set, &record.digest, slot, Effect::Removed);
                    removed += 1;
                }
            }
            segment.tidy();
            Ok(())
        };
        self.admitted(Admission::Delete, || self.segments[id].write(&mut remove))?;
        Ok((removed, end))
    }
}

/// One past the last slot to look at: none where no record expires.
fn expiring_end(segment: &Segment) -> u32 {
    if segment.expiring() == 0 { 0 } else { segment.end() }
}

impl Pass {
    /// The pass that follows when `over` bytes are still too much.
    fn after(&self, over: u64) -> Option<Self> {
        match self {
            Self::Count(histogram) => {
                let (sure, enough) = histogram.cutoff(over)?;
                Some(Self::Remove { sure, enough, last: false })
            }
            Self::Remove { sure, enough, last: false } => Some(Self::Remove { sure: *sure, enough: *enough, last: true }),
            Self::Remove { last: true, .. } => None,
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn buckets_are_in_order_without_gaps() {
        for n in 0..BUCKETS - 1 {
            let floor = u32::try_from(floor(n)).unwrap();
            assert_eq!(bucket(floor), n);
            assert!(floor == 0 || bucket(floor - 1) == n - 1);
        }
        assert_eq!(bucket(u32::MAX), BUCKETS - 1);
        assert_eq!(super::floor(BUCKETS), 1 << 32);
    }

    #[test]
    fn a_cutoff_frees_just_enough() {
        let mut histogram = Histogram { began: 1000, bytes: Box::new([0; BUCKETS]) };
        assert_eq!(histogram.cutoff(1), None);
        [(1010, 5), (1020, 5), (1030, 5)].iter().for_each(|&(at, bytes)| histogram.add(at, bytes));
        assert_eq!(histogram.cutoff(1), Some((1010, 1011)));
        assert_eq!(histogram.cutoff(6), Some((1020, 1021)));
        assert_eq!(histogram.cutoff(100), Some((1030, 1031)));
    }
}
