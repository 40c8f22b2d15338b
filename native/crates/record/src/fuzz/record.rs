//! The stored bytes of a record and of a value.

use crate::body::RawBins;
use crate::compare::equal;
use crate::json::{RecordView, Shape, parse_value, write_record, write_v1_row, write_value};
use crate::{BodyBuilder, BodyRef, Digest, Encoder, KeyRef, Meta, Value, ValueRef};
use ripemd::{Digest as _, Ripemd160};
use tessera_base::{ErrorCode, limits};

/// Most bytes that are looked at: damaged bytes may nest as deep as they are long.
const MOST: usize = 4096;

/// A value, and a record body.
pub fn run(data: &[u8]) {
    let bytes = &data[..data.len().min(MOST)];
    value(bytes);
    body(bytes);
}

fn value(bytes: &[u8]) {
    if let Some((value, rest)) = ValueRef::split(bytes) {
        assert!(bytes.ends_with(rest) && rest.len() < bytes.len());
        let mut text = vec![];
        write_value(&mut text, value, Shape::Record);
        assert!(text.len() <= 32 + 6 * bytes.len(), "{} bytes of {}", text.len(), bytes.len());
    }
    if ValueRef::validate(bytes).is_err() {
        return;
    }
    let value = ValueRef::of(bytes).to_value();
    let again = encoded(&value);
    assert!(again.len() <= bytes.len());
    assert_eq!(ValueRef::validate(&again), Ok(()));
    assert_eq!(encoded(&ValueRef::of(&again).to_value()), again);
    through_json(bytes);
}

/// A value that JSON can say is the same behind it.
fn through_json(bytes: &[u8]) {
    let text = json(bytes);
    assert!(serde_json::from_slice::<serde_json::Value>(&text).is_ok(), "{}", String::from_utf8_lossy(&text));
    let mut read = vec![];
    if let Err(error) = parse_value(&text, &mut read) {
        // Names that occur twice, and maps that look like bytes, are no values of JSON.
        assert!(matches!(error.code, ErrorCode::JsonDuplicateKey | ErrorCode::EncodingInvalid), "{error}");
        return;
    }
    assert_eq!(ValueRef::validate(&read), Ok(()));
    assert!(equal(&ValueRef::of(&read), &ValueRef::of(&read)));
    let again = json(&read);
    // A map of the field `$bytes` alone has become bytes.
    let bytes_in_it = text.windows(6).any(|window| window == b"$bytes");
    assert!(bytes_in_it || again == text, "{}", String::from_utf8_lossy(&text));
    let mut third = vec![];
    assert_eq!(parse_value(&again, &mut third), Ok(()));
    assert_eq!(third, read);
}

fn json(bytes: &[u8]) -> Vec<u8> {
    let mut text = vec![];
    write_value(&mut text, ValueRef::of(bytes), Shape::Record);
    text
}

fn encoded(value: &Value) -> Vec<u8> {
    let mut out = vec![];
    Encoder::new(&mut out).value(value);
    out
}

fn body(bytes: &[u8]) {
    let body = BodyRef::new(bytes);
    let meta = Meta { generation: 1, expires_at: 7, updated_at: 8 };
    let view = RecordView { set: "s", digest: Digest::default(), meta, body };
    let mut text = vec![];
    write_record(&mut text, &view, None);
    // Every bin has five bytes at least.
    assert!(text.len() <= 512 + 32 * bytes.len(), "{} bytes of {}", text.len(), bytes.len());
    let lengths: usize = body.raw_bins().map(|(_, value)| 5 + value.len()).sum();
    assert!(lengths <= bytes.len() && body.bin("a").is_none_or(|_| lengths > 0));
    let sound = BodyRef::validate(bytes).is_ok();
    if !sound {
        return;
    }
    assert!(serde_json::from_slice::<serde_json::Value>(&text).is_ok(), "{}", String::from_utf8_lossy(&text));
    text.clear();
    write_v1_row(&mut text, &view, None, 5);
    assert!(serde_json::from_slice::<serde_json::Value>(&text).is_ok(), "{}", String::from_utf8_lossy(&text));
    digest(body.key());
    rebuild(&body);
    if let (Ok(value), Ok(unnamed)) = (body.only_bin(), body.unnamed()) {
        assert_eq!(BodyRef::validate(&unnamed), Ok(()));
        assert_eq!(BodyRef::new(&unnamed).only_bin(), Ok(value));
        assert!(unnamed.len() <= bytes.len());
    }
}

/// The digest in one block is the digest.
fn digest(key: KeyRef<'_>) {
    for set in ["", "s", "a set with a name of more than sixty-three bytes, so that no block holds it and a key"] {
        let mut whole = [set.as_bytes(), &[key.type_byte()]].concat();
        key.with_bytes(|bytes| whole.extend_from_slice(bytes));
        assert_eq!(Digest::of(set, key).0, <[u8; 20]>::from(Ripemd160::digest(&whole)));
    }
}

/// A body that is built of what was read reads the same, and so are bins that another buffer brings.
fn rebuild(body: &BodyRef<'_>) {
    let bins: Vec<_> = body.raw_bins().collect();
    if bins.len() > limits::BINS {
        return;
    }
    let mut out = vec![];
    let mut builder = BodyBuilder::new(&mut out, body.key());
    let added = bins.iter().try_for_each(|(name, value)| builder.bins().encoded(name, value));
    assert_eq!(added, Ok(()));
    builder.finish();
    assert_eq!(BodyRef::validate(&out), Ok(()));
    let again = BodyRef::new(&out);
    assert!(again.key() == body.key() && again.raw_bins().eq(bins.iter().copied()));
    let names: usize = bins.iter().map(|(name, _)| name.len()).sum();
    let values: usize = bins.iter().map(|(_, value)| value.len()).sum();
    let key = body.key().with_bytes(<[u8]>::len);
    assert_eq!(out.len(), 7 + key + 5 * bins.len() + names + values);
    let mut copy = vec![];
    let mut builder = BodyBuilder::new(&mut copy, body.key());
    assert_eq!(builder.built_bins(&RawBins::new(bins.len() as u16, &out[7 + key..])), Ok(()));
    builder.finish();
    assert_eq!(copy, out);
}

/// Values of every type, and bodies with every type of key.
pub fn seeds() -> Vec<Vec<u8>> {
    let text = |text: &str| Value::String(text.to_owned());
    let numbers = [0, -1, 128, i64::MAX].map(Value::Int).to_vec();
    let map = Value::Map(vec![
        ("n".into(), Value::Null),
        ("ints".into(), Value::List(numbers)),
        ("d".into(), Value::List([0.1, -0.0, 1e300, f64::NAN].map(Value::Double).to_vec())),
        ("é\"\n".into(), Value::Map(vec![("$bytes".into(), text("AP8="))])),
        ("b".into(), Value::List(vec![Value::Bool(true), Value::Bool(false), Value::Bytes(vec![0, 255])])),
    ]);
    let values = [map.clone(), text(&"é".repeat(150)), Value::List(vec![]), Value::Int(5), Value::Bytes(vec![1; 20])];
    let deep = (0..limits::NESTING).fold(Value::Null, |inner, _| Value::List(vec![inner]));
    let body = |key: KeyRef<'_>, bins: &[(&str, &Value)]| {
        let mut out = vec![];
        let mut body = BodyBuilder::new(&mut out, key);
        let added = bins.iter().try_for_each(|(name, value)| body.bins().encoded(name.as_bytes(), &encoded(value)));
        assert_eq!(added, Ok(()));
        body.finish();
        out
    };
    let bodies = [
        body(KeyRef::String("user-1"), &[("a", &values[3]), ("doc", &map)]),
        body(KeyRef::Integer(-7), &[("", &values[1])]),
        body(KeyRef::Bytes(&[0; 30]), &[("value", &values[4])]),
        body(KeyRef::Integer(1), &[]),
    ];
    values.iter().chain([&deep]).map(encoded).chain(bodies).collect()
}
