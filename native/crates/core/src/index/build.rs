//! Building an index over records that are already there, one segment at a time, while writes go on.
//!
//! Before a build every segment gets a part that takes writes. Then each segment is read in steps, with its lock held
//! only for a step, and what was collected is adopted in one: slots that were written meanwhile keep what the write put
//! there, so it does not matter whether a step saw them before or after.

use super::document::DocumentBuilder;
use super::range::SegmentRangeIndex;
use super::{Index, IndexKind, SegmentIndex};
use crate::error::{ErrorCode, Result};
use crate::job::Job;
use crate::record::{BodyRef, Digest, ValueRef};
use crate::segment::SegmentCell;
use crate::storage::{Location, Storage};
use std::sync::Arc;

/// Slots read with the lock held once: about half a millisecond of 2 KiB documents.
const STEP: u32 = 256;

/// Buffers of one worker.
#[derive(Default)]
pub(crate) struct Scratch {
    documents: DocumentBuilder,
    range: SegmentRangeIndex,
    waiting: Vec<Waiting>,
    body: Vec<u8>,
}

/// A record whose body has to be read from the device.
struct Waiting {
    slot: u32,
    digest: Digest,
    location: Location,
}

/// Collects one segment and hands it to the segment's part. `set` limits it to the records of one set, by id.
///
/// # Errors
/// `aborted`, `storage_failed`; then the part still waits.
pub(crate) fn build_segment(
    cell: &SegmentCell,
    storage: &dyn Storage,
    index: &Arc<Index>,
    set: Option<u16>,
    job: &Job,
    scratch: &mut Scratch,
) -> Result<()> {
    scratch.documents.clear();
    scratch.range = SegmentRangeIndex::new();
    let mut from = 0;
    loop {
        let (records, end) = step(cell, index, set, from, scratch);
        for waiting in std::mem::take(&mut scratch.waiting) {
            if fetch(cell, storage, &waiting, &mut scratch.body)? {
                let value = index.value(&BodyRef::new(&scratch.body));
                add(&mut scratch.documents, &mut scratch.range, index.spec().kind, waiting.slot, value);
            }
            job.checkpoint()?;
        }
        job.advance(records);
        job.checkpoint()?;
        from += STEP;
        if from >= end {
            break;
        }
    }
    let built = match index.spec().kind {
        IndexKind::Document => SegmentIndex::Document(scratch.documents.finish()),
        IndexKind::Range => SegmentIndex::Range(std::mem::take(&mut scratch.range)),
    };
    cell.write(|segment| segment.indexes_mut().adopt(index, built));
    Ok(())
}

/// Adds the records of `STEP` slots; answers how many, and where the slots end.
fn step(cell: &SegmentCell, index: &Index, set: Option<u16>, from: u32, scratch: &mut Scratch) -> (u64, u32) {
    let segment = cell.read();
    let end = segment.slots().end();
    let mut records = 0;
    for slot in from..end.min(from.saturating_add(STEP)) {
        let Some(record) = segment.record(slot) else { continue };
        if set.is_some_and(|set| segment.slots().set_of(slot) != set) {
            continue;
        }
        records += 1;
        match segment.resident(record.location) {
            Some(body) => add(&mut scratch.documents, &mut scratch.range, index.spec().kind, slot, index.value(&BodyRef::new(body))),
            None => scratch.waiting.push(Waiting { slot, digest: record.digest, location: record.location }),
        }
    }
    (records, end)
}

fn add(documents: &mut DocumentBuilder, range: &mut SegmentRangeIndex, kind: IndexKind, slot: u32, value: Option<ValueRef<'_>>) {
    let Some(value) = value else { return };
    match kind {
        IndexKind::Document => documents.add(slot, value),
        IndexKind::Range => range.insert(slot, Some(value)),
    }
}

/// Reads a body, following it where it moves. `false` when the slot holds another record by now, which a write has
/// indexed, or when the body is damaged, so that nobody can read it.
fn fetch(cell: &SegmentCell, storage: &dyn Storage, waiting: &Waiting, body: &mut Vec<u8>) -> Result<bool> {
    let mut location = waiting.location;
    loop {
        match storage.read(location, &waiting.digest, body) {
            Ok(true) => return Ok(true),
            Err(error) if error.code == ErrorCode::RecordDamaged => return Ok(false),
            Err(error) => return Err(error),
            Ok(false) => {}
        }
        match cell.read().record(waiting.slot) {
            Some(now) if now.digest == waiting.digest && now.location != location => location = now.location,
            _ => return Ok(false),
        }
    }
}
