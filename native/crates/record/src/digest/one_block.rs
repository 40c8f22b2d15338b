//! RIPEMD-160 of keys that fit in one block of the hash, which most do: one alone without the buffering of a general
//! hash, or eight at once, a vector lane each.

mod rounds;

use super::Digest;
use crate::key::KeyRef;

/// Keys hashed at once.
const LANES: usize = 8;
/// Most bytes of set name, key type and key that fit in one block with the padding.
const ONE_BLOCK: usize = 55;

type Block = [u8; 64];

/// Message, padding and length in bits; `None` when they need more than one block.
#[inline]
pub(super) fn block_of(set: &str, key: KeyRef<'_>) -> Option<Block> {
    let name = set.len();
    key.with_bytes(|bytes| {
        let length = name + 1 + bytes.len();
        if length > ONE_BLOCK {
            return None;
        }
        let mut block = [0; 64];
        block[..name].copy_from_slice(set.as_bytes());
        block[name] = key.type_byte();
        block[name + 1..length].copy_from_slice(bytes);
        block[length] = 0x80;
        block[56..].copy_from_slice(&(length as u64 * 8).to_le_bytes());
        Some(block)
    })
}

fn word_of(block: &Block, at: usize) -> u32 {
    u32::from_le_bytes([block[at * 4], block[at * 4 + 1], block[at * 4 + 2], block[at * 4 + 3]])
}

/// The digest of a padded one-block message.
pub(super) fn digest(block: &Block) -> Digest {
    let state = rounds::compress(&std::array::from_fn::<u32, 16, _>(|at| word_of(block, at)));
    let mut digest = Digest::default();
    for (bytes, word) in digest.0.chunks_exact_mut(4).zip(state) {
        bytes.copy_from_slice(&word.to_le_bytes());
    }
    digest
}

/// Digests of `keys` in `set`, appended to `out` in their order. Where the processor has no AVX2, one by one.
pub fn digests(set: &str, keys: &[KeyRef<'_>], out: &mut Vec<Digest>) {
    out.reserve(keys.len());
    for group in keys.chunks(LANES) {
        #[cfg(target_arch = "x86_64")]
        if group.len() >= LANES / 2 && std::arch::is_x86_feature_detected!("avx2") {
            let mut blocks = [[0; 64]; LANES];
            if blocks.iter_mut().zip(group).all(|(block, key)| block_of(set, *key).map(|found| *block = found).is_some()) {
                // SAFETY: the processor has just been asked for AVX2.
                let found = unsafe { lanes::compress(&blocks) };
                out.extend(&found[..group.len()]);
                continue;
            }
        }
        out.extend(group.iter().map(|key| Digest::of(set, *key)));
    }
}

#[cfg(target_arch = "x86_64")]
mod lanes;

#[cfg(test)]
mod tests {
    use super::*;
    use crate::Key;
    use proptest::prelude::*;
    use ripemd::{Digest as _, Ripemd160};

    fn key() -> impl Strategy<Value = Key> {
        prop_oneof![
            any::<i64>().prop_map(Key::Integer),
            "[a-zé]{1,70}".prop_map(Key::String),
            prop::collection::vec(any::<u8>(), 1..70).prop_map(Key::Bytes)
        ]
    }

    fn by_the_library(set: &str, key: KeyRef<'_>) -> Digest {
        let mut hash = Ripemd160::new_with_prefix(set);
        hash.update([key.type_byte()]);
        key.with_bytes(|bytes| hash.update(bytes));
        Digest(hash.finalize().into())
    }

    proptest! {
        #[test]
        fn agrees_with_the_library_key_by_key(set in "[a-z]{0,63}", keys in prop::collection::vec(key(), 0..40)) {
            let borrowed: Vec<KeyRef<'_>> = keys.iter().map(Key::as_ref).collect();
            let wanted: Vec<Digest> = borrowed.iter().map(|key| by_the_library(&set, *key)).collect();
            let singly: Vec<Digest> = borrowed.iter().map(|key| Digest::of(&set, *key)).collect();
            prop_assert_eq!(&singly, &wanted);
            let mut together = vec![];
            digests(&set, &borrowed, &mut together);
            prop_assert_eq!(&together, &wanted);
        }
    }
}
