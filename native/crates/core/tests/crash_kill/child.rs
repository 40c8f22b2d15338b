//! The process that is killed: writes from several threads, and says on standard output what was acknowledged.

use crate::script::{BATCHES, Content, Operation, THREADS, body, operation, set_of};
use crate::{NAMESPACE, config, open};
use std::io::Write;
use std::path::Path;
use tessera_core::load::{LoadMode, Row, RowBatch, RowSink};
use tessera_core::record::{Digest, KeyRef};
use tessera_core::{ErrorCode, Exists, Namespace, Ttl, WriteOptions};

/// Never returns before it is killed, unless its reader goes away.
pub fn run(directory: &Path, seed: u64) {
    let engine = open(directory);
    let namespace = match engine.create_namespace(config(directory)) {
        Err(error) if error.code == ErrorCode::NamespaceExists => engine.namespace(NAMESPACE).unwrap(),
        made => made.unwrap(),
    };
    std::thread::scope(|scope| {
        // Checkpoints one after the other, so that many a kill meets one; a device has none.
        if namespace.pages_report().is_some() {
            scope.spawn(|| while namespace.checkpoint().is_ok() {});
        }
        for thread in 0..THREADS {
            let namespace = &namespace;
            scope.spawn(move || {
                for index in 0.. {
                    perform(namespace, thread, &operation(seed, thread, index));
                    if writeln!(std::io::stdout().lock(), "@ {thread} {index}").is_err() {
                        return;
                    }
                }
            });
        }
    });
}

fn perform(namespace: &Namespace, thread: u64, operation: &Operation) {
    let set = set_of(thread);
    let put = |key: i64, content: Content, exists: Exists| {
        let body = body(key, &content.bins());
        namespace.put(set, KeyRef::Integer(key), &body, &WriteOptions { exists, ..WriteOptions::default() }).unwrap();
    };
    match operation {
        Operation::Put { key, id } => put(*key, Content { written: Some(*id), merged: None }, Exists::Upsert),
        Operation::Merge { key, id } => put(*key, Content { written: None, merged: Some(*id) }, Exists::Merge),
        Operation::Delete { key } => drop(namespace.delete(set, KeyRef::Integer(*key), None).unwrap()),
        Operation::Load { keys, id } => {
            assert_eq!(thread, BATCHES);
            let mut batch = RowBatch::default();
            for (line, key) in keys.iter().enumerate() {
                let start = batch.bytes.len() as u32;
                batch.bytes.extend(body(*key, &Content { written: Some(*id), merged: None }.bins()));
                let digest = Digest::of(set, KeyRef::Integer(*key));
                let end = batch.bytes.len() as u32;
                batch.rows.push(Row { line: line as u64, start, end, digest, ttl: Ttl::Default });
            }
            let outcome = namespace.load_rows(set, &batch, LoadMode::Upsert).unwrap();
            assert_eq!(outcome.inserted + outcome.updated, keys.len() as u64);
        }
    }
}
