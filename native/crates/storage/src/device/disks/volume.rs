//! The disks of a namespace as one row of bytes: which disk a place lies on, and where there.
//!
//! A global offset has the disk's number in its highest bits, so each disk keeps room to grow.

use crate::DISKS_MAX;
use crate::device::format::place::OFFSET_BITS;
use std::io::ErrorKind;
use std::ops::Range;
use std::sync::Arc;
use tessera_base::{Error, Result};
use tessera_io::{Access, AlignedBuffer, Disk, FileKind, FileRoom};

/// Bits of an offset within one disk: 32 TiB.
pub const DISK_BITS: u32 = OFFSET_BITS - DISKS_MAX.ilog2();

/// A buffer for reads, made when the first one needs it and kept for the next.
pub type Scratch = Option<AlignedBuffer>;

/// One file or block device of a namespace.
pub struct Member {
    pub disk: Arc<dyn Disk>,
    /// What messages call it.
    pub label: Arc<str>,
    /// Most bytes to use of it; 0 means as much as there is.
    pub capacity_bytes: u64,
    pub kind: FileKind,
    pub access: Access,
}

impl Member {
    /// How much of `length` bytes may hold blocks. A file may have been longer in a run that set no bound; of a device, what lies
    /// behind the bound was never ours.
    pub fn bounded(&self, length: u64) -> u64 {
        if self.kind == FileKind::Device { length.min(self.capacity_bytes) } else { length }
    }
}

#[cfg(any(test, feature = "test-support"))]
impl Member {
    pub fn of(disk: Arc<dyn Disk>, label: &str, capacity_bytes: u64) -> Self {
        Self { disk, label: Arc::from(label), capacity_bytes, kind: FileKind::File, access: Access::Cached }
    }
}

pub struct Volume {
    members: Vec<Member>,
    rooms: Vec<FileRoom>,
    disks: Arc<[Arc<dyn Disk>]>,
    alignment: usize,
}

impl Volume {
    /// One to `DISKS_MAX` members.
    pub fn new(members: Vec<Member>) -> Self {
        let alignment = members.iter().map(|member| member.disk.alignment()).max().unwrap_or(1);
        let disks = members.iter().map(|member| Arc::clone(&member.disk)).collect();
        let most = |member: &Member| if member.capacity_bytes == 0 { u64::MAX } else { member.capacity_bytes };
        let rooms = members.iter().map(|member| FileRoom::new(&*member.disk, most(member))).collect();
        Self { members, rooms, disks, alignment }
    }

    pub fn members(&self) -> &[Member] {
        &self.members
    }

    /// The members' disks, as windows want them.
    pub const fn disks(&self) -> &Arc<[Arc<dyn Disk>]> {
        &self.disks
    }

    /// Whether a disk is known to have room up to `end`.
    pub fn has_room(&self, disk: usize, end: u64) -> bool {
        self.rooms.get(disk).is_none_or(|room| room.reaches(end))
    }

    /// How far a disk is known to have room.
    pub fn reached(&self, disk: usize) -> u64 {
        self.rooms.get(disk).map_or(0, FileRoom::reached)
    }

    /// Fills the holes of a disk in `range`, which ends where its file does, in steps of `step` bytes: as far as there is room for it.
    pub fn fill_holes(&self, disk: usize, range: Range<u64>, step: u64) {
        if let (Some(member), Some(room)) = (self.members.get(disk), self.rooms.get(disk)) {
            room.fill(&*member.disk, range, step);
        }
    }

    /// Sees to it that a disk has room up to `end`, before anything is written there.
    ///
    /// # Errors
    /// `device_full`, `storage_failed`.
    pub fn make_room(&self, disk: usize, end: u64) -> Result<()> {
        match (self.members.get(disk), self.rooms.get(disk)) {
            (Some(member), Some(room)) => room.reach(&*member.disk, end),
            _ => Ok(()),
        }
    }

    /// What offsets, lengths and addresses of every read and write are multiples of.
    pub const fn alignment(&self) -> usize {
        self.alignment
    }

    /// Disk number and offset there of a global offset.
    pub const fn split(offset: u64) -> (usize, u64) {
        ((offset >> DISK_BITS) as usize, offset & ((1 << DISK_BITS) - 1))
    }

    /// Global offset of an offset on a disk.
    pub const fn join(disk: usize, offset: u64) -> u64 {
        (disk as u64) << DISK_BITS | offset
    }

    /// The disk of a global offset, and the offset there.
    ///
    /// # Errors
    /// `NotFound` where there is no such disk.
    pub fn member(&self, offset: u64) -> std::io::Result<(&Member, u64)> {
        let (disk, local) = Self::split(offset);
        let missing = || std::io::Error::new(ErrorKind::NotFound, format!("there is no disk {disk}"));
        Ok((self.members.get(disk).ok_or_else(missing)?, local))
    }

    /// The whole sectors around `length` bytes at an offset of a disk: how many bytes before them, and how many in all.
    pub const fn around(&self, local: u64, length: usize) -> (usize, usize) {
        let before = (local % self.alignment as u64) as usize;
        (before, (before + length).next_multiple_of(self.alignment))
    }

    /// Reads `length` bytes at a global offset, with whole sectors around them.
    ///
    /// # Errors
    /// `UnexpectedEof` where the disk ends before them; `OutOfMemory`; what the disk reports.
    pub fn read<'a>(&self, scratch: &'a mut Scratch, offset: u64, length: usize) -> std::io::Result<&'a [u8]> {
        let before = self.fill(scratch, offset, length)?;
        Ok(scratch.as_ref().and_then(|buffer| buffer.get(before..before + length)).unwrap_or_default())
    }

    /// As `read`, for a start: some disks read at the second try what they could not at the first.
    ///
    /// # Errors
    /// As `read`.
    pub fn read_twice<'a>(&self, scratch: &'a mut Scratch, offset: u64, length: usize) -> std::io::Result<&'a [u8]> {
        match self.fill(scratch, offset, length) {
            Err(error) if error.kind() == ErrorKind::UnexpectedEof => Err(error),
            Err(_) => self.read(scratch, offset, length),
            Ok(before) => Ok(scratch.as_ref().and_then(|buffer| buffer.get(before..before + length)).unwrap_or_default()),
        }
    }

    /// Fills `scratch`; says how many bytes come before those that are wanted.
    fn fill(&self, scratch: &mut Scratch, offset: u64, length: usize) -> std::io::Result<usize> {
        let (member, local) = self.member(offset)?;
        let (before, whole) = self.around(local, length);
        if scratch.as_ref().is_none_or(|buffer| buffer.capacity() < whole) {
            *scratch = Some(AlignedBuffer::new(whole)?);
        }
        let Some(buffer) = scratch else { return Err(ErrorKind::OutOfMemory.into()) };
        buffer.set_len(whole)?;
        match member.disk.read_at(buffer, local - before as u64) {
            // The sectors around may end behind a file that was written with smaller ones.
            Err(error) if error.kind() == ErrorKind::UnexpectedEof && member.disk.length()? >= local + length as u64 => {}
            other => other?,
        }
        Ok(before)
    }

    /// Brings all that was written to stable storage.
    ///
    /// # Errors
    /// `storage_failed`, `device_full` of the first disk that fails.
    pub fn sync(&self) -> Result<()> {
        self.members.iter().try_for_each(|member| member.disk.sync().map_err(|e| Error::io(&format!("syncing {}", member.label), &e)))
    }

    /// A global offset as messages say it: "byte 4096 of data.tsr".
    pub fn name(&self, offset: u64) -> String {
        let (disk, local) = Self::split(offset);
        let label = self.members.get(disk).map_or("an unknown disk", |member| &*member.label);
        format!("{local} of {label}")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn an_offset_names_its_disk() {
        for (disk, offset) in [(0, 0), (0, (1 << DISK_BITS) - 16), (3, 131_072), (15, 16)] {
            assert_eq!(Volume::split(Volume::join(disk, offset)), (disk, offset));
        }
        assert!(Volume::join(15, (1 << DISK_BITS) - 1) < 1 << OFFSET_BITS);
    }
}
