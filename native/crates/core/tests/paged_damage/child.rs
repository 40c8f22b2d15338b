//! The process that writes, and that is stopped or killed.

use crate::files;
use crate::script::{CHECKPOINTED, Operation, SETS, STOPPED, idle, operation, record};
use crate::{LONG, NAMESPACE, config, open, wait_for};
use std::fs;
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use tessera_core::{Namespace, WriteOptions};
use tessera_index::{IndexKind, IndexSpec};
use tessera_record::KeyRef;

/// How a run ends.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stop {
    Orderly,
    /// Killed while nobody writes.
    Idle,
    /// Killed while it writes.
    Busy,
}

impl Stop {
    pub const ALL: [Self; 3] = [Self::Orderly, Self::Idle, Self::Busy];
}

/// Where what was there earlier is kept.
pub const EARLIER: [&str; 2] = ["stopped", "checkpointed"];

fn say(text: std::fmt::Arguments<'_>) -> bool {
    writeln!(std::io::stdout().lock(), "{text}").is_ok()
}

/// Writes in `directory`; returns after an orderly stop, or once nobody reads what it says.
pub fn run(directory: &Path, seed: u64, page_bytes: u32, stop: Stop) {
    let data = directory.join("data");
    let engine = open(&data).unwrap();
    let namespace = engine.create_namespace(config(page_bytes)).unwrap();
    let index = |name: &str, kind, path: Option<&str>| IndexSpec {
        name: name.into(),
        set: None,
        bin: Some("doc".into()),
        kind,
        path: path.map(Into::into),
        created_at_ms: 0,
    };
    for spec in [index("documents", IndexKind::Document, None), index("sizes", IndexKind::Range, Some("size"))] {
        namespace.create_index(spec, 1).unwrap().wait_blocking(LONG);
    }
    write(&namespace, seed, page_bytes, 0..STOPPED, true);
    drop(namespace);
    engine.close().unwrap();
    files::copy(&data, &directory.join(EARLIER[0]));

    let engine = open(&data).unwrap();
    let namespace = engine.namespace(NAMESPACE).unwrap();
    write(&namespace, seed, page_bytes, STOPPED..CHECKPOINTED, true);
    namespace.checkpoint().unwrap();
    settle(&namespace, &data);
    files::copy(&data, &directory.join(EARLIER[1]));
    write(&namespace, seed, page_bytes, CHECKPOINTED..idle(seed), false);
    match stop {
        Stop::Orderly => {
            drop(namespace);
            engine.close().unwrap();
        }
        Stop::Idle => {
            settle(&namespace, &data);
            say(format_args!("idle"));
            // Nothing more comes; who reads kills.
            std::thread::park();
        }
        Stop::Busy => write(&namespace, seed, page_bytes, idle(seed)..u64::MAX, false),
    }
}

fn write(namespace: &Arc<Namespace>, seed: u64, page_bytes: u32, numbers: std::ops::Range<u64>, at_once: bool) {
    for number in numbers {
        match operation(seed, number) {
            Operation::Put(key) => {
                let options = WriteOptions { defer_sync: at_once, ..WriteOptions::default() };
                namespace.put(SETS[key.0], KeyRef::Integer(key.1), &record(key, number, page_bytes), &options).map(drop).unwrap();
            }
            Operation::Delete(key) => drop(namespace.delete(SETS[key.0], KeyRef::Integer(key.1), None).unwrap()),
            Operation::Truncate(set) => drop(namespace.truncate(Some(SETS[set]), None).unwrap().wait_blocking(LONG)),
        }
        // With where the log ends: what of it is stable by the head of the pages is never taken for a torn write.
        if !at_once && !say(format_args!("@ {number} {}", namespace.pages_report().unwrap().log.end)) {
            return;
        }
    }
    namespace.sync().unwrap();
}

/// Waits until the head of the pages has been told of all that is in the log.
fn settle(namespace: &Namespace, data: &Path) {
    namespace.sync().unwrap();
    let pages = data.join("namespaces/1/pages");
    wait_for(|| {
        let end = namespace.pages_report().unwrap().log.end;
        files::stable(&fs::read(&pages).unwrap()) >= end
    });
}
