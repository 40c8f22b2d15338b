//! JSON numbers: integers exact in 64 bits, everything with a fraction or an exponent a double.

use super::fault::Fault;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Int(i64),
    Double(f64),
}

/// Reads the number at the start of `bytes` (the grammar of RFC 8259) and says how many bytes it takes. `-0` is a
/// double, since the integer would lose its sign.
///
/// # Errors
/// `Fault::Number` when malformed, `Fault::Range` for an integer outside `i64` or a double that overflows.
#[inline]
pub fn read(text: &str) -> Result<(Number, usize), Fault> {
    let bytes = text.as_bytes();
    let negative = bytes.first() == Some(&b'-');
    let start = usize::from(negative);
    let mut at = start;
    let mut magnitude = 0u64;
    let mut overflow = false;
    while let Some(digit) = digit(bytes, at) {
        // Nineteen digits always fit in a u64; the twentieth is where it may not.
        if at - start < 19 {
            magnitude = magnitude * 10 + digit;
        } else {
            overflow = true;
        }
        at += 1;
    }
    let digits = at - start;
    if digits == 0 || (digits > 1 && bytes[start] == b'0') {
        return Err(Fault::Number);
    }
    match bytes.get(at) {
        Some(b'.' | b'e' | b'E') => double(text, at),
        _ if negative && magnitude == 0 => Ok((Number::Double(-0.0), at)),
        _ if overflow => Err(Fault::Range),
        _ if negative => {
            let value = 0i64.checked_sub_unsigned(magnitude).ok_or(Fault::Range)?;
            Ok((Number::Int(value), at))
        }
        _ => Ok((Number::Int(i64::try_from(magnitude).map_err(|_| Fault::Range)?), at)),
    }
}

fn double(text: &str, mut at: usize) -> Result<(Number, usize), Fault> {
    let bytes = text.as_bytes();
    let some_digits = |from: usize| {
        let end = (from..).find(|&i| digit(bytes, i).is_none()).unwrap_or(from);
        if end == from { Err(Fault::Number) } else { Ok(end) }
    };
    if bytes[at] == b'.' {
        at = some_digits(at + 1)?;
    }
    if matches!(bytes.get(at), Some(b'e' | b'E')) {
        at += 1;
        if matches!(bytes.get(at), Some(b'+' | b'-')) {
            at += 1;
        }
        at = some_digits(at)?;
    }
    let value: f64 = text[..at].parse().map_err(|_| Fault::Number)?;
    if value.is_finite() { Ok((Number::Double(value), at)) } else { Err(Fault::Range) }
}

#[inline]
fn digit(bytes: &[u8], at: usize) -> Option<u64> {
    let digit = bytes.get(at)?.wrapping_sub(b'0');
    (digit < 10).then_some(u64::from(digit))
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn integers_are_exact_to_the_last_one() {
        for n in [0, 7, -7, 1_000_000_007, i64::MAX, i64::MIN, i64::MAX - 1, i64::MIN + 1] {
            assert_eq!(read(&n.to_string()), Ok((Number::Int(n), n.to_string().len())));
        }
        for text in ["9223372036854775808", "-9223372036854775809", "18446744073709551615", "99999999999999999999", "1e400", "-1e400"] {
            assert_eq!(read(text), Err(Fault::Range), "{text}");
        }
    }

    #[test]
    fn doubles_stay_doubles() {
        for (text, value) in [
            ("1.0", 1.0),
            ("-0", -0.0),
            ("1e2", 100.0),
            ("2.5E-3", 0.0025),
            ("1e-400", 0.0),
            ("12345678901234567890.0", 1.234_567_890_123_456_8e19),
        ] {
            let (Number::Double(read), length) = read(text).unwrap() else { unreachable!() };
            assert_eq!((read.to_bits(), length), (f64::to_bits(value), text.len()));
        }
    }

    #[test]
    fn malformed_numbers_are_refused_and_the_end_is_found() {
        for text in ["", "-", "01", "-01", "1.", "1.e1", "1e", "1e+", ".5", "+1", "a"] {
            assert_eq!(read(text), Err(Fault::Number), "{text}");
        }
        assert_eq!(read("12,3"), Ok((Number::Int(12), 2)));
        assert_eq!(read("0]"), Ok((Number::Int(0), 1)));
    }
}
