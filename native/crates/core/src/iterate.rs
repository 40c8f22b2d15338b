//! Going through all records in batches, copied out in the order of segments and slots: of entries, or of keys alone.
//!
//! Between two batches nothing is held, and a batch is taken under short holds of one segment's lock at a time, so that whoever iterates may
//! be slow. Records that are there throughout come exactly once.

use crate::config::Feature;
use crate::scan::{ALL_SLOTS, End, Found, STEP, ScanSpec, Scratch, Selection, Traversal, plan_walk};
use crate::store::RecordStore;
use std::ops::ControlFlow;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, Sentence, sentence};
use tessera_record::{Digest, Meta};

/// Records of a batch where nothing else is said.
pub const BATCH: u32 = 4096;
/// Most that can be said.
pub const BATCH_MOST: u32 = 65_536;
/// A batch ends with the record that brings its bodies to so many bytes.
const BATCH_BYTES: usize = 16 << 20;

/// What an iteration goes through.
#[derive(Clone, Debug)]
pub struct IterateSpec {
    /// `None`: every record; `Some("")`: records without a set.
    pub set: Option<String>,
    /// The segments wanted, whoever owns them; `None`: those of which this node is the primary owner.
    pub segments: Option<Vec<u16>>,
    /// Most records of a batch, 1 to `BATCH_MOST`.
    pub batch: u32,
    /// Whether digest, metadata and set are wanted alone: then no body is read.
    pub keys_only: bool,
    /// Where another iteration has come to.
    pub from: Position,
}

impl Default for IterateSpec {
    fn default() -> Self {
        Self { set: None, segments: None, batch: BATCH, keys_only: false, from: Position::default() }
    }
}

/// A place among the slots of a namespace. It means nothing once the namespace has been closed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, PartialOrd, Ord)]
pub struct Position {
    pub segment: u16,
    pub slot: u32,
}

/// A record that was copied out.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub digest: Digest,
    pub meta: Meta,
    /// Id of its set; `RecordStore::set_by_id` knows the name.
    pub set: u16,
    /// Empty where keys are wanted alone.
    pub body: &'a [u8],
}

/// Records copied out, their bodies one behind the other; its memory is used again by the next batch.
#[derive(Debug, Default)]
pub struct Batch {
    entries: Vec<Copied>,
    bytes: Vec<u8>,
    done: Vec<u16>,
    damaged: u64,
}

#[derive(Debug)]
struct Copied {
    digest: Digest,
    meta: Meta,
    set: u16,
    /// Where its body ends; it begins where the one before ends.
    end: usize,
}

impl Batch {
    pub fn len(&self) -> usize {
        self.entries.len()
    }

    pub fn is_empty(&self) -> bool {
        self.entries.is_empty()
    }

    /// The records, in the order of segments and slots.
    pub fn entries(&self) -> impl Iterator<Item = Entry<'_>> {
        self.entries.iter().scan(0, |begin, &Copied { digest, meta, set, end }| {
            let body = &self.bytes[*begin..end];
            *begin = end;
            Some(Entry { digest, meta, set, body })
        })
    }

    /// The segments whose last record came with this batch, or was not there: all they have is in this batch and those before it. A record
    /// of a set with a distribution bin that goes to such a segment later comes with the last batch.
    pub fn done(&self) -> &[u16] {
        &self.done
    }

    /// Records that could not be read, and were left out.
    pub fn damaged(&self) -> u64 {
        self.damaged
    }

    fn clear(&mut self) {
        self.entries.clear();
        self.bytes.clear();
        self.done.clear();
        self.damaged = 0;
    }

    fn push(&mut self, found: &Found<'_>, body: bool) {
        // Of a record that is looked up by its key the body has come along.
        if body {
            self.bytes.extend_from_slice(found.body);
        }
        self.entries.push(Copied { digest: found.digest, meta: found.meta, set: found.set, end: self.bytes.len() });
    }
}

/// An iteration that goes on.
pub struct Iteration<'a> {
    store: &'a RecordStore,
    batch: usize,
    bodies: bool,
    selection: Selection,
    traversal: Traversal,
    scratch: Scratch,
    at: Position,
    /// Once all segments are through: records that went from one to another meanwhile, and have not come yet.
    late: Option<Vec<(u16, Digest)>>,
    /// Whether an error has ended it.
    over: bool,
}

/// Begins to go through all records, or those of a set or of some segments.
///
/// # Errors
/// `set_not_found`; `config_invalid` for a batch or a segment that cannot be.
pub fn begin<'a>(store: &'a RecordStore, spec: &IterateSpec) -> Result<Iteration<'a>> {
    let invalid = |field: &str, message: Sentence| Err(Error::said(ErrorCode::ConfigInvalid, message).in_field(field));
    if !(1..=BATCH_MOST).contains(&spec.batch) {
        return invalid("batch", sentence!("batch must be 1 to {most}, got {given}", most = BATCH_MOST, given = spec.batch));
    }
    store.require(Feature::Segments)?;
    let segments = spec.segments.as_deref().map(Arc::from);
    let (_, mut selection) = plan_walk(store, &ScanSpec { set: spec.set.clone(), segments, ..ScanSpec::default() }, false)?;
    selection.glances = true;
    let traversal = Traversal::begin(store, &selection, 0, false);
    let at = spec.from;
    let walk = traversal.walk(store, &selection, false);
    // What was before has come in another iteration.
    (0..usize::from(at.segment).min(store.cells().len())).for_each(|segment| walk.passed(segment, None));
    if usize::from(at.segment) < store.cells().len() {
        walk.passed(usize::from(at.segment), Some(at.slot));
    }
    let (batch, bodies) = (spec.batch as usize, !spec.keys_only);
    Ok(Iteration { store, batch, bodies, selection, traversal, scratch: Scratch::default(), at, late: None, over: false })
}

impl Iteration<'_> {
    /// Copies the next records out, over those of the last call; false when all have come.
    ///
    /// # Errors
    /// `storage_failed`. What came before it is in the batch, and the iteration is over; another goes on from `position`, and may bring some of these again.
    pub fn next(&mut self, batch: &mut Batch) -> Result<bool> {
        batch.clear();
        if self.over {
            return Ok(false);
        }
        let more = self.copy(batch);
        self.over = more.is_err();
        more
    }

    fn copy(&mut self, batch: &mut Batch) -> Result<bool> {
        let Self { store, bodies, selection, traversal, scratch, at, late, .. } = self;
        let walk = traversal.walk(store, selection, *bodies);
        let cells = store.cells().len();
        let full = |batch: &Batch| batch.len() >= self.batch || batch.bytes.len() >= BATCH_BYTES;
        let take = |found: &Found<'_>, batch: &mut Batch| {
            batch.push(found, self.bodies);
            if full(batch) { ControlFlow::Break(End::Step) } else { ControlFlow::Continue(()) }
        };
        while usize::from(at.segment) < cells && !full(batch) {
            let most = STEP.min(self.batch - batch.len());
            let step = walk.step(usize::from(at.segment), at.slot..ALL_SLOTS.end, most, scratch, &mut |found| take(found, batch))?;
            batch.damaged += step.damaged.len() as u64;
            if step.next.is_none() {
                // A flat container has all segments in one.
                let through = if store.is_flat() { 0..store.segment_count() as u16 } else { at.segment..at.segment + 1 };
                batch.done.extend(through.filter(|&segment| selection.segments.as_ref().is_none_or(|wanted| wanted.has(segment))));
            }
            *at = step.next.map_or(Position { segment: at.segment + 1, slot: 0 }, |slot| Position { slot, ..*at });
        }
        if usize::from(at.segment) >= cells {
            let late = late.get_or_insert_with(|| walk.unmet());
            while !full(batch)
                && let Some((set, digest)) = late.pop()
            {
                let damaged = &mut Vec::new();
                walk.meet_moved(set, digest, scratch, damaged, &mut |found| drop(take(found, batch)))?;
                batch.damaged += damaged.len() as u64;
            }
        }
        traversal.settle()?;
        Ok(!(batch.is_empty() && batch.done.is_empty() && usize::from(at.segment) >= cells))
    }

    /// Where another iteration goes on after the last batch.
    pub fn position(&self) -> Position {
        self.at
    }
}

#[cfg(test)]
mod tests;
