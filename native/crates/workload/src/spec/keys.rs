//! Which key an operation is of, and its text.

use super::WorkloadSpec;
use crate::rng::Rng;
use crate::ycsb::fnv64;
use tessera_base::limits;

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

/// What YCSB's keys begin with.
const USER: &[u8] = b"user";
/// Digits of the largest number.
const DIGITS: usize = 20;

/// Writes keys as decimal digits of one length, or as YCSB does: `user` and the hash of the record's number (`insertorder=hashed`).
#[derive(Debug)]
pub struct KeyText {
    digits: [u8; limits::NAME_BYTES],
    length: usize,
    ycsb: bool,
}

impl KeyText {
    pub fn new(spec: &WorkloadSpec) -> Self {
        let length = (spec.key_length as usize).min(limits::NAME_BYTES);
        Self { digits: [b'0'; limits::NAME_BYTES], length, ycsb: spec.workload.ycsb() }
    }

    #[inline]
    pub fn of(&mut self, key: u64) -> &str {
        let text = if self.ycsb { self.user(fnv64(key)) } else { self.padded(key) };
        std::str::from_utf8(text).unwrap_or_default()
    }

    fn padded(&mut self, mut key: u64) -> &[u8] {
        let digits = &mut self.digits[..self.length];
        for digit in digits.iter_mut().rev() {
            *digit = b'0' + (key % 10) as u8;
            key /= 10;
        }
        digits
    }

    fn user(&mut self, mut hash: u64) -> &[u8] {
        let text = &mut self.digits[..USER.len() + DIGITS];
        let mut begin = text.len();
        loop {
            begin -= 1;
            text[begin] = b'0' + (hash % 10) as u8;
            hash /= 10;
            if hash == 0 {
                break;
            }
        }
        begin -= USER.len();
        text[begin..begin + USER.len()].copy_from_slice(USER);
        &text[begin..]
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::spec::Mix;

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

    #[test]
    fn ycsb_keys_are_those_of_its_client() {
        let mut text = KeyText::new(&WorkloadSpec::ycsb("a", Mix::YcsbLoad));
        assert_eq!(text.of(0), "user6284781860667377211");
        assert_eq!(text.of(1), "user8517097267634966620");
        for key in 0..10_000 {
            assert_eq!(text.of(key), format!("user{}", fnv64(key)));
        }
        assert_eq!(text.user(0), b"user0");
        assert_eq!(text.user(u64::MAX), b"user18446744073709551615");
    }
}
