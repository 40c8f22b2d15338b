//! Cuts the stream into blocks of whole rows, so that each block can be read by another thread.
//!
//! In CSV a newline ends a row when the quotes before it are even in number. So a block's last row end is found from its
//! number of quotes and a look back from its end; nothing is parsed here.

use super::decode::Decoder;
use super::spec::Format;
use crate::error::Result;
use memchr::{memchr, memchr_iter, memrchr, memrchr2};

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
    /// Lines on which a row began that was too long and was dropped.
    pub too_long: Vec<u64>,
}

pub struct Splitter {
    source: Decoder,
    format: Format,
    sizes: Sizes,
    /// What came after the last whole row.
    rest: Vec<u8>,
    line: u64,
    /// Inside a row that is being dropped.
    skipping: bool,
    started: bool,
}

impl Splitter {
    pub fn new(source: Decoder, format: Format, sizes: Sizes) -> Self {
        Self { source, format, sizes, rest: vec![], line: 1, skipping: false, started: false }
    }

    /// Fills `block` with whole rows; the last one of the stream may lack its newline. `None` at the end.
    ///
    /// # Errors
    /// As `Decoder::fill`.
    pub fn next(&mut self, block: &mut Vec<u8>) -> Result<Option<Block>> {
        block.clear();
        std::mem::swap(block, &mut self.rest);
        let mut too_long = vec![];
        let mut target = self.sizes.block;
        loop {
            self.source.fill(block, target)?;
            let ended = block.len() < target;
            self.skip(block);
            if ended && (!block.is_empty() || !too_long.is_empty()) {
                return Ok(Some(self.cut(block, block.len(), too_long)));
            }
            if ended {
                return Ok(None);
            }
            if let Some(end) = self.last_row_end(block) {
                return Ok(Some(self.cut(block, end, too_long)));
            }
            if block.len() > self.sizes.row {
                too_long.push(self.line);
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
            block.drain(..3);
        }
        if self.skipping {
            match memchr(b'\n', block) {
                Some(end) => {
                    block.drain(..=end);
                    self.line += 1;
                    self.skipping = false;
                }
                None => block.clear(),
            }
        }
    }

    fn cut(&mut self, block: &mut Vec<u8>, end: usize, too_long: Vec<u64>) -> Block {
        self.rest.clear();
        self.rest.extend_from_slice(&block[end..]);
        block.truncate(end);
        let line = self.line;
        self.line += memchr_iter(b'\n', block).count() as u64;
        Block { line, too_long }
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
                assert_eq!(found.iter().flat_map(|(_, place)| place.too_long.clone()).collect::<Vec<_>>(), [2]);
                assert_eq!(found.last().unwrap().1.line, 3);
            }
        }
        let stray = format!("1,\"oops\n{}", "2,good\n".repeat(10));
        let found = blocks(&stray, Format::Csv, Sizes { block: 8, row: 20 });
        assert_eq!(found.iter().map(|(rows, _)| &rows[..]).collect::<String>(), "2,good\n".repeat(10));
        assert_eq!(found[0].1.too_long, [1]);
        assert!(blocks(&long, Format::Ndjson, Sizes { block: 8, row: 20 }).iter().all(|(rows, _)| rows.is_empty()));
    }

    #[test]
    fn a_byte_order_mark_is_no_text() {
        assert_eq!(blocks("\u{feff}a\n", Format::Ndjson, Sizes { block: 100, row: 100 })[0].0, "a\n");
    }
}
