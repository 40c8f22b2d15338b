//! What the fields hold: letters, as many kinds and as hard to compress as those that Tessera's load generator writes.

use tessera_workload::ycsb::FIELD_BYTES;

/// SplitMix64, sixteen letters of a draw.
pub struct Letters {
    state: u64,
}

impl Letters {
    pub fn new(seed: u64, worker: u32) -> Self {
        Self { state: seed.rotate_left(32) ^ u64::from(worker) }
    }

    /// So many letters, in `out`, which is cleared first.
    pub fn fill(&mut self, bytes: usize, out: &mut Vec<u8>) {
        out.clear();
        while out.len() < bytes {
            let word = self.next();
            for half in [word, word >> 4] {
                out.extend_from_slice(&((half & 0x0f0f_0f0f_0f0f_0f0f) + 0x6161_6161_6161_6161).to_le_bytes());
            }
        }
        out.truncate(bytes);
    }

    /// The letters of one field.
    pub fn field(&mut self) -> Vec<u8> {
        let mut field = Vec::with_capacity(FIELD_BYTES as usize + 16);
        self.fill(FIELD_BYTES as usize, &mut field);
        field
    }

    fn next(&mut self) -> u64 {
        self.state = self.state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn fields_are_letters_and_differ() {
        let mut letters = Letters::new(1, 0);
        let (one, two) = (letters.field(), letters.field());
        assert_eq!((one.len(), two.len()), (100, 100));
        assert!(one.iter().all(|byte| (b'a'..=b'p').contains(byte)));
        assert_ne!(one, two);
        assert_ne!(one, Letters::new(1, 1).field());
    }
}
