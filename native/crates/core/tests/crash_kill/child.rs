//! The process that is killed: writes from several threads, and says on standard output what was acknowledged.

use crate::script::{BATCHES, Content, FEW, Operation, THREADS, body, operation, set_of};
use crate::{MAKES, NAMESPACE, config, keys_a_thread, open, script};
use std::io::Write;
use std::path::Path;
use std::sync::mpsc::channel;
use tessera_base::ErrorCode;
use tessera_core::{Engine, Exists, Namespace, WriteOptions};
use tessera_jobs::load::{LoadMode, Row, RowBatch, RowSink};
use tessera_record::{Digest, KeyRef, Ttl};

/// Operations from one checkpoint to the next where changed pages are to leave the cache in between.
const BETWEEN_CHECKPOINTS: usize = 64;

/// Never returns before it is killed, unless its reader goes away.
pub fn run(directory: &Path, seed: u64) {
    let engine = open(directory);
    if directory.join(MAKES).exists() {
        return make(&engine, directory);
    }
    let namespace = match engine.create_namespace(config(directory)) {
        Err(error) if error.code == ErrorCode::NamespaceExists => engine.namespace(NAMESPACE).unwrap(),
        made => made.unwrap(),
    };
    let keys = keys_a_thread(directory);
    std::thread::scope(|scope| {
        let (done, operations) = channel();
        // Checkpoints one after the other, so that many a kill meets one; a device has none.
        if namespace.pages_report().is_some() {
            let some = if keys > FEW { BETWEEN_CHECKPOINTS } else { 0 };
            let namespace = &namespace;
            scope.spawn(move || while operations.iter().take(some).count() == some && namespace.checkpoint().is_ok() {});
        }
        for thread in 0..THREADS {
            let (namespace, done) = (&namespace, done.clone());
            scope.spawn(move || {
                crowd(namespace, thread, keys);
                for index in 0.. {
                    perform(namespace, thread, &operation(seed, keys, thread, index));
                    // A device has nobody who counts them.
                    let _ = done.send(());
                    if writeln!(std::io::stdout().lock(), "@ {thread} {index}").is_err() {
                        return;
                    }
                }
            });
        }
    });
}

/// Makes the namespace and drops it; every second one has a write, so that many a kill finds it there.
fn make(engine: &Engine, directory: &Path) {
    for index in 0.. {
        let namespace = engine.create_namespace(config(directory)).unwrap();
        if index % 2 == 1 {
            load(&namespace, script::set_of(0), &[1], index);
        }
        drop(namespace);
        if writeln!(std::io::stdout().lock(), "@ 0 {index}").is_err() {
            return;
        }
        engine.drop_namespace(NAMESPACE).unwrap();
    }
}

/// Fills a cache that is too small for the data, so that from then on a page that comes sends another away.
fn crowd(namespace: &Namespace, thread: u64, keys: u64) {
    let full = || namespace.pages_report().is_none_or(|report| report.cache.used == report.cache.frames);
    for some in script::keys(thread, keys).collect::<Vec<_>>().chunks(FEW as usize).filter(|_| keys > FEW).take_while(|_| !full()) {
        for key in some {
            namespace.get(set_of(thread), KeyRef::Integer(*key), &mut vec![]).unwrap();
        }
    }
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
            load(namespace, set, keys, *id);
        }
    }
}

/// Writes all of these keys with one id.
pub fn load(namespace: &Namespace, set: &str, keys: &[i64], id: u64) {
    let mut batch = RowBatch::default();
    for (line, key) in keys.iter().enumerate() {
        let start = batch.bytes.len() as u32;
        batch.bytes.extend(body(*key, &Content { written: Some(id), merged: None }.bins()));
        let digest = Digest::of(set, KeyRef::Integer(*key));
        let end = batch.bytes.len() as u32;
        batch.rows.push(Row { line: line as u64, start, end, digest, ttl: Ttl::Default, generation: None, set: None });
    }
    let outcome = namespace.load_rows(set, &batch, LoadMode::Upsert).unwrap();
    assert_eq!(outcome.inserted + outcome.updated, keys.len() as u64);
}
