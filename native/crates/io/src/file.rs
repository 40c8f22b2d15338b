//! A disk that is a file or a block device, read and written by position.

use super::Disk;
use super::access::{Access, go_direct};
use super::file_kind::{FileKind, kind_of};
use super::meter::{Meter, Operation};
use super::stall;
use super::transfer::{Direction, Transfer};
use rustix::fs::{FallocateFlags, FlockOperation, fallocate, flock};
use rustix::io::Errno;
use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result, Seek, SeekFrom};
use std::ops::Range;
use std::os::fd::{AsFd, BorrowedFd};
use std::os::unix::fs::{FileExt, OpenOptionsExt};
use std::path::Path;
use std::time::Duration;

/// Between two tries of a file that another process has.
const PAUSE: Duration = Duration::from_millis(2);

#[derive(Debug)]
pub struct FileDisk {
    file: File,
    kind: FileKind,
    access: Access,
    alignment: usize,
    meter: Meter,
}

impl FileDisk {
    /// Opens the file or block device at `path`; with `create` a file is made (and its directory entry made durable) where
    /// there is none. Where direct access is asked for and the file system does not offer it, `access` says `Cached`.
    ///
    /// # Errors
    /// `AlreadyExists` where something else made it meanwhile, or a link leads nowhere; `InvalidInput` for what is neither a file nor a block device; `ResourceBusy` for a device that is mounted or open
    /// elsewhere; what the operating system reports.
    pub fn open(path: &Path, create: bool, access: Access) -> Result<Self> {
        let (fresh, kind) = match path.metadata() {
            Ok(found) => (false, kind_of(&found)?),
            Err(error) if error.kind() == ErrorKind::NotFound && create => {
                // A file there would be in memory, and hide a device that is not plugged in or mistyped.
                if path.starts_with("/dev") && !path.starts_with("/dev/shm") {
                    return Err(Error::new(ErrorKind::NotFound, "there is no such device; the server does not create files in /dev"));
                }
                (true, FileKind::File)
            }
            Err(error) => return Err(error),
        };
        // Of a device it means: nobody else's, a mounted file system's neither.
        let exclusive = if kind == FileKind::Device { libc::O_EXCL } else { 0 };
        let file = OpenOptions::new().read(true).write(true).create_new(fresh).custom_flags(exclusive).open(path)?;
        if kind_of(&file.metadata()?)? != kind {
            return Err(Error::new(ErrorKind::InvalidInput, "it was replaced while it was opened"));
        }
        if fresh && let Some(parent) = path.parent() {
            File::open(parent)?.sync_all()?;
        }
        let direct = if access == Access::Direct { go_direct(&file)? } else { None };
        let access = if direct.is_some() { Access::Direct } else { Access::Cached };
        Ok(Self { file, kind, access, alignment: direct.unwrap_or(1), meter: Meter::default() })
    }

    /// As `open`, and `claim`; while another process has it, it is tried again as long as `may_wait` says so: what a killed one still had in
    /// flight goes on for a while.
    ///
    /// # Errors
    /// As both.
    pub fn open_alone(path: &Path, create: bool, access: Access, may_wait: &dyn Fn() -> bool) -> Result<Self> {
        loop {
            let opened = Self::open(path, create, access);
            match opened.and_then(|disk| disk.claim().map(|()| disk)) {
                Err(error) if error.kind() == ErrorKind::ResourceBusy && may_wait() => std::thread::sleep(PAUSE),
                outcome => return outcome,
            }
        }
    }

    /// Takes it for this opening alone, until it is dropped and its last transfer is over: those in flight outlive a process
    /// that is killed, and a late one would land on what its successor writes. A file system that knows no locks gives none.
    ///
    /// # Errors
    /// `ResourceBusy` where another opening has it.
    pub fn claim(&self) -> Result<()> {
        match flock(&self.file, FlockOperation::NonBlockingLockExclusive) {
            Ok(()) | Err(Errno::NOLCK | Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            Err(Errno::WOULDBLOCK) => Err(Error::new(ErrorKind::ResourceBusy, "another process has it open")),
            Err(error) => Err(error.into()),
        }
    }

    /// How it is really reached.
    pub fn access(&self) -> Access {
        self.access
    }

    pub fn kind(&self) -> FileKind {
        self.kind
    }
}

impl Disk for FileDisk {
    fn read_at(&self, out: &mut [u8], offset: u64) -> Result<()> {
        let transfer = Transfer::new(Direction::Read, offset, out, self.alignment)?;
        self.meter.measure(Operation::Read, out.len(), || {
            transfer.run(|position, done| self.file.read_at(out.get_mut(done..).unwrap_or_default(), position))
        })
    }

    fn write_at(&self, bytes: &[u8], offset: u64) -> Result<()> {
        let transfer = Transfer::new(Direction::Write, offset, bytes, self.alignment)?;
        self.meter.measure(Operation::Write, bytes.len(), || {
            transfer.run(|position, done| self.file.write_at(bytes.get(done..).unwrap_or_default(), position))
        })
    }

    fn sync(&self) -> Result<()> {
        self.meter.measure(Operation::Sync, 0, || {
            stall::pass();
            self.file.sync_data()
        })
    }

    fn length(&self) -> Result<u64> {
        match self.kind {
            FileKind::File => Ok(self.file.metadata()?.len()),
            FileKind::Device => (&self.file).seek(SeekFrom::End(0)),
        }
    }

    fn set_len(&self, length: u64) -> Result<()> {
        match self.kind {
            FileKind::File => self.file.set_len(length),
            FileKind::Device => Err(Error::new(ErrorKind::Unsupported, "the size of a block device cannot change")),
        }
    }

    fn reserve(&self, range: Range<u64>) -> Result<()> {
        if self.kind == FileKind::Device {
            return Ok(());
        }
        match fallocate(&self.file, FallocateFlags::empty(), range.start, range.end.saturating_sub(range.start)) {
            Err(Errno::OPNOTSUPP | Errno::NOSYS) => Ok(()),
            other => Ok(other?),
        }
    }

    fn alignment(&self) -> usize {
        self.alignment
    }

    fn meter(&self) -> &Meter {
        &self.meter
    }

    fn descriptor(&self) -> Option<BorrowedFd<'_>> {
        Some(self.file.as_fd())
    }
}
