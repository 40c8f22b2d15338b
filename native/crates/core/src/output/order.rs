//! The order of a query's results: by one value of each record, the first so many of all.

use std::cmp::Ordering;

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_index::RangeKey;
use tessera_record::filter::expression::Expression;
use tessera_record::filter::request_reader::RequestReader;
use tessera_record::filter::{Field, Subject};
use tessera_record::{Digest, Path, ValueRef};

/// Most records of one ordered answer.
pub const ORDERED_MOST: u64 = 100_000;
/// Strings and bytes are ordered by so many of their bytes.
const PREFIX: usize = 1024;

/// What results are ordered by. Numbers come first, then strings, bytes and booleans, in either direction the other way round; what is
/// none of these, or not there, always comes last. Records that are equal come in the order of their digests.
#[derive(Clone, Debug)]
pub struct Order {
    by: By,
    descending: bool,
}

#[derive(Clone, Debug)]
enum By {
    Bin { bin: Box<str>, path: Path },
    Meta(Field),
    Expression(Box<Expression>),
}

/// Where a record stands: bytes that order as the values do; empty for what comes last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    pub(super) key: Box<[u8]>,
    digest: Digest,
}

/// An order, how many of it are wanted, and after which place.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    pub order: Order,
    pub limit: usize,
    pub after: Option<Place>,
    /// What its cursors are good for.
    pub(super) scope: Vec<u8>,
}

impl Order {
    /// Reads `{"bin", "path", "desc"}`, `{"meta", "modulo", "desc"}` or `{"expr", "desc"}`.
    ///
    /// # Errors
    /// `order_invalid`, naming the field at fault as a path from `order`; and what reading JSON refuses.
    pub fn compile(json: &[u8]) -> Result<Self> {
        RequestReader::read(json, "order", limits::FILTER_BYTES, ErrorCode::OrderInvalid, |reader, value| {
            let ValueRef::Map(fields) = value else {
                return Err(reader.fault(sentence!("must be an object with 'bin', 'meta' or 'expr'")));
            };
            let (mut bin, mut path, mut meta, mut modulo, mut expression, mut descending) = (None, None, None, None, None, false);
            for (name, field) in fields.iter() {
                match name {
                    b"bin" => bin = Some(reader.step(name, |reader| reader.bin(&field))?),
                    b"path" => path = Some(reader.step(name, |reader| reader.keys(&field))?),
                    b"meta" => meta = Some(reader.step(name, |reader| reader.text(&field).map(str::to_owned))?),
                    b"modulo" => modulo = Some(field),
                    b"expr" => expression = Some(reader.step(name, |reader| reader.expression(&field))?),
                    b"desc" => match field {
                        ValueRef::Bool(wanted) => descending = wanted,
                        _ => return Err(reader.wrong(name, sentence!("must be true or false"))),
                    },
                    _ => {
                        return Err(reader.wrong(name, sentence!("unknown; an order has 'bin' (and 'path'), 'meta' or 'expr', and 'desc'")));
                    }
                }
            }
            let by = match (bin, meta, expression) {
                (Some(bin), None, None) if modulo.is_none() => By::Bin { bin, path: path.unwrap_or_default() },
                (None, Some(meta), None) if path.is_none() => By::Meta(Field::read(reader, &meta, modulo)?),
                (None, None, Some(expression)) if path.is_none() && modulo.is_none() => By::Expression(expression.into()),
                (None, None, None) => return Err(reader.missing(b"bin")),
                _ => return Err(reader.fault(sentence!("an order needs exactly one of 'bin' (and 'path'), 'meta' or 'expr'"))),
            };
            Ok(Self { by, descending })
        })
    }

    pub fn reads_size(&self) -> bool {
        match &self.by {
            By::Bin { .. } => false,
            By::Meta(field) => *field == Field::Size,
            By::Expression(expression) => expression.reads_size(),
        }
    }

    /// The bin whose value at a path decides, if it is one.
    pub(crate) fn bin(&self) -> Option<(&str, &Path)> {
        match &self.by {
            By::Bin { bin, path } => Some((bin, path)),
            By::Meta(_) | By::Expression(_) => None,
        }
    }

    pub(crate) const fn descends(&self) -> bool {
        self.descending
    }

    /// What results are ordered by, for people.
    pub fn on(&self) -> String {
        let name = match &self.by {
            By::Bin { bin, path } if path.is_empty() => bin.to_string(),
            By::Bin { bin, path } => format!("{bin}.{path}"),
            By::Meta(field) => format!("{field:?}").to_lowercase(),
            By::Expression(expression) => expression.to_string(),
        };
        if self.descending { format!("{name}, descending") } else { name }
    }

    /// Where a record stands.
    pub(super) fn place(&self, record: &impl Subject) -> Place {
        let key = match &self.by {
            By::Bin { bin, path } => record.body().and_then(|body| body.bin(bin)).and_then(|value| path.find(value)).and_then(key),
            By::Meta(field) => field.value(record, |value| value.and_then(key)).flatten(),
            By::Expression(expression) => expression.value(record, |value| value.and_then(key)).flatten(),
        };
        Place { key: key.unwrap_or_default(), digest: *record.digest() }
    }

    pub(super) fn compare(&self, a: &Place, b: &Place) -> Ordering {
        let last = a.key.is_empty().cmp(&b.key.is_empty());
        let by_value = if self.descending { b.key.cmp(&a.key) } else { a.key.cmp(&b.key) };
        last.then(by_value).then_with(|| a.digest.cmp(&b.digest))
    }
}

impl Ranking {
    /// `scope` names what a cursor is good for beside the order.
    ///
    /// # Errors
    /// `order_needs_limit` without a limit, and for one past `ORDERED_MOST`; `cursor_invalid`.
    pub fn new(order: Order, limit: Option<u64>, cursor: Option<&str>, scope: &[u8]) -> Result<Self> {
        let limit = limit.filter(|limit| *limit <= ORDERED_MOST).and_then(|limit| usize::try_from(limit).ok());
        let limit = limit.ok_or_else(|| {
            let message = sentence!("an order needs a limit of at most {most}", most = ORDERED_MOST);
            Error::said(ErrorCode::OrderNeedsLimit, message).in_field("limit")
        })?;
        let scope = [format!("{order:?}").as_bytes(), scope].concat();
        let after = cursor.map(|cursor| Place::decode(cursor, &scope)).transpose()?;
        Ok(Self { order, limit, after, scope })
    }

    /// The wanted ones, and one.
    pub(super) const fn most(&self) -> usize {
        self.limit + 1
    }
}

impl Place {
    /// As a range index keeps the value; `None` of what comes last.
    pub(crate) fn range_key(&self) -> Option<RangeKey> {
        let (kind, value) = self.key.split_first()?;
        match kind {
            1 => value.first_chunk().map(|bits| RangeKey::Number(u64::from_be_bytes(*bits))),
            2 => Some(RangeKey::of_text(value)),
            3 => Some(RangeKey::Bytes),
            4 => Some(if value == [0] { RangeKey::False } else { RangeKey::True }),
            _ => None,
        }
    }

    pub(super) fn encode(&self, scope: &[u8]) -> String {
        let mut bytes = self.digest.0.to_vec();
        bytes.extend_from_slice(&self.key);
        bytes.extend_from_slice(&crc32c::crc32c_append(crc32c::crc32c(scope), &bytes).to_le_bytes());
        URL_SAFE_NO_PAD.encode(bytes)
    }

    fn decode(text: &str, scope: &[u8]) -> Result<Self> {
        let decode = || {
            let bytes = URL_SAFE_NO_PAD.decode(text).ok()?;
            let (body, _) = bytes.split_last_chunk::<4>()?;
            let (digest, key) = body.split_first_chunk::<20>()?;
            let place = Self { key: key.into(), digest: Digest(*digest) };
            (place.encode(scope) == text).then_some(place)
        };
        decode().ok_or_else(|| {
            let message = sentence!("the cursor does not belong to this query and order; start again without a cursor");
            Error::said(ErrorCode::CursorInvalid, message).in_field("cursor")
        })
    }
}

/// Bytes that order as the values do: a kind, then the value.
fn key(value: ValueRef<'_>) -> Option<Box<[u8]>> {
    let mut key = Vec::with_capacity(12);
    match value {
        ValueRef::Int(n) => {
            // The nearest double, and how far it is: at most 512 of 64-bit integers.
            let near = n as f64;
            number(near, (i128::from(n) - near as i128) as i16, &mut key);
        }
        ValueRef::Double(d) if !d.is_nan() => number(d, 0, &mut key),
        ValueRef::String(text) => text_key(2, text, &mut key),
        ValueRef::Bytes(bytes) => text_key(3, bytes, &mut key),
        ValueRef::Bool(value) => key.extend_from_slice(&[4, u8::from(value)]),
        ValueRef::Double(_) | ValueRef::Null | ValueRef::List(_) | ValueRef::Map(_) => return None,
    }
    Some(key.into())
}

fn number(double: f64, rest: i16, key: &mut Vec<u8>) {
    // Adding zero makes -0.0 zero.
    let bits = (double + 0.0).to_bits();
    let sortable = if bits >> 63 == 1 { !bits } else { bits | 1 << 63 };
    key.push(1);
    key.extend_from_slice(&sortable.to_be_bytes());
    key.extend_from_slice(&(rest as u16 ^ 0x8000).to_be_bytes());
}

fn text_key(kind: u8, text: &[u8], key: &mut Vec<u8>) {
    key.push(kind);
    key.extend_from_slice(&text[..text.len().min(PREFIX)]);
}

#[cfg(test)]
mod tests {
    use super::*;
    use proptest::prelude::*;
    use tessera_record::compare;

    #[test]
    fn what_is_wrong_is_named_by_its_path() {
        let cases = [
            ("", "order", ErrorCode::JsonInvalid),
            ("[]", "order", ErrorCode::OrderInvalid),
            ("{}", "order.bin", ErrorCode::OrderInvalid),
            (r#"{"bin":"a","by":1}"#, "order.by", ErrorCode::OrderInvalid),
            (r#"{"bin":"a","meta":"ttl"}"#, "order", ErrorCode::OrderInvalid),
            (r#"{"bin":"a","path":"b[*]"}"#, "order.path", ErrorCode::OrderInvalid),
            (r#"{"bin":"a","desc":1}"#, "order.desc", ErrorCode::OrderInvalid),
            (r#"{"meta":"age"}"#, "order.meta", ErrorCode::OrderInvalid),
            (r#"{"meta":"ttl","path":"a"}"#, "order", ErrorCode::OrderInvalid),
        ];
        for (json, field, code) in cases {
            let error = Order::compile(json.as_bytes()).unwrap_err();
            assert_eq!((error.field.as_deref(), error.code), (Some(field), code), "{json}");
        }
        let order = Order::compile(br#"{"bin":"a","path":"b[-1].c","desc":true}"#).unwrap();
        assert_eq!(order.on(), "a.b[-1].c, descending");
        for limit in [None, Some(ORDERED_MOST + 1)] {
            assert_eq!(Ranking::new(order.clone(), limit, None, b"").unwrap_err().code, ErrorCode::OrderNeedsLimit);
        }
    }

    #[test]
    fn a_cursor_belongs_to_its_order() {
        let order = |json: &str| Order::compile(json.as_bytes()).unwrap();
        let place = Place { key: key(ValueRef::String(b"x")).unwrap(), digest: Digest::default() };
        let (up, down) = (order(r#"{"bin":"a"}"#), order(r#"{"bin":"a","desc":true}"#));
        let text = place.encode(&Ranking::new(up.clone(), Some(1), None, b"s").unwrap().scope);
        assert_eq!(Ranking::new(up.clone(), Some(1), Some(&text), b"s").unwrap().after, Some(place));
        for (order, text, scope) in [(down, &*text, b"s"), (up.clone(), &*text, b"t"), (up.clone(), "", b"s"), (up, "AAAA", b"s")] {
            assert_eq!(Ranking::new(order, Some(1), Some(text), scope).unwrap_err().code, ErrorCode::CursorInvalid);
        }
    }

    proptest! {
        #[test]
        fn keys_order_as_numbers_do(a in any::<i64>(), near in -3..3_i64, d in any::<f64>()) {
            prop_assume!(!d.is_nan());
            let values = [
                ValueRef::Int(a), ValueRef::Int(a.saturating_add(near)), ValueRef::Double(a as f64), ValueRef::Double(d), ValueRef::Int(d as i64),
                ValueRef::Int(i64::MAX), ValueRef::Double(9_223_372_036_854_775_808.0), ValueRef::Int(i64::MIN), ValueRef::Double(-0.0), ValueRef::Int(0),
            ];
            for x in values {
                for y in values {
                    prop_assert_eq!(key(x).cmp(&key(y)), compare::order(&x, &y).unwrap());
                    let kept = |value| Place { key: key(value).unwrap(), digest: Digest::default() }.range_key();
                    prop_assert!(kept(x) <= kept(y) || key(x) > key(y), "what an index keeps has the same order");
                }
            }
        }
    }
}
