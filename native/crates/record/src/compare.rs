//! Equality and order of values. Numbers compare by value whatever their type, exactly; other kinds never equal
//! another kind; strings and bytes compare bytewise.

use std::cmp::Ordering;

use super::codec::ValueRef;

/// 2^63, the first double past every 64-bit integer.
const PAST_INTEGERS: f64 = 9_223_372_036_854_775_808.0;

/// Orders an integer against a double without rounding either; `None` for NaN.
#[inline]
pub fn integer_with_double(integer: i64, double: f64) -> Option<Ordering> {
    if double.is_nan() {
        return None;
    }
    if double >= PAST_INTEGERS {
        return Some(Ordering::Less);
    }
    if double < -PAST_INTEGERS {
        return Some(Ordering::Greater);
    }
    let whole = double.trunc();
    match integer.cmp(&(whole as i64)) {
        Ordering::Equal => 0.0.partial_cmp(&(double - whole)),
        unequal => Some(unequal),
    }
}

/// The integer that equals `double`, if one of 64 bits does.
#[inline]
pub fn as_integer(double: f64) -> Option<i64> {
    let fits = (-PAST_INTEGERS..PAST_INTEGERS).contains(&double) && double.trunc() == double;
    fits.then_some(double as i64)
}

/// Orders two scalars of one kind; `None` for two kinds, for containers and for NaN.
#[inline]
pub fn order(left: &ValueRef<'_>, right: &ValueRef<'_>) -> Option<Ordering> {
    match (left, right) {
        (ValueRef::Int(a), ValueRef::Int(b)) => Some(a.cmp(b)),
        (ValueRef::Double(a), ValueRef::Double(b)) => a.partial_cmp(b),
        (ValueRef::Int(a), ValueRef::Double(b)) => integer_with_double(*a, *b),
        (ValueRef::Double(a), ValueRef::Int(b)) => integer_with_double(*b, *a).map(Ordering::reverse),
        (ValueRef::String(a), ValueRef::String(b)) | (ValueRef::Bytes(a), ValueRef::Bytes(b)) => Some(a.cmp(b)),
        (ValueRef::Bool(a), ValueRef::Bool(b)) => Some(a.cmp(b)),
        (ValueRef::Null, ValueRef::Null) => Some(Ordering::Equal),
        _ => None,
    }
}

/// Whether two values are the same: lists item by item, maps whatever the order of their keys.
pub fn equal(left: &ValueRef<'_>, right: &ValueRef<'_>) -> bool {
    match (left, right) {
        (ValueRef::List(a), ValueRef::List(b)) => {
            let (mut a, mut b) = (a.iter(), b.iter());
            loop {
                match (a.next(), b.next()) {
                    (Some(x), Some(y)) if equal(&x, &y) => {}
                    (None, None) => return true,
                    _ => return false,
                }
            }
        }
        (ValueRef::Map(a), ValueRef::Map(b)) => {
            a.iter().count() == b.iter().count() && a.iter().all(|(key, x)| b.get(key).is_some_and(|y| equal(&x, &y)))
        }
        _ => order(left, right) == Some(Ordering::Equal),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_and_doubles_compare_exactly() {
        use Ordering::{Equal, Greater, Less};
        let cases = [
            (1, 1.0, Some(Equal)),
            (0, -0.0, Some(Equal)),
            (1, 1.5, Some(Less)),
            (-1, -1.5, Some(Greater)),
            ((1 << 53) + 1, 9_007_199_254_740_992.0, Some(Greater)),
            (i64::MAX, PAST_INTEGERS, Some(Less)),
            (i64::MIN, -PAST_INTEGERS, Some(Equal)),
            (i64::MIN, f64::NEG_INFINITY, Some(Greater)),
            (0, f64::NAN, None),
        ];
        for (integer, double, expected) in cases {
            assert_eq!(integer_with_double(integer, double), expected, "{integer} with {double}");
            assert_eq!(as_integer(double) == Some(integer), expected == Some(Equal), "{integer} as {double}");
        }
    }

    #[test]
    fn kinds_never_equal_each_other() {
        let values = [ValueRef::Null, ValueRef::Bool(false), ValueRef::Int(0), ValueRef::String(b""), ValueRef::Bytes(b"")];
        for (i, left) in values.iter().enumerate() {
            for (j, right) in values.iter().enumerate() {
                assert_eq!(equal(left, right), i == j);
            }
        }
    }

    #[test]
    fn scalars_of_one_kind_have_an_order() {
        let cases = [
            (ValueRef::Int(1), ValueRef::Int(2)),
            (ValueRef::Double(1.0), ValueRef::Double(1.5)),
            (ValueRef::Int(1), ValueRef::Double(1.5)),
            (ValueRef::Double(0.5), ValueRef::Int(1)),
            (ValueRef::String(b"a"), ValueRef::String(b"b")),
            (ValueRef::Bytes(b"a"), ValueRef::Bytes(b"b")),
            (ValueRef::Bool(false), ValueRef::Bool(true)),
        ];
        for (less, more) in cases {
            assert_eq!((order(&less, &more), order(&more, &less)), (Some(Ordering::Less), Some(Ordering::Greater)));
            assert_eq!(order(&less, &less), Some(Ordering::Equal));
        }
        assert_eq!(order(&ValueRef::Null, &ValueRef::Null), Some(Ordering::Equal));
        assert_eq!(order(&ValueRef::Null, &ValueRef::Bool(false)), None);
    }

    #[test]
    fn lists_are_equal_item_by_item_and_maps_key_by_key() {
        let texts =
            ["[]", "[1]", "[2]", "[1,2]", "{}", r#"{"a":1}"#, r#"{"a":2}"#, r#"{"b":1}"#, r#"{"a":1,"b":[1]}"#, r#"{"a":1,"b":[2]}"#];
        let values = texts.map(|text| {
            let mut bytes = Vec::new();
            crate::json::parse_value(text.as_bytes(), &mut bytes).unwrap();
            bytes
        });
        for (i, left) in values.iter().enumerate() {
            for (j, right) in values.iter().enumerate() {
                assert_eq!(equal(&ValueRef::of(left), &ValueRef::of(right)), i == j, "{} and {}", texts[i], texts[j]);
            }
        }
    }
}
