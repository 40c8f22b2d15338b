//! Rows of PostgreSQL's CSV dialect: cells in quotes with doubled quotes inside, newlines and commas in quoted cells,
//! an empty unquoted cell for null. A quote inside an unquoted cell begins a quoted part, as in PostgreSQL.

use super::row::{OBJECT_LEVELS, RowBuilder};
use crate::load::plan::cell::ColumnType;
use crate::load::plan::cell::{self, Cell};
use crate::load::plan::exported;
use crate::load::plan::resolve::{Column, Plan};
use memchr::{memchr, memchr_iter, memchr3};
use tessera_base::{Error, ErrorCode, sentence};
use tessera_record::Encoder;
use tessera_record::json::{Parser, Shape, Workspace};

/// Reads the rows of one block; its buffers are reused from block to block.
#[derive(Debug, Default)]
pub struct CsvReader {
    work: Workspace,
    unquoted: String,
}

/// Where a cell ended.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum End {
    /// At a comma; the next cell begins here.
    Cell(usize),
    /// At the end of the row; the next row begins here.
    Row(usize),
}

/// A row whose last quote never closes.
struct Unclosed;

impl CsvReader {
    /// Reads the row at `at` into `row`; returns where the next one begins, `None` when this one's quotes never close.
    /// Its first fault is left in `row`; a row that is faulty is read to its end all the same.
    pub(in crate::load) fn row(&mut self, text: &str, at: usize, plan: &Plan, row: &mut RowBuilder<'_>) -> Option<usize> {
        let mut at = at;
        for (place, column) in plan.columns.iter().enumerate() {
            match self.cell(text, at, column, row) {
                Err(Unclosed) => return None,
                Ok(End::Cell(next)) => at = next,
                Ok(End::Row(next)) => {
                    if place + 1 < plan.columns.len() {
                        row.fault(|| wrong_width(place + 1, plan.columns.len()));
                    }
                    return Some(next);
                }
            }
        }
        row.fault(|| Error::said(ErrorCode::CsvInvalid, sentence!("the row must have at most {most} columns", most = plan.columns.len())));
        loop {
            match read(text, at, &mut self.unquoted) {
                Err(Unclosed) => return None,
                Ok((_, End::Cell(next))) => at = next,
                Ok((_, End::Row(next))) => return Some(next),
            }
        }
    }

    /// Reads the names in the row at the start of `text`; returns where the next row begins.
    ///
    /// # Errors
    /// `csv_invalid`.
    pub fn header(&mut self, text: &str) -> tessera_base::Result<(Vec<String>, usize)> {
        let (mut names, mut at) = (vec![], 0);
        loop {
            let (cell, end) = read(text, at, &mut self.unquoted)
                .map_err(|Unclosed| Error::said(ErrorCode::CsvInvalid, sentence!("a quote in the header is never closed")))?;
            names.push(cell.text.to_owned());
            match end {
                End::Cell(next) => at = next,
                End::Row(next) => return Ok((names, next)),
            }
        }
    }

    fn cell(&mut self, text: &str, at: usize, column: &Column, row: &mut RowBuilder<'_>) -> Result<End, Unclosed> {
        let Some(open) = row.open(&column.name) else { return read(text, at, &mut self.unquoted).map(|(_, end)| end) };
        if let Some(end) = self.document(text, at, column, &mut row.encoder()) {
            row.close(open);
            return Ok(end);
        }
        row.reset(&open);
        let (cell, end) = read(text, at, &mut self.unquoted)?;
        if column.exported && cell.text.is_empty() && !cell.quoted {
            row.cancel(open);
            return Ok(end);
        }
        let encoded = match column.exported {
            true => cell::encode_exported(&cell, deeper(column), &mut self.work, &mut row.encoder()),
            false => cell::encode(&cell, column.kind, &mut self.work, &mut row.encoder()),
        };
        match encoded {
            Ok(()) => row.close(open),
            Err(error) => row.fault(|| error.in_field(column.name.clone())),
        }
        Ok(end)
    }

    /// Reads a quoted cell that holds a JSON document where it lies. `None` when it does not, or the document has a
    /// fault: then the slower way finds out what the cell is.
    #[inline]
    fn document(&mut self, text: &str, at: usize, column: &Column, out: &mut Encoder<'_>) -> Option<End> {
        let bytes = text.as_bytes();
        let wanted = match column.kind {
            ColumnType::Auto => matches!(bytes.get(at + 1), Some(b'{' | b'[')),
            ColumnType::Json => true,
            _ => false,
        };
        if !wanted || bytes.get(at) != Some(&b'"') {
            return None;
        }
        let mut parser = Parser::<true>::starting_at(text, at + 1, Shape::Record, &mut self.work).deeper(deeper(column));
        parser.value(out).ok()?;
        parser.skip_space();
        let end = parser.position();
        if bytes.get(end) != Some(&b'"') { None } else { delimiter(bytes, end + 1) }
    }
}

/// By how many levels the cells of a column nest deeper than a bin: one of an export has bins further inside.
fn deeper(column: &Column) -> usize {
    if column.exported && column.name == exported::OTHER_BINS { OBJECT_LEVELS } else { 0 }
}

/// What comes after a cell that ends at `at`, if it does end there.
#[inline]
fn delimiter(bytes: &[u8], at: usize) -> Option<End> {
    match bytes.get(at) {
        Some(b',') => Some(End::Cell(at + 1)),
        Some(b'\n') => Some(End::Row(at + 1)),
        Some(b'\r') if matches!(bytes.get(at + 1), Some(b'\n') | None) => Some(End::Row(bytes.len().min(at + 2))),
        None => Some(End::Row(at)),
        Some(_) => None,
    }
}

/// Reads the cell at `at`. Its text lies in `text`, or in `unquoted` when it had doubled quotes or a quoted part.
fn read<'a>(text: &'a str, at: usize, unquoted: &'a mut String) -> Result<(Cell<'a>, End), Unclosed> {
    let bytes = text.as_bytes();
    if bytes.get(at) == Some(&b'"') {
        let close = at + 1 + memchr(b'"', &bytes[at + 1..]).ok_or(Unclosed)?;
        if let Some(end) = delimiter(bytes, close + 1) {
            return Ok((Cell { text: &text[at + 1..close], quoted: true }, end));
        }
    } else {
        let stop = memchr3(b',', b'\n', b'"', &bytes[at..]).map_or(bytes.len(), |length| at + length);
        if bytes.get(stop) != Some(&b'"') {
            let (end, next) = unquoted_end(bytes, at, stop);
            return Ok((Cell { text: &text[at..end], quoted: false }, next));
        }
    }
    mixed(text, at, unquoted)
}

/// Where an unquoted cell's text ends and what follows, given where its comma, newline or the end of the text is.
fn unquoted_end(bytes: &[u8], at: usize, stop: usize) -> (usize, End) {
    if bytes.get(stop) == Some(&b',') {
        return (stop, End::Cell(stop + 1));
    }
    let end = if bytes[at..stop].ends_with(b"\r") { stop - 1 } else { stop };
    (end, End::Row(bytes.len().min(stop + 1)))
}

/// Reads a cell part by part, quoted and unquoted ones in turn.
fn mixed<'a>(text: &str, mut at: usize, unquoted: &'a mut String) -> Result<(Cell<'a>, End), Unclosed> {
    let bytes = text.as_bytes();
    unquoted.clear();
    loop {
        let stop = memchr3(b',', b'\n', b'"', &bytes[at..]).map_or(bytes.len(), |length| at + length);
        if bytes.get(stop) != Some(&b'"') {
            let (end, next) = unquoted_end(bytes, at, stop);
            unquoted.push_str(&text[at..end]);
            return Ok((Cell { text: unquoted, quoted: true }, next));
        }
        unquoted.push_str(&text[at..stop]);
        at = stop + 1;
        loop {
            let close = at + memchr(b'"', &bytes[at..]).ok_or(Unclosed)?;
            unquoted.push_str(&text[at..close]);
            at = close + 1;
            if bytes.get(at) != Some(&b'"') {
                break;
            }
            unquoted.push('"');
            at += 1;
        }
    }
}

#[cold]
fn wrong_width(found: usize, expected: usize) -> Error {
    Error::said(ErrorCode::CsvInvalid, sentence!("the row must have {expected} columns, got {given}", expected = expected, given = found))
}

/// Where the row at `at` ends by its quotes alone, for text that is not UTF-8; the end of the text if they never close.
pub fn row_end(bytes: &[u8], at: usize) -> usize {
    let mut quoted = false;
    let mut from = at;
    for newline in memchr_iter(b'\n', &bytes[at..]).map(|length| at + length) {
        quoted ^= memchr_iter(b'"', &bytes[from..newline]).count() % 2 == 1;
        if !quoted {
            return newline + 1;
        }
        from = newline;
    }
    bytes.len()
}
