//! What is to become of a record: a body, or operations over the old one.

use super::options::{Exists, Operate};
use crate::segment::Segment;
use std::borrow::Cow;
use std::cell::Cell;
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::operation::{Start, apply};
use tessera_record::{BinResults, BodyRef, KeyRef, Operation};
use tessera_storage::{Admission, SlotRecord};

pub(super) enum Change<'a> {
    /// A body, merged with the old one where the options say so.
    Put(&'a [u8]),
    /// Operations over the old one.
    Operate(&'a Run<'a>),
}

/// A record that a write finds.
pub(super) struct Old<'a> {
    pub(super) segment: &'a Segment,
    pub(super) record: &'a SlotRecord,
    pub(super) resident: Option<&'a [u8]>,
}

impl<'a> Old<'a> {
    pub(super) fn new(segment: &'a Segment, record: &'a SlotRecord) -> Self {
        Self { segment, record, resident: segment.resident(record.location) }
    }

    /// One whose body has to be read.
    #[cfg(test)]
    pub(super) const fn on_device(segment: &'a Segment, record: &'a SlotRecord) -> Self {
        Self { segment, record, resident: None }
    }
}

/// What goes into the segment.
pub(super) enum Stored<'a> {
    Body(Cow<'a, [u8]>),
    /// The record goes.
    Nothing,
    /// The old body has to be read from the device first.
    Read(SlotRecord),
}

impl Change<'_> {
    /// What only deletes goes on where there is no room left.
    pub(super) fn admission(&self) -> Admission {
        match self {
            Self::Operate(run) if run.only_deletes() => Admission::Delete,
            _ => Admission::Write,
        }
    }

    /// Whether the old body is read.
    pub(super) fn needs_old(&self, exists: Exists) -> bool {
        match self {
            Self::Put(_) => matches!(exists, Exists::Merge | Exists::UpdateOnly),
            Self::Operate(_) => true,
        }
    }
}

/// Operations under way: a write may be tried several times, and the last try counts.
pub(super) struct Run<'a> {
    asked: &'a Operate<'a>,
    /// `None`: the record was named by its digest.
    key: Option<KeyRef<'a>>,
    results: Cell<Vec<BinResults>>,
}

impl<'a> Run<'a> {
    pub(super) fn new(asked: &'a Operate<'a>, key: Option<KeyRef<'a>>) -> Self {
        Self { asked, key, results: Cell::default() }
    }

    /// Of the last try.
    pub(super) fn results(&self) -> Vec<BinResults> {
        self.results.take()
    }

    pub(super) fn only_deletes(&self) -> bool {
        self.asked.operations.iter().all(|operation| operation.reads() || *operation == Operation::Delete)
    }

    /// The new body; `None` where nothing is left.
    pub(super) fn apply(&self, old: Option<BodyRef<'_>>, exists: Exists) -> Result<Option<Vec<u8>>> {
        let key = match (old, self.key) {
            (Some(old), _) => old.key(),
            (None, Some(key)) => key,
            (None, None) => return Err(Error::new(ErrorCode::RecordNotFound, "there is no record with this digest")),
        };
        let replace = matches!(exists, Exists::Upsert | Exists::ReplaceOnly);
        let applied = apply(self.asked.operations, key, Start { old, replace, respond_all: self.asked.respond_all })?;
        self.results.set(applied.results);
        Ok(applied.body)
    }
}
