//! One entry of the log: a record, a tombstone, or a mark. See `docs/on-disk-format.md`.

use super::seal::Seal;
use tessera_record::{BodyRef, Digest, Meta};

/// Bytes before the set name.
pub const ENTRY_HEADER_BYTES: usize = 60;
const MAGIC: [u8; 2] = *b"Ts";
/// Where the header's checksum lies; it covers all of the header and set name but itself and the magic.
const CRC_AT: usize = 4;
const AFTER_CRC: usize = 8;
/// Distances below this are exact; others are rounded up to whole `FAR_UNIT`s.
const FAR: u16 = 1 << 15;
const FAR_UNIT: u64 = 1 << 16;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    Record = 1,
    Tombstone = 2,
    /// The last entry of a run that was closed in order; all of the run is on stable storage.
    Close = 3,
}

/// An entry to be written, or found. `length` of the body is what `body` has.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Entry<'a> {
    pub kind: EntryKind,
    pub segment: u16,
    pub digest: Digest,
    pub meta: Meta,
    pub set: &'a str,
    pub body: &'a [u8],
}

/// An entry read back. When the body is damaged its bytes are as found and must not be used.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Found<'a> {
    pub entry: Entry<'a>,
    pub sequence: u64,
    /// Everything of its run up to this sequence was on stable storage when it was appended.
    pub durable: u64,
    pub body_sound: bool,
}

/// What an entry is written as: its number, and up to which number everything was on stable storage then.
#[derive(Clone, Copy, Debug)]
pub struct Stamp {
    pub sequence: u64,
    pub durable: u64,
}

impl Stamp {
    /// How far the stable ones are behind, never told as nearer than they are.
    fn distance(self) -> u16 {
        let distance = self.sequence.saturating_sub(self.durable);
        match u16::try_from(distance) {
            Ok(near) if near < FAR => near,
            _ => FAR | u16::try_from(distance.div_ceil(FAR_UNIT)).map_or(FAR - 1, |far| far.min(FAR - 1)),
        }
    }

    const fn of(sequence: u64, distance: u16) -> Self {
        let distance = match distance {
            u16::MAX => u64::MAX,
            FAR.. => (distance - FAR) as u64 * FAR_UNIT,
            _ => distance as u64,
        };
        Self { sequence, durable: sequence.saturating_sub(distance) }
    }
}

impl Entry<'static> {
    /// An entry that says nothing but what it is.
    pub fn mark(kind: EntryKind) -> Self {
        Self { kind, segment: 0, digest: Digest::default(), meta: Meta::default(), set: "", body: &[] }
    }
}

impl Entry<'_> {
    /// Bytes in the file without padding. A set name is at most 255 bytes.
    pub const fn length(&self) -> usize {
        ENTRY_HEADER_BYTES + self.set.len() + self.body.len()
    }

    /// The body's own checksum; worked out before any lock is taken.
    pub fn body_crc(&self) -> u32 {
        crc32c::crc32c(self.body)
    }

    /// Writes the entry and its padding to `out`, which has its padded length, sealed for offset `offset`.
    pub fn encode(&self, stamp: Stamp, body_crc: u32, seal: Seal, offset: u64, out: &mut [u8]) {
        let mut header = [0; ENTRY_HEADER_BYTES];
        header[..2].copy_from_slice(&MAGIC);
        header[2..4].copy_from_slice(&stamp.distance().to_le_bytes());
        header[8..12].copy_from_slice(&(self.length() as u32).to_le_bytes());
        header[12..16].copy_from_slice(&body_crc.to_le_bytes());
        header[16..24].copy_from_slice(&stamp.sequence.to_le_bytes());
        header[24..44].copy_from_slice(&self.digest.0);
        header[44..46].copy_from_slice(&self.segment.to_le_bytes());
        header[46..48].copy_from_slice(&self.meta.generation.to_le_bytes());
        header[48..52].copy_from_slice(&self.meta.expires_at.to_le_bytes());
        header[52..58].copy_from_slice(&self.meta.updated_at.to_le_bytes()[..6]);
        header[58] = self.kind as u8;
        header[59] = self.set.len() as u8;
        let crc = seal.over(offset, &[&header[MAGIC.len()..CRC_AT], &header[AFTER_CRC..], self.set.as_bytes()]);
        header[CRC_AT..AFTER_CRC].copy_from_slice(&crc.to_le_bytes());
        let (head, rest) = out.split_at_mut(ENTRY_HEADER_BYTES);
        let (set, rest) = rest.split_at_mut(self.set.len());
        let (body, padding) = rest.split_at_mut(self.body.len());
        head.copy_from_slice(&header);
        set.copy_from_slice(self.set.as_bytes());
        body.copy_from_slice(self.body);
        padding.fill(0);
    }
}

/// An entry's header with its set name, its own checksum found right.
#[derive(Clone, Copy, Debug)]
pub struct Header<'a> {
    /// Without its body.
    pub entry: Entry<'a>,
    pub stamp: Stamp,
    /// Bytes of header, set name and body, and the checksum of the body.
    pub length: usize,
    body_crc: u32,
}

impl<'a> Header<'a> {
    /// The one at the start of `bytes`, of an entry at file offset `offset`. `None` when there is no sound one.
    pub fn decode(bytes: &'a [u8], seal: Seal, offset: u64) -> Option<Self> {
        let header: &[u8; ENTRY_HEADER_BYTES] = bytes.first_chunk()?;
        if header[..MAGIC.len()] != MAGIC {
            return None;
        }
        let length = u32::from_le_bytes(part(header, 8)) as usize;
        let set = bytes.get(ENTRY_HEADER_BYTES..)?.get(..header[59] as usize)?;
        let crc = seal.over(offset, &[&header[MAGIC.len()..CRC_AT], &header[AFTER_CRC..], set]);
        if u32::from_le_bytes(part(header, CRC_AT)) != crc || length < ENTRY_HEADER_BYTES + set.len() {
            return None;
        }
        let kind = match header[58] {
            1 => EntryKind::Record,
            2 => EntryKind::Tombstone,
            3 => EntryKind::Close,
            _ => return None,
        };
        let updated: [u8; 6] = part(header, 52);
        let meta = Meta {
            generation: u16::from_le_bytes(part(header, 46)),
            expires_at: u32::from_le_bytes(part(header, 48)),
            updated_at: updated.iter().rev().fold(0, |time, byte| time << 8 | u64::from(*byte)),
        };
        let segment = u16::from_le_bytes(part(header, 44));
        let set = std::str::from_utf8(set).ok()?;
        Some(Self {
            entry: Entry { kind, segment, digest: Digest(part(header, 24)), meta, set, body: &[] },
            stamp: Stamp::of(u64::from_le_bytes(part(header, 16)), u16::from_le_bytes(part(header, 2))),
            length,
            body_crc: u32::from_le_bytes(part(header, 12)),
        })
    }
}

impl<'a> Found<'a> {
    /// The entry at the start of `bytes`, which lie at file offset `offset`. `None` when there is no sound header.
    pub fn decode(bytes: &'a [u8], seal: Seal, offset: u64) -> Option<Self> {
        let Header { entry, stamp: Stamp { sequence, durable }, length, body_crc } = Header::decode(bytes, seal, offset)?;
        let entry = Entry { body: bytes.get(entry.length()..length)?, ..entry };
        let body_sound = body_crc == entry.body_crc() && BodyRef::new(entry.body).nests_as_allowed();
        Some(Self { entry, sequence, durable, body_sound })
    }
}

/// `N` bytes at `at`; every caller's range lies inside the header.
fn part<const N: usize>(header: &[u8; ENTRY_HEADER_BYTES], at: usize) -> [u8; N] {
    std::array::from_fn(|i| header[at + i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::format::place::padded;
    use proptest::prelude::*;

    const STAMP: Stamp = Stamp { sequence: 42, durable: 7 };

    fn sample<'a>(set: &'a str, body: &'a [u8]) -> Entry<'a> {
        let meta = Meta { generation: 9, expires_at: 77, updated_at: 0x1234_5678_9abc };
        Entry { kind: EntryKind::Record, segment: 300, digest: Digest([5; 20]), meta, set, body }
    }

    #[test]
    fn an_entry_reads_back_only_in_its_own_place_and_namespace() {
        let (seal, entry) = (Seal::new(&[1; 16]), sample("events", b"hello"));
        let mut bytes = vec![1; padded(entry.length())];
        entry.encode(STAMP, entry.body_crc(), seal, 4096, &mut bytes);
        assert_eq!(bytes.len(), 80);
        assert_eq!(Found::decode(&bytes, seal, 4096), Some(Found { entry, sequence: 42, durable: 7, body_sound: true }));
        assert_eq!(Found::decode(&bytes, seal, 4112), None);
        assert_eq!(Found::decode(&bytes, Seal::new(&[2; 16]), 4096), None);
    }

    #[test]
    fn what_was_stable_is_never_told_as_more_than_it_was() {
        let told = |sequence, durable| Stamp::of(sequence, Stamp { sequence, durable }.distance()).durable;
        for (behind, told_behind) in [(0, 0), (1, 1), (32_767, 32_767), (32_768, 65_536), (65_537, 131_072), (1 << 30, 1 << 30)] {
            assert_eq!(told(1 << 50, (1 << 50) - behind), (1 << 50) - told_behind, "{behind}");
        }
        assert_eq!((told(1 << 50, 7), told(20, 0)), (0, 0));
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), magic: bool) {
            let mut bytes = bytes;
            if magic && bytes.len() >= 2 {
                bytes[..2].copy_from_slice(&MAGIC);
            }
            prop_assert_eq!(Found::decode(&bytes, Seal::new(&[1; 16]), 64), None);
        }

        #[test]
        fn a_changed_entry_is_never_taken_for_sound(
            body in proptest::collection::vec(any::<u8>(), 0..200), set in "[a-z]{0,20}", at: prop::sample::Index, flip in 1u8..,
        ) {
            let (seal, entry) = (Seal::new(&[1; 16]), sample(&set, &body));
            let mut bytes = vec![1; padded(entry.length())];
            entry.encode(STAMP, entry.body_crc(), seal, 4096, &mut bytes);
            let at = at.index(entry.length());
            bytes[at] ^= flip;
            let found = Found::decode(&bytes, seal, 4096);
            prop_assert!(found.is_none_or(|f| !f.body_sound && at >= ENTRY_HEADER_BYTES + set.len()));
            for length in 0..entry.length() {
                prop_assert_eq!(Found::decode(&bytes[..length], seal, 4096), None);
            }
        }
    }
}
