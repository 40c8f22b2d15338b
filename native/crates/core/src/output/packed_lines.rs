//! Lines of JSON that a query has written, as values of MessagePack. Numbers are exact, and bytes are bytes.

use tessera_jobs::chunk_stream::{LeftOut, Recode};
use tessera_record::json::{Parser, Shape, Workspace};
use tessera_record::msgpack::pack_value;
use tessera_record::{Encoder, ValueRef};

/// Levels by which a line nests deeper than the values of a record: the line, its `bins`, and a list of rows.
const LEVELS: usize = 3;

/// Turns each line into a value.
#[derive(Debug)]
pub(crate) struct PackedLines;

impl Recode for PackedLines {
    fn head_of_lines(&self) -> bool {
        false
    }

    fn head(&self, _first: &[u8]) -> Vec<u8> {
        vec![]
    }

    fn lines(&self, chunk: Vec<u8>) -> Vec<u8> {
        let mut out = Vec::with_capacity(chunk.len());
        let (mut work, mut value) = (Workspace::default(), vec![]);
        for line in chunk.split(|&byte| byte == b'\n') {
            value.clear();
            // The core's own lines are JSON.
            let text = std::str::from_utf8(line).unwrap_or_default();
            let mut parser = Parser::<false>::new(text, Shape::Record, &mut work).deeper(LEVELS);
            if parser.value(&mut Encoder::new(&mut value)).is_ok() {
                pack_value(&mut out, ValueRef::of(&value));
            }
        }
        out
    }

    fn left_out(&self) -> Option<LeftOut> {
        None
    }
}
