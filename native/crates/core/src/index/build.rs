//! Building an index over records that are already there, one segment at a time, while writes go on.
//!
//! Before a build every segment gets a part that takes writes. Then each segment is read in steps, with its lock held
//! only for a step, and what was collected is adopted in one: slots that were written meanwhile keep what the write put
//! there, so it does not matter whether a step saw them before or after.

use super::document::DocumentBuilder;
use super::range::SegmentRangeIndex;
use super::{Index, IndexKind, Indexed, SegmentIndex};
use crate::error::{Error, ErrorCode, Result};
use crate::job::Job;
use crate::record::{BodyRef, Digest};
use crate::segment::{SegmentCell, SlotRecord, fetch_body};
use crate::storage::Storage;
use std::sync::Arc;

/// Slots read with the lock held once: about half a millisecond of 2 KiB documents.
const STEP: u32 = 256;

/// Buffers of one worker.
#[derive(Default)]
pub(crate) struct Scratch {
    documents: DocumentBuilder,
    range: SegmentRangeIndex,
    /// Slot, set and record, whose body has to be read from the device.
    waiting: Vec<(u32, u16, SlotRecord)>,
    body: Vec<u8>,
}

/// Collects one segment and hands it to the segment's part. `set` limits it to the records of one set, by id. `damaged` is
/// called for records that cannot be read; they are left out.
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
    damaged: &dyn Fn(u16, &Digest, &Error),
) -> Result<()> {
    scratch.documents.clear();
    scratch.range = SegmentRangeIndex::new();
    let mut from = 0;
    loop {
        let (records, end) = step(cell, index, set, from, scratch);
        for (slot, set, record) in std::mem::take(&mut scratch.waiting) {
            match fetch(cell, storage, slot, record, &mut scratch.body) {
                Ok(true) => {
                    let kept = index.kept(BodyRef::new(&scratch.body));
                    add(&mut scratch.documents, &mut scratch.range, index.spec().kind, slot, kept);
                }
                Ok(false) => {}
                Err(error) if error.code == ErrorCode::RecordDamaged => damaged(set, &record.digest, &error),
                Err(error) => return Err(error),
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
            Some(body) => add(&mut scratch.documents, &mut scratch.range, index.spec().kind, slot, index.kept(BodyRef::new(body))),
            None => scratch.waiting.push((slot, segment.slots().set_of(slot), record)),
        }
    }
    (records, end)
}

fn add(documents: &mut DocumentBuilder, range: &mut SegmentRangeIndex, kind: IndexKind, slot: u32, kept: Option<Indexed<'_>>) {
    match (kind, kept) {
        (IndexKind::Document, Some(Indexed::Value(value))) => documents.add(slot, value),
        (IndexKind::Document, Some(Indexed::Record(body))) => documents.add_record(slot, &body),
        (IndexKind::Range, Some(Indexed::Value(value))) => range.insert(slot, Some(value)),
        (IndexKind::Range, Some(Indexed::Record(_))) | (_, None) => {}
    }
}

/// Reads a body, following it where it moves. `false` when the slot holds another record by now, which a write has
/// indexed.
fn fetch(cell: &SegmentCell, storage: &dyn Storage, slot: u32, met: SlotRecord, body: &mut Vec<u8>) -> Result<bool> {
    let current = || cell.read().record(slot).filter(|now| now.digest == met.digest);
    Ok(fetch_body(storage, met, &current, body)?.is_some())
}
