//! What is wrong is named by its place, and what would take too much memory is refused.

use super::store::{Store, every_engine, spec};
use serde_json::{Value, json};
use tessera_base::ErrorCode;
use tessera_core::NamespaceConfig;
use tessera_core::stream::Pipeline;

#[test]
fn what_is_wrong_is_named_by_its_path_from_the_steps() {
    use ErrorCode::{AggregateInvalid, FilterInvalid, JsonInvalid, OrderInvalid, OrderNeedsLimit, QueryInvalid, StreamInvalid};
    let many = Value::Array(vec![json!({"distinct": true}); 33]);
    for (steps, field, code) in [
        ("", "steps", JsonInvalid),
        ("{}", "steps", StreamInvalid),
        (&*many.to_string(), "steps", StreamInvalid),
        ("[1]", "steps[0]", StreamInvalid),
        ("[{}]", "steps[0]", StreamInvalid),
        (r#"[{"limit":1},{"peek":1}]"#, "steps[1].peek", StreamInvalid),
        (r#"[{"limit":1,"skip":1}]"#, "steps[0].skip", StreamInvalid),
        (r#"[{"limit":0}]"#, "steps[0].limit", StreamInvalid),
        (r#"[{"limit":1.5}]"#, "steps[0].limit", StreamInvalid),
        (r#"[{"distinct":false}]"#, "steps[0].distinct", StreamInvalid),
        (r#"[{"count":1}]"#, "steps[0].count", StreamInvalid),
        (r#"[{"count":true},{"count":true}]"#, "steps[1]", StreamInvalid),
        (r#"[{"reduce":{"n":{"op":"count"}}},{"limit":1}]"#, "steps[1]", StreamInvalid),
        (r#"[{"filter":{"bin":"a","op":"is"}}]"#, "steps[0].filter.op", FilterInvalid),
        (r#"[{"filter":{"and":[{"bin":"a","op":"eq"}]}}]"#, "steps[0].filter.and[0].value", FilterInvalid),
        (r#"[{"limit":1},{"map":[{"bin":1}]}]"#, "steps[1].map[0].bin", QueryInvalid),
        (r#"[{"map":["a","a"]}]"#, "steps[0].map[1]", QueryInvalid),
        (r#"[{"flatMap":{"bin":"a"}}]"#, "steps[0].flatMap.as", QueryInvalid),
        (r#"[{"sort":1}]"#, "steps[0].sort", StreamInvalid),
        (r#"[{"sort":{"limit":1}}]"#, "steps[0].sort.bin", OrderInvalid),
        (r#"[{"sort":{"bin":"a"}}]"#, "steps[0].sort.limit", OrderNeedsLimit),
        (r#"[{"sort":{"bin":"a","limit":100001}}]"#, "steps[0].sort.limit", OrderNeedsLimit),
        (r#"[{"reduce":{"n":{"op":"mode"}}}]"#, "steps[0].reduce.n.op", AggregateInvalid),
        (r#"[{"groupBy":[]}]"#, "steps[0].groupBy", StreamInvalid),
        (r#"[{"groupBy":{}}]"#, "steps[0].groupBy.by", QueryInvalid),
        (r#"[{"groupBy":{"by":["a"],"top":0}}]"#, "steps[0].groupBy.top", QueryInvalid),
        (r#"[{"groupBy":{"by":["a"],"aggregate":{"n":{"op":"sum"}}}}]"#, "steps[0].groupBy.aggregate.n.bin", AggregateInvalid),
        (
            r#"[{"groupBy":{"by":["a"],"aggregate":{"n":{"op":"distinct","bin":"b"}}}}]"#,
            "steps[0].groupBy.aggregate.n.op",
            AggregateInvalid,
        ),
    ] {
        let error = Pipeline::compile(steps.as_bytes()).unwrap_err();
        assert_eq!((error.code, error.field.as_deref()), (code, Some(field)), "{steps}: {error}");
        assert!(error.message.starts_with("steps") == (code != JsonInvalid) || error.message.starts_with("distinct and"), "{error}");
    }
}

#[test]
fn sets_and_threads_that_are_not_there_are_refused() {
    for config in every_engine() {
        let store = Store::open(config);
        store.put("s", 1, &json!({"n": 1}));
        let of = |set: &str, threads| {
            let spec = tessera_core::stream::StreamSpec { set: Some(set.into()), ..spec(&json!([]), threads).unwrap() };
            store.namespace.stream(spec).map(drop).map_err(|error| error.code)
        };
        assert_eq!(of("t", 1), Err(ErrorCode::SetNotFound));
        assert_eq!(of("s", 0), Err(ErrorCode::ThreadsInvalid));
        assert_eq!(of("s", 129), Err(ErrorCode::ThreadsInvalid));
    }
}

#[test]
fn too_many_groups_and_too_large_sorts_are_refused() {
    let store = Store::open(NamespaceConfig { segments: 4, ..NamespaceConfig::memory("a") });
    for key in 0..2 {
        store.put("s", key, &json!({"list": (key * 60_000..(key + 1) * 60_000).collect::<Vec<_>>()}));
    }
    let items = json!({"flatMap": {"bin": "list", "as": "n"}});
    let failed = |steps: Value| store.ask(&steps, 2).map(drop).map_err(|error| (error.code, error.field));
    let field = |name: &str| Some(name.to_owned());
    assert_eq!(failed(json!([items, {"groupBy": {"by": ["n"]}}])), Err((ErrorCode::TooManyGroups, field("steps[1].groupBy"))));
    // Each row has all of the list beside its item.
    assert_eq!(failed(json!([items, {"map": ["n"]}, {"distinct": true}, {"count": true}])), Ok(()), "rows of one column are small");
    let rows = json!({"flatMap": {"bin": "list", "as": "again"}});
    let sort = json!({"sort": {"bin": "again", "limit": 100_000}});
    assert_eq!(failed(json!([rows, sort, {"count": true}])), Err((ErrorCode::OrderNeedsLimit, field("steps[1].sort.limit"))));
}
