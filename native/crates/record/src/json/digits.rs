//! Numbers as text.

/// Appends an integer in decimal.
pub fn write_int(out: &mut Vec<u8>, value: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(value).as_bytes());
}

/// Appends the shortest text that reads back as `value`, always with a '.' or an 'e'. JSON has no NaN and no infinity,
/// and neither does any text that becomes a value here; should a value hold one, it is written as null.
pub fn write_double(out: &mut Vec<u8>, value: f64) {
    if value.is_finite() {
        out.extend_from_slice(zmij::Buffer::new().format_finite(value).as_bytes());
    } else {
        out.extend_from_slice(b"null");
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn doubles_keep_their_mark_and_their_bits() {
        let mut cases = vec![
            0.0,
            -0.0,
            1.0,
            100.0,
            1e15,
            1e16,
            1e17,
            1e21,
            1e100,
            0.1,
            1e-5,
            1e-7,
            5e-324,
            f64::MAX,
            f64::MIN,
            f64::MIN_POSITIVE,
            1.0 / 3.0,
        ];
        cases.extend((0..64).map(|bit| (1u64 << bit) as f64));
        for value in cases {
            let mut out = vec![];
            write_double(&mut out, value);
            let text = String::from_utf8(out).unwrap();
            assert!(text.contains(['.', 'e']), "{text}");
            assert_eq!(text.parse::<f64>().unwrap().to_bits(), value.to_bits(), "{text}");
        }
    }
}
