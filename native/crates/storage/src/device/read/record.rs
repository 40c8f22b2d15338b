//! Reading one record by its place: from the buffers while it is there, else with one positional read.

use crate::Location;
use crate::device::disks::volume::Scratch;
use crate::device::format::entry::{ENTRY_HEADER_BYTES, EntryKind, Found};
use crate::device::format::place::{Place, padded};
use crate::device::write::blocks::BlockState;
use crate::device::write::shared::Shared;
use std::cell::RefCell;
use std::io::ErrorKind;
use std::ops::Range;
use std::sync::atomic::Ordering::Relaxed;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::{Digest, Meta};

thread_local! {
    /// What a thread reads into; direct I/O takes no other memory.
    static SCRATCH: RefCell<Scratch> = const { RefCell::new(None) };
}

impl Shared {
    /// Reads the body at `location` into `out`; `Ok(false)` when another version or record is there by now.
    ///
    /// # Errors
    /// `record_damaged`, `storage_failed`.
    pub fn read(&self, location: Location, digest: &Digest, meta: &Meta, out: &mut Vec<u8>) -> Result<bool> {
        let place = Place::unpack(location);
        if self.copy_from_memory(place, out) {
            self.counters.memory_reads.fetch_add(1, Relaxed);
            let Some(body) = self.body_in(out, place, digest, meta)? else { return Ok(false) };
            let length = body.len();
            out.copy_within(body, 0);
            out.truncate(length);
            return Ok(true);
        }
        self.read_stored(location, digest, meta, out)
    }

    /// As `read`, from the disk.
    ///
    /// # Errors
    /// As `read`.
    pub fn read_stored(&self, location: Location, digest: &Digest, meta: &Meta, out: &mut Vec<u8>) -> Result<bool> {
        let place = Place::unpack(location);
        SCRATCH.with_borrow_mut(|scratch| {
            let bytes = self.volume.read(scratch, place.offset, place.length as usize).map_err(|e| self.read_failed(place, &e))?;
            self.counters.disk_reads.fetch_add(1, Relaxed);
            let Some(body) = self.body_in(bytes, place, digest, meta)? else { return Ok(false) };
            out.clear();
            out.extend_from_slice(bytes.get(body).unwrap_or_default());
            Ok(true)
        })
    }

    /// Where in `bytes`, which were read from `place`, the body of this version of a record is; `None` when another version
    /// or record is there.
    ///
    /// # Errors
    /// `record_damaged`.
    pub fn body_in(&self, bytes: &[u8], place: Place, digest: &Digest, meta: &Meta) -> Result<Option<Range<usize>>> {
        if self.blocks.is_lost(place.offset) {
            return Err(self.damaged(place, "its header was damaged when the namespace was opened"));
        }
        let found = Found::decode(bytes, self.seal, place.offset).ok_or_else(|| self.damaged(place, "its header is damaged"))?;
        if !found.body_sound {
            return Err(self.damaged(place, "its body is damaged"));
        }
        let entry = found.entry;
        if entry.kind != EntryKind::Record || padded(entry.length()) != place.length as usize {
            return Err(self.damaged(place, "another record is there"));
        }
        let same = entry.digest == *digest && entry.meta == *meta;
        Ok(same.then(|| ENTRY_HEADER_BYTES + entry.set.len()..entry.length()))
    }

    /// Copies the entry at `place` into `out` (cleared first) if memory still has it.
    pub fn copy_from_memory(&self, place: Place, out: &mut Vec<u8>) -> bool {
        let number = place.offset / self.block_bytes();
        let start = (place.offset % self.block_bytes()) as usize;
        let buffered = |out: &mut Vec<u8>| self.buffered.copy(number, start, place.length as usize, out);
        match self.blocks.state(number) {
            // It may have been closed since.
            BlockState::Open => self.state.lock().queue.copy(place, out) || buffered(out),
            BlockState::Buffered | BlockState::Cached => buffered(out),
            BlockState::Free | BlockState::Stored | BlockState::Freeing | BlockState::Unreadable => false,
        }
    }

    fn read_failed(&self, place: Place, error: &std::io::Error) -> Error {
        match error.kind() {
            ErrorKind::UnexpectedEof => self.damaged(place, "the file is too short"),
            _ => Error::io(&format!("reading {} bytes at {}", place.length, self.volume.name(place.offset)), error),
        }
    }

    fn damaged(&self, place: Place, why: &str) -> Error {
        let place_name = self.volume.name(place.offset);
        Error::said(
            ErrorCode::RecordDamaged,
            sentence!(
                "the record of {length} bytes at {place} cannot be read: {why}",
                length = place.length,
                place = place_name,
                why = why
            ),
        )
    }
}
