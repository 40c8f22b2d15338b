//! Data directories that earlier versions have written are opened, and lose nothing.
//!
//! `tests/earlier` has a folder for each version that wrote one, and in it `closed`, after an orderly stop, and `killed`. Each file
//! of a data directory is there under its own path, compressed. If a format changes, add a folder and never replace one:
//! `TESSERA_EARLIER=2 cargo test --package tessera-core --test integration earlier::writes_a_new_fixture`.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

mod check;
mod contents;
mod files;

use check::check;
use std::path::{Path, PathBuf};
use std::process::Command;
use tessera_core::{Engine, EngineOptions};

/// Name of the new fixture, for `writes_a_new_fixture`.
const NEW: &str = "TESSERA_EARLIER";
/// Data directory of the child that is killed.
const CHILD: &str = "TESSERA_EARLIER_DIRECTORY";

fn fixtures() -> PathBuf {
    Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/earlier")
}

/// Two starts: the second reads what the first has left.
fn opens_twice(directory: &Path, closed: bool) {
    for closed in [closed, true] {
        let engine = Engine::open(directory, EngineOptions::default()).unwrap();
        check(&engine, closed);
        engine.close().unwrap();
    }
}

#[test]
fn files_of_earlier_versions_open_unchanged() {
    let versions: Vec<PathBuf> = std::fs::read_dir(fixtures()).unwrap().map(|entry| entry.unwrap().path()).collect();
    assert!(!versions.is_empty());
    for version in versions {
        for (state, closed) in [("closed", true), ("killed", false)] {
            let directory = tempfile::tempdir().unwrap();
            files::unpack(&version.join(state), directory.path());
            opens_twice(directory.path(), closed);
        }
    }
}

#[test]
fn files_of_this_version_open_unchanged() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    contents::write(&engine);
    engine.close().unwrap();
    opens_twice(directory.path(), true);
    let directory = tempfile::tempdir().unwrap();
    kill_a_writer(directory.path());
    opens_twice(directory.path(), false);
}

/// Writes a fixture if its name is given.
#[test]
fn writes_a_new_fixture() {
    let Ok(name) = std::env::var(NEW) else { return };
    let closed = tempfile::tempdir().unwrap();
    let engine = Engine::open(closed.path(), EngineOptions::default()).unwrap();
    contents::write(&engine);
    engine.close().unwrap();
    files::pack(closed.path(), &fixtures().join(&name).join("closed"));
    let killed = tempfile::tempdir().unwrap();
    kill_a_writer(killed.path());
    files::pack(killed.path(), &fixtures().join(&name).join("killed"));
}

fn kill_a_writer(directory: &Path) {
    let child = ["--exact", "earlier::child", "--nocapture"];
    let status = Command::new(std::env::current_exe().unwrap()).args(child).env(CHILD, directory).status().unwrap();
    assert_eq!(status.code(), None, "the child was not killed");
}

/// Runs only as the child of `kill_a_writer`.
#[test]
fn child() {
    if let Ok(directory) = std::env::var(CHILD) {
        let engine = Engine::open(Path::new(&directory), EngineOptions::default()).unwrap();
        contents::write(&engine);
        rustix::process::kill_process(rustix::process::getpid(), rustix::process::Signal::KILL).unwrap();
    }
}
