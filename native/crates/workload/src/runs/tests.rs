use super::*;
use std::path::Path;
use std::time::Duration;
use tessera_core::{EngineOptions, NamespaceConfig};
use tessera_jobs::{JobPatch, JobQuery};

const PATIENCE: Duration = Duration::from_secs(60);

fn open(directory: &Path) -> (Arc<Engine>, Arc<Runs>) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let runs = Runs::open(&engine);
    if engine.namespace("test").is_err() {
        engine.create_namespace(NamespaceConfig::memory("test")).unwrap();
    }
    (engine, runs)
}

fn listed(runs: &Runs) -> Vec<RunInfo> {
    runs.list(&JobQuery::default()).unwrap().runs
}

fn short() -> WorkloadSpec {
    WorkloadSpec { keys: 100, threads: 2, operations: Some(500), fill: true, ..WorkloadSpec::new("test") }
}

fn wait(engine: &Engine, id: &str) -> tessera_jobs::JobInfo {
    match engine.jobs().running(id) {
        Ok(job) => job.wait_blocking(PATIENCE),
        Err(_) => engine.jobs().info(id).unwrap(),
    }
}

#[test]
fn runs_are_jobs_and_outlive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, runs) = open(directory.path());
    let first = runs.start(&engine, short()).unwrap();
    let job = wait(&engine, &first.id);
    assert_eq!((job.kind, job.state, job.done, job.total), (JobKind::Workload, JobState::Done, 500, Some(500)));
    let second = runs.start(&engine, WorkloadSpec { name: Some("again".into()), ..short() }).unwrap();
    wait(&engine, &second.id);
    let before = runs.get(&first.id).unwrap();
    assert_eq!((before.0.state, before.0.result.as_ref().unwrap().operations), (JobState::Done, 500));
    assert!(!before.1.is_empty());
    drop(runs);
    engine.close().unwrap();
    let (engine, runs) = open(directory.path());
    assert_eq!(listed(&runs).iter().map(|run| &run.id).collect::<Vec<_>>(), [&second.id, &first.id]);
    assert_eq!(runs.get(&first.id).unwrap(), before);
    let compared = runs.compare(&[first.id.clone(), second.id.clone()]).unwrap();
    assert_eq!((compared.runs.len(), compared.figures[0].runs.len()), (2, 2));
    for ids in [vec![], vec![first.id.clone()], vec![first.id.clone(); 2], vec!["x".to_owned(); 7]] {
        assert_eq!(runs.compare(&ids).unwrap_err().code, ErrorCode::WorkloadInvalid);
    }
    let unknown = runs.compare(&[first.id.clone(), "none".into()]).unwrap_err();
    assert_eq!((unknown.code, unknown.field.as_deref()), (ErrorCode::WorkloadNotFound, Some("ids")));
    for unknown in [runs.get("none").unwrap_err(), runs.latency("none").unwrap_err(), runs.remove("none").unwrap_err()] {
        assert_eq!((unknown.code, unknown.field.as_deref()), (ErrorCode::WorkloadNotFound, Some("id")));
    }
    runs.remove(&first.id).unwrap();
    assert_eq!(runs.get(&first.id).unwrap_err().code, ErrorCode::WorkloadNotFound);
    assert_eq!(std::fs::read_dir(directory.path().join("workloads")).unwrap().count(), 1);
    engine.close().unwrap();
}

#[test]
fn an_abort_keeps_the_figures_so_far() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, runs) = open(directory.path());
    let spec = WorkloadSpec { operations: None, duration_seconds: Some(3600), fill: false, ..short() };
    let run = runs.start(&engine, spec).unwrap();
    let refused = engine.jobs().patch(&run.id, JobPatch { paused: Some(true), ..JobPatch::default() }).unwrap_err();
    assert_eq!(refused.code, ErrorCode::Unsupported);
    assert!(!runs.remove(&run.id).unwrap().state.ended());
    assert_eq!(wait(&engine, &run.id).state, JobState::Aborted);
    let (info, _) = runs.get(&run.id).unwrap();
    assert_eq!((info.state, info.error), (JobState::Aborted, None));
    assert!(info.result.is_some());
    engine.close().unwrap();
}

#[test]
fn what_cannot_start_leaves_nothing() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, runs) = open(directory.path());
    let fault = |spec| runs.start(&engine, spec).unwrap_err().code;
    assert_eq!(fault(WorkloadSpec::new("nowhere")), ErrorCode::NamespaceNotFound);
    assert_eq!(fault(WorkloadSpec { threads: 0, ..short() }), ErrorCode::ThreadsInvalid);
    assert!(listed(&runs).is_empty() && engine.jobs().list(&JobQuery::default()).unwrap().jobs.is_empty());
    let long = WorkloadSpec { threads: THREADS, operations: None, duration_seconds: Some(3600), ..short() };
    let running = runs.start(&engine, long).unwrap();
    assert_eq!(fault(short()), ErrorCode::JobLimit);
    runs.remove(&running.id).unwrap();
    assert_eq!(wait(&engine, &running.id).state, JobState::Aborted);
    engine.close().unwrap();
}

#[test]
fn a_fill_that_fails_fails_the_run() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, runs) = open(directory.path());
    engine.create_namespace(NamespaceConfig { max_record_bytes: 200, ..NamespaceConfig::memory("small") }).unwrap();
    let run = runs.start(&engine, WorkloadSpec { namespace: "small".into(), ..short() }).unwrap();
    let job = wait(&engine, &run.id);
    assert_eq!((job.state, job.error.unwrap().code.as_str()), (JobState::Failed, "record_too_large"));
    assert_eq!(runs.get(&run.id).unwrap().0.error.unwrap().code, "record_too_large");
    engine.close().unwrap();
}

#[test]
fn a_crash_and_a_strange_file_are_told_apart() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, runs) = open(directory.path());
    let run = runs.start(&engine, short()).unwrap();
    wait(&engine, &run.id);
    drop(runs);
    engine.close().unwrap();
    let folder = directory.path().join("workloads");
    let kept = std::fs::read_to_string(folder.join(&run.id).with_extension("ndjson")).unwrap();
    let (_, json) = kept.lines().next().unwrap().split_once(' ').unwrap();
    let crashed = json.replace("\"done\"", "\"running\"").replace(&run.id, "crashed");
    let crashed = format!("{:08x} {crashed}\n{}", crc32c::crc32c(crashed.as_bytes()), kept.split_once('\n').unwrap().1);
    // The kill came while a second was written.
    std::fs::write(folder.join("crashed.ndjson"), crashed + "01234567 {\"at").unwrap();
    std::fs::write(folder.join("other.ndjson"), &kept).unwrap();
    std::fs::write(folder.join("torn.ndjson"), &kept[..40]).unwrap();
    std::fs::write(folder.join("notes.txt"), "mine").unwrap();
    let (engine, runs) = open(directory.path());
    assert!(runs.damaged().is_empty(), "nothing is read before someone asks");
    let ids: Vec<(String, JobState)> = listed(&runs).into_iter().map(|run| (run.id, run.state)).collect();
    assert_eq!(ids, [("crashed".to_owned(), JobState::Failed), (run.id.clone(), JobState::Done)]);
    assert_eq!(runs.get("crashed").unwrap().1, runs.get(&run.id).unwrap().1);
    let told = runs.damaged();
    assert!(told.len() == 2 && told[0].contains("other.ndjson") && told[1].contains("torn.ndjson"), "{told:?}");
    engine.close().unwrap();
}

#[test]
fn what_is_no_file_is_told_and_not_waited_for() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, runs) = open(directory.path());
    let run = runs.start(&engine, short()).unwrap();
    wait(&engine, &run.id);
    let folder = directory.path().join("workloads");
    std::fs::create_dir(folder.join("folder.ndjson")).unwrap();
    std::os::unix::fs::symlink("nowhere", folder.join("link.ndjson")).unwrap();
    assert!(std::process::Command::new("mkfifo").arg(folder.join("pipe.ndjson")).status().unwrap().success());
    let runs = Runs::open(&engine);
    assert_eq!(listed(&runs).iter().map(|run| &run.id).collect::<Vec<_>>(), [&run.id]);
    let told = runs.damaged();
    assert!(told.len() == 3 && told[0].contains("folder.ndjson: it cannot be read"), "{told:?}");
    assert!(told[1].contains("link.ndjson") && told[2].contains("pipe.ndjson: it cannot be read"), "{told:?}");
    engine.close().unwrap();
}

#[test]
fn a_run_that_cannot_be_kept_does_not_begin() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, runs) = open(directory.path());
    assert!(listed(&runs).is_empty());
    assert!(std::process::Command::new("mkfifo").arg(directory.path().join("workloads")).status().unwrap().success());
    assert_eq!(Runs::open(&engine).start(&engine, short()).unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
    assert_eq!(runs.start(&engine, short()).unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
    assert!(listed(&runs).is_empty());
    std::fs::remove_file(directory.path().join("workloads")).unwrap();
    let run = runs.start(&engine, short()).unwrap();
    assert_eq!(wait(&engine, &run.id).state, JobState::Done);
    engine.close().unwrap();
}

#[test]
fn a_run_whose_end_cannot_be_saved_says_so_and_is_saved_later() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, _) = open(directory.path());
    let runs = Runs::open_with(&engine, Duration::from_millis(1));
    let long = || WorkloadSpec { operations: None, duration_seconds: Some(3600), ..short() };
    let ids = [(); 2].map(|()| runs.start(&engine, long()).unwrap().id);
    while ids.iter().any(|id| runs.get(id).unwrap().1.is_empty()) {
        std::thread::yield_now();
    }
    let (folder, away) = (directory.path().join("workloads"), directory.path().join("away"));
    std::fs::rename(&folder, &away).unwrap();
    std::fs::write(&folder, "no folder").unwrap();
    for id in &ids {
        runs.remove(id).unwrap();
        assert_eq!(wait(&engine, id).state, JobState::Aborted);
        let (info, frames) = runs.get(id).unwrap();
        assert!(info.unsaved.unwrap().contains("cannot be written") && info.result.is_some() && !frames.is_empty());
    }
    // The file with its first seconds would bring it back.
    assert_eq!(runs.remove(&ids[0]).unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
    assert!(runs.get(&ids[0]).unwrap().0.unsaved.is_some());
    let before = runs.get(&ids[1]).unwrap();
    std::fs::remove_file(&folder).unwrap();
    std::fs::rename(&away, &folder).unwrap();
    // One that is forgotten while it is written does not come back.
    runs.remove(&ids[0]).unwrap();
    while runs.get(&ids[1]).unwrap().0.unsaved.is_some() {
        std::thread::yield_now();
    }
    let expected = (RunInfo { unsaved: None, ..before.0 }, before.1);
    assert_eq!(runs.get(&ids[1]).unwrap(), expected);
    assert!(runs.unsaved.all().is_empty());
    let next = Runs::open(&engine);
    assert_eq!(next.get(&ids[1]).unwrap(), expected);
    assert_eq!(listed(&next).len(), 1);
    drop((runs, next));
    engine.close().unwrap();
}

#[test]
fn no_run_is_removed_in_a_directory_that_replaced_ours() {
    let outer = tempfile::tempdir().unwrap();
    let (ours, away) = (outer.path().join("data"), outer.path().join("away"));
    std::fs::create_dir(&ours).unwrap();
    let (engine, runs) = open(&ours);
    let id = runs.start(&engine, short()).unwrap().id;
    assert_eq!(wait(&engine, &id).state, JobState::Done);
    let file = |directory: &Path| directory.join("workloads").join(&id).with_extension("ndjson");
    std::fs::rename(&ours, &away).unwrap();
    std::fs::create_dir_all(ours.join("workloads")).unwrap();
    std::fs::copy(file(&away), file(&ours)).unwrap();
    assert_eq!(runs.remove(&id).unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
    assert!(file(&ours).exists());
    assert_eq!(listed(&runs).len(), 1);
    std::fs::remove_dir_all(&ours).unwrap();
    std::fs::rename(&away, &ours).unwrap();
    runs.remove(&id).unwrap();
    assert!(!file(&ours).exists() && listed(&runs).is_empty());
    engine.close().unwrap();
}

#[test]
fn a_damaged_byte_costs_its_line_and_is_told() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, runs) = open(directory.path());
    let spec = WorkloadSpec { operations: None, duration_seconds: Some(2), fill: false, ..short() };
    let run = runs.start(&engine, spec).unwrap();
    wait(&engine, &run.id);
    let frames = runs.get(&run.id).unwrap().1;
    assert!(frames.len() >= 2);
    let path = directory.path().join("workloads").join(&run.id).with_extension("ndjson");
    let kept = std::fs::read(&path).unwrap();
    let first = kept.iter().position(|&byte| byte == b'\n').unwrap() + 1;
    for at in first..kept.len() {
        let mut damaged = kept.clone();
        damaged[at] ^= 1;
        std::fs::write(&path, damaged).unwrap();
        let runs = Runs::open(&engine);
        let left = runs.get(&run.id).unwrap().1;
        assert!(left.len() < frames.len() && left.iter().all(|frame| frames.contains(frame)), "byte {at}");
        // The end of the last line is like a write that a kill cut off.
        assert!(runs.damaged().len() == 1 || at + 1 == kept.len(), "byte {at}");
    }
    engine.close().unwrap();
}

#[test]
fn a_kill_leaves_the_seconds_before_it() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, runs) = open(directory.path());
    let spec = WorkloadSpec { operations: None, duration_seconds: Some(3600), fill: false, ..short() };
    let run = runs.start(&engine, spec).unwrap();
    while runs.get(&run.id).unwrap().1.is_empty() {
        std::thread::yield_now();
    }
    // As a start after a kill reads it.
    let killed = Runs::open(&engine);
    let (info, frames) = killed.get(&run.id).unwrap();
    assert_eq!((info.state, info.error.unwrap().code.as_str()), (JobState::Failed, "aborted"));
    assert_eq!(frames[0], runs.get(&run.id).unwrap().1[0]);
    runs.remove(&run.id).unwrap();
    wait(&engine, &run.id);
    engine.close().unwrap();
}

#[test]
fn a_run_keeps_its_histograms_and_one_of_before_has_none() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, runs) = open(directory.path());
    let spec = WorkloadSpec { operations: None, duration_seconds: Some(2), fill: false, ..short() };
    let run = runs.start(&engine, spec).unwrap();
    wait(&engine, &run.id);
    let (info, frames) = runs.get(&run.id).unwrap();
    let steps = runs.latency(&run.id).unwrap();
    assert!(steps.len() == frames.len() && frames.len() > 1);
    // The last one also has what came after it.
    for (step, frame) in steps.iter().zip(&frames[..frames.len() - 1]) {
        for (kept, shown) in [(&step.read, &frame.read), (&step.write, &frame.write)] {
            assert_eq!((kept.count, Some(kept.slo[4])), (shown.count, shown.within1ms));
            assert_eq!(kept.count, kept.overflow + kept.buckets.chunks(2).map(|pair| pair[1]).sum::<u64>());
        }
    }
    let result = info.result.unwrap();
    assert_eq!(steps.iter().map(|step| step.read.count).sum::<u64>(), result.read.count);
    let max = |ns: u64| (ns as f64 / 1000.0).round() / 1000.0;
    assert_eq!(steps.iter().map(|step| max(step.read.max_ns)).fold(0.0, f64::max), result.read.max_ms);

    // The lines of a second as they were before.
    let path = directory.path().join("workloads").join(&run.id).with_extension("ndjson");
    let lines = std::fs::read_to_string(&path).unwrap();
    let bare = lines.lines().map(|line| {
        let mut value: serde_json::Value = serde_json::from_str(&line[9..]).unwrap();
        let object = value.as_object_mut().unwrap();
        object.remove("histograms");
        for part in ["read", "write"] {
            object.get_mut(part).and_then(serde_json::Value::as_object_mut).map(|part| part.remove("within1ms"));
        }
        let json = value.to_string();
        format!("{:08x} {json}\n", crc32c::crc32c(json.as_bytes()))
    });
    std::fs::write(&path, bare.collect::<String>()).unwrap();
    let before = Runs::open(&engine);
    let (_, old) = before.get(&run.id).unwrap();
    assert_eq!(
        old.iter().map(|frame| frame.read.count).collect::<Vec<_>>(),
        frames.iter().map(|frame| frame.read.count).collect::<Vec<_>>()
    );
    assert!(old.iter().all(|frame| frame.read.within1ms.is_none()) && before.damaged().is_empty());
    assert!(before.latency(&run.id).unwrap().is_empty());
    engine.close().unwrap();
}
