//! Files and block devices: what a disk can be.

use std::fs::Metadata;
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::FileTypeExt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum FileKind {
    File,
    /// A block device: its length is what it is.
    Device,
}

impl FileKind {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::File => "file",
            Self::Device => "device",
        }
    }
}

/// # Errors
/// `InvalidInput` for what is neither a file nor a block device.
pub fn kind_of(found: &Metadata) -> Result<FileKind> {
    let kind = found.file_type();
    let what = if kind.is_file() {
        return Ok(FileKind::File);
    } else if kind.is_block_device() {
        return Ok(FileKind::Device);
    } else if kind.is_dir() {
        "a directory"
    } else if kind.is_char_device() {
        "a character device"
    } else if kind.is_fifo() {
        "a pipe"
    } else {
        "a socket"
    };
    Err(Error::new(ErrorKind::InvalidInput, format!("it is {what}; it must be a file or a block device")))
}
