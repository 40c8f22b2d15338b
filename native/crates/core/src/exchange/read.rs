//! Records on their way out.

use super::wire;
use crate::metrics::{About, Operation};
use crate::store::{Lookup, RecordName, RecordStore, Resident, route_of};
use std::cell::RefCell;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::filter::Filter;
use tessera_record::json::{RecordView, Shape};
use tessera_record::{BodyRef, Digest, Encoder, Meta, json};

/// How a caller wants a record.
#[derive(Clone, Copy, Debug, Default)]
pub struct Form<'a> {
    pub shape: Shape,
    /// `None`: all bins; empty: none.
    pub bins: Option<&'a [String]>,
    /// `route_of_text` the value of the set's distribution bin, where the caller knows it.
    pub route: Option<u64>,
    /// A record that does not pass it is as one that is not there.
    pub filter: Option<&'a Filter>,
}

impl Form<'_> {
    fn passes(&self, store: &RecordStore, set: &str, digest: Digest, meta: Meta, body: &[u8]) -> bool {
        self.filter.is_none_or(|filter| store.lets_through(filter, set, digest, meta, BodyRef::new(body)))
    }
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Answer {
    /// The record was appended to the output.
    Found,
    Absent,
    /// The body has to be read from the device: ask again with `read_record` where waiting is allowed.
    Waits,
}

impl From<Resident<bool>> for Answer {
    /// Of a look that tells whether it appended something.
    fn from(seen: Resident<bool>) -> Self {
        match seen {
            Resident::Found(true) => Self::Found,
            Resident::Found(false) | Resident::Absent => Self::Absent,
            Resident::Waits => Self::Waits,
        }
    }
}

/// A body kept longer than this is let go after the read.
const SCRATCH_BYTES: usize = 1024 * 1024;

thread_local! {
    static BODY: RefCell<Vec<u8>> = const { RefCell::new(Vec::new()) };
}

/// Appends a record as JSON if memory has it. Never waits for a device.
///
/// # Errors
/// `key_invalid`, `key_too_long`.
pub fn read_resident(store: &RecordStore, set: &str, name: RecordName<'_>, form: &Form<'_>, out: &mut Vec<u8>) -> Result<Answer> {
    let lookup = Lookup { name, route: form.route };
    let digest = lookup.digest(set, store.key_limit())?;
    let seen = store.look_named(set, Lookup::from(digest).with_route(form.route), name, |meta, body| {
        let passes = form.passes(store, set, digest, meta, body);
        if passes {
            append(out, set, digest, meta, body, form);
        }
        passes
    })?;
    Ok(seen.into())
}

/// Appends a record as JSON; `false` when there is none. May wait for a device.
///
/// # Errors
/// `key_invalid`, `key_too_long`, `record_damaged`, `storage_failed`.
pub fn read_record(store: &RecordStore, set: &str, name: RecordName<'_>, form: &Form<'_>, out: &mut Vec<u8>) -> Result<bool> {
    let digest = Lookup { name, route: form.route }.digest(set, store.key_limit())?;
    let about = || About { filter: form.filter, ..name.about(set) };
    let read = |body: &mut Vec<u8>| {
        let found = store.get(set, Lookup::from(digest).with_route(form.route), body)?;
        let found = found.filter(|meta| form.passes(store, set, digest, *meta, body));
        if let Some(meta) = found {
            append(out, set, digest, meta, body, form);
        }
        Ok(found.is_some())
    };
    store.latency().watch(Operation::Get, about, || with_body(read))
}

/// The route of a distribution bin's value given as text: a JSON scalar, or else a plain string.
///
/// # Errors
/// `route_invalid` for a list or a map.
pub fn route_of_text(text: &str) -> Result<u64> {
    let mut encoded = Vec::new();
    let scalar = text.starts_with(['"', '-', 't', 'f', 'n']) || text.starts_with(|c: char| c.is_ascii_digit());
    if scalar && json::parse_value(text.as_bytes(), &mut encoded).is_ok() {
        return Ok(route_of(&encoded));
    }
    if text.starts_with(['[', '{']) {
        return Err(
            Error::said(ErrorCode::RouteInvalid, sentence!("route must be a string, a number, a boolean or null")).in_field("route")
        );
    }
    encoded.clear();
    Encoder::new(&mut encoded).string(text);
    Ok(route_of(&encoded))
}

pub(super) fn append(out: &mut Vec<u8>, set: &str, digest: Digest, meta: Meta, body: &[u8], form: &Form<'_>) {
    let view = RecordView { set, digest, meta, body: BodyRef::new(body) };
    wire::write_record(out, &view, form.bins, form.shape);
}

pub(super) fn with_body<T>(work: impl FnOnce(&mut Vec<u8>) -> Result<T>) -> Result<T> {
    BODY.with_borrow_mut(|body| {
        let result = work(body);
        if body.capacity() > SCRATCH_BYTES {
            *body = Vec::new();
        }
        result
    })
}
