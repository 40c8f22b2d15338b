//! The user's name for a record.

use crate::error::{Error, ErrorCode, Result};
use crate::limits;

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

    pub const fn type_byte(&self) -> u8 {
        match self {
            KeyRef::Integer(_) => INTEGER,
            KeyRef::String(_) => STRING,
            KeyRef::Bytes(_) => BYTES,
        }
    }

    /// Calls `f` with the key's bytes; an integer is 8 bytes, big-endian.
    pub fn with_bytes<R>(&self, f: impl FnOnce(&[u8]) -> R) -> R {
        match *self {
            KeyRef::Integer(n) => f(&n.to_be_bytes()),
            KeyRef::String(s) => f(s.as_bytes()),
            KeyRef::Bytes(b) => f(b),
        }
    }

    /// # Errors
    /// `key_invalid` when empty, `key_too_long` past 8 KiB.
    pub fn check(&self) -> Result<()> {
        let length = self.with_bytes(<[u8]>::len);
        if length == 0 {
            return Err(Error::new(ErrorCode::KeyInvalid, "a key must not be empty").in_field("key"));
        }
        if length > limits::KEY_BYTES {
            return Err(
                Error::new(ErrorCode::KeyTooLong, format!("a key is at most {} bytes, not {length}", limits::KEY_BYTES)).in_field("key")
            );
        }
        Ok(())
    }
}
