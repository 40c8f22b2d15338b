//! The command line of `tessera bench`, in the core; `e2e` runs it against a gateway.

#![allow(clippy::unwrap_used, reason = "a test fails by panicking")]

use serde_json::Value;
use std::io::{BufRead, BufReader};
use std::process::{Command, Output, Stdio};

fn bench(arguments: &[&str]) -> Output {
    Command::new(env!("CARGO_BIN_EXE_tessera")).arg("bench").args(arguments).output().unwrap()
}

#[test]
fn a_run_gives_a_table_or_one_object_and_a_log() {
    let directory = tempfile::tempdir().unwrap();
    let log = directory.path().join("run.hlog");
    let small = ["-k", "200", "-o", "I,S:10", "-b", "2", "-z", "2", "--operations", "1000", "-w", "RU,50"];
    let json = bench(&[&small[..], &["--json", "--hdr-log", log.to_str().unwrap()]].concat());
    assert!(json.status.success(), "{}", String::from_utf8_lossy(&json.stderr));
    let answer: Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!((&answer["result"]["operations"], &answer["spec"]["fill"]), (&Value::from(1000), &Value::from(true)));
    assert!(!answer["frames"].as_array().unwrap().is_empty());
    assert!(String::from_utf8(json.stderr).unwrap().contains("read(tps="));
    let log = std::fs::read_to_string(log).unwrap();
    assert!(log.contains("#[StartTime:") && log.contains("Tag=read,") && log.contains("Tag=write,"), "{log}");
    let table = String::from_utf8(bench(&small).stdout).unwrap();
    assert!(table.contains("1000 operations") && table.contains("<1ms %"), "{table}");
}

#[test]
fn a_data_directory_is_kept_and_used_again() {
    let directory = tempfile::tempdir().unwrap();
    let data = directory.path().to_str().unwrap();
    let device = ["--data", data, "--storage", "device", "-o", "B:100", "-z", "1"];
    let insert = bench(&[&device[..], &["-w", "I", "-k", "50", "--json"]].concat());
    let answer: Value = serde_json::from_slice(&insert.stdout).unwrap();
    assert_eq!((&answer["result"]["write"]["count"], &answer["spec"]["fill"]), (&Value::from(50), &Value::from(false)));
    let read = bench(&[&device[..], &["-w", "RU,100", "-k", "100", "--operations", "500", "--json"]].concat());
    let answer: Value = serde_json::from_slice(&read.stdout).unwrap();
    let (found, missing) = (answer["result"]["read"]["count"].as_u64().unwrap(), &answer["result"]["errors"]["record_not_found"]);
    assert_eq!(found + missing.as_u64().unwrap(), 500);
    assert!(found > 150);
}

#[test]
fn a_workload_of_ycsb_has_its_own_records_and_is_told_by_kind() {
    let small = ["--ycsb", "e", "-k", "200", "-z", "2", "--operations", "500", "--scan-length", "5", "--json"];
    let ran = bench(&small);
    assert!(ran.status.success(), "{}", String::from_utf8_lossy(&ran.stderr));
    let answer: Value = serde_json::from_slice(&ran.stdout).unwrap();
    let (spec, result) = (&answer["spec"], &answer["result"]);
    assert_eq!((&spec["workload"], &spec["set"]), (&Value::from("YCSB,E"), &Value::from("usertable")));
    assert_eq!((&spec["bins"], &spec["object"], &result["errors"]), (&Value::from(10), &Value::from("S:100"), &serde_json::json!({})));
    let kinds: Vec<&str> = result["kinds"].as_array().unwrap().iter().map(|kind| kind["kind"].as_str().unwrap()).collect();
    assert_eq!(kinds, ["insert", "scan"]);
    let mixed = bench(&["--ycsb", "read:50,rmw:50", "--distribution", "uniform", "-b", "2", "-k", "50", "-z", "1", "--operations", "100"]);
    let table = String::from_utf8(mixed.stdout).unwrap();
    assert!(table.contains("read-modify-write") && table.contains("p95"), "{table}");
}

#[test]
fn a_bad_argument_is_named_and_ends_with_status_2() {
    for arguments in [
        &["-z"][..],
        &["-z", "0"],
        &["-z", "1025"],
        &["-k", "x"],
        &["--window", "0"],
        &["--window", "257"],
        &["--window", "16", "-z", "1024"],
        &["-w", "RU,101"],
        &["-o", "X:1"],
        &["--ycsb", "g"],
        &["--ycsb", "read:50"],
        &["--ycsb", "a", "--distribution", "normal"],
        &["--distribution", "latest"],
        &["--ycsb", "e", "--scan-length", "0"],
        &["--ycsb", "load", "--scan-length", "5"],
        &["-g", "0"],
        &["-n", ".."],
        &["-p", "99999"],
        &["--storage", "paper"],
        &["--durability", "commit"],
        &["--segments", "3"],
        &["--data", "d", "-h", "localhost"],
        &["--colour"],
        &["file"],
    ] {
        let refused = bench(arguments);
        assert_eq!(refused.status.code(), Some(2), "{arguments:?}");
        let told = String::from_utf8(refused.stderr).unwrap();
        assert!(told.starts_with("error: ") && arguments.iter().any(|word| told.contains(word)), "{arguments:?}: {told}");
        assert!(refused.stdout.is_empty());
    }
}

#[test]
fn the_usage_is_shown_by_a_letter_and_two_names() {
    for word in ["-u", "--usage", "--help"] {
        let shown = bench(&["-k", "5", word]);
        assert!(shown.status.success() && shown.stderr.is_empty(), "{word}");
        let text = String::from_utf8(shown.stdout).unwrap();
        for part in ["Usage: tessera bench", "ITERATE[,BATCH[,keys]]", "-z <N>", "[default: RU,95]", "--hdr-log <FILE>"] {
            assert!(text.contains(part), "{word}: {part}: {text}");
        }
    }
    let nothing = Command::new(env!("CARGO_BIN_EXE_tessera")).output().unwrap();
    assert_eq!((nothing.status.code(), nothing.stdout.is_empty()), (Some(2), true));
}

#[test]
fn an_interrupt_tells_what_was_measured_and_leaves_nothing() {
    let parent = tempfile::tempdir().unwrap();
    let mut running = Command::new(env!("CARGO_BIN_EXE_tessera"))
        .args(["bench", "-k", "200", "-z", "2", "--seconds", "3600", "--window", "4", "--storage", "device", "--single-bin", "--json"])
        .env("TMPDIR", parent.path())
        .stdout(Stdio::piped())
        .stderr(Stdio::piped())
        .spawn()
        .unwrap();
    let mut lines = BufReader::new(running.stderr.take().unwrap()).lines();
    assert!(lines.any(|line| line.unwrap().contains("read(tps=")));
    assert_eq!(std::fs::read_dir(parent.path()).unwrap().count(), 1);
    // SAFETY: the call takes no pointer; the process is a child that was not waited for.
    assert_eq!(unsafe { libc::kill(running.id() as i32, libc::SIGINT) }, 0);
    let told = lines.count();
    let ended = running.wait_with_output().unwrap();
    assert_eq!(ended.status.code(), Some(130), "{told} more lines");
    let answer: Value = serde_json::from_slice(&ended.stdout).unwrap();
    assert!(answer["result"]["operations"].as_u64().unwrap() > 0);
    assert_eq!((&answer["spec"]["window"], std::fs::read_dir(parent.path()).unwrap().count()), (&Value::from(4), 0));
}

#[test]
fn a_window_over_http_is_refused() {
    let refused = bench(&["--window", "2", "-p", "1"]);
    assert!(!refused.status.success());
    assert!(String::from_utf8(refused.stderr).unwrap().contains("use more threads"));
}
