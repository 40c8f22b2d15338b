//! A recursive-descent parser that writes straight into an `Encoder`, at most 64 levels deep.
//!
//! With `CSV` it reads a document that lies in a quoted CSV cell, where every quote is doubled, without unquoting it
//! first: inside a document quotes only stand around strings and after a backslash, so nothing else changes.

mod tagged;
mod unescape;

use super::fault::Fault;
use super::keys::KeyStack;
use super::{Shape, number, scan};
use crate::Encoder;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};

pub(super) type Parsed<T = ()> = std::result::Result<T, Fault>;

/// Buffers that outlive one text, so that parsing allocates nothing.
#[derive(Debug, Default)]
pub struct Workspace {
    pub(super) unescaped: String,
    pub(super) keys: KeyStack,
}

#[derive(Debug)]
pub struct Parser<'t, 'w, const CSV: bool = false> {
    pub(super) text: &'t str,
    pub(super) at: usize,
    pub(super) shape: Shape,
    pub(super) work: &'w mut Workspace,
    /// How deep lists and maps may nest, and how deep they do so far.
    deepest: usize,
    reached: usize,
}

/// Where a string's text is: in the document, or in `Workspace::unescaped`.
#[derive(Clone, Copy, Debug)]
pub(super) enum Span {
    Plain(usize, usize),
    Unescaped,
}

impl Span {
    #[inline]
    pub(super) fn of<'a>(self, text: &'a str, unescaped: &'a str) -> &'a str {
        match self {
            Span::Plain(start, end) => &text[start..end],
            Span::Unescaped => unescaped,
        }
    }
}

/// Parses a whole text as one value and appends it to `out`; on an error `out` is as before.
///
/// # Errors
/// `utf8_invalid`, `json_invalid`, `json_duplicate_key`, `number_out_of_range`, `nesting_too_deep`,
/// `encoding_invalid` (bytes that are not base64); each names the byte offset.
pub fn parse_value(json: &[u8], out: &mut Vec<u8>) -> Result<()> {
    parse_shaped(json, Shape::Record, out)
}

/// As `parse_value`, of either API.
///
/// # Errors
/// As `parse_value`.
pub fn parse_shaped(json: &[u8], shape: Shape, out: &mut Vec<u8>) -> Result<()> {
    let length = out.len();
    let mut work = Workspace::default();
    let mut parser = Parser::<false>::new(utf8(json)?, shape, &mut work);
    let read = parser.value(&mut Encoder::new(out)).and_then(|()| parser.end());
    read.map_err(|fault| {
        out.truncate(length);
        fault.error(parser.at)
    })
}

/// # Errors
/// `utf8_invalid`, naming the byte offset.
pub(super) fn utf8(bytes: &[u8]) -> Result<&str> {
    std::str::from_utf8(bytes)
        .map_err(|fault| Error::said(ErrorCode::Utf8Invalid, sentence!("the text is not UTF-8 at byte {at}", at = fault.valid_up_to())))
}

impl<'t, 'w, const CSV: bool> Parser<'t, 'w, CSV> {
    pub fn new(text: &'t str, shape: Shape, work: &'w mut Workspace) -> Self {
        Self::starting_at(text, 0, shape, work)
    }

    /// A parser of what lies in `text` from byte `at`, which must be the start of a character.
    pub fn starting_at(text: &'t str, at: usize, shape: Shape, work: &'w mut Workspace) -> Self {
        work.keys.clear();
        Self { text, at, shape, work, deepest: limits::NESTING, reached: 0 }
    }

    /// Lists and maps may nest so much deeper than in a record: in an object that has its bins further inside.
    #[must_use]
    pub fn deeper(self, levels: usize) -> Self {
        Self { deepest: limits::NESTING + levels, ..self }
    }

    /// How deep lists and maps have nested.
    pub const fn reached(&self) -> usize {
        self.reached
    }

    /// Bytes read so far; after a fault, where it was noticed.
    pub fn position(&self) -> usize {
        self.at
    }

    /// Reads one value.
    ///
    /// # Errors
    /// Why it is none; `out` then holds a part of it.
    pub fn value(&mut self, out: &mut Encoder<'_>) -> Parsed {
        self.nested(out, 0)
    }

    /// Nothing but white space may follow.
    ///
    /// # Errors
    /// `Fault::Trailing`.
    pub fn end(&mut self) -> Parsed {
        self.skip_space();
        if self.at == self.text.len() { Ok(()) } else { Err(Fault::Trailing) }
    }

    pub(super) fn nested(&mut self, out: &mut Encoder<'_>, depth: usize) -> Parsed {
        match self.token()? {
            b'"' => {
                let span = self.string()?;
                out.string(span.of(self.text, &self.work.unescaped));
                Ok(())
            }
            b'{' => self.map(out, depth),
            b'[' => self.list(out, depth),
            b'-' | b'0'..=b'9' => {
                let (number, length) = number::read(&self.text[self.at..])?;
                self.at += length;
                match number {
                    number::Number::Int(value) => out.int(value),
                    number::Number::Double(value) => out.double(value),
                }
                Ok(())
            }
            b't' => self.literal("true").map(|()| out.bool(true)),
            b'f' => self.literal("false").map(|()| out.bool(false)),
            b'n' => self.literal("null").map(|()| out.null()),
            _ => Err(Fault::Value),
        }
    }

    #[inline]
    fn enter(&mut self, depth: usize) -> Parsed {
        if depth >= self.deepest {
            return Err(Fault::Depth);
        }
        self.reached = self.reached.max(depth + 1);
        Ok(())
    }

    fn list(&mut self, out: &mut Encoder<'_>, depth: usize) -> Parsed {
        self.enter(depth)?;
        self.at += 1;
        let open = out.open_list();
        if self.token()? != b']' {
            loop {
                self.nested(out, depth + 1)?;
                match self.token()? {
                    b',' => self.at += 1,
                    b']' => break,
                    _ => return Err(Fault::CommaOrBracket),
                }
            }
        }
        self.at += 1;
        out.close(open);
        Ok(())
    }

    fn map(&mut self, out: &mut Encoder<'_>, depth: usize) -> Parsed {
        // Bytes are no map, however deep they lie.
        if self.shape == Shape::Record && tagged::tagged(self, out)? {
            return Ok(());
        }
        self.enter(depth)?;
        self.at += 1;
        let open = out.open_map();
        let start = out.position();
        let mut names = self.work.keys.open();
        if self.token()? != b'}' {
            loop {
                let span = self.name()?;
                let name = span.of(self.text, &self.work.unescaped);
                if !self.work.keys.add(&mut names, name.as_bytes(), &out.open_entries(start)) {
                    return Err(Fault::Duplicate);
                }
                out.string(name);
                self.colon()?;
                self.nested(out, depth + 1)?;
                if self.last_entry()? {
                    break;
                }
            }
        }
        self.at += 1;
        self.work.keys.close(&names);
        out.close(open);
        Ok(())
    }

    pub(super) fn name(&mut self) -> Parsed<Span> {
        if self.token()? == b'"' { self.string() } else { Err(Fault::Name) }
    }

    pub(super) fn colon(&mut self) -> Parsed {
        if self.token()? != b':' {
            return Err(Fault::Colon);
        }
        self.at += 1;
        Ok(())
    }

    /// After an entry of an object: steps over a comma, or stops at the closing brace.
    pub(super) fn last_entry(&mut self) -> Parsed<bool> {
        match self.token()? {
            b',' => {
                self.at += 1;
                Ok(false)
            }
            b'}' => Ok(true),
            _ => Err(Fault::CommaOrBrace),
        }
    }

    /// Reads the string whose opening quote is next.
    #[inline]
    pub(super) fn string(&mut self) -> Parsed<Span> {
        self.quote()?;
        let start = self.at;
        self.at = scan::special(self.text.as_bytes(), start);
        match self.text.as_bytes().get(self.at) {
            Some(b'"') => {
                let end = self.at;
                self.quote()?;
                Ok(Span::Plain(start, end))
            }
            Some(b'\\') => unescape::unescape(self, start).map(|()| Span::Unescaped),
            Some(_) => Err(Fault::Control),
            None => Err(Fault::Unfinished),
        }
    }

    /// Steps over a quote, which is doubled in a CSV cell; a single one there ends the cell.
    #[inline]
    pub(super) fn quote(&mut self) -> Parsed {
        if CSV {
            if self.text.as_bytes().get(self.at + 1) != Some(&b'"') {
                return Err(Fault::Unfinished);
            }
            self.at += 1;
        }
        self.at += 1;
        Ok(())
    }

    fn literal(&mut self, word: &str) -> Parsed {
        if !self.text.as_bytes()[self.at..].starts_with(word.as_bytes()) {
            return Err(Fault::Value);
        }
        self.at += word.len();
        Ok(())
    }

    /// The next byte that is not white space, not stepped over.
    #[inline]
    pub(super) fn token(&mut self) -> Parsed<u8> {
        match self.text.as_bytes().get(self.at) {
            Some(&byte) if byte > b' ' => Ok(byte),
            _ => {
                self.skip_space();
                self.text.as_bytes().get(self.at).copied().ok_or(Fault::Unfinished)
            }
        }
    }

    pub fn skip_space(&mut self) {
        while let Some(b' ' | b'\n' | b'\r' | b'\t') = self.text.as_bytes().get(self.at) {
            self.at += 1;
        }
    }
}
