//! The index on disk between an orderly close and the next start. See `docs/on-disk-format.md`.
//!
//! A snapshot of devices has all of the index, one of pages only what the pages do not have: document and range indexes. It counts while its
//! `Owner` is as the close left it: opening changes that before the first write, so no snapshot is used twice, and none after a write that
//! it does not know.

pub mod chunk;
pub mod head;
pub mod items;
mod load;
mod save;

pub use load::{Load, Owner, Stop};
pub use save::{Fault, Writer, save};

use head::{HEAD_BYTES, SnapshotHead};
use std::fs::File;
use std::io::Read;
use std::path::Path;

/// Name of the snapshot in the namespace's directory.
pub const SNAPSHOT_FILE: &str = "index.tss";
/// Its name until it is complete.
const NEW_FILE: &str = "index.tss.new";

/// The head of the snapshot in `directory`, if there is one that is whole.
pub fn head(directory: &Path) -> Option<SnapshotHead> {
    let mut head = [0; HEAD_BYTES];
    File::open(directory.join(SNAPSHOT_FILE)).and_then(|mut file| file.read_exact(&mut head)).ok()?;
    SnapshotHead::decode(&head).ok()
}

/// Removes what is stale by now, or was never completed.
pub fn remove(directory: &Path) {
    for name in [SNAPSHOT_FILE, NEW_FILE] {
        // One that cannot be removed is stale all the same.
        let _ = std::fs::remove_file(directory.join(name));
    }
}
