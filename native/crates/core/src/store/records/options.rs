//! How a caller names a record, and what a write asks for and answers.

use crate::metrics::{self, About, Name};
use tessera_record::compare::as_integer;
use tessera_record::filter::Filter;
use tessera_record::{BinResults, Digest, Encoder, KeyLimit, KeyRef, Meta, Operation, Ttl, ValueRef};
use xxhash_rust::xxh3::xxh3_64;

/// Names a record: by key or digest, with a route where the caller knows the distribution bin's value.
#[derive(Clone, Copy, Debug)]
pub struct Lookup<'a> {
    pub name: RecordName<'a>,
    /// `route_of` the distribution bin's value; ignored by sets without one.
    pub route: Option<u64>,
}

#[derive(Clone, Copy, Debug)]
pub enum RecordName<'a> {
    Key(KeyRef<'a>),
    Digest(Digest),
}

impl<'a> From<KeyRef<'a>> for Lookup<'a> {
    fn from(key: KeyRef<'a>) -> Self {
        Self { name: RecordName::Key(key), route: None }
    }
}

impl From<Digest> for Lookup<'_> {
    fn from(digest: Digest) -> Self {
        Self { name: RecordName::Digest(digest), route: None }
    }
}

impl<'a> RecordName<'a> {
    /// What an operation on it is about.
    pub(crate) fn about(self, set: &'a str) -> About<'a> {
        let name = match self {
            Self::Key(key) => Name::Key(key),
            Self::Digest(digest) => Name::Digest(digest),
        };
        About { set: Some(set), name: Some(name), ..About::default() }
    }
}

impl Lookup<'_> {
    #[must_use]
    pub fn with_route(mut self, route: Option<u64>) -> Self {
        self.route = route;
        self
    }

    /// The record's digest in `set` of a namespace with such keys.
    ///
    /// # Errors
    /// `key_invalid`, `key_too_long`.
    #[inline]
    pub fn digest(&self, set: &str, limit: KeyLimit) -> tessera_base::Result<Digest> {
        match self.name {
            RecordName::Digest(digest) => Ok(digest),
            RecordName::Key(key) => {
                limit.check(key)?;
                Ok(Digest::of(set, key))
            }
        }
    }
}

/// The route of a distribution bin's value: xxh3 of its encoding; a double that equals an integer has the integer's.
/// Modulo the segment count it names the segment.
pub fn route_of(encoded: &[u8]) -> u64 {
    if let ValueRef::Double(double) = ValueRef::of(encoded)
        && let Some(integer) = as_integer(double)
    {
        let mut same = Vec::with_capacity(9);
        Encoder::new(&mut same).int(integer);
        return xxh3_64(&same);
    }
    xxh3_64(encoded)
}

/// The route of a body: that of its distribution bin, or of null when it has none.
pub(crate) fn route_of_body(body: tessera_record::BodyRef<'_>, bin: &str) -> u64 {
    let null: &[u8] = &[0];
    debug_assert!(matches!(ValueRef::of(null), ValueRef::Null));
    route_of(body.raw_bins().find(|(name, _)| *name == bin.as_bytes()).map_or(null, |(_, value)| value))
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Exists {
    /// Writes whatever was there.
    #[default]
    Upsert,
    /// Only when absent.
    CreateOnly,
    /// Only when present; replaces all bins.
    ReplaceOnly,
    /// Only when present; merges bins, and a null bin deletes the bin.
    UpdateOnly,
    /// Creates, or merges bins.
    Merge,
}

#[derive(Clone, Copy, Debug, Default)]
pub struct WriteOptions {
    pub exists: Exists,
    /// The record must have this generation (0: must be absent); or a lower one, with `generation_greater`.
    pub expected_generation: Option<u16>,
    /// `expected_generation` must be greater than the record's instead of equal.
    pub generation_greater: bool,
    pub ttl: Ttl,
    /// The generation that the record gets; `None`: the next one.
    pub generation: Option<u16>,
    /// Do not wait for stable storage: the caller calls `RecordStore::sync` once for many writes.
    pub defer_sync: bool,
}

impl WriteOptions {
    /// What a write with them counts as.
    pub(crate) fn operation(&self) -> metrics::Operation {
        if matches!(self.exists, Exists::UpdateOnly | Exists::Merge) { metrics::Operation::Update } else { metrics::Operation::Put }
    }
}

/// What a write did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Written {
    pub digest: Digest,
    pub meta: Meta,
    /// Whether there was no such record before.
    pub created: bool,
    /// Whether operations left nothing of the record.
    pub removed: bool,
}

/// A write of a batch.
#[derive(Clone, Copy, Debug)]
pub(crate) struct BatchWrite<'a> {
    pub(crate) lookup: Lookup<'a>,
    /// `None`: the record goes.
    pub(crate) body: Option<&'a [u8]>,
    pub(crate) options: &'a WriteOptions,
}

/// What is asked of one record.
#[derive(Clone, Copy, Debug)]
pub struct Operate<'a> {
    pub operations: &'a [Operation],
    /// `Upsert` and `ReplaceOnly` begin without the record's bins.
    pub options: WriteOptions,
    /// What a record that is there has to pass.
    pub filter: Option<&'a Filter>,
    /// Changes have a null as their result.
    pub respond_all: bool,
}

/// What operations came to.
#[derive(Debug)]
pub struct Operated {
    pub meta: Meta,
    pub results: Vec<BinResults>,
    /// Whether nothing is left of the record.
    pub removed: bool,
}
