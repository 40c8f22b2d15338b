//! The order of a query's results: by one value of each record, the first so many of all.

use std::cmp::Ordering;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering as Atomic};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::error::{Error, ErrorCode, Result};
use crate::filter::reader::Reader;
use crate::filter::{Field, Subject};
use crate::limits;
use crate::record::{Digest, Path, ValueRef};

/// Most records of one ordered answer.
pub const ORDERED_MOST: u64 = 100_000;
/// Strings and bytes are ordered by so many of their bytes.
const PREFIX: usize = 1024;
/// Most bytes of rows that wait for the last record to be met, of all workers.
const WAITING_BYTES: u64 = 256 * 1024 * 1024;

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
}

/// Where a record stands: bytes that order as the values do; empty for what comes last.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Place {
    key: Box<[u8]>,
    digest: Digest,
}

/// An order, how many of it are wanted, and after which place.
#[derive(Clone, Debug)]
pub(crate) struct Ranking {
    pub order: Order,
    pub limit: usize,
    pub after: Option<Place>,
    /// What its cursors are good for.
    scope: Vec<u8>,
    /// Bytes of rows that wait.
    waiting: Arc<AtomicU64>,
}

/// The first so many records that were met, and one to know whether there are more. One for each worker.
#[derive(Debug)]
pub(crate) struct Top {
    ranking: Ranking,
    /// The best so far and some that may not be, in no order.
    rows: Vec<(Place, Vec<u8>)>,
    /// What comes behind this is not wanted.
    bound: Option<Place>,
}

impl Order {
    /// Reads `{"bin", "path", "desc"}` or `{"meta", "modulo", "desc"}`.
    ///
    /// # Errors
    /// `order_invalid`, naming the field at fault as a path from `order`; and what reading JSON refuses.
    pub fn compile(json: &[u8]) -> Result<Self> {
        Reader::read(json, "order", limits::FILTER_BYTES, ErrorCode::OrderInvalid, |reader, value| {
            let ValueRef::Map(fields) = value else { return Err(reader.fault("an object with 'bin' or 'meta'")) };
            let (mut bin, mut path, mut meta, mut modulo, mut descending) = (None, None, None, None, false);
            for (name, field) in fields.iter() {
                match name {
                    b"bin" => bin = Some(reader.step(name, |reader| reader.bin(&field))?),
                    b"path" => path = Some(reader.step(name, |reader| reader.keys(&field))?),
                    b"meta" => meta = Some(reader.step(name, |reader| reader.text(&field).map(str::to_owned))?),
                    b"modulo" => modulo = Some(field),
                    b"desc" => match field {
                        ValueRef::Bool(wanted) => descending = wanted,
                        _ => return Err(reader.wrong(name, "true or false")),
                    },
                    _ => return Err(reader.wrong(name, "unknown; an order has 'bin' and 'path' or 'meta', and 'desc'")),
                }
            }
            let by = match (bin, meta) {
                (Some(bin), None) if modulo.is_none() => By::Bin { bin, path: path.unwrap_or_default() },
                (None, Some(meta)) if path.is_none() => By::Meta(Field::read(reader, &meta, modulo)?),
                (None, None) => return Err(reader.missing(b"bin")),
                _ => return Err(reader.fault("results are ordered by a bin, perhaps at a path, or by a field of the metadata")),
            };
            Ok(Self { by, descending })
        })
    }

    pub fn reads_size(&self) -> bool {
        matches!(self.by, By::Meta(Field::Size))
    }

    /// What results are ordered by, for people.
    pub fn on(&self) -> String {
        let name = match &self.by {
            By::Bin { bin, path } if path.is_empty() => bin.to_string(),
            By::Bin { bin, path } => format!("{bin}.{path}"),
            By::Meta(field) => format!("{field:?}").to_lowercase(),
        };
        if self.descending { format!("{name}, descending") } else { name }
    }

    /// Where a record stands.
    fn place(&self, record: &impl Subject) -> Place {
        let key = match &self.by {
            By::Bin { bin, path } => record.body().and_then(|body| body.bin(bin)).and_then(|value| path.find(value)).and_then(key),
            By::Meta(field) => field.value(record, |value| value.and_then(key)).flatten(),
        };
        Place { key: key.unwrap_or_default(), digest: *record.digest() }
    }

    fn compare(&self, a: &Place, b: &Place) -> Ordering {
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
            let message = format!("an order needs a limit, of at most {ORDERED_MOST}: the last record may be the first of all");
            Error::new(ErrorCode::OrderNeedsLimit, message).in_field("limit")
        })?;
        let scope = [format!("{order:?}").as_bytes(), scope].concat();
        let after = cursor.map(|cursor| Place::decode(cursor, &scope)).transpose()?;
        Ok(Self { order, limit, after, scope, waiting: Arc::default() })
    }
}

impl Top {
    pub fn new(ranking: Ranking) -> Self {
        Self { ranking, rows: Vec::new(), bound: None }
    }

    /// Takes a record that may be one of the first; `write` makes its row.
    ///
    /// # Errors
    /// `order_needs_limit` when the rows that wait come to too many bytes.
    pub fn offer(&mut self, record: &impl Subject, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let order = &self.ranking.order;
        let place = order.place(record);
        let before = |other: &Option<Place>| other.as_ref().is_none_or(|other| order.compare(&place, other).is_lt());
        if !before(&self.bound) || self.ranking.after.as_ref().is_some_and(|after| order.compare(&place, after).is_le()) {
            return Ok(());
        }
        let mut row = Vec::new();
        write(&mut row)?;
        let bytes = (row.len() + place.key.len()) as u64;
        let waiting = self.ranking.waiting.fetch_add(bytes, Atomic::Relaxed) + bytes;
        self.rows.push((place, row));
        if self.rows.len() > 2 * (self.ranking.limit + 1) || waiting > WAITING_BYTES {
            self.prune();
            if self.ranking.waiting.load(Atomic::Relaxed) > WAITING_BYTES {
                let message = "the first so many records are too large to be ordered; ask for fewer, and go on with the cursor";
                return Err(Error::new(ErrorCode::OrderNeedsLimit, message).in_field("limit"));
            }
        }
        Ok(())
    }

    /// Takes what another worker has met.
    pub fn merge(&mut self, other: Self) {
        self.rows.extend(other.rows);
        self.prune();
    }

    /// The rows in order, and the cursor to the next if there are more.
    pub fn finish(mut self) -> (Vec<Vec<u8>>, Option<String>) {
        self.prune();
        let Self { ranking: Ranking { order, limit, scope, .. }, mut rows, .. } = self;
        rows.sort_unstable_by(|(a, _), (b, _)| order.compare(a, b));
        let more = rows.len() > limit;
        rows.truncate(limit);
        let cursor = rows.last().filter(|_| more).map(|(place, _)| place.encode(&scope));
        (rows.into_iter().map(|(_, row)| row).collect(), cursor)
    }

    /// Leaves as many as are wanted, and one.
    fn prune(&mut self) {
        let most = self.ranking.limit + 1;
        if self.rows.len() <= most {
            return;
        }
        let order = &self.ranking.order;
        let (_, last, _) = self.rows.select_nth_unstable_by(most - 1, |(a, _), (b, _)| order.compare(a, b));
        self.bound = Some(last.0.clone());
        let dropped: usize = self.rows.drain(most..).map(|(place, row)| row.len() + place.key.len()).sum();
        self.ranking.waiting.fetch_sub(dropped as u64, Atomic::Relaxed);
    }
}

impl Place {
    fn encode(&self, scope: &[u8]) -> String {
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
            let message = "the cursor is not one that this query has given in this order; begin again without it";
            Error::new(ErrorCode::CursorInvalid, message).in_field("cursor")
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
    use crate::record::compare;
    use proptest::prelude::*;

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
                }
            }
        }
    }
}
