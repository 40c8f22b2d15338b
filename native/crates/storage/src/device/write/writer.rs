//! The writes of a flush in flight, and files made longer ahead of them.

use crate::device::disks::volume::Volume;
use std::ops::Range;
use std::sync::Arc;
use tessera_base::{Error, Result};
use tessera_io::{AlignedBuffer, Backend, WriteWindow};

/// Writes in flight at once on each disk.
const DEPTH: usize = 8;
/// A file grows ahead of its writes, by so many of them: a write to where the file already is neither waits for others nor has the
/// next sync write the file's length, and who appends finds the room there.
const AHEAD: u64 = 4;

/// Bytes to be written at `offset`: `bytes[range]`, aligned.
#[derive(Debug)]
pub struct Piece {
    pub offset: u64,
    pub bytes: Arc<AlignedBuffer>,
    pub range: Range<usize>,
}

#[derive(Default)]
pub struct Writer {
    window: Option<WriteWindow>,
}

impl Writer {
    /// Writes all of `pieces`, each to its disk, several at once.
    ///
    /// # Errors
    /// `device_full`, `storage_failed`; then any part of any piece may have been written.
    pub fn write(&mut self, volume: &Volume, backend: Backend, pieces: &[Piece]) -> Result<()> {
        let Some(first) = pieces.first() else { return Ok(()) };
        let whole: usize = pieces.iter().map(|piece| piece.range.len()).sum();
        let failed = |e: std::io::Error| Error::io(&format!("writing {whole} bytes from {} on", volume.name(first.offset)), &e);
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let (member, offset) = volume.member(piece.offset).map_err(failed)?;
            let bytes = piece.bytes.get(piece.range.clone()).unwrap_or_default();
            // Where there is no more, there is room for this all the same: see `Shared::append`.
            let ahead = offset + AHEAD * bytes.len() as u64;
            let most = if member.capacity_bytes == 0 { ahead } else { member.capacity_bytes };
            let _ = volume.make_room(Volume::split(piece.offset).0, ahead.min(most));
            parts.push(tessera_io::Piece { disk: &*member.disk, offset, bytes });
        }
        let window = match &mut self.window {
            Some(window) => window,
            none => none.insert(WriteWindow::open(backend, DEPTH * volume.members().len()).map_err(failed)?),
        };
        window.write(&parts).map_err(failed)
    }
}
