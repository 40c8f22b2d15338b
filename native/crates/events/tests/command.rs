//! The command line of `tessera-events`.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use std::process::{Command, Output, Stdio};

fn run(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tessera-events")).args(arguments).output().unwrap()
}

#[test]
fn rows_are_written_in_both_formats() {
    let csv = run(&["--rows", "5", "--seed", "2"]);
    assert!(csv.status.success() && csv.stdout.starts_with(b"event_id,") && csv.stderr.is_empty());
    let ndjson = run(&["--rows=5", "--seed=2", "--format=ndjson"]);
    assert_eq!(String::from_utf8(ndjson.stdout).unwrap().lines().count(), 5);
    assert_eq!(run(&["--rows", "0", "--format", "ndjson"]).stdout, b"");
}

#[test]
fn a_bad_argument_is_named_and_ends_with_status_2() {
    for arguments in [&["--rows"][..], &["--rows", "x"], &["--rows", "-1"], &["--format", "xml"], &["--colour"], &["events.csv"]] {
        let refused = run(arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        let told = String::from_utf8(refused.stderr).unwrap();
        assert!(told.starts_with("error: ") && arguments.iter().any(|word| told.contains(word)), "{arguments:?}: {told}");
        assert!(refused.stdout.is_empty());
    }
    assert!(String::from_utf8(run(&["--help"]).stdout).unwrap().contains("--rows <N>"));
}

#[test]
fn a_reader_that_leaves_is_no_failure() {
    let mut writer = Command::new(env!("CARGO_BIN_EXE_tessera-events")).args(["--rows", "5000"]).stdout(Stdio::piped()).spawn().unwrap();
    drop(writer.stdout.take());
    assert!(writer.wait().unwrap().success());
}
