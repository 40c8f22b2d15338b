//! Records as rows of CSV that lose nothing: before the bins their key, set, generation and expiry, and the bins that have no column.
//!
//! Unlike in `CsvTable`, an empty cell is no bin, and `\N` is null. A string that could be read as JSON has a backslash before it.

use super::csv::{quoted, write_cell, write_text};
use std::collections::HashSet;
use tessera_jobs::load::exported::NAMES;
use tessera_record::json::{RecordView, Shape, write_key, write_seconds, write_string, write_value};
use tessera_record::{BodyRef, KeyRef, ValueRef};

/// The columns of a table, and which bins they are for.
#[derive(Clone, Debug)]
pub struct RecordTable {
    columns: Vec<String>,
    known: HashSet<Vec<u8>>,
    /// The bins that are written. `None`: all.
    wanted: Option<HashSet<Vec<u8>>>,
}

impl RecordTable {
    /// With a column for each of `names`. Other bins of a record are written too if `all`.
    pub fn new(names: Vec<String>, all: bool) -> Self {
        let set = |names: &[String]| names.iter().map(|name| name.clone().into_bytes()).collect::<HashSet<_>>();
        let wanted = if all { None } else { Some(set(&names)) };
        // A bin that is called as one of the first columns stands among those that have none.
        let columns: Vec<String> = names.into_iter().filter(|name| !NAMES.contains(&&**name)).collect();
        Self { known: set(&columns), columns, wanted }
    }

    pub fn write_header(&self, out: &mut Vec<u8>) {
        for (at, name) in NAMES.into_iter().chain(self.columns.iter().map(String::as_str)).enumerate() {
            if at > 0 {
                out.push(b',');
            }
            write_text(out, name.as_bytes());
        }
        out.push(b'\n');
    }

    pub fn write_row(&self, out: &mut Vec<u8>, record: &RecordView<'_>) {
        let body = record.body;
        match body.key() {
            KeyRef::String(text) => write_escaped(out, text.as_bytes()),
            key => quoted(out, |out| write_key(out, key)),
        }
        out.push(b',');
        // Of a record without a set it is an empty text, in quotes.
        write_text(out, record.set.as_bytes());
        out.push(b',');
        out.extend_from_slice(record.meta.generation.to_string().as_bytes());
        out.push(b',');
        if record.meta.expires_at != 0 {
            // In JSON's quotes, which are those of a cell too.
            write_seconds(out, u64::from(record.meta.expires_at));
        }
        out.push(b',');
        self.write_others(out, body);
        for name in &self.columns {
            out.push(b',');
            match body.bin(name) {
                None => {}
                Some(ValueRef::Null) => out.extend_from_slice(b"\\N"),
                Some(ValueRef::String(text)) => write_escaped(out, text),
                Some(value) => write_cell(out, value),
            }
        }
        out.push(b'\n');
    }

    /// The bins without a column, if there are any.
    fn write_others(&self, out: &mut Vec<u8>, body: BodyRef<'_>) {
        let is_other = |name: &[u8]| !self.known.contains(name) && self.wanted.as_ref().is_none_or(|wanted| wanted.contains(name));
        if !body.raw_bins().any(|(name, _)| is_other(name)) {
            return;
        }
        quoted(out, |out| {
            for (at, (name, value)) in body.raw_bins().filter(|(name, _)| is_other(name)).enumerate() {
                out.push(if at == 0 { b'{' } else { b',' });
                write_string(out, name);
                out.push(b':');
                write_value(out, ValueRef::of(value), Shape::Record);
            }
            out.push(b'}');
        });
    }
}

/// A string; with a backslash before it if it could be read as JSON, or has one.
fn write_escaped(out: &mut Vec<u8>, text: &[u8]) {
    if !matches!(text.first(), Some(b'{' | b'[' | b'\\')) {
        write_text(out, text);
        return;
    }
    let mut escaped = Vec::with_capacity(text.len() + 1);
    escaped.push(b'\\');
    escaped.extend_from_slice(text);
    write_text(out, &escaped);
}
