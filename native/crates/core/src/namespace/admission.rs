//! Letting writes in while the device has room for them.

use super::Namespace;
use crate::error::{ErrorCode, Result};
use crate::storage::Admission;
use std::time::{Duration, Instant};

/// How long a write is tried again that finds no room, though there was some when it was let in.
const PATIENCE: Duration = Duration::from_secs(5);

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

    /// As `admitted`, for removals that nobody waits for: pages alone need room for what has no tombstone. What fails may have removed some.
    ///
    /// # Errors
    /// As `admitted`.
    pub(super) fn admitted_removal<T>(&self, remove: impl FnMut() -> Result<T>) -> Result<T> {
        let mut remove = remove;
        if self.index_resident() { remove() } else { self.admitted(Admission::Delete, remove) }
    }
}
