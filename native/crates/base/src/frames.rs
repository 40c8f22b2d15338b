//! Frames of a log that is appended to: each is a payload behind a head.
//!
//! | at | bytes | what |
//! | --- | --- | --- |
//! | 0 | 4 | magic of the log |
//! | 4 | 4 | bytes of the payload |
//! | 8 | 4 | CRC32C of the 8 bytes before |
//! | 12 | 4 | CRC32C of the payload |
//! | 16 | | payload |
//!
//! The head has a checksum of its own, so that the next frame is found behind a damaged one, and so that a frame whose end was
//! never written is told from one whose length was damaged.

use memchr::memmem;

pub const HEAD_BYTES: usize = 16;

/// What the frames of a log begin with.
pub type Magic = [u8; 4];

/// What `scan` came across.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Scanned {
    /// Damaged places.
    pub damaged: u64,
    /// Where the next frame belongs: behind everything but a frame whose end was never written.
    pub end: usize,
}

enum Seen<'a> {
    Whole(&'a [u8]),
    /// Its payload is damaged; so many bytes in all.
    Damaged(usize),
    /// The bytes end before the frame does.
    CutOff,
    NoFrame,
}

/// Appends the frame of a payload of less than 4 GiB.
pub fn push(out: &mut Vec<u8>, magic: Magic, payload: &[u8]) {
    let mut head = [0; HEAD_BYTES];
    head[..4].copy_from_slice(&magic);
    head[4..8].copy_from_slice(&(payload.len() as u32).to_le_bytes());
    let crc = crc32c::crc32c(&head[..8]);
    head[8..12].copy_from_slice(&crc.to_le_bytes());
    head[12..].copy_from_slice(&crc32c::crc32c(payload).to_le_bytes());
    out.extend_from_slice(&head);
    out.extend_from_slice(payload);
}

/// Calls `found` with the payload of each whole frame; it says whether it could use it.
pub fn scan<'a>(bytes: &'a [u8], magic: Magic, mut found: impl FnMut(&'a [u8]) -> bool) -> Scanned {
    let (mut at, mut damaged) = (0, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        at += match look(rest, magic) {
            Seen::Whole(payload) => {
                damaged += u64::from(!found(payload));
                HEAD_BYTES + payload.len()
            }
            Seen::Damaged(length) => {
                damaged += 1;
                length
            }
            Seen::CutOff => return Scanned { damaged, end: at },
            Seen::NoFrame => {
                damaged += 1;
                let mut next = memmem::find_iter(&rest[1..], &magic).map(|offset| offset + 1);
                next.find(|&next| length(&rest[next..], magic).is_some()).unwrap_or(rest.len())
            }
        };
    }
    Scanned { damaged, end: bytes.len() }
}

fn look(bytes: &[u8], magic: Magic) -> Seen<'_> {
    if bytes.len() < HEAD_BYTES {
        return Seen::CutOff;
    }
    let Some(length) = length(bytes, magic) else { return Seen::NoFrame };
    match bytes.get(HEAD_BYTES..HEAD_BYTES + length) {
        None => Seen::CutOff,
        Some(payload) if word(bytes, 12) == Some(crc32c::crc32c(payload)) => Seen::Whole(payload),
        Some(_) => Seen::Damaged(HEAD_BYTES + length),
    }
}

/// The length in a sound head.
fn length(bytes: &[u8], magic: Magic) -> Option<usize> {
    let covered = bytes.get(..8).filter(|covered| covered.starts_with(&magic))?;
    (word(bytes, 8)? == crc32c::crc32c(covered)).then_some(word(bytes, 4)? as usize)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const MAGIC: Magic = *b"TsJ1";
    const PAYLOADS: [&str; 4] = ["{\"id\":1}", "", "{\"id\":3,\"title\":\"TsJ1\"}", "{\"id\":4}"];

    fn log() -> (Vec<u8>, Vec<usize>) {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for payload in PAYLOADS {
            push(&mut bytes, MAGIC, payload.as_bytes());
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    fn read(bytes: &[u8]) -> (Vec<&str>, Scanned) {
        let mut found = Vec::new();
        let scanned = scan(bytes, MAGIC, |payload| {
            found.push(std::str::from_utf8(payload).unwrap());
            true
        });
        (found, scanned)
    }

    #[test]
    fn frames_read_back() {
        let (bytes, _) = log();
        assert_eq!(read(&bytes), (PAYLOADS.to_vec(), Scanned { damaged: 0, end: bytes.len() }));
        assert_eq!(scan(&bytes, MAGIC, |payload| payload.is_empty()).damaged, 3, "what cannot be used is told");
    }

    #[test]
    fn frames_of_another_log_are_none() {
        let (bytes, _) = log();
        assert_eq!(scan(&bytes, *b"TsJ2", |_| panic!("found one")), Scanned { damaged: 1, end: bytes.len() });
    }

    #[test]
    fn a_damaged_byte_costs_its_frame_alone_and_is_told() {
        let (bytes, ends) = log();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                let hit = ends.iter().position(|&end| at < end).unwrap();
                let others: Vec<&str> = (0..PAYLOADS.len()).filter(|&frame| frame != hit).map(|frame| PAYLOADS[frame]).collect();
                assert_eq!(read(&damaged), (others, Scanned { damaged: 1, end: bytes.len() }), "byte {at}, bit {bit}");
            }
        }
    }

    #[test]
    fn a_cut_at_any_length_leaves_the_frames_before_it_and_is_no_damage() {
        let (bytes, ends) = log();
        for cut in 0..bytes.len() {
            let whole = ends.iter().filter(|&&end| end <= cut).count();
            let end = if whole == 0 { 0 } else { ends[whole - 1] };
            assert_eq!(read(&bytes[..cut]), (PAYLOADS[..whole].to_vec(), Scanned { damaged: 0, end }), "cut at {cut}");
        }
    }
}
