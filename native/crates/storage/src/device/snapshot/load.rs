//! When the snapshot of a device counts, and what it knows of the blocks.

use crate::Location;
use crate::device::disks::data_file::Opened;
use crate::device::disks::volume::Volume;
use crate::device::format::entry::{ENTRY_HEADER_BYTES, EntryKind, Found};
use crate::device::format::place::{Place, padded};
use crate::device::format::summary::FRONT_PARITY_AT;
use crate::device::write::blocks::BlockState;
use crate::device::write::shared::Shared;
use crate::snapshot::chunk::{ChunkReader, Section};
use crate::snapshot::head::SnapshotHead;
use crate::snapshot::items::{BLOCK_BYTES, decode_block};
use crate::snapshot::{Owner, Stop};
use std::sync::atomic::Ordering::Relaxed;

/// A device whose disks have been opened.
pub struct DeviceOwner<'a> {
    pub shared: &'a Shared,
    pub opened: &'a Opened,
}

impl DeviceOwner<'_> {
    /// For each disk, the number of the first block that was never used.
    pub fn ends(&self, head: &SnapshotHead) -> Vec<u64> {
        (0..).zip(&head.disks).map(|(disk, note)| Volume::join(disk, 0) / self.shared.block_bytes() + note.end).collect()
    }

    /// The mark of the close that it was taken after must be where it was: another copy of the file of that run has none.
    fn check_close(&self, head: &SnapshotHead) -> Result<(), String> {
        let Some(location) = head.close else { return Ok(()) };
        let place = Place::unpack(location);
        // A mark has no body; nothing longer is made room for.
        if place.length as usize != padded(ENTRY_HEADER_BYTES) {
            return Err("its close mark is invalid".into());
        }
        let mut scratch = None;
        let bytes = self.shared.volume.read(&mut scratch, place.offset, place.length as usize);
        let bytes = bytes.map_err(|error| format!("the mark of the close cannot be read: {error}"))?;
        match Found::decode(bytes, self.shared.seal, place.offset) {
            Some(found) if found.entry.kind == EntryKind::Close && found.sequence == head.last_sequence => Ok(()),
            _ => Err("the mark of its close is not on the disk".into()),
        }
    }
}

impl Owner for DeviceOwner<'_> {
    fn namespace_id(&self) -> [u8; 16] {
        self.shared.options.namespace_id
    }

    fn check(&self, head: &SnapshotHead) -> Result<(), String> {
        let (shared, opened) = (self.shared, self.opened);
        if !opened.damaged.is_empty() || !opened.alike || head.run != opened.run {
            return Err(format!("it was taken in run {}, but the disks have other runs", head.run));
        }
        let members = shared.volume.members();
        if head.block_bytes != shared.options.write_block_bytes || head.disks.len() != members.len() {
            return Err("it was taken with other disks".into());
        }
        for (member, note) in members.iter().zip(&head.disks) {
            let length = member.disk.length().map_err(|error| format!("the length of {}: {error}", member.label))?;
            if length != note.length || note.end == 0 || note.end > length.div_ceil(shared.block_bytes()).max(1) {
                return Err(format!("the length of {} has changed", member.label));
            }
        }
        self.check_close(head)
    }

    /// Notes what is known of the blocks but for their live bytes, which the records tell.
    fn blocks(&self, reader: &mut ChunkReader<'_>, head: &SnapshotHead) -> Result<(), Stop> {
        let (shared, mut tombstones) = (self.shared, 0);
        for (disk, note) in head.disks.iter().enumerate() {
            reader.begin(Section::Blocks, disk as u32, reader.offset);
            let first = Volume::join(disk, 0) / shared.block_bytes();
            let mut numbers = first + 1..first + note.end;
            while !numbers.is_empty() {
                for item in reader.next()?.chunks(BLOCK_BYTES) {
                    let image = item.first_chunk().and_then(decode_block).ok_or("a block is not one")?;
                    let number = numbers.next().ok_or("there are more blocks than the head says")?;
                    if u64::from(image.tombstones.max(image.filled)) > shared.block_bytes() {
                        return Err("a block holds more than a block".into());
                    }
                    shared.blocks.tombstone_lives(number, image.tombstones);
                    shared.blocks.set_filled(number, image.filled);
                    shared.blocks.set_begin(number, image.begin);
                    tombstones += u64::from(image.tombstones);
                    shared.blocks.set_state(number, if image.free { BlockState::Free } else { BlockState::Stored });
                }
            }
        }
        shared.counters.tombstone_bytes.store(tombstones, Relaxed);
        Ok(())
    }

    fn forget_blocks(&self, head: &SnapshotHead) {
        numbers(head, self.shared.block_bytes()).for_each(|number| self.shared.blocks.forget(number));
        self.shared.counters.tombstone_bytes.store(0, Relaxed);
    }

    fn record_bytes(&self, location: Location, head: &SnapshotHead) -> Option<u64> {
        let Place { offset, length } = Place::unpack(location);
        let (disk, local) = Volume::split(offset);
        let block_bytes = self.shared.block_bytes();
        let (block, at) = (local / block_bytes, local % block_bytes);
        let known = head.disks.get(disk).is_some_and(|note| block > 0 && block < note.end);
        let whole = length as usize >= ENTRY_HEADER_BYTES && at >= FRONT_PARITY_AT as u64 && at + u64::from(length) <= block_bytes;
        (known && whole).then_some(u64::from(length))
    }
}

/// Global numbers of the blocks that a snapshot tells of.
fn numbers(head: &SnapshotHead, block_bytes: u64) -> impl Iterator<Item = u64> {
    head.disks.iter().enumerate().flat_map(move |(disk, note)| {
        let first = Volume::join(disk, 0) / block_bytes;
        first + 1..first + note.end
    })
}
