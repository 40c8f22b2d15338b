//! The compact layer of a segment's document index: sorted terms and their slots, made in one pass and then read only.
//!
//! A term is 4 bytes; its reference is 4 more: a single slot is the reference itself, several are a list in one byte
//! buffer (varint count, first slot, then differences minus one). A directory by the top bits of the term, about eight
//! terms to a bucket, makes a lookup two or three cache misses: terms are hashes, so the buckets are even.

/// A reference with this bit is an offset into the lists; without it, a slot.
const LIST: u32 = 1 << 31;
/// The list could not be addressed: the term narrows nothing.
const ANY: u32 = u32::MAX;
/// Terms a bucket of the directory has on average, as a power of two.
const BUCKET_BITS: u32 = 3;

/// The sorted layer of one segment.
#[derive(Debug)]
pub struct Compact {
    terms: Vec<u32>,
    references: Vec<u32>,
    lists: Vec<u8>,
    /// `directory[b]..directory[b + 1]` are the places of the terms whose top bits are `b`.
    directory: Vec<u32>,
    pairs: usize,
}

/// What a layer is made of, as an image keeps it; the directory is made anew.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct CompactParts<'a> {
    /// Strictly rising.
    pub terms: &'a [u32],
    /// One for each term: its only slot, or where its list begins with the top bit set.
    pub references: &'a [u32],
    /// The lists, one after the other in the order of their terms.
    pub lists: &'a [u8],
    /// (term, slot) pairs in all.
    pub pairs: usize,
}

/// The slots of one term.
pub(super) enum Slots<'a> {
    One(u32),
    List { count: u32, bytes: &'a [u8] },
    Any,
}

impl Compact {
    /// Of no records.
    pub const EMPTY: Self = Self { terms: Vec::new(), references: Vec::new(), lists: Vec::new(), directory: Vec::new(), pairs: 0 };

    /// Makes the layer of sorted pairs (term in the high half, slot in the low one) without repetitions.
    pub fn from_sorted(pairs: &[u64]) -> Self {
        let distinct = usize::from(!pairs.is_empty()) + pairs.windows(2).filter(|two| !same_term(&two[0], &two[1])).count();
        let mut terms = Vec::with_capacity(distinct);
        let mut references = Vec::with_capacity(distinct);
        let mut lists = Vec::new();
        for group in pairs.chunk_by(same_term) {
            terms.push((group[0] >> 32) as u32);
            references.push(match group {
                [one] if (*one as u32) < LIST => *one as u32,
                _ => append_list(&mut lists, group),
            });
        }
        lists.shrink_to_fit();
        let directory = directory(&terms);
        Self { terms, references, lists, directory, pairs: pairs.len() }
    }

    /// What the layer is made of; `None` when it is not complete.
    pub fn parts(&self) -> Option<CompactParts<'_>> {
        let Self { terms, references, lists, pairs, .. } = self;
        self.complete().then_some(CompactParts { terms, references, lists, pairs: *pairs })
    }

    /// The layer of parts that may be damaged: `None` unless they are as `parts` gives them, with slots below `slots` only.
    pub fn from_parts(parts: CompactParts<'_>, slots: u32) -> Option<Self> {
        let CompactParts { terms, references, lists, pairs } = parts;
        if !terms.is_sorted_by(|a, b| a < b) || terms.len() != references.len() || u32::try_from(terms.len()).is_err() {
            return None;
        }
        let (mut left, mut found) = (lists, 0_usize);
        for &reference in references {
            if reference & LIST == 0 {
                found += 1;
                (reference < slots).then_some(())?;
            } else {
                // Lists follow one another without a gap; `ANY`, which has none, is never the place of one.
                ((reference & !LIST) as usize == lists.len() - left.len()).then_some(())?;
                found += check_list(&mut left, slots)? as usize;
            }
        }
        (left.is_empty() && found == pairs).then(|| {
            let directory = directory(terms);
            Self { terms: terms.to_vec(), references: references.to_vec(), lists: lists.to_vec(), directory, pairs }
        })
    }

    pub(super) fn find(&self, term: u32) -> Option<Slots<'_>> {
        let bits = (self.directory.len().checked_sub(1)?).trailing_zeros();
        let bucket = bucket(term, bits);
        let (start, end) = (self.directory[bucket] as usize, self.directory[bucket + 1] as usize);
        let at = start + self.terms[start..end].iter().position(|&t| t == term)?;
        Some(self.slots(self.references[at]))
    }

    /// Every pair, in order.
    pub fn each(&self, mut each: impl FnMut(u64)) {
        for (&term, &reference) in self.terms.iter().zip(&self.references) {
            self.slots(reference).each(|slot| each(u64::from(term) << 32 | u64::from(slot)));
        }
    }

    /// Whether every pair can be read back; false after a list was too far to address.
    pub fn complete(&self) -> bool {
        // Lists lie in the order of their terms: only once there is no more room is there one that has no place.
        self.lists.len() < (LIST - 1) as usize || !self.references.contains(&ANY)
    }

    /// (term, slot) pairs.
    pub const fn pairs(&self) -> usize {
        self.pairs
    }

    /// Distinct terms.
    pub fn terms(&self) -> usize {
        self.terms.len()
    }

    /// Bytes on the heap.
    pub fn heap_bytes(&self) -> usize {
        4 * (self.terms.capacity() + self.references.capacity() + self.directory.capacity()) + self.lists.capacity()
    }

    fn slots(&self, reference: u32) -> Slots<'_> {
        match reference {
            ANY => Slots::Any,
            offset if offset & LIST != 0 => {
                let mut bytes = &self.lists[(offset & !LIST) as usize..];
                let count = read_varint(&mut bytes);
                Slots::List { count, bytes }
            }
            slot => Slots::One(slot),
        }
    }
}

impl Slots<'_> {
    /// How many slots; more than any segment has when that is not known.
    pub const fn count(&self) -> u32 {
        match self {
            Slots::One(_) => 1,
            Slots::List { count, .. } => *count,
            Slots::Any => u32::MAX,
        }
    }

    /// The slots in ascending order; none of `Any`.
    pub fn each(&self, mut each: impl FnMut(u32)) {
        match *self {
            Slots::One(slot) => each(slot),
            Slots::List { count, mut bytes } => {
                let mut slot = read_varint(&mut bytes);
                each(slot);
                for _ in 1..count {
                    slot += read_varint(&mut bytes) + 1;
                    each(slot);
                }
            }
            Slots::Any => {}
        }
    }

    /// Drops from the ascending `slots` what this term does not have.
    pub fn intersect(&self, slots: &mut Vec<u32>) {
        match *self {
            Slots::Any => {}
            Slots::One(only) => slots.retain(|&slot| slot == only),
            Slots::List { count, mut bytes } => {
                let (mut current, mut left) = (read_varint(&mut bytes), count - 1);
                slots.retain(|&slot| {
                    while current < slot && left > 0 {
                        current += read_varint(&mut bytes) + 1;
                        left -= 1;
                    }
                    current == slot
                });
            }
        }
    }
}

#[expect(clippy::trivially_copy_pass_by_ref, reason = "the shape that chunk_by calls")]
fn same_term(a: &u64, b: &u64) -> bool {
    a >> 32 == b >> 32
}

const fn bucket(term: u32, bits: u32) -> usize {
    (term as u64 >> (u32::BITS - bits)) as usize
}

fn directory(terms: &[u32]) -> Vec<u32> {
    let bits = u32::BITS - (terms.len() as u32 >> BUCKET_BITS).leading_zeros();
    let mut directory = vec![0_u32; (1 << bits) + 1];
    for &term in terms {
        directory[bucket(term, bits) + 1] += 1;
    }
    for at in 1..directory.len() {
        directory[at] += directory[at - 1];
    }
    directory
}

/// Appends the slots of one term and answers the reference to them.
fn append_list(lists: &mut Vec<u8>, group: &[u64]) -> u32 {
    let offset = match u32::try_from(lists.len()) {
        Ok(offset) if offset < LIST - 1 => offset,
        _ => return ANY,
    };
    push_varint(lists, group.len() as u32);
    push_varint(lists, group[0] as u32);
    for two in group.windows(2) {
        push_varint(lists, (two[1] as u32) - (two[0] as u32) - 1);
    }
    offset | LIST
}

fn push_varint(out: &mut Vec<u8>, mut value: u32) {
    while value >= 0x80 {
        out.push(value as u8 | 0x80);
        value >>= 7;
    }
    out.push(value as u8);
}

/// Reads what `push_varint` wrote; the lists never leave this module.
#[inline]
fn read_varint(bytes: &mut &[u8]) -> u32 {
    let (mut value, mut shift) = (0, 0);
    while let Some((&byte, rest)) = bytes.split_first() {
        *bytes = rest;
        value |= u32::from(byte & 0x7f) << shift;
        shift += 7;
        if byte < 0x80 {
            break;
        }
    }
    value
}

/// Passes over a list that may be damaged: how many slots it has, if they rise and lie below `slots`.
fn check_list(bytes: &mut &[u8], slots: u32) -> Option<u32> {
    let count = check_varint(bytes).filter(|&count| count > 0)?;
    let mut slot = check_varint(bytes).filter(|&slot| slot < slots)?;
    for _ in 1..count {
        slot = slot.checked_add(check_varint(bytes)?)?.checked_add(1).filter(|&slot| slot < slots)?;
    }
    Some(count)
}

/// As `read_varint`, of bytes that may be damaged.
fn check_varint(bytes: &mut &[u8]) -> Option<u32> {
    let mut value = 0_u64;
    for shift in [0, 7, 14, 21, 28] {
        let (&byte, rest) = bytes.split_first()?;
        *bytes = rest;
        value |= u64::from(byte & 0x7f) << shift;
        if byte < 0x80 {
            return u32::try_from(value).ok();
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    fn slots(compact: &Compact, term: u32) -> Vec<u32> {
        let mut found = Vec::new();
        if let Some(slots) = compact.find(term) {
            slots.each(|slot| found.push(slot));
            assert_eq!(slots.count() as usize, found.len());
        }
        found
    }

    #[test]
    fn every_pair_is_found_again() {
        for terms in [0_u64, 1, 7, 8, 9, 1000] {
            let spread = u64::from(u32::MAX) / terms.max(1);
            let pairs: Vec<u64> = (0..terms)
                .flat_map(|t| {
                    (0..=t % 5).map(move |n| (t * spread) << 32 | (n * 300 + t % 7 * (n & 1)) | if t == 3 || t == 5 { 1 << 31 } else { 0 })
                })
                .collect();
            let compact = Compact::from_sorted(&pairs);
            let mut read = Vec::new();
            compact.each(|pair| read.push(pair));
            assert_eq!(read, pairs);
            for group in pairs.chunk_by(same_term) {
                let expected: Vec<u32> = group.iter().map(|&pair| pair as u32).collect();
                assert_eq!(slots(&compact, (group[0] >> 32) as u32), expected);
            }
            assert!(slots(&compact, 12345).is_empty());
            assert!(compact.complete());
            let parts = compact.parts().unwrap();
            let again = Compact::from_parts(parts, u32::MAX).unwrap();
            assert_eq!((again.parts().unwrap(), &again.directory), (parts, &compact.directory));
            assert_eq!((compact.pairs(), compact.terms() as u64), (pairs.len(), terms));
            let bytes = 4 * (2 * compact.terms.len() + compact.directory.len()) + compact.lists.len();
            assert_eq!((compact.heap_bytes(), compact.directory.len() as u64), (bytes, (terms / 8 + 1).next_power_of_two() + 1));
        }
    }

    #[test]
    fn unsound_parts_are_refused() {
        let pairs = [1 << 32 | 5, 2 << 32 | 3, 2 << 32 | 300, 9 << 32 | 1, 9 << 32 | 7];
        let compact = Compact::from_sorted(&pairs);
        let sound = compact.parts().unwrap();
        let made = |parts: CompactParts<'_>| Compact::from_parts(parts, 301).is_some();
        assert!(made(sound));
        assert!(Compact::from_parts(sound, 300).is_none(), "a slot that no record has");
        assert!(!made(CompactParts { pairs: 4, ..sound }));
        assert!(!made(CompactParts { terms: &[1, 2, 2], ..sound }));
        assert!(!made(CompactParts { terms: &[1, 9, 2], ..sound }));
        assert!(!made(CompactParts { terms: &sound.terms[..2], ..sound }));
        assert!(!made(CompactParts { terms: &[1, 2, 9, 10], ..sound }));
        let longer = [sound.lists, &[0]].concat();
        for lists in [&sound.lists[1..], &sound.lists[..sound.lists.len() - 1], &longer, &[0; 7], &[0xff; 7]] {
            assert!(!made(CompactParts { lists, ..sound }), "{lists:?}");
        }
        for at in 0..3 {
            for reference in [301, LIST, LIST | 1, LIST | 7, LIST | 4, ANY] {
                let mut references = sound.references.to_vec();
                if std::mem::replace(&mut references[at], reference) != reference {
                    assert!(!made(CompactParts { references: &references, ..sound }), "{reference:x} at {at}");
                }
            }
        }
    }

    #[test]
    fn lists_have_slots_that_rise_and_are_records() {
        let checked = |list: &[u8], slots| check_list(&mut &*list, slots);
        assert_eq!((checked(&[1, 9], 10), checked(&[1, 9], 9)), (Some(1), None));
        assert_eq!((checked(&[2, 3, 5], 10), checked(&[2, 3, 5], 9)), (Some(2), None));
        assert_eq!((checked(&[0, 3], 9), checked(&[2, 3], 9)), (None, None));
    }

    #[test]
    fn numbers_of_every_length_are_read_back() {
        for number in [0, 1, 0x7f, 0x80, 0x81, 0xff, 0x100, 0x3fff, 0x4000, 0x4080, 1 << 21, 1 << 28, u32::MAX] {
            let mut bytes = Vec::new();
            push_varint(&mut bytes, number);
            let (mut read, mut checked) = (&*bytes, &*bytes);
            assert_eq!((read_varint(&mut read), check_varint(&mut checked)), (number, Some(number)));
            assert!(read.is_empty() && checked.is_empty());
            assert_eq!(check_varint(&mut &bytes[..bytes.len() - 1]), None);
        }
        for wrong in [[0xff; 5], [0xff, 0xff, 0xff, 0xff, 0x10]] {
            assert_eq!(check_varint(&mut &wrong[..]), None);
        }
    }

    #[test]
    fn intersection_keeps_common_slots() {
        let pairs: Vec<u64> = [0, 1, 5, 200, 40_000, 4_000_000_000].iter().map(|slot| 7 << 32 | slot).collect();
        let compact = Compact::from_sorted(&pairs);
        let mut candidates = vec![0, 2, 5, 199, 200, 201, 4_000_000_000, 4_000_000_001];
        compact.find(7).unwrap().intersect(&mut candidates);
        assert_eq!(candidates, [0, 5, 200, 4_000_000_000]);
        Compact::from_sorted(&[7 << 32 | 5]).find(7).unwrap().intersect(&mut candidates);
        assert_eq!(candidates, [5]);
    }
}
