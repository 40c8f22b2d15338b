//! Reads MessagePack straight into an `Encoder`, as deep as values nest. Nothing is made room for before its bytes are there.

use crate::json::keys::{Entries, KeyStack, Names};
use crate::json::{Shape, check_v1_name, replace_typed};
use crate::{BinsBuilder, Encoder};
use tessera_base::{Error, ErrorCode, Result, limits, sentence};

/// The extension that the other server uses for GeoJSON.
const GEO_JSON: i8 = 23;

/// Reads a whole input as one value and appends it to `out`; on an error `out` is as before.
///
/// # Errors
/// `msgpack_invalid`, `utf8_invalid`, `json_duplicate_key`, `number_out_of_range`, `nesting_too_deep`; `unsupported` for
/// GeoJSON and for keys of maps that are not strings. Each names the byte offset.
pub fn unpack_value(bytes: &[u8], out: &mut Vec<u8>) -> Result<()> {
    let length = out.len();
    let mut reader = Reader::new(bytes);
    let read = reader.value(&mut Encoder::new(out), 0).and_then(|()| reader.end());
    read.map_err(|fault| {
        out.truncate(length);
        reader.error(fault)
    })
}

/// Reads a whole input as a map of bins, as the compatible API takes them. After an error `into` holds a part of them.
///
/// # Errors
/// As `unpack_value`; what `json::parse_bins` refuses.
pub fn unpack_bins(bytes: &[u8], into: &mut BinsBuilder<'_>) -> Result<()> {
    bins(&mut Reader::new(bytes), into, |name| check_v1_name(name, Shape::Packed), replace_typed)
}

/// Reads a whole input as a map of bins, with every value as it is. After an error `into` holds a part of them. Answers how deep values
/// nest: `deeper` levels more than in a record are read, because an object may have its bins further inside.
///
/// # Errors
/// As `unpack_value`; `bin_name_invalid`, `too_many_bins`.
pub fn unpack_row(bytes: &[u8], deeper: usize, into: &mut BinsBuilder<'_>) -> Result<usize> {
    let mut reader = Reader { deepest: limits::NESTING + deeper, ..Reader::new(bytes) };
    bins(&mut reader, into, |_| Ok(()), |_, _| Ok(())).map(|()| reader.reached)
}

/// `finish` gets where the value of each bin begins.
fn bins<'b>(
    reader: &mut Reader<'_>,
    into: &mut BinsBuilder<'b>,
    check: impl Fn(&str) -> Result<()>,
    finish: impl Fn(&mut BinsBuilder<'b>, usize) -> Result<()>,
) -> Result<()> {
    let Token::Map(count) = reader.token().map_err(|fault| reader.error(fault))? else { return Err(reader.error(Fault::Map)) };
    let mut names = reader.keys.open();
    for _ in 0..count {
        let name = reader.name(&mut names, into).map_err(|fault| reader.error(fault))?;
        check(name)?;
        let open = into.open(name)?;
        let start = into.encoder().position();
        reader.value(&mut into.encoder(), 0).map_err(|fault| reader.error(fault).in_field(name))?;
        finish(into, start).map_err(|error| error.in_field(name))?;
        into.close(open);
    }
    reader.end().map_err(|fault| reader.error(fault))
}

type Parsed<T = ()> = std::result::Result<T, Fault>;

#[derive(Clone, Copy, Debug)]
enum Fault {
    Unfinished,
    Trailing,
    Map,
    Key,
    Duplicate,
    Utf8,
    Depth,
    Integer,
    Double,
    Extension,
    GeoJson,
    Reserved,
}

/// What a value begins with.
enum Token<'a> {
    Null,
    Bool(bool),
    Int(i64),
    Double(f64),
    String(&'a str),
    Bytes(&'a [u8]),
    List(u32),
    Map(u32),
}

struct Reader<'a> {
    bytes: &'a [u8],
    at: usize,
    keys: KeyStack,
    /// How deep lists and maps may nest, and how deep they do so far.
    deepest: usize,
    reached: usize,
}

impl<'a> Reader<'a> {
    fn new(bytes: &'a [u8]) -> Self {
        Self { bytes, at: 0, keys: KeyStack::default(), deepest: limits::NESTING, reached: 0 }
    }

    fn value(&mut self, out: &mut Encoder<'_>, depth: usize) -> Parsed {
        let token = self.token()?;
        if matches!(token, Token::List(_) | Token::Map(_)) {
            if depth >= self.deepest {
                return Err(Fault::Depth);
            }
            self.reached = self.reached.max(depth + 1);
        }
        match token {
            Token::Null => out.null(),
            Token::Bool(value) => out.bool(value),
            Token::Int(value) => out.int(value),
            Token::Double(value) => out.double(value),
            Token::String(text) => out.string(text),
            Token::Bytes(content) => out.bytes(content),
            Token::List(count) => {
                let open = out.open_list();
                for _ in 0..count {
                    self.value(out, depth + 1)?;
                }
                out.close(open);
            }
            Token::Map(count) => {
                let open = out.open_map();
                let start = out.position();
                let mut names = self.keys.open();
                for _ in 0..count {
                    let name = self.name(&mut names, &out.open_entries(start))?;
                    out.string(name);
                    self.value(out, depth + 1)?;
                }
                self.keys.close(&names);
                out.close(open);
            }
        }
        Ok(())
    }

    /// A key that the map does not have yet.
    fn name(&mut self, names: &mut Names, entries: &impl Entries) -> Parsed<&'a str> {
        let Token::String(name) = self.token()? else { return Err(Fault::Key) };
        if self.keys.add(names, name.as_bytes(), entries) { Ok(name) } else { Err(Fault::Duplicate) }
    }

    fn end(&self) -> Parsed {
        if self.at == self.bytes.len() { Ok(()) } else { Err(Fault::Trailing) }
    }

    fn token(&mut self) -> Parsed<Token<'a>> {
        let [marker] = self.take()?;
        Ok(match marker {
            0x00..=0x7f => Token::Int(i64::from(marker)),
            0x80..=0x8f => Token::Map(u32::from(marker & 0x0f)),
            0x90..=0x9f => Token::List(u32::from(marker & 0x0f)),
            0xa0..=0xbf => self.text(u32::from(marker & 0x1f))?,
            0xc0 => Token::Null,
            0xc1 => return Err(Fault::Reserved),
            0xc2 => Token::Bool(false),
            0xc3 => Token::Bool(true),
            0xc4..=0xc6 => {
                let length = self.length(1 << (marker - 0xc4))?;
                Token::Bytes(self.slice(length)?)
            }
            0xc7..=0xc9 => {
                self.length(1 << (marker - 0xc7))?;
                return Err(self.extension()?);
            }
            0xca => Self::double(f64::from(f32::from_be_bytes(self.take()?)))?,
            0xcb => Self::double(f64::from_be_bytes(self.take()?))?,
            0xcc..=0xce => Token::Int(i64::from(self.length(1 << (marker - 0xcc))?)),
            0xcf => Token::Int(i64::try_from(u64::from_be_bytes(self.take()?)).map_err(|_| Fault::Integer)?),
            0xd0 => Token::Int(i64::from(i8::from_be_bytes(self.take()?))),
            0xd1 => Token::Int(i64::from(i16::from_be_bytes(self.take()?))),
            0xd2 => Token::Int(i64::from(i32::from_be_bytes(self.take()?))),
            0xd3 => Token::Int(i64::from_be_bytes(self.take()?)),
            0xd4..=0xd8 => return Err(self.extension()?),
            0xd9..=0xdb => {
                let length = self.length(1 << (marker - 0xd9))?;
                self.text(length)?
            }
            0xdc | 0xdd => Token::List(self.length(2 << (marker - 0xdc))?),
            0xde | 0xdf => Token::Map(self.length(2 << (marker - 0xde))?),
            0xe0..=0xff => Token::Int(i64::from(marker as i8)),
        })
    }

    fn double(value: f64) -> Parsed<Token<'a>> {
        if value.is_finite() { Ok(Token::Double(value)) } else { Err(Fault::Double) }
    }

    fn text(&mut self, length: u32) -> Parsed<Token<'a>> {
        std::str::from_utf8(self.slice(length)?).map(Token::String).map_err(|_| Fault::Utf8)
    }

    /// An unsigned number of 1, 2 or 4 bytes.
    fn length(&mut self, width: u32) -> Parsed<u32> {
        Ok(match width {
            1 => u32::from(u8::from_be_bytes(self.take()?)),
            2 => u32::from(u16::from_be_bytes(self.take()?)),
            _ => u32::from_be_bytes(self.take()?),
        })
    }

    fn extension(&mut self) -> Parsed<Fault> {
        let kind = i8::from_be_bytes(self.take()?);
        Ok(if kind == GEO_JSON { Fault::GeoJson } else { Fault::Extension })
    }

    fn slice(&mut self, length: u32) -> Parsed<&'a [u8]> {
        let rest = self.bytes.get(self.at..).unwrap_or_default();
        let slice = rest.get(..length as usize).ok_or(Fault::Unfinished)?;
        self.at += slice.len();
        Ok(slice)
    }

    fn take<const N: usize>(&mut self) -> Parsed<[u8; N]> {
        let taken = self.bytes.get(self.at..).and_then(|rest| rest.first_chunk::<N>()).ok_or(Fault::Unfinished)?;
        self.at += N;
        Ok(*taken)
    }

    #[cold]
    fn error(&self, fault: Fault) -> Error {
        let (code, says) = match fault {
            Fault::Unfinished => (ErrorCode::MsgpackInvalid, sentence!("the input ends inside a value")),
            Fault::Trailing => (ErrorCode::MsgpackInvalid, sentence!("unexpected bytes after the value")),
            Fault::Map => (ErrorCode::MsgpackInvalid, sentence!("expected a map")),
            Fault::Reserved => (ErrorCode::MsgpackInvalid, sentence!("unsupported marker")),
            Fault::Extension => (ErrorCode::MsgpackInvalid, sentence!("unknown extension type")),
            Fault::Key => (ErrorCode::Unsupported, sentence!("map keys that are not strings are not supported")),
            Fault::GeoJson => (ErrorCode::Unsupported, sentence!("GeoJSON values are not supported")),
            Fault::Duplicate => (ErrorCode::JsonDuplicateKey, sentence!("a key occurs twice in one map")),
            Fault::Utf8 => (ErrorCode::Utf8Invalid, sentence!("the string is not UTF-8")),
            Fault::Depth => (ErrorCode::NestingTooDeep, sentence!("lists and maps are nested deeper than the limit")),
            Fault::Integer => (ErrorCode::NumberOutOfRange, sentence!("Integer value too large")),
            Fault::Double => (ErrorCode::NumberOutOfRange, sentence!("the double is not finite")),
        };
        Error::said(code, sentence!("{says} at byte {at}", says = says, at = self.at))
    }
}
