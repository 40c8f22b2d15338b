//! Keys in JSON: `"text"`, `42`, or `{"bytes":"<base64>"}`.

use super::Shape;
use super::digits::write_int;
use super::escape::write_string;
use super::fault::Fault;
use super::parse::{Parsed, Parser, Workspace, utf8};
use super::{bytes, write};
use crate::{Encoder, Key, KeyLimit, KeyRef, MapRef, ValueRef};
use tessera_base::{Error, ErrorCode, Result, sentence};

/// How a key of bytes is written.
pub const KEY_OBJECT: &str = "{\"bytes\":\"<base64>\"}";

/// Parses a whole text as one key.
///
/// # Errors
/// What `parse_value` refuses; `key_invalid`, `key_too_long`.
pub fn parse_key(json: &[u8], limit: KeyLimit) -> Result<Key> {
    let mut value = vec![];
    super::parse_value(json, &mut value)?;
    key_of(ValueRef::of(&value), limit)
}

/// Parses a JSON array of keys, or one key a line.
///
/// # Errors
/// As `parse_key`; `key_invalid` for anything behind an array.
pub fn parse_keys(json: &[u8], limit: KeyLimit) -> Result<Vec<Key>> {
    let text = utf8(json)?;
    let mut work = Workspace::default();
    let mut parser = Parser::<false>::new(text, Shape::Record, &mut work);
    let (mut keys, mut value) = (vec![], vec![]);
    parser.keys(&mut value).map_err(|fault| fault.error(parser.position()))?;
    let mut rest = &value[..];
    if let Some((ValueRef::List(list), after)) = ValueRef::split(rest) {
        if !after.is_empty() {
            return Err(Error::said(ErrorCode::KeyInvalid, sentence!("nothing may follow a list of keys")).in_field("keys"));
        }
        list.iter().try_for_each(|item| key_of(item, limit).map(|key| keys.push(key)))?;
        return Ok(keys);
    }
    while let Some((item, after)) = ValueRef::split(rest) {
        keys.push(key_of(item, limit)?);
        rest = after;
    }
    Ok(keys)
}

impl<const CSV: bool> Parser<'_, '_, CSV> {
    /// Reads values to the end of the text.
    fn keys(&mut self, out: &mut Vec<u8>) -> Parsed {
        self.skip_space();
        while self.at < self.text.len() {
            self.value(&mut Encoder::new(out))?;
            self.skip_space();
        }
        Ok(())
    }

    /// Reads a key into `value` (a buffer that may be reused).
    pub(super) fn key(&mut self, value: &mut Vec<u8>, limit: KeyLimit) -> Result<Key> {
        value.clear();
        self.value(&mut Encoder::new(value)).map_err(|fault: Fault| fault.error(self.at).in_field("key"))?;
        key_of(ValueRef::of(value), limit)
    }
}

/// The key that a value means.
///
/// # Errors
/// `key_invalid`; `key_too_long`, naming the limit that it is given; `encoding_invalid` for bytes that are not base64.
fn key_of(value: ValueRef<'_>, limit: KeyLimit) -> Result<Key> {
    let invalid = |says| Error::said(ErrorCode::KeyInvalid, says).in_field("key");
    let key = match value {
        ValueRef::Int(number) => Key::Integer(number),
        ValueRef::String(text) => Key::String(String::from_utf8(text.to_vec()).map_err(|_| invalid(sentence!("a key must be UTF-8")))?),
        ValueRef::Bytes(content) => Key::Bytes(content.to_vec()),
        ValueRef::Map(map) => {
            Key::Bytes(bytes_key(map)?.ok_or_else(|| invalid(sentence!("a key object must be {object}", object = KEY_OBJECT)))?)
        }
        _ => return Err(invalid(sentence!("a key must be a string, a 64-bit integer or {object}", object = KEY_OBJECT))),
    };
    limit.check(key.as_ref())?;
    Ok(key)
}

/// The bytes that a map means as a key: `{"bytes":"<base64>"}`; `None` for any other map.
///
/// # Errors
/// `encoding_invalid`.
pub fn bytes_key(map: MapRef<'_>) -> Result<Option<Vec<u8>>> {
    let (Some(ValueRef::String(text)), 1) = (map.get(b"bytes"), map.iter().count()) else { return Ok(None) };
    let decoded = std::str::from_utf8(text).ok().and_then(bytes::decode);
    decoded.map(Some).ok_or_else(|| Error::said(ErrorCode::EncodingInvalid, sentence!("the bytes of a key are not base64")).in_field("key"))
}

/// Appends a key as JSON.
pub fn write_key(out: &mut Vec<u8>, key: KeyRef<'_>) {
    match key {
        KeyRef::Integer(number) => write_int(out, number),
        KeyRef::String(text) => write_string(out, text.as_bytes()),
        KeyRef::Bytes(content) => {
            out.extend_from_slice(b"{\"bytes\":");
            write::write_value(out, ValueRef::Bytes(content), Shape::V1);
            out.push(b'}');
        }
    }
}
