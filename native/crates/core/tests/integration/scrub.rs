//! A scrub names exactly the records that are damaged on the device, whatever goes on meanwhile.
#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use std::collections::BTreeSet;
use std::fs;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::Duration;
use tessera_base::ErrorCode;
use tessera_core::{DeviceConfig, Durability, Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_jobs::{JobInfo, JobPatch, JobState};
use tessera_record::{Digest, KeyRef, Value};

const LONG: Duration = Duration::from_secs(60);
const BLOCK: u32 = 16 * 1024;
const KEPT: i64 = 400;

fn open(directory: &Path) -> (Arc<Engine>, Arc<Namespace>) {
    let engine = Engine::open(directory, EngineOptions::default()).unwrap();
    let device = DeviceConfig { write_block_bytes: BLOCK, capacity_bytes: 96 * u64::from(BLOCK), ..DeviceConfig::default() };
    let config =
        NamespaceConfig { segments: 8, durability: Durability::Relaxed, max_record_bytes: 8192, ..NamespaceConfig::device("n", device) };
    let namespace = engine.create_namespace(config).unwrap();
    (engine, namespace)
}

fn put(namespace: &Namespace, key: i64, text: &str) -> Result<(), ErrorCode> {
    let body = body(KeyRef::Integer(key), &[("v", Value::String(text.into()))]);
    namespace.put("s", KeyRef::Integer(key), &body, &WriteOptions::default()).map(drop).map_err(|error| error.code)
}

/// Records of which each has a text that is nowhere else.
fn fill(namespace: &Namespace) {
    (0..KEPT).for_each(|key| put(namespace, key, &format!("<text {key:06}>{}", "x".repeat(400))).unwrap());
    namespace.sync().unwrap();
}

/// Flips a bit of the newest copy of a record where it lies on the device.
fn damage(directory: &Path, key: i64) {
    let path = directory.join("namespaces/1/data.tsr");
    let (bytes, text) = (fs::read(&path).unwrap(), format!("<text {key:06}>"));
    let file = fs::File::options().write(true).open(path).unwrap();
    // Defragmentation may have left older copies behind.
    for at in (0..bytes.len() - text.len()).filter(|at| bytes[*at..].starts_with(text.as_bytes())) {
        file.write_all_at(&[bytes[at] ^ 1], at as u64).unwrap();
    }
}

/// Ends the writer, also where the test fails.
struct End<'a>(&'a AtomicBool);

impl Drop for End<'_> {
    fn drop(&mut self) {
        self.0.store(true, Relaxed);
    }
}

fn scrub(namespace: &Arc<Namespace>) -> JobInfo {
    let info = namespace.scrub(Some(0)).unwrap().wait_blocking(LONG);
    assert_eq!((info.state, &info.error), (JobState::Done, &None));
    assert_eq!(Some(info.done), info.total);
    info
}

fn named(info: &JobInfo) -> BTreeSet<String> {
    assert_eq!(info.damaged, info.damage.len() as u64);
    info.damage.iter().map(|place| place.digest.clone()).collect()
}

fn digests(keys: &[i64]) -> BTreeSet<String> {
    keys.iter().map(|key| Digest::of("s", KeyRef::Integer(*key)).to_string()).collect()
}

#[test]
fn damaged_records_are_named_with_their_place_and_the_others_are_served() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, namespace) = open(directory.path());
    fill(&namespace);
    let sound = scrub(&namespace);
    assert_eq!((sound.damaged, engine.notices().len()), (0, 0));
    let result: serde_json::Value = serde_json::from_str(&sound.result.unwrap()).unwrap();
    assert!(result["blocks"].as_u64().unwrap() > 10 && result["records"].as_u64().unwrap() > 300, "{result}");
    assert_eq!(result["damagedBlocks"], 0);

    damage(directory.path(), 3);
    damage(directory.path(), 77);
    let found = scrub(&namespace);
    assert_eq!(named(&found), digests(&[3, 77]));
    assert!(found.damage.iter().all(|place| place.set == "s" && place.message.contains("data.tsr")), "{:?}", found.damage);
    assert!(engine.notices()[0].error.message.contains("2 damaged places were found on its device by the last scrub"));

    put(&namespace, 3, "written anew").unwrap();
    put(&namespace, 77, "written anew").unwrap();
    namespace.sync().unwrap();
    assert_eq!(scrub(&namespace).damaged, 0);
    assert!(engine.notices().is_empty());
}

#[test]
fn a_damaged_block_header_is_named_and_costs_no_record() {
    let directory = tempfile::tempdir().unwrap();
    let (_engine, namespace) = open(directory.path());
    fill(&namespace);
    let file = fs::File::options().write(true).open(directory.path().join("namespaces/1/data.tsr")).unwrap();
    file.write_all_at(b"X", 2 * u64::from(BLOCK)).unwrap();
    let info = scrub(&namespace);
    let result: serde_json::Value = serde_json::from_str(&info.result.unwrap()).unwrap();
    assert_eq!((info.damaged, result["damagedBlocks"].as_u64()), (0, Some(1)));
    assert_eq!(result["damagedBlockPlaces"][0], format!("{} of data.tsr", 2 * BLOCK));
}

#[test]
fn writes_and_defragmentation_raise_no_false_alarm() {
    let directory = tempfile::tempdir().unwrap();
    let (_engine, namespace) = open(directory.path());
    fill(&namespace);
    let stop = AtomicBool::new(false);
    std::thread::scope(|scope| {
        scope.spawn(|| {
            for n in 0_i64.. {
                if stop.load(Relaxed) {
                    return;
                }
                let key = KEPT + n * 7919 % 800;
                let outcome = match n % 9 {
                    0 => namespace.delete("s", KeyRef::Integer(key), None).map(drop).map_err(|error| error.code),
                    _ => put(&namespace, key, &format!("{n} {}", "y".repeat((n % 600) as usize))),
                };
                assert!(matches!(outcome, Ok(()) | Err(ErrorCode::DeviceOverload)), "{outcome:?}");
            }
        });
        let _end = End(&stop);
        let begun = namespace.usage().appended_bytes;
        let mut scrubs = 0;
        // Until every block has been used more than once.
        while namespace.usage().appended_bytes < begun + 300 * u64::from(BLOCK) || scrubs < 5 {
            let info = scrub(&namespace);
            assert_eq!((info.damaged, &info.damage), (0, &vec![]));
            scrubs += 1;
        }
        assert!(namespace.usage().moved_bytes > 0);
    });
    damage(directory.path(), 11);
    let info = scrub(&namespace);
    assert!(named(&info).is_subset(&digests(&[11])));
    assert_eq!(info.damaged, 1);
}

#[test]
fn a_scrub_is_paced_paused_and_aborted() {
    let directory = tempfile::tempdir().unwrap();
    let (engine, namespace) = open(directory.path());
    fill(&namespace);
    let job = namespace.scrub(Some(1)).unwrap();
    job.patch(JobPatch { paused: Some(true), ..JobPatch::default() }).unwrap();
    assert_eq!(job.info().state, JobState::Paused);
    job.patch(JobPatch { paused: Some(false), ..JobPatch::default() }).unwrap();
    job.abort().unwrap();
    assert_eq!(job.wait_blocking(LONG).state, JobState::Aborted);
    assert!(job.info().done < job.info().total.unwrap());
    let memory = engine.create_namespace(NamespaceConfig::memory("m")).unwrap();
    assert_eq!(memory.scrub(None).err().unwrap().code, ErrorCode::Unsupported);
}
