//! One thread's work on one block: rows out of text or MessagePack into a batch.

use crate::load::batch::RowBatch;
use crate::load::keep::reject_file::Rejected;
use crate::load::keep::report::Reject;
use crate::load::plan::resolve::Plan;
use crate::load::plan::spec::Format;
use crate::load::read::split::Block;
use crate::load::rows::csv::{self, CsvReader};
use crate::load::rows::row::{OBJECT_LEVELS, RowBuilder, Scratch};
use memchr::{memchr, memchr_iter};
use std::ops::Range;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::json::{Parser, Shape, Workspace};
use tessera_record::msgpack::{Walk, Walked, unpack_row};

/// Reads blocks; its buffers are reused from block to block.
#[derive(Debug, Default)]
pub struct BlockReader {
    pub batch: RowBatch,
    pub rejects: Vec<Rejected>,
    /// Where the batch's rows lie in the block.
    places: Vec<Range<usize>>,
    /// Where the text that is being read begins in the block.
    base: usize,
    csv: CsvReader,
    work: Workspace,
    scratch: Scratch,
    bins: Vec<u8>,
    /// Whether the block is MessagePack.
    packed: bool,
}

impl BlockReader {
    /// Fills `batch` and `rejects` from a block, and returns how many rows it held.
    pub fn read(&mut self, bytes: &[u8], block: &Block, plan: &Plan) -> u64 {
        self.batch.clear();
        self.rejects.clear();
        self.places.clear();
        self.base = 0;
        for row in &block.too_long {
            let packed = plan.format == Format::Msgpack;
            self.rejects.push(Rejected { reject: Reject::new(row.line, too_long(plan)), row: row.start.clone(), cut: true, packed });
        }
        self.packed = plan.format == Format::Msgpack;
        match (plan.format, std::str::from_utf8(if self.packed { &[] } else { bytes })) {
            (Format::Msgpack, _) => self.packed_rows(bytes, block.line, plan),
            (Format::Csv, Ok(text)) => self.csv_rows(text, block.line, plan),
            (Format::Ndjson, Ok(text)) => self.ndjson_rows(text, block.line, plan),
            (_, Err(_)) => self.rows_apart(bytes, block.line, plan),
        }
        (self.batch.rows.len() + self.rejects.len()) as u64
    }

    fn csv_rows(&mut self, text: &str, line: u64, plan: &Plan) {
        let bytes = text.as_bytes();
        let (mut at, mut line) = (0, line);
        while at < bytes.len() {
            let blank = if bytes[at..].starts_with(b"\n") { 1 } else { 2 * usize::from(bytes[at..].starts_with(b"\r\n")) };
            if blank > 0 {
                (at, line) = (at + blank, line + 1);
                continue;
            }
            let mut bins = std::mem::take(&mut self.bins);
            let mut row = RowBuilder::new(&mut bins);
            let end = self.csv.row(text, at, plan, &mut row);
            let next = match end {
                Some(end) if end - at <= plan.row_bytes => {
                    let finished = row.finish(line, plan, &mut self.scratch, &mut self.batch);
                    self.settle(finished, line, bytes, at..end);
                    end
                }
                // One quote too many is likelier than a cell that large: the next line is taken for the start of a row.
                too_far => {
                    let unclosed = || Error::said(ErrorCode::CsvInvalid, sentence!("a quote in this row is never closed"));
                    let next = line_end(bytes, at);
                    self.reject(line, if too_far.is_none() { unclosed() } else { too_long(plan) }, &bytes[at..next]);
                    next
                }
            };
            self.bins = bins;
            line += memchr_iter(b'\n', &bytes[at..next]).count() as u64;
            at = next;
        }
    }

    fn ndjson_rows(&mut self, text: &str, line: u64, plan: &Plan) {
        let (mut at, mut line) = (0, line);
        while at < text.len() {
            let end = line_end(text.as_bytes(), at);
            let object = &text[at..end];
            if end - at > plan.row_bytes {
                self.reject(line, too_long(plan), object.as_bytes());
            } else if !object.bytes().all(|byte| byte.is_ascii_whitespace()) {
                let finished = self.object(object, line, plan);
                self.settle(finished, line, text.as_bytes(), at..end);
            }
            line += 1;
            at = end;
        }
    }

    fn object(&mut self, text: &str, line: u64, plan: &Plan) -> Result<()> {
        let mut row = RowBuilder::new(&mut self.bins);
        let mut parser = Parser::<false>::new(text, Shape::Record, &mut self.work).deeper(OBJECT_LEVELS);
        let read = parser.bins(row.bins()).and_then(|()| parser.end().map_err(|fault| fault.error(parser.position())));
        row.nests(parser.reached());
        read.and_then(|()| row.finish(line, plan, &mut self.scratch, &mut self.batch))
    }

    fn packed_rows(&mut self, bytes: &[u8], line: u64, plan: &Plan) {
        let (mut at, mut line) = (0, line);
        while at < bytes.len() {
            let end = match Walk::default().step(&bytes[at..]) {
                Walked::Whole(length) => at + length,
                // The stream ends within this value.
                Walked::Part(_) | Walked::Lost(_) => bytes.len(),
            };
            let value = &bytes[at..end];
            if value.len() > plan.row_bytes {
                self.reject(line, too_long(plan), value);
            } else {
                let mut row = RowBuilder::new(&mut self.bins);
                let read = unpack_row(value, OBJECT_LEVELS, row.bins());
                let finished = read.and_then(|levels| {
                    row.nests(levels);
                    row.finish(line, plan, &mut self.scratch, &mut self.batch)
                });
                self.settle(finished, line, bytes, at..end);
            }
            line += 1;
            at = end;
        }
    }

    /// Some row of the block is not UTF-8: each is looked at on its own.
    #[cold]
    fn rows_apart(&mut self, bytes: &[u8], line: u64, plan: &Plan) {
        let (mut at, mut line) = (0, line);
        while at < bytes.len() {
            let end = match plan.format {
                Format::Csv => csv::row_end(bytes, at),
                Format::Ndjson | Format::Msgpack => line_end(bytes, at),
            };
            let row = &bytes[at..end];
            self.base = at;
            match (std::str::from_utf8(row), plan.format) {
                (Ok(text), Format::Csv) => self.csv_rows(text, line, plan),
                (Ok(text), Format::Ndjson | Format::Msgpack) => self.ndjson_rows(text, line, plan),
                (Err(fault), _) => {
                    let says = sentence!("the row is not UTF-8 at byte {at}", at = fault.valid_up_to());
                    self.reject(line, Error::said(ErrorCode::Utf8Invalid, says), row);
                }
            }
            line += memchr_iter(b'\n', row).count() as u64;
            at = end;
        }
    }

    /// Notes where a row lies that joined the batch, or why it did not.
    fn settle(&mut self, finished: Result<()>, line: u64, bytes: &[u8], row: Range<usize>) {
        match finished {
            Ok(()) => self.places.push(self.base + row.start..self.base + row.end),
            Err(error) => self.reject(line, error, &bytes[row]),
        }
    }

    /// Adds rows of the batch that the sink refused. `bytes`: those of the block.
    pub fn refused(&mut self, rows: Vec<(u64, Error)>, bytes: &[u8]) {
        if rows.is_empty() {
            return;
        }
        for (line, error) in rows {
            let place = self.batch.rows.binary_search_by_key(&line, |row| row.line).ok();
            let row = place.and_then(|at| self.places.get(at)).and_then(|place| bytes.get(place.clone()));
            self.reject(line, error, row.unwrap_or_default());
        }
        self.rejects.sort_by_key(|rejected| rejected.reject.line);
    }

    fn reject(&mut self, line: u64, error: Error, row: &[u8]) {
        let new = if self.packed { Rejected::packed } else { Rejected::new };
        self.rejects.push(new(Reject::new(line, error), row));
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length + 1)
}

#[cold]
fn too_long(plan: &Plan) -> Error {
    Error::said(ErrorCode::RowTooLong, sentence!("the row is longer than {most} bytes", most = plan.row_bytes))
}
