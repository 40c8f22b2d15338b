//! Letting writes in while the device has room for them.

use super::Namespace;
use crate::error::{ErrorCode, Result};
use crate::storage::Admission;
use std::time::{Duration, Instant};

/// How long a write is tried again that finds no room, though there was some when it was let in.
const PATIENCE: Duration = Duration::from_secs(5);
/// Removals of records in pages that are done together.
const PAGED_REMOVALS: usize = 32;

impl Namespace {
    /// Runs `write` once there is room, and again where defragmentation has taken the room meanwhile: `write` changes nothing
    /// when it fails. It cannot wait itself, as defragmentation needs the lock that it holds.
    ///
    /// # Errors
    /// As `Storage::admit`, and what `write` returns.
    pub(super) fn admitted<T>(&self, admission: Admission, mut write: impl FnMut() -> Result<T>) -> Result<T> {
        let mut begun = None;
        loop {
            self.storage.admit(admission)?;
            match write() {
                Err(error) if error.code == ErrorCode::DeviceOverload && begun.get_or_insert_with(Instant::now).elapsed() < PATIENCE => {}
                other => return other,
            }
        }
    }

    /// How many records are removed at most with a segment held and one admission: of pages each may have to be read, and logged whole.
    pub(super) fn removed_at_once(&self, most: usize) -> usize {
        if self.index_resident() { most } else { most.min(PAGED_REMOVALS) }
    }

    /// As `admitted`, for removals that nobody waits for: pages alone need room for what has no tombstone. What fails may have removed some.
    ///
    /// # Errors
    /// As `admitted`.
    pub(super) fn admitted_removal<T>(&self, remove: impl FnMut() -> Result<T>) -> Result<T> {
        let mut remove = remove;
        if self.index_resident() { remove() } else { self.admitted(Admission::Delete, remove) }
    }
}
