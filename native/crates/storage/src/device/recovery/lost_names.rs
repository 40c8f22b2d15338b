//! Entries of a block whose headers cannot be read any more, had back from its parity.

use super::block_note::{BlockNote, Doubt, Named};
use crate::device::format::entry::{ENTRY_HEADER_BYTES, Header};
use crate::device::format::parity::Parity;
use crate::device::format::place::padded;
use crate::device::format::seal::Seal;
use crate::device::write::mark::Known;
use std::collections::HashMap;
use std::ops::Range;

/// An entry with a sound header.
#[derive(Clone, Copy, Debug)]
pub struct Seen {
    pub sequence: u64,
    /// Of its first byte, and of the first behind its padding.
    pub offset: u64,
    pub end: u64,
}

/// Entries that should lie between two others, or behind the last one, and do not.
#[derive(Clone, Debug)]
pub struct Gap {
    pub sequences: Range<u64>,
    /// Where the first of them begins, and where the last ends if that is known.
    pub offset: u64,
    pub end: Option<u64>,
}

/// A block with entries that are missing.
pub struct Lossy<'a> {
    pub block: &'a [u8],
    pub start: u64,
    pub seal: Seal,
    /// By sequence.
    pub seen: &'a [Seen],
    pub gaps: &'a [Gap],
}

impl Lossy<'_> {
    /// What `parity`, over the entries `covered`, tells of those that are missing.
    pub fn named(&self, parity: &Parity, covered: &Range<u64>) -> Vec<Named> {
        if parity.rows() == 0 {
            return vec![];
        }
        let at = |sequence: u64| (sequence - covered.start) as usize;
        let mut left = parity.clone();
        for seen in self.seen.iter().filter(|seen| covered.contains(&seen.sequence)) {
            let header = self.block.get((seen.offset - self.start) as usize..).and_then(|entry| {
                let set = usize::from(*entry.get(ENTRY_HEADER_BYTES - 1)?);
                entry.get(..ENTRY_HEADER_BYTES + set)
            });
            left.fold(at(seen.sequence), header.unwrap_or_default());
        }
        let mut in_row = HashMap::<usize, u32>::new();
        let missing = || self.gaps.iter().flat_map(|gap| gap.sequences.clone()).filter(|sequence| covered.contains(sequence));
        // More than that no parity brings back.
        if self.gaps.iter().any(|gap| gap.sequences.end - gap.sequences.start > self.block.len() as u64) {
            return vec![];
        }
        missing().for_each(|sequence| *in_row.entry(at(sequence) % parity.rows()).or_default() += 1);
        let header = |sequence: u64| {
            let alone = covered.contains(&sequence) && in_row.get(&(at(sequence) % parity.rows())) == Some(&1);
            alone.then(|| left.left(at(sequence)))
        };
        self.gaps.iter().flat_map(|gap| self.in_gap(gap, &header)).collect()
    }

    /// From its beginning on, and then from its end back, as each says where the next one lies.
    fn in_gap<'h>(&self, gap: &Gap, header: &dyn Fn(u64) -> Option<&'h [u8]>) -> Vec<Named> {
        let named = |sequence: u64, offset: u64| {
            let bytes = header(sequence)?;
            let found = Header::decode(bytes, self.seal, offset).filter(|found| found.stamp.sequence == sequence)?;
            let Header { entry, length, .. } = found;
            let (set, length) = (entry.set.to_owned(), padded(length) as u32);
            let header = bytes.get(..ENTRY_HEADER_BYTES + set.len())?.to_vec();
            let (kind, segment, digest, meta) = (entry.kind, entry.segment, entry.digest, entry.meta);
            Some(Named { kind, segment, digest, meta, set, sequence, offset, length, header })
        };
        let (mut left, mut offset, mut all) = (gap.sequences.clone(), gap.offset, vec![]);
        while let Some(found) = (!left.is_empty()).then(|| named(left.start, offset)).flatten() {
            (left.start, offset) = (left.start + 1, offset + u64::from(found.length));
            all.push(found);
        }
        let Some(mut end) = gap.end else { return all };
        while let Some(bytes) = (!left.is_empty()).then(|| header(left.end - 1)).flatten().and_then(|header| header.get(8..12)) {
            let length = padded(bytes.iter().rev().fold(0, |length, byte| length << 8 | usize::from(*byte)));
            let Some(found) = end.checked_sub(length as u64).and_then(|offset| named(left.end - 1, offset)) else { break };
            (left.end, end) = (left.end - 1, found.offset);
            all.push(found);
        }
        all
    }
}

impl BlockNote {
    /// It does not show the use that a mark knows. A mark tells of a use whose beginning was on stable storage, so no crash has done
    /// it, and the first entry is missing at least.
    pub fn gone(&mut self, known: Known, start: u64) {
        self.doubts.iter_mut().filter(|doubt| doubt.costs()).for_each(|doubt| doubt.sure = true);
        let first = known.id.first;
        if self.next.0 == first {
            let why = "the entries of a write block that was on stable storage are gone".to_owned();
            self.doubts.push(Doubt { first: Some(first), missing: 1, sure: true, ..Doubt::at(start, why) });
            self.next.0 = first.saturating_add(1);
        }
    }

    /// Notes entries that should be in `gaps`; those from sequence `tail` on lie behind all that are sound.
    pub fn missing(&mut self, gaps: Vec<Gap>, named: Vec<Named>, tail: u64) {
        for gap in gaps {
            let of_gap = |named: &Named| gap.sequences.contains(&named.sequence);
            let unnamed = gap.sequences.end - gap.sequences.start - named.iter().filter(|named| of_gap(named)).count() as u64;
            if unnamed > 0 {
                let first = gap.sequences.clone().find(|sequence| named.iter().all(|named| named.sequence != *sequence));
                let why = format!("{unnamed} entries that cannot be read or named");
                self.doubts.push(Doubt { first, missing: unnamed, trailing: gap.sequences.start >= tail, ..Doubt::at(gap.offset, why) });
            }
        }
        for named in named {
            let (sequence, why) = (named.sequence, "a record with a damaged header".to_owned());
            let place = Doubt::at(named.offset, why);
            self.doubts.push(Doubt { suspect: Some(named), first: Some(sequence), by_parity: true, trailing: sequence >= tail, ..place });
        }
    }
}
