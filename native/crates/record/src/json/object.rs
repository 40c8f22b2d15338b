//! Records as JSON: the record object of /api/v1, and the two forms of the compatible API.

use super::digits::write_int;
use super::escape::write_string;
use super::key::write_key;
use super::time::{write_millis, write_seconds};
use super::write::write_value;
use super::{Shape, bytes};
use crate::{BodyRef, Digest, KeyRef, Meta, ValueRef};
use tessera_base::Error;

/// A stored record, as scans and reads see it.
#[derive(Clone, Copy, Debug)]
pub struct RecordView<'a> {
    /// Empty for none.
    pub set: &'a str,
    pub digest: Digest,
    pub meta: Meta,
    pub body: BodyRef<'a>,
}

/// Appends `{"set","key","digest","generation","expiresAt","updatedAt","bins"}`. `select` names the bins wanted, in any
/// order; `None` means all.
pub fn write_record(out: &mut Vec<u8>, record: &RecordView<'_>, select: Option<&[String]>) {
    write_head(out, record);
    out.extend_from_slice(b",\"bins\":");
    write_bins(out, record.body, select, Shape::Record);
    out.push(b'}');
}

/// Appends what a record object begins with: `{"set","key","digest","generation","expiresAt","updatedAt"`.
pub fn write_head(out: &mut Vec<u8>, record: &RecordView<'_>) {
    out.extend_from_slice(b"{\"set\":");
    write_string(out, record.set.as_bytes());
    out.extend_from_slice(b",\"key\":");
    write_key(out, record.body.key());
    out.extend_from_slice(b",\"digest\":\"");
    write_hex(out, &record.digest);
    out.extend_from_slice(b"\",\"generation\":");
    write_int(out, i64::from(record.meta.generation));
    out.extend_from_slice(b",\"expiresAt\":");
    match record.meta.expires_at {
        0 => out.extend_from_slice(b"null"),
        seconds => write_seconds(out, u64::from(seconds)),
    }
    out.extend_from_slice(b",\"updatedAt\":");
    write_millis(out, record.meta.updated_at);
}

/// Appends `{"error":{"code","message","set","digest"}}`: what stands for a record that cannot be read.
pub fn write_damaged(out: &mut Vec<u8>, set: &str, digest: &Digest, error: &Error) {
    out.push(b'{');
    write_error(out, error);
    // Into the error's own object.
    out.pop();
    out.extend_from_slice(b",\"set\":");
    write_string(out, set.as_bytes());
    out.extend_from_slice(b",\"digest\":\"");
    write_hex(out, digest);
    out.extend_from_slice(b"\"}}");
}

/// Appends `"error":{"code","message"}`.
pub fn write_error(out: &mut Vec<u8>, error: &Error) {
    out.extend_from_slice(b"\"error\":{\"code\":");
    write_string(out, error.code.as_str().as_bytes());
    out.extend_from_slice(b",\"message\":");
    write_string(out, error.message.as_bytes());
    out.push(b'}');
}

/// Appends `{"key","bins"}`: a row that was not stored yet.
pub fn write_row(out: &mut Vec<u8>, body: BodyRef<'_>) {
    out.extend_from_slice(b"{\"key\":");
    write_key(out, body.key());
    out.extend_from_slice(b",\"bins\":");
    write_bins(out, body, None, Shape::Record);
    out.push(b'}');
}

/// Appends `{"generation","ttl","bins"}` of the compatible API. `ttl` is in seconds from `now` (Unix seconds), -1 for
/// never, at least 1. An empty selection is a read of the header alone: `"bins":null`.
pub fn write_v1_record(out: &mut Vec<u8>, record: &RecordView<'_>, select: Option<&[String]>, now: u32) {
    out.push(b'{');
    write_v1_fields(out, record, select, now);
}

/// Appends `{"userKey","generation","ttl","bins"}`, a row of a scan of the compatible API.
pub fn write_v1_row(out: &mut Vec<u8>, record: &RecordView<'_>, select: Option<&[String]>, now: u32) {
    out.extend_from_slice(b"{\"userKey\":");
    match record.body.key() {
        KeyRef::Bytes(content) => {
            out.push(b'"');
            bytes::write(out, content);
            out.push(b'"');
        }
        key => write_key(out, key),
    }
    out.push(b',');
    write_v1_fields(out, record, select, now);
}

/// Appends `"generation":..,"ttl":..,"bins":` of the compatible API.
pub(super) fn write_v1_header(out: &mut Vec<u8>, meta: &Meta, now: u32) {
    out.extend_from_slice(b"\"generation\":");
    write_int(out, i64::from(meta.generation));
    out.extend_from_slice(b",\"ttl\":");
    write_int(out, meta.ttl(now));
    out.extend_from_slice(b",\"bins\":");
}

fn write_v1_fields(out: &mut Vec<u8>, record: &RecordView<'_>, select: Option<&[String]>, now: u32) {
    write_v1_header(out, &record.meta, now);
    match select {
        Some([]) => out.extend_from_slice(b"null"),
        _ => write_bins(out, record.body, select, Shape::V1),
    }
    out.push(b'}');
}

/// Appends an object of the selected bins. The compatible API leaves out bins that are null.
pub fn write_bins(out: &mut Vec<u8>, body: BodyRef<'_>, select: Option<&[String]>, shape: Shape) {
    out.push(b'{');
    let mut first = true;
    for (name, encoded) in body.raw_bins() {
        if select.is_some_and(|wanted| !wanted.iter().any(|bin| bin.as_bytes() == name)) {
            continue;
        }
        let value = ValueRef::of(encoded);
        if shape == Shape::V1 && matches!(value, ValueRef::Null) {
            continue;
        }
        if !first {
            out.push(b',');
        }
        first = false;
        write_string(out, name);
        out.push(b':');
        write_value(out, value, shape);
    }
    out.push(b'}');
}

pub(crate) fn write_hex(out: &mut Vec<u8>, digest: &Digest) {
    const HEX: &[u8; 16] = b"0123456789abcdef";
    let mut text = [0; 40];
    for (pair, byte) in text.chunks_exact_mut(2).zip(digest.0) {
        pair[0] = HEX[usize::from(byte >> 4)];
        pair[1] = HEX[usize::from(byte & 15)];
    }
    out.extend_from_slice(&text);
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::BodyBuilder;

    fn body(key: KeyRef<'_>) -> Vec<u8> {
        let mut bytes = vec![];
        let mut body = BodyBuilder::new(&mut bytes, key);
        super::super::parse_bins(br#"{"a":1,"raw":{"$bytes":"AP8="},"n":null,"d":1.0}"#, Shape::Record, body.bins()).unwrap();
        body.finish();
        bytes
    }

    fn view<'a>(body: &'a [u8], key: KeyRef<'_>) -> RecordView<'a> {
        let meta = Meta { generation: 3, expires_at: 1_420_070_400, updated_at: 1_420_070_400_123 };
        RecordView { set: "events", digest: Digest::of("events", key), meta, body: BodyRef::new(body) }
    }

    fn text(write: impl FnOnce(&mut Vec<u8>)) -> String {
        let mut out = vec![];
        write(&mut out);
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn the_record_object_has_every_field() {
        let key = KeyRef::String("k\"1");
        let bytes = body(key);
        let record = view(&bytes, key);
        let expected = format!(
            r#"{{"set":"events","key":"k\"1","digest":"{}","generation":3,"expiresAt":"2015-01-01T00:00:00Z","updatedAt":"2015-01-01T00:00:00.123Z","bins":{{"a":1,"raw":{{"$bytes":"AP8="}},"n":null,"d":1.0}}}}"#,
            record.digest
        );
        assert_eq!(text(|out| write_record(out, &record, None)), expected);
    }

    #[test]
    fn bins_can_be_chosen() {
        let key = KeyRef::Integer(-1);
        let bytes = body(key);
        let record = RecordView { meta: Meta::default(), ..view(&bytes, key) };
        let chosen = text(|out| write_record(out, &record, Some(&["d".into(), "missing".into()])));
        assert!(
            chosen.contains(r#""key":-1,"#) && chosen.contains(r#""expiresAt":null,"#) && chosen.ends_with(r#""bins":{"d":1.0}}"#),
            "{chosen}"
        );
        assert!(text(|out| write_record(out, &record, Some(&[]))).ends_with(r#""bins":{}}"#));
    }

    #[test]
    fn the_compatible_forms_have_ttl_and_plain_base64() {
        let key = KeyRef::Bytes(&[0, 255]);
        let bytes = body(key);
        let record = view(&bytes, key);
        let v1 = text(|out| write_v1_record(out, &record, None, 1_420_070_400 - 60));
        assert_eq!(v1, r#"{"generation":3,"ttl":60,"bins":{"a":1,"raw":"AP8=","d":1.0}}"#);
        let never = RecordView { meta: Meta { generation: 1, ..Meta::default() }, ..record };
        assert_eq!(text(|out| write_v1_row(out, &never, Some(&[]), 9)), r#"{"userKey":"AP8=","generation":1,"ttl":-1,"bins":null}"#);
        assert!(text(|out| write_v1_record(out, &record, None, u32::MAX)).contains(r#""ttl":1,"#));
    }
}
