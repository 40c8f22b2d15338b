//! Records past their time: gone for readers at once, and from memory soon after.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use tessera_base::{ErrorCode, wait_until};
use tessera_core::{Engine, EngineOptions, Exists, NamespaceConfig, WriteOptions};
use tessera_record::{KeyRef, Ttl};

#[test]
fn expired_records_are_absent_and_then_swept() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let config = NamespaceConfig { default_ttl_seconds: 1, segments: 4, ..NamespaceConfig::memory("a") };
    let namespace = engine.create_namespace(config).unwrap();
    let key = |n: i64| KeyRef::Integer(n);
    let put = |n: i64, options: &WriteOptions| namespace.put("s", key(n), &body(key(n), &[]), options);
    for n in 0..1000 {
        let ttl = if n % 2 == 0 { Ttl::Default } else { Ttl::Never };
        put(n, &WriteOptions { ttl, ..WriteOptions::default() }).unwrap();
    }
    namespace.set_index_on("s", 1).unwrap();
    let mut out = vec![];
    wait_until(|| namespace.get("s", key(0), &mut out).unwrap().is_none());
    assert!(!namespace.delete("s", key(0), Some(7)).unwrap());
    let update = WriteOptions { exists: Exists::UpdateOnly, ..WriteOptions::default() };
    wait_until(|| put(2, &update).is_err_and(|error| error.code == ErrorCode::RecordNotFound));
    let again = put(2, &WriteOptions { exists: Exists::CreateOnly, ttl: Ttl::Seconds(1000), ..WriteOptions::default() });
    assert_eq!(again.map(|written| (written.created, written.meta.generation)), Ok((true, 1)));
    wait_until(|| namespace.size(None) == 501);
    assert_eq!(namespace.size(Some("s")), 501);
}

#[test]
fn a_time_to_live_has_a_limit() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace = engine.create_namespace(NamespaceConfig::memory("a")).unwrap();
    let options = WriteOptions { ttl: Ttl::Seconds(u32::MAX), ..WriteOptions::default() };
    let refused = namespace.put("s", KeyRef::Integer(1), &body(KeyRef::Integer(1), &[]), &options);
    assert_eq!(refused.unwrap_err().code, ErrorCode::TtlInvalid);
}
