//! LEB128: whole numbers in as few bytes as they need, seven bits each, the lowest first.

pub fn push(out: &mut Vec<u8>, mut number: u64) {
    while number >= 0x80 {
        out.push(number as u8 | 0x80);
        number >>= 7;
    }
    out.push(number as u8);
}

/// Takes a number from the front; `None` if the bytes end in it, or if it has more than 64 bits.
#[inline]
pub fn take(from: &mut &[u8]) -> Option<u64> {
    // Most numbers are small.
    match from.split_first() {
        Some((&byte, rest)) if byte < 0x80 => {
            *from = rest;
            Some(u64::from(byte))
        }
        _ => take_long(from),
    }
}

fn take_long(from: &mut &[u8]) -> Option<u64> {
    let mut number = 0;
    for shift in (0..64).step_by(7) {
        let (&byte, rest) = from.split_first()?;
        *from = rest;
        let bits = u64::from(byte & 0x7f);
        if bits << shift >> shift != bits {
            return None;
        }
        number |= bits << shift;
        if byte < 0x80 {
            return Some(number);
        }
    }
    None
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_come_back_and_what_is_none_is_refused() {
        let numbers = (0..64).flat_map(|bit| [(1 << bit) - 1, 1 << bit]).chain([u64::MAX]);
        let mut bytes = Vec::new();
        numbers.clone().for_each(|number| push(&mut bytes, number));
        let mut rest = &bytes[..];
        assert!(numbers.map(Some).eq((0..129).map(|_| take(&mut rest))));
        assert_eq!((rest.len(), take(&mut rest)), (0, None));
        assert_eq!(take(&mut &[0x80; 3][..]), None, "it does not end");
        assert_eq!(take(&mut &[&[0xff; 9][..], &[2]].concat()[..]), None, "65 bits");
        assert_eq!(take(&mut &[&[0x80; 10][..], &[0]].concat()[..]), None, "11 bytes");
    }
}
