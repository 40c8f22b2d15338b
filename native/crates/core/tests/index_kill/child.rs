//! The process that is killed: it builds indexes, loads, rewrites or closes, and says when it has begun.

use crate::script::{KEYS, SET, Work, load, specs};
use crate::{LONG, NAMESPACE, config, open};
use std::io::Write;
use std::path::Path;
use std::sync::Arc;
use tessera_base::ErrorCode;
use tessera_base::dice::Dice;
use tessera_core::{Engine, Namespace};
use tessera_index::IndexState;
use tessera_jobs::JobPatch;
use tessera_record::KeyRef;

/// Rows of a batch.
const BATCH: u64 = 200;
/// Records that are written again and again.
const FEW: u64 = 300;

/// Goes on until it is killed; where `steps` are given, for so many, and then closes in order.
pub fn run(directory: &Path, seed: u64, steps: Option<u64>) {
    let mut dice = Dice(seed | 1);
    let mut engine = open(directory);
    let mut namespace = found_or_made(&engine, seed);
    if namespace.size(None) < KEYS / 2 {
        load(&namespace, &mut dice, 0..KEYS as i64);
    }
    let work = Work::of(seed);
    if work != Work::Build {
        ensure_indexes(&namespace);
    }
    if writeln!(std::io::stdout().lock(), "\n@").is_err() {
        return;
    }
    for _ in 0..steps.unwrap_or(u64::MAX) {
        match work {
            Work::Build => build(&namespace, &mut dice),
            Work::Load => {
                let keys: Vec<i64> = (0..BATCH).map(|_| dice.roll(KEYS) as i64).collect();
                load(&namespace, &mut dice, keys.into_iter());
                delete(&namespace, &mut dice);
            }
            Work::Rewrite => load(&namespace, &mut dice, 0..FEW as i64),
            Work::Close => {
                load(&namespace, &mut dice, 0..20);
                drop(namespace);
                engine.close().unwrap();
                drop(engine);
                engine = open(directory);
                namespace = engine.namespace(NAMESPACE).unwrap();
            }
        }
    }
    drop(namespace);
    engine.close().unwrap();
}

fn found_or_made(engine: &Arc<Engine>, seed: u64) -> Arc<Namespace> {
    match engine.create_namespace(config(seed)) {
        Err(error) if error.code == ErrorCode::NamespaceExists => engine.namespace(NAMESPACE).unwrap(),
        made => made.unwrap(),
    }
}

fn ensure_indexes(namespace: &Arc<Namespace>) {
    for spec in specs() {
        match namespace.create_index(spec, 2) {
            Err(error) if error.code == ErrorCode::IndexExists => {}
            job => drop(job.unwrap().wait_blocking(LONG)),
        }
    }
}

/// Makes all indexes anew, with writes going on and the threads changing.
fn build(namespace: &Arc<Namespace>, dice: &mut Dice) {
    let mut jobs = vec![];
    for spec in specs() {
        if namespace.index(&spec.name).is_ok() {
            namespace.drop_index(&spec.name).unwrap();
        }
        jobs.push(namespace.create_index(spec, 1 + dice.roll(8) as u32).unwrap());
    }
    while namespace.indexes().iter().any(|index| index.state == IndexState::Building) {
        let job = &jobs[dice.roll(jobs.len() as u64) as usize];
        // One that is done takes no patch, and needs none.
        let _ = job.patch(JobPatch { threads: Some(1 + dice.roll(8) as u32), ..JobPatch::default() });
        let first = dice.roll(KEYS) as i64;
        load(namespace, dice, first..first + 5);
        delete(namespace, dice);
    }
}

fn delete(namespace: &Namespace, dice: &mut Dice) {
    let _ = namespace.delete(SET, KeyRef::Integer(dice.roll(KEYS) as i64), None).unwrap();
}
