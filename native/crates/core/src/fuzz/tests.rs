//! Replays the corpora of `native/fuzz/corpus`, and then runs each target on mutations of them: always the same ones, a fortieth of
//! a fixed number, or all of it `TESSERA_FUZZ_TIMES` times where that is set.

mod mutate;

use super::{DECODERS, PARSERS, Target};
use mutate::Mutator;
use std::path::Path;
use std::time::Instant;

/// Mutations of a text of clients; those of what is on disk are named with each.
const TEXTS: u64 = 200_000;

/// Tells the input of a target that panics, so that it can be kept as a regression.
struct Telltale<'a>(&'a str, &'a [u8]);

impl Drop for Telltale<'_> {
    fn drop(&mut self) {
        if std::thread::panicking() {
            let hex: String = self.1.iter().map(|byte| format!("{byte:02x}")).collect();
            eprintln!("the finding, for native/fuzz/corpus/{}: {hex}", self.0);
        }
    }
}

fn run(target: &Target, input: &[u8]) {
    let _telltale = Telltale(target.name, input);
    (target.run)(input);
}

/// Seeds first; then the files in order of their names.
fn corpus(target: &Target) -> Vec<Vec<u8>> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(target.name);
    let mut paths: Vec<_> = folder.read_dir().unwrap().map(|entry| entry.unwrap().path()).collect();
    paths.sort();
    let mut inputs = (target.seeds)();
    inputs.extend(paths.iter().map(|path| std::fs::read(path).unwrap()));
    inputs
}

fn replay_and_mutate(target: &Target, mutations: u64) {
    let inputs = corpus(target);
    inputs.iter().for_each(|input| run(target, input));
    let mut mutator = Mutator::new(target.name, &inputs);
    let times = std::env::var("TESSERA_FUZZ_TIMES").map(|text| text.parse::<u64>().unwrap());
    let (begun, mutations) = (Instant::now(), times.map_or(mutations / 40, |times| mutations * times));
    for _ in 0..mutations {
        run(target, &mutator.next());
    }
    println!("{}: {} inputs, {mutations} mutations in {:.1} s", target.name, inputs.len(), begun.elapsed().as_secs_f64());
}

fn decoder(name: &str, mutations: u64) {
    replay_and_mutate(DECODERS.iter().find(|target| target.name == name).unwrap(), mutations);
}

#[test]
fn blocks_survive() {
    decoder("block", 200_000);
}

#[test]
fn histories_of_metrics_survive() {
    decoder("history", 1_000_000);
}

#[test]
fn logs_of_jobs_survive() {
    decoder("jobs", 1_000_000);
}

#[test]
fn logs_of_pages_survive() {
    decoder("log", 80_000);
}

#[test]
fn manifests_survive() {
    decoder("manifest", 2_000_000);
}

#[test]
fn pages_survive() {
    decoder("page", 1_000_000);
}

#[test]
fn records_survive() {
    decoder("record", 4_000_000);
}

#[test]
fn starts_survive() {
    decoder("recovery", 30_000);
}

#[test]
fn snapshots_survive() {
    decoder("snapshot", 3_000_000);
}

#[test]
fn texts_of_clients_survive() {
    PARSERS.iter().for_each(|target| replay_and_mutate(target, TEXTS));
}

#[test]
fn every_corpus_has_its_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for entry in folder.read_dir().unwrap() {
        let name = entry.unwrap().file_name();
        assert!(DECODERS.iter().chain(&PARSERS).any(|target| *target.name == *name), "{name:?}");
    }
}
