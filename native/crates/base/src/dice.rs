//! Chance for tests: the same in every run.

/// xorshift64*; not 0.
pub struct Dice(pub u64);

impl Dice {
    /// 0 to `sides - 1`.
    pub fn roll(&mut self, sides: u64) -> u64 {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        (self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33) % sides
    }
}
