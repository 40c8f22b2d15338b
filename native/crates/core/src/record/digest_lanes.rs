//! RIPEMD-160 (Dobbertin, Bosselaers, Preneel, 1996) of eight short keys at once, a vector lane each: the digests of a
//! batch. Keys longer than one block of the hash go one by one.

use super::digest::Digest;
use super::key::KeyRef;

/// Keys hashed at once.
const LANES: usize = 8;
/// Most bytes of set name, key type and key that fit in one block with the padding.
const ONE_BLOCK: usize = 55;

/// Digests of `keys` in `set`, appended to `out` in their order. Where the processor has no AVX2, one by one.
pub fn digests(set: &str, keys: &[KeyRef<'_>], out: &mut Vec<Digest>) {
    out.reserve(keys.len());
    for group in keys.chunks(LANES) {
        #[cfg(target_arch = "x86_64")]
        if group.len() >= LANES / 2
            && group.iter().all(|key| set.len() + 1 + key.with_bytes(<[u8]>::len) <= ONE_BLOCK)
            && std::arch::is_x86_feature_detected!("avx2")
        {
            let mut blocks = [[0u8; 64]; LANES];
            for (block, key) in blocks.iter_mut().zip(group) {
                fill(block, set, *key);
            }
            // SAFETY: the processor has just been asked for AVX2.
            let state = unsafe { lanes::compress(&blocks) };
            out.extend(state[..group.len()].iter().map(|lane| Digest(*lane)));
            continue;
        }
        out.extend(group.iter().map(|key| Digest::of(set, *key)));
    }
}

/// Message, padding and length in bits of one lane.
#[cfg(target_arch = "x86_64")]
fn fill(block: &mut [u8; 64], set: &str, key: KeyRef<'_>) {
    let name = set.len();
    block[..name].copy_from_slice(set.as_bytes());
    block[name] = key.type_byte();
    let length = key.with_bytes(|bytes| {
        block[name + 1..][..bytes.len()].copy_from_slice(bytes);
        name + 1 + bytes.len()
    });
    block[length] = 0x80;
    block[56..].copy_from_slice(&(length as u64 * 8).to_le_bytes());
}

#[cfg(target_arch = "x86_64")]
mod lanes;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::record::Key;
    use proptest::prelude::*;

    fn key() -> impl Strategy<Value = Key> {
        prop_oneof![
            any::<i64>().prop_map(Key::Integer),
            "[a-zé]{1,70}".prop_map(Key::String),
            prop::collection::vec(any::<u8>(), 1..70).prop_map(Key::Bytes)
        ]
    }

    proptest! {
        #[test]
        fn agrees_with_the_library_key_by_key(set in "[a-z]{0,63}", keys in prop::collection::vec(key(), 0..40)) {
            let borrowed: Vec<KeyRef<'_>> = keys.iter().map(Key::as_ref).collect();
            let mut found = vec![];
            digests(&set, &borrowed, &mut found);
            let wanted: Vec<Digest> = borrowed.iter().map(|key| Digest::of(&set, *key)).collect();
            prop_assert_eq!(found, wanted);
        }
    }
}
