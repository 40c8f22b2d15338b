//! The files and block devices of a namespace themselves: where they are, opening them, and taking back what they hold.

use super::data_file::BLANK_BYTES;
use super::volume::Member;
use crate::device::format::headers::{FileHeader, HEADER_BYTES};
use crate::device::options::DeviceOptions;
use std::fs::{self, File};
use std::io::{ErrorKind, Read, Seek, SeekFrom, Write};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::{Access, AlignedBuffer, Disk, FileDisk, FileKind, kind_of};

/// Name of the data file in the folder of a namespace that names no devices.
pub const DATA_FILE: &str = "data.tsr";
/// Fewest blocks a disk must have room for: the header's, some for records, and room to make room.
const BLOCKS_MIN: u64 = 8;

/// Most bytes, all zeros, of a file whose header did not get there any more.
const BEGUN_BYTES: u64 = AlignedBuffer::ALIGNMENT as u64;

/// Where one disk of a namespace is.
pub struct DiskPlace {
    path: PathBuf,
    /// What messages call it.
    label: String,
    /// Most bytes to use; 0 for what the options say.
    capacity_bytes: u64,
}

impl DiskPlace {
    /// The data file of a namespace that names no devices; `folder` is the namespace's.
    pub fn in_folder(folder: &Path) -> Self {
        Self { path: folder.join(DATA_FILE), label: DATA_FILE.to_owned(), capacity_bytes: 0 }
    }

    /// A file or block device; 0 for as many bytes as the options say.
    pub fn at(path: &str, capacity_bytes: u64) -> Self {
        Self { path: PathBuf::from(path), label: path.to_owned(), capacity_bytes }
    }

    pub fn path(&self) -> &Path {
        &self.path
    }

    /// Its length; 0 where it cannot be asked.
    pub fn length(&self) -> u64 {
        let ask = || {
            let found = self.path.metadata()?;
            match kind_of(&found)? {
                FileKind::File => Ok(found.len()),
                FileKind::Device => File::open(&self.path)?.seek(SeekFrom::End(0)),
            }
        };
        ask().unwrap_or(0)
    }

    /// # Errors
    /// As `DeviceStorage::open`.
    pub fn open(&self, options: &DeviceOptions, may_wait: &dyn Fn() -> bool) -> Result<Member> {
        let disk = FileDisk::open_alone(&self.path, options.create, options.access, may_wait)
            .map_err(|error| self.refusal(&error, options.create))?;
        let (kind, access) = (disk.kind(), disk.access());
        let asked = if self.capacity_bytes > 0 { self.capacity_bytes } else { options.capacity_bytes };
        let capacity_bytes = match kind {
            FileKind::File => asked,
            FileKind::Device => {
                let all = disk.length().map_err(|error| Error::io(&format!("reading the length of {}", self.label), &error))?;
                if asked > 0 { asked.min(all) } else { all }
            }
        };
        if capacity_bytes != 0 && capacity_bytes < BLOCKS_MIN * u64::from(options.write_block_bytes) {
            let message = sentence!(
                "{label} has room for {bytes} bytes; it must have room for {blocks} write blocks",
                label = &self.label,
                bytes = capacity_bytes,
                blocks = BLOCKS_MIN
            );
            return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("devices"));
        }
        Ok(Member { disk: Arc::new(disk), label: Arc::from(&*self.label), capacity_bytes, kind, access })
    }

    fn refusal(&self, error: &std::io::Error, create: bool) -> Error {
        use ErrorKind::{AlreadyExists, InvalidInput, NotADirectory, NotFound, PermissionDenied, ResourceBusy};
        let what = format!("opening {}", self.path.display());
        match error.kind() {
            NotFound | NotADirectory if !create => {
                Error::said(ErrorCode::DataFileMissing, sentence!("the data file {path} is missing", path = self.path.display()))
            }
            // The caller has named a path that cannot be used.
            NotFound | NotADirectory | AlreadyExists | InvalidInput | PermissionDenied | ResourceBusy
                if create && self.label != DATA_FILE =>
            {
                Error::said(ErrorCode::ConfigInvalid, sentence!("{what}: {why}", what = what, why = error)).in_field("devices")
            }
            _ => Error::io(&what, error),
        }
    }

    /// Removes the file, or blanks the beginning of the block device, if its header says that it is the namespace's; removes also
    /// a file of a creation that was cut short, with nothing in it yet.
    fn erase(&self, namespace_id: &[u8; 16], held: Held<'_>) -> std::io::Result<()> {
        let kind = match self.path.metadata() {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(()),
            found => kind_of(&found?)?,
        };
        let _claim = match held {
            Held::Here => None,
            // A copy of this data directory names the same disks.
            Held::Unknown { may_wait } => Some(FileDisk::open_alone(&self.path, false, Access::Cached, may_wait)?),
        };
        let mut file = File::options().read(true).write(true).open(&self.path)?;
        let mut begin = Vec::new();
        (&file).take(BEGUN_BYTES + 1).read_to_end(&mut begin)?;
        let header = begin.first_chunk::<HEADER_BYTES>().and_then(|header| FileHeader::decode(header).ok());
        let begun = kind == FileKind::File && begin.len() as u64 <= BEGUN_BYTES && begin.iter().all(|byte| *byte == 0);
        if !begun && header.is_none_or(|header| header.namespace_id != *namespace_id) {
            return Ok(());
        }
        match kind {
            FileKind::File => fs::remove_file(&self.path),
            FileKind::Device => {
                let blank = BLANK_BYTES.min(file.seek(SeekFrom::End(0))?) as usize;
                file.rewind()?;
                file.write_all(&vec![0; blank])?;
                file.sync_all()
            }
        }
    }
}

/// Who has the disks of a namespace that is going.
#[derive(Clone, Copy)]
pub enum Held<'a> {
    /// This process, which has the namespace open until now.
    Here,
    /// Nobody, or another process, whose end is waited for as long as `may_wait` says so.
    Unknown { may_wait: &'a dyn Fn() -> bool },
}

/// Takes back what a namespace that is gone has on its disks. What is not provably its own is left.
///
/// # Errors
/// `storage_failed`, naming the first that could not be, as where another process has it; the others are done all the same.
pub fn erase(places: &[DiskPlace], namespace_id: &[u8; 16], held: Held<'_>) -> Result<()> {
    let one = |place: &DiskPlace| place.erase(namespace_id, held).map_err(|error| Error::io(&format!("removing {}", place.label), &error));
    let outcomes: Vec<Result<()>> = places.iter().map(one).collect();
    outcomes.into_iter().collect()
}
