//! One entry of the log: a record, a tombstone, or a mark. See `docs/on-disk-format.md`.

use super::seal::Seal;
use crate::record::{BodyRef, Digest, Meta};

/// Bytes before the set name.
pub const ENTRY_HEADER_BYTES: usize = 60;
const MAGIC: [u8; 4] = *b"TsRe";
/// Where the header's checksum lies; it covers all of the header and set name but itself.
const CRC_AT: usize = 4;
const AFTER_CRC: usize = 8;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum EntryKind {
    Record = 1,
    Tombstone = 2,
    /// The last entry of a run that was closed in order; all of the run is on stable storage.
    Close = 3,
    /// The last entry of a block: what lies behind it is left from an earlier use.
    End = 4,
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
    pub body_sound: bool,
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
    pub fn encode(&self, sequence: u64, body_crc: u32, seal: Seal, offset: u64, out: &mut [u8]) {
        let mut header = [0; ENTRY_HEADER_BYTES];
        header[..4].copy_from_slice(&MAGIC);
        header[8..12].copy_from_slice(&(self.length() as u32).to_le_bytes());
        header[12..16].copy_from_slice(&body_crc.to_le_bytes());
        header[16..24].copy_from_slice(&sequence.to_le_bytes());
        header[24..44].copy_from_slice(&self.digest.0);
        header[44..46].copy_from_slice(&self.segment.to_le_bytes());
        header[46..48].copy_from_slice(&self.meta.generation.to_le_bytes());
        header[48..52].copy_from_slice(&self.meta.expires_at.to_le_bytes());
        header[52..58].copy_from_slice(&self.meta.updated_at.to_le_bytes()[..6]);
        header[58] = self.kind as u8;
        header[59] = self.set.len() as u8;
        let crc = seal.over(offset, &[&header[AFTER_CRC..], self.set.as_bytes()]);
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

impl<'a> Found<'a> {
    /// The entry at the start of `bytes`, which lie at file offset `offset`. `None` when there is no sound header.
    pub fn decode(bytes: &'a [u8], seal: Seal, offset: u64) -> Option<Self> {
        let header: &[u8; ENTRY_HEADER_BYTES] = bytes.first_chunk()?;
        if header[..4] != MAGIC {
            return None;
        }
        let length = u32::from_le_bytes(part(header, 8)) as usize;
        let whole = bytes.get(..length)?;
        let (set, body) = whole.get(ENTRY_HEADER_BYTES..)?.split_at_checked(header[59] as usize)?;
        if u32::from_le_bytes(part(header, CRC_AT)) != seal.over(offset, &[&header[AFTER_CRC..], set]) {
            return None;
        }
        let kind = match header[58] {
            1 => EntryKind::Record,
            2 => EntryKind::Tombstone,
            3 => EntryKind::Close,
            4 => EntryKind::End,
            _ => return None,
        };
        let updated: [u8; 6] = part(header, 52);
        let meta = Meta {
            generation: u16::from_le_bytes(part(header, 46)),
            expires_at: u32::from_le_bytes(part(header, 48)),
            updated_at: updated.iter().rev().fold(0, |time, byte| time << 8 | u64::from(*byte)),
        };
        let entry = Entry {
            kind,
            segment: u16::from_le_bytes(part(header, 44)),
            digest: Digest(part(header, 24)),
            meta,
            set: std::str::from_utf8(set).ok()?,
            body,
        };
        let body_sound = u32::from_le_bytes(part(header, 12)) == entry.body_crc() && BodyRef::new(body).nests_as_allowed();
        Some(Self { entry, sequence: u64::from_le_bytes(part(header, 16)), body_sound })
    }
}

/// `N` bytes at `at`; every caller's range lies inside the header.
fn part<const N: usize>(header: &[u8; ENTRY_HEADER_BYTES], at: usize) -> [u8; N] {
    std::array::from_fn(|i| header[at + i])
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::storage::device::place::padded;
    use proptest::prelude::*;

    fn sample<'a>(set: &'a str, body: &'a [u8]) -> Entry<'a> {
        let meta = Meta { generation: 9, expires_at: 77, updated_at: 0x1234_5678_9abc };
        Entry { kind: EntryKind::Record, segment: 300, digest: Digest([5; 20]), meta, set, body }
    }

    #[test]
    fn an_entry_reads_back_only_in_its_own_place_and_namespace() {
        let (seal, entry) = (Seal::new(&[1; 16]), sample("events", b"hello"));
        let mut bytes = vec![1; padded(entry.length())];
        entry.encode(42, entry.body_crc(), seal, 4096, &mut bytes);
        assert_eq!(bytes.len(), 80);
        assert_eq!(Found::decode(&bytes, seal, 4096), Some(Found { entry, sequence: 42, body_sound: true }));
        assert_eq!(Found::decode(&bytes, seal, 4112), None);
        assert_eq!(Found::decode(&bytes, Seal::new(&[2; 16]), 4096), None);
    }

    proptest! {
        #[test]
        fn random_bytes_never_panic(bytes in proptest::collection::vec(any::<u8>(), 0..300), magic: bool) {
            let mut bytes = bytes;
            if magic && bytes.len() >= 4 {
                bytes[..4].copy_from_slice(&MAGIC);
            }
            prop_assert_eq!(Found::decode(&bytes, Seal::new(&[1; 16]), 64), None);
        }

        #[test]
        fn a_changed_entry_is_never_taken_for_sound(
            body in proptest::collection::vec(any::<u8>(), 0..200), set in "[a-z]{0,20}", at: prop::sample::Index, flip in 1u8..,
        ) {
            let (seal, entry) = (Seal::new(&[1; 16]), sample(&set, &body));
            let mut bytes = vec![1; padded(entry.length())];
            entry.encode(42, entry.body_crc(), seal, 4096, &mut bytes);
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
