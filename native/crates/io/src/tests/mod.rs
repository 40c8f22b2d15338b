//! One suite for both backends, both ways of access, and disks without a descriptor.

mod coalesced;
mod file;
mod forbidden;
mod metered;
mod reads;
mod writes;

use super::{Access, AlignedBuffer, Backend, BackendChoice, BackendWish, Disk, FileDisk, Piece};
use std::sync::Arc;
use tempfile::TempDir;

/// Both, unless the kernel of the machine that tests forbids one.
fn backends() -> Vec<Backend> {
    let auto = BackendChoice::make(BackendWish::Auto).unwrap().backend;
    if auto == Backend::Threads { vec![auto] } else { vec![auto, Backend::Threads] }
}

fn aligned(bytes: &[u8]) -> AlignedBuffer {
    let mut buffer = AlignedBuffer::new(bytes.len()).unwrap();
    buffer.extend_from_slice(bytes).unwrap();
    buffer
}

/// Bytes that tell every place from every other.
fn pattern(length: usize, seed: u64) -> Vec<u8> {
    (0..length.div_ceil(8) as u64).flat_map(|word| (word ^ (seed << 40)).to_le_bytes()).take(length).collect()
}

fn file_of(dir: &TempDir, name: &str, bytes: &[u8], access: Access) -> Arc<dyn Disk> {
    let disk = FileDisk::open(&dir.path().join(name), true, access).unwrap();
    disk.write_at(&aligned(bytes), 0).unwrap();
    Arc::new(disk)
}

fn on<'a>(disk: &'a dyn Disk, pieces: &[(u64, &'a [u8])]) -> Vec<Piece<'a>> {
    pieces.iter().map(|&(offset, bytes)| Piece { disk, offset, bytes }).collect()
}

fn disks<const N: usize>(disks: [Arc<dyn Disk>; N]) -> Arc<[Arc<dyn Disk>]> {
    Arc::from(disks)
}
