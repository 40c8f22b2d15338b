//! Where a page ended: opaque to callers, checked when it comes back.

use crate::error::{Error, ErrorCode, Result};
use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

/// The next slot to look at.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Cursor {
    pub(super) segment: u16,
    pub(super) slot: u32,
}

impl Cursor {
    /// `scope` names what the cursor is good for: it must be the same when the cursor comes back.
    pub(super) fn encode(self, scope: &[u8]) -> String {
        let mut bytes = Vec::with_capacity(10);
        bytes.extend_from_slice(&self.segment.to_le_bytes());
        bytes.extend_from_slice(&self.slot.to_le_bytes());
        bytes.extend_from_slice(&crc32c::crc32c_append(crc32c::crc32c(scope), &bytes).to_le_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    /// # Errors
    /// `cursor_invalid`.
    pub(super) fn decode(text: &str, scope: &[u8]) -> Result<Self> {
        let decode = || {
            let bytes: [u8; 10] = URL_SAFE_NO_PAD.decode(text).ok()?.try_into().ok()?;
            let segment = u16::from_le_bytes([bytes[0], bytes[1]]);
            let slot = u32::from_le_bytes([bytes[2], bytes[3], bytes[4], bytes[5]]);
            let cursor = Self { segment, slot };
            (cursor.encode(scope) == text).then_some(cursor)
        };
        decode().ok_or_else(|| {
            let message = "the cursor is not one that this scan has given since the namespace was opened; begin again without it";
            Error::new(ErrorCode::CursorInvalid, message).in_field("cursor")
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn only_what_was_given_out_comes_back() {
        let cursor = Cursor { segment: 255, slot: 70_000 };
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
        for garbage in ["", "*", "AAAAAAAAAAAAAA", "é", &"A".repeat(10_000)] {
            assert!(Cursor::decode(garbage, b"events").is_err());
        }
    }
}
