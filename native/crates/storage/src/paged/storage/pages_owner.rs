//! The snapshot of a paged namespace's document and range indexes, from an orderly close to the next start.
//!
//! It names the mark of the head that the close has left, and counts only where the next start finds that head, with nothing in the log beyond it. As each
//! opening writes a head of its own before anything else, no snapshot is used twice, and none after a crash.

use crate::Location;
use crate::paged::pages::head::Head;
use crate::snapshot::chunk::ChunkReader;
use crate::snapshot::head::SnapshotHead;
use crate::snapshot::{Owner, Stop};

/// What the snapshot tells of pages that are as their head says, with nothing in the log beyond.
pub fn head_of(head: &Head) -> SnapshotHead {
    SnapshotHead {
        namespace_id: head.namespace_id,
        block_bytes: head.page_size.bytes() as u32,
        run: head.log.incarnation,
        last_sequence: head.mark,
        ..SnapshotHead::default()
    }
}

/// Pages whose head was found at a start, with nothing in the log beyond.
pub struct PagesOwner(pub Head);

impl Owner for PagesOwner {
    fn namespace_id(&self) -> [u8; 16] {
        self.0.namespace_id
    }

    fn check(&self, head: &SnapshotHead) -> Result<(), String> {
        let of = |head: &SnapshotHead| (head.block_bytes, head.run, head.last_sequence, head.sets, head.disks.len());
        if of(&head_of(&self.0)) == of(head) { Ok(()) } else { Err("it was not taken of the pages as they are".into()) }
    }

    fn blocks(&self, _: &mut ChunkReader<'_>, _: &SnapshotHead) -> Result<(), Stop> {
        Ok(())
    }

    fn forget_blocks(&self, _: &SnapshotHead) {}

    fn record_bytes(&self, _: Location, _: &SnapshotHead) -> Option<u64> {
        None
    }
}
