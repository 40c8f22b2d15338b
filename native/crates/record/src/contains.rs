//! Containment with the meaning of PostgreSQL 15's `jsonb @>` (its `JsonbDeepContains`, checked case by case against
//! a real one in `documents/containment.rs`, a test of the core).

use crate::ValueRef;
use crate::compare::equal;

/// Whether `stored` contains `wanted`.
///
/// A map contains a map when it has each wanted key with a value that contains the wanted one. A list contains a list
/// when each wanted item is contained in some stored item, in any order; one stored item may serve twice. Scalars
/// contain their equals, numbers by value. At the top level only, a list also contains a scalar that is one of its items.
pub fn contains(stored: ValueRef<'_>, wanted: ValueRef<'_>) -> bool {
    match (&stored, &wanted) {
        (_, ValueRef::List(_) | ValueRef::Map(_)) => within(&stored, &wanted),
        (ValueRef::List(items), _) => items.iter().any(|item| equal(&item, &wanted)),
        _ => equal(&stored, &wanted),
    }
}

fn within(stored: &ValueRef<'_>, wanted: &ValueRef<'_>) -> bool {
    match (stored, wanted) {
        (ValueRef::Map(stored), ValueRef::Map(wanted)) => {
            wanted.iter().all(|(key, value)| stored.get(key).is_some_and(|found| within(&found, &value)))
        }
        (ValueRef::List(stored), ValueRef::List(wanted)) => wanted.iter().all(|value| stored.iter().any(|item| within(&item, &value))),
        (_, ValueRef::List(_) | ValueRef::Map(_)) => false,
        _ => equal(stored, wanted),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::json::parse_value;

    #[test]
    fn maps_are_contained_by_key_and_lists_by_item() {
        for (stored, wanted, expected) in [
            (r#"{"a":1,"b":[1,{"c":2,"d":3}]}"#, r#"{"b":[{"c":2}]}"#, true),
            (r#"{"a":1,"b":[1,{"c":2,"d":3}]}"#, r#"{"b":[{"c":2},{"d":3},1.0,1]}"#, true),
            (r#"{"a":1,"b":[1,{"c":2,"d":3}]}"#, r#"{"b":[{"c":3}]}"#, false),
            (r#"{"a":1}"#, r#"{"a":1,"b":2}"#, false),
            (r#"{"a":1}"#, "{}", true),
            (r#"{"a":1}"#, "[]", false),
            (r#"{"a":[1]}"#, r#"{"a":1}"#, false),
            (r#"{"a":{}}"#, r#"{"a":[]}"#, false),
            ("[1,[2]]", "[]", true),
            ("[1,[2]]", "{}", false),
            ("[1,[2]]", "1", true),
            ("[1,[2]]", "2", false),
            ("[1,[2]]", "[[2]]", true),
            ("[1,[2]]", "[2]", false),
            ("1", "[1]", false),
            ("1", "1.0", true),
            ("1", "2", false),
            ("\"a\"", "\"a\"", true),
        ] {
            let value = |json: &str| {
                let mut bytes = Vec::new();
                parse_value(json.as_bytes(), &mut bytes).unwrap();
                bytes
            };
            assert_eq!(contains(ValueRef::of(&value(stored)), ValueRef::of(&value(wanted))), expected, "{stored} @> {wanted}");
        }
    }
}
