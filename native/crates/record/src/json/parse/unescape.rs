//! Strings with backslashes.

use super::super::{fault::Fault, scan};
use super::{Parsed, Parser};

/// Reads the rest of a string from its first backslash (at `parser.at`) into `Workspace::unescaped`.
#[cold]
#[inline(never)]
pub(super) fn unescape<const CSV: bool>(parser: &mut Parser<'_, '_, CSV>, start: usize) -> Parsed {
    let text = parser.text;
    let bytes = text.as_bytes();
    parser.work.unescaped.clear();
    let mut run = start;
    loop {
        match bytes.get(parser.at) {
            Some(b'\\') => {
                parser.work.unescaped.push_str(&text[run..parser.at]);
                let (decoded, end) = one(text, parser.at, CSV)?;
                parser.work.unescaped.push(decoded);
                parser.at = end;
            }
            Some(b'"') => {
                parser.work.unescaped.push_str(&text[run..parser.at]);
                return parser.quote();
            }
            Some(_) => return Err(Fault::Control),
            None => return Err(Fault::Unfinished),
        }
        run = parser.at;
        parser.at = scan::special(bytes, run);
    }
}

/// Decodes the escape at `at`; returns the character and where the text goes on.
fn one(text: &str, at: usize, csv: bool) -> Parsed<(char, usize)> {
    let bytes = text.as_bytes();
    let decoded = match bytes.get(at + 1).ok_or(Fault::Unfinished)? {
        b'"' if csv => return if bytes.get(at + 2) == Some(&b'"') { Ok(('"', at + 3)) } else { Err(Fault::Unfinished) },
        b'"' => '"',
        b'\\' => '\\',
        b'/' => '/',
        b'b' => '\u{8}',
        b'f' => '\u{c}',
        b'n' => '\n',
        b'r' => '\r',
        b't' => '\t',
        b'u' => return unicode(bytes, at),
        _ => return Err(Fault::Escape),
    };
    Ok((decoded, at + 2))
}

fn unicode(bytes: &[u8], at: usize) -> Parsed<(char, usize)> {
    let first = hex(bytes, at + 2)?;
    if !(0xd800..0xe000).contains(&first) {
        return char::from_u32(first).map(|decoded| (decoded, at + 6)).ok_or(Fault::Surrogate);
    }
    if first >= 0xdc00 || bytes.get(at + 6) != Some(&b'\\') || bytes.get(at + 7) != Some(&b'u') {
        return Err(Fault::Surrogate);
    }
    let second = hex(bytes, at + 8)?;
    if !(0xdc00..0xe000).contains(&second) {
        return Err(Fault::Surrogate);
    }
    let code = 0x1_0000 + ((first - 0xd800) << 10) + (second - 0xdc00);
    char::from_u32(code).map(|decoded| (decoded, at + 12)).ok_or(Fault::Surrogate)
}

fn hex(bytes: &[u8], at: usize) -> Parsed<u32> {
    let digits = bytes.get(at..at + 4).ok_or(Fault::Unfinished)?;
    digits.iter().try_fold(0, |code, &byte| char::from(byte).to_digit(16).map(|digit| code << 4 | digit)).ok_or(Fault::Escape)
}
