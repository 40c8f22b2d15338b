//! JSON text and random documents as encoded values.

use proptest::prelude::*;
use tessera_core::record::{Encoder, Value};

/// The encoding of one JSON text.
pub fn encode(text: &str) -> Vec<u8> {
    encoded(&value(&serde_json::from_str(text).unwrap_or(serde_json::Value::Null)))
}

pub fn encoded(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes).value(value);
    bytes
}

fn value(json: &serde_json::Value) -> Value {
    match json {
        serde_json::Value::Null => Value::Null,
        serde_json::Value::Bool(b) => Value::Bool(*b),
        serde_json::Value::Number(n) => n.as_i64().map_or_else(|| Value::Double(n.as_f64().unwrap_or(f64::NAN)), Value::Int),
        serde_json::Value::String(s) => Value::String(s.clone()),
        serde_json::Value::Array(items) => Value::List(items.iter().map(value).collect()),
        serde_json::Value::Object(entries) => Value::Map(entries.iter().map(|(k, v)| (k.clone(), value(v))).collect()),
    }
}

/// Small documents over few keys and scalars, so that containment and shared terms are common.
pub fn document() -> impl Strategy<Value = Value> {
    let scalar = prop_oneof![
        Just(Value::Null),
        any::<bool>().prop_map(Value::Bool),
        (0..3_i64).prop_map(Value::Int),
        prop_oneof![Just(0.0), Just(1.0), Just(0.5)].prop_map(Value::Double),
        "[ab]{0,1}".prop_map(Value::String),
        prop::collection::vec(0..2_u8, 0..2).prop_map(Value::Bytes),
    ];
    scalar.prop_recursive(3, 12, 3, |inner| {
        prop_oneof![
            prop::collection::vec(inner.clone(), 0..4).prop_map(Value::List),
            prop::collection::btree_map("[abc]", inner, 0..4).prop_map(|entries| Value::Map(entries.into_iter().collect())),
        ]
    })
}
