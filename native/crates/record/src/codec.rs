//! The bytes of a bin value. Containers carry their length, so a reader skips one in constant time.
//!
//! | tag | value | then |
//! | --- | --- | --- |
//! | 0 | null | |
//! | 1, 2 | false, true | |
//! | 3, 4, 5 | integer | 1, 4 or 8 bytes, little-endian two's complement, the shortest that holds it |
//! | 6 | double | 8 bytes, IEEE 754 little-endian |
//! | 7 | string | u8 length, UTF-8 |
//! | 8 | string | u32 length, UTF-8 |
//! | 9 | bytes | u32 length, bytes |
//! | 10 | list | u32 length of the items in bytes, items |
//! | 11 | map | u32 length of the entries in bytes, entries: key (a string value), value |
//!
//! Integers in lengths are little-endian. `docs/on-disk-format.md` is the long form.

use super::value::Value;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};

const NULL: u8 = 0;
const FALSE: u8 = 1;
const TRUE: u8 = 2;
const INT8: u8 = 3;
const INT32: u8 = 4;
const INT64: u8 = 5;
const DOUBLE: u8 = 6;
const STRING8: u8 = 7;
const STRING32: u8 = 8;
const BYTES: u8 = 9;
const LIST: u8 = 10;
const MAP: u8 = 11;

/// Appends values to a buffer. Containers are opened and closed; the length is filled in at the close.
#[derive(Debug)]
pub struct Encoder<'a> {
    out: &'a mut Vec<u8>,
}

/// An open container: where its length goes.
#[derive(Debug)]
#[must_use = "a container must be closed"]
pub struct Open(usize);

impl<'a> Encoder<'a> {
    #[inline]
    pub fn new(out: &'a mut Vec<u8>) -> Self {
        Self { out }
    }

    #[inline]
    pub fn null(&mut self) {
        self.out.push(NULL);
    }

    #[inline]
    pub fn bool(&mut self, value: bool) {
        self.out.push(if value { TRUE } else { FALSE });
    }

    #[inline]
    pub fn int(&mut self, value: i64) {
        if let Ok(small) = i8::try_from(value) {
            self.out.extend_from_slice(&[INT8, small as u8]);
        } else if let Ok(middle) = i32::try_from(value) {
            self.out.push(INT32);
            self.out.extend_from_slice(&middle.to_le_bytes());
        } else {
            self.out.push(INT64);
            self.out.extend_from_slice(&value.to_le_bytes());
        }
    }

    #[inline]
    pub fn double(&mut self, value: f64) {
        self.out.push(DOUBLE);
        self.out.extend_from_slice(&value.to_le_bytes());
    }

    #[inline]
    pub fn string(&mut self, value: &str) {
        self.text(value.as_bytes());
    }

    #[inline]
    pub fn bytes(&mut self, value: &[u8]) {
        self.block(BYTES, value);
    }

    #[inline]
    pub fn open_list(&mut self) -> Open {
        self.open(LIST)
    }

    /// Opens a map; then append a string (the key) and a value, in turn.
    #[inline]
    pub fn open_map(&mut self) -> Open {
        self.open(MAP)
    }

    #[inline]
    pub fn close(&mut self, open: Open) {
        let length = (self.out.len() - open.0 - 4) as u32;
        self.out[open.0..open.0 + 4].copy_from_slice(&length.to_le_bytes());
    }

    /// A value that is encoded already, as it is.
    pub fn copy(&mut self, value: ValueRef<'_>) {
        match value {
            ValueRef::Null => self.null(),
            ValueRef::Bool(b) => self.bool(b),
            ValueRef::Int(n) => self.int(n),
            ValueRef::Double(d) => self.double(d),
            ValueRef::String(text) => self.text(text),
            ValueRef::Bytes(bytes) => self.bytes(bytes),
            ValueRef::List(ListRef(items)) => self.block(LIST, items),
            ValueRef::Map(MapRef(entries)) => self.block(MAP, entries),
        }
    }

    pub fn value(&mut self, value: &Value) {
        match value {
            Value::Null => self.null(),
            Value::Bool(b) => self.bool(*b),
            Value::Int(n) => self.int(*n),
            Value::Double(d) => self.double(*d),
            Value::String(s) => self.string(s),
            Value::Bytes(b) => self.bytes(b),
            Value::List(items) => {
                let open = self.open_list();
                items.iter().for_each(|item| self.value(item));
                self.close(open);
            }
            Value::Map(entries) => {
                let open = self.open_map();
                for (key, value) in entries {
                    self.string(key);
                    self.value(value);
                }
                self.close(open);
            }
        }
    }

    /// The bytes written so far in the underlying buffer.
    #[inline]
    pub fn position(&self) -> usize {
        self.out.len()
    }

    /// The entries of the innermost open map, whose content began at `position`.
    #[inline]
    pub(super) fn open_entries(&self, position: usize) -> MapRef<'_> {
        MapRef(&self.out[position..])
    }

    /// The bytes written after `position`.
    #[inline]
    pub(super) fn since(&self, position: usize) -> &[u8] {
        &self.out[position..]
    }

    /// Forgets everything after `position`.
    #[inline]
    pub fn truncate(&mut self, position: usize) {
        self.out.truncate(position);
    }

    #[inline]
    fn text(&mut self, utf8: &[u8]) {
        match u8::try_from(utf8.len()) {
            Ok(short) => self.out.extend_from_slice(&[STRING8, short]),
            Err(_) => self.tagged_length(STRING32, utf8.len()),
        }
        self.out.extend_from_slice(utf8);
    }

    #[inline]
    fn block(&mut self, tag: u8, content: &[u8]) {
        self.tagged_length(tag, content.len());
        self.out.extend_from_slice(content);
    }

    #[inline]
    fn open(&mut self, tag: u8) -> Open {
        self.tagged_length(tag, 0);
        Open(self.out.len() - 4)
    }

    #[inline]
    fn tagged_length(&mut self, tag: u8, length: usize) {
        self.out.push(tag);
        self.out.extend_from_slice(&(length as u32).to_le_bytes());
    }
}

/// A view of one encoded value. Strings are raw UTF-8 bytes, valid because `Encoder` takes `&str` and bytes read
/// from a device are used only where their checksum is right.
#[derive(Clone, Copy, Debug)]
pub enum ValueRef<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    String(&'a [u8]),
    Bytes(&'a [u8]),
    List(ListRef<'a>),
    Map(MapRef<'a>),
}

/// Items of a list, still encoded.
#[derive(Clone, Copy, Debug)]
pub struct ListRef<'a>(&'a [u8]);

/// Entries of a map, still encoded.
#[derive(Clone, Copy, Debug)]
pub struct MapRef<'a>(&'a [u8]);

impl<'a> ValueRef<'a> {
    /// Splits the first value off `bytes`. `None` when the bytes are not a value.
    // Left to the compiler, a walk over a document calls it, and builds of document indexes take a quarter longer.
    #[inline(always)]
    pub fn split(bytes: &'a [u8]) -> Option<(ValueRef<'a>, &'a [u8])> {
        let (&tag, rest) = bytes.split_first()?;
        Some(match tag {
            NULL => (ValueRef::Null, rest),
            FALSE => (ValueRef::Bool(false), rest),
            TRUE => (ValueRef::Bool(true), rest),
            INT8 => {
                let (&byte, rest) = rest.split_first()?;
                (ValueRef::Int(i64::from(byte as i8)), rest)
            }
            INT32 => {
                let (number, rest) = rest.split_first_chunk::<4>()?;
                (ValueRef::Int(i64::from(i32::from_le_bytes(*number))), rest)
            }
            INT64 => {
                let (number, rest) = rest.split_first_chunk::<8>()?;
                (ValueRef::Int(i64::from_le_bytes(*number)), rest)
            }
            DOUBLE => {
                let (number, rest) = rest.split_first_chunk::<8>()?;
                (ValueRef::Double(f64::from_le_bytes(*number)), rest)
            }
            STRING8 => {
                let (&length, rest) = rest.split_first()?;
                let (text, rest) = rest.split_at_checked(length as usize)?;
                (ValueRef::String(text), rest)
            }
            STRING32 | BYTES | LIST | MAP => {
                let (length, rest) = rest.split_first_chunk::<4>()?;
                let (content, rest) = rest.split_at_checked(u32::from_le_bytes(*length) as usize)?;
                let value = match tag {
                    STRING32 => ValueRef::String(content),
                    BYTES => ValueRef::Bytes(content),
                    LIST => ValueRef::List(ListRef(content)),
                    _ => ValueRef::Map(MapRef(content)),
                };
                (value, rest)
            }
            _ => return None,
        })
    }

    /// The value that `bytes` holds; `Null` when they hold none (only damaged bytes do).
    #[inline]
    pub fn of(bytes: &'a [u8]) -> ValueRef<'a> {
        Self::split(bytes).map_or(ValueRef::Null, |(value, _)| value)
    }

    /// Checks that `bytes` are exactly one well-formed value: lengths, UTF-8, nesting.
    ///
    /// # Errors
    /// `record_damaged`.
    pub fn validate(bytes: &[u8]) -> Result<()> {
        fn walk(bytes: &[u8], depth: usize) -> Option<&[u8]> {
            let (value, rest) = ValueRef::split(bytes)?;
            match value {
                ValueRef::List(_) | ValueRef::Map(_) if depth >= limits::NESTING => return None,
                ValueRef::String(text) => {
                    std::str::from_utf8(text).ok()?;
                }
                ValueRef::List(ListRef(mut items)) => {
                    while !items.is_empty() {
                        items = walk(items, depth + 1)?;
                    }
                }
                ValueRef::Map(MapRef(mut entries)) => {
                    while !entries.is_empty() {
                        let (ValueRef::String(key), after) = ValueRef::split(entries)? else { return None };
                        std::str::from_utf8(key).ok()?;
                        entries = walk(after, depth + 1)?;
                    }
                }
                _ => {}
            }
            Some(rest)
        }
        match walk(bytes, 0) {
            Some([]) => Ok(()),
            _ => Err(Error::said(ErrorCode::RecordDamaged, sentence!("a stored value is malformed"))),
        }
    }

    /// Whether `bytes` hold no value with more than `levels` lists and maps in each other, so that what goes down into it is
    /// bounded. A level takes 5 bytes: what is too short for more is not looked into.
    pub(super) fn nests_within(bytes: &'a [u8], levels: usize) -> bool {
        if bytes.len() < block_bytes(0) * (levels + 1) {
            return true;
        }
        match Self::of(bytes) {
            ValueRef::List(_) | ValueRef::Map(_) if levels == 0 => false,
            ValueRef::List(list) => list.raw_items().all(|item| Self::nests_within(item, levels - 1)),
            ValueRef::Map(map) => map.raw_entries().all(|(_, value)| Self::nests_within(value, levels - 1)),
            _ => true,
        }
    }

    pub fn to_value(&self) -> Value {
        let text = |bytes: &[u8]| String::from_utf8_lossy(bytes).into_owned();
        match *self {
            ValueRef::Null => Value::Null,
            ValueRef::Bool(b) => Value::Bool(b),
            ValueRef::Int(n) => Value::Int(n),
            ValueRef::Double(d) => Value::Double(d),
            ValueRef::String(s) => Value::String(text(s)),
            ValueRef::Bytes(b) => Value::Bytes(b.to_vec()),
            ValueRef::List(list) => Value::List(list.iter().map(|v| v.to_value()).collect()),
            ValueRef::Map(map) => Value::Map(map.iter().map(|(k, v)| (text(k), v.to_value())).collect()),
        }
    }
}

impl<'a> ListRef<'a> {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = ValueRef<'a>> + use<'a> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (value, after) = ValueRef::split(rest)?;
            rest = after;
            Some(value)
        })
    }
}

impl<'a> ListRef<'a> {
    /// Still encoded items.
    #[inline]
    fn raw_items(&self) -> impl Iterator<Item = &'a [u8]> + use<'a> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (_, after) = ValueRef::split(rest)?;
            let item = &rest[..rest.len() - after.len()];
            rest = after;
            Some(item)
        })
    }
}

impl<'a> MapRef<'a> {
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// Keys (UTF-8 bytes) and values, in the order they were written.
    #[inline]
    pub fn iter(&self) -> impl Iterator<Item = (&'a [u8], ValueRef<'a>)> + use<'a> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (ValueRef::String(key), after) = ValueRef::split(rest)? else { return None };
            let (value, after) = ValueRef::split(after)?;
            rest = after;
            Some((key, value))
        })
    }

    /// Keys (UTF-8 bytes) and still encoded values.
    #[inline]
    pub fn raw_entries(&self) -> impl Iterator<Item = (&'a [u8], &'a [u8])> + use<'a> {
        let mut rest = self.0;
        std::iter::from_fn(move || {
            let (ValueRef::String(key), value) = ValueRef::split(rest)? else { return None };
            let (_, after) = ValueRef::split(value)?;
            rest = after;
            Some((key, &value[..value.len() - after.len()]))
        })
    }

    #[inline]
    pub fn get(&self, key: &[u8]) -> Option<ValueRef<'a>> {
        self.iter().find(|(name, _)| *name == key).map(|(_, value)| value)
    }
}

/// Bytes of an encoded string of so many bytes of UTF-8.
#[inline]
pub const fn string_bytes(length: usize) -> usize {
    if length <= u8::MAX as usize { 2 + length } else { 5 + length }
}

/// Bytes of encoded bytes, or of a list or map whose encoded items have so many bytes.
#[inline]
pub const fn block_bytes(length: usize) -> usize {
    5 + length
}

#[cfg(test)]
mod tests;
