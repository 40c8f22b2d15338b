//! Checking what is stored against the index, without serving it.

use super::Location;
use tessera_base::Result;
use tessera_record::{Digest, Meta};

/// What reading one block showed.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BlockCheck {
    pub bytes: u64,
    /// Records of the index that were found sound in it.
    pub records: u64,
    /// Less than the index refers to was found: each record has to be asked for.
    pub suspect: bool,
    /// Its own header is damaged.
    pub header_damaged: bool,
}

/// The stored blocks of an engine, to be read at leisure while writes go on.
pub trait Scrub: Sync {
    /// Numbers of the blocks that are stored now.
    fn blocks(&self) -> Vec<u64>;

    /// Bytes of a block.
    fn block_bytes(&self) -> u64;

    /// Reads a block. `refers`: whether the index names this place for the record of a segment. A suspicion may be false, as
    /// the block may be given up meanwhile.
    fn check(&self, number: u64, refers: &dyn Fn(u16, &Digest, Location) -> bool) -> BlockCheck;

    /// The block that a place lies in.
    fn block_of(&self, location: Location) -> u64;

    /// As `Storage::read`, from the disk where it is there, whatever memory has.
    ///
    /// # Errors
    /// As `Storage::read`.
    fn verify(&self, location: Location, digest: &Digest, meta: &Meta, out: &mut Vec<u8>) -> Result<bool>;

    /// What messages call a block.
    fn name_of(&self, number: u64) -> String;
}
