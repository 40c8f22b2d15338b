//! What writes put into an ordered index: an unsorted tail, and sorted runs that are merged as they grow
//! (the log-structured merge of O'Neil et al., 1996, in memory).
//!
//! A slot is written anew without knowing what it had: each slot remembers the generation of its last write, and a
//! pair counts only while its slot has not been written after the pair's run was closed. All pairs of one write lie in
//! one place, the tail or one run.

/// An entry: a key in the high bits, the slot in the low ones, so that order is by key, then by slot.
pub(crate) trait Pair: Copy + Ord {
    fn slot(self) -> u32;
}

impl Pair for u64 {
    fn slot(self) -> u32 {
        self as u32
    }
}

impl Pair for u128 {
    fn slot(self) -> u32 {
        self as u32
    }
}

impl Pair for [u64; 4] {
    fn slot(self) -> u32 {
        self[3] as u32
    }
}

/// Pairs in the tail before it is sorted into a run. Lookups read the whole tail, so it is a few cache lines.
const TAIL: usize = 256;
/// A run is merged with the one before it unless that one is this many times larger: few runs to look into, and a
/// pair is moved about five times for each factor of eight in size.
const STEP: usize = 8;

#[derive(Debug)]
pub(crate) struct Runs<P> {
    /// Pairs of the writes since the last run was closed, in the order they came.
    tail: Vec<P>,
    /// Oldest first.
    runs: Vec<Run<P>>,
    /// By slot: the generation of its last write; 0 for none since the index began or was last rebased.
    written: Vec<u32>,
    /// Slots whose `written` is not 0.
    touched: usize,
    /// Slots below this one may have adopted pairs.
    adopted: u32,
    /// Whether a slot was written that had been written before, or may have adopted pairs: only then can a run have stale ones.
    rewritten: bool,
    /// The tail's generation.
    generation: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WriteMark {
    generation: u32,
    tail: usize,
    touched: usize,
}

impl WriteMark {
    pub const NONE: Self = Self { generation: 0, tail: 0, touched: 0 };
}

/// Sorted pairs of writes no younger than `newest`.
#[derive(Debug)]
pub(crate) struct Run<P> {
    pairs: Vec<P>,
    newest: u32,
}

impl<P: Pair> Runs<P> {
    pub const fn new() -> Self {
        Self { tail: Vec::new(), runs: Vec::new(), written: Vec::new(), touched: 0, adopted: 0, rewritten: false, generation: 1 }
    }

    /// Begins a write of `slot`: what it had no longer counts. Then `push` its pairs and `finish`.
    pub fn begin(&mut self, slot: u32) {
        let at = slot as usize;
        if at >= self.written.len() {
            if at >= self.written.capacity() {
                let room = at + 1 + at / 8 + 64;
                self.written.reserve_exact(room - self.written.len());
            }
            self.written.resize(at + 1, 0);
        }
        if self.written[at] == self.generation {
            self.tail.retain(|pair| pair.slot() != slot);
        }
        self.touched += usize::from(self.written[at] == 0);
        self.rewritten |= self.written[at] != 0 || slot < self.adopted;
        self.written[at] = self.generation;
    }

    pub fn push(&mut self, pair: P) {
        self.tail.push(pair);
    }

    /// Ends a write.
    pub fn finish(&mut self) {
        if self.tail.len() >= TAIL {
            self.close_tail();
        }
    }

    /// Whether a pair of `slot`, of a run whose newest write was in generation `newest`, still counts.
    #[inline]
    pub fn current(&self, slot: u32, newest: u32) -> bool {
        self.written.get(slot as usize).is_none_or(|&at| at <= newest)
    }

    pub fn tail(&self) -> &[P] {
        &self.tail
    }

    pub fn runs(&self) -> &[Run<P>] {
        &self.runs
    }

    /// Everything, when it is one run, as after `rebase`.
    pub fn merged(&self) -> &[P] {
        debug_assert!(self.tail.is_empty() && self.runs.len() <= 1, "only what was rebased is one run");
        self.runs.first().map_or(&[], |run| &run.pairs)
    }

    /// Pairs held, stale ones included.
    pub fn pairs(&self) -> usize {
        self.tail.len() + self.runs.iter().map(|run| run.pairs.len()).sum::<usize>()
    }

    /// Takes every pair that counts, sorted, and begins again: generation 0 is then what was taken. `older` is a sorted
    /// run of generation 0 to merge with, already without the pairs that no longer count.
    pub fn take_merged(&mut self, older: Vec<P>) -> Vec<P> {
        self.close_tail();
        let mut merged = older;
        for mut run in std::mem::take(&mut self.runs) {
            self.drop_stale(&mut run);
            merged = if merged.is_empty() { run.pairs } else { merge(&merged, &run.pairs) };
        }
        self.written.fill(0);
        self.touched = 0;
        self.adopted = 0;
        self.rewritten = false;
        self.generation = 1;
        merged
    }

    /// Makes everything one run without stale pairs.
    pub fn rebase(&mut self) {
        let pairs = self.take_merged(Vec::new());
        self.adopt(pairs);
    }

    /// Takes sorted pairs of generation 0: those of slots that were written since do not count.
    pub fn adopt(&mut self, pairs: Vec<P>) {
        if let Some(highest) = pairs.iter().map(|pair| pair.slot()).max() {
            self.adopted = self.adopted.max(highest.saturating_add(1));
            self.rewritten |= self.touched > 0;
            self.runs.insert(0, Run { pairs, newest: 0 });
        }
    }

    /// Where writes stand: equal marks mean that there was none in between.
    pub fn mark(&self) -> WriteMark {
        WriteMark { generation: self.generation, tail: self.tail.len(), touched: self.touched }
    }

    /// Slots written since the index began or was last rebased, and slots known.
    pub const fn touched(&self) -> (usize, usize) {
        (self.touched, self.written.len())
    }

    pub fn heap_bytes(&self) -> usize {
        let runs: usize = self.runs.iter().map(|run| run.pairs.capacity() * size_of::<P>()).sum();
        self.tail.capacity() * size_of::<P>() + runs + self.runs.capacity() * size_of::<Run<P>>() + self.written.capacity() * 4
    }

    fn drop_stale(&self, run: &mut Run<P>) {
        if self.rewritten {
            run.pairs.retain(|pair| self.current(pair.slot(), run.newest));
        }
    }

    fn close_tail(&mut self) {
        if self.tail.is_empty() {
            return;
        }
        self.tail.sort_unstable();
        self.tail.dedup();
        let mut run = Run { pairs: self.tail.as_slice().to_vec(), newest: self.generation };
        self.tail.clear();
        self.tail.shrink_to(2 * TAIL);
        self.generation += 1;
        while let Some(mut older) = self.runs.pop_if(|older| older.pairs.len() <= STEP * run.pairs.len()) {
            self.drop_stale(&mut older);
            self.drop_stale(&mut run);
            run = Run { pairs: merge(&older.pairs, &run.pairs), newest: run.newest };
        }
        if !run.pairs.is_empty() {
            self.runs.push(run);
        }
    }
}

impl<P: Pair> Run<P> {
    pub fn pairs(&self) -> &[P] {
        &self.pairs
    }

    pub const fn newest(&self) -> u32 {
        self.newest
    }

    /// The pairs from `first` to `last`, both included.
    pub fn between(&self, first: P, last: P) -> &[P] {
        let start = self.pairs.partition_point(|pair| *pair < first);
        let length = self.pairs[start..].partition_point(|pair| *pair <= last);
        &self.pairs[start..start + length]
    }
}

/// Merges two sorted slices. Which comes next is not predictable, so it is selected, not branched on.
fn merge<P: Pair>(older: &[P], newer: &[P]) -> Vec<P> {
    let mut merged = Vec::with_capacity(older.len() + newer.len());
    let (mut left, mut right) = (0, 0);
    while left < older.len() && right < newer.len() {
        let (a, b) = (older[left], newer[right]);
        let first = a < b;
        merged.push(if first { a } else { b });
        left += usize::from(first);
        right += usize::from(!first);
    }
    merged.extend_from_slice(&older[left..]);
    merged.extend_from_slice(&newer[right..]);
    merged
}
