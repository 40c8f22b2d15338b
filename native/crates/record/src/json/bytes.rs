//! Bytes in JSON: `{"$bytes":"<base64>"}` on /api/v1, `{"type":"BYTE_ARRAY","value":"<base64>"}` into /v1. Standard
//! alphabet; padding may be left out on the way in.

use crate::{MapRef, ValueRef};
use base64::Engine as _;
use base64::alphabet::STANDARD;
use base64::engine::{DecodePaddingMode, GeneralPurpose, GeneralPurposeConfig};
use tessera_base::{Error, ErrorCode, Result, sentence};

const BASE64: GeneralPurpose =
    GeneralPurpose::new(&STANDARD, GeneralPurposeConfig::new().with_decode_padding_mode(DecodePaddingMode::Indifferent));

/// What a bin of the compatible API means when its value is a two-entry map of `type` and `value`: the bytes of a
/// `BYTE_ARRAY`. Any other map means itself.
///
/// # Errors
/// `encoding_invalid` for bad base64, `unsupported` for `GEO_JSON`, `json_invalid` for another type.
pub fn typed(map: MapRef<'_>) -> Result<Option<Vec<u8>>> {
    let (Some(kind), Some(value), 2) = (map.get(b"type"), map.get(b"value"), map.iter().count()) else { return Ok(None) };
    match (kind, value) {
        (ValueRef::String(b"BYTE_ARRAY"), ValueRef::String(text)) => {
            let decoded = std::str::from_utf8(text).ok().and_then(decode);
            decoded.map(Some).ok_or_else(|| Error::said(ErrorCode::EncodingInvalid, sentence!("the value of a BYTE_ARRAY is not base64")))
        }
        (ValueRef::String(b"GEO_JSON"), _) => Err(Error::said(ErrorCode::Unsupported, sentence!("GEO_JSON bins are not supported"))),
        _ => Err(Error::said(ErrorCode::JsonInvalid, sentence!("Error parsing typed bin parameter"))),
    }
}

pub(super) fn decode(text: &str) -> Option<Vec<u8>> {
    BASE64.decode(text).ok()
}

/// Appends the base64 of `bytes`, without quotes.
pub(super) fn write(out: &mut Vec<u8>, bytes: &[u8]) {
    let start = out.len();
    // Base64 makes four bytes of every three, rounded up.
    out.resize(start + bytes.len().div_ceil(3) * 4, 0);
    let length = BASE64.encode_slice(bytes, &mut out[start..]).unwrap_or(0);
    out.truncate(start + length);
}
