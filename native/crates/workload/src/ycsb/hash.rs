//! The hash that scatters YCSB's records.

/// FNV with 64 bits of the eight bytes of `number`, lowest first, as YCSB's `Utils.fnvhash64` has it: each byte is mixed in and
/// then multiplied (the order that Fowler, Noll and Vo call 1a), and the result is the absolute value of a signed number.
#[inline]
pub const fn fnv64(number: u64) -> u64 {
    let (mut hash, mut rest) = (0xcbf2_9ce4_8422_2325_u64, number);
    let mut byte = 0;
    while byte < 8 {
        hash = (hash ^ (rest & 0xff)).wrapping_mul(1_099_511_628_211);
        rest >>= 8;
        byte += 1;
    }
    hash.cast_signed().unsigned_abs()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// Keys that YCSB itself makes: `user` and these.
    #[test]
    fn the_first_records_have_the_names_that_ycsb_gives_them() {
        assert_eq!(fnv64(0), 6_284_781_860_667_377_211);
        assert_eq!(fnv64(1), 8_517_097_267_634_966_620);
        assert_eq!(fnv64(2), 1_820_151_046_732_198_393);
    }

    /// Computed anew with numbers that do not wrap around.
    #[test]
    fn it_is_the_definition_byte_by_byte() {
        for number in [0u64, 1, 255, 256, 0x6161_6161_6161_6161, u64::MAX] {
            let mut hash: u128 = 14_695_981_039_346_656_037;
            for byte in number.to_le_bytes() {
                hash = ((hash ^ u128::from(byte)) * 1_099_511_628_211) % (1 << 64);
            }
            let signed = hash as u64 as i64;
            assert_eq!(fnv64(number), signed.unsigned_abs());
        }
    }
}
