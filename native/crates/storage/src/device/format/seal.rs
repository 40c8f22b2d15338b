//! Checksums that also say where a thing belongs: bytes of another namespace, or at another place, never pass.

/// CRC32C seeded with a namespace's id.
#[derive(Clone, Copy, Debug)]
pub struct Seal {
    seed: u32,
}

impl Seal {
    pub fn new(namespace_id: &[u8; 16]) -> Self {
        Self { seed: crc32c::crc32c(namespace_id) }
    }

    /// Checksum of `parts`, one after another, at file offset `offset`.
    pub fn over(self, offset: u64, parts: &[&[u8]]) -> u32 {
        let placed = crc32c::crc32c_append(self.seed, &offset.to_le_bytes());
        parts.iter().fold(placed, |crc, part| crc32c::crc32c_append(crc, part))
    }
}
