//! One thread's work on one block: rows out of text into a batch.

use super::batch::RowBatch;
use super::csv::{self, CsvReader};
use super::plan::Plan;
use super::report::Reject;
use super::row::{RowBuilder, Scratch};
use super::spec::Format;
use super::split::Block;
use crate::error::{Error, ErrorCode};
use crate::record::json::{Parser, Shape, Workspace};
use memchr::{memchr, memchr_iter};

/// Reads blocks; its buffers are reused from block to block.
#[derive(Debug, Default)]
pub struct BlockReader {
    pub batch: RowBatch,
    pub rejects: Vec<Reject>,
    csv: CsvReader,
    work: Workspace,
    scratch: Scratch,
    bins: Vec<u8>,
}

impl BlockReader {
    /// Fills `batch` and `rejects` from a block, and returns how many rows it held.
    pub fn read(&mut self, bytes: &[u8], block: &Block, plan: &Plan) -> u64 {
        self.batch.clear();
        self.rejects.clear();
        for &line in &block.too_long {
            self.reject(line, too_long(plan));
        }
        match (std::str::from_utf8(bytes), plan.format) {
            (Ok(text), Format::Csv) => self.csv_rows(text, block.line, plan),
            (Ok(text), Format::Ndjson) => self.ndjson_rows(text, block.line, plan),
            (Err(_), _) => self.rows_apart(bytes, block.line, plan),
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
                    if let Err(error) = row.finish(line, plan, &mut self.scratch, &mut self.batch) {
                        self.reject(line, error);
                    }
                    end
                }
                // One quote too many is likelier than a cell that large: the next line is taken for the start of a row.
                too_far => {
                    let unclosed = || Error::new(ErrorCode::CsvInvalid, "a quote in this row never closes");
                    self.reject(line, if too_far.is_none() { unclosed() } else { too_long(plan) });
                    line_end(bytes, at)
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
                self.reject(line, too_long(plan));
            } else if !object.bytes().all(|byte| byte.is_ascii_whitespace()) {
                self.object(object, line, plan);
            }
            line += 1;
            at = end;
        }
    }

    fn object(&mut self, text: &str, line: u64, plan: &Plan) {
        let mut row = RowBuilder::new(&mut self.bins);
        let mut parser = Parser::<false>::new(text, Shape::Record, &mut self.work);
        let read = parser.bins(row.bins()).and_then(|()| parser.end().map_err(|fault| fault.error(parser.position())));
        if let Err(error) = read.and_then(|()| row.finish(line, plan, &mut self.scratch, &mut self.batch)) {
            self.reject(line, error);
        }
    }

    /// Some row of the block is not UTF-8: each is looked at on its own.
    #[cold]
    fn rows_apart(&mut self, bytes: &[u8], line: u64, plan: &Plan) {
        let (mut at, mut line) = (0, line);
        while at < bytes.len() {
            let end = match plan.format {
                Format::Csv => csv::row_end(bytes, at),
                Format::Ndjson => line_end(bytes, at),
            };
            let row = &bytes[at..end];
            match (std::str::from_utf8(row), plan.format) {
                (Ok(text), Format::Csv) => self.csv_rows(text, line, plan),
                (Ok(text), Format::Ndjson) => self.ndjson_rows(text, line, plan),
                (Err(fault), _) => {
                    let says = format!("the row is not UTF-8 at byte {}", fault.valid_up_to());
                    self.reject(line, Error::new(ErrorCode::Utf8Invalid, says));
                }
            }
            line += memchr_iter(b'\n', row).count() as u64;
            at = end;
        }
    }

    fn reject(&mut self, line: u64, error: Error) {
        self.rejects.push(Reject::new(line, error));
    }
}

fn line_end(bytes: &[u8], at: usize) -> usize {
    memchr(b'\n', &bytes[at..]).map_or(bytes.len(), |length| at + length + 1)
}

#[cold]
fn too_long(plan: &Plan) -> Error {
    Error::new(ErrorCode::RowTooLong, format!("the row is longer than {} bytes", plan.row_bytes))
}
