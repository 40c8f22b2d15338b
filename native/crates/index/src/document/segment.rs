//! One segment's document index: a compact layer, and runs of what was written since it was made.

use super::compact::{Compact, Slots};
use super::terms::{QueryTerms, each_term, each_term_of_record, kept};
use crate::runs::{Due, Frozen, Run, Runs, WriteMark};
use std::sync::Arc;
use tessera_record::{BodyRef, ValueRef};

/// Nanoseconds that a slot of a list takes to be read, measured on one core.
const DECODE_NS: f64 = 1.5;

/// The terms of one bin of the records of one segment; lives inside the segment's lock.
#[derive(Debug)]
pub struct SegmentDocumentIndex {
    /// The base of the runs.
    compact: Arc<Compact>,
    recent: Runs<u64>,
    /// While a build has not been adopted, the runs must remember every slot that was written.
    building: bool,
    /// The writes that `idle` has seen.
    seen: WriteMark,
}

/// A merge under way: everything as it was at `freeze`, to be merged without the segment's lock.
#[derive(Debug)]
pub(crate) struct DocumentMerge {
    /// `None` while a build has not brought it.
    compact: Option<Arc<Compact>>,
    recent: Frozen<u64>,
}

/// What comes of a merge.
#[derive(Debug)]
pub(crate) enum DocumentMerged {
    Compact(Arc<Compact>),
    /// Of the runs alone.
    Run(Arc<Vec<u64>>),
}

/// What a lookup answers.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Candidates {
    /// The terms cannot narrow: every slot is a candidate.
    All,
    /// The slots given are all that can match.
    Slots,
}

/// What a document index holds.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct DocumentIndexStats {
    /// Distinct terms; those of recent writes are counted again.
    pub terms: u64,
    /// (term, slot) pairs, stale ones of recent rewrites included.
    pub postings: u64,
    /// Those of them that are not in the compact layer yet.
    pub recent: u64,
    /// Bytes on the heap.
    pub bytes: u64,
}

impl Default for SegmentDocumentIndex {
    fn default() -> Self {
        Self::new()
    }
}

impl SegmentDocumentIndex {
    /// An index of no records.
    pub fn new() -> Self {
        Self::from_compact(Compact::EMPTY)
    }

    /// An index that takes writes from now on and waits for `adopt` to bring the records that are already there.
    pub fn building() -> Self {
        Self { building: true, ..Self::new() }
    }

    /// The index of a layer that has all records.
    pub fn from_compact(compact: Compact) -> Self {
        Self { compact: Arc::new(compact), recent: Runs::new(), building: false, seen: WriteMark::NONE }
    }

    /// The compact layer, when it is all there is: after `merge_now`, unless a build is under way.
    pub fn compact(&self) -> Option<&Compact> {
        (!self.building && self.recent.is_untouched()).then_some(&*self.compact)
    }

    /// Indexes what `slot` now holds and forgets what it had; `None` when the record lacks the bin.
    pub fn insert(&mut self, slot: u32, value: Option<ValueRef<'_>>) {
        self.recent.begin(slot);
        if let Some(value) = value {
            each_term(&value, &mut |term| self.recent.push(pair(kept(term), slot)));
        }
        self.recent.finish();
    }

    /// As `insert`, of an index over whole records.
    pub fn insert_record(&mut self, slot: u32, body: &BodyRef<'_>) {
        self.recent.begin(slot);
        each_term_of_record(body, &mut |term| self.recent.push(pair(kept(term), slot)));
        self.recent.finish();
    }

    /// Forgets what `slot` had.
    pub fn remove(&mut self, slot: u32) {
        self.insert(slot, None);
    }

    /// Takes over what a build collected; slots written since `building` keep what was written.
    pub fn adopt(&mut self, built: SegmentDocumentIndex) {
        debug_assert!(self.building && built.recent.is_untouched(), "only an index that waits for a build adopts one");
        self.compact = built.compact;
        self.building = false;
        self.recent.thaw();
    }

    /// When recent writes should be merged into the compact layer.
    pub(crate) fn due(&self) -> Due {
        match self.building {
            true => self.recent.due_without_base(),
            false if self.mergeable() => self.recent.due(self.compact.pairs()),
            false => Due::No,
        }
    }

    /// Whether there is enough for a merge, once writes pause.
    pub(crate) fn due_when_idle(&self) -> bool {
        !self.building && self.mergeable() && self.recent.due_when_idle(self.compact.pairs())
    }

    /// To be called now and then: whether there was no write between the last two calls.
    pub(crate) fn idle(&mut self) -> bool {
        let before = std::mem::replace(&mut self.seen, self.recent.mark());
        before == self.seen
    }

    /// Begins a merge of recent writes into the compact layer, if there are any; one that was begun before is void.
    pub(crate) fn freeze(&mut self) -> Option<DocumentMerge> {
        let wanted = self.mergeable() && !self.recent.is_untouched();
        let compact = (!self.building).then(|| Arc::clone(&self.compact));
        wanted.then(|| DocumentMerge { compact, recent: self.recent.freeze() })
    }

    /// Ends a merge: `merged` is what came of it. Nothing happens where it has become void.
    pub(crate) fn install(&mut self, merge: &DocumentMerge, merged: DocumentMerged) {
        let ticket = merge.recent.ticket();
        match merged {
            DocumentMerged::Run(pairs) if self.building => self.recent.install_run(ticket, pairs),
            DocumentMerged::Compact(merged) if !self.building && self.recent.install(ticket) => self.compact = merged,
            // The build has brought the compact layer meanwhile, or the ticket was void.
            DocumentMerged::Run(_) | DocumentMerged::Compact(_) => {}
        }
    }

    /// Merges recent writes into the compact layer, or into one run while a build is under way: time and memory in
    /// proportion to the segment's index.
    pub fn merge_now(&mut self) {
        if let Some(merge) = self.freeze() {
            self.install(&merge, merge.merge());
        }
    }

    fn mergeable(&self) -> bool {
        // What is not complete cannot be read back.
        self.compact.complete()
    }

    /// Puts into `out` (cleared first) the slots whose documents may contain all of `terms`, ascending.
    pub fn candidates(&self, terms: &QueryTerms, out: &mut Vec<u32>) -> Candidates {
        self.candidates_to_check(terms, u32::MAX, out)
    }

    /// As `candidates`, for whoever checks each in about `check_ns` nanoseconds: terms whose lists take longer to read than all
    /// that is left takes to check are not looked at.
    pub fn candidates_to_check(&self, terms: &QueryTerms, check_ns: u32, out: &mut Vec<u32>) -> Candidates {
        out.clear();
        if terms.is_empty() {
            return Candidates::All;
        }
        if self.add_compact(terms.kept(), check_ns, out) == Candidates::All {
            out.clear();
            return Candidates::All;
        }
        let from_compact = out.len();
        for run in self.recent.runs() {
            self.add_run(run, terms.kept(), out);
        }
        self.add_tail(terms.kept(), out);
        if out.len() > from_compact {
            out.sort_unstable();
        }
        Candidates::Slots
    }

    /// At most how many candidates `terms` have, without looking at each.
    pub fn estimate(&self, terms: &QueryTerms) -> u64 {
        let each = |&term: &u32| {
            let compact = self.compact.find(term).map_or(0, |slots| u64::from(slots.count()));
            let runs: usize = self.recent.runs().iter().map(|run| of_term(run, term).len()).sum();
            let tail = self.recent.tail().iter().filter(|&&pair| pair >> 32 == u64::from(term)).count();
            compact + (runs + tail) as u64
        };
        terms.kept().iter().map(each).min().unwrap_or(u64::MAX)
    }

    /// What it holds.
    pub fn stats(&self) -> DocumentIndexStats {
        let recent = self.recent.recent();
        DocumentIndexStats {
            terms: (self.compact.terms() + recent) as u64,
            postings: (self.compact.pairs() + recent) as u64,
            recent: recent as u64,
            bytes: self.heap_bytes() as u64,
        }
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        self.compact.heap_bytes() + self.recent.heap_bytes()
    }

    fn add_compact(&self, terms: &[u32], check_ns: u32, out: &mut Vec<u32>) -> Candidates {
        let mut found: Vec<Slots<'_>> = Vec::with_capacity(terms.len());
        for &term in terms {
            match self.compact.find(term) {
                Some(slots) => found.push(slots),
                None => return Candidates::Slots,
            }
        }
        found.sort_unstable_by_key(Slots::count);
        let Some((rarest, others)) = found.split_first() else { return Candidates::Slots };
        if matches!(rarest, Slots::Any) {
            return Candidates::All;
        }
        rarest.each(|slot| {
            if self.recent.current_in_base(slot) {
                out.push(slot);
            }
        });
        for slots in others {
            // Those that follow are longer still.
            let (checking, decoding) = (out.len() as f64 * f64::from(check_ns), f64::from(slots.count()) * DECODE_NS);
            if checking < decoding || out.is_empty() {
                break;
            }
            slots.intersect(out);
        }
        Candidates::Slots
    }

    fn add_run(&self, run: &Run<u64>, terms: &[u32], out: &mut Vec<u32>) {
        let Some((&first, others)) = terms.split_first() else { return };
        let mut rarest = (first, of_term(run, first));
        for &term in others {
            if rarest.1.is_empty() {
                return;
            }
            let pairs = of_term(run, term);
            if pairs.len() < rarest.1.len() {
                rarest = (term, pairs);
            }
        }
        out.extend(rarest.1.iter().map(|&pair| pair as u32).filter(|&slot| {
            let has = |&term: &u32| term == rarest.0 || run.pairs().binary_search(&pair(term, slot)).is_ok();
            self.recent.current(slot, run.newest()) && terms.iter().all(has)
        }));
    }

    fn add_tail(&self, terms: &[u32], out: &mut Vec<u32>) {
        let Some((&first, others)) = terms.split_first() else { return };
        let tail = self.recent.tail();
        let start = out.len();
        out.extend(tail.iter().filter(|&&pair| pair >> 32 == u64::from(first)).map(|&pair| pair as u32));
        for &term in others {
            let mut at = start;
            while at < out.len() {
                if tail.contains(&pair(term, out[at])) { at += 1 } else { _ = out.swap_remove(at) }
            }
        }
        out[start..].sort_unstable();
        let mut kept = start;
        for at in start..out.len() {
            if at == start || out[at] != out[kept - 1] {
                out[kept] = out[at];
                kept += 1;
            }
        }
        out.truncate(kept);
    }
}

impl DocumentMerge {
    pub(crate) fn merge(&self) -> DocumentMerged {
        let Some(compact) = &self.compact else { return DocumentMerged::Run(Arc::new(self.recent.merge(Vec::new()))) };
        let mut older = Vec::with_capacity(compact.pairs());
        compact.each(|pair| older.push(pair));
        DocumentMerged::Compact(Arc::new(Compact::from_sorted(&self.recent.merge(older))))
    }
}

const fn pair(term: u32, slot: u32) -> u64 {
    (term as u64) << 32 | slot as u64
}

fn of_term(run: &Run<u64>, term: u32) -> &[u64] {
    run.between(pair(term, 0), pair(term, u32::MAX))
}
