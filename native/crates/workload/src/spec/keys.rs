//! Which key an operation is of, and its text.

use super::WorkloadSpec;
use crate::rng::Rng;
use tessera_core::limits;

/// Draws keys, each as likely as any other.
#[derive(Debug)]
pub struct Keys {
    first: u64,
    count: u64,
}

impl Keys {
    pub fn new(spec: &WorkloadSpec) -> Self {
        Self { first: spec.first_key, count: spec.keys }
    }

    #[inline]
    pub fn draw(&self, rng: &mut Rng) -> u64 {
        self.first + ((u128::from(rng.next()) * u128::from(self.count)) >> 64) as u64
    }
}

/// Writes keys as decimal digits of one length.
#[derive(Debug)]
pub struct KeyText {
    digits: [u8; limits::NAME_BYTES],
    length: usize,
}

impl KeyText {
    pub fn new(spec: &WorkloadSpec) -> Self {
        Self { digits: [b'0'; limits::NAME_BYTES], length: (spec.key_length as usize).min(limits::NAME_BYTES) }
    }

    #[inline]
    pub fn of(&mut self, mut key: u64) -> &str {
        let digits = &mut self.digits[..self.length];
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (key % 10) as u8;
            key /= 10;
        }
        std::str::from_utf8(digits).unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn keys_are_spread_over_their_range_and_of_one_length() {
        let spec = WorkloadSpec { first_key: 50, keys: 100, key_length: 4, ..WorkloadSpec::new("a") };
        let (keys, mut rng) = (Keys::new(&spec), Rng::new(1, 0, 0));
        let drawn: std::collections::BTreeSet<u64> = (0..10_000).map(|_| keys.draw(&mut rng)).collect();
        assert_eq!((drawn.first(), drawn.last(), drawn.len()), (Some(&50), Some(&149), 100));
        let mut text = KeyText::new(&spec);
        assert_eq!(text.of(149), "0149");
        assert_eq!(text.of(7), "0007");
    }
}
