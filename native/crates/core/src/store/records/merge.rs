//! Merging the bins of a write into those of a record.

use tessera_base::Result;
use tessera_record::{BodyBuilder, BodyRef, ValueRef};

/// Appends to `out` the body with `old`'s key, `old`'s bins, and `new`'s over them; a null bin in `new` deletes the bin.
///
/// # Errors
/// `too_many_bins`.
pub(crate) fn merge(old: BodyRef<'_>, new: BodyRef<'_>, out: &mut Vec<u8>) -> Result<()> {
    let text = |name: &[u8]| String::from_utf8_lossy(name).into_owned();
    let mut body = BodyBuilder::new(out, old.key());
    for (name, value) in old.raw_bins() {
        match new.raw_bins().find(|(other, _)| *other == name) {
            None => body.encoded_bin(&text(name), value)?,
            Some((_, value)) if is_null(value) => {}
            Some((_, value)) => body.encoded_bin(&text(name), value)?,
        }
    }
    for (name, value) in new.raw_bins() {
        if !is_null(value) && !old.raw_bins().any(|(other, _)| other == name) {
            body.encoded_bin(&text(name), value)?;
        }
    }
    body.finish();
    Ok(())
}

/// Appends to `out` what a merge makes of a record that is not there yet: `new` without its null bins.
///
/// # Errors
/// `too_many_bins`.
pub(crate) fn without_nulls(new: BodyRef<'_>, out: &mut Vec<u8>) -> Result<()> {
    let mut empty = Vec::new();
    BodyBuilder::new(&mut empty, new.key()).finish();
    merge(BodyRef::new(&empty), new, out)
}

fn is_null(value: &[u8]) -> bool {
    matches!(ValueRef::of(value), ValueRef::Null)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_record::{KeyRef, Value};

    fn body(bins: &[(&str, Value)]) -> Vec<u8> {
        let mut out = vec![];
        let mut body = BodyBuilder::new(&mut out, KeyRef::Integer(7));
        for (name, value) in bins {
            body.bin(name, |e| {
                e.value(value);
                Ok(())
            })
            .unwrap();
        }
        body.finish();
        out
    }

    #[test]
    fn new_bins_win_and_null_deletes() {
        let old = body(&[("a", Value::Int(1)), ("b", Value::Int(2)), ("c", Value::Int(3))]);
        let new = body(&[("d", Value::Int(4)), ("b", Value::Null), ("c", Value::String("x".into())), ("e", Value::Null)]);
        let mut merged = vec![];
        merge(BodyRef::new(&old), BodyRef::new(&new), &mut merged).unwrap();
        assert_eq!(merged, body(&[("a", Value::Int(1)), ("c", Value::String("x".into())), ("d", Value::Int(4))]));
        let mut fresh = vec![];
        without_nulls(BodyRef::new(&new), &mut fresh).unwrap();
        assert_eq!(fresh, body(&[("d", Value::Int(4)), ("c", Value::String("x".into()))]));
    }
}
