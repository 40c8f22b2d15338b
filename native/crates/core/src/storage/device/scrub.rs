//! Reading stored blocks again, to find damage before somebody asks for the record.

use super::entry::EntryKind;
use super::headers::{BlockHeader, BlockUse};
use super::place::{Place, padded};
use super::shared::Shared;
use super::walk::{Step, walk_current};
use crate::error::Result;
use crate::record::{Digest, Meta};
use crate::storage::{BlockCheck, Location, Scrub};

impl Scrub for Shared {
    fn blocks(&self) -> Vec<u64> {
        let numbers = self.state.lock().queue.space().numbers();
        numbers.filter(|number| self.is_stored(*number)).collect()
    }

    fn block_bytes(&self) -> u64 {
        Self::block_bytes(self)
    }

    fn check(&self, number: u64, refers: &dyn Fn(u16, &Digest, Location) -> bool) -> BlockCheck {
        let mut outcome = BlockCheck::default();
        let mut scratch = None;
        // Read before the index is asked: what dies meanwhile makes a suspect, never hides one.
        let live = self.blocks.kept(number).live;
        if !self.is_stored(number) {
            return outcome;
        }
        let Ok(block) = self.read_block(number, &mut scratch) else {
            outcome.suspect = self.is_stored(number) && live > 0;
            return outcome;
        };
        outcome.bytes = block.len() as u64;
        let header = self.sound_header(number, block);
        let first = header.filter(|header| header.holds == BlockUse::Entries).map(|header| header.first_sequence);
        let mut sound = 0;
        walk_current(block, number * Self::block_bytes(self), self.seal, first, &mut |offset, step| {
            let Step::Entry(found) = step else { return };
            let place = Place { offset, length: padded(found.entry.length()) as u32 };
            let entry = &found.entry;
            if found.body_sound
                && entry.kind == EntryKind::Record
                && place.pack().is_some_and(|location| refers(entry.segment, &entry.digest, location))
            {
                sound += place.length;
                outcome.records += 1;
            }
        });
        outcome.suspect = sound < live;
        // It may have been read in the midst of its next use; then it is not stored, or sound when it is read again.
        outcome.header_damaged = header.is_none()
            && self.is_stored(number)
            && self.read_block(number, &mut scratch).is_ok_and(|block| self.sound_header(number, block).is_none())
            && self.is_stored(number);
        outcome
    }

    fn block_of(&self, location: Location) -> u64 {
        Place::unpack(location).offset / Self::block_bytes(self)
    }

    fn verify(&self, location: Location, digest: &Digest, meta: &Meta, out: &mut Vec<u8>) -> Result<bool> {
        if !self.is_stored(self.block_of(location)) {
            return self.read(location, digest, meta, out);
        }
        self.read_stored(location, digest, meta, out)
    }

    fn name_of(&self, number: u64) -> String {
        self.volume.name(number * Self::block_bytes(self))
    }
}

impl Shared {
    /// The header of a block that was read, if it is sound and this block's.
    fn sound_header(&self, number: u64, block: &[u8]) -> Option<BlockHeader> {
        let header = block.first_chunk().and_then(|bytes| BlockHeader::decode(bytes).ok())?;
        (header.number == number && header.namespace_id == self.options.namespace_id).then_some(header)
    }
}
