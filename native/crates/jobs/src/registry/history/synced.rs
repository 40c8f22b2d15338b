//! How much of `jobs.log` is on stable storage: `jobs.log.synced`. A log that ends before that was cut, and not by a kill.
//!
//! | at | bytes | what |
//! | --- | --- | --- |
//! | 0 | 4 | `TsJs` |
//! | 4 | 8 | bytes of `jobs.log` |
//! | 12 | 4 | CRC32C of the 12 bytes before |
//!
//! It is written in place behind each sync of the log, and never synced then: a power loss leaves an older one, which claims less.
//! Before a shorter log takes the place of the old one, it says 0, and that is synced.

use super::disk::Disk;
use std::fs::{File, OpenOptions};
use std::io::{self, ErrorKind, Read};
use std::path::Path;
use tessera_base::open_regular;

const MAGIC: &[u8; 4] = b"TsJs";
const BYTES: usize = 16;

/// What the file says; 0 if there is none.
///
/// # Errors
/// Why it cannot be read.
pub(super) fn read(path: &Path) -> Result<u64, String> {
    let mut bytes = Vec::new();
    let read = open_regular(path, OpenOptions::new().read(true)).and_then(|file| file.take(BYTES as u64 + 1).read_to_end(&mut bytes));
    match read {
        Err(error) if error.kind() == ErrorKind::NotFound => Ok(0),
        Err(error) => Err(error.to_string()),
        // A kill or a power loss came between making and writing it.
        Ok(_) if bytes.iter().all(|&byte| byte == 0) => Ok(0),
        Ok(_) => decode(&bytes).ok_or_else(|| "it is damaged, so nobody can tell whether jobs.log was cut".to_owned()),
    }
}

pub(super) fn write(path: &Path, disk: Disk, length: u64) -> io::Result<()> {
    let file = match OpenOptions::new().create_new(true).write(true).open(path) {
        Err(error) if error.kind() == ErrorKind::AlreadyExists => open(path),
        made => made,
    };
    (disk.append)(&file?, &encode(length), 0)
}

/// From now on nothing is claimed, not even after a power loss.
pub(super) fn clear(path: &Path, disk: Disk) -> io::Result<()> {
    // What cannot be opened claims nothing at a start either.
    let Ok(file) = open(path) else { return Ok(()) };
    (disk.append)(&file, &encode(0), 0)?;
    (disk.sync)(&file)
}

fn open(path: &Path) -> io::Result<File> {
    open_regular(path, OpenOptions::new().write(true))
}

fn encode(length: u64) -> [u8; BYTES] {
    let mut bytes = [0; BYTES];
    bytes[..4].copy_from_slice(MAGIC);
    bytes[4..12].copy_from_slice(&length.to_le_bytes());
    let crc = crc32c::crc32c(&bytes[..12]);
    bytes[12..].copy_from_slice(&crc.to_le_bytes());
    bytes
}

fn decode(bytes: &[u8]) -> Option<u64> {
    let length = u64::from_le_bytes(bytes.get(4..12)?.try_into().ok()?);
    (bytes == encode(length)).then_some(length)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn no_damaged_byte_is_believed() {
        let whole = encode(0x1234_5678_9abc);
        assert_eq!(decode(&whole), Some(0x1234_5678_9abc));
        for at in 0..BYTES {
            for bit in 0..8 {
                let mut damaged = whole;
                damaged[at] ^= 1 << bit;
                assert_eq!(decode(&damaged), None, "byte {at}, bit {bit}");
            }
            assert_eq!(decode(&whole[..at]), None, "cut at {at}");
        }
        assert_eq!(decode(&[&whole[..], &[0]].concat()), None);
    }
}
