//! Elements that wait for others to be sorted among: as bytes, each whole.
//!
//! `u16` segment, `u32` slot, `u16` set, digest, `u16` generation, `u32` expiry, `u64` time of update, `u64` size, body; all little-endian.

use crate::scan::Found;
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::{Digest, Meta};

pub(super) fn pack(found: &Found<'_>, out: &mut Vec<u8>) {
    let Found { segment, slot, set, digest, meta, size, body } = found;
    out.reserve_exact(50 + body.len());
    out.extend_from_slice(&segment.to_le_bytes());
    out.extend_from_slice(&slot.to_le_bytes());
    out.extend_from_slice(&set.to_le_bytes());
    out.extend_from_slice(&digest.0);
    out.extend_from_slice(&meta.generation.to_le_bytes());
    out.extend_from_slice(&meta.expires_at.to_le_bytes());
    out.extend_from_slice(&meta.updated_at.to_le_bytes());
    out.extend_from_slice(&size.to_le_bytes());
    out.extend_from_slice(body);
}

/// # Errors
/// `internal` for what `pack` has not written.
pub(super) fn unpack(bytes: &[u8]) -> Result<Found<'_>> {
    let read = || {
        let (segment, rest) = bytes.split_first_chunk()?;
        let (slot, rest) = rest.split_first_chunk()?;
        let (set, rest) = rest.split_first_chunk()?;
        let (digest, rest) = rest.split_first_chunk()?;
        let (generation, rest) = rest.split_first_chunk()?;
        let (expires_at, rest) = rest.split_first_chunk()?;
        let (updated_at, rest) = rest.split_first_chunk()?;
        let (size, body) = rest.split_first_chunk()?;
        let meta = Meta {
            generation: u16::from_le_bytes(*generation),
            expires_at: u32::from_le_bytes(*expires_at),
            updated_at: u64::from_le_bytes(*updated_at),
        };
        Some(Found {
            segment: u16::from_le_bytes(*segment),
            slot: u32::from_le_bytes(*slot),
            set: u16::from_le_bytes(*set),
            digest: Digest(*digest),
            meta,
            size: u64::from_le_bytes(*size),
            body,
        })
    };
    read().ok_or_else(|| Error::new(ErrorCode::Internal, "an element that waits for a sort is cut off"))
}
