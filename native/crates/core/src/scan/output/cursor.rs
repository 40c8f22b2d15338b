//! Where a page ended: opaque to callers, checked when it comes back.

use crate::scan::walk::Found;
use crate::store::RecordStore;
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::Digest;

/// The next slot to look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(in crate::scan) struct Cursor {
    pub(in crate::scan) segment: u16,
    pub(in crate::scan) slot: u32,
    /// Where a list is unnested: the next item of the record there, and which record that was, as another may have its slot by
    /// then. 0 and 0 for all of it.
    item: u32,
    record: u32,
    /// Where a cluster has the records: the next one to look at, in place of the slot.
    pub(in crate::scan) digest: Option<Digest>,
}

impl Cursor {
    pub(in crate::scan) const fn at_slot(segment: u16, slot: u32) -> Self {
        Self { segment, slot, item: 0, record: 0, digest: None }
    }

    /// In the order of tokens.
    pub(in crate::scan) const fn at_record(digest: Digest) -> Self {
        Self { digest: Some(digest), ..Self::at_slot(0, 0) }
    }

    /// Where a record's rows go on.
    pub(in crate::scan) fn at(store: &RecordStore, found: &Found<'_>, item: u32) -> Self {
        if store.token_ranges().is_some() {
            return Self { item, ..Self::at_record(found.digest) };
        }
        let record = if item == 0 { 0 } else { part_of(&found.digest) };
        Self { segment: found.segment, slot: found.slot, item, record, digest: None }
    }

    /// The first item of a record that is still wanted.
    pub(in crate::scan) fn first_item(&self, found: &Found<'_>) -> u32 {
        let there = match &self.digest {
            Some(digest) => found.digest == *digest,
            None => (found.segment, found.slot) == (self.segment, self.slot) && part_of(&found.digest) == self.record,
        };
        if there { self.item } else { 0 }
    }

    /// `scope` names what the cursor is good for: it must be the same when the cursor comes back.
    pub(in crate::scan) fn encode(self, scope: &[u8]) -> String {
        let mut bytes = Vec::with_capacity(28);
        if let Some(digest) = &self.digest {
            bytes.extend_from_slice(&digest.0);
            bytes.extend_from_slice(&self.item.to_le_bytes());
        } else {
            bytes.extend_from_slice(&self.segment.to_le_bytes());
            bytes.extend_from_slice(&self.slot.to_le_bytes());
        }
        if self.item != 0 && self.digest.is_none() {
            bytes.extend_from_slice(&self.item.to_le_bytes());
            bytes.extend_from_slice(&self.record.to_le_bytes());
        }
        bytes.extend_from_slice(&crc32c::crc32c_append(crc32c::crc32c(scope), &bytes).to_le_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// # Errors
    /// `cursor_invalid`.
    pub(in crate::scan) fn decode(text: &str, scope: &[u8]) -> Result<Self> {
        let decode = || {
            let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
            if bytes.len() == 28 {
                let cursor = Self { item: number(&bytes, 20)?, ..Self::at_record(Digest(*bytes.first_chunk()?)) };
                return (cursor.encode(scope) == text).then_some(cursor);
            }
            let (segment, rest) = bytes.split_first_chunk()?;
            let (slot, rest) = rest.split_first_chunk()?;
            let (item, record) = match rest.len() {
                4 => (0, 0),
                12 => (number(rest, 0)?, number(rest, 4)?),
                _ => return None,
            };
            let cursor = Self { segment: u16::from_le_bytes(*segment), slot: u32::from_le_bytes(*slot), item, record, digest: None };
            (cursor.encode(scope) == text).then_some(cursor)
        };
        decode().ok_or_else(|| {
            let message = sentence!("the cursor does not belong to this scan, or the namespace was reopened; start again without a cursor");
            Error::said(ErrorCode::CursorInvalid, message).in_field("cursor")
        })
    }
}

/// What a cursor is good for: this opening of the namespace, this set.
pub(in crate::scan) fn cursor_scope(store: &RecordStore, set: Option<&str>) -> Vec<u8> {
    let mut scope = store.incarnation().to_le_bytes().to_vec();
    scope.push(u8::from(set.is_some()));
    scope.extend_from_slice(set.unwrap_or_default().as_bytes());
    scope
}

fn number(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(*bytes.get(at..)?.first_chunk()?))
}

/// Of the digest, enough to tell a record from another in its slot.
fn part_of(digest: &Digest) -> u32 {
    digest.hash64() as u32
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_given_out_comes_back() {
        let digest = Digest([7; 20]);
        let unnested = Cursor { item: 300, record: 0xdead_beef, ..Cursor::at_slot(7, 1) };
        let of_records = [Cursor::at_record(digest), Cursor { item: 300, ..Cursor::at_record(digest) }];
        for cursor in [Cursor::at_slot(255, 70_000), unnested].into_iter().chain(of_records) {
            let text = cursor.encode(b"events");
            assert_eq!(Cursor::decode(&text, b"events").unwrap(), cursor);
            assert_eq!(Cursor::decode(&text, b"others").unwrap_err().code, ErrorCode::CursorInvalid);
            for at in 0..text.len() {
                let mut other = text.clone().into_bytes();
                other[at] = if other[at] == b'A' { b'B' } else { b'A' };
                let other = String::from_utf8(other).unwrap();
                assert!(Cursor::decode(&other, b"events").is_err());
                assert!(Cursor::decode(&text[..at], b"events").is_err());
            }
        }
        for garbage in ["", "*", "AAAAAAAAAAAAAA", "AAAAAAAAAAAAAAAAAAAAAAAA", "é", &"A".repeat(10_000)] {
            assert!(Cursor::decode(garbage, b"events").is_err());
        }
    }
}
