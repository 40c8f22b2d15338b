//! The user's name for a record.

use tessera_base::{Error, ErrorCode, Result, limits, sentence};

/// An owned key.
#[derive(Clone, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub enum Key {
    Integer(i64),
    String(String),
    Bytes(Vec<u8>),
}

/// A borrowed key. The type is part of the identity: integer 1 and string "1" are different records.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum KeyRef<'a> {
    Integer(i64),
    String(&'a str),
    Bytes(&'a [u8]),
}

/// Key-type bytes, as in the digest (Aerospike's particle types).
pub const INTEGER: u8 = 1;
pub const STRING: u8 = 3;
pub const BYTES: u8 = 4;

impl Key {
    #[inline]
    pub fn as_ref(&self) -> KeyRef<'_> {
        match self {
            Key::Integer(n) => KeyRef::Integer(*n),
            Key::String(s) => KeyRef::String(s),
            Key::Bytes(b) => KeyRef::Bytes(b),
        }
    }
}

impl KeyRef<'_> {
    pub fn to_owned(&self) -> Key {
        match *self {
            KeyRef::Integer(n) => Key::Integer(n),
            KeyRef::String(s) => Key::String(s.to_owned()),
            KeyRef::Bytes(b) => Key::Bytes(b.to_vec()),
        }
    }

    #[inline]
    pub const fn type_byte(&self) -> u8 {
        match self {
            KeyRef::Integer(_) => INTEGER,
            KeyRef::String(_) => STRING,
            KeyRef::Bytes(_) => BYTES,
        }
    }

    /// Calls `f` with the key's bytes; an integer is 8 bytes, big-endian.
    #[inline]
    pub fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        match *self {
            KeyRef::Integer(n) => f(&n.to_be_bytes()),
            KeyRef::String(s) => f(s.as_bytes()),
            KeyRef::Bytes(b) => f(b),
        }
    }

    /// Whether some namespace may take it.
    ///
    /// # Errors
    /// `key_invalid` when empty, `key_too_long` past 10 KiB.
    pub fn check(&self) -> Result<()> {
        KeyLimit::ANY.check(*self)
    }
}

/// How long the keys of a namespace may be.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct KeyLimit {
    bytes: usize,
    /// What bounds them, where it is the size of a page.
    page_bytes: Option<u32>,
}

impl Default for KeyLimit {
    fn default() -> Self {
        Self { bytes: limits::KEY_BYTES, page_bytes: None }
    }
}

impl KeyLimit {
    /// What some namespace may take.
    pub const ANY: Self = Self { bytes: limits::KEY_BYTES_MAX, page_bytes: None };

    /// 5/16 of a page up to 16 KiB (5,120 bytes), and from there in a straight line to 10,240 bytes at 64 KiB: about what OrientDB's index
    /// takes with pages of these sizes.
    pub const fn of_page(page_bytes: u32) -> Self {
        const KNEE: u32 = 16 * 1024;
        let bytes = if page_bytes <= KNEE { page_bytes / 16 * 5 } else { KNEE / 16 * 5 + (page_bytes - KNEE) / 48 * 5 };
        Self { bytes: bytes as usize, page_bytes: Some(page_bytes) }
    }

    /// The one that allows less.
    #[must_use]
    pub const fn min(self, other: Self) -> Self {
        if other.bytes < self.bytes { other } else { self }
    }

    /// Bytes of the longest key.
    #[inline]
    pub const fn bytes(self) -> usize {
        self.bytes
    }

    /// # Errors
    /// `key_invalid` for an empty key; `key_too_long`, naming the page size where that bounds it.
    #[inline]
    pub fn check(self, key: KeyRef<'_>) -> Result<()> {
        match key.with_bytes(<[u8]>::len) {
            0 => Err(Error::said(ErrorCode::KeyInvalid, sentence!("a key must not be empty")).in_field("key")),
            length if length > self.bytes => Err(self.too_long(length)),
            _ => Ok(()),
        }
    }

    #[cold]
    fn too_long(self, length: usize) -> Error {
        let most = self.bytes;
        let message = match self.page_bytes {
            Some(page) => sentence!(
                "with pages of {page} KiB a key must be at most {most} bytes, got {given}",
                page = page / 1024,
                most = most,
                given = length
            ),
            None => sentence!("a key must be at most {most} bytes, got {given}", most = most, given = length),
        };
        Error::said(ErrorCode::KeyTooLong, message).in_field("key")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_longest_key_grows_with_the_page() {
        let most = [4096, 8192, 16_384, 32_768, 65_536].map(|page| KeyLimit::of_page(page).bytes());
        assert_eq!(most, [1280, 2560, 5120, 6825, 10_240]);
        assert_eq!((KeyLimit::default().bytes(), most.into_iter().max()), (limits::KEY_BYTES, Some(limits::KEY_BYTES_MAX)));
    }

    #[test]
    fn a_key_past_the_limit_is_told_what_bounds_it() {
        let text = "k".repeat(10_241);
        let says =
            |limit: KeyLimit, length: usize| limit.check(KeyRef::String(&text[..length])).map_err(|error| (error.code, error.message));
        let paged = KeyLimit::of_page(16_384);
        assert_eq!((says(paged, 5120), paged.check(KeyRef::Integer(1))), (Ok(()), Ok(())));
        assert_eq!(
            says(paged, 5121).unwrap_err(),
            (ErrorCode::KeyTooLong, "with pages of 16 KiB a key must be at most 5120 bytes, got 5121".into())
        );
        assert_eq!(
            says(KeyLimit::default(), 8193).unwrap_err(),
            (ErrorCode::KeyTooLong, "a key must be at most 8192 bytes, got 8193".into())
        );
        assert_eq!(says(paged, 0).unwrap_err().0, ErrorCode::KeyInvalid);
        assert_eq!(KeyRef::String(&text[..10_240]).check(), Ok(()));
        assert_eq!(KeyRef::String(&text).check().unwrap_err().code, ErrorCode::KeyTooLong);
    }
}
