//! A point as it lies in a file: a header with a checksum over everything, then what `codec` makes of the point.
//!
//! | at | bytes | what |
//! | --- | --- | --- |
//! | 0 | 4 | `TsHp` |
//! | 4 | 4 | CRC32C of the interval of the tier (u32) and of all that follows |
//! | 8 | 4 | bytes of the payload |
//! | 12 | 8 | number of the first second in the point |
//! | 20 | 8 | number of the last one |
//! | 28 | 8 | when that ended, Unix milliseconds |
//! | 36 | 8 | nanoseconds of all of them |
//! | 44 | | payload |

use super::codec;
use crate::metrics::frame::Frame;
use memchr::memmem;

const MAGIC: &[u8; 4] = b"TsHp";
const CRC_AT: usize = 4;
const COVERED_AT: usize = 8;
const HEAD_BYTES: usize = 44;

/// What is known of a point without its payload.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Head {
    pub(super) first: u64,
    pub(super) seq: u64,
    pub(super) time_ms: u64,
    pub(super) duration_nanos: u64,
}

impl Head {
    pub(super) fn of(frame: &Frame) -> Self {
        Self { first: frame.first, seq: frame.seq, time_ms: frame.time_ms, duration_nanos: frame.duration_nanos }
    }
}

/// The block of a point in the tier of this interval.
pub(super) fn encode(seconds: u32, frame: &Frame) -> Vec<u8> {
    let mut out = Vec::with_capacity(4096);
    out.extend_from_slice(MAGIC);
    out.extend_from_slice(&[0; 8]);
    for number in [frame.first, frame.seq, frame.time_ms, frame.duration_nanos] {
        out.extend_from_slice(&number.to_le_bytes());
    }
    codec::encode(frame, &mut out);
    // No point has 4 GiB: one larger than an eighth of its tier is not written.
    let payload = (out.len() - HEAD_BYTES) as u32;
    out[COVERED_AT..COVERED_AT + 4].copy_from_slice(&payload.to_le_bytes());
    let crc = checksum(seconds, &out[COVERED_AT..]);
    out[CRC_AT..COVERED_AT].copy_from_slice(&crc.to_le_bytes());
    out
}

/// The point of a whole block; `None` if a byte of it is damaged.
pub(super) fn decode(seconds: u32, bytes: &[u8]) -> Option<Frame> {
    let (head, length) = whole(seconds, bytes).filter(|(_, length)| *length == bytes.len())?;
    let Head { first, seq, time_ms, duration_nanos } = head;
    codec::decode(Frame { first, seq, time_ms, duration_nanos, ..Frame::default() }, bytes.get(HEAD_BYTES..length)?)
}

/// Calls `found` with place, length and head of each whole block, and answers how many damaged places lie between them.
pub(super) fn scan(seconds: u32, bytes: &[u8], mut found: impl FnMut(usize, usize, Head)) -> u64 {
    let (mut at, mut damaged) = (0, 0);
    while at < bytes.len() {
        match whole(seconds, &bytes[at..]) {
            Some((head, length)) => {
                found(at, length, head);
                at += length;
            }
            None => {
                damaged += 1;
                let mut next = memmem::find_iter(&bytes[at + 1..], MAGIC).map(|offset| at + 1 + offset);
                at = next.find(|&next| whole(seconds, &bytes[next..]).is_some()).unwrap_or(bytes.len());
            }
        }
    }
    damaged
}

/// Head and length of the block that `bytes` begin with, if every byte of it is sound.
fn whole(seconds: u32, bytes: &[u8]) -> Option<(Head, usize)> {
    let head = bytes.get(..HEAD_BYTES)?;
    let word = |at: usize| Some(u32::from_le_bytes(head.get(at..at + 4)?.try_into().ok()?));
    let number = |at: usize| Some(u64::from_le_bytes(head.get(at..at + 8)?.try_into().ok()?));
    let length = HEAD_BYTES.checked_add(word(COVERED_AT)? as usize)?;
    let covered = bytes.get(COVERED_AT..length)?;
    if head.get(..4)? != MAGIC || word(CRC_AT)? != checksum(seconds, covered) {
        return None;
    }
    Some((Head { first: number(12)?, seq: number(20)?, time_ms: number(28)?, duration_nanos: number(36)? }, length))
}

fn checksum(seconds: u32, covered: &[u8]) -> u32 {
    crc32c::crc32c_append(crc32c::crc32c(&seconds.to_le_bytes()), covered)
}

#[cfg(test)]
mod tests {
    use super::super::samples;
    use super::*;

    fn points() -> (Vec<Frame>, Vec<u8>, Vec<usize>) {
        let frames: Vec<Frame> = (1..=4).map(|seq| samples::frame(seq, seq)).collect();
        let blocks: Vec<Vec<u8>> = frames.iter().map(|frame| encode(60, frame)).collect();
        let ends = blocks.iter().scan(0, |end, block| Some(*end + block.len()).inspect(|next| *end = *next)).collect();
        (frames, blocks.concat(), ends)
    }

    /// The points that are served of these bytes, and how many places are damaged.
    fn served(bytes: &[u8]) -> (Vec<Frame>, u64) {
        let mut frames = Vec::new();
        let damaged = scan(60, bytes, |at, length, head| {
            let frame = decode(60, &bytes[at..at + length]).unwrap();
            assert_eq!(Head::of(&frame), head);
            frames.push(frame);
        });
        (frames, damaged)
    }

    #[test]
    fn no_damaged_byte_is_served() {
        let (frames, bytes, ends) = points();
        assert_eq!(served(&bytes), (frames.clone(), 0));
        for at in 0..bytes.len() {
            for flip in [1, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let hit = ends.iter().filter(|end| **end <= at).count();
                let mut expected = frames.clone();
                expected.remove(hit);
                assert_eq!(served(&damaged), (expected, 1), "byte {at}");
            }
        }
    }

    #[test]
    fn a_cut_at_any_length_leaves_the_points_before_it() {
        let (frames, bytes, ends) = points();
        for length in 0..bytes.len() {
            let whole = ends.iter().filter(|end| **end <= length).count();
            let torn = u64::from(length > 0 && !ends.contains(&length));
            assert_eq!(served(&bytes[..length]), (frames[..whole].to_vec(), torn), "{length} bytes");
        }
    }

    #[test]
    fn a_point_of_another_tier_is_none() {
        let (_, bytes, ends) = points();
        assert_eq!(decode(600, &bytes[..ends[0]]), None);
        assert_eq!(scan(600, &bytes, |_, _, head| assert!(head.seq == 0, "found {head:?}")), 1);
    }
}
