//! Bytes in JSON: `{"$bytes":"<base64>"}`.

use super::super::bytes;
use super::super::fault::Fault;
use super::{Parsed, Parser};
use crate::Encoder;

/// At a '{': if the object is exactly `{"$bytes":"..."}`, reads it as bytes; otherwise steps over nothing. An object
/// that merely has such a field is an ordinary map.
#[inline]
pub(super) fn tagged<const CSV: bool>(parser: &mut Parser<'_, '_, CSV>, out: &mut Encoder<'_>) -> Parsed<bool> {
    let brace = parser.at;
    parser.at += 1;
    parser.skip_space();
    if parser.text.as_bytes().get(parser.at + 1 + usize::from(CSV)) != Some(&b'$') {
        parser.at = brace;
        return Ok(false);
    }
    let read = whole(parser, out);
    if read != Ok(true) && read != Err(Fault::Base64) {
        parser.at = brace;
        return Ok(false);
    }
    read
}

fn whole<const CSV: bool>(parser: &mut Parser<'_, '_, CSV>, out: &mut Encoder<'_>) -> Parsed<bool> {
    let name = parser.name()?;
    if name.of(parser.text, &parser.work.unescaped) != "$bytes" {
        return Ok(false);
    }
    parser.colon()?;
    let text = parser.name()?;
    if !parser.last_entry()? {
        return Ok(false);
    }
    let bytes = bytes::decode(text.of(parser.text, &parser.work.unescaped)).ok_or(Fault::Base64)?;
    out.bytes(&bytes);
    parser.at += 1;
    Ok(true)
}
