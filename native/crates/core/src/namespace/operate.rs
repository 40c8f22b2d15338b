//! Operations on one record: read, changed and written in one step that nobody sees half of.

use super::Namespace;
use super::change::Change;
use super::options::{Exists, Lookup, RecordName, WriteOptions};
use crate::metrics;
use std::cell::Cell;
use tessera_base::{Error, ErrorCode, Result, limits};
use tessera_record::filter::Filter;
use tessera_record::operation::{Start, apply, read};
use tessera_record::{BinResults, BodyRef, KeyRef, Meta, Operation};

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

/// Operations under way: a write may be tried several times, and the last try counts.
pub(super) struct Run<'a> {
    asked: &'a Operate<'a>,
    /// `None`: the record was named by its digest.
    key: Option<KeyRef<'a>>,
    results: Cell<Vec<BinResults>>,
}

impl Run<'_> {
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

impl Namespace {
    /// Runs operations on a record in their order, as one step. Reads alone answer `None` for a record that is not there.
    ///
    /// # Errors
    /// `operation_invalid` for none, or more than `limits::OPERATIONS`; `filtered_out`; what `tessera_record::operation::apply`,
    /// `Namespace::put` and `Namespace::get` refuse.
    pub fn operate<'k>(&self, set: &str, lookup: impl Into<Lookup<'k>>, asked: &Operate<'_>) -> Result<Option<Operated>> {
        let lookup = lookup.into();
        let operations = asked.operations;
        if operations.is_empty() || operations.len() > limits::OPERATIONS {
            let message = format!("a request must have 1 to {} operations per record, got {}", limits::OPERATIONS, operations.len());
            return Err(Error::new(ErrorCode::OperationInvalid, message));
        }
        if self.config.single_bin {
            operations.iter().filter_map(Operation::bin).try_for_each(|bin| limits::check_single_bin(bin, "bins"))?;
        }
        if operations.iter().all(Operation::reads) {
            let mut body = Vec::new();
            let digest = lookup.digest(set, self.key_limit())?;
            let Some(meta) = self.get(set, lookup, &mut body)? else { return Ok(None) };
            let body = BodyRef::new(&body);
            if asked.filter.is_some_and(|filter| !self.lets_through(filter, set, digest, meta, body)) {
                return Err(Error::new(ErrorCode::FilteredOut, "the record does not pass the filter"));
            }
            return Ok(Some(Operated { meta, results: read(operations, body)?, removed: false }));
        }
        let key = match lookup.name {
            RecordName::Key(key) => Some(key),
            RecordName::Digest(_) => None,
        };
        let run = Run { asked, key, results: Cell::default() };
        let written = self
            .latency
            .time(metrics::Operation::Update, || self.change(set, lookup, Change::Operate(&run), &asked.options, asked.filter))?;
        Ok(Some(Operated { meta: written.meta, results: run.results.take(), removed: written.removed }))
    }
}
