//! What reads would cost with pages of another size, from a sample of the reads there were.
//!
//! The sample is spatial, as in SHARDS (Waldspurger, Park, Garthwaite, Ahmad: "Efficient MRC construction with SHARDS", FAST 2015): of all regions of 64 KiB
//! of the pages one in so many is watched, and every read of a body there is kept; so a cache as much smaller sees of them what the whole one sees of all.
//! Which one of each so many neighbours it is, a hash of their place says; SHARDS compares a hash with a threshold, which watches more or fewer of them by
//! chance. As there, misses are counted against as many reads as the sample should have (its "adjusted" form): a record that is read very often
//! and happens to be watched, or not, is one that no cache misses.
//!
//! What it cannot know, and how that is taken: records would lie elsewhere with other pages. Here they keep their neighbours and their
//! order, in pages as dense as cells of the mean length fill them, and go into pages of their own if they would be long there. Pages
//! that hold parts of long bodies now lie between those of records, and are left out of that order. Pages of the index are not in
//! the sample: the simulated cache is as large as what the real one has left for bodies beside them now. Reads of scans and
//! visits of writers are not in it either. A page that is met first while the simulated cache still has room counts as one that was
//! there: costs are those of a cache that has long been filled.

mod layout;
mod simulate;

use super::{WhatIf, WhatIfSize};
use crate::Location;
use crate::paged::counters::Sum;
use crate::paged::page::{PageId, PageSize};
use crate::paged::segment::bodies::{self, Place};
use crossbeam_utils::CachePadded;
use layout::Layout;
use parking_lot::Mutex;
use simulate::SimulatedCache;
use std::num::NonZeroU64;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tessera_base::clock::unix_millis;

/// What is watched as a whole: bytes. The largest page, so that a page of any size lies in one.
const REGION_BYTES: u64 = PageSize::MAX as u64;
/// Watched regions that fit in the cache, at least: one in so many is watched that there are this many to twice as many.
const REGIONS_KEPT: u64 = 128;
/// Newest reads that are kept, and after how many of them the count of all reads is noted.
const SAMPLES: usize = 64 * 1024;
const MARK: usize = 1024;
/// Fewest that say anything. Half of them fill the simulated cache; over the others, and over so many at least, misses are counted.
const SAMPLES_NEEDED: usize = 16 * 1024;
const COUNTED_LEAST: usize = MARK;
/// Most visits of pages that are simulated for one size; records of many pages are cut to the newest reads.
const VISITS_MOST: usize = 256 * 1024;
/// The sizes that a page may have.
const SIZES: [u32; 5] = [4096, 8192, 16_384, 32_768, 65_536];

/// The newest reads of bodies in watched regions: 512 KiB.
pub struct Sampler {
    own: PageSize,
    /// Pages of a region, and regions of which one is watched: powers of two.
    region_bits: u32,
    rate_bits: u32,
    /// Reads so far, watched or not.
    reads: Sum,
    /// Reads put into `ring` so far; one may not be there yet.
    taken: CachePadded<AtomicU64>,
    /// Locations; 0 for none yet.
    ring: Box<[AtomicU64]>,
    /// One for each `MARK` places of the ring, of when the first of these was taken.
    marks: Box<[Mark]>,
    /// What was told last, and of how many samples; held while that is worked out.
    told: Mutex<Option<(u64, WhatIf)>>,
}

#[derive(Default)]
struct Mark {
    reads: AtomicU64,
    /// Unix milliseconds.
    at_ms: AtomicU64,
}

/// What the ring holds at a moment.
struct Window<'a> {
    sampler: &'a Sampler,
    /// Number of the first sample, and one past the last.
    from: u64,
    end: u64,
    places: Vec<Option<Place>>,
    /// Of the page of each place, among all these.
    ranks: Vec<u32>,
    /// Bytes of the body of each record among them, once.
    bodies: Vec<usize>,
    /// Of all reads.
    reads: u64,
}

impl Sampler {
    /// For a cache of `cache_bytes` of pages of size `own`.
    pub fn new(own: PageSize, cache_bytes: u64) -> Self {
        let rate = (cache_bytes / REGION_BYTES / REGIONS_KEPT).max(1);
        let marks: Box<[Mark]> = (0..SAMPLES / MARK).map(|_| Mark::default()).collect();
        marks[0].at_ms.store(unix_millis(), Relaxed);
        Self {
            own,
            region_bits: (REGION_BYTES / own.bytes() as u64).ilog2(),
            rate_bits: rate.ilog2(),
            reads: Sum::default(),
            taken: CachePadded::default(),
            ring: (0..SAMPLES).map(|_| AtomicU64::new(0)).collect(),
            marks,
            told: Mutex::default(),
        }
    }

    pub fn heap_bytes(&self) -> u64 {
        (size_of_val(&*self.ring) + size_of_val(&*self.marks)) as u64
    }

    /// A body was read. One that is not watched costs a hash and a count on a line of the thread's own.
    pub fn note(&self, location: Location) {
        self.reads.add(1);
        if self.watches(Place::of(location).page) {
            self.take(location);
        }
    }

    fn watches(&self, page: PageId) -> bool {
        let region = u64::from(page.0) >> self.region_bits;
        // Multiplicative hashing by 2^64 over the golden ratio: its high bits are the good ones.
        let hash = (region >> self.rate_bits).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> 32;
        (hash ^ region) & ((1 << self.rate_bits) - 1) == 0
    }

    fn take(&self, location: Location) {
        let number = self.taken.fetch_add(1, Relaxed);
        if number.is_multiple_of(MARK as u64) {
            let mark = self.mark(number);
            mark.reads.store(self.reads.read(), Relaxed);
            mark.at_ms.store(unix_millis(), Relaxed);
        }
        self.ring[number as usize % SAMPLES].store(location.0.get(), Relaxed);
    }

    /// The mark at or before a sample.
    fn mark(&self, number: u64) -> &Mark {
        &self.marks[number as usize % SAMPLES / MARK]
    }

    /// What pages of each size would cost, with a cache that has `cache_bytes` for pages of bodies. Works for milliseconds, tens of them for long records;
    /// answers again what it told before while there is hardly anything new.
    pub fn what_if(&self, cache_bytes: u64) -> WhatIf {
        let mut told = self.told.lock();
        let window = self.window();
        if let Some((end, before)) = &*told
            && window.end - end < MARK as u64
        {
            return before.clone();
        }
        let enough = window.places.len() >= SAMPLES_NEEDED;
        let what_if = WhatIf {
            samples: window.places.len() as u64,
            samples_needed: SAMPLES_NEEDED as u64,
            since_ms: self.mark(window.from).at_ms.load(Relaxed),
            sizes: SIZES.iter().filter(|_| enough).map(|size| window.cost(*size, cache_bytes)).collect(),
        };
        if enough {
            *told = Some((window.end, what_if.clone()));
        }
        what_if
    }

    fn window(&self) -> Window<'_> {
        let end = self.taken.load(Relaxed);
        // The oldest are being overwritten while they are read.
        let from = if end <= SAMPLES as u64 { 0 } else { (end - SAMPLES as u64).next_multiple_of(MARK as u64) + MARK as u64 };
        let place = |number: u64| NonZeroU64::new(self.ring[number as usize % SAMPLES].load(Relaxed)).map(|bits| Place::of(Location(bits)));
        let places: Vec<_> = (from..end).map(place).collect();
        let (ranks, bodies) = (ranks(&places), bodies_of(&places));
        Window { sampler: self, from, end, places, ranks, bodies, reads: self.reads.read() }
    }
}

impl Window<'_> {
    fn cost(&self, page_bytes: u32, cache_bytes: u64) -> WhatIfSize {
        let layout = Layout::new(self.sampler.own.bytes(), page_bytes as usize, self.bodies.iter().copied());
        let frames = (cache_bytes >> self.sampler.rate_bits) / u64::from(page_bytes);
        let mut cache = SimulatedCache::new(u32::try_from(frames).unwrap_or(u32::MAX).clamp(2, VISITS_MOST as u32));
        let first = self.first(layout);
        let half = first + (self.places.len() - first) / 2;
        let (mut counted_from, mut misses) = (None, 0u64);
        for (at, place) in self.places.iter().enumerate().skip(first) {
            if counted_from.is_none() && at >= half && cache.is_full() {
                counted_from = Some(at);
            }
            let Some(place) = place else { continue };
            layout.visit(*place, self.ranks[at], &mut |page| misses += u64::from(!cache.ask(page) && counted_from.is_some()));
        }
        let misses_per_read = match counted_from {
            Some(from) if self.places.len() - from >= COUNTED_LEAST.min(self.places.len() - half) => misses as f64 / self.reads_since(from),
            // The cache has had room until now: nothing had to go.
            _ => 0.0,
        };
        WhatIfSize { page_bytes, misses_per_read, read_bytes_per_read: misses_per_read * f64::from(page_bytes) }
    }

    /// The oldest sample that is simulated.
    fn first(&self, layout: Layout) -> usize {
        let mut visits = 0;
        let newest = self.places.iter().rev().take_while(|place| {
            visits += place.map_or(0, |place| layout.visits(place));
            visits <= VISITS_MOST
        });
        self.places.len() - newest.count()
    }

    /// How many samples there should be from the one at `at` on: the share of all reads since that watched regions have of all.
    fn reads_since(&self, at: usize) -> f64 {
        let number = self.from + at as u64;
        let before = number - number % MARK as u64;
        let after = before + MARK as u64;
        let noted = self.sampler.mark(before).reads.load(Relaxed);
        let (next, next_noted) =
            if after < self.end { (after, self.sampler.mark(after).reads.load(Relaxed)) } else { (self.end, self.reads) };
        let part = (number - before) as f64 / (next - before).max(1) as f64;
        let reads = noted as f64 + part * next_noted.saturating_sub(noted) as f64;
        ((self.reads as f64 - reads) / (1u64 << self.sampler.rate_bits) as f64).max(1.0)
    }
}

/// The rank of the page of each place, 0 of none.
fn ranks(places: &[Option<Place>]) -> Vec<u32> {
    let mut pages: Vec<PageId> = places.iter().flatten().map(|place| place.page).collect();
    pages.sort_unstable();
    pages.dedup();
    places.iter().map(|place| place.map_or(0, |place| pages.partition_point(|page| *page < place.page) as u32)).collect()
}

fn bodies_of(places: &[Option<Place>]) -> Vec<usize> {
    let mut records: Vec<Place> = places.iter().flatten().copied().collect();
    records.sort_unstable_by_key(|place| (place.page, place.cell));
    records.dedup_by_key(|place| (place.page, place.cell));
    records.into_iter().map(bodies::body_bytes).collect()
}

#[cfg(test)]
mod tests;
