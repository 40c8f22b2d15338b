//! Records that are one value: bytes as they come, in and out.

use super::read::{Answer, with_body};
use crate::metrics::Operation;
use crate::store::{RecordName, RecordStore, WriteOptions, Written};
use tessera_base::{Result, limits};
use tessera_record::{BodyBuilder, BodyRef, KeyRef, ValueRef};

/// Writes a record that has `bytes` in `bin` and nothing else, whatever was there. In a namespace whose records have one bin that
/// is the bin.
///
/// # Errors
/// As `RecordStore::put`.
pub fn write_plain(store: &RecordStore, set: &str, key: KeyRef<'_>, bin: &str, bytes: &[u8]) -> Result<Written> {
    store.key_limit().check(key)?;
    let mut body = Vec::with_capacity(bytes.len() + 64);
    let mut builder = BodyBuilder::new(&mut body, key);
    builder.bin(name(store, bin), |encoder| {
        encoder.bytes(bytes);
        Ok(())
    })?;
    builder.finish();
    store.put(set, key, &body, &WriteOptions::default())
}

/// Appends what is in `bin`, bytes or text, if memory has the record. Never waits for a device. A record without such a bin, or with
/// something else in it, is as one that is not there.
///
/// # Errors
/// `key_invalid`, `key_too_long`.
pub fn read_plain_resident(store: &RecordStore, set: &str, key: KeyRef<'_>, bin: &str, out: &mut Vec<u8>) -> Result<Answer> {
    Ok(store.look(set, key, |_, body| append(out, body, name(store, bin)))?.into())
}

/// As `read_plain_resident`, but may wait for a device; whether there is such a value.
///
/// # Errors
/// `key_invalid`, `key_too_long`, `record_damaged`, `storage_failed`.
pub fn read_plain(store: &RecordStore, set: &str, key: KeyRef<'_>, bin: &str, out: &mut Vec<u8>) -> Result<bool> {
    let about = || RecordName::Key(key).about(set);
    let read = |body: &mut Vec<u8>| Ok(store.get(set, key, body)?.is_some() && append(out, body, name(store, bin)));
    store.latency().watch(Operation::Get, about, || with_body(read))
}

fn name<'a>(store: &RecordStore, bin: &'a str) -> &'a str {
    if store.single_bin() { limits::SINGLE_BIN } else { bin }
}

fn append(out: &mut Vec<u8>, body: &[u8], bin: &str) -> bool {
    let bytes = match BodyRef::new(body).bin(bin) {
        Some(ValueRef::Bytes(bytes) | ValueRef::String(bytes)) => bytes,
        _ => return false,
    };
    out.extend_from_slice(bytes);
    true
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceConfig, Engine, EngineOptions, NamespaceConfig};
    use tessera_base::ErrorCode;

    #[test]
    fn bytes_come_back_as_they_went_in() {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let device = || NamespaceConfig::device("device", DeviceConfig::default());
        for config in [NamespaceConfig::memory("memory"), device(), NamespaceConfig { name: "single".into(), single_bin: true, ..device() }]
        {
            let namespace = engine.create_namespace(config).unwrap();
            let (key, every): (_, Vec<u8>) = (KeyRef::String("k"), (0..=255).collect());
            for (round, value) in [&b""[..], b"text", &every].into_iter().enumerate() {
                let written = write_plain(namespace.store(), "s", key, "data", value).unwrap();
                assert_eq!((written.created, usize::from(written.meta.generation)), (round == 0, round + 1));
                let mut out = b"before ".to_vec();
                assert!(read_plain(namespace.store(), "s", key, "data", &mut out).unwrap());
                assert_eq!(out, [b"before ", value].concat());
            }
            let mut out = Vec::new();
            let single = namespace.single_bin();
            assert_eq!(read_plain(namespace.store(), "s", key, "other", &mut out).unwrap(), single);
            assert!(!read_plain(namespace.store(), "s", KeyRef::String("absent"), "data", &mut out).unwrap());
            assert_eq!(read_plain_resident(namespace.store(), "s", KeyRef::String("absent"), "data", &mut out).unwrap(), Answer::Absent);
            let error = write_plain(namespace.store(), "s", KeyRef::Bytes(&[0; 9000]), "data", b"").unwrap_err();
            assert_eq!(error.code, ErrorCode::KeyTooLong);
        }
        engine.close().unwrap();
    }
}
