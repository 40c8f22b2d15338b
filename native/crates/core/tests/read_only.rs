//! A device that refuses writes while the namespace is served: it says so, reads go on, and writes come back by themselves.
//! The limit on file sizes is the whole process's, so these tests have a process of their own and run one at a time.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod bodies;

use bodies::{bin, body};
use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode};
use tessera_core::engine::NamespaceState;
use tessera_core::scan::{Found, VisitSpec};
use tessera_core::{DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_io::{Access, AlignedBuffer, Backend, FileDisk, Piece, WriteWindow};
use tessera_record::{KeyRef, Value};

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

fn wait_until_ready(engine: &Engine) {
    let deadline = Instant::now() + Duration::from_secs(60);
    while engine.member("d").unwrap().state().0 != NamespaceState::Ready {
        assert!(Instant::now() < deadline, "waited for a minute");
        std::thread::sleep(Duration::from_millis(5));
    }
}

static ONE_AT_A_TIME: Mutex<()> = Mutex::new(());

#[test]
fn a_device_that_refuses_writes_is_named_until_it_takes_them_again() {
    let _alone = ONE_AT_A_TIME.lock();
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
    wait_until_ready(&engine);
    assert!(engine.notices().is_empty());
    put(&namespace, -1).unwrap();
}

#[test]
fn a_move_that_the_device_refuses_leaves_the_record_where_it_was() {
    const KEY: KeyRef<'_> = KeyRef::Integer(1);
    let _alone = ONE_AT_A_TIME.lock();
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let device = DeviceConfig { write_block_bytes: 16 * 1024, ..DeviceConfig::default() };
    let sets = vec![SetConfig { name: "s".into(), distribution_bin: Some("place".into()), ..SetConfig::default() }];
    let config = NamespaceConfig { segments: 16, sets, ..NamespaceConfig::device("d", device) };
    let namespace = engine.create_namespace(config).unwrap();
    let write = |place: i64| {
        let body = body(KEY, &[("place", Value::Int(place)), ("v", Value::String("x".repeat(1000)))]);
        namespace.put("s", KEY, &body, &WriteOptions::default()).map(drop)
    };
    let stands = |place: i64| {
        let mut out = vec![];
        assert!(namespace.get("s", KEY, &mut out).unwrap().is_some());
        assert_eq!(bin(&out, "place"), Some(Value::Int(place)));
        let met = AtomicU64::new(0);
        let count = |_: usize, _: &Found<'_>| {
            met.fetch_add(1, Ordering::Relaxed);
            ControlFlow::Continue(())
        };
        namespace.scan_visit(&VisitSpec { set: Some("s".into()), ..VisitSpec::default() }, &count).unwrap();
        assert_eq!((namespace.size(None), namespace.size(Some("s")), met.into_inner()), (1, 1, 1));
    };
    write(1).unwrap();
    limit_files(Some(0));
    assert_eq!(write(2).unwrap_err().code, ErrorCode::WriteUncertain);
    stands(1);
    limit_files(None);
    wait_until_ready(&engine);
    stands(1);
    write(3).unwrap();
    stands(3);
    namespace.delete("s", KEY, None).unwrap();
    drop(namespace);
    engine.close().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let mut out = vec![];
    let found = engine.namespace("d").unwrap().get("s", KEY, &mut out).unwrap().and_then(|_| bin(&out, "place"));
    assert_eq!(found, None);
}

/// Neighbouring pieces go to the kernel as one write, which it cuts short where the file may not go on.
#[test]
fn a_write_of_several_pieces_that_is_cut_short_goes_on_to_the_error() {
    const PIECE: usize = 32 * 1024;
    const LIMIT: usize = 40 * 1024;
    let _alone = ONE_AT_A_TIME.lock();
    let directory = tempfile::tempdir().unwrap();
    let mut bytes = AlignedBuffer::new(3 * PIECE).unwrap();
    bytes.extend_from_slice(&(0..3 * PIECE).map(|at| (at / 512) as u8).collect::<Vec<_>>()).unwrap();
    for backend in [Backend::IoUring, Backend::Threads] {
        for access in [Access::Direct, Access::Cached] {
            let path = directory.path().join(format!("{backend:?} {access:?}"));
            let disk = FileDisk::open(&path, true, access).unwrap();
            let pieces: Vec<_> =
                bytes.chunks(PIECE).zip(0..).map(|(bytes, at)| Piece { disk: &disk, offset: at * PIECE as u64, bytes }).collect();
            let mut window = WriteWindow::open(backend, 4).unwrap();
            limit_files(Some(LIMIT as u64));
            let outcome = window.write(&pieces);
            limit_files(None);
            assert_eq!(outcome.unwrap_err().raw_os_error(), Some(libc::EFBIG));
            assert!(std::fs::read(&path).unwrap() == bytes[..LIMIT], "{backend:?} {access:?}");
            window.write(&pieces).unwrap();
            assert!(std::fs::read(&path).unwrap() == bytes[..], "{backend:?} {access:?}");
        }
    }
}
