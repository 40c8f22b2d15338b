//! The writes of a flush in flight, and files made longer ahead of them.

use super::queue::Piece;
use super::volume::{Member, Volume};
use crate::error::{Error, Result};
use crate::storage::io::{self, Backend, WriteWindow};

/// Writes in flight at once on each disk.
const DEPTH: usize = 8;
/// A file grows ahead of its writes by this part of its length, between these bounds: a write to where the file already
/// is neither waits for others nor has the next sync write the file's length.
const AHEAD_PART: u64 = 4;
const AHEAD_MIN: u64 = 1024 * 1024;
const AHEAD_MAX: u64 = 256 * 1024 * 1024;

#[derive(Default)]
pub struct Writer {
    window: Option<WriteWindow>,
    /// How far each disk was made to reach; 0 where it was not asked yet.
    reach: Vec<u64>,
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
        self.reach.resize(volume.members().len(), 0);
        let mut parts = Vec::with_capacity(pieces.len());
        for piece in pieces {
            let (member, offset) = volume.member(piece.offset).map_err(failed)?;
            let bytes = piece.bytes.get(piece.range.clone()).unwrap_or_default();
            if let Some(reach) = self.reach.get_mut(Volume::split(piece.offset).0) {
                reserve(member, offset + bytes.len() as u64, reach);
            }
            parts.push(io::Piece { disk: &*member.disk, offset, bytes });
        }
        let window = match &mut self.window {
            Some(window) => window,
            none => none.insert(WriteWindow::open(backend, DEPTH * volume.members().len()).map_err(failed)?),
        };
        window.write(&parts).map_err(failed)
    }
}

/// Makes the file long enough for a write up to `end`, and for those after it. Where that fails the writes will tell.
fn reserve(member: &Member, end: u64, reach: &mut u64) {
    if *reach == 0 {
        *reach = member.disk.length().unwrap_or(0);
    }
    if end > *reach {
        let ahead = (end / AHEAD_PART).clamp(AHEAD_MIN, AHEAD_MAX);
        let most = if member.capacity_bytes == 0 { u64::MAX } else { member.capacity_bytes.max(end) };
        *reach = (end + ahead).min(most);
        let _ = member.disk.reserve(*reach);
    }
}
