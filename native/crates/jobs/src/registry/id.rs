//! Ids of jobs as text.

/// Crockford's base 32 in lower case.
const DIGITS: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// 13 digits, so that ids sort as text.
pub(super) fn base32(mut number: u64) -> String {
    let mut text = [0u8; 13];
    for digit in text.iter_mut().rev() {
        *digit = DIGITS[(number & 31) as usize];
        number >>= 5;
    }
    text.iter().map(|&b| char::from(b)).collect()
}

/// Whether a text is an id that `base32` could have made.
pub(super) fn is_id(text: &str) -> bool {
    text.len() == 13 && text.bytes().all(|b| DIGITS.contains(&b))
}

/// The number of an id that `base32` made; 0 for any other text.
pub(super) fn number_of(id: &str) -> u64 {
    let digit = |b: u8| DIGITS.iter().position(|&d| d == b).map(|n| n as u64);
    let number = id.bytes().take(13).try_fold(0u64, |sum, b| Some(sum.wrapping_shl(5) | digit(b)?));
    number.filter(|_| id.len() == 13).unwrap_or(0)
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_base::clock::unix_millis;

    #[test]
    fn ids_read_back() {
        for number in [0, 1, 31, 32, unix_millis() << 10, u64::MAX] {
            assert_eq!(number_of(&base32(number)), number);
        }
        assert_eq!((number_of("nonsense"), number_of("uuuuuuuuuuuuu"), number_of("")), (0, 0, 0));
    }
}
