//! One record on its way in.

use super::wire::parse_bins;
use crate::metrics::About;
use crate::store::{Exists, Lookup, Operate, RecordName, RecordStore, WriteOptions, Written};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::filter::Filter;
use tessera_record::json::Shape;
use tessera_record::{BodyBuilder, BodyRef, Digest, Key, KeyRef, Operation};

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
/// What `parse_bins` and `RecordStore::put_if` refuse; `key_missing` for the digest of a record that is not there.
pub fn write_record(store: &RecordStore, set: &str, name: RecordName<'_>, bins: &[u8], form: &BinsForm<'_>) -> Result<Written> {
    let about = || About { filter: form.filter, ..name.about(set) };
    store.latency().watch(form.options.operation(), about, || match name {
        RecordName::Key(key) => put(store, set, key, bins, form),
        RecordName::Digest(digest) => put_kept(store, set, &key_of(store, set, digest)?, bins, form),
    })
}

/// The key of a record that is there.
fn key_of(store: &RecordStore, set: &str, digest: Digest) -> Result<Key> {
    let mut body = Vec::new();
    match store.get(set, Lookup::from(digest), &mut body)? {
        Some(_) => Ok(BodyRef::new(&body).key().to_owned()),
        None => Err(key_missing()),
    }
}

/// Writes a record that was there when its key was asked for. It may have been deleted since: whether it still is there is looked at in
/// one step with the write, as a write by digest must not bring a record back.
fn put_kept(store: &RecordStore, set: &str, key: &Key, bins: &[u8], form: &BinsForm<'_>) -> Result<Written> {
    let exists = match form.options.exists {
        Exists::Upsert => Exists::ReplaceOnly,
        Exists::Merge => Exists::UpdateOnly,
        Exists::CreateOnly => return Err(Error::said(ErrorCode::RecordExists, sentence!("the record already exists"))),
        exists => exists,
    };
    let options = WriteOptions { exists, ..form.options };
    put(store, set, key.as_ref(), bins, &BinsForm { options, ..*form }).map_err(|error| match error.code {
        ErrorCode::RecordNotFound => key_missing(),
        _ => error,
    })
}

fn key_missing() -> Error {
    Error::said(ErrorCode::KeyMissing, sentence!("a new record needs its key; a digest can only change an existing record")).in_field("key")
}

fn put(store: &RecordStore, set: &str, key: KeyRef<'_>, bins: &[u8], form: &BinsForm<'_>) -> Result<Written> {
    store.key_limit().check(key)?;
    let mut body = Vec::with_capacity(bins.len() + 64);
    let mut builder = BodyBuilder::new(&mut body, key);
    parse_bins(bins, form.shape, builder.bins())?;
    builder.finish();
    store.put_if(set, key, &body, &form.options, form.filter)
}

/// Deletes a record that passes `filter`; `false` when there is none.
///
/// # Errors
/// As `RecordStore::delete_with`; `filtered_out`.
pub fn delete_record(store: &RecordStore, set: &str, lookup: Lookup<'_>, options: &WriteOptions, filter: Option<&Filter>) -> Result<bool> {
    if filter.is_none() {
        return store.delete_with(set, lookup, options);
    }
    let options = WriteOptions { exists: Exists::UpdateOnly, ..*options };
    match store.operate(set, lookup, &Operate { operations: &[Operation::Delete], options, filter, respond_all: false }) {
        Err(error) if error.code == ErrorCode::RecordNotFound => Ok(false),
        deleted => deleted.map(|_| true),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceConfig, Engine, EngineOptions, NamespaceConfig, PagedConfig, SetConfig};

    #[test]
    fn a_write_by_digest_brings_no_record_back_that_was_deleted_between_its_steps() {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let configs = [
            NamespaceConfig::memory("memory"),
            NamespaceConfig::device("device", DeviceConfig::default()),
            NamespaceConfig::paged("pages", PagedConfig::smallest()),
        ];
        for config in configs {
            let namespace = engine.create_namespace(NamespaceConfig { segments: 4, ..config }).unwrap();
            let routed = SetConfig { name: "routed".into(), distribution_bin: Some("at".into()), ..SetConfig::default() };
            namespace.create_set(&routed).unwrap();
            for set in ["plain", "routed"] {
                for exists in [Exists::Upsert, Exists::Merge, Exists::ReplaceOnly, Exists::UpdateOnly, Exists::CreateOnly] {
                    let key = KeyRef::String("k");
                    let digest = put(namespace.store(), set, key, br#"{"at":1}"#, &BinsForm::default()).unwrap().digest;
                    let form = BinsForm { options: WriteOptions { exists, ..WriteOptions::default() }, ..BinsForm::default() };
                    let found = key_of(namespace.store(), set, digest).unwrap();
                    assert!(namespace.delete(set, key, None).unwrap());
                    let refused = put_kept(namespace.store(), set, &found, br#"{"at":2}"#, &form).unwrap_err();
                    let code = if exists == Exists::CreateOnly { ErrorCode::RecordExists } else { ErrorCode::KeyMissing };
                    assert_eq!((refused.code, namespace.meta(set, digest).unwrap()), (code, None), "{set}, {exists:?}");

                    let operate = Operate { operations: &[Operation::Touch], options: form.options, filter: None, respond_all: false };
                    let refused = namespace.operate(set, digest, &operate).unwrap_err();
                    assert_eq!((refused.code, namespace.meta(set, digest).unwrap()), (ErrorCode::RecordNotFound, None));
                }
            }
        }
        engine.close().unwrap();
    }
}
