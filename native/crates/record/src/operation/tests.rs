//! What operations leave of a record, and what they answer.

use super::*;
use crate::json::{Shape, parse_bins, parse_value, write_value};

fn encoded(json: &str) -> Box<[u8]> {
    let mut bytes = Vec::new();
    parse_value(json.as_bytes(), &mut bytes).unwrap();
    bytes.into()
}

fn text(value: &[u8]) -> String {
    let mut json = Vec::new();
    write_value(&mut json, ValueRef::of(value), Shape::Record);
    String::from_utf8(json).unwrap()
}

fn body_of(bins: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(7));
    parse_bins(bins.as_bytes(), Shape::Record, body.bins()).unwrap();
    body.finish();
    bytes
}

/// Bins and results as `name=value` in their order; `None` where nothing is left of the record.
type Outcome = (Option<String>, String);

fn run_on(bins: Option<&str>, (replace, respond_all): (bool, bool), operations: &[Operation]) -> Result<Outcome> {
    let old = bins.map(body_of);
    let start = Start { old: old.as_deref().map(BodyRef::new), replace, respond_all };
    let applied = apply(operations, KeyRef::Integer(7), start)?;
    let left = applied.body.map(|body| {
        let body = BodyRef::new(&body);
        assert_eq!(body.key(), KeyRef::Integer(7));
        body.raw_bins().map(|(name, value)| format!("{}={}", String::from_utf8_lossy(name), text(value))).collect::<Vec<_>>().join(" ")
    });
    let results = applied.results.iter().map(|result| {
        let values: Vec<String> = result.values.iter().map(|value| text(value)).collect();
        format!("{}={}", result.bin, values.join(","))
    });
    Ok((left, results.collect::<Vec<_>>().join(" ")))
}

/// Of a record that is there, which keeps its bins.
fn run(bins: &str, operations: &[Operation]) -> Result<Outcome> {
    run_on(Some(bins), (false, false), operations)
}

fn read(bin: &str) -> Operation {
    Operation::Read(bin.into())
}

fn put(bin: &str, json: &str) -> Operation {
    Operation::Put(bin.into(), encoded(json))
}

fn add(bin: &str, json: &str) -> Operation {
    Operation::Add(bin.into(), encoded(json))
}

fn append(bin: &str, json: &str) -> Operation {
    Operation::Append(bin.into(), encoded(json))
}

fn prepend(bin: &str, json: &str) -> Operation {
    Operation::Prepend(bin.into(), encoded(json))
}

fn done(left: &str, results: &str) -> Result<Outcome> {
    Ok((Some(left.to_owned()), results.to_owned()))
}

fn code(outcome: Result<Outcome>) -> (ErrorCode, Option<String>) {
    outcome.map_err(|error| (error.code, error.field)).unwrap_err()
}

#[test]
fn operations_run_in_their_order() {
    let bins = r#"{"n":5,"s":"bc"}"#;
    let all = [read("n"), add("n", "-2"), read("n"), read("absent"), append("s", r#""d""#), prepend("s", r#""a""#), Operation::ReadAll];
    assert_eq!(run(bins, &all), done(r#"n=3 s="abcd""#, r#"n=5,3,3 s="abcd""#));
    assert_eq!(run(bins, &[put("n", "1"), put("t", "true")]), done(r#"n=1 s="bc" t=true"#, ""));
    assert_eq!(run(bins, &[Operation::ReadHeader, Operation::Touch]), done(r#"n=5 s="bc""#, ""));
    assert_eq!(run(bins, &[Operation::Delete, put("n", "1")]), done("n=1", ""));
}

#[test]
fn a_bin_that_is_not_there_takes_the_operand() {
    for (operation, left) in [
        (add("b", "4"), "b=4"),
        (add("b", "4.5"), "b=4.5"),
        (append("b", r#""x""#), r#"b="x""#),
        (prepend("b", r#"{"$bytes":"AAE="}"#), r#"b={"$bytes":"AAE="}"#),
    ] {
        assert_eq!(run_on(None, (false, false), &[operation]), done(left, ""));
    }
    assert_eq!(run(r#"{"b":1.5}"#, &[add("b", "2.25")]), done("b=3.75", ""));
    assert_eq!(run(r#"{"b":{"$bytes":"AAE="}}"#, &[append("b", r#"{"$bytes":"Ag=="}"#)]), done(r#"b={"$bytes":"AAEC"}"#, ""));
}

#[test]
fn a_null_deletes_a_bin_and_the_last_one_the_record() {
    assert_eq!(run(r#"{"a":1,"b":2}"#, &[put("a", "null"), put("c", "null")]), done("b=2", ""));
    assert_eq!(run(r#"{"a":1}"#, &[put("a", "null")]), Ok((None, String::new())));
    assert_eq!(run(r#"{"a":1}"#, &[Operation::Delete]), Ok((None, String::new())));
    assert_eq!(run("{}", &[Operation::Touch]), done("", ""), "one that had none stays");
    assert_eq!(run("{}", &[Operation::Delete]), Ok((None, String::new())));
}

#[test]
fn a_replacement_begins_without_the_old_bins() {
    let bins = Some(r#"{"a":1,"b":2}"#);
    assert_eq!(run_on(bins, (true, false), &[read("a"), put("b", "3")]), done("b=3", ""));
    assert_eq!(run_on(bins, (true, false), &[Operation::Touch]), done("", ""));
}

#[test]
fn a_change_answers_null_if_all_are_to_answer() {
    let all = [put("a", "2"), read("a"), add("a", "1"), Operation::Touch, Operation::ReadAll];
    assert_eq!(run_on(Some(r#"{"a":1}"#), (false, true), &all), done("a=3", "a=null,2,null,3"));
}

#[test]
fn what_cannot_be_combined_is_refused_by_the_bin() {
    let (mismatch, overflow) = (ErrorCode::BinTypeMismatch, ErrorCode::NumberOutOfRange);
    for (bins, operation, expected) in [
        (r#"{"a":1}"#, add("a", "1.5"), mismatch),
        (r#"{"a":1.5}"#, add("a", "1"), mismatch),
        (r#"{"a":"x"}"#, add("a", "1"), mismatch),
        (r#"{"a":1}"#, append("a", r#""x""#), mismatch),
        (r#"{"a":"x"}"#, prepend("a", r#"{"$bytes":"AA=="}"#), mismatch),
        (r#"{"a":9223372036854775807}"#, add("a", "1"), overflow),
        (r#"{"a":1.7e308}"#, add("a", "1.7e308"), overflow),
        ("{}", add("a", "null"), mismatch),
        ("{}", append("a", "[1]"), mismatch),
    ] {
        assert_eq!(code(run(bins, &[operation])), (expected, Some("a".to_owned())), "{bins}");
    }
}

#[test]
fn only_a_put_or_a_sum_makes_a_record() {
    let nothing = |operations: &[Operation]| code(run_on(None, (false, false), operations));
    for operations in [&[Operation::Touch][..], &[read("a")], &[Operation::Delete], &[put("a", "null")], &[Operation::Touch, put("a", "1")]]
    {
        assert_eq!(nothing(operations), (ErrorCode::RecordNotFound, None), "{operations:?}");
    }
    assert_eq!(run_on(None, (false, false), &[put("a", "1"), read("a")]), done("a=1", "a=1"));
}

#[test]
fn answers_have_a_limit_together() {
    let bins = format!(r#"{{"a":"{}"}}"#, "x".repeat(1000));
    let body = body_of(&bins);
    let value = BodyRef::new(&body).raw_bins().next().unwrap().1.len();
    let most = limits::OPERATION_RESULT_BYTES / (RESULT_BYTES + value);
    assert!(run(&bins, &vec![read("a"); most]).is_ok());
    assert_eq!(code(run(&bins, &vec![read("a"); most + 1])), (ErrorCode::RecordTooLarge, None));
    let results = super::read(&vec![Operation::ReadAll; most], BodyRef::new(&body)).unwrap();
    assert_eq!((results.len(), results[0].bin.as_str(), results[0].values.len()), (1, "a", most));
}

#[test]
fn an_operation_names_its_bin() {
    let operations = [read("a"), put("a", "1"), add("a", "1"), append("a", "1"), prepend("a", "1")];
    assert!(operations.iter().all(|operation| operation.bin() == Some("a")));
    let without = [Operation::ReadAll, Operation::ReadHeader, Operation::Touch, Operation::Delete];
    assert!(without.iter().all(|operation| operation.bin().is_none()));
    let reads = |operations: &[Operation]| operations.iter().map(Operation::reads).collect::<Vec<_>>();
    assert_eq!((reads(&operations), reads(&without)), (vec![true, false, false, false, false], vec![true, true, false, false]));
}
