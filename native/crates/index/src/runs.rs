//! What writes put into an ordered index: an unsorted tail, and sorted runs that are merged as they grow
//! (the log-structured merge of O'Neil et al., 1996, in memory).
//!
//! A slot is written anew without knowing what it had: each slot remembers the generation of its last write, and a
//! pair counts only while its slot has not been written after the pair's run was closed. All pairs of one write lie in
//! one place, the tail or one run.
//!
//! Below the runs lies the base, which has all that was written up to the generation `since`: a run here, or a layer
//! that the owner keeps. Small runs are merged as they come. What makes a new base of everything takes three steps, so
//! that the long one needs no lock: `freeze` marks what there is, `Frozen::merge` merges it, `install` puts the result
//! in its place. Generations go on meanwhile, so nothing that was written in between is lost or comes back.
//!
//! While there is no base yet, as a build is still reading what was there before, the same steps make one run of all
//! (`install_run`): every slot that was written stays known, since what the build brings of it does not count.

mod frozen;

use frozen::merge;
use std::sync::Arc;

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

/// Runs are merged on the way of a write up to this many pairs, some 100 microseconds; longer ones wait for a new base.
const INLINE: usize = 1 << 16;
/// A new base is due once recent writes exceed this many pairs and this share of the base, or have touched this many slots
/// and half of all (rewrites and removals leave dead pairs behind).
const DUE_PAIRS: usize = 8192;
const DUE_SHARE: usize = 4;
const DUE_SLOTS: usize = 1024;
/// Once writes pause, a smaller share of the base is enough.
const IDLE_SHARE: usize = 64;
/// Writes are not let further ahead of the base than this many pairs and twice the base.
const MOST_AHEAD: usize = 1 << 20;
/// Generations are numbered anew before they reach their end.
const RENUMBER: u32 = if cfg!(test) { 8 } else { 1 << 30 };

#[derive(Debug)]
pub(crate) struct Runs<P> {
    /// Pairs of the writes since the last run was closed, in the order they came.
    tail: Vec<P>,
    /// Oldest first; the base before all, if it is kept here.
    runs: Vec<Run<P>>,
    /// Whether the first run is the base.
    based: bool,
    /// Pairs in the other runs.
    beside: usize,
    /// How many of the first runs a merge elsewhere has: they stay as they are.
    frozen: usize,
    /// Which freeze is the latest: the result of any other is not wanted any more.
    freezes: u64,
    /// By slot: the generation of its last write; 0 for none.
    written: Vec<u32>,
    /// The base has what was written up to this generation.
    since: u32,
    /// Slots written since.
    touched: usize,
    /// Whether a slot was written twice since: only then can a run beside the base have stale pairs.
    rewritten: bool,
    /// The tail's generation.
    generation: u32,
    /// How often generations were numbered anew.
    numbering: u32,
}

/// Where generations stood when runs were copied.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Era {
    generation: u32,
    numbering: u32,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct WriteMark {
    generation: u32,
    tail: usize,
    touched: usize,
}

impl WriteMark {
    pub const NONE: Self = Self { generation: 0, tail: 0, touched: 0 };

    /// The mark of two that are written together.
    pub const fn and(self, other: Self) -> Self {
        Self { generation: self.generation.wrapping_add(other.generation), tail: self.tail + other.tail, touched: self.touched }
    }
}

/// Sorted pairs of writes no younger than `newest`.
#[derive(Clone, Debug)]
pub(crate) struct Run<P> {
    pairs: Arc<Vec<P>>,
    newest: u32,
}

/// When a new base is wanted.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Due {
    No,
    Soon,
    /// Writes are too far ahead: the next waits for it.
    Now,
}

/// What a new base is made of, as it was when it was frozen.
#[derive(Debug)]
pub(crate) struct Frozen<P> {
    runs: Vec<Run<P>>,
    written: Vec<u32>,
    since: u32,
    ticket: Ticket,
}

/// Names a freeze, and the generation up to which it has everything.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Ticket {
    freeze: u64,
    since: u32,
}

impl<P: Pair> Runs<P> {
    pub const fn new() -> Self {
        Self {
            tail: Vec::new(),
            runs: Vec::new(),
            based: false,
            beside: 0,
            frozen: 0,
            freezes: 0,
            written: Vec::new(),
            since: 0,
            touched: 0,
            rewritten: false,
            generation: 1,
            numbering: 0,
        }
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
        let again = self.written[at] > self.since;
        self.touched += usize::from(!again);
        self.rewritten |= again;
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
        is_current(&self.written, slot, newest)
    }

    /// As `current`, of a pair of the base.
    #[inline]
    pub fn current_in_base(&self, slot: u32) -> bool {
        self.current(slot, self.since)
    }

    pub fn tail(&self) -> &[P] {
        &self.tail
    }

    /// The runs, the base among them if it is kept here.
    pub fn runs(&self) -> &[Run<P>] {
        &self.runs
    }

    /// All there is, stale pairs included, to be read beyond the segment's lock; the tail is the last run.
    pub fn copy(&self) -> (Vec<Run<P>>, Era) {
        let mut runs = self.runs.clone();
        if !self.tail.is_empty() {
            let mut pairs = self.tail.clone();
            pairs.sort_unstable();
            runs.push(Run { pairs: Arc::new(pairs), newest: self.generation });
        }
        (runs, Era { generation: self.generation, numbering: self.numbering })
    }

    /// Whether a pair of runs that were copied in `era` was stale by then, as far as that can be told still: its slot was written again
    /// in a generation that was over. False of what was written since the copy.
    pub fn was_stale(&self, slot: u32, newest: u32, era: Era) -> bool {
        let again = |at: u32| newest < at && at < era.generation;
        self.numbering == era.numbering && self.written.get(slot as usize).is_some_and(|&at| again(at))
    }

    /// Pairs of the base, if it is kept here; stale ones included.
    pub fn base(&self) -> &[P] {
        self.runs.first().filter(|_| self.based).map_or(&[], |run| run.pairs())
    }

    /// Pairs beside the base, stale ones included.
    pub fn recent(&self) -> usize {
        self.tail.len() + self.beside
    }

    /// To be called when the runs have changed: every write asks for the sum.
    fn count(&mut self) {
        self.beside = self.runs.iter().skip(usize::from(self.based)).map(|run| run.pairs.len()).sum();
    }

    /// When a new base is due, where the present one has `base` pairs.
    pub fn due(&self, base: usize) -> Due {
        let recent = self.recent();
        if recent > MOST_AHEAD.max(2 * base) {
            Due::Now
        } else if recent > DUE_PAIRS.max(base / DUE_SHARE) || self.touched > DUE_SLOTS.max(self.written.len() / 2) {
            Due::Soon
        } else {
            Due::No
        }
    }

    /// As `due`, while there is no base yet: a long first run of what was merged before counts as one.
    pub fn due_without_base(&self) -> Due {
        let first = self.runs.first().map_or(0, |run| run.pairs.len());
        let recent = self.recent() - first;
        if recent > MOST_AHEAD.max(2 * first) {
            Due::Now
        } else if recent > INLINE.max(first / DUE_SHARE) {
            Due::Soon
        } else {
            Due::No
        }
    }

    /// Whether a new base would be worth its while once writes pause.
    pub fn due_when_idle(&self, base: usize) -> bool {
        self.recent() > base / IDLE_SHARE
    }

    /// Marks all there is for a new base, and answers it; an earlier freeze is void. The time of copying four bytes a slot.
    pub fn freeze(&mut self) -> Frozen<P> {
        self.close_tail();
        self.frozen = self.runs.len();
        self.freezes += 1;
        let ticket = Ticket { freeze: self.freezes, since: self.generation - 1 };
        Frozen { runs: self.runs.clone(), written: self.written.clone(), since: self.since, ticket }
    }

    /// Lets go of what was frozen, as the owner has a new base of it; false, and nothing is done, when the ticket is void.
    pub fn install(&mut self, ticket: Ticket) -> bool {
        if ticket.freeze != self.freezes {
            return false;
        }
        // Void from now on.
        self.freezes += 1;
        self.runs.drain(..self.frozen);
        (self.frozen, self.based) = (0, false);
        self.count();
        self.since = ticket.since;
        self.touched = self.written.iter().filter(|&&at| at > ticket.since).count();
        self.rewritten &= !(self.runs.is_empty() && self.tail.is_empty());
        if self.generation > RENUMBER {
            self.renumber();
        }
        true
    }

    /// Puts what came of a merge in the place of what was frozen, where there is no base yet. Nothing is done when the ticket
    /// is void.
    pub fn install_run(&mut self, ticket: Ticket, pairs: Arc<Vec<P>>) {
        debug_assert!(!self.based && self.since == 0, "what has a base gets a new one");
        if ticket.freeze == self.freezes {
            let merged = (!pairs.is_empty()).then_some(Run { pairs, newest: ticket.since });
            drop(self.runs.splice(..self.frozen, merged));
            self.thaw();
            self.count();
        }
    }

    /// Makes void what was frozen.
    pub const fn thaw(&mut self) {
        self.freezes += 1;
        self.frozen = 0;
    }

    /// As `install`, with the new base to be kept here.
    pub fn install_base(&mut self, ticket: Ticket, pairs: Arc<Vec<P>>) -> bool {
        let installed = self.install(ticket);
        if installed && !pairs.is_empty() {
            self.runs.insert(0, Run { pairs, newest: self.since });
            self.based = true;
        }
        installed
    }

    /// Takes sorted pairs as the base of one that has none: those of slots that were written do not count.
    pub fn adopt(&mut self, pairs: Vec<P>) {
        debug_assert!(!self.based && self.since == 0, "only what has no base adopts one");
        self.thaw();
        if !pairs.is_empty() {
            self.runs.insert(0, Run { pairs: Arc::new(pairs), newest: 0 });
            self.based = true;
        }
    }

    /// Every pair that counts, sorted.
    pub fn into_merged(mut self) -> Vec<P> {
        self.freeze().merge(Vec::new())
    }

    /// Where writes stand: equal marks mean that there was none in between.
    pub fn mark(&self) -> WriteMark {
        WriteMark { generation: self.generation, tail: self.tail.len(), touched: self.touched }
    }

    /// Whether no slot was written since the base was made.
    pub const fn is_untouched(&self) -> bool {
        self.touched == 0
    }

    pub fn heap_bytes(&self) -> usize {
        let runs: usize = self.runs.iter().map(|run| run.pairs.capacity() * size_of::<P>()).sum();
        self.tail.capacity() * size_of::<P>() + runs + self.runs.capacity() * size_of::<Run<P>>() + self.written.capacity() * 4
    }

    /// The pairs of a run beside the base that still count.
    fn without_stale(&self, run: Run<P>) -> Vec<P> {
        let mut pairs = Arc::unwrap_or_clone(run.pairs);
        if self.rewritten {
            pairs.retain(|pair| self.current(pair.slot(), run.newest));
        }
        pairs
    }

    fn close_tail(&mut self) {
        if self.tail.is_empty() {
            // Slots that were emptied have no pairs, but a generation of their own.
            self.generation += 1;
            return;
        }
        self.tail.sort_unstable();
        self.tail.dedup();
        let mut run = Run { pairs: Arc::new(self.tail.as_slice().to_vec()), newest: self.generation };
        self.tail.clear();
        self.tail.shrink_to(2 * TAIL);
        self.generation += 1;
        let fixed = self.frozen.max(usize::from(self.based));
        while self.runs.len() > fixed {
            let length = run.pairs.len();
            let near = |older: &mut Run<P>| older.pairs.len() <= STEP * length && older.pairs.len() + length <= INLINE;
            let Some(older) = self.runs.pop_if(near) else { break };
            let newest = run.newest;
            run = Run { pairs: Arc::new(merge(&self.without_stale(older), &self.without_stale(run))), newest };
        }
        if !run.pairs.is_empty() {
            self.runs.push(run);
        }
        self.count();
    }

    /// Numbers generations anew, from `since`; nothing is frozen.
    fn renumber(&mut self) {
        let since = std::mem::take(&mut self.since);
        self.written.iter_mut().for_each(|at| *at = at.saturating_sub(since));
        self.runs.iter_mut().for_each(|run| run.newest = run.newest.saturating_sub(since));
        self.generation -= since;
        self.numbering = self.numbering.wrapping_add(1);
    }
}

fn is_current(written: &[u32], slot: u32, newest: u32) -> bool {
    written.get(slot as usize).is_none_or(|&at| at <= newest)
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

#[cfg(test)]
mod tests;
