//! A segment's document index as a snapshot keeps it: its compact layer, little-endian.

use super::compact::{Compact, CompactParts};
use super::segment::SegmentDocumentIndex;
use crate::Renumbering;

/// Numbers of terms, of pairs, and of bytes of lists.
const HEAD_BYTES: usize = 12;

/// Appends the image of a merged index; `None` where it is not merged, or too large to be read back.
pub(crate) fn write(index: &SegmentDocumentIndex, slots: &Renumbering, out: &mut Vec<u8>) -> Option<()> {
    let compact = index.compact()?;
    if slots.is_identity() {
        return write_parts(compact.parts()?, out);
    }
    compact.parts()?;
    write_parts(renumbered(compact, slots).parts()?, out)
}

/// The index of an image that may be damaged; `None` unless it is sound.
pub(crate) fn read(image: &[u8], slots: &Renumbering) -> Option<SegmentDocumentIndex> {
    let (head, rest) = image.split_first_chunk::<HEAD_BYTES>()?;
    let (words, _) = head.as_chunks::<4>();
    let [terms, pairs, list_bytes] = [0, 1, 2].map(|at| words.get(at).map_or(0, |word| u32::from_le_bytes(*word) as usize));
    let (terms, rest) = rest.split_at_checked(terms.checked_mul(4)?)?;
    let (references, lists) = rest.split_at_checked(terms.len())?;
    if lists.len() != list_bytes {
        return None;
    }
    let (terms, references) = (words_of(terms), words_of(references));
    let parts = CompactParts { terms: &terms, references: &references, lists, pairs };
    let compact = Compact::from_parts(parts, slots.count())?;
    Some(SegmentDocumentIndex::from_compact(if slots.is_identity() { compact } else { renumbered(&compact, slots) }))
}

fn write_parts(parts: CompactParts<'_>, out: &mut Vec<u8>) -> Option<()> {
    let CompactParts { terms, references, lists, pairs } = parts;
    for number in [terms.len(), pairs, lists.len()] {
        out.extend(u32::try_from(number).ok()?.to_le_bytes());
    }
    out.reserve(8 * terms.len() + lists.len());
    terms.iter().chain(references).for_each(|word| out.extend_from_slice(&word.to_le_bytes()));
    out.extend_from_slice(lists);
    Some(())
}

/// The layer of the slots that stay; their order does not change, so neither does that of the pairs.
fn renumbered(compact: &Compact, slots: &Renumbering) -> Compact {
    let mut pairs = Vec::with_capacity(compact.pairs());
    compact.each(|pair| pairs.extend(slots.get(pair as u32).map(|slot| pair >> 32 << 32 | u64::from(slot))));
    Compact::from_sorted(&pairs)
}

fn words_of(bytes: &[u8]) -> Vec<u32> {
    bytes.as_chunks::<4>().0.iter().map(|word| u32::from_le_bytes(*word)).collect()
}
