//! What the text of a CSV cell means.

use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::Encoder;
use tessera_record::json::{Fault, Number, Parser, Shape, Workspace, read_number};

/// What a CSV column's cells mean.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum ColumnType {
    /// Unquoted: integer, double, `true`, `false`, else a string. JSON when it starts with '{' or '[' and is JSON.
    #[default]
    Auto,
    String,
    Integer,
    Double,
    Boolean,
    Json,
}

/// A cell without its quotes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Cell<'a> {
    pub text: &'a str,
    /// Whether any of it was in quotes: then it is no null, and no number.
    pub quoted: bool,
}

/// Appends the value of a cell.
///
/// # Errors
/// `csv_invalid` when the text is none of the column's type, `number_out_of_range`; for JSON, what `parse_value` refuses.
pub fn encode(cell: &Cell<'_>, kind: ColumnType, work: &mut Workspace, out: &mut Encoder<'_>) -> Result<()> {
    if cell.text.is_empty() && !cell.quoted {
        out.null();
        return Ok(());
    }
    match kind {
        ColumnType::Auto => return auto(cell, 0, work, out),
        ColumnType::String => out.string(cell.text),
        ColumnType::Integer => out.int(integer(cell.text)?),
        ColumnType::Double => out.double(double(cell.text)?),
        ColumnType::Boolean => out.bool(boolean(cell.text)?),
        ColumnType::Json => return document(cell.text, 0, work, out).map_err(|(fault, at)| fault.error(at)),
    }
    Ok(())
}

/// As `encode`, of a cell of an export with metadata: as `ColumnType::Auto`, with `\N` for null. A quoted text that begins with a
/// backslash is a string, without it: strings that could be read as JSON are written so. `deeper`: by how many levels JSON may nest
/// deeper than a bin.
///
/// # Errors
/// As `encode`.
pub fn encode_exported(cell: &Cell<'_>, deeper: usize, work: &mut Workspace, out: &mut Encoder<'_>) -> Result<()> {
    match (cell.text.strip_prefix('\\'), cell.quoted) {
        (Some("N"), false) => out.null(),
        (Some(text), true) => out.string(text),
        _ => return auto(cell, deeper, work, out),
    }
    Ok(())
}

fn auto(cell: &Cell<'_>, deeper: usize, work: &mut Workspace, out: &mut Encoder<'_>) -> Result<()> {
    let text = cell.text;
    match text.as_bytes().first() {
        Some(b'{' | b'[') => {
            let start = out.position();
            match document(text, deeper, work, out) {
                Ok(()) => {}
                // Text that only looks like JSON is text; JSON that breaks a limit is a fault.
                Err((fault, _)) if fault.code() == ErrorCode::JsonInvalid => {
                    out.truncate(start);
                    out.string(text);
                }
                Err((fault, at)) => return Err(fault.error(at)),
            }
        }
        Some(b'-' | b'0'..=b'9') if !cell.quoted => match read_number(text) {
            Ok((Number::Int(value), length)) if length == text.len() => out.int(value),
            Ok((Number::Double(value), length)) if length == text.len() => out.double(value),
            _ => out.string(text),
        },
        Some(b't') if !cell.quoted && text == "true" => out.bool(true),
        Some(b'f') if !cell.quoted && text == "false" => out.bool(false),
        _ => out.string(text),
    }
    Ok(())
}

fn document(text: &str, deeper: usize, work: &mut Workspace, out: &mut Encoder<'_>) -> std::result::Result<(), (Fault, usize)> {
    let mut parser = Parser::<false>::new(text, Shape::Record, work).deeper(deeper);
    parser.value(out).and_then(|()| parser.end()).map_err(|fault| (fault, parser.position()))
}

fn integer(text: &str) -> Result<i64> {
    text.parse().map_err(|fault: std::num::ParseIntError| match fault.kind() {
        std::num::IntErrorKind::PosOverflow | std::num::IntErrorKind::NegOverflow => out_of_range(),
        _ => Error::said(ErrorCode::CsvInvalid, sentence!("the cell must be an integer")),
    })
}

fn double(text: &str) -> Result<f64> {
    let value: f64 = text.parse().map_err(|_| Error::said(ErrorCode::CsvInvalid, sentence!("the cell must be a number")))?;
    if value.is_finite() { Ok(value) } else { Err(out_of_range()) }
}

fn boolean(text: &str) -> Result<bool> {
    match text {
        "t" | "true" | "T" | "TRUE" | "True" => Ok(true),
        "f" | "false" | "F" | "FALSE" | "False" => Ok(false),
        _ => Err(Error::said(ErrorCode::CsvInvalid, sentence!("the cell must be t, f, true or false"))),
    }
}

fn out_of_range() -> Error {
    Error::said(ErrorCode::NumberOutOfRange, sentence!("the number must fit into 64 bits"))
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_record::{Value, ValueRef};

    fn value(text: &str, quoted: bool, kind: ColumnType) -> Result<Value> {
        let mut out = vec![];
        encode(&Cell { text, quoted }, kind, &mut Workspace::default(), &mut Encoder::new(&mut out))?;
        Ok(ValueRef::of(&out).to_value())
    }

    #[test]
    fn an_unquoted_cell_shows_its_type() {
        let auto = |text| value(text, false, ColumnType::Auto).unwrap();
        assert_eq!(auto(""), Value::Null);
        assert_eq!(auto("-7"), Value::Int(-7));
        assert_eq!(auto("1.0"), Value::Double(1.0));
        assert_eq!(auto("true"), Value::Bool(true));
        assert_eq!(auto("{}"), Value::Map(vec![]));
        for text in ["007", "t", "True", "1 ", "+1", "9223372036854775808", "1e999", "[draft", "NaN", "-", " 1"] {
            assert_eq!(auto(text), Value::String(text.into()));
        }
    }

    #[test]
    fn a_quoted_cell_is_a_string_or_json() {
        let auto = |text| value(text, true, ColumnType::Auto).unwrap();
        assert_eq!(auto(""), Value::String(String::new()));
        assert_eq!(auto("1"), Value::String("1".into()));
        assert_eq!(auto("[1]"), Value::List(vec![Value::Int(1)]));
        assert_eq!(auto("[1] and more"), Value::String("[1] and more".into()));
        assert_eq!(value("{\"a\":1,\"a\":1}", true, ColumnType::Auto).unwrap_err().code, ErrorCode::JsonDuplicateKey);
    }

    #[test]
    fn a_typed_cell_is_held_to_its_type() {
        assert_eq!(value("T", true, ColumnType::Boolean), Ok(Value::Bool(true)));
        assert_eq!(value("12", true, ColumnType::Integer), Ok(Value::Int(12)));
        assert_eq!(value("12", false, ColumnType::Double), Ok(Value::Double(12.0)));
        assert_eq!(value("12", false, ColumnType::String), Ok(Value::String("12".into())));
        assert_eq!(value("\"x\"", true, ColumnType::Json), Ok(Value::String("x".into())));
        for (text, kind, code) in [
            ("x", ColumnType::Integer, ErrorCode::CsvInvalid),
            ("9223372036854775808", ColumnType::Integer, ErrorCode::NumberOutOfRange),
            ("x", ColumnType::Double, ErrorCode::CsvInvalid),
            ("NaN", ColumnType::Double, ErrorCode::NumberOutOfRange),
            ("1e999", ColumnType::Double, ErrorCode::NumberOutOfRange),
            ("yes", ColumnType::Boolean, ErrorCode::CsvInvalid),
            ("{", ColumnType::Json, ErrorCode::JsonInvalid),
            ("", ColumnType::Json, ErrorCode::JsonInvalid),
        ] {
            assert_eq!(value(text, true, kind).unwrap_err().code, code, "{text}");
        }
    }
}
