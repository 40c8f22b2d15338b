//! A fuzz target: streams of rows, cut and read as an import does.

use super::batch::RowBatch;
use crate::load::plan::resolve::Plan;
use crate::load::plan::spec::{Encoding, Format, ImportSpec};
use crate::load::read::decode::Decoder;
use crate::load::read::feed::Feed;
use crate::load::read::split::{Sizes, Splitter};
use crate::load::session::block_reader::BlockReader;
use std::io::Cursor;
use tessera_base::ErrorCode;
use tessera_record::{BodyRef, Digest};

/// Flags of the first byte: NDJSON instead of CSV; columns are named; the key is the first of them; MessagePack instead of NDJSON.
const NDJSON: u8 = 1;
const NAMED: u8 = 2;
const KEYED: u8 = 4;
const PACKED: u8 = 8;
/// Longest row: no input is longer, as where a longer one ends depends on how the stream is cut.
const ROW: usize = 1 << 20;

/// First byte: flags. Then the stream. However it is cut, it has the same rows.
pub fn run(data: &[u8]) {
    let Some((&flags, stream)) = data.split_first() else { return };
    let stream = &stream[..stream.len().min(ROW)];
    let whole = rows(flags, stream, stream.len() + 16);
    assert_eq!(rows(flags, stream, 16 + stream.len() / 3), whole);
    assert_eq!(rows(flags, stream, 16), whole);
}

type Rows = Result<Vec<(u64, Result<Vec<u8>, &'static str>)>, ErrorCode>;

/// Lines with what became of them: a body, or the code of a reject.
fn rows(flags: u8, stream: &[u8], block_bytes: usize) -> Rows {
    let format = match (flags & PACKED, flags & NDJSON) {
        (0, 0) => Format::Csv,
        (0, _) => Format::Ndjson,
        _ => Format::Msgpack,
    };
    let columns = (flags & NAMED != 0 && format == Format::Csv).then(|| vec!["a".to_owned(), "b".to_owned()]);
    let spec = ImportSpec { columns, key: (flags & KEYED != 0).then(|| "a".to_owned()), ..ImportSpec::new("s", format) };
    let plan = Plan { row_bytes: ROW, ..Plan::new(&spec, Some("b".to_owned()).filter(|_| flags & NAMED != 0), ROW, 0) };
    let decoder = Decoder::new(Cursor::new(stream.to_vec()), Some(Encoding::Identity)).map_err(|error| error.code)?;
    let splitter = Splitter::new(decoder, format, Sizes { block: block_bytes, row: ROW });
    let (mut feed, mut reader, mut bytes, mut found) = (Feed::new(splitter, spec, plan), BlockReader::default(), vec![], vec![]);
    while let Some((block, plan)) = feed.next(&mut bytes).map_err(|error| error.code)? {
        let count = reader.read(&bytes, &block, &plan);
        assert_eq!(count as usize, reader.batch.rows.len() + reader.rejects.len());
        found.extend(reader.rejects.iter().map(|rejected| (rejected.reject.line, Err(rejected.reject.code))));
        found.extend(bodies(&reader.batch).map(|(line, body)| (line, Ok(body))));
    }
    found.sort_by_key(|(line, _)| *line);
    Ok(found)
}

fn bodies(batch: &RowBatch) -> impl Iterator<Item = (u64, Vec<u8>)> {
    batch.rows.iter().map(|row| {
        let body = batch.body(row);
        assert_eq!(BodyRef::validate(body), Ok(()));
        assert_eq!(row.digest, Digest::of("s", BodyRef::new(body).key()));
        (row.line, body.to_vec())
    })
}

/// Tables and lines, good and bad.
pub fn seeds() -> Vec<Vec<u8>> {
    let streams: [(u8, &str); 6] = [
        (0, "id,name,doc\r\n1,\"é \"\"x\"\",\nline\",\"{\"\"n\"\":[1,\"\"\\\"\"\"\"]}\"\n2,,3.5\n\nshort\n"),
        (KEYED, "a,b\n7,true\n\"text\",\"[1]\"\n"),
        (NAMED | KEYED, "1,x\n2,\"never closes\n3,y\n"),
        (NDJSON, "{\"key\":\"k\",\"a\":1}\n{\"a\":{\"n\":[null,1.5]}}\r\n{\"id\":oops}\n\n{\"a\":2}"),
        (NDJSON | KEYED, "\u{feff}{\"a\":5,\"b\":{\"$bytes\":\"AP8=\"}}\n{\"b\":1}\n"),
        (
            NDJSON,
            "{\"set\":\"s\",\"key\":1,\"digest\":\"00\",\"generation\":1,\"expiresAt\":null,\"updatedAt\":\"2015-01-01T00:00:00.000Z\",\"bins\":{\"a\":1}}\n",
        ),
    ];
    let packed: [&[u8]; 4] = [
        b"\x82\xa3key\x01\xa1a\xcb\x3f\xf0\0\0\0\0\0\0\x82\xa1a\xc4\x01\xff\xa1b\x92\xc0\xda\0\x02xy\x80",
        b"\x83\xa3set\xa1s\xa3key\xa1k\xa4bins\x81\xa1a\xd1\xff\0\x81\xa3key\x91\x90",
        b"\x81\xa1a\xd4\x05\0\x05\x81\x01\x02\x81\xa1a\xdb\xff\xff\xff\xff",
        b"\x81\xa1a\x01\xc1\x80",
    ];
    let texts = streams.iter().map(|(flags, text)| [&[*flags][..], text.as_bytes()].concat());
    texts.chain(packed.iter().map(|stream| [&[PACKED][..], stream].concat())).collect()
}
