//! Reading one record by its place: from the buffers while it is there, else with one positional read.

use super::entry::{ENTRY_HEADER_BYTES, EntryKind, Found};
use super::place::{Place, padded};
use super::shared::Shared;
use crate::error::{Error, ErrorCode, Result};
use crate::record::Digest;
use crate::storage::Location;
use std::io::ErrorKind;
use std::sync::atomic::Ordering::Relaxed;

impl Shared {
    /// Reads the body at `location` into `out`; `Ok(false)` when the record there is not `digest`'s.
    ///
    /// # Errors
    /// `record_damaged` (counted), `storage_failed`.
    pub fn read(&self, location: Location, digest: &Digest, out: &mut Vec<u8>) -> Result<bool> {
        let place = Place::unpack(location);
        if !self.copy_buffered(place, out) {
            out.clear();
            out.resize(place.length as usize, 0);
            self.disk.read_at(out, place.offset).map_err(|e| self.read_failed(place, &e))?;
            self.counters.reads.fetch_add(1, Relaxed);
            self.counters.bytes_read.fetch_add(u64::from(place.length), Relaxed);
        }
        let found = Found::decode(out, self.seal, place.offset).ok_or_else(|| self.damaged(place, "its header is damaged"))?;
        if !found.body_sound {
            return Err(self.damaged(place, "its body is damaged"));
        }
        let entry = found.entry;
        if entry.kind != EntryKind::Record || padded(entry.length()) != place.length as usize {
            return Err(self.damaged(place, "something else is there"));
        }
        if entry.digest != *digest {
            return Ok(false);
        }
        let body = ENTRY_HEADER_BYTES + entry.set.len()..entry.length();
        let length = body.len();
        out.copy_within(body, 0);
        out.truncate(length);
        Ok(true)
    }

    fn copy_buffered(&self, place: Place, out: &mut Vec<u8>) -> bool {
        place.offset / self.block_bytes() >= self.first_buffered.load(Relaxed) && self.state.lock().queue.copy(place, out)
    }

    fn read_failed(&self, place: Place, error: &std::io::Error) -> Error {
        match error.kind() {
            ErrorKind::UnexpectedEof => self.damaged(place, "the file ends before it"),
            _ => Error::io(&format!("reading {} bytes at {} of {}", place.length, place.offset, self.label), error),
        }
    }

    fn damaged(&self, place: Place, why: &str) -> Error {
        self.counters.damaged_reads.fetch_add(1, Relaxed);
        Error::new(
            ErrorCode::RecordDamaged,
            format!("the record of {} bytes at {} of {} cannot be read: {why}", place.length, place.offset, self.label),
        )
    }
}
