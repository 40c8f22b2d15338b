use super::*;
use crate::metrics::{HistoryFrame, HistoryQuery, MemoryBytes, Operation, Outcome, SeriesKind, Side};
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::mpsc;
use tessera_base::latency::Histogram;
use tessera_base::wait_until;
use tessera_io::{DiskCounters, OperationCounters};
use tessera_jobs::{Mark, Marks};
use tessera_storage::{DeviceGauge, DiskGauge};

const PUT: SeriesKind = SeriesKind { op: Operation::Put, outcome: Outcome::Ok, side: Side::Engine };
const GET: SeriesKind = SeriesKind { op: Operation::Get, outcome: Outcome::Error, side: Side::Engine };

/// A ring that ticks when the test says so.
struct Bench {
    ring: Arc<MetricsRing>,
    ticker: Ticker,
    start: Instant,
}

impl Bench {
    fn new(source: impl Fn() -> Option<Gauges> + Send + 'static) -> Self {
        let ticker = Ticker::new(Box::new(source));
        Self { ring: Arc::new(MetricsRing::idle(History::in_memory())), start: ticker.at, ticker }
    }

    fn tick(&mut self, second: u64) {
        assert!(self.ring.tick(&mut self.ticker, second * 1000 + 1, self.start + Duration::from_secs(second)));
    }
}

fn history(ring: &MetricsRing, query: &HistoryQuery) -> Vec<HistoryFrame> {
    let mut steps = ring.history().steps(query.clone());
    std::iter::from_fn(|| ring.history().next(&mut steps)).collect()
}

fn query(from_ms: u64, to_ms: u64, step_ms: u64) -> HistoryQuery {
    HistoryQuery { from_ms, to_ms, step_ms, ..HistoryQuery::default() }
}

#[test]
fn history_is_the_same_as_counting_everything_again() {
    let mut bench = Bench::new(|| Some(Gauges::default()));
    let (a, b) = (
        Arc::new(LatencyRecorder::new("a", tessera_base::names::NamespaceId::NONE, Arc::default())),
        Arc::new(LatencyRecorder::new("b", tessera_base::names::NamespaceId::NONE, Arc::default())),
    );
    bench.ring.register(&a);
    bench.ring.register(&b);
    let mut steps: Vec<Histogram> = vec![Histogram::default(); 4];
    for second in 1..=60u64 {
        for n in 0..200 {
            let nanos = (second * 1000 + n).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (30 + n % 30);
            a.record(PUT, nanos);
            steps[(second as usize - 1) / 15].record(nanos);
            b.record(PUT, 1);
            a.record(GET, 2);
        }
        bench.tick(second);
    }
    let all = history(&bench.ring, &query(0, u64::MAX, 15_000));
    assert_eq!(all.len(), 4);
    assert!(all.iter().all(|step| step.frame.latency.len() == 3 && step.frame.duration_nanos == 15_000_000_000));
    let asked = HistoryQuery { namespace: Some("a".to_owned()), op: Some(Operation::Put), ..query(0, u64::MAX, 15_000) };
    for (step, expected) in history(&bench.ring, &asked).iter().zip(&steps) {
        let got = &step.frame.latency[0].histogram();
        assert!(got.buckets().eq(expected.buckets()));
        assert_eq!(
            (got.overflow(), got.sum(), got.max(), got.slo()),
            (expected.overflow(), expected.sum(), expected.max(), expected.slo())
        );
    }
    assert_eq!(history(&bench.ring, &query(10_001, 20_001, 1000)).len(), 10);
    assert_eq!(history(&bench.ring, &query(20_001, 10_001, 1000)).len(), 0);
}

#[test]
fn dropped_namespaces_leave_and_their_history_stays_under_their_name() {
    let mut bench = Bench::new(|| Some(Gauges::default()));
    for namespace in 1..=2 {
        let recorder = Arc::new(LatencyRecorder::new("a", tessera_base::names::NamespaceId::NONE, Arc::default()));
        bench.ring.register(&recorder);
        (0..namespace * 10).for_each(|_| recorder.record(PUT, 1));
        bench.tick(namespace);
    }
    bench.tick(3);
    assert!(bench.ring.recorders.lock().is_empty());
    let count = |step: &HistoryFrame| step.frame.latency.iter().map(|series| series.histogram().count()).sum::<u64>();
    let by_step = |step_ms| history(&bench.ring, &query(0, u64::MAX, step_ms)).iter().map(count).collect::<Vec<_>>();
    assert_eq!((by_step(1000), by_step(5000)), (vec![10, 20, 0], vec![30]));
}

#[test]
fn gauges_become_rates_and_marks_arrive_once() {
    let marks = Arc::new(Marks::default());
    let (taken, seconds) = (Arc::clone(&marks), AtomicU64::new(0));
    let mut bench = Bench::new(move || {
        let second = seconds.fetch_add(1, Ordering::Relaxed) + 1;
        let writes = OperationCounters { bytes: 5000 * second, ..OperationCounters::default() };
        let counters = DiskCounters { writes, age_nanos: 1_000_000_000 * second, ..DiskCounters::default() };
        let gauge = DeviceGauge { disks: vec![DiskGauge { path: Arc::from("disk"), counters }], ..DeviceGauge::default() };
        let memory = MemoryBytes { records: 7, ..MemoryBytes::default() };
        Some(Gauges { memory, devices: vec![(Arc::from("ns"), gauge)], marks: taken.take(), ..Gauges::default() })
    });
    marks.add("config", "ttl changed", None, None);
    bench.tick(1);
    bench.tick(2);
    let steps = history(&bench.ring, &query(0, u64::MAX, 1000));
    assert!(steps.iter().all(|step| (step.device.write_bytes - 5000.0).abs() < 1e-6 && step.frame.memory.records == 7));
    assert_eq!(steps[0].frame.marks.iter().map(|Mark { text, .. }| text.as_str()).collect::<Vec<_>>(), ["ttl changed"]);
    assert!(steps[1].frame.marks.is_empty());
    // What all disks did is told to whoever asks for another namespace too.
    let other = HistoryQuery { namespace: Some("other".to_owned()), ..query(0, u64::MAX, 2000) };
    let step = &history(&bench.ring, &other)[0];
    assert!(step.frame.devices.is_empty() && (step.device.write_bytes - 5000.0).abs() < 1e-6);
}

#[test]
fn subscribers_hear_frames_until_they_leave_and_a_panic_harms_nobody() {
    let mut bench = Bench::new(|| Some(Gauges::default()));
    let (send, receive) = mpsc::channel();
    let _bad = bench.ring.subscribe(|_| panic!("a bad subscriber"));
    let good = bench.ring.subscribe(move |frame| send.send(frame.seq).unwrap());
    bench.tick(1);
    bench.tick(2);
    drop(good);
    bench.tick(3);
    assert_eq!(receive.iter().collect::<Vec<_>>(), [1, 2]);
}

#[test]
fn the_ticker_ticks_and_ends_with_its_source() {
    let (send, receive) = mpsc::channel();
    let ring = MetricsRing::start(History::in_memory(), || Some(Gauges::default())).unwrap();
    let _heard = ring.subscribe(move |frame| {
        let _ = send.send((frame.seq, frame.time_ms));
    });
    let (first, second) = (receive.recv().unwrap(), receive.recv().unwrap());
    assert_eq!(second.0, first.0 + 1);
    assert!(second.1 >= first.1);
    ring.close();
    ring.close();
    let ended = MetricsRing::start(History::in_memory(), || None).unwrap();
    let thread = ended.thread.lock().take().unwrap();
    thread.join().unwrap();
}

#[test]
fn a_second_whose_gauges_panic_does_not_end_the_frames() {
    let asked = Arc::new(AtomicU64::new(0));
    let count = asked.clone();
    let ring = MetricsRing::start(History::in_memory(), move || {
        assert_ne!(count.fetch_add(1, Ordering::Relaxed), 0, "gauges that cannot be had");
        Some(Gauges::default())
    })
    .unwrap();
    wait_until(|| ring.latest().is_some());
    assert!(asked.load(Ordering::Relaxed) >= 2);
}
