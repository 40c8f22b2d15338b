//! Opening the data files: making their headers, or checking that the files are ours.

use super::volume::{Member, Volume};
use crate::device::format::headers::{BlockHeader, FileHeader, HEADER_BYTES, HeaderFault, TornRuns, check_owner, unknown_version};
use crate::device::options::DeviceOptions;
use std::cmp::Ordering;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::AlignedBuffer;

/// Block headers looked at when a file's own header is damaged.
const BLOCKS_TRIED: u64 = 1024;
/// A disk that is not new has something in its first bytes; so have the file systems and partition tables that are not ours.
pub const BLANK_BYTES: u64 = 1024 * 1024;

/// What opening found.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Opened {
    pub block_bytes: u32,
    /// Highest run that a header tells.
    pub run: u32,
    /// What the runs before it had left torn when it began.
    pub torn: TornRuns,
    /// What each header tells, but for the damaged ones.
    pub runs: Vec<Option<u32>>,
    /// Whether all headers tell the same run.
    pub alike: bool,
    /// Disks whose header is damaged; recovery writes them again once it knows the disks to be sound otherwise.
    pub damaged: Vec<usize>,
}

/// Checks the headers, writing those of disks that are new and may be. The files' block size wins over the options'.
///
/// # Errors
/// `data_file_damaged`, `data_file_foreign`, `data_file_version_unknown`, `storage_failed`, `device_full`.
pub fn open(volume: &Volume, options: &DeviceOptions) -> Result<Opened> {
    let mut opened = Opened {
        block_bytes: options.write_block_bytes,
        run: 0,
        torn: TornRuns::UNKNOWN,
        runs: Vec::new(),
        alike: true,
        damaged: Vec::new(),
    };
    let mut sound = None;
    for (number, member) in volume.members().iter().enumerate() {
        let header = (Look { volume, number, member, options }).header()?;
        opened.runs.push(header.as_ref().map(|header| header.run));
        match header {
            Some(header) => {
                let first = *sound.get_or_insert(header.block_bytes);
                if header.block_bytes != first {
                    return Err(Error::said(
                        ErrorCode::DataFileForeign,
                        sentence!("{label} has a different write block size", label = member.label.to_string()),
                    ));
                }
                opened.alike &= number == 0 || header.run == opened.run;
                (opened.run, opened.torn) = match header.run.cmp(&opened.run) {
                    Ordering::Less => (opened.run, opened.torn),
                    Ordering::Equal if number > 0 => (opened.run, opened.torn.agreed(header.torn)),
                    _ => (header.run, header.torn),
                };
            }
            None => opened.damaged.push(number),
        }
    }
    opened.block_bytes = sound.unwrap_or(options.write_block_bytes);
    DeviceOptions { write_block_bytes: opened.block_bytes, ..options.clone() }.check()?;
    Ok(opened)
}

/// One disk, looked at.
struct Look<'a> {
    volume: &'a Volume,
    number: usize,
    member: &'a Member,
    options: &'a DeviceOptions,
}

/// Writes the header of a disk; a sync has to follow.
///
/// # Errors
/// `storage_failed`, `device_full`.
pub fn write_header(member: &Member, header: &FileHeader) -> Result<()> {
    let write = || {
        let mut bytes = AlignedBuffer::new(HEADER_BYTES)?;
        bytes.extend_from_slice(&header.encode())?;
        bytes.resize_zeroed(HEADER_BYTES.next_multiple_of(member.disk.alignment()))?;
        member.disk.write_at(&bytes, 0)
    };
    write().map_err(|e| Error::io(&format!("writing the header of {}", member.label), &e))
}

impl Look<'_> {
    /// The header, made where the disk is new; `None` where it is damaged and a block shows that the disk is ours.
    fn header(&self) -> Result<Option<FileHeader>> {
        let Self { volume, number, member, options } = *self;
        let disks = volume.members().len();
        let length = member.disk.length().map_err(|e| Error::io(&format!("reading the length of {}", member.label), &e))?;
        let fault = match self.bytes(0, length)?.map(|bytes| FileHeader::decode(&bytes)) {
            Some(Ok(header)) => {
                check_owner(&header.namespace_id, &options.namespace_id)?;
                if (usize::from(header.disk), usize::from(header.disks)) != (number, disks) {
                    let (is, of) = (u32::from(header.disk) + 1, header.disks);
                    let message = sentence!(
                        "{label} is disk {is} of {of} of its namespace, expected disk {number} of {disks}",
                        label = member.label.to_string(),
                        is = is,
                        of = of,
                        number = number + 1,
                        disks = disks
                    );
                    return Err(Error::said(ErrorCode::DataFileForeign, message));
                }
                return Ok(Some(header));
            }
            Some(Err(HeaderFault::Version(version))) => return Err(unknown_version(version)),
            Some(Err(fault)) => fault,
            None => HeaderFault::Blank,
        };
        // A blank header alone is a creation that a crash cut short; with something behind it, the disk must prove that it is ours.
        if options.create && fault == HeaderFault::Blank && (length < HEADER_BYTES as u64 || self.is_blank(length)?) {
            let (disk, disks) = (number as u8, disks as u8);
            let (namespace_id, block_bytes) = (options.namespace_id, options.write_block_bytes);
            let header = FileHeader { namespace_id, block_bytes, run: 0, disk, disks, torn: TornRuns::NONE };
            write_header(member, &header)?;
            member.disk.sync().map_err(|e| Error::io(&format!("syncing {}", member.label), &e))?;
            return Ok(Some(header));
        }
        if self.owns_a_block(length)? {
            return Ok(None);
        }
        let message = sentence!(
            "{label} ({length} bytes) has no sound header, and no block that proves whose it is",
            label = member.label.to_string(),
            length = length
        );
        Err(Error::said(ErrorCode::DataFileDamaged, message))
    }

    fn is_blank(&self, length: u64) -> Result<bool> {
        let mut scratch = None;
        let bytes = self.volume.read(&mut scratch, Volume::join(self.number, 0), length.min(BLANK_BYTES) as usize);
        let bytes = bytes.map_err(|e| Error::io(&format!("reading the beginning of {}", self.member.label), &e))?;
        Ok(bytes.iter().all(|byte| *byte == 0))
    }

    fn owns_a_block(&self, length: u64) -> Result<bool> {
        let block_bytes = u64::from(self.options.write_block_bytes);
        for block in 1..=BLOCKS_TRIED {
            let Some(bytes) = self.bytes(block * block_bytes, length)? else { break };
            match BlockHeader::decode(&bytes) {
                Ok(header) if header.number == Volume::join(self.number, block * block_bytes) / block_bytes => {
                    check_owner(&header.namespace_id, &self.options.namespace_id)?;
                    return Ok(true);
                }
                Err(HeaderFault::Version(version)) => return Err(unknown_version(version)),
                Ok(_) | Err(_) => {}
            }
        }
        Ok(false)
    }

    /// The 64 bytes at an offset of the disk, where it has so many.
    fn bytes(&self, offset: u64, length: u64) -> Result<Option<[u8; HEADER_BYTES]>> {
        if length < offset + HEADER_BYTES as u64 {
            return Ok(None);
        }
        let mut scratch = None;
        let bytes = self.volume.read_twice(&mut scratch, Volume::join(self.number, offset), HEADER_BYTES);
        let bytes = bytes.map_err(|e| Error::io(&format!("reading a header of {}", self.member.label), &e))?;
        Ok(bytes.first_chunk().copied())
    }
}
