//! The rules of a write: what becomes of a record, from what it is and what is asked.
//!
//! They know no segment and no storage, so that each engine that keeps records decides alike.

use super::merge::{merge, without_nulls};
use super::options::{Exists, Operate, WriteOptions};
use crate::config::check_ttl;
use std::borrow::Cow;
use std::cell::Cell;
use tessera_base::{Error, ErrorCode, Result, clock, limits, sentence};
use tessera_record::filter::{Filter, Whole};
use tessera_record::operation::{Start, apply};
use tessera_record::{BinResults, BodyRef, KeyRef, Meta, Operation, Ttl};

/// What is asked of a record, and what the namespace allows.
#[derive(Clone, Copy)]
pub struct Rules<'a> {
    pub change: Change<'a>,
    pub options: &'a WriteOptions,
    /// What a record that is there has to pass.
    pub filter: Option<&'a Filter>,
    /// Whether records have one bin, without a name.
    pub single_bin: bool,
}

/// What is to become of a record: a body, operations over the old one, or what it is elsewhere.
#[derive(Clone, Copy)]
pub enum Change<'a> {
    /// A body, merged with the old one where the options say so.
    Put(&'a [u8]),
    /// Operations over the old one.
    Operate(&'a Run<'a>),
    /// A version that another store has decided: it is taken over as it is.
    Copy(Meta, &'a [u8]),
}

impl<'a> Rules<'a> {
    /// Refuses what no record could make legal. `most`: largest body, bytes.
    ///
    /// # Errors
    /// `record_too_large`, `ttl_invalid`.
    pub fn check(&self, most: usize) -> Result<()> {
        if let Change::Put(body) | Change::Copy(_, body) = self.change {
            check_length(body.len(), most)?;
        }
        match self.options.ttl {
            Ttl::Seconds(seconds) => check_ttl(seconds, "ttl"),
            _ => Ok(()),
        }
    }

    /// Whether `body` reads the old record's body. Its metadata are enough otherwise.
    pub fn needs_old(&self) -> bool {
        self.filter.is_some() || self.builds_on_old()
    }

    fn builds_on_old(&self) -> bool {
        match self.change {
            Change::Put(_) => matches!(self.options.exists, Exists::Merge | Exists::UpdateOnly),
            Change::Operate(_) => true,
            Change::Copy(..) => false,
        }
    }

    /// Whether the write may go on. `old`: the record that is there, neither expired nor truncated.
    ///
    /// # Errors
    /// `record_exists`, `record_not_found`, `generation_mismatch`.
    pub fn allow(&self, old: Option<&Meta>) -> Result<()> {
        match (self.options.exists, old) {
            (Exists::CreateOnly, Some(_)) => return Err(Error::said(ErrorCode::RecordExists, sentence!("the record already exists"))),
            (Exists::ReplaceOnly | Exists::UpdateOnly, None) => {
                return Err(Error::said(ErrorCode::RecordNotFound, sentence!("there is no record with this key")));
            }
            _ => {}
        }
        check_generation(old.map_or(0, |meta| meta.generation), self.options)
    }

    /// The new body; `None`: nothing is left of the record. `old`: the record that is there, if `needs_old`. `most`: largest body, bytes.
    ///
    /// # Errors
    /// `filtered_out`, `single_bin`, `too_many_bins`, `record_too_large`; those of `tessera_record::operation::apply`.
    pub fn body(&self, old: Option<&Whole<'_>>, most: usize) -> Result<Option<Cow<'a, [u8]>>> {
        if let (Some(filter), Some(old)) = (self.filter, old)
            && !filter.passes(old)
        {
            return Err(Error::said(ErrorCode::FilteredOut, sentence!("the record does not pass the filter")));
        }
        let made = match self.change {
            Change::Put(body) if self.builds_on_old() => self.merged(old.map(|old| old.body), BodyRef::new(body))?,
            Change::Put(body) if self.single_bin => return Ok(Some(Cow::Owned(BodyRef::new(body).unnamed()?))),
            Change::Put(body) | Change::Copy(_, body) => return Ok(Some(Cow::Borrowed(body))),
            Change::Operate(run) => match run.apply(old.map(|old| old.body), self.options.exists)? {
                None => return Ok(None),
                Some(body) => body,
            },
        };
        let made = if self.single_bin { BodyRef::new(&made).unnamed()? } else { made };
        check_length(made.len(), most)?;
        Ok(Some(Cow::Owned(made)))
    }

    fn merged(&self, old: Option<BodyRef<'_>>, new: BodyRef<'_>) -> Result<Vec<u8>> {
        if self.single_bin {
            new.raw_bins().try_for_each(|(name, _)| limits::check_single_bin(&String::from_utf8_lossy(name), "bins"))?;
        }
        let mut merged = Vec::new();
        match old {
            None => without_nulls(new, &mut merged)?,
            Some(old) => merge(old, new, &mut merged)?,
        }
        Ok(merged)
    }

    /// Metadata of the next version of a record that is written at `updated_at`.
    pub fn next_meta(&self, old: Option<&Meta>, updated_at: u64, default_ttl: u32) -> Meta {
        if let Change::Copy(meta, _) = self.change {
            return meta;
        }
        // By the clock: times of last update may be ahead of it.
        let lasts = |seconds: u32| if seconds == 0 { 0 } else { clock::unix_seconds().saturating_add(seconds) };
        let expires_at = match self.options.ttl {
            Ttl::Default => lasts(default_ttl),
            Ttl::Never => 0,
            Ttl::Keep => old.map_or_else(|| lasts(default_ttl), |meta| meta.expires_at),
            Ttl::Seconds(seconds) => lasts(seconds.min(limits::TTL_SECONDS)),
        };
        let next = old.map_or(1, |meta| meta.generation.checked_add(1).unwrap_or(1));
        // Two versions of one moment are told apart by their generations, and the later one has the greater.
        let apart = |kept: &u16| old.is_none_or(|old| old.updated_at < updated_at || old.generation < *kept);
        let generation = self.options.generation.filter(apart).unwrap_or(next);
        Meta { generation, expires_at, updated_at }
    }
}

/// # Errors
/// `generation_mismatch` if `found` (0: there is no record) is not what the options expect.
pub fn check_generation(found: u16, options: &WriteOptions) -> Result<()> {
    let fits = |expected: u16| if options.generation_greater { expected > found } else { expected == found };
    match options.expected_generation {
        Some(expected) if !fits(expected) => {
            let why = sentence!(
                "the generation of the record is {found}, expected {expected}",
                found = u64::from(found),
                expected = u64::from(expected)
            );
            Err(Error::said(ErrorCode::GenerationMismatch, why).in_field("generation"))
        }
        _ => Ok(()),
    }
}

/// # Errors
/// `record_too_large` for a body of more than `most` bytes.
pub fn check_length(bytes: usize, most: usize) -> Result<()> {
    if bytes > most {
        return Err(Error::said(
            ErrorCode::RecordTooLarge,
            sentence!("a record must be at most {most} bytes here, got {given}", most = most, given = bytes),
        ));
    }
    Ok(())
}

impl Operate<'_> {
    /// # Errors
    /// `operation_invalid` for none, or more than `limits::OPERATIONS`; `single_bin`.
    pub fn check(&self, single_bin: bool) -> Result<()> {
        if self.operations.is_empty() || self.operations.len() > limits::OPERATIONS {
            let message = sentence!(
                "a request must have 1 to {most} operations per record, got {given}",
                most = limits::OPERATIONS,
                given = self.operations.len()
            );
            return Err(Error::said(ErrorCode::OperationInvalid, message));
        }
        if single_bin {
            self.operations.iter().filter_map(Operation::bin).try_for_each(|bin| limits::check_single_bin(bin, "bins"))?;
        }
        Ok(())
    }

    /// Whether none of the operations changes the record.
    pub fn only_reads(&self) -> bool {
        self.operations.iter().all(Operation::reads)
    }
}

/// Operations under way: a write may be tried several times, and the last try counts.
pub struct Run<'a> {
    asked: &'a Operate<'a>,
    /// `None`: the record was named by its digest.
    key: Option<KeyRef<'a>>,
    results: Cell<Vec<BinResults>>,
}

impl<'a> Run<'a> {
    pub fn new(asked: &'a Operate<'a>, key: Option<KeyRef<'a>>) -> Self {
        Self { asked, key, results: Cell::default() }
    }

    /// Of the last try.
    pub fn results(&self) -> Vec<BinResults> {
        self.results.take()
    }

    /// Whether they delete the record, and change nothing else.
    pub fn deletes(&self) -> bool {
        self.only_deletes() && self.asked.operations.contains(&Operation::Delete)
    }

    pub fn only_deletes(&self) -> bool {
        self.asked.operations.iter().all(|operation| operation.reads() || *operation == Operation::Delete)
    }

    /// The new body; `None` where nothing is left.
    fn apply(&self, old: Option<BodyRef<'_>>, exists: Exists) -> Result<Option<Vec<u8>>> {
        let key = match (old, self.key) {
            (Some(old), _) => old.key(),
            (None, Some(key)) => key,
            (None, None) => return Err(Error::said(ErrorCode::RecordNotFound, sentence!("there is no record with this digest"))),
        };
        let replace = matches!(exists, Exists::Upsert | Exists::ReplaceOnly);
        let applied = apply(self.asked.operations, key, Start { old, replace, respond_all: self.asked.respond_all })?;
        self.results.set(applied.results);
        Ok(applied.body)
    }
}
