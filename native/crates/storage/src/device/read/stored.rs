//! Reading one stored block as a whole.

use crate::Location;
use crate::device::disks::volume::{Scratch, Volume};
use crate::device::format::entry::Found;
use crate::device::format::headers::BlockHeader;
use crate::device::format::identity::{Identity, sound_header};
use crate::device::format::place::{Place, padded};
use crate::device::format::summary::FRONT_PARITY_AT;
use crate::device::format::walk::{WalkStep, walk_current};
use crate::device::write::shared::Shared;

impl Shared {
    /// The bytes of a block as far as its disk goes.
    ///
    /// # Errors
    /// What the disk reports.
    pub fn read_block<'a>(&self, number: u64, scratch: &'a mut Scratch) -> std::io::Result<&'a [u8]> {
        let offset = number * self.block_bytes();
        let (disk, local) = Volume::split(offset);
        let length = self.volume.members().get(disk).map_or(Ok(0), |member| member.disk.length())?;
        let length = length.saturating_sub(local).min(self.block_bytes());
        self.volume.read(scratch, offset, length as usize)
    }

    /// The header of a block that was read, if it is sound and this block's.
    pub fn sound_header(&self, number: u64, block: &[u8]) -> Option<BlockHeader> {
        sound_header(block, number, &self.options.namespace_id)
    }

    /// What a block that was read says of its present use.
    pub fn identity(&self, number: u64, block: &[u8]) -> Option<Identity> {
        let (start, block_bytes) = (number * self.block_bytes(), self.block_bytes() as usize);
        Identity::of(block, start, self.seal, block_bytes, self.sound_header(number, block))
    }

    /// Calls `visit` with every entry of the present use of a block that was read, and where it lies. Its body may be damaged.
    pub fn entries(&self, number: u64, block: &[u8], visit: &mut dyn FnMut(&Found<'_>, Location)) {
        let hidden = self.blocks.hidden(number);
        let identity = self.identity(number, block).filter(|identity| !identity.free && hidden.is_none());
        let first = hidden.or(identity.as_ref().map(|identity| identity.first));
        let begin = identity.as_ref().map_or(FRONT_PARITY_AT, |identity| identity.begin);
        let filled = identity.and_then(|identity| identity.filled).unwrap_or(block.len());
        let block = block.get(..filled).unwrap_or(block);
        walk_current(block, begin, number * self.block_bytes(), self.seal, first, &mut |offset, step| {
            let WalkStep::Entry(found) = step else { return };
            let place = Place { offset, length: padded(found.entry.length()) as u32 };
            if let Some(location) = place.pack() {
                visit(&found, location);
            }
        });
    }
}
