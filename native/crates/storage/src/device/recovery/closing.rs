//! Closing, at a start, the blocks that a killed run left open: later damage in one is told from a
//! torn write then, and named.
//!
//! Only the summaries, their parity and what is free behind the last entry change; sectors are
//! written again with the bytes that they have. Until a sync has covered it the marks of the killed
//! run still hold, so that a crash in the middle changes nothing.

use super::block_note::{BlockNote, Head, Named};
use crate::device::format::entry::ENTRY_HEADER_BYTES;
use crate::device::format::parity::{Need, Parity};
use crate::device::format::place::padded;
use crate::device::format::summary::{FRONT_PARITY_AT, SUMMARY_BYTES, Summary, Use, end_at};
use crate::device::format::walk::{WalkStep, walk_current};
use crate::device::write::shared::Shared;
use crate::device::write::write_block::PARITY_PART;
use crate::device::write::writer::Piece;
use std::collections::BTreeMap;
use std::ops::Range;
use std::sync::Arc;
use tessera_base::{Error, Result};
use tessera_io::AlignedBuffer;

/// An entry with a sound header, or with one that parity gave back.
struct Closed {
    /// Where it lies in the block.
    place: Range<usize>,
    header: Vec<u8>,
    /// Only parity tells of it any more.
    lost: bool,
}

/// Closes `note`'s block behind the entry before `end`, unless it is closed, shows no entry of its
/// present use, or has sound ones behind a torn write.
///
/// # Errors
/// `storage_failed`, where it cannot be read or written.
pub fn close(shared: &Shared, note: &BlockNote, end: u64) -> Result<()> {
    let (Head::Entries(run, first, _), None) = (note.head, note.end) else { return Ok(()) };
    let (start, block_bytes) = (note.number * shared.block_bytes(), shared.block_bytes() as usize);
    let failed = |e| Error::io(&format!("closing the write block at byte {}", shared.volume.name(start)), &e);
    let mut bytes = copy(shared, note.number).map_err(failed)?;
    let identity = shared.identity(note.number, &bytes).filter(|identity| identity.first == first);
    let begin = shared.blocks.begin(note.number) as usize;
    let Some(entries) = entries(shared, note, &bytes, begin, first..end) else { return Ok(()) };
    let filled = entries.values().map(|entry| entry.place.end).max().unwrap_or(begin);
    let (most, room) = (block_bytes / PARITY_PART, end_at(block_bytes).checked_sub(filled));
    // No block of ours is so full.
    let Some(room) = room else { return Ok(()) };
    let mut need = Need::default();
    entries.values().for_each(|entry| need.add(entry.place.start, entry.header.len()));
    // One row for each entry that is lost, where there is room: the next start must name them too.
    let lost: Vec<u64> = entries.iter().filter(|(_, entry)| entry.lost).map(|(sequence, _)| *sequence).collect();
    let lost = lost.first().zip(lost.last()).map_or(0, |(from, to)| to - from + 1) as usize;
    let parity = |room: usize| {
        let rows = need.rows(most.min(room)).max(if lost.saturating_mul(need.width()) <= room { lost } else { 0 });
        let mut parity = Parity::over(rows, need.width(), std::iter::empty());
        if parity.rows() > 0 {
            entries.iter().for_each(|(sequence, entry)| parity.fold((sequence - first) as usize, &entry.header));
        }
        parity
    };
    let (front, tail) = (parity(begin.saturating_sub(FRONT_PARITY_AT)), parity(room));
    let summary = Summary {
        state: Use::Closed,
        run,
        first,
        count: (end - first) as u32,
        begin: begin as u32,
        filled: filled as u32,
        previous: identity.and_then(|identity| identity.previous).unwrap_or_default(),
    };
    let headed = shared.sound_header(note.number, &bytes).is_some_and(|header| header.first_sequence == first);
    summary.put(&mut bytes, (&front, &tail), shared.seal, start);
    let alignment = shared.alignment();
    let behind = (block_bytes - SUMMARY_BYTES - tail.bytes().len()) / alignment * alignment..block_bytes;
    // What lies before the entries is not made to look whole where the header is gone.
    let before = headed.then(|| 0..begin.next_multiple_of(alignment).min(behind.start));
    let bytes = Arc::new(bytes);
    let piece = |range: Range<usize>| Piece { offset: start + range.start as u64, bytes: Arc::clone(&bytes), range };
    let pieces: Vec<Piece> = before.into_iter().chain([behind]).map(piece).collect();
    shared.writer.lock().write(&shared.volume, shared.options.backend, &pieces)
}

/// A block as it is on its disk, and zeros where that ends in it.
fn copy(shared: &Shared, number: u64) -> std::io::Result<AlignedBuffer> {
    let (mut scratch, block_bytes) = (None, shared.block_bytes() as usize);
    let mut bytes = AlignedBuffer::new(block_bytes)?;
    bytes.extend_from_slice(shared.read_block(number, &mut scratch)?)?;
    bytes.resize_zeroed(block_bytes)?;
    Ok(bytes)
}

/// The entries `wanted` of a block, by sequence; nothing if sound ones lie behind them or are out of
/// order, or if none is left.
fn entries(shared: &Shared, note: &BlockNote, block: &[u8], begin: usize, wanted: Range<u64>) -> Option<BTreeMap<u64, Closed>> {
    let start = note.number * shared.block_bytes();
    let (mut entries, mut last, mut behind) = (BTreeMap::new(), None, false);
    walk_current(block, begin, start, shared.seal, Some(wanted.start), &mut |offset, step| {
        let WalkStep::Entry(found) = step else { return };
        if last.is_some_and(|last| last >= found.sequence) {
            // No block of ours has them in this order.
            behind |= found.body_sound;
            return;
        }
        last = Some(found.sequence);
        if wanted.contains(&found.sequence) {
            let at = (offset - start) as usize;
            let header = block.get(at..at + ENTRY_HEADER_BYTES + found.entry.set.len()).unwrap_or_default().to_vec();
            entries.insert(found.sequence, Closed { place: at..at + padded(found.entry.length()), header, lost: false });
        } else {
            behind |= found.body_sound;
        }
    });
    let named = note.doubts.iter().filter_map(|doubt| doubt.suspect.as_ref());
    for Named { sequence, offset, length, header, .. } in named.filter(|named| !named.header.is_empty()) {
        let at = (offset - start) as usize;
        if wanted.contains(sequence) {
            entries.insert(*sequence, Closed { place: at..at + *length as usize, header: header.clone(), lost: true });
        }
    }
    (!behind && !entries.is_empty()).then_some(entries)
}
