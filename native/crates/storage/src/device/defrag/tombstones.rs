//! Finding tombstones that are not needed any more.
//!
//! A tombstone is needed while an older copy of its record lies in a block that a start would read. So now and then all
//! blocks are read, some at a time: first those with tombstones, to list them, then all, for older copies of what is listed.
//! Nothing older can come into being meanwhile: entries are numbered in the order of writing, and copying a block's wanted
//! entries numbers them anew.

use crate::Location;
use crate::device::disks::volume::Scratch;
use crate::device::format::entry::{EntryKind, Found};
use crate::device::format::place::Place;
use crate::device::write::blocks::BlockState;
use crate::device::write::shared::Shared;
use std::collections::{HashMap, HashSet};
use tessera_base::Result;
use tessera_record::Digest;

/// Tombstones looked at in one sweep, about 80 bytes of memory each; the next sweep takes more.
const LISTED_MOST: usize = 500_000;
/// Blocks read in one step.
const STEP_BLOCKS: usize = 16;

/// A tombstone that may be needless.
#[derive(Clone, Copy, Debug)]
struct Listed {
    sequence: u64,
    location: Location,
    needed: bool,
}

/// One walk through all blocks.
#[derive(Default)]
pub struct Sweep {
    /// The newest tombstone that can be listed.
    until: u64,
    /// Blocks to read still, last first; and for the second pass.
    left: Vec<u64>,
    second: Vec<u64>,
    listed: HashMap<(u16, Digest), Listed>,
    /// Older tombstones of records that have a newer one, which does for both.
    outdone: Vec<Location>,
    /// Blocks given up since the sweep began: what was listed there is gone.
    released: HashSet<u64>,
    /// A block cannot be read: nobody knows what is in it.
    blind: bool,
}

impl Sweep {
    /// A sweep over everything that is stored now.
    ///
    /// # Errors
    /// What syncing returns.
    pub fn begin(shared: &Shared) -> Result<Self> {
        // Afterwards every copy older than a tombstone up to here, which is in a stored block, is in a stored block too, or
        // behind a mark on stable storage.
        let until = shared.state.lock().queue.last_sequence();
        shared.settle_marks()?;
        shared.sync(until)?;
        let numbers = shared.state.lock().queue.space().numbers();
        let mut sweep = Self { until, ..Self::default() };
        for number in numbers {
            match shared.blocks.state(number) {
                BlockState::Cached | BlockState::Stored => sweep.second.push(number),
                BlockState::Unreadable => sweep.blind = true,
                // What is open or on its way was begun after every tombstone that is stored.
                BlockState::Free | BlockState::Freeing | BlockState::Open | BlockState::Buffered => {}
            }
        }
        sweep.left = sweep.second.iter().copied().filter(|number| shared.blocks.kept(*number).tombstones > 0).collect();
        Ok(sweep)
    }

    /// Defragmentation has given a block up.
    pub fn released(&mut self, number: u64) {
        self.released.insert(number);
    }

    /// Reads some blocks; `true` when the sweep is through. Returns how many bytes it read, too.
    pub fn step(&mut self, shared: &Shared) -> (bool, u64) {
        let (mut scratch, mut bytes) = (None, 0);
        for _ in 0..STEP_BLOCKS {
            if self.blind || self.listed.is_empty() && self.left.is_empty() && self.second.is_empty() {
                return (true, bytes);
            }
            let listing = !self.left.is_empty();
            let Some(number) = self.left.pop().or_else(|| self.second.pop()) else { return (true, bytes) };
            if self.released.contains(&number) {
                continue;
            }
            bytes += shared.block_bytes();
            self.read(shared, number, listing, &mut scratch);
        }
        (self.blind || self.left.is_empty() && self.second.is_empty(), bytes)
    }

    fn read(&mut self, shared: &Shared, number: u64, listing: bool, scratch: &mut Scratch) {
        let Ok(block) = shared.read_block(number, scratch) else {
            self.blind = true;
            return;
        };
        shared.entries(number, block, &mut |found, location| match listing {
            true => self.list(found, location),
            false => self.look_for_older(found),
        });
    }

    fn list(&mut self, found: &Found<'_>, location: Location) {
        let (entry, sequence) = (&found.entry, found.sequence);
        if entry.kind != EntryKind::Tombstone || !found.body_sound || sequence > self.until {
            return;
        }
        let key = (entry.segment, entry.digest);
        let room = self.listed.len() < LISTED_MOST;
        match self.listed.get_mut(&key) {
            Some(listed) if listed.sequence < sequence => {
                self.outdone.push(listed.location);
                (listed.sequence, listed.location) = (sequence, location);
            }
            Some(_) => self.outdone.push(location),
            None if room => {
                self.listed.insert(key, Listed { sequence, location, needed: false });
            }
            None => {}
        }
    }

    fn look_for_older(&mut self, found: &Found<'_>) {
        let entry = &found.entry;
        if entry.kind == EntryKind::Record
            && let Some(listed) = self.listed.get_mut(&(entry.segment, entry.digest))
        {
            listed.needed |= found.sequence < listed.sequence;
        }
    }

    /// The tombstones that nothing needs.
    pub fn needless(self, shared: &Shared) -> Vec<Location> {
        if self.blind {
            return Vec::new();
        }
        let listed = self.listed.into_values().filter(|listed| !listed.needed).map(|listed| listed.location);
        let there = |location: &Location| !self.released.contains(&(Place::unpack(*location).offset / shared.block_bytes()));
        listed.chain(self.outdone).filter(there).collect()
    }
}
