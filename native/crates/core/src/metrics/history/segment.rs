//! One file of a tier: a header and blocks, appended and never changed.
//!
//! | at | bytes | what |
//! | --- | --- | --- |
//! | 0 | 8 | `TESSHIST` |
//! | 8 | 4 | version, 1 |
//! | 12 | 4 | interval of the tier, seconds |
//! | 16 | 4 | CRC32C of the 16 bytes before |

use super::block::{self, Head};
use crate::metrics::frame::Frame;
use std::fs::{File, OpenOptions};
use std::io;
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::open_regular;

const MAGIC: &[u8; 8] = b"TESSHIST";
const VERSION: u32 = 1;
pub(super) const HEADER_BYTES: usize = 20;
/// No second has a higher number: JavaScript counts them exactly, and there is room to count on from a file's name.
const NUMBER_MOST: u64 = 1 << 52;

/// A point in a file.
#[derive(Clone, Debug)]
pub(super) struct Written {
    pub(super) head: Head,
    seconds: u32,
    file: Arc<File>,
    at: u64,
    bytes: usize,
}

impl Written {
    /// Whether both are the same block.
    pub(super) fn is(&self, other: &Self) -> bool {
        Arc::ptr_eq(&self.file, &other.file) && self.at == other.at
    }

    /// `None` if it cannot be read, or if a byte of it was damaged since it was found.
    pub(super) fn read(&self) -> Option<Frame> {
        let mut bytes = vec![0; self.bytes];
        self.file.read_exact_at(&mut bytes, self.at).ok()?;
        block::decode(self.seconds, &bytes)
    }
}

#[derive(Debug)]
pub(super) struct Segment {
    pub(super) path: PathBuf,
    /// Of its first point; names it among those of its tier.
    pub(super) number: u64,
    pub(super) points: usize,
    /// Up to here it is whole, and the next block begins.
    pub(super) bytes: u64,
    /// What appends write to; not of a file that is only read.
    file: Option<Arc<File>>,
    pub(super) synced: bool,
}

/// What a file has that was there.
pub(super) struct Found {
    pub(super) segment: Segment,
    pub(super) points: Vec<Written>,
    pub(super) damaged: u64,
    /// Why none of it is read.
    pub(super) unreadable: Option<String>,
}

/// How bytes get into a file: tests have disks that are full.
pub(super) type Append = fn(&File, &[u8], u64) -> io::Result<()>;

impl Segment {
    pub(super) fn path_of(directory: &Path, seconds: u32, number: u64) -> PathBuf {
        directory.join(format!("{seconds:05}-{number:016x}"))
    }

    /// Interval and number in the name of a file; `None` if it is not one of ours.
    pub(super) fn parse(name: &str) -> Option<(u32, u64)> {
        let (seconds, number) = name.split_once('-').filter(|(seconds, number)| seconds.len() == 5 && number.len() == 16)?;
        let number = u64::from_str_radix(number, 16).ok().filter(|number| *number <= NUMBER_MOST)?;
        Some((seconds.parse().ok()?, number))
    }

    /// Makes the file of a tier whose first point will have this number.
    pub(super) fn create(directory: &Path, seconds: u32, number: u64, append: Append) -> io::Result<Self> {
        let path = Self::path_of(directory, seconds, number);
        let file = OpenOptions::new().create(true).truncate(true).read(true).write(true).open(&path)?;
        append(&file, &header(seconds), 0).inspect_err(|_| drop(std::fs::remove_file(&path)))?;
        Ok(Self { path, number, points: 0, bytes: HEADER_BYTES as u64, file: Some(Arc::new(file)), synced: false })
    }

    /// Reads a file. It is appended to only if all of it is whole.
    pub(super) fn open(path: PathBuf, seconds: u32, number: u64, most: u64) -> Found {
        let bytes = path.metadata().map_or(0, |found| found.len());
        let segment = Self { path, number, points: 0, bytes, file: None, synced: true };
        match segment.read(seconds, most) {
            Err(why) => {
                let why = format!("{}: {why}", segment.path.display());
                Found { segment, points: Vec::new(), damaged: 0, unreadable: Some(why) }
            }
            Ok((file, points, damaged)) => {
                let appendable = (damaged == 0).then_some(file);
                Found { segment: Self { points: points.len(), file: appendable, ..segment }, points, damaged, unreadable: None }
            }
        }
    }

    fn read(&self, seconds: u32, most: u64) -> Result<(Arc<File>, Vec<Written>, u64), String> {
        if self.bytes > most {
            return Err(format!("it has {} bytes, more than the {most} of its tier", self.bytes));
        }
        let read = || {
            let file = open_regular(&self.path, OpenOptions::new().read(true).write(true))?;
            let mut bytes = vec![0; self.bytes as usize];
            file.read_exact_at(&mut bytes, 0)?;
            io::Result::Ok((Arc::new(file), bytes))
        };
        let (file, bytes) = read().map_err(|error| format!("it cannot be read: {error}"))?;
        let (head, blocks) = bytes.split_at_checked(HEADER_BYTES).ok_or("its header is incomplete")?;
        if head != header(seconds) {
            let version = head.get(8..12).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
            return Err(match version.filter(|version| head.starts_with(MAGIC) && *version != VERSION) {
                Some(version) => format!("it has version {version}, and this build reads version {VERSION}"),
                None => "its header is damaged".to_owned(),
            });
        }
        let mut points: Vec<Written> = Vec::new();
        let mut out_of_order = 0;
        let damaged = block::scan(seconds, blocks, |at, bytes, head| {
            // A copy of a block is whole, and would count twice.
            if points.last().is_some_and(|last| last.head.seq >= head.seq) {
                out_of_order += 1;
            } else {
                let at = (HEADER_BYTES + at) as u64;
                points.push(Written { head, seconds, file: Arc::clone(&file), at, bytes });
            }
        });
        Ok((file, points, damaged + out_of_order))
    }

    pub(super) fn takes_appends(&self) -> bool {
        self.file.is_some()
    }

    /// Appends a block. What a failed write left behind the last whole block goes with the next one.
    pub(super) fn append(&mut self, seconds: u32, head: Head, block: &[u8], append: Append) -> io::Result<Written> {
        let file = self.file.as_ref().ok_or_else(|| io::Error::other("it is only read"))?;
        append(file, block, self.bytes).inspect_err(|_| drop(file.set_len(self.bytes)))?;
        let written = Written { head, seconds, file: Arc::clone(file), at: self.bytes, bytes: block.len() };
        self.bytes += block.len() as u64;
        self.points += 1;
        self.synced = false;
        Ok(written)
    }

    pub(super) fn sync(&mut self) -> io::Result<()> {
        if let Some(file) = self.file.as_ref().filter(|_| !self.synced) {
            file.sync_data()?;
            self.synced = true;
        }
        Ok(())
    }
}

fn header(seconds: u32) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..16].copy_from_slice(&seconds.to_le_bytes());
    let crc = crc32c::crc32c(&header[..16]);
    header[16..].copy_from_slice(&crc.to_le_bytes());
    header
}
