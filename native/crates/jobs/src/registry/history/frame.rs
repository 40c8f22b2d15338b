//! A job as it lies in the log: its JSON behind a head.
//!
//! | at | bytes | what |
//! | --- | --- | --- |
//! | 0 | 4 | `TsJ1` |
//! | 4 | 4 | bytes of the JSON |
//! | 8 | 4 | CRC32C of the 8 bytes before |
//! | 12 | 4 | CRC32C of the JSON |
//! | 16 | | JSON |
//!
//! The head has a checksum of its own, so that the next frame is found behind a damaged one, and so that a frame whose end was
//! never written is told from one whose length was damaged.

use memchr::memmem;

const MAGIC: &[u8; 4] = b"TsJ1";
pub(super) const HEAD_BYTES: usize = 16;

/// What `scan` came across.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub(super) struct Scanned {
    /// Damaged places.
    pub(super) damaged: u64,
    /// Where the next frame belongs: behind everything but a frame whose end was never written.
    pub(super) end: usize,
}

enum Seen<'a> {
    Whole(&'a [u8]),
    /// Its JSON is damaged; so many bytes in all.
    Damaged(usize),
    /// The bytes end before the frame does.
    CutOff,
    NoFrame,
}

/// Appends the frame of a job.
pub(in crate::registry) fn push(out: &mut Vec<u8>, json: &[u8]) {
    // No job has 4 GiB: what is longer than `ended` allows is left out of it.
    let mut head = [0; HEAD_BYTES];
    head[..4].copy_from_slice(MAGIC);
    head[4..8].copy_from_slice(&(json.len() as u32).to_le_bytes());
    let crc = crc32c::crc32c(&head[..8]);
    head[8..12].copy_from_slice(&crc.to_le_bytes());
    head[12..].copy_from_slice(&crc32c::crc32c(json).to_le_bytes());
    out.extend_from_slice(&head);
    out.extend_from_slice(json);
}

/// Calls `found` with the JSON of each whole frame; it says whether it could use it.
pub(super) fn scan<'a>(bytes: &'a [u8], mut found: impl FnMut(&'a [u8]) -> bool) -> Scanned {
    let (mut at, mut damaged) = (0, 0);
    while at < bytes.len() {
        let rest = &bytes[at..];
        at += match look(rest) {
            Seen::Whole(json) => {
                damaged += u64::from(!found(json));
                HEAD_BYTES + json.len()
            }
            Seen::Damaged(length) => {
                damaged += 1;
                length
            }
            Seen::CutOff => return Scanned { damaged, end: at },
            Seen::NoFrame => {
                damaged += 1;
                let mut next = memmem::find_iter(&rest[1..], MAGIC).map(|offset| offset + 1);
                next.find(|&next| length(&rest[next..]).is_some()).unwrap_or(rest.len())
            }
        };
    }
    Scanned { damaged, end: bytes.len() }
}

fn look(bytes: &[u8]) -> Seen<'_> {
    if bytes.len() < HEAD_BYTES {
        return Seen::CutOff;
    }
    let Some(length) = length(bytes) else { return Seen::NoFrame };
    match bytes.get(HEAD_BYTES..HEAD_BYTES + length) {
        None => Seen::CutOff,
        Some(json) if word(bytes, 12) == Some(crc32c::crc32c(json)) => Seen::Whole(json),
        Some(_) => Seen::Damaged(HEAD_BYTES + length),
    }
}

/// The length in a sound head.
fn length(bytes: &[u8]) -> Option<usize> {
    let covered = bytes.get(..8).filter(|covered| covered.starts_with(MAGIC))?;
    (word(bytes, 8)? == crc32c::crc32c(covered)).then_some(word(bytes, 4)? as usize)
}

fn word(bytes: &[u8], at: usize) -> Option<u32> {
    Some(u32::from_le_bytes(bytes.get(at..at + 4)?.try_into().ok()?))
}

#[cfg(test)]
mod tests {
    use super::*;

    const JOBS: [&str; 4] = ["{\"id\":1}", "", "{\"id\":3,\"title\":\"TsJ1\"}", "{\"id\":4}"];

    fn log() -> (Vec<u8>, Vec<usize>) {
        let (mut bytes, mut ends) = (Vec::new(), Vec::new());
        for json in JOBS {
            push(&mut bytes, json.as_bytes());
            ends.push(bytes.len());
        }
        (bytes, ends)
    }

    fn read(bytes: &[u8]) -> (Vec<&str>, Scanned) {
        let mut found = Vec::new();
        let scanned = scan(bytes, |json| {
            found.push(std::str::from_utf8(json).unwrap());
            true
        });
        (found, scanned)
    }

    #[test]
    fn frames_read_back() {
        let (bytes, _) = log();
        assert_eq!(read(&bytes), (JOBS.to_vec(), Scanned { damaged: 0, end: bytes.len() }));
        assert_eq!(scan(&bytes, |json| json.is_empty()).damaged, 3, "what cannot be used is told");
    }

    #[test]
    fn a_damaged_byte_costs_its_job_alone_and_is_told() {
        let (bytes, ends) = log();
        for at in 0..bytes.len() {
            for bit in 0..8 {
                let mut damaged = bytes.clone();
                damaged[at] ^= 1 << bit;
                let hit = ends.iter().position(|&end| at < end).unwrap();
                let others: Vec<&str> = (0..JOBS.len()).filter(|&job| job != hit).map(|job| JOBS[job]).collect();
                assert_eq!(read(&damaged), (others, Scanned { damaged: 1, end: bytes.len() }), "byte {at}, bit {bit}");
            }
        }
    }

    #[test]
    fn a_cut_at_any_length_leaves_the_jobs_before_it_and_is_no_damage() {
        let (bytes, ends) = log();
        for cut in 0..bytes.len() {
            let whole = ends.iter().filter(|&&end| end <= cut).count();
            let end = if whole == 0 { 0 } else { ends[whole - 1] };
            assert_eq!(read(&bytes[..cut]), (JOBS[..whole].to_vec(), Scanned { damaged: 0, end }), "cut at {cut}");
        }
    }
}
