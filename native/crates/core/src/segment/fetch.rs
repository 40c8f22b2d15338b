//! Reading a body whose place was looked up under a lock that is held no more.

use super::SlotRecord;
use crate::error::{Error, ErrorCode, Result};
use crate::storage::Storage;

/// Reads that lose a race with a writer this often in a row are given up: the index and the device disagree.
const ATTEMPTS: usize = 64;

/// Reads the body of `met` into `body`, following the record where it moves; `current` looks it up again. Returns the
/// version that was read, or `None` when the record has gone.
///
/// # Errors
/// `record_damaged`, `storage_failed`.
pub fn fetch_body(
    storage: &dyn Storage,
    met: SlotRecord,
    current: &dyn Fn() -> Option<SlotRecord>,
    body: &mut Vec<u8>,
) -> Result<Option<SlotRecord>> {
    let mut record = met;
    for _ in 0..ATTEMPTS {
        let damage = match storage.read(record.location, &record.digest, &record.meta, body) {
            Ok(true) => return Ok(Some(record)),
            Ok(false) => None,
            Err(error) if error.code == ErrorCode::RecordDamaged => Some(error),
            Err(error) => return Err(error),
        };
        let Some(now) = current() else { return Ok(None) };
        // A place that the index names still has not been used again since.
        if let Some(error) = damage.filter(|_| now.location == record.location) {
            storage.note_damaged_read();
            return Err(error);
        }
        record = now;
    }
    Err(Error::new(ErrorCode::RecordDamaged, format!("the record {} is not where the index says it is", met.digest)))
}
