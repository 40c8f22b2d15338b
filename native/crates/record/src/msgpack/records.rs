//! Records as the compatible API answers them in MessagePack: as in JSON, with bytes as they are.

use super::encode::{pack_int, pack_list, pack_map, pack_string, pack_value};
use crate::json::RecordView;
use crate::{BinResults, BodyRef, KeyRef, Meta, ValueRef};

/// Appends `{"generation","ttl","bins"}`; an empty selection is a read of the header alone.
pub fn pack_record(out: &mut Vec<u8>, record: &RecordView<'_>, select: Option<&[String]>, now: u32) {
    pack_map(out, 3);
    pack_fields(out, record, select, now);
}

/// Appends `{"userKey","generation","ttl","bins"}`.
pub fn pack_row(out: &mut Vec<u8>, record: &RecordView<'_>, select: Option<&[String]>, now: u32) {
    pack_map(out, 4);
    pack_string(out, b"userKey");
    match record.body.key() {
        KeyRef::Integer(number) => pack_int(out, number),
        KeyRef::String(text) => pack_string(out, text.as_bytes()),
        KeyRef::Bytes(content) => pack_value(out, ValueRef::Bytes(content)),
    }
    pack_fields(out, record, select, now);
}

/// Appends `{"generation","ttl","bins"}` of what operations read.
pub fn pack_results(out: &mut Vec<u8>, meta: &Meta, results: &[BinResults], now: u32) {
    pack_map(out, 3);
    pack_header(out, meta, now);
    if results.is_empty() {
        return pack_value(out, ValueRef::Null);
    }
    let shown = || results.iter().filter(|results| results.values.len() > 1 || !results.values.iter().all(|value| is_null(value)));
    pack_map(out, shown().count());
    for BinResults { bin, values } in shown() {
        pack_string(out, bin.as_bytes());
        if values.len() > 1 {
            pack_list(out, values.len());
        }
        values.iter().for_each(|value| pack_value(out, ValueRef::of(value)));
    }
}

fn pack_fields(out: &mut Vec<u8>, record: &RecordView<'_>, select: Option<&[String]>, now: u32) {
    pack_header(out, &record.meta, now);
    if select.is_some_and(<[String]>::is_empty) {
        return pack_value(out, ValueRef::Null);
    }
    let bins = || shown(record.body, select);
    pack_map(out, bins().count());
    for (name, value) in bins() {
        pack_string(out, name);
        pack_value(out, ValueRef::of(value));
    }
}

fn pack_header(out: &mut Vec<u8>, meta: &Meta, now: u32) {
    pack_string(out, b"generation");
    pack_int(out, i64::from(meta.generation));
    pack_string(out, b"ttl");
    pack_int(out, meta.ttl(now));
    pack_string(out, b"bins");
}

/// The selected bins that are not null.
fn shown<'a>(body: BodyRef<'a>, select: Option<&[String]>) -> impl Iterator<Item = (&'a [u8], &'a [u8])> {
    let wanted = move |name: &[u8]| select.is_none_or(|wanted| wanted.iter().any(|bin| bin.as_bytes() == name));
    body.raw_bins().filter(move |(name, value)| wanted(name) && !is_null(value))
}

fn is_null(value: &[u8]) -> bool {
    matches!(ValueRef::of(value), ValueRef::Null)
}
