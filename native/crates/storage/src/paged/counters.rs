//! What is counted of the pages, by kind and in all.

use crossbeam_utils::CachePadded;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use tessera_base::latency::stripe_number;

/// Kinds of pages that are told apart, by their byte; 0 is none.
pub const KINDS: usize = 16;
const STRIPES: usize = 16;

/// The place of a page's kind in a row of `KINDS`.
pub fn kind_at(byte: u8) -> usize {
    if usize::from(byte) < KINDS { usize::from(byte) } else { 0 }
}

/// A counter for each kind.
#[derive(Debug, Default)]
pub struct ByKind([AtomicU64; KINDS]);

impl ByKind {
    pub fn add(&self, kind: u8, count: u64) {
        self.0[kind_at(kind)].fetch_add(count, Relaxed);
    }

    pub fn read(&self) -> [u64; KINDS] {
        std::array::from_fn(|kind| self.0[kind].load(Relaxed))
    }
}

/// A sum that many threads add to, each mostly on a line of its own.
#[derive(Debug, Default)]
pub struct Sum(Box<[CachePadded<AtomicU64>; STRIPES]>);

impl Sum {
    pub fn add(&self, count: u64) {
        self.0[stripe_number() % STRIPES].fetch_add(count, Relaxed);
    }

    pub fn read(&self) -> u64 {
        self.0.iter().fold(0, |sum, stripe| sum.wrapping_add(stripe.load(Relaxed)))
    }
}

/// Records in all segments of a namespace: what is stored, and what callers moved.
#[derive(Debug, Default)]
pub struct Records {
    live_bytes: CachePadded<AtomicU64>,
    /// Bytes of bodies that callers read and wrote.
    pub read: Sum,
    pub written: Sum,
    /// Reads that found a damaged record.
    pub damaged: AtomicU64,
}

impl Records {
    /// Stored bytes of the live records.
    pub fn live_bytes(&self) -> u64 {
        self.live_bytes.load(Relaxed)
    }

    /// A start has found records of so many stored bytes.
    pub fn found(&self, bytes: u64) {
        self.live_bytes.fetch_add(bytes, Relaxed);
    }

    /// A caller wrote so many bytes of a body: a record of so many stored bytes came, and one of so many went; 0 for none.
    pub fn wrote(&self, body: usize, came: usize, went: usize) {
        self.live_bytes.fetch_add((came as u64).wrapping_sub(went as u64), Relaxed);
        if body > 0 {
            self.written.add(body as u64);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_thread_counts() {
        let (sum, kinds) = (Sum::default(), ByKind::default());
        std::thread::scope(|scope| {
            for thread in 0..20u8 {
                let (sum, kinds) = (&sum, &kinds);
                scope.spawn(move || {
                    (0..1000).for_each(|_| sum.add(3));
                    kinds.add(thread, 1);
                });
            }
        });
        let read = kinds.read();
        assert_eq!((sum.read(), read[0], read[1], read[15]), (60_000, 5, 1, 1));
    }
}
