//! Replays the corpora of `native/fuzz/corpus`, and then runs each target on mutations of them: always the same ones, in a
//! fixed number, or for `TESSERA_FUZZ_SECONDS` seconds where that is set.

mod mutate;

use super::{DECODERS, PARSERS, Target};
use mutate::Mutator;
use std::path::Path;
use std::time::{Duration, Instant};

/// Mutations of each target where no time is set; a whole start, or doing a log again, takes ten times as long as the others.
const MUTATIONS: u64 = 200_000;
const STARTS: u64 = 20_000;

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

fn replay_and_mutate(target: &Target, time: Option<Duration>) {
    let inputs = corpus(target);
    inputs.iter().for_each(|input| run(target, input));
    let mut mutator = Mutator::new(target.name, &inputs);
    let most = if ["recovery", "log"].contains(&target.name) { STARTS } else { MUTATIONS };
    let (begun, mut done) = (Instant::now(), 0);
    while time.map_or(done < most, |time| begun.elapsed() < time) {
        run(target, &mutator.next());
        done += 1;
    }
    println!("{}: {} inputs, {done} mutations in {:.1} s", target.name, inputs.len(), begun.elapsed().as_secs_f64());
}

fn decoder(name: &str) {
    let seconds = std::env::var("TESSERA_FUZZ_SECONDS").ok().map(|text| text.parse().unwrap());
    let target = DECODERS.iter().find(|target| target.name == name).unwrap();
    replay_and_mutate(target, seconds.map(Duration::from_secs));
}

#[test]
fn blocks_survive() {
    decoder("block");
}

#[test]
fn logs_of_pages_survive() {
    decoder("log");
}

#[test]
fn manifests_survive() {
    decoder("manifest");
}

#[test]
fn pages_survive() {
    decoder("page");
}

#[test]
fn records_survive() {
    decoder("record");
}

#[test]
fn starts_survive() {
    decoder("recovery");
}

#[test]
fn snapshots_survive() {
    decoder("snapshot");
}

#[test]
fn texts_of_clients_survive() {
    PARSERS.iter().for_each(|target| replay_and_mutate(target, None));
}

#[test]
fn every_corpus_has_its_target() {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus");
    for entry in folder.read_dir().unwrap() {
        let name = entry.unwrap().file_name();
        assert!(DECODERS.iter().chain(&PARSERS).any(|target| *target.name == *name), "{name:?}");
    }
}
