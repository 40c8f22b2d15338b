//! A device that refuses writes while the namespace is served: it says so, reads go on, and writes come back by themselves.
//! The limit on file sizes is the whole process's, so this test has a process of its own.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod bodies;

use bodies::body;
use std::time::{Duration, Instant};
use tessera_core::engine::NamespaceState;
use tessera_core::record::{KeyRef, Value};
use tessera_core::{DeviceConfig, Engine, EngineOptions, Error, ErrorCode, Namespace, NamespaceConfig, WriteOptions};

/// Largest file that this process may write, bytes; `None` for no limit.
fn limit_files(bytes: Option<u64>) {
    let limit = libc::rlimit { rlim_cur: bytes.unwrap_or(libc::RLIM_INFINITY), rlim_max: libc::RLIM_INFINITY };
    // SAFETY: `limit` outlives the call, and the signal is only ignored, so that writes fail instead of ending the process.
    let outcome = unsafe {
        libc::signal(libc::SIGXFSZ, libc::SIG_IGN);
        libc::setrlimit(libc::RLIMIT_FSIZE, &raw const limit)
    };
    assert_eq!(outcome, 0);
}

fn put(namespace: &Namespace, key: i64) -> Result<(), Error> {
    let body = body(KeyRef::Integer(key), &[("v", Value::String("x".repeat(1000)))]);
    namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).map(drop)
}

#[test]
fn a_device_that_refuses_writes_is_named_until_it_takes_them_again() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let device = DeviceConfig { write_block_bytes: 16 * 1024, ..DeviceConfig::default() };
    let namespace = engine.create_namespace(NamespaceConfig { segments: 4, ..NamespaceConfig::device("d", device) }).unwrap();
    let state = || engine.member("d").unwrap().state();
    put(&namespace, 0).unwrap();
    assert_eq!(state(), (NamespaceState::Ready, None));

    limit_files(Some(64 * 1024));
    let written = (1..).take_while(|key| put(&namespace, *key).is_ok()).count() as i64;
    let (now, error) = state();
    assert_eq!((now, error.map(|error| error.code)), (NamespaceState::ReadOnly, Some(ErrorCode::StorageFailed)));
    assert_eq!(put(&namespace, -1).unwrap_err().code, ErrorCode::StorageFailed);
    assert_eq!(engine.notices()[0].state, NamespaceState::ReadOnly);
    let mut out = vec![];
    assert!(namespace.get("s", KeyRef::Integer(written), &mut out).unwrap().is_some());

    limit_files(None);
    let deadline = Instant::now() + Duration::from_secs(60);
    while state().0 != NamespaceState::Ready {
        assert!(Instant::now() < deadline, "waited for a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
    assert!(engine.notices().is_empty());
    put(&namespace, -1).unwrap();
}
