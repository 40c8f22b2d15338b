//! Record objects as an export writes them in MessagePack: the fields of a line of NDJSON, with bytes as they are.

use super::encode::{pack_int, pack_map, pack_string, pack_value};
use crate::json::{RecordView, write_hex, write_millis, write_seconds};
use crate::{BodyRef, Digest, KeyRef, ValueRef};
use tessera_base::Error;

/// Appends `{"set","key","digest","generation","expiresAt","updatedAt","bins"}`. `select` names the bins wanted, in any
/// order; `None` means all.
pub fn pack_object(out: &mut Vec<u8>, record: &RecordView<'_>, select: Option<&[String]>) {
    pack_map(out, 7);
    pack_string(out, b"set");
    pack_string(out, record.set.as_bytes());
    pack_string(out, b"key");
    match record.body.key() {
        KeyRef::Integer(number) => pack_int(out, number),
        KeyRef::String(text) => pack_string(out, text.as_bytes()),
        KeyRef::Bytes(content) => pack_value(out, ValueRef::Bytes(content)),
    }
    pack_string(out, b"digest");
    pack_digest(out, &record.digest);
    pack_string(out, b"generation");
    pack_int(out, i64::from(record.meta.generation));
    pack_string(out, b"expiresAt");
    match record.meta.expires_at {
        0 => pack_value(out, ValueRef::Null),
        seconds => pack_quoted(out, |text| write_seconds(text, u64::from(seconds))),
    }
    pack_string(out, b"updatedAt");
    pack_quoted(out, |text| write_millis(text, record.meta.updated_at));
    pack_string(out, b"bins");
    pack_bins(out, record.body, select);
}

/// Appends `{"error":{"code","message","set","digest"}}`: what stands for a record that cannot be read.
pub fn pack_damaged(out: &mut Vec<u8>, set: &str, digest: &Digest, error: &Error) {
    pack_map(out, 1);
    pack_string(out, b"error");
    pack_map(out, 4);
    for (name, text) in [("code", error.code.as_str()), ("message", &*error.message), ("set", set)] {
        pack_string(out, name.as_bytes());
        pack_string(out, text.as_bytes());
    }
    pack_string(out, b"digest");
    pack_digest(out, digest);
}

fn pack_digest(out: &mut Vec<u8>, digest: &Digest) {
    let mut text = Vec::with_capacity(40);
    write_hex(&mut text, digest);
    pack_string(out, &text);
}

fn pack_bins(out: &mut Vec<u8>, body: BodyRef<'_>, select: Option<&[String]>) {
    let wanted = |name: &[u8]| select.is_none_or(|wanted| wanted.iter().any(|bin| bin.as_bytes() == name));
    let bins = || body.raw_bins().filter(|(name, _)| wanted(name));
    pack_map(out, bins().count());
    for (name, value) in bins() {
        pack_string(out, name);
        pack_value(out, ValueRef::of(value));
    }
}

/// Appends what `write` writes as JSON in quotes that needs no escape.
fn pack_quoted(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let mut text = Vec::with_capacity(26);
    write(&mut text);
    pack_string(out, text.get(1..text.len() - 1).unwrap_or_default());
}
