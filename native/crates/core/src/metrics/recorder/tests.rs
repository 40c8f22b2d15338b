use super::*;
use tessera_base::Error;
use tessera_base::latency::SLO_EDGES_NS;

const GET: SeriesKind = SeriesKind { op: Operation::Get, outcome: Outcome::Ok, side: Side::Engine };

fn value(thread: u64, n: u64) -> u64 {
    (thread * 1_000_003 + n).wrapping_mul(0x9e37_79b9_7f4a_7c15) >> (20 + n % 40)
}

/// All but the sum of squares, which a recorder rounds.
fn counts(histogram: &Histogram) -> (Vec<(usize, u64)>, [u64; SLO_EDGES_NS.len()], [u64; 3]) {
    (histogram.buckets().collect(), histogram.slo(), [histogram.overflow(), histogram.sum(), histogram.max()])
}

#[test]
fn a_frame_is_what_a_histogram_of_the_same_values_is() {
    let recorder = LatencyRecorder::new("ns", tessera_base::names::NamespaceId::NONE, Arc::default());
    let mut expected = Histogram::default();
    for n in 0..20_000 {
        recorder.record(GET, value(1, n));
        expected.record(value(1, n));
    }
    let frame = recorder.take();
    assert_eq!(frame.len(), 1);
    let got = frame[0].histogram();
    assert_eq!(counts(&got), counts(&expected));
    assert!((got.sum_squares() as f64 / expected.sum_squares() as f64 - 1.0).abs() < 5e-4);
    assert!(recorder.take().is_empty(), "an idle second has no series");
}

#[test]
fn concurrent_sums_are_exact_also_past_the_exclusive_stripes() {
    const THREADS: u64 = EXCLUSIVE as u64 + 8;
    const EACH: u64 = 2_000;
    let recorder = LatencyRecorder::new("ns", tessera_base::names::NamespaceId::NONE, Arc::default());
    let mut expected = Histogram::default();
    let mut got = Histogram::default();
    let together = std::sync::Barrier::new(THREADS as usize);
    std::thread::scope(|scope| {
        for thread in 0..THREADS {
            let (recorder, together) = (&recorder, &together);
            scope.spawn(move || {
                recorder.record(GET, value(thread, 0));
                together.wait();
                (1..EACH).for_each(|n| recorder.record(GET, value(thread, n)));
            });
        }
        // Frames are taken while the threads record: none may lose or repeat a count.
        for _ in 0..20 {
            recorder.take().iter().for_each(|series| got.add(&series.histogram()));
        }
    });
    recorder.take().iter().for_each(|series| got.add(&series.histogram()));
    (0..THREADS).flat_map(|t| (0..EACH).map(move |n| value(t, n))).for_each(|v| expected.record(v));
    assert_eq!(got.count(), THREADS * EACH);
    assert_eq!(counts(&got), counts(&expected));
}

#[test]
fn series_do_not_mix() {
    let recorder = LatencyRecorder::new("ns", tessera_base::names::NamespaceId::NONE, Arc::default());
    for index in 0..SeriesKind::COUNT {
        (0..=index).for_each(|_| recorder.record(SeriesKind::of_index(index), SLO_EDGES_NS[4]));
    }
    for series in recorder.take() {
        assert_eq!(series.histogram().slo()[4], series.kind.index() as u64 + 1);
    }
}

#[test]
fn time_counts_by_outcome() {
    let recorder = LatencyRecorder::new("ns", tessera_base::names::NamespaceId::NONE, Arc::default());
    let failed: Result<()> = recorder.time(Operation::Put, About::default, || Err(Error::new(ErrorCode::Closed, "closed")));
    assert_eq!(failed.unwrap_err().code, ErrorCode::Closed);
    let kinds: Vec<_> = recorder.take().iter().map(|s| (s.kind.op, s.kind.outcome, s.histogram().count())).collect();
    assert_eq!(kinds, [(Operation::Put, Outcome::Error, 1)]);
}
