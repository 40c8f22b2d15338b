//! The order of a query's results: by one value of each record, the first so many of all.

use std::cmp::Ordering;

use parking_lot::{Mutex, MutexGuard};

use base64::Engine as _;
use base64::engine::general_purpose::URL_SAFE_NO_PAD;

use crate::error::{Error, ErrorCode, Result};
use crate::filter::reader::Reader;
use crate::filter::{Field, Subject};
use crate::index::RangeKey;
use crate::limits;
use crate::record::{Digest, Path, ValueRef};

/// Most records of one ordered answer.
pub const ORDERED_MOST: u64 = 100_000;
/// Strings and bytes are ordered by so many of their bytes.
const PREFIX: usize = 1024;
/// Most bytes of the first rows of all, which wait for the last record to be met.
const WAITING_BYTES: usize = 256 * 1024 * 1024;
/// Bytes of rows that a worker keeps to itself: half as much for the most workers together.
const OWN_BYTES: usize = WAITING_BYTES / 2 / limits::THREADS as usize;

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
}

/// The first so many records that all workers of a query have met, and one to know whether there are more.
#[derive(Debug)]
pub(crate) struct Contest {
    ranking: Ranking,
    most_bytes: usize,
    own_bytes: usize,
    kept: Mutex<Top>,
}

/// What one worker has met since it last handed over, or what all have.
#[derive(Debug, Default)]
pub(crate) struct Top {
    /// The best so far and some that may not be, in no order.
    rows: Vec<(Place, Vec<u8>)>,
    /// Of these rows.
    bytes: usize,
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

    /// The bin whose value at a path decides, if it is one.
    pub(super) fn bin(&self) -> Option<(&str, &Path)> {
        match &self.by {
            By::Bin { bin, path } => Some((bin, path)),
            By::Meta(_) => None,
        }
    }

    pub(super) const fn descends(&self) -> bool {
        self.descending
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
        Ok(Self { order, limit, after, scope })
    }

    /// The wanted ones, and one.
    const fn most(&self) -> usize {
        self.limit + 1
    }
}

impl Contest {
    pub fn new(ranking: Ranking) -> Self {
        Self { ranking, most_bytes: WAITING_BYTES, own_bytes: OWN_BYTES, kept: Mutex::default() }
    }

    /// Takes a record that may be one of the first; `write` makes its row.
    ///
    /// # Errors
    /// `order_needs_limit` when the first so many rows come to too many bytes; those of `write`.
    pub fn offer(&self, own: &mut Top, record: &impl Subject, write: impl FnOnce(&mut Vec<u8>) -> Result<()>) -> Result<()> {
        let order = &self.ranking.order;
        let place = order.place(record);
        let before = |other: &Option<Place>| other.as_ref().is_none_or(|other| order.compare(&place, other).is_lt());
        if !before(&own.bound) || self.ranking.after.as_ref().is_some_and(|after| order.compare(&place, after).is_le()) {
            return Ok(());
        }
        let mut row = Vec::new();
        write(&mut row)?;
        own.bytes += bytes(&place, &row);
        own.rows.push((place, row));
        if own.rows.len() > 2 * self.ranking.most() {
            own.prune(&self.ranking);
        }
        if own.bytes > self.own_bytes { self.hand_over(own) } else { Ok(()) }
    }

    /// Takes what a worker has met, and lets it know what is not wanted any more.
    ///
    /// # Errors
    /// `order_needs_limit` when the first so many rows of all come to too many bytes.
    pub fn hand_over(&self, own: &mut Top) -> Result<()> {
        self.take(own, 2 * self.ranking.most()).map(drop)
    }

    /// How many are still missing, and with none the last that is wanted: `None` where it has no value.
    ///
    /// # Errors
    /// As `hand_over`.
    pub fn standing(&self, own: &mut Top) -> Result<(usize, Option<RangeKey>)> {
        let all = self.take(own, 0)?;
        let missing = self.ranking.most() - all.rows.len();
        Ok((missing, all.bound.as_ref().filter(|_| missing == 0).and_then(Place::range_key)))
    }

    /// As `hand_over`; where there are more than `most` rows then, those that are not wanted go.
    fn take(&self, own: &mut Top, most: usize) -> Result<MutexGuard<'_, Top>> {
        let ranking = &self.ranking;
        let mut all = self.kept.lock();
        all.bytes += std::mem::take(&mut own.bytes);
        all.rows.append(&mut own.rows);
        if all.rows.len() > most || all.bytes > self.most_bytes {
            all.prune(ranking);
        }
        if let Some(bound) = &all.bound
            && own.bound.as_ref().is_none_or(|own| ranking.order.compare(bound, own).is_lt())
        {
            own.bound = Some(bound.clone());
        }
        if all.bytes > self.most_bytes {
            let message = "the first so many records are too large to be ordered; ask for fewer, and go on with the cursor";
            return Err(Error::new(ErrorCode::OrderNeedsLimit, message).in_field("limit"));
        }
        Ok(all)
    }

    /// The rows in order, and the cursor to the next if there are more; nothing is kept after.
    pub fn finish(&self) -> (Vec<Vec<u8>>, Option<String>) {
        let mut all = std::mem::take(&mut *self.kept.lock());
        all.prune(&self.ranking);
        let Ranking { order, limit, scope, .. } = &self.ranking;
        let mut rows = all.rows;
        rows.sort_unstable_by(|(a, _), (b, _)| order.compare(a, b));
        let more = rows.len() > *limit;
        rows.truncate(*limit);
        let cursor = rows.last().filter(|_| more).map(|(place, _)| place.encode(scope));
        (rows.into_iter().map(|(_, row)| row).collect(), cursor)
    }
}

impl Top {
    /// Leaves as many as are wanted, and one.
    fn prune(&mut self, ranking: &Ranking) {
        let most = ranking.most();
        if self.rows.len() < most {
            return;
        }
        let (_, last, _) = self.rows.select_nth_unstable_by(most - 1, |(a, _), (b, _)| ranking.order.compare(a, b));
        self.bound = Some(last.0.clone());
        self.bytes -= self.rows.drain(most..).map(|(place, row)| bytes(&place, &row)).sum::<usize>();
    }
}

/// What a row takes while it waits.
fn bytes(place: &Place, row: &[u8]) -> usize {
    row.len() + place.key.len()
}

impl Place {
    /// As a range index keeps the value; `None` of what comes last.
    pub(super) fn range_key(&self) -> Option<RangeKey> {
        let (kind, value) = self.key.split_first()?;
        match kind {
            1 => value.first_chunk().map(|bits| RangeKey::Number(u64::from_be_bytes(*bits))),
            2 => Some(RangeKey::of_text(value)),
            3 => Some(RangeKey::Bytes),
            4 => Some(if value == [0] { RangeKey::False } else { RangeKey::True }),
            _ => None,
        }
    }

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
    use crate::record::{BodyBuilder, BodyRef, KeyRef, Meta, compare};
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

    /// A record with a number of its own.
    struct Numbered(Vec<u8>, Digest);

    impl Numbered {
        fn new(n: i64) -> Self {
            let mut bytes = Vec::new();
            let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(n));
            body.bin("a", |out| {
                out.int(n);
                Ok(())
            })
            .unwrap();
            body.finish();
            Self(bytes, Digest::of("s", KeyRef::Integer(n)))
        }

        fn key(&self) -> Option<RangeKey> {
            Order::compile(br#"{"bin":"a"}"#).unwrap().place(self).range_key()
        }
    }

    impl Subject for Numbered {
        fn digest(&self) -> &Digest {
            &self.1
        }

        fn meta(&self) -> &Meta {
            const { &Meta { generation: 1, expires_at: 0, updated_at: 0 } }
        }

        fn size(&self) -> u64 {
            0
        }

        fn with_set<R>(&self, with: impl FnOnce(&str) -> R) -> R {
            with("s")
        }

        fn body(&self) -> Option<BodyRef<'_>> {
            Some(BodyRef::new(&self.0))
        }
    }

    fn contest(limit: u64, most_bytes: usize) -> Contest {
        let order = Order::compile(br#"{"bin":"a"}"#).unwrap();
        let own_bytes = most_bytes / 2 / limits::THREADS as usize;
        Contest { most_bytes, own_bytes, ..Contest::new(Ranking::new(order, Some(limit), None, b"").unwrap()) }
    }

    /// Gives record after record to one worker after the other; rows are their numbers, and zeros up to `row` bytes.
    fn compete(contest: &Contest, workers: usize, numbers: impl Iterator<Item = i64>, row: usize) -> Result<usize> {
        let (mut tops, mut most) = (vec![], 0);
        tops.resize_with(workers, Top::default);
        for (at, n) in numbers.enumerate() {
            contest.offer(&mut tops[at % workers], &Numbered::new(n), |out| {
                out.extend_from_slice(&n.to_le_bytes());
                out.resize(row, 0);
                Ok(())
            })?;
            most = most.max(tops.iter().map(|top| top.bytes).sum::<usize>() + contest.kept.lock().bytes);
        }
        tops.iter_mut().try_for_each(|top| contest.hand_over(top)).map(|()| most)
    }

    #[test]
    fn large_rows_of_many_workers_are_no_more_than_what_is_wanted_of_all() {
        const MOST: usize = 1 << 20;
        // The wanted ones take a third of what may wait; as many for each of the workers would take twenty times that.
        let (limit, row) = (40, MOST / 3 / 41);
        let contest = contest(limit, MOST);
        let most = compete(&contest, 64, (0..4000).map(|n| n * 7919 % 4000), row).unwrap();
        assert!(most <= MOST + MOST / 2 + 64 * row, "{most} bytes waited");
        let (rows, cursor) = contest.finish();
        let numbers: Vec<i64> = rows.iter().map(|row| i64::from_le_bytes(*row.first_chunk().unwrap())).collect();
        assert_eq!((numbers, cursor.is_some()), ((0..40).collect(), true));
    }

    #[test]
    fn what_is_wanted_of_all_is_bounded_by_its_bytes() {
        let contest = contest(9, 1000);
        assert!(compete(&contest, 4, 0..100, 80).is_ok());
        let contest = self::contest(9, 1000);
        assert_eq!(compete(&contest, 4, 0..100, 110).unwrap_err().code, ErrorCode::OrderNeedsLimit);
    }

    #[test]
    fn workers_learn_what_is_not_wanted_any_more() {
        let contest = contest(2, 1 << 20);
        let mut tops = [Top::default(), Top::default()];
        let offer = |top: &mut Top, n: i64| {
            let mut written = false;
            contest.offer(top, &Numbered::new(n), |_| {
                written = true;
                Ok(())
            })?;
            Ok::<bool, Error>(written)
        };
        (1..4).for_each(|n| assert!(offer(&mut tops[0], n).unwrap()));
        assert_eq!(contest.standing(&mut tops[0]).unwrap(), (0, Numbered::new(3).key()));
        assert!(!offer(&mut tops[0], 4).unwrap() && offer(&mut tops[1], 4).unwrap());
        contest.hand_over(&mut tops[1]).unwrap();
        assert!(!offer(&mut tops[1], 4).unwrap() && offer(&mut tops[1], 2).unwrap());
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
