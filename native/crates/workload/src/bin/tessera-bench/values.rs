//! Records of one value that begins with the record's number, so that a read knows whose it got.

use crate::Failure;
use tessera_core::{Namespace, WriteOptions};
use tessera_record::{BodyBuilder, KeyRef};

pub const SET: &str = "values";
pub const VALUE_BYTES: usize = 1024;

/// Writes the records of those numbers to `SET`, each with a value of `value_bytes` (at least 8).
///
/// # Errors
/// What a write returns.
pub fn put(namespace: &Namespace, ids: impl Iterator<Item = u64>, value_bytes: usize) -> Result<(), Failure> {
    put_in_sets(namespace, ids.map(|id| (SET, id)), value_bytes)
}

/// As `put`, each record to its set.
///
/// # Errors
/// What a write returns.
pub fn put_in_sets<'a>(namespace: &Namespace, records: impl Iterator<Item = (&'a str, u64)>, value_bytes: usize) -> Result<(), Failure> {
    let mut value = vec![b'v'; value_bytes.max(8)];
    let mut body = Vec::new();
    for (set, id) in records {
        value[..8].copy_from_slice(&id.to_le_bytes());
        let key = KeyRef::Integer(id as i64);
        body.clear();
        let mut builder = BodyBuilder::new(&mut body, key);
        builder.bin("value", |out| {
            out.bytes(&value);
            Ok(())
        })?;
        builder.finish();
        namespace.put(set, key, &body, &WriteOptions::default())?;
    }
    Ok(())
}

/// A body ends with its value, of `VALUE_BYTES`.
///
/// # Errors
/// When it is another record's.
pub fn check(body: &[u8], id: u64) -> Result<(), Failure> {
    let value = body.len().checked_sub(VALUE_BYTES).ok_or("a value is too short")?;
    if body[value..value + 8] == id.to_le_bytes() { Ok(()) } else { Err("a read returned the value of another record".into()) }
}
