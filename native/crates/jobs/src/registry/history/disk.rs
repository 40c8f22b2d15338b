//! How bytes get onto a disk.

use std::fs::File;
use std::io;
use std::os::unix::fs::FileExt;

/// Tests have disks that are full, and slow ones.
#[derive(Clone, Copy)]
pub(in crate::registry) struct Disk {
    pub(in crate::registry) append: fn(&File, &[u8], u64) -> io::Result<()>,
    pub(in crate::registry) sync: fn(&File) -> io::Result<()>,
}

impl Default for Disk {
    fn default() -> Self {
        Self { append: |file, bytes, at| file.write_all_at(bytes, at), sync: File::sync_data }
    }
}
