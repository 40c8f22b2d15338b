//! JSON text and random documents as encoded values, for tests.

use crate::json::parse_value;
use crate::{Encoder, Value};
use proptest::prelude::*;

/// The encoding of one JSON text; of null if it is none.
pub fn encode(text: &str) -> Vec<u8> {
    let mut bytes = Vec::new();
    if parse_value(text.as_bytes(), &mut bytes).is_err() {
        Encoder::new(&mut bytes).null();
    }
    bytes
}

/// The encoding of a value.
pub fn encoded(value: &Value) -> Vec<u8> {
    let mut bytes = Vec::new();
    Encoder::new(&mut bytes).value(value);
    bytes
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
