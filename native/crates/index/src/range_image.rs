//! A segment's range index as a snapshot keeps it: its numbers and strings in order, little-endian, each with its slot.

use crate::Renumbering;
use crate::range::SegmentRangeIndex;
use crate::range_key::PREFIX;

/// Sortable bits of a double, and the slot.
const NUMBER_BYTES: usize = 12;
/// The first bytes of a string, and the slot.
const STRING_BYTES: usize = PREFIX + 4;

/// Appends the image of a merged index; `None` where it is not merged, or too large.
pub(crate) fn write(index: &SegmentRangeIndex, slots: &Renumbering, out: &mut Vec<u8>) -> Option<()> {
    let values = index.sorted()?;
    let begin = out.len();
    out.extend([0; 8]);
    let (mut numbers, mut strings) = (0_u32, 0_u32);
    for (number, slot) in values.numbers() {
        let Some(slot) = slots.get(slot) else { continue };
        out.extend(number.to_le_bytes());
        out.extend(slot.to_le_bytes());
        numbers = numbers.checked_add(1)?;
    }
    for (kept, slot) in values.strings() {
        let Some(slot) = slots.get(slot) else { continue };
        out.extend(kept);
        out.extend(slot.to_le_bytes());
        strings = strings.checked_add(1)?;
    }
    let counts = out.get_mut(begin..begin + 8)?;
    counts.copy_from_slice(&(u64::from(strings) << 32 | u64::from(numbers)).to_le_bytes());
    Some(())
}

/// The index of an image that may be damaged; `None` unless it is sound, with a value for each slot at most.
pub(crate) fn read(image: &[u8], slots: &Renumbering) -> Option<SegmentRangeIndex> {
    let (counts, rest) = image.split_first_chunk::<8>()?;
    let counts = u64::from_le_bytes(*counts);
    let (numbers, strings) = (counts as u32 as usize, (counts >> 32) as usize);
    let (numbers, strings_at) = rest.split_at_checked(numbers.checked_mul(NUMBER_BYTES)?)?;
    if strings_at.len() != strings.checked_mul(STRING_BYTES)? {
        return None;
    }
    let mut numbers = numbers.chunks_exact(NUMBER_BYTES).map(number).collect::<Option<Vec<_>>>()?;
    let mut strings = strings_at.chunks_exact(STRING_BYTES).map(string).collect::<Option<Vec<_>>>()?;
    let mut taken = vec![0_u64; slots.count().div_ceil(64) as usize];
    for slot in numbers.iter().map(|(_, slot)| *slot).chain(strings.iter().map(|(_, slot)| *slot)) {
        let (word, bit) = (taken.get_mut(slot as usize / 64)?, 1 << (slot % 64));
        if slot >= slots.count() || *word & bit != 0 {
            return None;
        }
        *word |= bit;
    }
    if slots.is_identity() {
        return SegmentRangeIndex::from_sorted(&numbers, &strings, slots.count());
    }
    let sound = numbers.is_sorted_by(|a, b| a < b) && strings.is_sorted_by(|a, b| a < b);
    numbers.retain_mut(|(_, slot)| renumber(slots, slot));
    strings.retain_mut(|(_, slot)| renumber(slots, slot));
    if sound { SegmentRangeIndex::from_sorted(&numbers, &strings, slots.count()) } else { None }
}

/// Whether the slot stays.
fn renumber(slots: &Renumbering, slot: &mut u32) -> bool {
    let new = slots.get(*slot);
    *slot = new.unwrap_or(*slot);
    new.is_some()
}

fn number(bytes: &[u8]) -> Option<(u64, u32)> {
    let (number, slot) = bytes.split_first_chunk()?;
    Some((u64::from_le_bytes(*number), u32::from_le_bytes(*slot.first_chunk()?)))
}

fn string(bytes: &[u8]) -> Option<([u8; PREFIX], u32)> {
    let (kept, slot) = bytes.split_first_chunk()?;
    Some((*kept, u32::from_le_bytes(*slot.first_chunk()?)))
}

#[cfg(test)]
mod tests {
    use super::*;

    const TEXTS: [[u8; PREFIX]; 3] = [[1; PREFIX], [2; PREFIX], [3; PREFIX]];

    fn image(numbers: &[(u64, u32)], strings: &[([u8; PREFIX], u32)]) -> Vec<u8> {
        let mut image = vec![];
        write(&SegmentRangeIndex::from_sorted(numbers, strings, 100).unwrap(), &Renumbering::same(100), &mut image).unwrap();
        image
    }

    #[test]
    fn a_slot_has_one_value() {
        let same = Renumbering::same(100);
        assert!(read(&image(&[(1, 3), (2, 4)], &[(TEXTS[0], 67), (TEXTS[1], 99)]), &same).is_some());
        assert!(read(&image(&[(1, 3), (2, 3)], &[]), &same).is_none());
        assert!(read(&image(&[], &[(TEXTS[0], 67), (TEXTS[1], 67)]), &same).is_none());
        assert!(read(&image(&[(1, 99)], &[(TEXTS[0], 99)]), &same).is_none());
        assert!(read(&image(&[(1, 99)], &[]), &Renumbering::same(99)).is_none());
    }

    #[test]
    fn what_is_out_of_order_is_refused_also_where_it_goes() {
        let slots = Renumbering::of([false, true, true].into_iter());
        let numbers = image(&[(1, 0), (2, 1), (3, 2)], &[]);
        let strings = image(&[], &[(TEXTS[0], 0), (TEXTS[1], 1), (TEXTS[2], 2)]);
        for (mut bytes, each) in [(numbers, NUMBER_BYTES), (strings, STRING_BYTES)] {
            assert!(read(&bytes, &slots).is_some());
            bytes[8..8 + 2 * each].rotate_left(each);
            assert!(read(&bytes, &slots).is_none());
        }
    }
}
