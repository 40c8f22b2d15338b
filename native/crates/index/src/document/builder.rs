//! Makes the index of one segment from the records that are there.

use super::compact::Compact;
use super::segment::SegmentDocumentIndex;
use super::terms::{each_term, each_term_of_record, kept};
use tessera_record::{BodyRef, ValueRef};

/// Below this many pairs a comparison sort is faster than counting digits.
const RADIX_PAIRS: usize = 1024;
const DIGIT_BITS: u32 = 11;
const DIGITS: usize = 1 << DIGIT_BITS;

/// Collects the pairs of one segment; its buffers serve the next one too.
#[derive(Debug, Default)]
pub struct DocumentBuilder {
    pairs: Vec<u64>,
    spare: Vec<u64>,
    last: u32,
    unordered: bool,
}

impl DocumentBuilder {
    /// A builder of nothing yet.
    pub fn new() -> Self {
        Self::default()
    }

    /// Adds a document; each slot once, ascending slots are fastest.
    pub fn add(&mut self, slot: u32, value: ValueRef<'_>) {
        self.note(slot);
        each_term(&value, &mut |term| self.pairs.push(u64::from(kept(term)) << 32 | u64::from(slot)));
    }

    /// As `add`, of an index over whole records.
    pub fn add_record(&mut self, slot: u32, body: &BodyRef<'_>) {
        self.note(slot);
        each_term_of_record(body, &mut |term| self.pairs.push(u64::from(kept(term)) << 32 | u64::from(slot)));
    }

    const fn note(&mut self, slot: u32) {
        self.unordered |= slot < self.last;
        self.last = slot;
    }

    /// The index of what was added; the builder is then empty.
    pub fn finish(&mut self) -> SegmentDocumentIndex {
        if self.unordered || self.pairs.len() < RADIX_PAIRS {
            self.pairs.sort_unstable();
        } else {
            self.radix_sort();
        }
        self.pairs.dedup();
        let compact = Compact::from_sorted(&self.pairs);
        self.clear();
        SegmentDocumentIndex::from_compact(compact)
    }

    /// Forgets what was added, keeps the buffers.
    pub fn clear(&mut self) {
        self.pairs.clear();
        self.last = 0;
        self.unordered = false;
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        (self.pairs.capacity() + self.spare.capacity()) * size_of::<u64>()
    }

    /// Least significant digit first over the term's 32 bits; slots were added in order and stay so within a term.
    fn radix_sort(&mut self) {
        self.spare.clear();
        self.spare.resize(self.pairs.len(), 0);
        for digit in 0..3 {
            let shift = 32 + digit * DIGIT_BITS;
            let digit_of = |pair: u64| (pair >> shift) as usize & (DIGITS - 1);
            let mut next = [0_u32; DIGITS];
            self.pairs.iter().for_each(|&pair| next[digit_of(pair)] += 1);
            let mut start = 0;
            for count in &mut next {
                start += std::mem::replace(count, start);
            }
            for &pair in &self.pairs {
                let at = &mut next[digit_of(pair)];
                self.spare[*at as usize] = pair;
                *at += 1;
            }
            std::mem::swap(&mut self.pairs, &mut self.spare);
        }
    }
}
