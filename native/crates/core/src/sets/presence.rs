//! Which segments have records of an indexed set: one bit a segment, so that a scan of a small set looks at few of them.
//! Part of the set index: kept while that is on, stale while it is off, made anew by the next build.

use std::sync::atomic::{AtomicU64, Ordering};

#[derive(Debug)]
pub(crate) struct Presence {
    words: Box<[AtomicU64]>,
}

impl Presence {
    pub(crate) fn new(segments: u32) -> Self {
        Self { words: (0..segments.div_ceil(64)).map(|_| AtomicU64::new(0)).collect() }
    }

    /// Called with the segment's lock held for writing.
    pub(crate) fn note(&self, segment: u16, present: bool) {
        let (word, bit) = (&self.words[usize::from(segment) / 64], 1 << (segment % 64));
        if present {
            word.fetch_or(bit, Ordering::AcqRel);
        } else {
            word.fetch_and(!bit, Ordering::AcqRel);
        }
    }

    pub(crate) fn has(&self, segment: usize) -> bool {
        self.words[segment / 64].load(Ordering::Acquire) >> (segment % 64) & 1 == 1
    }

    pub(crate) fn count(&self) -> u32 {
        self.words.iter().map(|word| word.load(Ordering::Acquire).count_ones()).sum()
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        tessera_base::heap::block(self.words.len() * size_of::<u64>())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_bit_is_kept_for_each_segment() {
        let presence = Presence::new(100);
        presence.note(3, true);
        presence.note(99, true);
        presence.note(99, true);
        assert!(presence.has(3) && presence.has(99) && !presence.has(4));
        presence.note(3, false);
        assert_eq!((presence.count(), presence.has(3)), (1, false));
    }
}
