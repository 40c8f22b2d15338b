//! A fuzz target: the blocks of the history of metrics, and the points in them.

use super::{block, codec, samples};
use crate::metrics::frame::Frame;
use tessera_base::frames::Scanned;

/// Flag of the first byte: the rest is what lies in a file, and not the payload of one point.
const RAW: u8 = 1;
const SECONDS: u32 = 60;

/// First byte: flags. What is read is written again as it was, and a damaged byte costs its own point alone.
pub fn run(data: &[u8]) {
    let Some((&flags, rest)) = data.split_first() else { return };
    if flags & RAW != 0 {
        let mut end = 0;
        let Scanned { damaged, end: next } = block::scan(SECONDS, rest, |at, length, _| {
            assert!(at >= end && length > 0, "blocks overlap");
            end = at + length;
            point(rest.get(at..end).and_then(|block| block::decode(SECONDS, block)));
        });
        assert!(end <= next && next <= rest.len() && damaged <= rest.len() as u64);
        return;
    }
    let Some(frame) = codec::decode(Frame::default(), rest) else { return };
    // No list is longer than the bytes that it is made of.
    assert!(frame.heap_bytes() <= 4096 + 1024 * rest.len(), "{} bytes of {}", frame.heap_bytes(), rest.len());
    let [before, middle, after] = [&samples::frame(1, 1), &frame, &samples::frame(2, 2)].map(|frame| block::encode(SECONDS, frame));
    let mut file = [&before[..], &middle, &after].concat();
    let roll = crc32c::crc32c(data);
    let at = before.len() + roll as usize % middle.len();
    file[at] ^= roll as u8 | 1;
    let mut found = Vec::new();
    let Scanned { damaged, .. } = block::scan(SECONDS, &file, |at, length, _| found.push((at, length)));
    let whole = [(0, before.len()), (before.len() + middle.len(), after.len())];
    assert_eq!((damaged, &found[..]), (1, &whole[..]), "byte {at}");
    point(Some(frame));
}

/// It comes back as it was, and none of it does in the tier of another interval.
fn point(frame: Option<Frame>) {
    let Some(frame) = frame else { return };
    let block = block::encode(SECONDS, &frame);
    assert!(block::decode(SECONDS + 1, &block).is_none());
    assert!(block::decode(SECONDS, &block) == Some(frame), "another point is read back");
}

/// Points of many kinds, and files of them, cut and damaged.
pub fn seeds() -> Vec<Vec<u8>> {
    let frames: Vec<Frame> = (0..6).map(|seed| samples::frame(seed, seed)).collect();
    let payloads = frames.iter().map(|frame| {
        let mut out = vec![0];
        codec::encode(frame, &mut out);
        out
    });
    let blocks: Vec<u8> = frames.iter().take(2).flat_map(|frame| block::encode(SECONDS, frame)).collect();
    let mut damaged = blocks.clone();
    damaged[blocks.len() / 2] ^= 8;
    let files = [&blocks[..], &blocks[..blocks.len() - 9], &damaged, &[]].map(|file| [&[RAW][..], file].concat());
    payloads.chain(files).collect()
}
