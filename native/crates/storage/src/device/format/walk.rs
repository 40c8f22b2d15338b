//! Walking the entries of one block as found on disk, past whatever is damaged.

use super::entry::Found;
use super::place::{UNIT, padded};
use super::seal::Seal;

/// What lies at a place of a block.
#[derive(Debug)]
pub enum WalkStep<'a> {
    /// A sound header; its body may be damaged.
    Entry(Found<'a>),
    /// Bytes that are no entry, up to the next sound one or the end of the block.
    Gap(&'static str),
}

/// Calls `visit(offset in the file, step)` for everything from byte `begin` on in `block`, which lies at file offset `start`.
/// Zeros up to the end are what a block not yet full has, and are not visited.
pub fn walk(block: &[u8], begin: usize, start: u64, seal: Seal, visit: &mut dyn FnMut(u64, WalkStep<'_>)) {
    let mut at = begin;
    let mut gap: Option<(usize, &'static str)> = None;
    while at < block.len() {
        let rest = block.get(at..).unwrap_or_default();
        if let Some(found) = Found::decode(rest, seal, start + at as u64) {
            if let Some((from, why)) = gap.take() {
                visit(start + from as u64, WalkStep::Gap(why));
            }
            let length = extent(rest, &found, seal, start + at as u64);
            visit(start + at as u64, WalkStep::Entry(found));
            at += length;
            continue;
        }
        let zeros = zero_prefix(rest);
        if zeros == rest.len() {
            break;
        }
        let why = if zeros > 0 { "zeros lie where a record should be" } else { "no sound record header" };
        gap.get_or_insert((at, why));
        at += zeros.max(UNIT) / UNIT * UNIT;
    }
    if let Some((from, why)) = gap {
        visit(start + from as u64, WalkStep::Gap(why));
    }
}

/// Bytes from the entry at the beginning of `rest`, at file offset `offset`, to where the next one may lie. If its body is not as it was
/// written, a later entry may lie over it: an older copy of a page can end with a header whose body is elsewhere.
fn extent(rest: &[u8], found: &Found<'_>, seal: Seal, offset: u64) -> usize {
    let length = padded(found.entry.length());
    let later = |at: &usize| {
        let inner = rest.get(*at..).and_then(|inner| Found::decode(inner, seal, offset + *at as u64));
        inner.is_some_and(|inner| inner.sequence > found.sequence)
    };
    let mut inside = (UNIT..length).step_by(UNIT);
    if found.body_sound { length } else { inside.find(later).unwrap_or(length) }
}

/// As `walk`, for entries of the block's present use only; what is left from an earlier one is stepped over. `first` is the
/// lowest sequence of the present use, from a sound header.
///
/// Without one the highest sequence tells: a block is filled from its start, so all up to that entry is of the same use.
pub fn walk_current(block: &[u8], begin: usize, start: u64, seal: Seal, first: Option<u64>, visit: &mut dyn FnMut(u64, WalkStep<'_>)) {
    let (mut highest, mut last) = (0, start);
    if first.is_none() {
        walk(block, begin, start, seal, &mut |offset, step| match step {
            WalkStep::Entry(found) if found.sequence >= highest => (highest, last) = (found.sequence, offset),
            WalkStep::Entry(_) | WalkStep::Gap(_) => {}
        });
    }
    walk(block, begin, start, seal, &mut |offset, step| match (&step, first) {
        (WalkStep::Entry(found), Some(first)) if found.sequence < first => {}
        (_, None) if offset > last => {}
        _ => visit(offset, step),
    });
}

/// How many bytes at the start of `bytes` are zero.
fn zero_prefix(bytes: &[u8]) -> usize {
    let words = bytes.chunks_exact(UNIT).take_while(|chunk| chunk.iter().all(|b| *b == 0)).count() * UNIT;
    words + bytes.iter().skip(words).take_while(|b| **b == 0).count()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::format::entry::{ENTRY_HEADER_BYTES, Entry, EntryKind, Stamp};
    use crate::device::format::headers::HEADER_BYTES;
    use proptest::prelude::*;
    use tessera_record::{Digest, Meta};

    const START: u64 = 16_384;

    fn stamp(sequence: u64) -> Stamp {
        Stamp { sequence, durable: 0 }
    }

    fn block(seal: Seal, bodies: &[Vec<u8>]) -> Vec<u8> {
        let mut bytes = vec![1; HEADER_BYTES];
        for (number, body) in bodies.iter().enumerate() {
            let entry =
                Entry { kind: EntryKind::Record, segment: 0, digest: Digest([number as u8; 20]), meta: Meta::default(), set: "s", body };
            let (at, length) = (bytes.len(), padded(entry.length()));
            bytes.resize(at + length, 0);
            entry.encode(stamp(number as u64), entry.body_crc(), seal, START + at as u64, &mut bytes[at..]);
        }
        bytes.resize(16_384, 0);
        bytes
    }

    /// Sequence numbers of sound entries, and the number of damaged places.
    fn survey(block: &[u8], seal: Seal) -> (Vec<u64>, usize) {
        let (mut sound, mut damaged) = (vec![], 0);
        walk(block, HEADER_BYTES, START, seal, &mut |_, step| match step {
            WalkStep::Entry(found) if found.body_sound => sound.push(found.sequence),
            WalkStep::Entry(_) | WalkStep::Gap(_) => damaged += 1,
        });
        (sound, damaged)
    }

    proptest! {
        #[test]
        fn damage_costs_only_the_records_it_lies_in(
            bodies in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 1..30),
            hits in proptest::collection::vec((any::<prop::sample::Index>(), 1u8..), 0..4),
        ) {
            let seal = Seal::new(&[3; 16]);
            let whole = block(seal, &bodies);
            prop_assert_eq!(survey(&whole, seal), ((0..bodies.len() as u64).collect(), 0));
            let mut broken = whole;
            for (at, flip) in &hits {
                let at = at.index(broken.len());
                broken[at] ^= flip;
            }
            let (sound, _) = survey(&broken, seal);
            prop_assert!(sound.len() + hits.len() >= bodies.len());
        }

        #[test]
        fn garbage_holds_nothing(
            bytes in proptest::collection::vec(any::<u8>(), 200..4096), magics in proptest::collection::vec(any::<prop::sample::Index>(), 1..20),
        ) {
            let mut bytes = bytes;
            for at in magics {
                let at = at.index(bytes.len() / UNIT - 1) * UNIT;
                bytes[at..at + 4].copy_from_slice(b"TsRe");
            }
            prop_assert!(survey(&bytes, Seal::new(&[3; 16])).0.is_empty());
        }

        #[test]
        fn what_is_left_of_an_earlier_use_is_stepped_over(
            old in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 20..30),
            new in proptest::collection::vec(proptest::collection::vec(any::<u8>(), 0..300), 1..10), headless: bool,
        ) {
            let seal = Seal::new(&[3; 16]);
            let mut bytes = block(seal, &old);
            let mut at = HEADER_BYTES;
            for (number, body) in new.iter().enumerate() {
                let entry = Entry { kind: EntryKind::Record, segment: 0, digest: Digest([7; 20]), meta: Meta::default(), set: "s", body };
                let length = padded(entry.length());
                entry.encode(stamp(100 + number as u64), entry.body_crc(), seal, START + at as u64, &mut bytes[at..at + length]);
                at += length;
            }
            let mut sequences = vec![];
            walk_current(&bytes, HEADER_BYTES, START, seal, (!headless).then_some(100), &mut |_, step| {
                if let WalkStep::Entry(found) = step {
                    sequences.push(found.sequence);
                }
            });
            prop_assert_eq!(sequences, (100..100 + new.len() as u64).collect::<Vec<_>>());
        }
    }

    #[test]
    fn an_older_header_before_later_entries_hides_none_of_them() {
        let seal = Seal::new(&[3; 16]);
        let bodies = |length: usize| vec![vec![5; length]; 4];
        let (mut bytes, before) = (block(seal, &bodies(100)), block(seal, &bodies(400)));
        let second = HEADER_BYTES + padded(ENTRY_HEADER_BYTES + "s".len() + 100);
        // As an older copy of the beginning has it: a sound header, whose entry reached over the others.
        bytes[HEADER_BYTES..second].copy_from_slice(&before[HEADER_BYTES..second]);
        assert_eq!(survey(&bytes, seal), (vec![1, 2, 3], 1));
    }

    #[test]
    fn a_record_image_inside_a_damaged_record_is_not_taken_for_one() {
        let seal = Seal::new(&[3; 16]);
        let forged =
            Entry { kind: EntryKind::Record, segment: 0, digest: Digest([9; 20]), meta: Meta::default(), set: "s", body: b"forged" };
        let mut inner = vec![0; padded(forged.length())];
        forged.encode(stamp(u64::MAX), forged.body_crc(), seal, 0, &mut inner);
        // 60 + 1 bytes of header and set: 3 bytes put the forgery on a unit boundary.
        let body: Vec<u8> = [vec![0; 3], inner].concat();
        let mut bytes = block(seal, &[body, b"next".to_vec()]);
        bytes[HEADER_BYTES] ^= 1;
        assert_eq!(survey(&bytes, seal), (vec![1], 1));
    }
}
