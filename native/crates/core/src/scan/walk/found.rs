//! A record that a walk meets.

use tessera_record::{Digest, Meta};

/// A record met by a scan.
#[derive(Clone, Copy, Debug)]
pub struct Found<'a> {
    pub segment: u16,
    pub slot: u32,
    /// Id of its set; `RecordStore::set_by_id` knows the name.
    pub set: u16,
    pub digest: Digest,
    pub meta: Meta,
    /// Bytes that it takes where it is stored, if the selection asks for them: finding out may wait for memory.
    pub size: u64,
    /// Empty when bodies were not asked for.
    pub body: &'a [u8],
}

/// What a call of `each` ends.
pub(crate) enum End {
    /// The step: its rows fill a chunk, and the walk goes on with the next record.
    Step,
    Walk,
}
