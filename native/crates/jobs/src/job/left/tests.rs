use super::*;
use tessera_base::dice::Dice;

const TOTAL: u64 = 600_000;
/// How far a build is when its time left is first judged.
const FROM: f64 = 0.25;

/// Units a second, by the share that is done.
type Rate = fn(f64) -> f64;

/// How a job goes on: units a second by the share that is done, and how much that varies from second to second.
struct Course {
    rate: Rate,
    noise: f64,
}

/// A normal number: the sum of twelve, less their mean.
fn normal(dice: &mut Dice) -> f64 {
    (0..12).map(|_| dice.roll(1_000_000) as f64 / 1e6).sum::<f64>() - 6.0
}

/// What is told at each twentieth of a second, from a quarter of the work on until two seconds are left: by how much the time left is
/// off, as a share, and whether the range holds the truth.
fn told(seed: u64, course: &Course) -> Vec<(f64, bool)> {
    let (mut dice, mut done, mut level) = (Dice(seed), 0.0, 1.0);
    let mut looks = vec![];
    for step in 0.. {
        if step % 20 == 0 {
            level = (course.noise * normal(&mut dice)).exp();
        }
        if done >= TOTAL as f64 {
            break;
        }
        looks.push((step * STEP_MS, done as u64));
        done += (course.rate)(done / TOTAL as f64) * level * STEP_MS as f64 / 1000.0;
    }
    let end = looks.last().unwrap().0 as f64 / 1000.0;
    let mut trace = Trace::default();
    let judged = looks.iter().filter_map(|(at, done)| {
        trace.look(*at, *done);
        let share = *done as f64 / TOTAL as f64;
        let left = trace.left(*at, *done, TOTAL)?;
        let truth = end - *at as f64 / 1000.0;
        (share >= FROM && truth >= 2.0).then_some((left.seconds / truth - 1.0, left.least <= truth && truth <= left.most))
    });
    judged.collect()
}

/// By how much the time left is off, as a share, the least first.
fn off(course: &Course) -> Vec<f64> {
    let mut all: Vec<f64> = (1..=5).flat_map(|seed| told(seed, course)).map(|(off, _)| off.abs()).collect();
    all.sort_unstable_by(f64::total_cmp);
    all
}

/// How often the range holds the truth.
fn held(course: &Course) -> f64 {
    let all: Vec<_> = (1..=5).flat_map(|seed| told(seed, course)).collect();
    all.iter().filter(|(_, holds)| *holds).count() as f64 / all.len() as f64
}

#[test]
fn the_time_left_of_a_steady_job_is_exact() {
    let off = off(&Course { rate: |_| 10_000.0, noise: 0.0 });
    assert!(off.last() < Some(&0.03), "{off:?}");
}

#[test]
fn the_time_left_is_known_to_a_fifth_from_a_quarter_on() {
    let courses: [(&str, Rate); 5] = [
        ("steady", |_| 10_000.0),
        ("slower by a third", |share| 10_000.0 * (1.0 - share / 3.0)),
        ("faster by a third", |share| 10_000.0 * (1.0 + share / 3.0)),
        ("slower with each record, as a tree grows", |share| 10_000.0 / (1.0 + 0.15 * (30.0 * share).ln_1p())),
        // What was in memory goes first.
        ("two phases", |share| if share < 0.2 { 30_000.0 } else { 10_000.0 }),
    ];
    for (name, rate) in courses {
        let even = off(&Course { rate, noise: 0.0 });
        assert!(even.last() < Some(&0.2), "{name}: {:?}", even.last());
        // Of seconds that vary by a tenth, some are far off by chance: 19 of 20 looks count.
        let noisy = off(&Course { rate, noise: 0.1 });
        assert!(noisy[noisy.len() * 19 / 20] < 0.2, "{name}: {}", noisy[noisy.len() * 19 / 20]);
    }
}

#[test]
fn parts_that_come_in_bursts_do_not_disturb_it() {
    // Of each segment, records are read, and then the index is put together, which counts for none. 64 segments.
    let mut trace = Trace::default();
    let (segments, read, put) = (64, 1200, 800);
    let end = segments * (read + put);
    for at in (0..end).step_by(STEP_MS as usize) {
        let (segment, within) = (at / (read + put), at % (read + put));
        let done = segment * 1200 + within.min(read);
        trace.look(at, done);
        if at * 4 >= end && at * 50 < end * 49 {
            let left = trace.left(at, done, segments * 1200).unwrap();
            let truth = (end - at) as f64 / 1000.0;
            let off = left.seconds / truth - 1.0;
            // The last two segments may just be read, or not.
            assert!(off.abs() < 0.2 || truth < 6.0, "{at} of {end}: {left:?}, not {truth}");
        }
    }
}

#[test]
fn the_range_holds_the_truth_nine_times_in_ten() {
    let courses: [(&str, Rate, f64); 5] = [
        ("steady", |_| 10_000.0, 0.1),
        ("unsteady", |_| 10_000.0, 0.2),
        ("slower by a third", |share| 10_000.0 * (1.0 - share / 3.0), 0.1),
        ("slower by a third, unsteady", |share| 10_000.0 * (1.0 - share / 3.0), 0.2),
        ("faster by a third", |share| 10_000.0 * (1.0 + share / 3.0), 0.2),
    ];
    for (name, rate, noise) in courses {
        let held = held(&Course { rate, noise });
        assert!(held >= 0.9, "{name}: {held}");
    }
}

#[test]
fn it_says_nothing_before_there_is_something_and_zero_at_no_time() {
    let mut trace = Trace::default();
    assert_eq!(trace.left(0, 0, 100), None);
    trace.look(1000, 0);
    assert_eq!(trace.left(1000, 0, 100), None);
    let first = trace.left(1100, 10, 100).unwrap();
    assert!(first.least <= first.seconds && first.seconds <= first.most && first.most.is_finite(), "{first:?}");
    assert_eq!(trace.left(2000, 100, 100), None);
    assert_eq!(trace.left(2000, 101, 100), None);
}

#[test]
fn a_job_that_stands_still_goes_on_as_before() {
    let mut trace = Trace::default();
    for second in 0..=10 {
        trace.look(second * 1000, second * 100);
    }
    for second in 11..60 {
        trace.look(second * 1000, 1000);
    }
    let left = trace.left(60_000, 1000, 2000).unwrap();
    assert!((50.0..61.0).contains(&left.seconds) && left.most >= 60.0, "{left:?}");
}
