//! The index as a storage saves it after an orderly close and gives it back at the next start; with it the secondary indexes,
//! which are bytes to a storage.

use super::Location;
use tessera_base::Result;
use tessera_record::{Digest, Meta};

/// One record of the index.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct SlotImage {
    pub digest: Digest,
    pub location: Location,
    pub meta: Meta,
    /// Its set, by place in the list of names.
    pub set: u16,
}

/// What is known of one segment besides its records.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SegmentImage {
    pub records: u32,
    /// Bytes of the bodies, headers included.
    pub live_bytes: u64,
    /// Time of the newest write, Unix milliseconds.
    pub newest_update: u64,
}

/// An index that does not change any more.
pub trait IndexSource {
    fn segments(&self) -> u32;

    /// Names of all sets, by id.
    fn sets(&self) -> Vec<String>;

    /// Calls `visit` for every record of a segment, in order of slots.
    ///
    /// # Errors
    /// What `visit` returns.
    fn segment(&self, segment: u16, visit: &mut dyn FnMut(&SlotImage) -> Result<()>) -> Result<SegmentImage>;

    /// What is to be told of each secondary index that is saved; means something to the target only.
    fn notes(&self) -> Vec<Vec<u8>>;

    /// Appends to `out` (which is empty) the part of a secondary index, by place in `notes`, that belongs to a segment. Its slots
    /// are places in what `segment` visits.
    ///
    /// # Errors
    /// `internal` where there is no part.
    fn part(&self, index: usize, segment: u16, out: &mut Vec<u8>) -> Result<()>;
}

/// An empty index that takes an image. Called from several threads.
pub trait IndexTarget: Sync {
    fn segments(&self) -> u32;

    /// The names of the sets; called before the first segment.
    ///
    /// # Errors
    /// `name_invalid`, `set_limit`.
    fn sets(&self, names: &[String]) -> Result<()>;

    /// What was told of the secondary indexes; called before the first segment.
    ///
    /// # Errors
    /// What is wrong with them: the image cannot be trusted.
    fn notes(&self, notes: &[Vec<u8>]) -> std::result::Result<(), &'static str>;

    /// Puts a segment's records aside; nothing of it counts before `install`.
    fn stage(&self, segment: u16, image: &SegmentImage, records: &mut dyn Iterator<Item = SlotImage>);

    /// Puts aside what `IndexSource::part` made; called after `stage` of the segment.
    ///
    /// # Errors
    /// What is wrong with it: the image cannot be trusted.
    fn stage_part(&self, index: usize, segment: u16, part: &[u8]) -> std::result::Result<(), &'static str>;

    /// Takes a segment that was put aside: every part of the image has been found sound.
    fn install(&self, segment: u16);

    /// Forgets all that was put aside.
    fn discard(&self);
}
