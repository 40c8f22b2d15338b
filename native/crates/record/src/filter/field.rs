//! What is known of a record beside its bins.

use super::request_reader::RequestReader;
use crate::{BodyRef, Digest, KeyRef, Meta, ValueRef};
use tessera_base::{Result, clock, sentence};

/// A record that is asked of. What costs a look elsewhere is looked at only for the tests that need it.
pub trait Subject {
    fn digest(&self) -> &Digest;
    fn meta(&self) -> &Meta;
    /// Bytes that it takes where it is stored.
    fn size(&self) -> u64;
    /// Calls `with` with the name of its set.
    fn with_set<R>(&self, with: impl FnOnce(&str) -> R) -> R;
    /// Key and bins, where they are at hand.
    fn body(&self) -> Option<BodyRef<'_>>;
    /// The item that a row of it is of, where it is asked as a row.
    fn item(&self) -> Option<Item<'_>> {
        None
    }
}

/// An item of a list, in whose row it hides the bin of its name.
#[derive(Clone, Copy, Debug)]
pub struct Item<'a> {
    pub name: &'a str,
    pub value: ValueRef<'a>,
}

/// A field of the metadata. All but the key are known without the body.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Field {
    Generation,
    /// Unix milliseconds.
    UpdatedAt,
    /// Unix milliseconds; nothing where the record never expires.
    ExpiresAt,
    /// Seconds left; nothing where the record never expires.
    Ttl,
    Size,
    /// Eight bytes of the digest as a number, modulo this.
    Digest(u64),
    Set,
    Key,
}

const NAMES: &str = "generation, updatedAt, expiresAt, ttl, size, digest, set, key";

impl Field {
    /// The field of this name; `modulo` belongs to `digest`, and to nothing else.
    pub fn read(reader: &mut RequestReader, name: &str, modulo: Option<ValueRef<'_>>) -> Result<Self> {
        if name == "digest" {
            return match modulo {
                Some(ValueRef::Int(n @ 1..)) => Ok(Self::Digest(n as u64)),
                Some(_) => Err(reader.wrong(b"modulo", sentence!("must be a whole number, 1 or more"))),
                None => Err(reader.missing(b"modulo")),
            };
        }
        if modulo.is_some() {
            return Err(reader.wrong(b"modulo", sentence!("only for the digest")));
        }
        match name {
            "generation" => Ok(Self::Generation),
            "updatedAt" => Ok(Self::UpdatedAt),
            "expiresAt" => Ok(Self::ExpiresAt),
            "ttl" => Ok(Self::Ttl),
            "size" => Ok(Self::Size),
            "set" => Ok(Self::Set),
            "key" => Ok(Self::Key),
            _ => Err(reader.wrong(b"meta", sentence!("must be one of {names}", names = NAMES))),
        }
    }

    /// As requests name it.
    pub const fn name(self) -> &'static str {
        match self {
            Self::Generation => "generation",
            Self::UpdatedAt => "updatedAt",
            Self::ExpiresAt => "expiresAt",
            Self::Ttl => "ttl",
            Self::Size => "size",
            Self::Digest(_) => "digest",
            Self::Set => "set",
            Self::Key => "key",
        }
    }

    pub const fn reads_body(self) -> bool {
        matches!(self, Self::Key)
    }

    pub const fn is_time(self) -> bool {
        matches!(self, Self::UpdatedAt | Self::ExpiresAt)
    }

    /// Calls `with` with the field's value, if it has one; `None` where that cannot be known without the body.
    pub fn value<R>(self, subject: &impl Subject, with: impl FnOnce(Option<ValueRef<'_>>) -> R) -> Option<R> {
        let meta = subject.meta();
        let lasts = |value: i64| (meta.expires_at != 0).then_some(value);
        let number = match self {
            Self::Generation => Some(i64::from(meta.generation)),
            Self::UpdatedAt => Some(meta.updated_at as i64),
            Self::ExpiresAt => lasts(i64::from(meta.expires_at) * 1000),
            Self::Ttl => lasts(i64::from(meta.expires_at) - i64::from(clock::unix_seconds())),
            Self::Size => Some(subject.size() as i64),
            Self::Digest(modulo) => Some((subject.digest().hash64() % modulo) as i64),
            Self::Set => return Some(subject.with_set(|name| with(Some(ValueRef::String(name.as_bytes()))))),
            Self::Key => return subject.body().map(|body| with(Some(body.key().into()))),
        };
        Some(with(number.map(ValueRef::Int)))
    }
}

impl<'a> From<KeyRef<'a>> for ValueRef<'a> {
    fn from(key: KeyRef<'a>) -> Self {
        match key {
            KeyRef::Integer(n) => Self::Int(n),
            KeyRef::String(text) => Self::String(text.as_bytes()),
            KeyRef::Bytes(bytes) => Self::Bytes(bytes),
        }
    }
}
