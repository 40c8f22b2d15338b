//! Cuts the stream into blocks of whole rows, so that each block can be read by another thread. `values` does so of MessagePack.
//!
//! In CSV a newline ends a row when the quotes before it are even in number. So a block's last row end is found from its
//! number of quotes and a look back from its end; nothing is parsed here.

use super::decode::Decoder;
use crate::load::keep::progress::Mark;
use crate::load::keep::reject_file::ROW_KEPT;
use crate::load::plan::spec::Format;
use memchr::{memchr, memchr_iter, memrchr, memrchr2};
use tessera_base::{Error, ErrorCode, Result, Sentence, sentence};
use xxhash_rust::xxh3::xxh3_64;

/// How much of a stream before a mark tells it from another, bytes.
const CHECKED: usize = 4096;
/// Most rows too long whose beginnings one block keeps.
pub(super) const STARTS_KEPT: usize = 16;

/// Sizes in bytes.
#[derive(Clone, Copy, Debug)]
pub struct Sizes {
    /// About how much one thread reads at a time.
    pub block: usize,
    /// Longest row.
    pub row: usize,
}

/// Where a block of rows comes from.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Block {
    /// Line of its first byte, from 1.
    pub line: u64,
    /// Plain bytes of the stream before it and before the rows that were dropped.
    pub from: u64,
    pub end: Mark,
    /// Rows before or within it that were too long and were dropped.
    pub too_long: Vec<TooLong>,
}

/// A row that was dropped.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TooLong {
    /// Where it began.
    pub line: u64,
    /// Its beginning; empty of those beyond the first few.
    pub start: Vec<u8>,
}

pub struct Splitter {
    pub(super) source: Decoder,
    format: Format,
    pub(super) sizes: Sizes,
    /// What came after the last whole row.
    pub(super) rest: Vec<u8>,
    pub(super) line: u64,
    /// Plain bytes that were handed out or dropped.
    pub(super) position: u64,
    /// Inside a row that is being dropped.
    skipping: bool,
    pub(super) started: bool,
    /// The last bytes that were handed out or dropped: a mark is checked by them.
    tail: Vec<u8>,
}

impl Splitter {
    pub fn new(source: Decoder, format: Format, sizes: Sizes) -> Self {
        Self { source, format, sizes, rest: vec![], line: 1, position: 0, skipping: false, started: false, tail: vec![] }
    }

    /// Fills `block` with whole rows; the last one of the stream may lack its end. `None` at the end.
    ///
    /// # Errors
    /// As `Decoder::fill`; `msgpack_invalid`.
    pub fn next(&mut self, block: &mut Vec<u8>) -> Result<Option<Block>> {
        match self.format {
            Format::Csv | Format::Ndjson => self.next_lines(block),
            Format::Msgpack => self.next_values(block),
        }
    }

    fn next_lines(&mut self, block: &mut Vec<u8>) -> Result<Option<Block>> {
        let from = self.position;
        block.clear();
        std::mem::swap(block, &mut self.rest);
        let mut too_long = vec![];
        let mut target = self.sizes.block;
        loop {
            self.source.fill(block, target)?;
            let ended = block.len() < target;
            self.skip(block);
            if ended && (!block.is_empty() || !too_long.is_empty()) {
                return Ok(Some(self.cut(block, block.len(), from, too_long)));
            }
            if ended {
                return Ok(None);
            }
            if let Some(end) = self.last_row_end(block) {
                return Ok(Some(self.cut(block, end, from, too_long)));
            }
            if block.len() > self.sizes.row {
                let kept = if too_long.len() < STARTS_KEPT { block.len().min(ROW_KEPT) } else { 0 };
                too_long.push(TooLong { line: self.line, start: block[..kept].to_vec() });
                self.skipping = true;
                self.skip(block);
            }
            // Doubling keeps the looks back over a long row linear in its length.
            target = block.len() + block.len().clamp(self.sizes.block, self.sizes.row.max(self.sizes.block));
        }
    }

    /// Drops the rest of a line that is part of a row too long: the next line is taken for the start of a row, since one
    /// quote too many is likelier than a cell that large.
    fn skip(&mut self, block: &mut Vec<u8>) {
        if !std::mem::replace(&mut self.started, true) && block.starts_with("\u{feff}".as_bytes()) {
            self.drop(block, 3);
        }
        if self.skipping {
            match memchr(b'\n', block) {
                Some(end) => {
                    self.drop(block, end + 1);
                    self.line += 1;
                    self.skipping = false;
                }
                None => self.drop(block, block.len()),
            }
        }
    }

    pub(super) fn drop(&mut self, block: &mut Vec<u8>, bytes: usize) {
        self.passed(&block[..bytes]);
        block.drain(..bytes);
    }

    pub(super) fn passed(&mut self, bytes: &[u8]) {
        self.position += bytes.len() as u64;
        let last = &bytes[bytes.len().saturating_sub(CHECKED)..];
        let surplus = (self.tail.len() + last.len()).saturating_sub(CHECKED);
        self.tail.drain(..surplus);
        self.tail.extend_from_slice(last);
    }

    /// Passes over what an earlier upload of the same stream has stored.
    ///
    /// # Errors
    /// `import_changed` when it is another stream, or shorter; as `Decoder::fill`.
    pub fn pass_over(&mut self, mark: &Mark) -> Result<()> {
        let (mut bytes, mut left) = (vec![], mark.bytes);
        while left > 0 {
            let kept = bytes.len().min(CHECKED);
            bytes.drain(..bytes.len() - kept);
            let wanted = left.min(self.sizes.block.max(CHECKED) as u64) as usize;
            self.source.fill(&mut bytes, kept + wanted)?;
            if bytes.len() < kept + wanted {
                return Err(changed(sentence!("it is shorter than what was stored of it")));
            }
            left -= wanted as u64;
        }
        if xxh3_64(&bytes[bytes.len().saturating_sub(mark.checked as usize)..]) != mark.check && mark.bytes > 0 {
            return Err(changed(sentence!("its bytes differ from those that were stored")));
        }
        if mark.bytes > 0 {
            (self.position, self.line, self.started) = (mark.bytes, mark.line, true);
            self.tail = bytes.split_off(bytes.len().saturating_sub(CHECKED));
        }
        Ok(())
    }

    fn cut(&mut self, block: &mut Vec<u8>, end: usize, from: u64, too_long: Vec<TooLong>) -> Block {
        self.keep_rest(block, end);
        let line = self.line;
        self.line += memchr_iter(b'\n', block).count() as u64;
        self.passed(block);
        // The last line of a stream may lack its newline, and lies before the mark all the same.
        let open = self.skipping || block.last().is_some_and(|&last| last != b'\n');
        Block { line, from, end: self.mark(self.line + u64::from(open)), too_long }
    }

    /// Keeps what is behind `end` for the next block.
    pub(super) fn keep_rest(&mut self, block: &mut Vec<u8>, end: usize) {
        self.rest.clear();
        self.rest.extend_from_slice(&block[end..]);
        block.truncate(end);
    }

    /// Behind what was handed out or dropped; the next row begins in `line`.
    pub(super) fn mark(&self, line: u64) -> Mark {
        Mark { bytes: self.position, line, check: xxh3_64(&self.tail), checked: self.tail.len() as u32 }
    }

    fn last_row_end(&self, block: &[u8]) -> Option<usize> {
        if self.format == Format::Ndjson {
            return memrchr(b'\n', block).map(|at| at + 1);
        }
        let mut quoted = memchr_iter(b'"', block).count() % 2 == 1;
        let mut end = block.len();
        while let Some(at) = memrchr2(b'\n', b'"', &block[..end]) {
            match block[at] {
                b'"' => quoted = !quoted,
                _ if !quoted => return Some(at + 1),
                _ => {}
            }
            end = at;
        }
        None
    }
}

#[cold]
fn changed(why: Sentence) -> Error {
    Error::said(ErrorCode::ImportChanged, sentence!("this stream differs from the upload that broke off: {why}", why = why))
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::io::Cursor;

    fn blocks(text: &str, format: Format, sizes: Sizes) -> Vec<(String, Block)> {
        let source = Decoder::new(Cursor::new(text.as_bytes().to_vec()), None).unwrap();
        let mut splitter = Splitter::new(source, format, sizes);
        let (mut found, mut block) = (vec![], vec![]);
        while let Some(place) = splitter.next(&mut block).unwrap() {
            found.push((String::from_utf8(block.clone()).unwrap(), place));
        }
        found
    }

    #[test]
    fn blocks_hold_whole_rows_and_know_their_lines() {
        let text = "a,b\n1,\"x\ny\"\"\n\"\n2,z\n3,\"\n\"";
        for block in 1..text.len() + 2 {
            let found = blocks(text, Format::Csv, Sizes { block, row: 100 });
            assert_eq!(found.iter().map(|(rows, _)| &rows[..]).collect::<String>(), text);
            for (rows, place) in &found {
                let before = found.iter().take_while(|(_, other)| other.line < place.line).map(|(rows, _)| rows.matches('\n').count());
                assert_eq!(place.line, 1 + before.sum::<usize>() as u64);
                assert!(["a,b", "1,", "2,", "3,"].iter().any(|start| rows.starts_with(start)), "{rows:?}");
            }
        }
    }

    #[test]
    fn a_row_too_long_is_dropped_and_the_next_line_is_read() {
        let long = "x".repeat(50);
        for block in [1, 7, 64, 1000] {
            let sizes = Sizes { block, row: 20 };
            let found = blocks(&format!("1\n{long}\n2\n"), Format::Ndjson, sizes);
            if block < 50 {
                assert_eq!(found.iter().map(|(rows, _)| &rows[..]).collect::<String>(), "1\n2\n");
                assert_eq!(
                    found.iter().flat_map(|(_, place)| &place.too_long).map(|row| (row.line, row.start[0])).collect::<Vec<_>>(),
                    [(2, b'x')]
                );
                assert_eq!(found.last().unwrap().1.line, 3);
            }
        }
        let stray = format!("1,\"oops\n{}", "2,good\n".repeat(10));
        let found = blocks(&stray, Format::Csv, Sizes { block: 8, row: 20 });
        assert_eq!(found.iter().map(|(rows, _)| &rows[..]).collect::<String>(), "2,good\n".repeat(10));
        assert_eq!(found[0].1.too_long.iter().map(|row| row.line).collect::<Vec<_>>(), [1]);
        assert!(blocks(&long, Format::Ndjson, Sizes { block: 8, row: 20 }).iter().all(|(rows, _)| rows.is_empty()));
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        assert_eq!(blocks("\u{feff}a\n", Format::Ndjson, Sizes { block: 100, row: 100 })[0].0, "a\n");
    }

    #[test]
    fn what_was_stored_is_passed_over_from_any_mark() {
        let text = format!("\u{feff}a,b\n1,\"x\ny\"\n{}\n2,z\n3,w\n4,\"v\n\"\n", "y".repeat(90));
        let whole = blocks(&text, Format::Csv, Sizes { block: 8, row: 20 });
        assert_eq!(whole.last().unwrap().1.end.bytes, text.len() as u64);
        for (at, (_, place)) in whole.iter().enumerate() {
            assert_eq!(whole.get(at + 1).map_or(text.len() as u64, |(_, next)| next.from), place.end.bytes);
            let rest = |text: &str| {
                let source = Decoder::new(Cursor::new(text.as_bytes().to_vec()), None).unwrap();
                let mut splitter = Splitter::new(source, Format::Csv, Sizes { block: 8, row: 20 });
                splitter.pass_over(&place.end)?;
                let (mut found, mut block) = (vec![], vec![]);
                while let Some(next) = splitter.next(&mut block)? {
                    found.push((String::from_utf8(block.clone()).unwrap(), next));
                }
                Ok::<_, Error>(found)
            };
            assert_eq!(rest(&text).unwrap(), whole[at + 1..]);
            let short = &text[..place.end.bytes as usize - 1];
            assert_eq!(rest(short).unwrap_err().code, ErrorCode::ImportChanged);
            {
                assert!(place.end.checked > 0);
                let mut other = text.clone().into_bytes();
                other[place.end.bytes as usize - 1] = b' ';
                assert_eq!(rest(std::str::from_utf8(&other).unwrap()).unwrap_err().code, ErrorCode::ImportChanged);
            }
        }
    }

    #[test]
    fn a_mark_lies_behind_a_last_line_without_its_newline() {
        for (text, line) in [("1\n2", 3), ("1\n2\n", 3), ("", 0)] {
            let found = blocks(text, Format::Ndjson, Sizes { block: 64, row: 20 });
            assert_eq!(found.last().map_or(0, |(_, place)| place.end.line), line, "{text:?}");
        }
        let long = blocks(&format!("1\n{}", "x".repeat(50)), Format::Ndjson, Sizes { block: 8, row: 20 });
        assert_eq!(long.last().unwrap().1.end.line, 3);
    }

    #[test]
    fn rows_too_long_tell_their_stream_from_another() {
        let of = |letter: &str| format!("{}\n", letter.repeat(50)).repeat(300);
        let sizes = Sizes { block: 8, row: 20 };
        let end = blocks(&of("x"), Format::Ndjson, sizes).last().unwrap().1.end;
        assert_eq!((end.bytes, end.checked), (300 * 51, CHECKED as u32));
        let pass = |text: &str| {
            let source = Decoder::new(Cursor::new(text.as_bytes().to_vec()), None).unwrap();
            Splitter::new(source, Format::Ndjson, sizes).pass_over(&end)
        };
        assert_eq!(pass(&of("x")), Ok(()));
        assert_eq!(pass(&of("y")).unwrap_err().code, ErrorCode::ImportChanged);
    }
}
