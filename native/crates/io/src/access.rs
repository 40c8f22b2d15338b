//! How a file is reached: past the page cache where the file system allows it, and at which alignment.

use super::AlignedBuffer;
use super::file_kind::{FileKind, kind_of};
use rustix::fs::{AtFlags, OFlags, StatxFlags, fcntl_getfl, fcntl_setfl, ioctl_blksszget, statx};
use std::fs::File;
use std::io::{ErrorKind, Result};
use std::os::unix::fs::FileExt;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Access {
    /// Past the page cache: offset, length and address of every read and write are multiples of `Disk::alignment`.
    Direct,
    /// Through the page cache, with no demand.
    Cached,
}

impl Access {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::Direct => "direct",
            Self::Cached => "cached",
        }
    }
}

/// Least a device transfers: bytes.
const SECTOR: usize = 512;

/// Switches `file` to direct I/O and answers its alignment in bytes; `None` where the file system does not offer it, or
/// asks for more than `AlignedBuffer` gives, and `file` stays with the page cache.
///
/// # Errors
/// What the operating system reports, but for a refusal of direct I/O.
pub fn go_direct(file: &File) -> Result<Option<usize>> {
    let Some(asked) = alignment_of(file)? else { return Ok(None) };
    let cached = fcntl_getfl(file)?;
    match fcntl_setfl(file, cached | OFlags::DIRECT) {
        Ok(()) => {}
        Err(rustix::io::Errno::INVAL | rustix::io::Errno::OPNOTSUPP) => return Ok(None),
        Err(error) => return Err(error.into()),
    }
    // Some file systems refuse only the first read, and some want more than they say.
    for alignment in [asked, AlignedBuffer::ALIGNMENT] {
        if can_read(file, alignment)? {
            return Ok(Some(alignment));
        }
    }
    fcntl_setfl(file, cached)?;
    Ok(None)
}

/// What the file system says of `file`, or a guess that nearly all are content with; `None` where it cannot be met.
fn alignment_of(file: &File) -> Result<Option<usize>> {
    let asked = match statx(file, "", AtFlags::EMPTY_PATH, StatxFlags::DIOALIGN) {
        Ok(found) if found.stx_mask & StatxFlags::DIOALIGN.bits() != 0 => {
            let most = found.stx_dio_mem_align.max(found.stx_dio_offset_align);
            if found.stx_dio_offset_align == 0 {
                return Ok(None);
            }
            most as usize
        }
        // Linux before 6.1, and file systems that do not say.
        _ if kind_of(&file.metadata()?)? == FileKind::Device => ioctl_blksszget(file)? as usize,
        _ => AlignedBuffer::ALIGNMENT,
    };
    let alignment = asked.max(SECTOR);
    Ok((alignment.is_power_of_two() && alignment <= AlignedBuffer::ALIGNMENT).then_some(alignment))
}

fn can_read(file: &File, alignment: usize) -> Result<bool> {
    let mut bytes = AlignedBuffer::new(alignment)?;
    bytes.set_len(alignment)?;
    loop {
        match file.read_at(&mut bytes, 0) {
            Ok(_) => return Ok(true),
            Err(error) if error.kind() == ErrorKind::Interrupted => {}
            Err(error) if error.kind() == ErrorKind::InvalidInput => return Ok(false),
            // A bad sector is for whoever reads it to report.
            Err(error) if error.raw_os_error() == Some(libc::EIO) => return Ok(true),
            Err(error) => return Err(error),
        }
    }
}
