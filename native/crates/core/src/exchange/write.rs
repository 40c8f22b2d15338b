//! One record on its way in.

use super::wire::parse_bins;
use crate::error::{Error, ErrorCode, Result};
use crate::filter::Filter;
use crate::namespace::{Exists, Lookup, Namespace, Operate, RecordName, WriteOptions, Written};
use crate::record::json::Shape;
use crate::record::{BodyBuilder, BodyRef, Key, KeyRef, Operation};

/// Bins and how they are to be written.
#[derive(Clone, Copy, Debug, Default)]
pub struct BinsForm<'a> {
    pub shape: Shape,
    pub options: WriteOptions,
    /// What a record that is there has to pass.
    pub filter: Option<&'a Filter>,
}

/// Writes a record whose bins are the object `bins`. A digest names only a record that exists: its key is kept.
///
/// # Errors
/// What `parse_bins` and `Namespace::put_if` refuse; `key_missing` for the digest of a record that is not there.
pub fn write_record(namespace: &Namespace, set: &str, name: RecordName<'_>, bins: &[u8], form: &BinsForm<'_>) -> Result<Written> {
    match name {
        RecordName::Key(key) => put(namespace, set, key, bins, form),
        RecordName::Digest(digest) => {
            let mut body = Vec::new();
            if namespace.get(set, Lookup::from(digest), &mut body)?.is_none() {
                let message = "a record that is not there yet is written by its key, not by its digest";
                return Err(Error::new(ErrorCode::KeyMissing, message).in_field("key"));
            }
            let key: Key = BodyRef::new(&body).key().to_owned();
            put(namespace, set, key.as_ref(), bins, form)
        }
    }
}

fn put(namespace: &Namespace, set: &str, key: KeyRef<'_>, bins: &[u8], form: &BinsForm<'_>) -> Result<Written> {
    namespace.key_limit().check(key)?;
    let mut body = Vec::with_capacity(bins.len() + 64);
    let mut builder = BodyBuilder::new(&mut body, key);
    parse_bins(bins, form.shape, builder.bins())?;
    builder.finish();
    namespace.put_if(set, key, &body, &form.options, form.filter)
}

/// Deletes a record that passes `filter`; `false` when there is none.
///
/// # Errors
/// As `Namespace::delete_with`; `filtered_out`.
pub fn delete_record(
    namespace: &Namespace,
    set: &str,
    lookup: Lookup<'_>,
    options: &WriteOptions,
    filter: Option<&Filter>,
) -> Result<bool> {
    if filter.is_none() {
        return namespace.delete_with(set, lookup, options);
    }
    let options = WriteOptions { exists: Exists::UpdateOnly, ..*options };
    match namespace.operate(set, lookup, &Operate { operations: &[Operation::Delete], options, filter, respond_all: false }) {
        Err(error) if error.code == ErrorCode::RecordNotFound => Ok(false),
        deleted => deleted.map(|_| true),
    }
}
