//! Up to where the log is stable, in the block between its head and the ring: written when nothing
//! more comes for a moment, as the marks of a round say only what was stable before it. It is not
//! synced: a killed process leaves it, and a power loss leaves what the head of the pages says.
//!
//! | bytes | what |
//! | --- | --- |
//! | 0..8 | `TESSNOTE` |
//! | 8..12 | incarnation: of another one it says nothing |
//! | 12..20 | LSN up to which the log was on stable storage |
//! | 20..24 | CRC32C of the 20 bytes before |

use super::{BLOCK, Lsn};
use crate::paged::page::{u32_at, u64_at};
use std::io;
use tessera_io::{AlignedBuffer, Disk};

const MAGIC: &[u8; 8] = b"TESSNOTE";
const AT: u64 = 2 * BLOCK;
const CRC: usize = 20;

fn encode(incarnation: u32, stable: Lsn) -> [u8; CRC + 4] {
    let mut out = [0; CRC + 4];
    out[..8].copy_from_slice(MAGIC);
    out[8..12].copy_from_slice(&incarnation.to_le_bytes());
    out[12..CRC].copy_from_slice(&stable.to_le_bytes());
    let crc = crc32c::crc32c(&out[..CRC]);
    out[CRC..].copy_from_slice(&crc.to_le_bytes());
    out
}

/// # Errors
/// What the disk fails with; then the one before may be gone.
pub fn write(disk: &dyn Disk, incarnation: u32, stable: Lsn) -> io::Result<()> {
    let mut block = AlignedBuffer::new(BLOCK as usize)?;
    block.extend_from_slice(&encode(incarnation, stable))?;
    block.resize_zeroed(BLOCK as usize)?;
    disk.write_at(&block, AT)
}

/// What it says of this incarnation; 0 for nothing.
pub fn read(disk: &dyn Disk, incarnation: u32) -> Lsn {
    let read = || -> io::Result<Lsn> {
        let mut block = AlignedBuffer::new(BLOCK as usize)?;
        block.set_len(BLOCK as usize)?;
        disk.read_at(&mut block, AT)?;
        let (whole, ours) = (u32_at(&block, CRC) == crc32c::crc32c(&block[..CRC]), u32_at(&block, 8) == incarnation);
        Ok(if block[..8] == *MAGIC && whole && ours { u64_at(&block, 12) } else { 0 })
    };
    // Without it less is known, and nothing wrong.
    read().unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_io::faulty::FaultyDisk;

    #[test]
    fn it_counts_whole_and_in_its_run_alone() {
        let disk = FaultyDisk::default();
        assert_eq!(read(&disk, 3), 0);
        write(&disk, 3, 77).unwrap();
        disk.sync().unwrap();
        assert_eq!((read(&disk, 3), read(&disk, 4)), (77, 0));
        for bit in 0..(CRC + 4) * 8 {
            disk.flip(AT + bit as u64 / 8, 1 << (bit % 8));
            assert_eq!(read(&disk, 3), 0, "bit {bit}");
            disk.flip(AT + bit as u64 / 8, 1 << (bit % 8));
        }
    }
}
