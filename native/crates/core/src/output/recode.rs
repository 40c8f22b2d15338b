//! Lines of JSON that a query has written, as rows of CSV (RFC 4180): records and rows by their bins, groups by what they share
//! and their figures.
//!
//! The lines are the core's own, so they are taken apart where they stand: a number keeps its digits, and a nested value is its JSON.

use super::csv::{quoted, write_text};
use super::rows::Rows;
use crate::aggregate::Aggregates;
use parking_lot::Mutex;
use std::borrow::Cow;
use std::collections::HashMap;
use std::sync::OnceLock;
use tessera_jobs::chunk_stream::{LeftOut, Recode};
use tessera_record::ValueRef;
use tessera_record::json::{parse_value, write_string};

/// Bins that are named of those left out, and the bytes of their names together: they go into an HTTP trailer.
const NAMED_BINS: usize = 16;
const NAMED_BYTES: usize = 1024;

/// What the lines are.
#[derive(Debug)]
enum Lines {
    /// With these columns, or with the bins of the first lines, about 256 KiB of them.
    Records { names: Option<Vec<String>>, columns: OnceLock<HashMap<Box<[u8]>, usize>> },
    /// `by` are the names of what the groups share; of all records together there is one line, of figures alone.
    Figures { by: Vec<Box<[u8]>>, figures: Vec<String>, grouped: bool },
}

/// Turns lines into rows; the first line of all names the columns.
#[derive(Debug)]
pub(crate) struct CsvRows {
    lines: Lines,
    left_out: Mutex<LeftOut>,
}

/// What one chunk had no columns for: how many values, and the first of their names as they stand between quotes.
#[derive(Default)]
struct Missed<'a> {
    values: u64,
    bins: Vec<&'a [u8]>,
}

impl CsvRows {
    /// For the answer of a query that has these parts.
    pub(crate) fn of(bins: Option<&[String]>, rows: Option<&Rows>, aggregate: Option<&Aggregates>) -> Self {
        if let Some(aggregate) = aggregate {
            let grouped = aggregate.grouped();
            let by = grouped.iter().flat_map(|(by, _)| by).map(|name| raw(name)).collect();
            let figures = aggregate.names().map(str::to_owned).collect();
            return Self::new(Lines::Figures { by, figures, grouped: grouped.is_some() });
        }
        let names = rows.map_or_else(|| bins.map(<[String]>::to_vec), Rows::names);
        Self::new(Lines::Records { names, columns: OnceLock::new() })
    }

    fn new(lines: Lines) -> Self {
        Self { lines, left_out: Mutex::default() }
    }

    fn row<'a>(&self, line: &'a [u8], out: &mut Vec<u8>, missed: &mut Missed<'a>) {
        match &self.lines {
            Lines::Records { columns, .. } => record(line, columns.get(), out, missed),
            Lines::Figures { by, grouped: true, .. } => {
                let (shared, figures) = (member(line, b"by"), member(line, b"aggregate"));
                let cells = by.iter().map(|name| member(shared, name)).chain(Members(figures).map(|(_, figure)| of_figure(figure)));
                write_cells(cells, out);
            }
            Lines::Figures { .. } => write_cells(Members(line).map(|(_, figure)| of_figure(figure)), out),
        }
    }
}

impl Recode for CsvRows {
    fn head_of_lines(&self) -> bool {
        matches!(self.lines, Lines::Records { names: None, .. })
    }

    fn head(&self, first: &[u8]) -> Vec<u8> {
        let mut out = Vec::new();
        let names: Vec<Cow<'_, [u8]>> = match &self.lines {
            Lines::Figures { by, figures, .. } => {
                by.iter().map(|name| text(name)).chain(figures.iter().map(|name| name.as_bytes().into())).collect()
            }
            Lines::Records { names, columns } => {
                let (mut raws, mut places) = (Vec::new(), HashMap::new());
                let mut add = |name: Box<[u8]>| {
                    if !places.contains_key(&name) {
                        places.insert(name.clone(), raws.len());
                        raws.push(name);
                    }
                };
                match names {
                    Some(names) => names.iter().for_each(|name| add(raw(name))),
                    None => {
                        let bins = first.split(|&byte| byte == b'\n').flat_map(|line| Members(member(line, b"bins")));
                        bins.for_each(|(name, _)| add(name.into()));
                    }
                }
                let key: &[u8] = if places.contains_key(&b"key"[..]) { b"record_key" } else { b"key" };
                let _ = columns.set(places);
                [Cow::from(key)].into_iter().chain(raws.iter().map(|name| text(name).into_owned().into())).collect()
            }
        };
        for (at, name) in names.iter().enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_text(&mut out, name);
        }
        out.extend_from_slice(b"\r\n");
        out
    }

    fn lines(&self, chunk: Vec<u8>) -> Vec<u8> {
        let mut out = Vec::with_capacity(chunk.len());
        let mut missed = Missed::default();
        chunk.split(|&byte| byte == b'\n').filter(|line| !line.is_empty()).for_each(|line| self.row(line, &mut out, &mut missed));
        if missed.values > 0 {
            missed.add_to(&mut self.left_out.lock());
        }
        out
    }

    fn left_out(&self) -> Option<LeftOut> {
        Some(self.left_out.lock().clone()).filter(|left_out| left_out.values > 0)
    }
}

impl<'a> Missed<'a> {
    fn add(&mut self, bin: &'a [u8]) {
        self.values += 1;
        if self.bins.len() < NAMED_BINS && !self.bins.contains(&bin) {
            self.bins.push(bin);
        }
    }

    /// Adds to what other chunks have missed.
    fn add_to(&self, left_out: &mut LeftOut) {
        left_out.values += self.values;
        for bin in &self.bins {
            let name = String::from_utf8_lossy(&text(bin)).into_owned();
            let bytes = left_out.bins.iter().map(String::len).sum::<usize>() + name.len();
            if left_out.bins.len() < NAMED_BINS && bytes <= NAMED_BYTES && !left_out.bins.contains(&name) {
                left_out.bins.push(name);
            }
        }
    }
}

/// A record that could not be read has no row.
fn record<'a>(line: &'a [u8], columns: Option<&HashMap<Box<[u8]>, usize>>, out: &mut Vec<u8>, missed: &mut Missed<'a>) {
    let (mut key, mut bins): (&[u8], &[u8]) = (b"", b"");
    for (name, value) in Members(line) {
        match name {
            b"key" => key = value,
            b"bins" => bins = value,
            b"error" => return,
            _ => {}
        }
    }
    let Some(columns) = columns else { return };
    let mut cells: Vec<&[u8]> = vec![b""; columns.len()];
    for (name, value) in Members(bins) {
        match columns.get(name).and_then(|at| cells.get_mut(*at)) {
            Some(cell) => *cell = value,
            None if value == b"null" => {}
            None => missed.add(name),
        }
    }
    write_cells([key].into_iter().chain(cells), out);
}

/// An integer with all its digits, or whatever is the value; of a histogram all there is.
fn of_figure(figure: &[u8]) -> &[u8] {
    let (exact, value) = (member(figure, b"exact"), member(figure, b"value"));
    if exact.len() > 2 {
        &exact[1..exact.len() - 1]
    } else if value.is_empty() {
        figure
    } else {
        value
    }
}

fn write_cells<'a>(cells: impl Iterator<Item = &'a [u8]>, out: &mut Vec<u8>) {
    for (at, cell) in cells.enumerate() {
        if at > 0 {
            out.push(b',');
        }
        match cell.first() {
            Some(b'"') => write_text(out, &text(cell.get(1..cell.len() - 1).unwrap_or_default())),
            Some(b'n') | None => {}
            Some(_) => quoted(out, |out| out.extend_from_slice(cell)),
        }
    }
    out.extend_from_slice(b"\r\n");
}

/// A name as it stands between the quotes of a line.
fn raw(name: &str) -> Box<[u8]> {
    let mut json = Vec::new();
    write_string(&mut json, name.as_bytes());
    json[1..json.len() - 1].into()
}

/// What stands between quotes, without its escapes.
fn text(raw: &[u8]) -> Cow<'_, [u8]> {
    if memchr::memchr(b'\\', raw).is_none() {
        return raw.into();
    }
    let mut encoded = Vec::new();
    match parse_value(&[b"\"", raw, b"\""].concat(), &mut encoded).map(|()| ValueRef::of(&encoded)) {
        Ok(ValueRef::String(text)) => text.to_vec().into(),
        _ => raw.into(),
    }
}

/// A member of an object; empty where there is none.
fn member<'a>(object: &'a [u8], name: &[u8]) -> &'a [u8] {
    Members(object).find(|(other, _)| *other == name).map_or(b"", |(_, value)| value)
}

/// The members of an object that the core has written, without a blank: names as they stand between their quotes, and values.
struct Members<'a>(&'a [u8]);

impl<'a> Iterator for Members<'a> {
    type Item = (&'a [u8], &'a [u8]);

    fn next(&mut self) -> Option<Self::Item> {
        // Behind the brace or the comma.
        let rest = self.0.get(1..).filter(|rest| rest.first() == Some(&b'"'))?;
        let end = string_end(rest);
        let value = rest.get(end + 1..)?;
        let length = value_end(value);
        self.0 = &value[length..];
        Some((rest.get(1..end - 1)?, &value[..length]))
    }
}

/// Where the string ends that `json` begins with, behind its quote.
fn string_end(json: &[u8]) -> usize {
    let mut at = 1;
    while let Some(next) = json.get(at..).and_then(|rest| memchr::memchr2(b'"', b'\\', rest)) {
        at += next;
        if json[at] == b'"' {
            return at + 1;
        }
        at += 2;
    }
    json.len()
}

/// Where the value ends that `json` begins with.
fn value_end(json: &[u8]) -> usize {
    let (mut at, mut depth) = (0, 0_usize);
    while let Some(byte) = json.get(at) {
        match byte {
            b'"' => at += string_end(&json[at..]) - 1,
            b'{' | b'[' => depth += 1,
            b'}' | b']' if depth == 0 => return at,
            b'}' | b']' => depth -= 1,
            b',' if depth == 0 => return at,
            _ => {}
        }
        at += 1;
    }
    at
}

#[cfg(test)]
mod tests {
    use super::*;

    fn csv(rows: &CsvRows, lines: &str) -> String {
        let mut out = rows.head(lines.as_bytes());
        out.extend(rows.lines(lines.as_bytes().to_vec()));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn records_have_the_columns_of_the_first_lines() {
        let lines = concat!(
            r#"{"set":"s","key":1,"digest":"d","bins":{"a":9007199254740993,"b \"q\"":"x,\"y\"\n"}}"#,
            "\n",
            r#"{"error":{"code":"record_damaged","message":"m"}}"#,
            "\n",
            r#"{"set":"s","key":"k","item":0,"bins":{"c":{"d":["}",1.50]},"a":null}}"#,
            "\n",
            r#"{"set":"s","key":{"$bytes":"AA=="},"bins":{"a":"","c":true}}"#,
            "\n"
        );
        let expected = concat!(
            "key,a,\"b \"\"q\"\"\",c\r\n",
            "1,9007199254740993,\"x,\"\"y\"\"\n\",\r\n",
            "k,,,\"{\"\"d\"\":[\"\"}\"\",1.50]}\"\r\n",
            "\"{\"\"$bytes\"\":\"\"AA==\"\"}\",\"\",,true\r\n"
        );
        assert_eq!(csv(&CsvRows::of(None, None, None), lines), expected);
        let named = ["c".to_owned(), "key".to_owned()];
        let expected = "record_key,c,key\r\n1,,\r\nk,\"{\"\"d\"\":[\"\"}\"\",1.50]}\",\r\n\"{\"\"$bytes\"\":\"\"AA==\"\"}\",true,\r\n";
        assert_eq!(csv(&CsvRows::of(Some(&named), None, None), lines), expected);
        assert_eq!(csv(&CsvRows::of(Some(&named), None, None), ""), "record_key,c,key\r\n");
        assert_eq!(csv(&CsvRows::of(None, None, None), ""), "key\r\n");
    }

    #[test]
    fn what_has_no_column_is_counted_and_its_first_bins_are_named() {
        let rows = CsvRows::of(None, None, None);
        assert_eq!(csv(&rows, "{\"key\":1,\"bins\":{\"a\":1}}\n"), "key,a\r\n1,1\r\n");
        assert_eq!(rows.left_out(), None);
        let late = (0..20).map(|n| format!("{{\"key\":{n},\"bins\":{{\"a\":0,\"b \\\"{n}\\\"\":1,\"same\":2,\"none\":null}}}}\n"));
        rows.lines(late.collect::<String>().into_bytes());
        rows.lines(b"{\"key\":1,\"bins\":{\"same\":1}}\n".to_vec());
        let left_out = rows.left_out().unwrap();
        assert_eq!((left_out.values, left_out.bins.len()), (41, NAMED_BINS));
        assert_eq!(left_out.bins[..3], ["b \"0\"", "same", "b \"1\""]);
        let rows = CsvRows::of(None, None, None);
        csv(&rows, "");
        for n in 10..20 {
            rows.lines(format!("{{\"key\":1,\"bins\":{{\"{}{n}\":1}}}}\n", "x".repeat(253)).into_bytes());
        }
        let left_out = rows.left_out().unwrap();
        assert_eq!((left_out.values, left_out.bins.len()), (10, NAMED_BYTES / 255));
    }

    #[test]
    fn groups_have_what_they_share_and_their_figures() {
        let aggregates = Aggregates::compile(br#"{"n":{"op":"count"},"total":{"op":"sum","bin":"a"}}"#).unwrap();
        let figures = r#"{"n":{"value":2},"total":{"value":1e19,"exact":"9999999999999999999"}}"#;
        assert_eq!(csv(&CsvRows::of(None, None, Some(&aggregates)), figures), "n,total\r\n2,9999999999999999999\r\n");
        let grouped = aggregates.by_group(br#"{"by":["kind","x"]}"#).unwrap();
        let lines = format!("{{\"by\":{{\"x\":\"a,b\"}},\"aggregate\":{figures}}}\n");
        assert_eq!(csv(&CsvRows::of(None, None, Some(&grouped)), &lines), "kind,x,n,total\r\n,\"a,b\",2,9999999999999999999\r\n");
    }
}
