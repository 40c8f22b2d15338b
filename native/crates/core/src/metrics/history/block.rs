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
use tessera_base::frames::Scanned;

const MAGIC: &[u8; 4] = b"TsHp";
const CRC_AT: usize = 4;
const COVERED_AT: usize = 8;
const HEAD_BYTES: usize = 44;
/// No block is longer: an eighth of the largest share.
const BYTES_MAX: usize = 16 << 20;

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

/// Calls `found` with place, length and head of each whole block. Behind the last one may be a block whose end was never written:
/// that is no damage.
pub(super) fn scan(seconds: u32, bytes: &[u8], mut found: impl FnMut(usize, usize, Head)) -> Scanned {
    let (mut at, mut damaged) = (0, 0);
    while at < bytes.len() {
        match whole(seconds, &bytes[at..]) {
            Some((head, length)) => {
                found(at, length, head);
                at += length;
            }
            None => {
                let mut next = memmem::find_iter(&bytes[at + 1..], MAGIC).map(|offset| at + 1 + offset);
                let next = next.find(|&next| whole(seconds, &bytes[next..]).is_some());
                if next.is_none() && is_torn(seconds, &bytes[at..]) {
                    return Scanned { damaged, end: at };
                }
                damaged += 1;
                at = next.unwrap_or(bytes.len());
            }
        }
    }
    Scanned { damaged, end: bytes.len() }
}

/// Whether `tail` is the beginning of a block whose end a kill kept from being written: it begins as a block, and says that it is
/// longer, and it does not begin with a whole block whose length alone is damaged.
fn is_torn(seconds: u32, tail: &[u8]) -> bool {
    let Some(says) = word(tail, COVERED_AT) else { return MAGIC.starts_with(&tail[..tail.len().min(MAGIC.len())]) };
    let says = HEAD_BYTES.saturating_add(says as usize);
    // A whole one ends where the file does, or where another one begins.
    let at_end = (0..MAGIC.len()).map(|begun| tail.len() - begun).filter(|&end| MAGIC.starts_with(&tail[end..]));
    let mut ends = at_end.chain(memmem::find_iter(tail, MAGIC)).filter(|&end| end >= HEAD_BYTES);
    let is_whole = |end: usize| {
        let length = ((end - HEAD_BYTES) as u32).to_le_bytes();
        let covered = [&length, &tail[COVERED_AT + length.len()..end]].concat();
        word(tail, CRC_AT) == Some(checksum(seconds, &covered))
    };
    tail.starts_with(MAGIC) && (tail.len() + 1..=BYTES_MAX).contains(&says) && !ends.any(is_whole)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

/// Head and length of the block that `bytes` begin with, if every byte of it is sound.
fn whole(seconds: u32, bytes: &[u8]) -> Option<(Head, usize)> {
    let head = bytes.get(..HEAD_BYTES)?;
    let number = |at: usize| Some(u64::from_le_bytes(head.get(at..at + 8)?.try_into().ok()?));
    let length = HEAD_BYTES.checked_add(word(head, COVERED_AT)? as usize)?;
    let covered = bytes.get(COVERED_AT..length)?;
    if head.get(..4)? != MAGIC || word(head, CRC_AT)? != checksum(seconds, covered) {
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

    /// The points that are served of these bytes, how many places are damaged, and where the next one belongs.
    fn served(bytes: &[u8]) -> (Vec<Frame>, u64, usize) {
        let mut frames = Vec::new();
        let Scanned { damaged, end } = scan(60, bytes, |at, length, head| {
            let frame = decode(60, &bytes[at..at + length]).unwrap();
            assert_eq!(Head::of(&frame), head);
            frames.push(frame);
        });
        (frames, damaged, end)
    }

    #[test]
    fn no_damaged_byte_is_served() {
        let (frames, bytes, ends) = points();
        assert_eq!(served(&bytes), (frames.clone(), 0, bytes.len()));
        for at in 0..bytes.len() {
            for flip in [1, 2, 4, 8, 0x10, 0x20, 0x40, 0x80, 0xff] {
                let mut damaged = bytes.clone();
                damaged[at] ^= flip;
                let hit = ends.iter().filter(|end| **end <= at).count();
                let mut expected = frames.clone();
                expected.remove(hit);
                assert_eq!(served(&damaged), (expected, 1, bytes.len()), "byte {at}");
            }
        }
    }

    #[test]
    fn a_cut_at_any_length_leaves_the_points_before_it_and_is_no_damage() {
        let (frames, bytes, ends) = points();
        for length in 0..bytes.len() {
            let whole = ends.iter().filter(|end| **end <= length).count();
            let end = ends[..whole].last().copied().unwrap_or(0);
            assert_eq!(served(&bytes[..length]), (frames[..whole].to_vec(), 0, end), "{length} bytes");
        }
    }

    #[test]
    fn a_torn_end_hides_no_damage_before_it() {
        let (frames, bytes, ends) = points();
        let end = ends[2];
        for torn in [0, 1, 2, 3, 4, 7, 13, 50] {
            for at in 0..end {
                let mut damaged = bytes[..end + torn].to_vec();
                damaged[at] ^= 0xff;
                let hit = ends.iter().filter(|end| **end <= at).count();
                let (found, places, _) = served(&damaged);
                let mut expected = frames[..3].to_vec();
                expected.remove(hit);
                assert!(found == expected && places == 1, "byte {at}, {torn} bytes of a torn block: {places} places");
            }
        }
    }

    #[test]
    fn what_does_not_begin_as_a_block_or_ends_as_one_is_damage() {
        let (frames, bytes, ends) = points();
        let whole = &bytes[..ends[0]];
        let mut longest = bytes[ends[0]..ends[1]].to_vec();
        longest[COVERED_AT + 3] = 0xff;
        for tail in [&[0][..], b"TsHx", b"TsJ1, and more", &[0; 100], &longest] {
            let file = [whole, tail].concat();
            assert_eq!(served(&file), (frames[..1].to_vec(), 1, file.len()), "{tail:?}");
        }
    }

    #[test]
    fn a_point_of_another_tier_is_none() {
        let (_, bytes, ends) = points();
        assert_eq!(decode(600, &bytes[..ends[0]]), None);
        assert_eq!(scan(600, &bytes, |_, _, head| assert!(head.seq == 0, "found {head:?}")).damaged, 1);
    }
}
