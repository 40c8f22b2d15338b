use super::super::rollup::RollUp;
use super::super::samples;
use super::*;

/// All points of frames that ended at these seconds.
fn tiers(seconds: impl IntoIterator<Item = u64>) -> [Vec<Point>; TIERS.len()] {
    let mut tiers = TIERS.map(|_| Vec::new());
    let mut rollup = RollUp::default();
    for (seq, second) in (1..).zip(seconds) {
        rollup.add(Arc::new(samples::frame(seq, second)), |tier, point| tiers[tier].push(Point::Waiting(point)));
    }
    tiers
}

fn ask(from_s: u64, to_s: u64, step_s: u64) -> HistoryQuery {
    let millis = |seconds: u64| seconds * 1000 + LATE_MS;
    HistoryQuery { from_ms: millis(from_s), to_ms: millis(to_s), step_ms: step_s * 1000, ..HistoryQuery::default() }
}

fn read(selected: &HistorySteps) -> Vec<HistoryFrame> {
    let mut steps = selected.clone();
    std::iter::from_fn(|| steps.next(|_| unreachable!("every point is there"))).collect()
}

/// Length of a step, the numbers of the seconds in each step, and from how many points they were taken.
fn answer(query: &HistoryQuery, tiers: &[Vec<Point>; TIERS.len()]) -> (u64, Vec<(u64, u64)>, usize) {
    let selected = query.clone().select(tiers);
    let numbers = read(&selected).iter().map(|step| (step.frame.first, step.frame.seq)).collect();
    (selected.step_ms() / 1000, numbers, selected.points.len())
}

#[test]
fn the_coarsest_points_that_fit_the_step_are_taken_and_finer_ones_where_they_end() {
    let all = tiers(1..=3700);
    // Six points of ten minutes; the second that closed the last of them and those after it are minutes, and so on.
    let (step, steps, points) = answer(&ask(0, 3700, 600), &all);
    assert_eq!((step, steps.len(), steps[0], steps[5], steps[6]), (600, 7, (1, 600), (3001, 3600), (3601, 3700)));
    // One minute, two of 15 s, one of 5 s, five seconds.
    assert_eq!(points, 6 + 1 + 2 + 1 + 5);
    let (step, steps, points) = answer(&ask(600, 1200, 20), &all);
    assert_eq!((step, steps.len(), steps[0], points), (20, 30, (601, 620), 120));
    let (step, steps, points) = answer(&ask(600, 1200, 7), &all);
    assert_eq!((step, steps.len(), points), (7, 87, 600));
}

#[test]
fn a_range_that_cuts_a_point_gets_the_seconds_in_it() {
    let all = tiers(1..=3700);
    let (_, steps, _) = answer(&ask(30, 1210, 600), &all);
    assert_eq!(steps, [(31, 600), (601, 1200), (1201, 1210)]);
}

#[test]
fn what_only_coarse_points_reach_comes_in_longer_steps() {
    let mut all = tiers(1..=3700);
    all[0].drain(..3000);
    all[1].drain(..600);
    let (step, steps, points) = answer(&ask(1200, 1800, 1), &all);
    assert_eq!((step, steps.len(), steps[0], points), (15, 40, (1201, 1215), 40));
    let (step, steps, _) = answer(&ask(3400, 3500, 1), &all);
    assert_eq!((step, steps.len()), (1, 100));
    // Rounded up to what there is.
    assert_eq!(answer(&ask(1200, 1800, 20), &all).0, 30);
    // A point that the range cuts is taken whole if nothing finer is there.
    all[2].drain(..200);
    all[3].drain(..50);
    assert_eq!(answer(&ask(630, 1800, 600), &all).1, [(601, 1200), (1201, 1800)]);
}

#[test]
fn where_a_damaged_file_took_points_coarser_ones_have_them_in_longer_steps() {
    let whole = tiers(1..=3700);
    let seconds_of = |answer: &(u64, Vec<(u64, u64)>, usize)| answer.1.iter().map(|(first, last)| last - first + 1).sum::<u64>();
    // The 1 s tier has its first point and its newest ones: it reaches back, and has a hole.
    let mut all = whole.clone();
    all[0].drain(1..1300);
    let found = answer(&ask(0, 1200, 1), &all);
    assert_eq!((found.0, seconds_of(&found)), (5, 1200));
    // The next tier that has everything, with what finer ones have where it ends.
    let mut all = whole.clone();
    all[0].drain(1000..1100);
    all[1].drain(10..250);
    let found = answer(&ask(0, 1207, 1), &all);
    assert_eq!((found.0, seconds_of(&found)), (15, 1207));
    // A hole of a coarse tier is filled from finer ones, and needs no longer steps.
    let mut all = whole.clone();
    all[3].drain(5..20);
    let found = answer(&ask(0, 3600, 60), &all);
    assert_eq!((found.0, seconds_of(&found)), (60, 3600));
}

#[test]
fn a_damaged_place_is_a_gap_and_coarsens_no_range() {
    let whole = tiers(1..=3700);
    // (tier, points lost, range, step): what one damaged block takes, and a hundredth of an hour.
    let places = [
        (0, 1000..1001, (900, 1100), 1),
        (0, 1000..1001, (995, 1005), 1),
        (0, 1000..1001, (0, 3700), 1),
        (0, 1000..1001, (900, 1100), 7),
        (0, 1000..1020, (0, 3700), 1),
        (1, 200..201, (900, 1100), 5),
        (3, 20..21, (0, 3700), 60),
    ];
    for (tier, lost, (from, to), step) in places {
        let mut all = whole.clone();
        // Nor do finer ones have it.
        let seconds = TIERS[tier].seconds as usize;
        for finer in 0..tier {
            let each = TIERS[finer].seconds as usize;
            all[finer].drain(lost.start * seconds / each..lost.end * seconds / each);
        }
        let gap = (lost.len() * seconds) as u64;
        all[tier].drain(lost);
        let query = ask(from, to, step);
        let found = query.clone().select(&all);
        let nanos: u64 = read(&found).iter().map(|step| step.frame.duration_nanos).sum();
        assert_eq!((found.step_ms() / 1000, nanos / 1_000_000_000), (step, to - from - gap), "{query:?}");
    }
    // More than that is too much to be a gap.
    let mut all = whole.clone();
    all[0].drain(1000..1100);
    assert_eq!([(0, 3700), (995, 1005), (0, 900)].map(|(from, to)| ask(from, to, 1).select(&all).step_ms()), [5000, 5000, 1000]);
}

#[test]
fn a_stop_within_a_coarse_point_is_no_damage() {
    let all = tiers((1..=130).chain(420..=1300));
    // The range begins in the time without points, and the ten minutes around it have seconds from before it.
    assert_eq!(answer(&ask(300, 1000, 1), &all).0, 1);
    assert_eq!(answer(&ask(0, 1300, 1), &all).0, 1);
}

#[test]
fn a_gap_is_a_gap() {
    let all = tiers((1..=300).chain(10_000..=10_300));
    for step in [1, 5, 60, 600] {
        let query = ask(0, 11_000, step);
        let steps = read(&query.select(&all));
        let in_gap = |at: u64| at > 301_000 && at < 10_000_000;
        assert!(steps.iter().all(|step| !in_gap(step.frame.time_ms) && step.frame.duration_nanos > 0), "{step} s");
        assert!(steps.iter().map(|step| step.frame.seq - step.frame.first + 1).sum::<u64>() == 601, "{step} s");
    }
    assert_eq!(answer(&ask(400, 9000, 60), &all).1, []);
    assert_eq!(answer(&ask(0, 100, 1), &TIERS.map(|_| Vec::new())).1, []);
}

#[test]
fn no_second_counts_twice_if_the_clock_names_it_twice() {
    let all = tiers((1000..=1900).chain(1200..=2100));
    for step in [5, 15, 60, 600, 1800] {
        let query = ask(0, 3000, step);
        let steps = read(&query.select(&all));
        let counted: u64 = steps.iter().flat_map(|step| &step.frame.latency).map(|series| series.histogram().count()).sum();
        let seconds = (1..=901 + 901_u64).flat_map(|seq| samples::frame(seq, 1).latency);
        assert_eq!(counted, seconds.map(|series| series.histogram().count()).sum::<u64>(), "{step} s");
    }
}

#[test]
fn a_namespace_and_an_operation_can_be_chosen() {
    let all = tiers(1..=3600);
    let query = HistoryQuery { namespace: Some("shop".to_owned()), op: Some(Operation::Get), ..ask(0, 3600, 1) };
    let steps = read(&query.select(&all));
    assert_eq!(steps.len(), 3600);
    let other = |step: &HistoryFrame| {
        step.frame.latency.iter().any(|series| &*series.namespace != "shop" || series.kind.op != Operation::Get)
            || step.frame.devices.iter().any(|load| &*load.namespace != "shop")
            || step.frame.sizes.iter().any(|size| &*size.namespace != "shop")
    };
    assert!(!steps.iter().any(other));
}
