//! Sums that lose nothing, sketches within their bound, and what is refused.

use super::histogram::{Buckets, Histogram};
use super::sketch::Sketch;
use super::sum::Sum;
use super::{Aggregates, Number, hash};
use proptest::prelude::*;
use tessera_base::ErrorCode;
use tessera_base::limits::{AGGREGATES, BUCKETS};
use tessera_record::ValueRef;

fn sum(numbers: &[Number]) -> Sum {
    let mut sum = Sum::default();
    numbers.iter().for_each(|&number| sum.add(number));
    sum
}

#[test]
fn integers_are_exact_past_64_bits_and_doubles_keep_what_cancels() {
    let most = sum(&[Number::Int(i64::MAX); 1000]);
    assert_eq!(most.integer(), Some(i128::from(i64::MAX) * 1000));
    let least = sum(&[Number::Int(i64::MIN); 1000]);
    assert_eq!(least.integer(), Some(i128::from(i64::MIN) * 1000));
    // Plain addition gives 0.
    let cancels = [1.0, 1e100, 1.0, -1e100].map(Number::Double);
    assert_eq!((sum(&cancels).integer(), sum(&cancels).double()), (None, 2.0));
    let mut halves = sum(&cancels[..2]);
    halves.merge(&sum(&cancels[2..]));
    assert_eq!(halves.double(), 2.0);
    assert_eq!(sum(&[Number::Int(2), Number::Double(0.5)]).double(), 2.5);
    assert_eq!(sum(&[Number::Double(0.1); 10]).double(), 1.0);
}

#[test]
fn a_sketch_is_near_the_truth_at_every_size_and_when_merged() {
    assert_eq!(Sketch::default().estimate(), 0);
    for (wanted, first) in [(1, 7), (10, 1), (1000, 50_000), (20_000, 9), (40_000, 1 << 40), (1_000_000, 3)] {
        let (mut even, mut odd) = (Sketch::default(), Sketch::default());
        for n in 0..wanted {
            let part = if n % 2 == 0 { &mut even } else { &mut odd };
            part.add(hash(&ValueRef::Int(first + n)));
            // What is met again is not counted again.
            part.add(hash(&ValueRef::Double((first + n) as f64)));
        }
        even.merge(&odd);
        let estimate = even.estimate() as f64;
        // Five standard errors; the numbers are the same in each run.
        assert!((estimate - wanted as f64).abs() <= 5.0 * 0.0081 * wanted as f64, "{estimate} for {wanted}");
    }
}

#[test]
fn the_longest_run_of_zeros_has_a_register() {
    let mut sketch = Sketch::default();
    (0..1 << 14).for_each(|register: u64| sketch.add(register << 50));
    assert!(sketch.estimate() > 1 << 60);
}

fn histogram(buckets: Buckets, numbers: &[Number]) -> (Vec<(i64, u64)>, u64, u64) {
    let mut halves = [Histogram::new(buckets.into()), Histogram::new(Buckets::Bounds(vec![]).into())];
    halves[1].buckets = halves[0].buckets.clone();
    numbers.iter().enumerate().for_each(|(at, &number)| halves[at % 2].add(number));
    let [mut first, second] = halves;
    first.merge(&second);
    assert!(first.check().is_ok());
    (first.counts.into_iter().collect(), first.below, first.above)
}

#[test]
fn buckets_have_their_lower_bound_and_the_last_has_both() {
    let bounds = Buckets::Bounds(vec![Number::Int(0), Number::Double(0.5), Number::Int(10)]);
    let numbers = [-1.0, 0.0, 0.25, 0.5, 9.0, 10.0, 10.5].map(Number::Double);
    assert_eq!(histogram(bounds, &numbers), (vec![(0, 2), (1, 3)], 1, 1));
    // Exactly: as doubles these three are one.
    let edge = 1 << 60;
    let bounds = Buckets::Bounds([edge - 1, edge, edge + 1].map(Number::Int).into());
    assert_eq!(histogram(bounds, &[edge - 1, edge, edge + 1, edge + 2].map(Number::Int)), (vec![(0, 1), (1, 2)], 0, 1));
    let width = Buckets::Width { width: Number::Int(10), from: Number::Int(5) };
    assert_eq!(histogram(width, &[4, 5, 14, 15, -6].map(Number::Int)), (vec![(-2, 1), (-1, 1), (0, 2), (1, 1)], 0, 0));
    let width = Buckets::Width { width: Number::Double(0.5), from: Number::Int(0) };
    assert_eq!(histogram(width, &[Number::Int(1), Number::Double(-0.1)]), (vec![(-1, 1), (2, 1)], 0, 0));
}

#[test]
fn too_many_buckets_are_an_error() {
    let mut histogram = Histogram::new(Buckets::Width { width: Number::Int(1), from: Number::Int(0) }.into());
    (0..BUCKETS as i64).for_each(|n| histogram.add(Number::Int(n)));
    assert!(histogram.check().is_ok());
    histogram.add(Number::Int(-1));
    assert_eq!(histogram.check().map_err(|error| error.code), Err(ErrorCode::AggregateInvalid));
}

#[test]
fn what_is_wrong_is_named_by_its_path() {
    let many: Vec<String> = (0..=AGGREGATES).map(|n| format!(r#""a{n}":{{"op":"count"}}"#)).collect();
    let many = format!("{{{}}}", many.join(","));
    let buckets = format!(r#"{{"a":{{"op":"histogram","bin":"n","buckets":{},"min":0,"max":1}}}}"#, BUCKETS + 1);
    for (text, field) in [
        ("[]", "aggregate"),
        ("{}", "aggregate"),
        (many.as_str(), "aggregate"),
        (r#"{"a":1}"#, "aggregate.a"),
        (r#"{"a":{}}"#, "aggregate.a.op"),
        (r#"{"a":{"op":"median","bin":"n"}}"#, "aggregate.a.op"),
        (r#"{"a":{"op":"sum"}}"#, "aggregate.a.bin"),
        (r#"{"a":{"op":"sum","bin":""}}"#, "aggregate.a.bin"),
        (r#"{"a":{"op":"sum","path":"x"}}"#, "aggregate.a.path"),
        (r#"{"a":{"op":"sum","bin":"n","meta":"size"}}"#, "aggregate.a.meta"),
        (r#"{"a":{"op":"sum","meta":"sise"}}"#, "aggregate.a.meta"),
        (r#"{"a":{"op":"sum","bin":"n","width":1}}"#, "aggregate.a.width"),
        (r#"{"a":{"op":"histogram","bin":"n"}}"#, "aggregate.a"),
        (r#"{"a":{"op":"histogram","bin":"n","width":0}}"#, "aggregate.a.width"),
        (r#"{"a":{"op":"histogram","bin":"n","width":1,"max":1}}"#, "aggregate.a"),
        (r#"{"a":{"op":"histogram","bin":"n","bounds":[1]}}"#, "aggregate.a.bounds"),
        (r#"{"a":{"op":"histogram","bin":"n","bounds":[1,"2"]}}"#, "aggregate.a.bounds[1]"),
        (r#"{"a":{"op":"histogram","bin":"n","bounds":[1,1]}}"#, "aggregate.a.bounds"),
        (r#"{"a":{"op":"histogram","bin":"n","buckets":0,"min":0,"max":1}}"#, "aggregate.a.buckets"),
        (r#"{"a":{"op":"histogram","bin":"n","buckets":3,"min":1,"max":1}}"#, "aggregate.a.buckets"),
        (buckets.as_str(), "aggregate.a.buckets"),
    ] {
        let error = Aggregates::compile(text.as_bytes()).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (ErrorCode::AggregateInvalid, Some(field)), "{text:.200}");
    }
}

proptest! {
    /// In whatever order and parts, a sum of integers is theirs.
    #[test]
    fn sums_of_integers_are_exact(numbers in prop::collection::vec(any::<i64>(), 0..50), cut in 0..50usize) {
        let all: Vec<Number> = numbers.iter().map(|&n| Number::Int(n)).collect();
        let (left, right) = all.split_at(cut.min(all.len()));
        let mut merged = sum(right);
        merged.merge(&sum(left));
        prop_assert_eq!(merged.integer(), Some(numbers.iter().map(|&n| i128::from(n)).sum()));
    }

    /// Every number is in the one bucket whose ends it lies between.
    #[test]
    fn a_bucket_holds_what_lies_between_its_ends(n in any::<i32>(), width in 1..1000i64, from in -1000..1000i64, whole: bool) {
        let (n, width) = (Number::Int(n.into()), if whole { Number::Int(width) } else { Number::Double(width as f64 / 8.0) });
        let mut histogram = Histogram::new(Buckets::Width { width, from: Number::Int(from) }.into());
        histogram.add(n);
        let bucket = histogram.counts.keys().next().copied();
        let ends = bucket.and_then(|bucket| histogram.ends(bucket));
        prop_assert!(ends.is_some_and(|(low, high)| low.as_double() <= n.as_double() && n.as_double() < high.as_double()), "{:?}", ends);
    }
}
