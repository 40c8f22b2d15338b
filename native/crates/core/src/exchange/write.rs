//! One record on its way in.

use crate::error::{Error, ErrorCode, Result};
use crate::namespace::{Lookup, Namespace, RecordName, WriteOptions, Written};
use crate::record::json::{Shape, parse_bins};
use crate::record::{BodyBuilder, BodyRef, Key, KeyRef};

/// Writes a record whose bins are the JSON object `bins`. A digest names only a record that exists: its key is kept.
///
/// # Errors
/// What `parse_bins` and `Namespace::put` refuse; `key_missing` for the digest of a record that is not there.
pub fn write_record(
    namespace: &Namespace,
    set: &str,
    name: RecordName<'_>,
    bins: &[u8],
    shape: Shape,
    options: &WriteOptions,
) -> Result<Written> {
    match name {
        RecordName::Key(key) => put(namespace, set, key, bins, shape, options),
        RecordName::Digest(digest) => {
            let mut body = Vec::new();
            if namespace.get(set, Lookup::from(digest), &mut body)?.is_none() {
                let message = "a record that is not there yet is written by its key, not by its digest";
                return Err(Error::new(ErrorCode::KeyMissing, message).in_field("key"));
            }
            let key: Key = BodyRef::new(&body).key().to_owned();
            put(namespace, set, key.as_ref(), bins, shape, options)
        }
    }
}

fn put(namespace: &Namespace, set: &str, key: KeyRef<'_>, bins: &[u8], shape: Shape, options: &WriteOptions) -> Result<Written> {
    key.check()?;
    let mut body = Vec::with_capacity(bins.len() + 64);
    let mut builder = BodyBuilder::new(&mut body, key);
    parse_bins(bins, shape, builder.bins())?;
    builder.finish();
    namespace.put(set, key, &body, options)
}
