use super::*;
use crate::metrics::LatencyRecorder;
use crate::metrics::unwritable::unwritable;
use proptest::prelude::*;
use std::os::unix::fs::FileExt;
use std::path::Path;
use std::sync::atomic::AtomicBool;
use tessera_base::latency::split::Part;
use tessera_base::names::Names;
use tessera_record::KeyRef;
use tessera_record::filter::Filter;

const MS: u64 = 1_000_000;

/// All of it in the engine.
const fn took(nanos: u64) -> Took {
    Took { whole: nanos, engine: nanos }
}

fn note(log: &SlowLog, operation: Operation, namespace: &str, millis: u64) {
    log.note(operation, (&Arc::from(namespace), NamespaceId::NONE), took(millis * MS), Split::default(), &About::default());
}

fn millis(log: &SlowLog) -> Vec<u128> {
    log.list(&SlowQuery::default()).iter().map(|entry| entry.took.as_millis()).collect()
}

fn patch(threshold_ms: u64) -> SlowPatch {
    SlowPatch { threshold: Some(Duration::from_millis(threshold_ms)), ..SlowPatch::default() }
}

#[test]
fn the_threshold_counts_from_the_next_operation_on() {
    let log = SlowLog::default();
    // Of each kind the slowest stay, however fast: they are not what is looked at here.
    (0..16).for_each(|_| note(&log, Operation::Get, "a", 1000));
    note(&log, Operation::Get, "a", 99);
    note(&log, Operation::Get, "a", 100);
    assert_eq!((log.usage().kept, log.usage().seen), (17, 17));
    log.change(patch(50)).unwrap();
    note(&log, Operation::Get, "a", 50);
    assert_eq!(log.gate(Operation::Get), 50 * MS);
    log.change(patch(200)).unwrap();
    note(&log, Operation::Get, "a", 150);
    assert_eq!(millis(&log)[..2], [50, 100]);
}

#[test]
fn a_namespace_can_have_a_threshold_of_its_own() {
    let log = SlowLog::default();
    (0..16).for_each(|_| note(&log, Operation::Put, "b", 1000));
    let own = |threshold| SlowPatch { namespaces: BTreeMap::from([("a".to_owned(), threshold)]), ..SlowPatch::default() };
    log.change(own(Some(Duration::from_millis(10)))).unwrap();
    note(&log, Operation::Put, "a", 10);
    note(&log, Operation::Put, "b", 10);
    assert_eq!(log.usage().seen, 17);
    assert_eq!(log.gate(Operation::Put), 10 * MS);
    log.change(own(None)).unwrap();
    note(&log, Operation::Put, "a", 10);
    assert_eq!((log.usage().seen, log.gate(Operation::Put)), (17, 100 * MS));
}

#[test]
fn a_span_of_durations_has_its_begin_and_not_its_end() {
    let log = SlowLog::default();
    [110, 120, 130, 140].into_iter().for_each(|ms| note(&log, Operation::Get, "a", ms));
    let span = SlowQuery { least: Duration::from_millis(120), below: Some(Duration::from_millis(140)), ..SlowQuery::default() };
    assert_eq!(log.list(&span).iter().map(|entry| entry.took.as_millis()).collect::<Vec<_>>(), [130, 120]);
    assert_eq!(log.groups(&span)[0].count, 2);
}

#[test]
fn what_cannot_be_a_threshold_is_refused_and_changes_nothing() {
    let log = SlowLog::default();
    for threshold in [Duration::ZERO, Duration::from_micros(99), Duration::from_secs(3601)] {
        let error = log.change(SlowPatch { threshold: Some(threshold), keep_keys: Some(false), ..SlowPatch::default() }).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::ConfigInvalid, Some("thresholdMs")));
    }
    let many = (0..=NAMESPACES_MAX).map(|n| (n.to_string(), Some(SLOW_LEAST))).collect();
    assert!(log.change(SlowPatch { namespaces: many, ..SlowPatch::default() }).is_err());
    assert_eq!(log.settings(), SlowSettings::default());
}

#[test]
fn the_slowest_of_each_kind_are_kept_though_they_are_under_the_threshold() {
    let log = SlowLog::default();
    assert_eq!(log.gate(Operation::Get), 100_000);
    (1..=40).for_each(|n| note(&log, Operation::Get, "a", n));
    note(&log, Operation::Put, "a", 1);
    let mut kept = millis(&log);
    kept.sort_unstable();
    assert_eq!(kept[..2], [1, 25]);
    assert_eq!((kept.len(), log.usage().seen, log.gate(Operation::Get)), (17, 0, 25 * MS + 1));
}

#[test]
fn the_slowest_go_after_an_hour_and_the_gate_falls() {
    let (mut kept, began) = (Kept::default(), Instant::now());
    let after = |ms: u64| began + Duration::from_millis(ms);
    (0..16).for_each(|n| kept.keep(slow_get(n + 1, 1000 + n), false, after(n)));
    assert!(!kept.is_among_slowest(Operation::Get, Duration::from_millis(5)));
    kept.age(after(3_600_000));
    assert_eq!(kept.all().len(), 16);
    kept.age(after(3_600_001));
    assert_eq!((kept.all().len(), kept.slowest_from(Operation::Get)), (15, SLOW_LEAST));
}

#[test]
fn a_clock_that_jumped_keeps_none_of_the_slowest_longer_and_lets_none_go_early() {
    let (mut kept, began) = (Kept::default(), Instant::now());
    let after = |seconds: u64| began + Duration::from_secs(seconds);
    // Those made while the wall clock was 40 days ahead, then one of the right time, then one of 40 days ago.
    let days_40 = 40 * 86_400_000;
    (1..=14).for_each(|n| kept.keep(slow_get(n, 2 * days_40), false, after(0)));
    kept.keep(slow_get(15, days_40), false, after(1));
    kept.keep(slow_get(16, 1), false, after(2));
    assert_eq!(kept.all().len(), 16);
    kept.age(after(3601));
    assert_eq!(kept.all().iter().map(|entry| entry.id).collect::<Vec<_>>(), [16, 15]);
}

fn slow_get(id: u64, ended_ms: u64) -> Arc<SlowOperation> {
    let split = Split::default().fill(5 * MS);
    Arc::new(SlowOperation::new(
        id,
        Operation::Get,
        (&Arc::from("a"), NamespaceId::NONE),
        ended_ms,
        took(5 * MS),
        split,
        &About::default(),
        true,
    ))
}

#[test]
fn keys_and_filters_are_bounded_and_go_when_they_are_not_wanted() {
    let log = SlowLog::default();
    let filter = Filter::compile(br#"{"bin":"city","op":"eq","value":"secret"}"#).unwrap();
    let long = "ü".repeat(300);
    let put = |key| {
        let about = About { name: Some(Name::Key(key)), filter: Some(&filter), ..About::default() };
        log.note(Operation::Put, (&Arc::from("a"), NamespaceId::NONE), took(200 * MS), Split::default(), &about);
        log.list(&SlowQuery::default()).remove(0)
    };
    let entry = put(KeyRef::String(&long));
    let key = entry.key.as_deref().unwrap();
    assert!(key.len() <= 128 && key.ends_with('…') && key.starts_with("üü"), "{key}");
    assert_eq!((entry.filter.as_deref(), entry.key_type), (Some(r#"city = "secret""#), Some("string")));
    assert!(
        put(KeyRef::Bytes(&[7; 500])).key.as_deref().is_some_and(|key| key.len() <= 128 && key.starts_with("0707") && key.ends_with('…'))
    );
    assert_eq!(put(KeyRef::Integer(-3)).key.as_deref(), Some("-3"));
    log.change(SlowPatch { keep_keys: Some(false), ..SlowPatch::default() }).unwrap();
    put(KeyRef::String("k"));
    for entry in log.list(&SlowQuery::default()) {
        assert_eq!((entry.key.as_deref(), entry.filter.as_deref(), entry.filter_shape.as_deref()), (None, None, Some("city = ?")));
    }
}

#[test]
fn those_of_one_shape_are_a_group() {
    let log = SlowLog::default();
    let filters = [1, 2].map(|n| Filter::compile(format!(r#"{{"bin":"n","op":"eq","value":{n}}}"#).as_bytes()).unwrap());
    for (n, filter) in filters.iter().enumerate() {
        let failure = (n == 1).then_some(ErrorCode::Aborted);
        let about = About { set: Some("s"), filter: Some(filter), failure, ..About::default() };
        let mut split = Split::default();
        split.add(Part::Queue, 50 * MS);
        log.note(Operation::Query, (&Arc::from("a"), NamespaceId::NONE), took((200 + n as u64) * MS), split, &about);
    }
    note(&log, Operation::Query, "a", 150);
    let groups = log.groups(&SlowQuery::default());
    assert_eq!(groups.len(), 2);
    let group = &groups[0];
    assert_eq!((group.count, group.failed, group.took, group.slowest), (2, 1, Duration::from_millis(401), Duration::from_millis(201)));
    assert_eq!((group.filter_shape.as_deref(), group.split.of(Part::Queue)), (Some("n = ?"), 100 * MS));
    assert_eq!(u128::from(group.split.total()), group.took.as_nanos());
    assert_eq!(log.clear().unwrap(), 3);
    assert_eq!((log.usage().kept, log.usage().bytes, log.usage().seen), (0, 0, 0));
}

#[test]
fn a_fast_operation_goes_past_and_one_beyond_the_gate_is_kept() {
    let log = Arc::new(SlowLog::default());
    let recorder = LatencyRecorder::new("a", NamespaceId::NONE, Arc::clone(&log));
    // Nothing that is kept is this fast, so that the first slow one has the gate to itself.
    (0..16).for_each(|_| note(&log, Operation::Put, "a", 60_000));
    recorder.time(Operation::Put, || panic!("a fast one is asked nothing"), || Ok(())).unwrap();
    assert_eq!(log.usage().kept, 16);
}

fn at(directory: &Path) -> SlowLog {
    SlowLog::open(directory.to_owned(), |file, bytes, at| file.write_all_at(bytes, at), Box::new(|| Ok(())), &Names::default())
}

fn about_key<'a>(key: &'a str, filter: &'a Filter) -> About<'a> {
    About { set: Some("s"), name: Some(Name::Key(KeyRef::String(key))), filter: Some(filter), ..About::default() }
}

#[test]
fn operations_and_their_places_outlive_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let log = at(directory.path());
    for n in 0..40 {
        note(&log, Operation::Get, "a", 5 + n);
        note(&log, Operation::Put, "b", 150 + n);
        if n % 7 == 0 {
            log.write(false).unwrap();
        }
    }
    log.write(false).unwrap();
    let again = at(directory.path());
    assert_eq!(again.list(&SlowQuery::default()), log.list(&SlowQuery::default()));
    assert_eq!((again.gate(Operation::Get), again.usage().seen), (log.gate(Operation::Get), 0));
    // Numbers go on, and those of the slowest are no part of the ring.
    (0..16).for_each(|_| note(&again, Operation::Get, "a", 90));
    let newest = &again.list(&SlowQuery::default())[0];
    assert_eq!((newest.id, again.usage().kept), (96, 40 + 16));
    assert_eq!(again.status().damaged, 0);
}

#[test]
fn a_folder_that_takes_no_writes_is_read_and_told_once_there_is_something_to_write() {
    let home = tempfile::tempdir().unwrap();
    let directory = home.path().join("history");
    let log = at(&directory);
    note(&log, Operation::Get, "a", 200);
    log.close();
    let log = unwritable(&directory, || {
        let log = at(&directory);
        assert_eq!((millis(&log), log.write(true)), (vec![200], Ok(())));
        assert_eq!((log.status().damaged, log.status().unreadable), (0, Vec::new()));
        note(&log, Operation::Get, "a", 300);
        assert!(log.write(true).unwrap_err().message.contains("Permission denied"));
        assert!(log.status().failure.is_some() && log.status().unreadable.is_empty());
        log
    });
    log.write(true).unwrap();
    assert_eq!((log.status().failure, millis(&at(&directory))), (None, vec![300, 200]));
}

#[test]
fn the_slowest_of_an_hour_ago_are_not_back_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let log = at(directory.path());
    let now = clock::unix_millis();
    let entries = [(1, now - 3_700_000), (2, now - 3_500_000), (3, now + 3_700_000)];
    entries.into_iter().for_each(|(id, ended)| log.state.lock().kept.keep(slow_get(id, ended), false, Instant::now()));
    log.write(false).unwrap();
    let ids: Vec<_> = at(directory.path()).list(&SlowQuery::default()).iter().map(|entry| entry.id).collect();
    assert_eq!(ids, [3, 2]);
}

#[test]
fn an_operation_is_found_by_what_the_engine_had_of_it() {
    let log = SlowLog::default();
    let took = Took { whole: 300 * MS, engine: 200 * MS };
    log.note(Operation::Scan, (&Arc::from("a"), NamespaceId::NONE), took, Split::default(), &About::default());
    let found = |least, below| {
        let [engine_least, engine_below] = [least, below].map(Duration::from_millis);
        log.list(&SlowQuery { engine_least, engine_below: Some(engine_below), ..SlowQuery::default() }).len()
    };
    assert_eq!((found(200, 201), found(201, 400), found(0, 200)), (1, 0, 0));
    let entry = log.list(&SlowQuery::default()).remove(0);
    assert_eq!((entry.took, entry.engine), (Duration::from_millis(300), Duration::from_millis(200)));
}

#[test]
fn what_was_removed_is_not_back_after_a_restart() {
    let directory = tempfile::tempdir().unwrap();
    let log = at(directory.path());
    note(&log, Operation::Get, "a", 200);
    log.write(false).unwrap();
    assert_eq!(log.clear().unwrap(), 1);
    assert_eq!(at(directory.path()).usage().kept, 0);
    note(&log, Operation::Get, "a", 300);
    log.close();
    assert_eq!(millis(&at(directory.path())), [300]);
}

#[test]
fn no_key_is_left_in_the_file_when_keys_are_not_kept() {
    let directory = tempfile::tempdir().unwrap();
    let path = directory.path().join("slow.log");
    let filter = Filter::compile(br#"{"bin":"city","op":"eq","value":"secret"}"#).unwrap();
    let has = |text: &str| std::fs::read(&path).unwrap().windows(text.len()).any(|bytes| bytes == text.as_bytes());
    let log = at(directory.path());
    log.note(Operation::Put, (&Arc::from("a"), NamespaceId::NONE), took(200 * MS), Split::default(), &about_key("my-key", &filter));
    log.write(false).unwrap();
    assert!(has("my-key") && has("secret") && has("city = ?"));
    let without = || SlowPatch { keep_keys: Some(false), ..SlowPatch::default() };
    // A file that a start found, with what a kill had cut off, loses them too.
    for cut in [0, 1] {
        let bytes = std::fs::read(&path).unwrap();
        let other = tempfile::tempdir().unwrap();
        std::fs::write(other.path().join("slow.log"), &bytes[..bytes.len() - cut]).unwrap();
        at(other.path()).change(without()).unwrap();
        let left = std::fs::read(other.path().join("slow.log")).unwrap();
        assert!(!left.windows(6).any(|bytes| bytes == b"my-key" || bytes == b"secret"), "{cut}");
    }
    log.change(without()).unwrap();
    assert!(!has("my-key") && !has("secret") && has("city = ?"));
    log.note(Operation::Put, (&Arc::from("a"), NamespaceId::NONE), took(200 * MS), Split::default(), &about_key("my-key", &filter));
    log.write(false).unwrap();
    assert!(!has("my-key") && at(directory.path()).usage().kept == 2);
}

#[test]
fn a_directory_that_takes_no_writes_is_told_and_what_had_to_go_goes_later() {
    let directory = tempfile::tempdir().unwrap();
    let lost = Arc::new(AtomicBool::new(false));
    let is_lost = Arc::clone(&lost);
    let refuse = || Error::new(ErrorCode::DataDirectoryUnavailable, "gone");
    let check = move || if is_lost.load(Relaxed) { Err(refuse()) } else { Ok(()) };
    let log =
        SlowLog::open(directory.path().to_owned(), |file, bytes, at| file.write_all_at(bytes, at), Box::new(check), &Names::default());
    note(&log, Operation::Get, "a", 200);
    log.write(false).unwrap();
    lost.store(true, Relaxed);
    assert_eq!(log.write(true), Ok(()), "there is nothing to write");
    assert_eq!(log.clear().unwrap_err().code, ErrorCode::DataDirectoryUnavailable);
    assert_eq!((log.usage().kept, log.status().failure.map(|error| error.code)), (0, Some(ErrorCode::DataDirectoryUnavailable)));
    lost.store(false, Relaxed);
    log.write(false).unwrap();
    assert_eq!((log.status().failure, log.status().bytes, at(directory.path()).usage().kept), (None, 0, 0));
}

#[test]
fn the_file_is_written_anew_before_it_is_too_long_and_has_what_is_kept() {
    let directory = tempfile::tempdir().unwrap();
    let log = at(directory.path());
    let filter = Filter::compile(format!(r#"{{"bin":"city","op":"eq","value":"{}"}}"#, "x".repeat(500)).as_bytes()).unwrap();
    let key = "k".repeat(100);
    for n in 0..8000 {
        log.note(Operation::Put, (&Arc::from("a"), NamespaceId::NONE), took((200 + n) * MS), Split::default(), &about_key(&key, &filter));
        if n % 500 == 0 {
            log.write(false).unwrap();
            assert!(log.status().bytes <= log.status().most_bytes);
        }
    }
    log.write(false).unwrap();
    assert_eq!(at(directory.path()).list(&SlowQuery::default()), log.list(&SlowQuery::default()));
}

proptest! {
    #![proptest_config(ProptestConfig::with_cases(tessera_base::cases(256)))]

    #[test]
    fn the_ring_stays_within_its_bytes_and_loses_the_oldest(ops in proptest::collection::vec((1_u64..400, 0_usize..9000), 1..2000)) {
        let log = SlowLog::default();
        let mut slow = Vec::new();
        let key = "k".repeat(9000);
        for (millis, length) in ops {
            let about = About { set: Some(&key[..length.min(60)]), name: Some(Name::Key(KeyRef::String(&key[..length]))), ..About::default() };
            log.note(Operation::Get, (&Arc::from("a"), NamespaceId::NONE), took(millis * MS), Split::default(), &about);
            if millis >= 100 {
                slow.push(millis);
            }
            prop_assert!(log.usage().bytes <= kept::RING_BYTES + 16 * 1024);
        }
        let entries = log.list(&SlowQuery { least: Duration::from_millis(100), ..SlowQuery::default() });
        // The newest are all there, and nothing is twice.
        let whole = (kept::RING_BYTES / 1024).min(slow.len());
        let kept: Vec<u64> = entries.iter().take(whole).map(|entry| entry.took.as_millis() as u64).collect();
        let newest: Vec<u64> = slow.iter().rev().take(whole).copied().collect();
        prop_assert_eq!(kept, newest);
        prop_assert!(entries.windows(2).all(|pair| pair[0].id > pair[1].id));
        for entry in entries {
            prop_assert_eq!(u128::from(entry.split.total()), entry.took.as_nanos());
        }
    }
}
