//! One segment that holds all records, shared by workers in ranges of its slots.

use super::{body_of, open};
use crate::query::{IndexUse, QuerySpec, plan_query};
use crate::scan::traverse::{Traversal, WorkerScratch};
use crate::scan::walk::Visitor;
use crate::scan::{Damaged, End, Found, PlanChoice, Sample, ScanFormat, ScanSpec, Selection, TallySpec, UseIndex, VisitSpec};
use crate::stream::{Pipeline, StreamSpec};
use crate::stream_summary::ChunkStream;
use crate::{Container, Namespace, NamespaceConfig, WriteOptions};
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeSet;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use std::thread;
use std::time::Duration;
use tessera_base::Result;
use tessera_index::{IndexKind, IndexSpec};
use tessera_jobs::JobKind;
use tessera_record::filter::Filter;
use tessera_record::{Digest, KeyRef, Ttl};

/// Enough for a visit by several threads.
const RECORDS: i64 = 21_000;
/// And for several ranges.
const FEW: i64 = 9000;
const SEGMENTS: u32 = 8;
const THREADS: u32 = 4;
/// More than there are: who says so rests for nobody.
const RATE: Option<u32> = Some(1_000_000_000);
const LONG: Duration = Duration::from_secs(60);

fn flat() -> NamespaceConfig {
    NamespaceConfig { container: Container::Flat, segments: SEGMENTS, ..NamespaceConfig::memory("flat") }
}

fn put(namespace: &Namespace, set: &str, key: i64, ttl: Ttl) {
    namespace.put(set, KeyRef::Integer(key), &body_of(key, 0), &WriteOptions { ttl, ..WriteOptions::default() }).unwrap();
}

/// Records of "s", and some of another set between them.
fn fill(namespace: &Namespace, records: i64) {
    for key in 0..records {
        put(namespace, "s", key, Ttl::Never);
        if key % 4 == 0 {
            put(namespace, "other", key, Ttl::Never);
        }
    }
}

/// Overwrites the records of "s", and lets the others come and go, until it is over.
fn change(namespace: &Namespace, records: i64, over: &AtomicBool) {
    for turn in 0.. {
        if over.load(Ordering::Relaxed) {
            break;
        }
        put(namespace, "s", turn * 7 % records, if turn % 2 == 0 { Ttl::Never } else { Ttl::Seconds(10_000) });
        put(namespace, "other", turn % records, Ttl::Never);
        namespace.delete("other", KeyRef::Integer((turn * 31 + 17) % records), None).unwrap();
    }
}

fn keys() -> ScanFormat {
    ScanFormat::Custom(Arc::new(|out, record| {
        if let KeyRef::Integer(key) = record.body.key() {
            out.extend_from_slice(&key.to_le_bytes());
        }
    }))
}

/// What a stream brings in that format, sorted.
fn read(stream: &ChunkStream) -> Vec<i64> {
    let mut bytes = Vec::new();
    while let Some(chunk) = stream.next_blocking().unwrap() {
        bytes.extend(chunk);
    }
    let mut keys: Vec<i64> = bytes.chunks_exact(8).map(|key| i64::from_le_bytes(key.try_into().unwrap())).collect();
    keys.sort_unstable();
    keys
}

fn streamed(namespace: &Arc<Namespace>, steps: &[u8]) -> String {
    let pipeline = Arc::new(Pipeline::compile(steps).unwrap());
    let spec = StreamSpec {
        set: Some("s".into()),
        segments: None,
        pipeline,
        threads: THREADS,
        records_per_second: RATE,
        most: None,
        bare_count: false,
    };
    let stream = namespace.stream(spec).unwrap().stream;
    let mut text = Vec::new();
    while let Some(chunk) = stream.next_blocking().unwrap() {
        text.extend(chunk);
    }
    String::from_utf8(text).unwrap()
}

fn items(namespace: &Namespace) -> usize {
    Traversal::begin(namespace.store(), &Selection::default(), 0, true).items(namespace.store())
}

#[test]
fn a_large_flat_container_is_several_items_and_another_one_a_segment() {
    let (_directory, _engine, namespace) = open(flat());
    assert_eq!(items(&namespace), 1);
    (0..4096).for_each(|key| put(&namespace, "s", key, Ttl::Never));
    assert_eq!(items(&namespace), 1);
    (4096..FEW).for_each(|key| put(&namespace, "s", key, Ttl::Never));
    assert_eq!(items(&namespace), 3);
    let (_directory, _engine, namespace) = open(NamespaceConfig { container: Container::Segmented, ..flat() });
    (0..FEW).for_each(|key| put(&namespace, "s", key, Ttl::Never));
    assert_eq!(items(&namespace), SEGMENTS as usize);
}

/// Counts what it meets.
struct Counted(usize);

impl Visitor for Counted {
    fn most(&self) -> usize {
        100
    }

    fn meet(&mut self, _: &Found<'_>) -> ControlFlow<End> {
        self.0 += 1;
        ControlFlow::Continue(())
    }

    fn stepped(&mut self, _: u64, _: &[Damaged]) -> Result<()> {
        Ok(())
    }
}

#[test]
fn what_comes_while_a_walk_is_under_way_is_in_its_last_range() {
    let (_directory, _engine, namespace) = open(flat());
    (0..FEW).for_each(|key| put(&namespace, "s", key, Ttl::Never));
    let selection = Selection::default();
    let traversal = Traversal::begin(namespace.store(), &selection, 0, true);
    (FEW..2 * FEW).for_each(|key| put(&namespace, "s", key, Ttl::Never));
    let (walk, mut scratch) = (traversal.walk(namespace.store(), &selection, true), WorkerScratch::default());
    let met = [2, 1, 0].map(|item| {
        let mut counted = Counted(0);
        assert!(traversal.item(&walk, item, &mut scratch, &mut counted).unwrap().is_continue());
        counted.0
    });
    assert_eq!(met, [2 * FEW as usize - 8192, 4096, 4096]);
}

#[test]
fn workers_are_in_one_segment_at_the_same_time() {
    let (_directory, _engine, namespace) = open(flat());
    fill(&namespace, RECORDS);
    for bodies in [true, false] {
        let (met, changed) = (Mutex::new(BTreeSet::new()), Condvar::new());
        let visit = VisitSpec { threads: 2, bodies, ..VisitSpec::default() };
        namespace
            .scan_visit(&visit, &|worker, _| {
                let mut met = met.lock();
                if met.insert(worker) {
                    changed.notify_all();
                }
                while met.len() < 2 {
                    assert!(!changed.wait_for(&mut met, LONG).timed_out(), "the other one has nothing to do");
                }
                ControlFlow::Continue(())
            })
            .unwrap();
        assert_eq!(met.into_inner(), BTreeSet::from([0, 1]));
    }
}

#[test]
fn what_is_there_throughout_is_met_once_whatever_is_written() {
    let (_directory, _engine, namespace) = open(flat());
    fill(&namespace, RECORDS);
    let over = AtomicBool::new(false);
    let all: Vec<i64> = (0..RECORDS).collect();
    let mut digests: Vec<Digest> = all.iter().map(|key| Digest::of("s", KeyRef::Integer(*key))).collect();
    digests.sort_unstable();
    thread::scope(|scope| {
        let writer = scope.spawn(|| change(&namespace, RECORDS, &over));
        let ended = std::panic::catch_unwind(std::panic::AssertUnwindSafe(|| {
            for indexed in [false, true] {
                if indexed {
                    namespace.set_index_on("s", 1).unwrap().wait_blocking(LONG);
                }
                let use_index = if indexed { UseIndex::Force } else { UseIndex::Never };
                for bodies in [true, false] {
                    let visit = VisitSpec { set: Some("s".into()), threads: THREADS, use_index, bodies, ..VisitSpec::default() };
                    let met = Mutex::new(Vec::new());
                    namespace
                        .scan_visit(&visit, &|_, found| {
                            met.lock().push(found.digest);
                            ControlFlow::Continue(())
                        })
                        .unwrap();
                    let mut met = met.into_inner();
                    met.sort_unstable();
                    assert!(met == digests, "{} visited, bodies: {bodies}, indexed: {indexed}", met.len());
                }
                let scan = ScanSpec {
                    set: Some("s".into()),
                    threads: THREADS,
                    use_index,
                    records_per_second: RATE,
                    format: keys(),
                    ..ScanSpec::default()
                };
                let met = read(&namespace.scan(scan).unwrap().stream);
                assert!(met == all, "{} scanned, indexed: {indexed}", met.len());
                let tally = TallySpec {
                    kind: JobKind::Count,
                    set: Some("s".into()),
                    filter: None,
                    sample: None,
                    aggregate: None,
                    use_index: UseIndex::Auto,
                    plan: PlanChoice::Auto,
                    threads: THREADS,
                    records_per_second: RATE,
                };
                let result = namespace.tally(tally).unwrap().wait_blocking(LONG).result.unwrap();
                assert!(result.contains(&format!("\"records\":{RECORDS}")), "{result}");
                let count = format!("{{\"count\":{RECORDS}}}\n");
                assert_eq!(streamed(&namespace, br#"[{"count":true}]"#), count);
                assert_eq!(streamed(&namespace, br#"[{"filter":{"bin":"n","op":"ge","value":0}},{"count":true}]"#), count);
            }
        }));
        over.store(true, Ordering::Relaxed);
        writer.join().unwrap();
        ended.unwrap_or_else(|panic| std::panic::resume_unwind(panic));
    });
}

#[test]
fn segments_are_through_once_all_ranges_are() {
    let (_directory, _engine, namespace) = open(flat());
    fill(&namespace, FEW);
    let lines = |spec: ScanSpec| {
        let spec = ScanSpec { set: Some("s".into()), threads: THREADS, bins: Some(Vec::new()), segment_marks: true, ..spec };
        let stream = namespace.scan(spec).unwrap().stream;
        let mut text = Vec::new();
        while let Some(chunk) = stream.next_blocking().unwrap() {
            text.extend(chunk);
        }
        String::from_utf8(text).unwrap().lines().map(str::to_owned).collect::<Vec<_>>()
    };
    for wanted in [None, Some([5, 2])] {
        let spec = ScanSpec { segments: wanted.as_ref().map(|segments| Arc::from(&segments[..])), ..ScanSpec::default() };
        let (wanted, lines) = (wanted.map_or_else(|| (0..SEGMENTS as u16).collect(), BTreeSet::from), lines(spec));
        let of_wanted = |key: &i64| wanted.contains(&Digest::of("s", KeyRef::Integer(*key)).segment(SEGMENTS));
        let records = (0..FEW).filter(of_wanted).count();
        assert_eq!(lines.len(), records + wanted.len());
        assert!(lines[..records].iter().all(|line| line.contains("\"key\"")));
        let marks: Vec<String> = wanted.iter().map(|segment| format!("{{\"segmentDone\":{segment}}}")).collect();
        assert_eq!(lines[records..], marks);
    }
    // Whoever has enough before the end is through with none.
    let some = lines(ScanSpec { sample: Some(Sample::First(100)), ..ScanSpec::default() });
    assert_eq!(some.len(), 100);
    assert!(some.iter().all(|line| line.contains("\"key\"")));
}

#[test]
fn what_an_index_proposes_is_shared_too() {
    let spec = IndexSpec { name: "n".into(), set: None, bin: Some("n".into()), kind: IndexKind::Range, path: None, created_at_ms: 0 };
    let (_directory, _engine, namespace) = open(NamespaceConfig { indexes: vec![spec], ..flat() });
    fill(&namespace, FEW);
    let filter = Arc::new(Filter::compile(br#"{"bin":"n","op":"ge","value":1000}"#).unwrap());
    for threads in [1, THREADS] {
        let query = QuerySpec {
            set: Some("s".into()),
            filter: Some(filter.clone()),
            use_index: IndexUse::Named("n".into()),
            threads,
            format: keys(),
            ..QuerySpec::default()
        };
        let (plan, selection) = plan_query(namespace.store(), &query, true).unwrap();
        assert_eq!(plan.method, "range-index");
        assert!(selection.proposal.as_ref().unwrap().may_wait(), "so many are looked up by a worker");
        assert!(Traversal::begin(namespace.store(), &selection, 0, true).items(namespace.store()) > 1);
        assert_eq!(read(&namespace.query(query).unwrap().stream), (1000..FEW).collect::<Vec<_>>());
    }
}
