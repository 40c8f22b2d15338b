//! Sets, what they hold, and truncations, of records that are kept elsewhere.

use super::stand_in::{StandIn, config, n, options, with};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tessera_base::{Error, ErrorCode, wait_until};
use tessera_core::scan::{PlanChoice, Sample, ScanSpec, TallySpec, UseIndex, VisitSpec};
use tessera_core::store::remote::MetSet;
use tessera_core::{Engine, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_jobs::{Job, JobKind, JobState};
use tessera_record::KeyRef;

fn write(namespace: &Namespace, set: &str, key: i64) {
    namespace.put(set, KeyRef::Integer(key), &n(key, key), &WriteOptions::default()).unwrap();
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

fn counted(namespace: &Namespace, set: Option<&str>, sample: Option<Sample>) -> JobState {
    let (use_index, plan) = (UseIndex::Auto, PlanChoice::Auto);
    let set = set.map(str::to_owned);
    let spec = TallySpec {
        kind: JobKind::Count,
        set,
        filter: None,
        sample,
        aggregate: None,
        use_index,
        plan,
        threads: 3,
        records_per_second: None,
    };
    state(&namespace.tally(spec).unwrap())
}

fn state(job: &Arc<Job>) -> JobState {
    wait_until(|| job.info().state.ended());
    job.info().state
}

#[test]
fn sets_and_what_they_hold_are_those_of_the_cluster() {
    with(|_, namespace, cluster| {
        assert_eq!((sets(&namespace), namespace.records(), namespace.set_count()), (vec![], 0, 0));
        for key in 0..10 {
            write(&namespace, if key < 7 { "s" } else { "" }, key);
        }
        assert_eq!((sets(&namespace), namespace.set_count()), (listed(&[("", 3), ("s", 7)]), 1));
        assert_eq!((namespace.records(), namespace.size(None), namespace.size(Some("s")), namespace.size(Some("x"))), (10, 10, 7, 0));
        assert_eq!(namespace.size_at_once("s"), Some(7));
        let made = namespace.create_set(&SetConfig { name: "ahead".into(), ..SetConfig::default() }).unwrap();
        assert_eq!((made.name.as_str(), made.records, namespace.set_count()), ("ahead", 0, 2));
        cluster.sets.wrong.lock().unwrap().insert("s".into(), 100);
        assert_eq!((sets(&namespace), namespace.records()), (listed(&[("", 3), ("ahead", 0), ("s", 107)]), 110));
        cluster.away.store(true, Ordering::SeqCst);
        let refused = namespace.create_set(&SetConfig { name: "late".into(), ..SetConfig::default() });
        assert_eq!(refused.unwrap_err().code, ErrorCode::ClusterUnavailable);
        assert_eq!(namespace.records(), 110, "what is known is told without asking");
    });
}

#[test]
fn a_new_namespace_makes_its_sets_and_a_closed_one_tells_what_it_knows() {
    let (directory, cluster) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = Engine::open(directory.path(), options(&cluster)).unwrap();
    let plain = SetConfig { name: "s".into(), ..SetConfig::default() };
    let namespace = engine.create_namespace(NamespaceConfig { sets: vec![plain], ..config() }).unwrap();
    assert_eq!(sets(&namespace), listed(&[("s", 0)]));
    drop(namespace);
    assert!(!cluster.sets.closed.load(Ordering::SeqCst));
    engine.close().unwrap();
    assert!(cluster.sets.closed.load(Ordering::SeqCst));
}

#[test]
fn a_walk_through_all_records_corrects_the_estimates_and_one_that_ends_early_does_not() {
    with(|_, namespace, cluster| {
        for key in 0..60 {
            write(&namespace, ["s", "t", ""][key as usize % 3], key);
        }
        let (corrections, wrong) = (|| std::mem::take(&mut *cluster.sets.met.lock().unwrap()), || cluster.sets.wrong.lock().unwrap());
        let met = |bytes: Option<[u64; 3]>| {
            let of = |at: usize| MetSet { name: ["", "s", "t"][at].into(), records: 20, bytes: bytes.map(|bytes| bytes[at]) };
            vec![[0, 1, 2].map(of).to_vec()]
        };
        wrong().insert("s".into(), -20);
        // Whatever it is after: it goes past all.
        assert_eq!((counted(&namespace, Some("t"), None), corrections()), (JobState::Done, met(None)));
        assert_eq!(sets(&namespace), listed(&[("", 20), ("s", 20), ("t", 20)]));
        let sum = |set: &str| namespace.sets().iter().find(|info| info.name == set).unwrap().bytes;
        let all: u64 = ["", "s", "t"].map(sum).iter().sum();
        let scan = namespace.scan(ScanSpec::default()).unwrap();
        while scan.stream.next_blocking().unwrap().is_some() {}
        wait_until(|| scan.job.info().state.ended());
        let with_bytes = corrections();
        assert_eq!(with_bytes, met(Some(["", "s", "t"].map(sum))));
        assert_eq!(with_bytes[0].iter().filter_map(|set| set.bytes).sum::<u64>(), all);
        // A part, an error, an end that was asked for.
        assert_eq!((counted(&namespace, None, Some(Sample::First(5))), corrections()), (JobState::Done, vec![]));
        let breaking = |_: usize, _: &tessera_core::scan::Found<'_>| ControlFlow::Break(());
        namespace.scan_visit(&VisitSpec { threads: 1, ..VisitSpec::default() }, &breaking).unwrap();
        assert_eq!(corrections().len(), 0);
        cluster.paging.before(|page| if page == 3 { Err(Error::new(ErrorCode::ClusterUnavailable, "no node answers")) } else { Ok(()) });
        assert_eq!((counted(&namespace, None, None), corrections()), (JobState::Failed, vec![]));
    });
}

#[test]
fn a_truncation_hides_at_once_and_its_job_removes() {
    with(|_, namespace, cluster| {
        for key in 0..40 {
            write(&namespace, if key < 30 { "s" } else { "t" }, key);
        }
        assert_eq!(namespace.truncate(Some("x"), None).map(drop).unwrap_err().code, ErrorCode::SetNotFound);
        assert_eq!(namespace.truncate(None, Some(u64::MAX)).map(drop).unwrap_err().code, ErrorCode::TimeInFuture);
        cluster.away.store(true, Ordering::SeqCst);
        assert_eq!(namespace.truncate(None, None).map(drop).unwrap_err().code, ErrorCode::ClusterUnavailable);
        cluster.away.store(false, Ordering::SeqCst);
        assert_eq!(namespace.records(), 40);
        let job = namespace.truncate(Some("s"), None).unwrap();
        assert_eq!(sets(&namespace), listed(&[("s", 0), ("t", 10)]));
        assert_eq!((state(&job), job.info().result.as_deref(), job.info().done), (JobState::Done, Some(r#"{"records":30}"#), 30));
        assert!(cluster.sets.hidden.lock().unwrap().is_empty());
        let job = namespace.truncate(None, Some(1)).unwrap();
        assert_eq!((state(&job), job.info().result.as_deref()), (JobState::Done, Some(r#"{"records":0}"#)));
    });
}

#[test]
fn what_a_truncation_has_left_is_removed_after_the_next_start() {
    let (directory, cluster) = (tempfile::tempdir().unwrap(), Arc::<StandIn>::default());
    let engine = Engine::open(directory.path(), options(&cluster)).unwrap();
    let namespace = engine.create_namespace(config()).unwrap();
    (0..40).for_each(|key| write(&namespace, "s", key));
    let failing = Arc::new(AtomicBool::new(true));
    let fails = failing.clone();
    cluster.paging.before(move |_| match fails.load(Ordering::SeqCst) {
        true => Err(Error::new(ErrorCode::ClusterUnavailable, "no node answers")),
        false => Ok(()),
    });
    let job = namespace.truncate(None, None).unwrap();
    assert_eq!((state(&job), job.info().error.map(|error| error.code)), (JobState::Failed, Some("cluster_unavailable".into())));
    assert_eq!((namespace.records(), cluster.sets.hidden.lock().unwrap().len()), (0, 40));
    drop((namespace, job));
    engine.close().unwrap();
    failing.store(false, Ordering::SeqCst);
    let engine = Engine::open(directory.path(), options(&cluster)).unwrap();
    wait_until(|| cluster.sets.hidden.lock().unwrap().is_empty());
    engine.close().unwrap();
}
