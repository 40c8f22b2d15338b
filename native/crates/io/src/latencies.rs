//! A histogram of latencies that costs one addition each: four buckets an octave, from 128 ns to 137 s.

use std::sync::atomic::{AtomicU64, Ordering::Relaxed};

/// log2 of the buckets of an octave.
const PART_BITS: u32 = 2;
/// log2 of the shortest latency that is told from shorter ones, nanoseconds.
const FIRST: u32 = 7;
const OCTAVES: u32 = 30;
const BUCKETS: usize = (OCTAVES << PART_BITS) as usize;

#[derive(Debug)]
pub struct Latencies([AtomicU64; BUCKETS]);

impl Default for Latencies {
    fn default() -> Self {
        Self(std::array::from_fn(|_| AtomicU64::new(0)))
    }
}

impl Latencies {
    pub fn add(&self, nanos: u64) {
        if let Some(bucket) = self.0.get(bucket_of(nanos)) {
            bucket.fetch_add(1, Relaxed);
        }
    }

    pub fn count(&self) -> u64 {
        self.0.iter().map(|bucket| bucket.load(Relaxed)).sum()
    }

    /// Upper bound of the bucket in which the quantile lies, nanoseconds; `None` when empty.
    pub fn quantile(&self, share: f64) -> Option<u64> {
        let counts: Vec<u64> = self.0.iter().map(|bucket| bucket.load(Relaxed)).collect();
        let rank = ((share.clamp(0.0, 1.0) * counts.iter().sum::<u64>() as f64).ceil() as u64).max(1);
        let mut seen = 0;
        let bucket = counts.iter().position(|count| {
            seen += count;
            seen >= rank
        })?;
        Some(upper_bound(bucket))
    }
}

/// Latencies past the last bucket count in it.
const fn bucket_of(nanos: u64) -> usize {
    if nanos < 1 << FIRST {
        return 0;
    }
    let octave = nanos.ilog2();
    let part = (nanos >> (octave - PART_BITS)) & ((1 << PART_BITS) - 1);
    let bucket = (((octave - FIRST) << PART_BITS) as u64 + part) as usize;
    if bucket < BUCKETS { bucket } else { BUCKETS - 1 }
}

const fn upper_bound(bucket: usize) -> u64 {
    let (octave, part) = (FIRST + (bucket >> PART_BITS) as u32, (bucket & ((1 << PART_BITS) - 1)) as u64);
    ((1 << PART_BITS) + part + 1) << (octave - PART_BITS)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_latency_lies_under_its_bound_and_near_it() {
        for nanos in (0..33).flat_map(|octave| (0..16).map(move |part| (16 + part) << octave)).chain(0..300) {
            let bound = upper_bound(bucket_of(nanos));
            assert!(nanos < bound && (bound as f64 <= nanos as f64 * 1.25 || nanos <= 128), "{nanos} {bound}");
        }
        assert_eq!(bucket_of(u64::MAX), BUCKETS - 1);
    }

    #[test]
    fn quantiles_are_of_the_whole() {
        let latencies = Latencies::default();
        assert_eq!(latencies.quantile(0.5), None);
        (0..99).for_each(|_| latencies.add(10_000));
        latencies.add(1_000_000);
        assert_eq!(latencies.count(), 100);
        assert_eq!([0.0, 0.5, 0.99, 1.0].map(|share| latencies.quantile(share).unwrap()), [10_240, 10_240, 10_240, 1_048_576]);
    }
}
