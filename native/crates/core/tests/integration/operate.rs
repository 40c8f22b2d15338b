//! Operations on one record: what they do, what they refuse, and that nobody sees half of them.

#![allow(clippy::unwrap_used, reason = "helpers of tests fail by panicking")]

use crate::bodies::body;
use crate::pages::paged;
use std::sync::Arc;
use tessera_base::{ErrorCode, Result};
use tessera_core::namespace::{Operate, Operated};
use tessera_core::{DeviceConfig, Engine, EngineOptions, Exists, Namespace, NamespaceConfig, SetConfig, WriteOptions};
use tessera_record::filter::Filter;
use tessera_record::{BodyRef, Encoder, KeyRef, Operation, Ttl, Value, ValueRef};

const KEY: KeyRef<'_> = KeyRef::String("k");
const MERGE: WriteOptions = WriteOptions {
    exists: Exists::Merge,
    expected_generation: None,
    generation_greater: false,
    ttl: Ttl::Default,
    generation: None,
    defer_sync: false,
};

fn encoded(value: &Value) -> Box<[u8]> {
    let mut out = vec![];
    Encoder::new(&mut out).value(value);
    out.into()
}

fn put(bin: &str, value: Value) -> Operation {
    Operation::Put(bin.into(), encoded(&value))
}

fn add(bin: &str, value: Value) -> Operation {
    Operation::Add(bin.into(), encoded(&value))
}

fn append(bin: &str, text: &str) -> Operation {
    Operation::Append(bin.into(), encoded(&Value::String(text.into())))
}

fn read(bin: &str) -> Operation {
    Operation::Read(bin.into())
}

fn with(operations: &[Operation], options: WriteOptions) -> Operate<'_> {
    Operate { operations, options, filter: None, respond_all: false }
}

fn run(namespace: &Namespace, operations: &[Operation]) -> Result<Option<Operated>> {
    namespace.operate("s", KEY, &with(operations, MERGE))
}

fn results(operated: &Operated) -> Vec<(String, Vec<Value>)> {
    let values = |values: &Vec<Vec<u8>>| values.iter().map(|value| ValueRef::of(value).to_value()).collect();
    operated.results.iter().map(|results| (results.bin.clone(), values(&results.values))).collect()
}

fn stored(namespace: &Namespace) -> Option<Vec<(String, Value)>> {
    let mut out = vec![];
    namespace.get("s", KEY, &mut out).unwrap()?;
    let text = |name: &[u8]| String::from_utf8(name.to_vec()).unwrap();
    Some(BodyRef::new(&out).raw_bins().map(|(name, value)| (text(name), ValueRef::of(value).to_value())).collect())
}

/// In memory, on a device, in pages, and in a set whose records are placed by a bin.
fn everywhere(test: impl Fn(&Namespace)) {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let placed = SetConfig { name: "s".into(), distribution_bin: Some("n".into()), ..SetConfig::default() };
    for config in [
        NamespaceConfig::memory("memory"),
        NamespaceConfig { sets: vec![placed], ..NamespaceConfig::memory("placed") },
        NamespaceConfig::device("device", DeviceConfig::default()),
        paged("pages", 4096),
    ] {
        test(&engine.create_namespace(NamespaceConfig { segments: 4, ..config }).unwrap());
    }
}

#[test]
fn operations_run_in_order_and_answer_what_they_read() {
    everywhere(|namespace| {
        let asked = [put("n", Value::Int(5)), read("n"), add("n", Value::Int(2)), read("n"), append("t", "ab"), Operation::ReadAll];
        let first = run(namespace, &asked).unwrap().unwrap();
        assert_eq!(first.meta.generation, 1);
        let expected = [("n", vec![Value::Int(5), Value::Int(7), Value::Int(7)]), ("t", vec![Value::String("ab".into())])];
        assert_eq!(results(&first), expected.map(|(bin, values)| (bin.to_owned(), values)));
        let prepend = Operation::Prepend("t".into(), encoded(&Value::String("é".into())));
        let second = run(namespace, &[prepend, append("t", "c"), add("n", Value::Int(-7)), put("gone", Value::Null)]).unwrap().unwrap();
        assert_eq!((second.meta.generation, second.results.len()), (2, 0));
        assert_eq!(stored(namespace).unwrap(), [("n".into(), Value::Int(0)), ("t".into(), Value::String("éabc".into()))]);
        let header = run(namespace, &[Operation::ReadHeader, read("absent")]).unwrap().unwrap();
        assert_eq!((header.meta.generation, header.results.len()), (2, 0));
    });
}

#[test]
fn what_is_refused_changes_nothing() {
    everywhere(|namespace| {
        run(namespace, &[put("n", Value::Int(i64::MAX)), put("t", Value::String("x".into())), put("d", Value::Double(f64::MAX))]).unwrap();
        let before = stored(namespace);
        for (operation, code) in [
            (add("n", Value::Int(1)), ErrorCode::NumberOutOfRange),
            (add("d", Value::Double(f64::MAX)), ErrorCode::NumberOutOfRange),
            (add("n", Value::Double(1.0)), ErrorCode::BinTypeMismatch),
            (add("t", Value::Int(1)), ErrorCode::BinTypeMismatch),
            (append("n", "x"), ErrorCode::BinTypeMismatch),
            (Operation::Append("t".into(), encoded(&Value::Bytes(vec![1]))), ErrorCode::BinTypeMismatch),
            (Operation::Append("new".into(), encoded(&Value::List(vec![]))), ErrorCode::BinTypeMismatch),
        ] {
            assert_eq!(run(namespace, &[put("other", Value::Int(1)), operation]).unwrap_err().code, code);
        }
        assert_eq!(stored(namespace), before);
        assert_eq!(run(namespace, &[]).unwrap_err().code, ErrorCode::OperationInvalid);
    });
}

#[test]
fn a_record_that_is_not_there_is_read_as_none_and_made_by_changes() {
    everywhere(|namespace| {
        assert!(run(namespace, &[Operation::ReadAll]).unwrap().is_none());
        for operations in [[Operation::Touch], [Operation::Delete], [put("a", Value::Null)]] {
            assert_eq!(run(namespace, &operations).unwrap_err().code, ErrorCode::RecordNotFound);
        }
        let update = WriteOptions { exists: Exists::UpdateOnly, ..MERGE };
        let refused = namespace.operate("s", KEY, &with(&[put("a", Value::Int(1))], update));
        assert_eq!(refused.unwrap_err().code, ErrorCode::RecordNotFound);
        assert!(stored(namespace).is_none());
        let made = run(namespace, &[Operation::Delete, add("n", Value::Double(0.5))]).unwrap().unwrap();
        assert_eq!((made.meta.generation, stored(namespace).unwrap().len()), (1, 1));
    });
}

#[test]
fn a_delete_takes_the_record_and_what_follows_it_makes_it_anew() {
    everywhere(|namespace| {
        run(namespace, &[put("a", Value::Int(1)), put("n", Value::Int(2))]).unwrap();
        let kept = run(namespace, &[Operation::Delete, put("b", Value::Int(3)), Operation::ReadAll]).unwrap().unwrap();
        assert_eq!((kept.meta.generation, kept.removed), (2, false));
        assert_eq!(stored(namespace).unwrap(), [("b".into(), Value::Int(3))]);
        let gone = run(namespace, &[read("b"), Operation::Delete]).unwrap().unwrap();
        assert!(gone.removed);
        assert_eq!(results(&gone), [("b".to_owned(), vec![Value::Int(3)])]);
        assert!(stored(namespace).is_none());
        assert_eq!(namespace.size(Some("s")), 0);
    });
}

#[test]
fn options_hold_for_operations_too() {
    everywhere(|namespace| {
        run(namespace, &[put("a", Value::Int(1)), put("b", Value::Int(1))]).unwrap();
        let stale = WriteOptions { expected_generation: Some(9), ..MERGE };
        assert_eq!(namespace.operate("s", KEY, &with(&[Operation::Touch], stale)).unwrap_err().code, ErrorCode::GenerationMismatch);
        let create = WriteOptions { exists: Exists::CreateOnly, ..MERGE };
        assert_eq!(namespace.operate("s", KEY, &with(&[put("a", Value::Int(2))], create)).unwrap_err().code, ErrorCode::RecordExists);
        let touch =
            namespace.operate("s", KEY, &with(&[Operation::Touch], WriteOptions { ttl: Ttl::Seconds(60), ..MERGE })).unwrap().unwrap();
        assert!(touch.meta.generation == 2 && touch.meta.expires_at > 0);
        let replace = WriteOptions { exists: Exists::ReplaceOnly, ..MERGE };
        namespace.operate("s", KEY, &with(&[put("c", Value::Int(3))], replace)).unwrap();
        assert_eq!(stored(namespace).unwrap(), [("c".into(), Value::Int(3))]);
        let both = [add("c", Value::Int(1)), read("c")];
        let all = namespace.operate("s", KEY, &Operate { respond_all: true, ..with(&both, MERGE) }).unwrap().unwrap();
        assert_eq!(results(&all), [("c".to_owned(), vec![Value::Null, Value::Int(4)])]);
    });
}

#[test]
fn a_filter_is_asked_of_the_record_that_is_there() {
    everywhere(|namespace| {
        let filter = Filter::compile(br#"{"bin":"n","op":"ge","value":10}"#).unwrap();
        let new = body(KEY, &[("n", Value::Int(1))]);
        let replaced = |filter| namespace.put_if("s", KEY, &new, &WriteOptions::default(), Some(filter));
        // There is nothing yet that could fail it.
        replaced(&filter).unwrap();
        assert_eq!(replaced(&filter).unwrap_err().code, ErrorCode::FilteredOut);
        for operations in [[Operation::ReadAll], [Operation::Delete]] {
            let asked = Operate { filter: Some(&filter), ..with(&operations, MERGE) };
            assert_eq!(namespace.operate("s", KEY, &asked).unwrap_err().code, ErrorCode::FilteredOut);
        }
        run(namespace, &[put("n", Value::Int(10))]).unwrap();
        replaced(&filter).unwrap();
        assert_eq!(stored(namespace).unwrap(), [("n".into(), Value::Int(1))]);
    });
}

#[test]
fn additions_from_many_threads_are_all_there() {
    everywhere(|namespace| {
        std::thread::scope(|scope| {
            for _ in 0..4 {
                scope.spawn(|| (0..500).for_each(|_| drop(run(namespace, &[add("n", Value::Int(1)), add("m", Value::Int(-1))]).unwrap())));
            }
        });
        assert_eq!(stored(namespace).unwrap(), [("n".into(), Value::Int(2000)), ("m".into(), Value::Int(-2000))]);
        let mut out = vec![];
        assert_eq!(namespace.get("s", KEY, &mut out).unwrap().unwrap().generation, 2000);
    });
}

#[test]
fn a_single_bin_keeps_its_name_to_itself() {
    let directory = tempfile::tempdir().unwrap();
    let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
    let namespace: Arc<Namespace> =
        engine.create_namespace(NamespaceConfig { single_bin: true, ..NamespaceConfig::memory("one") }).unwrap();
    run(&namespace, &[add("value", Value::Int(1)), add("value", Value::Int(1))]).unwrap();
    assert_eq!(stored(&namespace).unwrap(), [("value".into(), Value::Int(2))]);
    assert_eq!(run(&namespace, &[put("other", Value::Int(1))]).unwrap_err().code, ErrorCode::SingleBin);
}
