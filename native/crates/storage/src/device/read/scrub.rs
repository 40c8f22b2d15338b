//! Reading stored blocks again, to find damage before somebody asks for the record.

use crate::device::format::entry::EntryKind;
use crate::device::format::place::Place;
use crate::device::write::shared::Shared;
use crate::{BlockCheck, Location, Scrub};
use tessera_base::Result;
use tessera_record::{Digest, Meta};

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
        let headless = self.sound_header(number, block).is_none();
        let mut sound = 0;
        self.entries(number, block, &mut |found, location| {
            let entry = &found.entry;
            if found.body_sound && entry.kind == EntryKind::Record && refers(entry.segment, &entry.digest, location) {
                sound += Place::unpack(location).length;
                outcome.records += 1;
            }
        });
        outcome.suspect = sound < live;
        // It may have been read in the midst of its next use; then it is not stored, or sound when it is read again.
        outcome.header_damaged = headless
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
