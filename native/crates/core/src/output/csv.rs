//! Records as rows of PostgreSQL's CSV dialect.

use memchr::memchr_iter;
use tessera_record::json::{Shape, write_key, write_value};
use tessera_record::{BodyRef, KeyRef, ValueRef};

/// The columns of a table. Writing a row allocates nothing.
#[derive(Clone, Debug)]
pub struct CsvTable {
    key: &'static str,
    columns: Vec<String>,
}

impl CsvTable {
    /// The key's column is called `key`, or `record_key` if a bin is called `key`.
    pub fn new(columns: Vec<String>) -> Self {
        let key = if columns.iter().any(|name| name == "key") { "record_key" } else { "key" };
        Self { key, columns }
    }

    pub fn write_header(&self, out: &mut Vec<u8>) {
        write_text(out, self.key.as_bytes());
        for name in &self.columns {
            out.push(b',');
            write_text(out, name.as_bytes());
        }
        out.push(b'\n');
    }

    /// A record that lacks a bin has null there.
    pub fn write_row(&self, out: &mut Vec<u8>, body: BodyRef<'_>) {
        match body.key() {
            KeyRef::String(text) => write_text(out, text.as_bytes()),
            key => quoted(out, |out| write_key(out, key)),
        }
        // Records mostly have their bins in the order of the columns.
        let mut bins = body.raw_bins();
        for name in &self.columns {
            out.push(b',');
            let next = bins.clone().next().filter(|(bin, _)| *bin == name.as_bytes());
            let value = match next {
                Some((_, value)) => {
                    bins.next();
                    Some(ValueRef::of(value))
                }
                None => body.bin(name),
            };
            if let Some(value) = value {
                write_cell(out, value);
            }
        }
        out.push(b'\n');
    }
}

pub(super) fn write_cell(out: &mut Vec<u8>, value: ValueRef<'_>) {
    match value {
        ValueRef::Null => {}
        ValueRef::String(text) => write_text(out, text),
        _ => quoted(out, |out| write_value(out, value, Shape::Record)),
    }
}

/// A string, in quotes if without them it could be read as something else.
pub(super) fn write_text(out: &mut Vec<u8>, text: &[u8]) {
    let plain = match text.first() {
        None | Some(b'-' | b'0'..=b'9' | b'{' | b'[' | b'\\') => false,
        Some(_) => text != b"true" && text != b"false",
    };
    if plain && !text.iter().any(|byte| matches!(byte, b'"' | b',' | b'\n' | b'\r')) {
        out.extend_from_slice(text);
        return;
    }
    out.push(b'"');
    let start = out.len();
    out.extend_from_slice(text);
    double_quotes(out, start);
    out.push(b'"');
}

/// What `write` appends: JSON, in quotes if it is a list or a map; numbers and booleans stay as they are.
pub(super) fn quoted(out: &mut Vec<u8>, write: impl FnOnce(&mut Vec<u8>)) {
    let start = out.len();
    write(out);
    if matches!(out.get(start), Some(b'{' | b'[')) {
        out.insert(start, b'"');
        double_quotes(out, start + 1);
        out.push(b'"');
    }
}

/// Doubles every quote from `start` on, in place, from the end.
fn double_quotes(out: &mut Vec<u8>, start: usize) {
    let quotes = memchr_iter(b'"', &out[start..]).count();
    let mut from = out.len();
    out.resize(from + quotes, 0);
    let mut to = out.len();
    while to > from {
        let run = memchr::memrchr(b'"', &out[start..from]).map_or(start, |at| start + at);
        let length = from - run;
        out.copy_within(run..from, to - length);
        to -= length + 1;
        out[to] = b'"';
        from = run;
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_record::BodyBuilder;
    use tessera_record::json::parse_bins;

    fn row(json: &str, columns: &[&str]) -> String {
        let mut bytes = vec![];
        let mut body = BodyBuilder::new(&mut bytes, KeyRef::String("k,1"));
        parse_bins(json.as_bytes(), Shape::Record, body.bins()).unwrap();
        body.finish();
        let mut out = vec![];
        CsvTable::new(columns.iter().map(|&name| name.to_owned()).collect()).write_row(&mut out, BodyRef::new(&bytes));
        String::from_utf8(out).unwrap()
    }

    #[test]
    fn a_cell_is_quoted_when_it_must_be() {
        let json = r#"{"a":1,"b":"1","c":"x","d":"","e":null,"f":"say \"hi\"","g":true,"h":"true","i":1.0,"j":"l\nm","k":"-","l":"{}"}"#;
        let columns = ["a", "b", "c", "d", "e", "f", "g", "h", "i", "j", "k", "l"];
        let expected = "\"k,1\",1,\"1\",x,\"\",,\"say \"\"hi\"\"\",true,\"true\",1.0,\"l\nm\",\"-\",\"{}\"\n";
        assert_eq!(row(json, &columns), expected);
    }

    #[test]
    fn nested_values_are_json_and_columns_come_in_their_order() {
        let json = r#"{"a":{"x":["\"",{"$bytes":"AA=="}]},"b":[],"c":{"$bytes":"AP8="}}"#;
        let a = r#""{""x"":[""\"""",{""$bytes"":""AA==""}]}""#;
        assert_eq!(row(json, &["c", "missing", "a", "b"]), format!("\"k,1\",\"{{\"\"$bytes\"\":\"\"AP8=\"\"}}\",,{a},\"[]\"\n"));
    }

    #[test]
    fn the_key_has_a_column_of_its_own() {
        let header = |columns: &[&str]| {
            let mut out = vec![];
            CsvTable::new(columns.iter().map(|&name| name.to_owned()).collect()).write_header(&mut out);
            String::from_utf8(out).unwrap()
        };
        assert_eq!(header(&["a", "b c", "d,e"]), "key,a,b c,\"d,e\"\n");
        assert_eq!(header(&["key"]), "record_key,key\n");
    }
}
