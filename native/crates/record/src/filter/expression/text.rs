//! Strings: as UTF-8 bytes, counted in characters.

use crate::ValueRef;
use tessera_base::limits::EXPRESSION_TEXT_BYTES;

/// Characters of a string, bytes of bytes, items of a list, entries of a map.
pub(super) fn length(value: &ValueRef<'_>) -> Option<i64> {
    let length = match value {
        ValueRef::String(text) => text.iter().filter(|byte| begins(**byte)).count(),
        ValueRef::Bytes(bytes) => bytes.len(),
        ValueRef::List(items) => items.iter().count(),
        ValueRef::Map(entries) => entries.iter().count(),
        _ => return None,
    };
    i64::try_from(length).ok()
}

/// By Unicode's rules, which may make it longer.
pub(super) fn cased(text: &[u8], upper: bool) -> Option<Vec<u8>> {
    let text = std::str::from_utf8(text).ok()?;
    let cased = if upper { text.to_uppercase() } else { text.to_lowercase() };
    (cased.len() <= EXPRESSION_TEXT_BYTES).then(|| cased.into_bytes())
}

/// Appends `text`, where there is room for it.
pub(super) fn append(out: &mut Vec<u8>, text: &[u8]) -> Option<()> {
    (out.len() + text.len() <= EXPRESSION_TEXT_BYTES).then(|| out.extend_from_slice(text))
}

/// The bytes of the characters from `from` on, a negative one counted from the end, and of no more than `count`.
pub(super) fn span(text: &[u8], from: i64, count: Option<i64>) -> Option<std::ops::Range<usize>> {
    let count = count.map(usize::try_from).transpose().ok()?;
    let places = || text.iter().enumerate().filter(|(_, byte)| begins(**byte)).map(|(at, _)| at);
    let start = match usize::try_from(from) {
        Ok(from) => places().nth(from).unwrap_or(text.len()),
        // Further back than it has characters is its beginning.
        Err(_) => usize::try_from(from.unsigned_abs()).ok().and_then(|back| places().rev().nth(back - 1)).unwrap_or(0),
    };
    let rest = text.get(start..)?;
    let end = count.and_then(|count| rest.iter().enumerate().filter(|(_, byte)| begins(**byte)).nth(count).map(|(at, _)| start + at));
    Some(start..end.unwrap_or(text.len()))
}

/// Whether a character begins with this byte of UTF-8.
const fn begins(byte: u8) -> bool {
    byte & 0xC0 != 0x80
}
