//! Opening the data file: making its header, or checking that the file is ours.

use super::headers::{BlockHeader, FileHeader, HEADER_BYTES, HeaderFault, check_owner, unknown_version};
use super::options::DeviceOptions;
use crate::error::{Error, ErrorCode, Result};
use crate::storage::io::Disk;

/// Block headers looked at when the file's own header is damaged.
const BLOCKS_TRIED: u64 = 1024;

/// What opening found.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Opened {
    pub block_bytes: u32,
    /// The file's header is damaged; recovery writes it again once it knows the file to be sound otherwise.
    pub header_damaged: bool,
}

/// Checks the file header on `disk`, writing one where the file is new and may be. The file's block size wins over the
/// options'.
///
/// # Errors
/// `data_file_damaged`, `data_file_foreign`, `data_file_version_unknown`, `storage_failed`, `device_full`.
pub fn open(disk: &dyn Disk, options: &DeviceOptions) -> Result<Opened> {
    let length = disk.length().map_err(|e| Error::io("reading the data file's length", &e))?;
    let fault = match read_header(disk, 0, length)?.map(|bytes| FileHeader::decode(&bytes)) {
        Some(Ok(header)) => {
            check_owner(&header.namespace_id, &options.namespace_id)?;
            DeviceOptions { write_block_bytes: header.block_bytes, ..options.clone() }.check()?;
            return Ok(Opened { block_bytes: header.block_bytes, header_damaged: false });
        }
        Some(Err(HeaderFault::Version(version))) => return Err(unknown_version(version)),
        Some(Err(fault)) => fault,
        None => HeaderFault::Blank,
    };
    let block_bytes = options.write_block_bytes;
    let first_block = u64::from(block_bytes);
    // A blank header alone is a creation that a crash cut short; with blocks after it, the file must prove that it is ours.
    if options.create && fault == HeaderFault::Blank && length <= first_block {
        let header = FileHeader { namespace_id: options.namespace_id, block_bytes }.encode();
        disk.write_at(&header, 0).and_then(|()| disk.sync()).map_err(|e| Error::io("writing the data file's header", &e))?;
        return Ok(Opened { block_bytes, header_damaged: false });
    }
    if !owns_a_block(disk, options, length)? {
        let message = format!("the data file ({length} bytes) has no sound header, and no block that proves whose it is");
        return Err(Error::new(ErrorCode::DataFileDamaged, message));
    }
    Ok(Opened { block_bytes, header_damaged: true })
}

fn owns_a_block(disk: &dyn Disk, options: &DeviceOptions, length: u64) -> Result<bool> {
    for number in 1..=BLOCKS_TRIED {
        let Some(bytes) = read_header(disk, number * u64::from(options.write_block_bytes), length)? else { break };
        match BlockHeader::decode(&bytes) {
            Ok(header) if header.number == number && header.block_bytes == options.write_block_bytes => {
                check_owner(&header.namespace_id, &options.namespace_id)?;
                return Ok(true);
            }
            Err(HeaderFault::Version(version)) => return Err(unknown_version(version)),
            Ok(_) | Err(_) => {}
        }
    }
    Ok(false)
}

fn read_header(disk: &dyn Disk, offset: u64, length: u64) -> Result<Option<[u8; HEADER_BYTES]>> {
    if length < offset + HEADER_BYTES as u64 {
        return Ok(None);
    }
    let mut bytes = [0; HEADER_BYTES];
    disk.read_at(&mut bytes, offset).map_err(|e| Error::io("reading a header of the data file", &e))?;
    Ok(Some(bytes))
}
