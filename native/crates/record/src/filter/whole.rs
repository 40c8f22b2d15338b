//! A record that is at hand whole, as reads and writes of single records have it.

use super::field::Subject;
use crate::{BodyRef, Digest, Meta};

pub struct Whole<'a> {
    pub set: &'a str,
    pub digest: Digest,
    pub meta: Meta,
    /// Bytes that it takes where it is stored.
    pub size: u64,
    pub body: BodyRef<'a>,
}

impl Subject for Whole<'_> {
    fn digest(&self) -> &Digest {
        &self.digest
    }

    fn meta(&self) -> &Meta {
        &self.meta
    }

    fn size(&self) -> u64 {
        self.size
    }

    fn with_set<R>(&self, with: impl FnOnce(&str) -> R) -> R {
        with(self.set)
    }

    fn body(&self) -> Option<BodyRef<'_>> {
        Some(self.body)
    }
}
