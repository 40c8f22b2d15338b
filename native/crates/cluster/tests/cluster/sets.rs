//! Sets, what they hold, and truncations, on a real cluster.

use crate::rig::{Opened, Raw, connect, exists, key, n, value, whose};
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use tessera_base::{Error, ErrorCode, wait_until};
use tessera_core::scan::ScanSpec;
use tessera_core::store::Exists;
use tessera_core::store::remote::{Origin, Remote};
use tessera_core::{Namespace, SetConfig, SetLimits, WriteOptions};

fn put(namespace: &Namespace, set: &str, number: i64) {
    namespace.put(set, key(number), &n(number, number), &WriteOptions::default()).unwrap();
}

fn has(namespace: &Namespace, set: &str, number: i64) -> bool {
    namespace.get(set, key(number), &mut vec![]).unwrap().is_some()
}

/// Names and records, by name.
fn sets(namespace: &Namespace) -> Vec<(String, u64)> {
    let mut sets: Vec<_> = namespace.sets().into_iter().map(|set| (set.name, set.records)).collect();
    sets.sort_unstable();
    sets
}

fn listed(sets: &[(&str, u64)]) -> Vec<(String, u64)> {
    sets.iter().map(|(name, records)| ((*name).to_owned(), *records)).collect()
}

/// Truncates, and waits for the job's result.
fn truncate(namespace: &Namespace, set: Option<&str>, before: Option<u64>) -> String {
    let job = namespace.truncate(set, before).unwrap();
    wait_until(|| job.info().state.ended());
    let info = job.info();
    assert_eq!(info.error, None);
    info.result.unwrap()
}

/// Rows that have a body.
fn rows(raw: &Raw, namespace: &str) -> usize {
    let all = raw.run(&format!("SELECT body FROM ts_{namespace}.records")).into_rows_result().unwrap();
    all.rows::<(Option<&[u8]>,)>().unwrap().filter(|row| matches!(row, Ok((Some(_),)))).count()
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_set_is_known_before_its_first_record_and_other_servers_learn_of_it() {
    let one = Opened::new("sets");
    let other = Opened::again("sets");
    assert_eq!((sets(&one.namespace), one.namespace.set_count()), (vec![], 0));
    let scan = |opened: &Opened, set: &str| opened.namespace.scan(ScanSpec { set: Some(set.into()), ..ScanSpec::default() }).map(drop);
    assert_eq!(scan(&one, "s").unwrap_err().code, ErrorCode::SetNotFound);
    put(&one.namespace, "s", 1);
    put(&one.namespace, "", 2);
    assert_eq!((sets(&one.namespace), one.namespace.set_count()), (listed(&[("", 1), ("s", 1)]), 1));
    scan(&one, "s").unwrap();
    let made = one.namespace.create_set(&SetConfig { name: "ahead".into(), ..SetConfig::default() }).unwrap();
    assert_eq!((made.name.as_str(), made.records), ("ahead", 0));
    wait_until(|| sets(&other.namespace) == listed(&[("", 1), ("ahead", 0), ("s", 1)]));
    scan(&other, "ahead").unwrap();
    // What the engine has no use for is refused, and makes no set.
    for (field, refused) in [
        ("distributionBin", SetConfig { distribution_bin: Some("b".into()), ..SetConfig::default() }),
        ("maxBytes", SetConfig { limits: SetLimits { max_records: 0, max_bytes: 1 }, ..SetConfig::default() }),
    ] {
        let error = one.namespace.create_set(&SetConfig { name: "refused".into(), ..refused }).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::CapabilityUnsupported, Some(field)));
    }
    assert_eq!(one.namespace.set_count(), 2);
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn numbers_of_records_follow_the_writes_of_all_servers_and_a_scan_corrects_them() {
    let raw = Raw::connect();
    let one = Opened::new("estimates");
    let other = Opened::again("estimates");
    for number in 0..40 {
        put(if number % 2 == 0 { &one.namespace } else { &other.namespace }, "s", number);
    }
    for number in 0..10 {
        put(&one.namespace, "s", number);
        assert!(other.namespace.delete("s", key(number + 20), None).unwrap());
    }
    put(&one.namespace, "t", 1);
    let all = |records| move |opened: &Opened| opened.namespace.records() == records;
    wait_until(|| [&one, &other].into_iter().all(all(31)));
    assert_eq!(sets(&one.namespace), listed(&[("s", 30), ("t", 1)]));
    // As after a kill: changes that were never added, or twice.
    raw.run("UPDATE ts_estimates.held SET records = records + 500, bytes = bytes + 7000 WHERE set_name = 's'");
    raw.run("UPDATE ts_estimates.held SET records = records - 3, bytes = bytes - 7000 WHERE set_name = 't'");
    wait_until(|| sets(&one.namespace) == listed(&[("s", 530), ("t", 0)]));
    // Of one set, and the numbers of all are right: a walk meets them all.
    assert_eq!(one.count(Some("t"), 4), 1);
    wait_until(|| sets(&one.namespace) == listed(&[("s", 30), ("t", 1)]));
    wait_until(|| other.namespace.records() == 31);
    // Bodies are read by a scan, and their bytes known.
    one.scan(ScanSpec::default());
    wait_until(|| one.namespace.sets().iter().all(|set| set.bytes / set.records > 70 && set.bytes / set.records < 200));
    one.engine.close().unwrap();
    drop(other);
    let third = Opened::again("estimates");
    assert_eq!(sets(&third.namespace), listed(&[("s", 30), ("t", 1)]), "a start knows them");
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_truncation_hides_records_at_once_here_and_soon_elsewhere_and_a_job_removes_them() {
    let raw = Raw::connect();
    let one = Opened::new("truncated");
    let other = Opened::again("truncated");
    let namespace = &one.namespace;
    for set in ["s", "t", ""] {
        (0..20).for_each(|number| put(namespace, set, number));
    }
    assert_eq!(namespace.truncate(Some("none"), None).map(drop).unwrap_err().code, ErrorCode::SetNotFound);
    assert_eq!(namespace.truncate(None, Some(u64::MAX)).map(drop).unwrap_err().code, ErrorCode::TimeInFuture);
    let job = namespace.truncate(Some("s"), None).unwrap();
    assert!(!has(namespace, "s", 1) && has(namespace, "t", 1));
    assert_eq!(sets(namespace), listed(&[("", 20), ("s", 0), ("t", 20)]));
    // A write after it counts, however fast it came.
    put(namespace, "s", 7);
    wait_until(|| job.info().state.ended());
    let result = job.info().result;
    assert_eq!(result.as_deref(), Some(r#"{"records":19}"#), "the one that was written again is none of these");
    assert_eq!((rows(&raw, "truncated"), has(namespace, "s", 7)), (41, true));
    wait_until(|| !has(&other.namespace, "s", 1) && sets(&other.namespace) == listed(&[("", 20), ("s", 1), ("t", 20)]));
    // Up to a moment.
    let written = |namespace: &Namespace, number| namespace.get("t", key(number), &mut vec![]).unwrap().unwrap().updated_at;
    wait_until(|| tessera_base::clock::unix_millis() > written(namespace, 19));
    put(namespace, "t", 0);
    let before = written(namespace, 0);
    assert_eq!(truncate(namespace, Some("t"), Some(before)), r#"{"records":19}"#);
    assert!(has(namespace, "t", 0) && !has(namespace, "t", 1));
    assert_eq!(sets(namespace), listed(&[("", 20), ("s", 1), ("t", 1)]));
    // An earlier time takes nothing back, and finds nothing to remove.
    assert_eq!(truncate(namespace, Some("t"), Some(1)), r#"{"records":0}"#);
    // All, of every set.
    assert_eq!(truncate(&other.namespace, None, None), r#"{"records":22}"#);
    wait_until(|| namespace.records() == 0 && !has(namespace, "", 1));
    assert_eq!(rows(&raw, "truncated"), 0);
    let again = namespace.put("", key(1), &n(1, 1), &exists(Exists::CreateOnly)).unwrap();
    assert!(again.created && again.meta.generation == 1 && has(&other.namespace, "", 1));
    assert_eq!((one.count(None, 4), namespace.records()), (1, 1));
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn a_truncation_that_was_cut_off_goes_on_at_the_next_start() {
    let raw = Raw::connect();
    {
        let opened = Opened::new("cutoff");
        (0..50).for_each(|number| put(&opened.namespace, "s", number));
    }
    // A process that has hidden them, and is gone.
    let gone = tessera_cluster::Records::open(connect(), &whose("cutoff", [7; 16]), Origin::There).unwrap();
    Remote::truncate(&*gone, Some("s"), None).unwrap();
    drop(gone);
    assert_eq!(rows(&raw, "cutoff"), 50);
    let opened = Opened::again("cutoff");
    assert!(!has(&opened.namespace, "s", 1));
    wait_until(|| rows(&raw, "cutoff") == 0);
    assert_eq!(opened.namespace.records(), 0);
    // And not once more.
    let swept =
        || raw.run("SELECT before, swept FROM ts_cutoff.truncations").into_rows_result().unwrap().single_row::<(i64, Option<i64>)>();
    wait_until(|| matches!(swept(), Ok((before, Some(swept))) if before == swept));
}

#[test]
#[ignore = "needs a cluster: npm run test:cluster"]
fn no_write_that_was_answered_after_a_truncation_is_swept() {
    let opened = Opened::new("swept");
    let (namespace, over) = (&opened.namespace, AtomicBool::new(false));
    put(namespace, "s", 0);
    let last: Vec<i64> = thread::scope(|scope| {
        let writers: Vec<_> = (0..4)
            .map(|writer| {
                let over = &over;
                scope.spawn(move || {
                    let mut round = 0;
                    while !over.load(Ordering::SeqCst) {
                        round += 1;
                        for number in [writer, writer + 4] {
                            namespace.put("s", key(number), &n(number, round), &WriteOptions::default()).unwrap();
                        }
                    }
                    // After the last truncation.
                    round += 1;
                    namespace.put("s", key(writer), &n(writer, round), &WriteOptions::default()).unwrap();
                    round
                })
            })
            .collect();
        let jobs = (0..10).map(|_| {
            let job = namespace.truncate(Some("s"), None)?;
            wait_until(|| job.info().state.ended());
            job.info().error.map_or(Ok(()), |error| Err(Error::new(ErrorCode::Internal, error.message)))
        });
        let outcome: Vec<_> = jobs.collect();
        over.store(true, Ordering::SeqCst);
        assert!(outcome.iter().all(Result::is_ok), "{outcome:?}");
        writers.into_iter().map(|writer| writer.join().unwrap()).collect()
    });
    for (writer, round) in last.into_iter().enumerate() {
        let mut body = vec![];
        namespace.get("s", key(writer as i64), &mut body).unwrap().unwrap();
        assert_eq!(value(&body), round);
    }
}
