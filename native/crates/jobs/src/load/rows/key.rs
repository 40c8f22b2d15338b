//! Finds a row's key among its bins.

use crate::load::plan::spec::KeyType;
use std::io::Write as _;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::body::RawBins;
use tessera_record::json::{KEY_OBJECT, bytes_key};
use tessera_record::{KeyRef, ValueRef};

/// The value of the bin of that name.
pub fn find_bin<'a>(mut bins: RawBins<'a>, bin: &str) -> Option<ValueRef<'a>> {
    bins.find(|(name, _)| *name == bin.as_bytes()).map(|(_, value)| ValueRef::of(value))
}

/// The value at `path`: the bin of that name, or what the path's parts lead to.
pub fn find<'a>(bins: RawBins<'a>, path: &str) -> Option<ValueRef<'a>> {
    if let Some(value) = find_bin(bins.clone(), path) {
        return Some(value);
    }
    let mut parts = path.split('.');
    let value = find_bin(bins, parts.next()?)?;
    parts.try_fold(value, |value, part| match value {
        ValueRef::Map(map) => map.get(part.as_bytes()),
        _ => None,
    })
}

/// The key that a value means, as `kind` wants it, however long. `scratch` holds a key that is not in the row as it is.
///
/// # Errors
/// `key_missing`, `key_invalid`, `encoding_invalid`.
pub fn key<'a>(value: Option<ValueRef<'a>>, kind: KeyType, scratch: &'a mut Vec<u8>) -> Result<KeyRef<'a>> {
    Ok(match (value, kind) {
        (None | Some(ValueRef::Null), _) => return Err(Error::said(ErrorCode::KeyMissing, sentence!("the row has no key")).in_field("key")),
        (Some(ValueRef::Int(number)), KeyType::String) => {
            scratch.clear();
            // Writing to a vector cannot fail.
            let _ = write!(scratch, "{number}");
            KeyRef::String(std::str::from_utf8(scratch).map_err(|_| invalid())?)
        }
        (Some(ValueRef::Int(number)), _) => KeyRef::Integer(number),
        (Some(ValueRef::String(text)), KeyType::Integer) => {
            let number = std::str::from_utf8(text).ok().and_then(|text| text.parse().ok());
            KeyRef::Integer(
                number.ok_or_else(|| Error::said(ErrorCode::KeyInvalid, sentence!("the key must be a 64-bit integer")).in_field("key"))?,
            )
        }
        (Some(ValueRef::String(text)), _) => KeyRef::String(std::str::from_utf8(text).map_err(|_| invalid())?),
        (Some(ValueRef::Bytes(content)), KeyType::Auto) => KeyRef::Bytes(content),
        (Some(ValueRef::Map(map)), KeyType::Auto) => {
            *scratch = bytes_key(map)?.ok_or_else(invalid)?;
            KeyRef::Bytes(scratch)
        }
        _ => return Err(invalid()),
    })
}

fn invalid() -> Error {
    Error::said(ErrorCode::KeyInvalid, sentence!("the key must be a string, a 64-bit integer or {object}", object = KEY_OBJECT))
        .in_field("key")
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_record::BinsBuilder;
    use tessera_record::json::{Shape, parse_bins};

    fn key_in(json: &str, path: &str, kind: KeyType) -> Result<tessera_record::Key> {
        let (mut bytes, mut scratch) = (vec![], vec![]);
        let mut bins = BinsBuilder::new(&mut bytes);
        parse_bins(json.as_bytes(), Shape::Record, &mut bins)?;
        key(find(bins.written(), path), kind, &mut scratch).map(|key| key.to_owned())
    }

    #[test]
    fn a_key_is_found_by_name_and_by_path() {
        use tessera_record::Key;
        let row =
            r#"{"id":7,"text":"8","a":{"b":{"c":"deep"}},"a.b":"whole","raw":{"$bytes":"AP8="},"tagged":{"bytes":"AP8="},"none":null}"#;
        assert_eq!(key_in(row, "id", KeyType::Auto), Ok(Key::Integer(7)));
        assert_eq!(key_in(row, "id", KeyType::String), Ok(Key::String("7".into())));
        assert_eq!(key_in(row, "text", KeyType::Auto), Ok(Key::String("8".into())));
        assert_eq!(key_in(row, "text", KeyType::Integer), Ok(Key::Integer(8)));
        assert_eq!(key_in(row, "a.b.c", KeyType::Auto), Ok(Key::String("deep".into())));
        assert_eq!(key_in(row, "a.b", KeyType::Auto), Ok(Key::String("whole".into())));
        assert_eq!(key_in(row, "raw", KeyType::Auto), Ok(Key::Bytes(vec![0, 255])));
        assert_eq!(key_in(row, "tagged", KeyType::Auto), Ok(Key::Bytes(vec![0, 255])));
        for (path, kind, code) in [
            ("missing", KeyType::Auto, ErrorCode::KeyMissing),
            ("none", KeyType::Auto, ErrorCode::KeyMissing),
            ("a.x", KeyType::Auto, ErrorCode::KeyMissing),
            ("id.x", KeyType::Auto, ErrorCode::KeyMissing),
            ("a", KeyType::Auto, ErrorCode::KeyInvalid),
            ("raw", KeyType::String, ErrorCode::KeyInvalid),
            ("a.b.c", KeyType::Integer, ErrorCode::KeyInvalid),
        ] {
            assert_eq!(key_in(row, path, kind).unwrap_err().code, code, "{path}");
        }
    }
}
