//! One file of a tier: a header and blocks, appended and never changed.
//!
//! | at | bytes | what |
//! | --- | --- | --- |
//! | 0 | 8 | `TESSHIST` |
//! | 8 | 4 | version, 2 |
//! | 12 | 4 | interval of the tier, seconds |
//! | 16 | 8 | number of the file, as in its name |
//! | 24 | 4 | CRC32C of the 24 bytes before |
//!
//! Version 1 has no number, and its checksum at 16.

use super::block::{self, Head};
use super::tiers::Tier;
use crate::metrics::frame::Frame;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read};
use std::os::unix::fs::FileExt;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::frames::Scanned;
use tessera_base::{create_anew, open_regular, open_to_append};

const MAGIC: &[u8; 8] = b"TESSHIST";
const VERSION: u32 = 2;
pub(super) const HEADER_BYTES: usize = 28;
const HEADER_BYTES_1: usize = 20;
/// A file that has no header yet.
const NEW: &str = "new";
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
    /// It took no writes when it was found. The next append asks again.
    locked: bool,
    /// Something lies behind `bytes`: a block whose end was never written.
    remains: bool,
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
pub(in crate::metrics) type Append = fn(&File, &[u8], u64) -> io::Result<()>;

impl Segment {
    pub(super) fn path_of(directory: &Path, seconds: u32, number: u64) -> PathBuf {
        directory.join(Self::name_of(seconds, number))
    }

    fn name_of(seconds: u32, number: u64) -> String {
        format!("{seconds:05}-{number:016x}")
    }

    /// Interval and number in the name of a file; `None` if it is not one of ours.
    pub(super) fn parse(name: &str) -> Option<(u32, u64)> {
        let (seconds, number) = name.split_once('-')?;
        let (seconds, number) = (seconds.parse().ok()?, u64::from_str_radix(number, 16).ok()?);
        (number <= NUMBER_MOST && name == Self::name_of(seconds, number)).then_some((seconds, number))
    }

    /// Makes the file of a tier whose first point will have this number. A kill leaves it with its header, or not at all.
    pub(super) fn create(directory: &Path, seconds: u32, number: u64, append: Append) -> io::Result<Self> {
        let (path, new) = (Self::path_of(directory, seconds, number), directory.join(NEW));
        let file = create_anew(&new)?;
        let made = append(&file, &header(seconds, number), 0).and_then(|()| fs::rename(&new, &path));
        made.inspect_err(|_| drop(fs::remove_file(&new)))?;
        Ok(Self {
            path,
            number,
            points: 0,
            bytes: HEADER_BYTES as u64,
            file: Some(Arc::new(file)),
            locked: false,
            remains: false,
            synced: false,
        })
    }

    /// Reads a file. It is appended to only if all of it is whole. Only the `newest` of a tier can have a torn end: what a kill
    /// leaves goes before there is another one.
    pub(super) fn open(path: PathBuf, number: u64, tier: &Tier, newest: bool) -> Found {
        let bytes = path.metadata().map_or(0, |found| found.len());
        let segment = Self { path, number, points: 0, bytes, file: None, locked: false, remains: false, synced: true };
        match segment.read(tier) {
            Err(why) => {
                let why = format!("{}: {why}", segment.path.display());
                Found { segment, points: Vec::new(), damaged: 0, unreadable: Some(why) }
            }
            Ok((file, takes_writes, points, Scanned { damaged, end })) => {
                let remains = (end as u64) < bytes;
                let damaged = damaged + u64::from(remains && !newest);
                let whole = damaged == 0;
                let bytes = if whole { end as u64 } else { bytes };
                let (file, locked) = ((whole && takes_writes).then_some(file), whole && !takes_writes);
                let segment = Self { points: points.len(), bytes, file, locked, remains, synced: !remains, ..segment };
                Found { segment, points, damaged, unreadable: None }
            }
        }
    }

    fn read(&self, &Tier { seconds, bytes: most, .. }: &Tier) -> Result<(Arc<File>, bool, Vec<Written>, Scanned), String> {
        if self.bytes > most {
            return Err(format!("it has {} bytes, more than the {most} of its tier", self.bytes));
        }
        let read = || {
            let (file, takes_writes) = open_to_append(&self.path)?;
            let mut bytes = vec![0; self.bytes as usize];
            file.read_exact_at(&mut bytes, 0)?;
            io::Result::Ok((Arc::new(file), takes_writes, bytes))
        };
        let (file, takes_writes, bytes) = read().map_err(|error| format!("it cannot be read: {error}"))?;
        let own = Header::of(&bytes)?;
        if own.seconds != seconds || own.number.is_some_and(|number| number != self.number) {
            return Err(own.elsewhere());
        }
        let blocks = bytes.get(own.bytes..).unwrap_or_default();
        let mut points: Vec<Written> = Vec::new();
        let mut out_of_order = 0;
        let Scanned { damaged, end } = block::scan(seconds, blocks, |at, bytes, head| {
            // A copy of a block is whole, and would count twice.
            if points.last().is_some_and(|last| last.head.seq >= head.seq) {
                out_of_order += 1;
            } else {
                let at = (own.bytes + at) as u64;
                points.push(Written { head, seconds, file: Arc::clone(&file), at, bytes });
            }
        });
        match points.first() {
            // A file of version 1 does not say its number, but it has no points before it.
            Some(point) if point.head.first < self.number => Err(format!("it was renamed: it begins with second {}", point.head.first)),
            _ => Ok((file, takes_writes, points, Scanned { damaged: damaged + out_of_order, end: own.bytes + end })),
        }
    }

    pub(super) fn takes_appends(&self) -> bool {
        self.file.is_some() || self.locked
    }

    fn writable(&mut self) -> io::Result<Arc<File>> {
        if self.locked {
            self.file = Some(Arc::new(open_regular(&self.path, OpenOptions::new().read(true).write(true))?));
            self.locked = false;
        }
        self.file.clone().ok_or_else(|| io::Error::other("it is only read"))
    }

    /// Appends a block. What a kill or a failed write left behind the last whole block goes first.
    pub(super) fn append(&mut self, seconds: u32, head: Head, block: &[u8], append: Append) -> io::Result<Written> {
        self.cut_remains()?;
        let file = self.writable()?;
        append(&file, block, self.bytes).inspect_err(|_| self.remains = file.set_len(self.bytes).is_err())?;
        let written = Written { head, seconds, file, at: self.bytes, bytes: block.len() };
        self.bytes += block.len() as u64;
        self.points += 1;
        self.synced = false;
        Ok(written)
    }

    fn cut_remains(&mut self) -> io::Result<()> {
        if self.remains && self.takes_appends() {
            self.writable()?.set_len(self.bytes)?;
            self.remains = false;
        }
        Ok(())
    }

    pub(super) fn sync(&mut self) -> io::Result<()> {
        self.cut_remains()?;
        if let Some(file) = self.file.as_ref().filter(|_| !self.synced) {
            file.sync_data()?;
            self.synced = true;
        }
        Ok(())
    }
}

/// What a file says of itself.
struct Header {
    seconds: u32,
    /// `None` in version 1.
    number: Option<u64>,
    bytes: usize,
}

impl Header {
    fn of(file: &[u8]) -> Result<Self, String> {
        let word = |at: usize| file.get(at..at + 4).and_then(|word| word.try_into().ok()).map(u32::from_le_bytes);
        let version = word(8).filter(|_| file.starts_with(MAGIC));
        if let Some(version) = version.filter(|version| !(1..=VERSION).contains(version)) {
            return Err(format!("it has version {version}, and this build reads versions 1 to {VERSION}"));
        }
        let bytes = if version == Some(1) { HEADER_BYTES_1 } else { HEADER_BYTES };
        let head = file.get(..bytes).ok_or("its header is incomplete")?;
        let (covered, crc) = head.split_at(bytes - 4);
        let number = covered.get(16..24).and_then(|number| number.try_into().ok()).map(u64::from_le_bytes);
        let seconds = word(12).filter(|_| version.is_some() && crc == crc32c::crc32c(covered).to_le_bytes());
        seconds.map(|seconds| Self { seconds, number, bytes }).ok_or_else(|| "its header is damaged".to_owned())
    }

    /// Why a file with another name is not read.
    fn elsewhere(&self) -> String {
        match self.number {
            Some(number) => format!("it was renamed: its name should be {}", Segment::name_of(self.seconds, number)),
            None => format!("it was renamed: its name should begin with {:05}-", self.seconds),
        }
    }
}

/// What to say of a file whose name is none of ours; `None` if its bytes are none of ours either.
pub(super) fn misnamed(path: &Path) -> Option<String> {
    if path.file_name().is_some_and(|name| name == NEW) {
        return None;
    }
    let mut head = Vec::new();
    open_regular(path, OpenOptions::new().read(true)).ok()?.take(HEADER_BYTES as u64).read_to_end(&mut head).ok()?;
    let why = || Header::of(&head).map_or_else(|why| why, |own| own.elsewhere());
    head.starts_with(MAGIC).then(|| format!("{}: {}", path.display(), why()))
}

fn header(seconds: u32, number: u64) -> [u8; HEADER_BYTES] {
    let mut header = [0; HEADER_BYTES];
    header[..8].copy_from_slice(MAGIC);
    header[8..12].copy_from_slice(&VERSION.to_le_bytes());
    header[12..16].copy_from_slice(&seconds.to_le_bytes());
    header[16..24].copy_from_slice(&number.to_le_bytes());
    let crc = crc32c::crc32c(&header[..24]);
    header[24..].copy_from_slice(&crc.to_le_bytes());
    header
}
