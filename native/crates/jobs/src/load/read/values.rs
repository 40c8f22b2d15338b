//! Cuts a stream of MessagePack into blocks of whole values. What begins a value tells where it ends, so the stream is stepped over, and
//! nothing is read here.

use super::split::{Block, STARTS_KEPT, Splitter, TooLong};
use crate::load::keep::reject_file::ROW_KEPT;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::msgpack::{Walk, Walked};

/// Most values of a block: each becomes a row or a reject, however short it is.
const VALUES: u64 = 1 << 16;

/// Where the values of a block are.
#[derive(Default)]
struct Found {
    values: u64,
    /// Behind the last of them.
    end: usize,
    /// How far the walk came.
    walked: usize,
    /// The first value is too long, and is dropped as it comes.
    dropping: bool,
}

impl Splitter {
    /// As `next`, of MessagePack.
    ///
    /// # Errors
    /// As `Decoder::fill`; `msgpack_invalid` where nobody can tell how the stream goes on.
    pub(super) fn next_values(&mut self, block: &mut Vec<u8>) -> Result<Option<Block>> {
        let from = self.position;
        block.clear();
        std::mem::swap(block, &mut self.rest);
        let (mut walk, mut found, mut too_long) = (Walk::default(), Found::default(), vec![]);
        let mut target = self.sizes.block;
        loop {
            self.source.fill(block, target)?;
            let ended = block.len() < target;
            self.check_start(block)?;
            let lost = self.walk(&mut walk, &mut found, block);
            let full = found.values == VALUES || found.end > 0 && block.len() >= self.sizes.block;
            if let Some(at) = lost
                && found.end == 0
                && too_long.is_empty()
            {
                return Err(lost_at(at));
            }
            if full || lost.is_some() {
                return Ok(Some(self.cut_values(block, found.end, from, &found, too_long)));
            }
            if ended {
                let open = block.len() > found.end || found.dropping;
                found.values += u64::from(open);
                let something = open || found.values > 0 || !too_long.is_empty();
                return Ok(something.then(|| self.cut_values(block, block.len(), from, &found, too_long)));
            }
            if found.end == 0 && !found.dropping && block.len() > self.sizes.row {
                let kept = if too_long.len() < STARTS_KEPT { block.len().min(ROW_KEPT) } else { 0 };
                too_long.push(TooLong { line: self.line, start: block[..kept].to_vec() });
                found.dropping = true;
                self.drop_walked(&mut found, block);
            }
            target = block.len() + block.len().clamp(self.sizes.block, self.sizes.row.max(self.sizes.block));
        }
    }

    /// Steps over the values of a block; answers at which byte of the stream it is lost, if it is.
    fn walk(&mut self, walk: &mut Walk, found: &mut Found, block: &mut Vec<u8>) -> Option<u64> {
        while found.values < VALUES {
            match walk.step(&block[found.walked..]) {
                Walked::Whole(end) => {
                    found.walked += end;
                    if std::mem::take(&mut found.dropping) {
                        self.drop_walked(found, block);
                        self.line += 1;
                    } else {
                        found.end = found.walked;
                        found.values += 1;
                    }
                    if found.walked == block.len() {
                        return None;
                    }
                }
                Walked::Part(end) => {
                    found.walked += end;
                    if found.dropping {
                        self.drop_walked(found, block);
                    }
                    return None;
                }
                Walked::Lost(at) => {
                    found.walked += at;
                    if found.dropping {
                        self.drop_walked(found, block);
                    }
                    return Some(self.position + found.walked as u64);
                }
            }
        }
        None
    }

    /// Drops what was stepped over of a value that is too long.
    fn drop_walked(&mut self, found: &mut Found, block: &mut Vec<u8>) {
        self.drop(block, found.walked);
        found.walked = 0;
    }

    fn cut_values(&mut self, block: &mut Vec<u8>, end: usize, from: u64, found: &Found, too_long: Vec<TooLong>) -> Block {
        self.keep_rest(block, end);
        let line = self.line;
        self.line += found.values;
        self.passed(block);
        Block { line, from, end: self.mark(self.line), too_long }
    }

    /// Ends the import of what is no stream of records at its first byte, and not with a reject for each of the others.
    fn check_start(&mut self, block: &[u8]) -> Result<()> {
        let Some(&first) = block.first().filter(|_| !self.started) else { return Ok(()) };
        self.started = true;
        let says = match first {
            0x80..=0x8f | 0xde | 0xdf => return Ok(()),
            0x90..=0x9f | 0xdc | 0xdd => {
                sentence!(
                    "the stream must be maps, and it begins with a list; send the maps one after the other, without a list around them"
                )
            }
            _ => sentence!("the stream must be maps, and it begins with another value"),
        };
        Err(Error::said(ErrorCode::MsgpackInvalid, says))
    }
}

#[cold]
fn lost_at(at: u64) -> Error {
    let message = sentence!("byte {at} of the stream begins no value, so the rest of it cannot be read", at = at);
    Error::said(ErrorCode::MsgpackInvalid, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::load::plan::spec::Format;
    use crate::load::read::decode::Decoder;
    use crate::load::read::split::Sizes;
    use std::io::Cursor;

    fn splitter(stream: &[u8], sizes: Sizes) -> Splitter {
        Splitter::new(Decoder::new(Cursor::new(stream.to_vec()), None).unwrap(), Format::Msgpack, sizes)
    }

    /// The blocks, and what ended the stream.
    fn blocks(stream: &[u8], sizes: Sizes) -> (Vec<(Vec<u8>, Block)>, Option<ErrorCode>) {
        let (mut splitter, mut found, mut block) = (splitter(stream, sizes), vec![], vec![]);
        loop {
            match splitter.next(&mut block) {
                Ok(Some(place)) => found.push((block.clone(), place)),
                Ok(None) => return (found, None),
                Err(error) => return (found, Some(error.code)),
            }
        }
    }

    /// `{"a": <text of so many bytes>}`.
    fn row(bytes: u8) -> Vec<u8> {
        [&[0x81, 0xa1, b'a', 0xd9, bytes][..], &vec![b'\n'; usize::from(bytes)]].concat()
    }

    #[test]
    fn blocks_hold_whole_values_and_know_their_numbers() {
        let stream = [row(3), row(40), vec![0x80], row(0), row(9)].concat();
        for block in 1..stream.len() + 2 {
            let (found, end) = blocks(&stream, Sizes { block, row: 100 });
            assert_eq!(end, None);
            assert_eq!(found.iter().flat_map(|(bytes, _)| bytes.clone()).collect::<Vec<_>>(), stream);
            let mut line = 1;
            for (bytes, place) in &found {
                assert_eq!(place.line, line);
                assert!(bytes.starts_with(&[0x81]) || bytes.starts_with(&[0x80]));
                line = place.end.line;
            }
            assert_eq!(line, 6);
        }
    }

    #[test]
    fn a_value_too_long_is_dropped_and_the_next_one_is_read() {
        let stream = [row(1), row(200), row(2), row(201), row(202)].concat();
        for block in [1, 7, 64] {
            let (found, end) = blocks(&stream, Sizes { block, row: 50 });
            assert_eq!(end, None);
            let short = found.iter().flat_map(|(bytes, _)| bytes.clone()).collect::<Vec<_>>();
            assert_eq!(short, [row(1), row(2)].concat(), "{block}");
            let dropped = found.iter().flat_map(|(_, place)| &place.too_long).map(|long| (long.line, long.start[0]));
            assert_eq!(dropped.collect::<Vec<_>>(), [(2, 0x81), (4, 0x81), (5, 0x81)]);
            assert_eq!(found.last().map(|(_, place)| (place.end.line, place.end.bytes)), Some((6, stream.len() as u64)));
        }
    }

    #[test]
    fn a_length_that_lies_costs_its_value_and_no_memory() {
        let lie = [&[0x81, 0xa1, b'a', 0xdb, 0xff, 0xff, 0xff, 0xff][..], &[b'x'; 5000]].concat();
        let stream = [row(1), lie].concat();
        let mut splitter = splitter(&stream, Sizes { block: 64, row: 100 });
        let (mut block, mut too_long, mut rows) = (vec![], vec![], 0);
        while let Some(place) = splitter.next(&mut block).unwrap() {
            rows += usize::from(!block.is_empty());
            too_long.extend(place.too_long.iter().map(|long| long.line));
            assert!(block.capacity() < 1000);
        }
        assert_eq!((rows, too_long), (1, vec![2]));
    }

    #[test]
    fn a_stream_that_cannot_be_followed_ends_behind_its_last_value() {
        for block in [1, 8, 1000] {
            let sizes = Sizes { block, row: 100 };
            let (found, end) = blocks(&[row(1), row(2), vec![0xc1], row(3)].concat(), sizes);
            assert_eq!(found.iter().flat_map(|(bytes, _)| bytes.clone()).collect::<Vec<_>>(), [row(1), row(2)].concat());
            assert_eq!(end, Some(ErrorCode::MsgpackInvalid));
            let (found, end) = blocks(&[row(1), row(200), vec![0xc1]].concat(), sizes);
            assert_eq!(found.iter().map(|(_, place)| place.too_long.len()).sum::<usize>(), usize::from(block < 1000));
            assert_eq!(end, Some(ErrorCode::MsgpackInvalid));
        }
    }

    #[test]
    fn what_begins_with_no_map_is_no_stream_of_records() {
        for first in [b"id,name\n".to_vec(), vec![0x91, 0x80], vec![0xdc, 0, 1, 0x80], vec![0xc1], vec![0xc7, 0, 1]] {
            assert_eq!(blocks(&first, Sizes { block: 8, row: 100 }), (vec![], Some(ErrorCode::MsgpackInvalid)));
        }
        assert_eq!(blocks(&[], Sizes { block: 8, row: 100 }), (vec![], None));
    }

    #[test]
    fn many_short_values_are_many_blocks() {
        let stream = vec![0x80; 3 * VALUES as usize + 1];
        let (found, _) = blocks(&stream, Sizes { block: 1 << 20, row: 1 << 20 });
        assert_eq!(found.iter().map(|(bytes, _)| bytes.len() as u64).collect::<Vec<_>>(), [VALUES, VALUES, VALUES, 1]);
    }

    #[test]
    fn what_was_stored_is_passed_over_from_any_mark() {
        let stream = [row(3), row(150), row(40), vec![0x80], row(0), row(9)].concat();
        let sizes = Sizes { block: 8, row: 100 };
        let (whole, _) = blocks(&stream, sizes);
        for (at, (_, place)) in whole.iter().enumerate() {
            let mut splitter = splitter(&stream, sizes);
            splitter.pass_over(&place.end).unwrap();
            let (mut found, mut block) = (vec![], vec![]);
            while let Some(next) = splitter.next(&mut block).unwrap() {
                found.push((block.clone(), next));
            }
            assert_eq!(found, whole[at + 1..]);
        }
    }
}
