//! Notices a name that occurs twice in one object: a bit filter and a run of short hashes for small objects, a seeded
//! hash set for large ones, so that neither many small maps nor a hostile large one cost much.

use crate::{MapRef, ValueRef};
use std::collections::HashSet;
use std::hash::{BuildHasher as _, RandomState};

/// Objects with more names than this keep a hash set.
const SMALL: usize = 128;

/// Hashes of the names of all open small objects, innermost last. Reused from text to text.
#[derive(Debug, Default)]
pub struct KeyStack {
    hashes: Vec<u32>,
    /// Seeds the sets of large objects, so that nobody can prepare names that collide.
    seed: RandomState,
}

/// The names of one open object.
#[derive(Debug)]
pub struct Names {
    base: usize,
    filter: u64,
    large: Option<HashSet<u64>>,
}

impl KeyStack {
    /// For a new text: whatever an earlier one left behind is dropped.
    #[inline]
    pub fn clear(&mut self) {
        self.hashes.clear();
    }

    #[inline]
    pub fn open(&self) -> Names {
        Names { base: self.hashes.len(), filter: 0, large: None }
    }

    #[inline]
    pub fn close(&mut self, names: &Names) {
        self.hashes.truncate(names.base);
    }

    /// Adds a name; `false` when the object has it already. `entries` are those before it, and are rarely looked at.
    #[inline]
    pub fn add(&mut self, names: &mut Names, name: &[u8], entries: &impl Entries) -> bool {
        if names.large.is_some() {
            return self.add_large(names, name, entries);
        }
        let hash = short_hash(name);
        let bit = 1u64 << (hash & 63);
        if names.filter & bit != 0 && self.hashes[names.base..].contains(&hash) && entries.holds(name) {
            return false;
        }
        names.filter |= bit;
        self.hashes.push(hash);
        if self.hashes.len() - names.base == SMALL {
            let mut set = HashSet::with_capacity(4 * SMALL);
            entries.each(&mut |earlier| {
                set.insert(self.seed.hash_one(earlier));
            });
            set.insert(self.seed.hash_one(name));
            names.large = Some(set);
        }
        true
    }

    #[cold]
    fn add_large(&self, names: &mut Names, name: &[u8], entries: &impl Entries) -> bool {
        let hash = self.seed.hash_one(name);
        let new = names.large.as_mut().is_some_and(|set| set.insert(hash));
        new || !entries.holds(name)
    }
}

/// What an object's entries, encoded so far, can be asked.
pub trait Entries {
    fn holds(&self, name: &[u8]) -> bool;
    fn each(&self, visit: &mut dyn FnMut(&[u8]));
}

impl Entries for MapRef<'_> {
    fn holds(&self, name: &[u8]) -> bool {
        self.get(name).is_some()
    }

    fn each(&self, visit: &mut dyn FnMut(&[u8])) {
        self.iter().for_each(|(name, _): (&[u8], ValueRef<'_>)| visit(name));
    }
}

/// Mixes length, first and last eight bytes; names that agree in all three are told apart by `Entries::holds`.
#[inline]
fn short_hash(name: &[u8]) -> u32 {
    let (first, last) = match (name.first_chunk::<8>(), name.last_chunk::<8>()) {
        (Some(first), Some(last)) => (u64::from_le_bytes(*first), u64::from_le_bytes(*last)),
        _ => match (name.first_chunk::<4>(), name.last_chunk::<4>()) {
            (Some(first), Some(last)) => (u64::from(u32::from_le_bytes(*first)), u64::from(u32::from_le_bytes(*last))),
            _ => (name.iter().fold(0, |word, &byte| word << 8 | u64::from(byte)), 0),
        },
    };
    let mixed = (first ^ (name.len() as u64) << 56).wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ last.wrapping_mul(0xc2b2_ae3d_27d4_eb4f);
    (mixed ^ mixed >> 29).wrapping_mul(0xff51_afd7_ed55_8ccd).rotate_left(32) as u32
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::cell::RefCell;
    use std::collections::BTreeSet;

    struct Model(RefCell<BTreeSet<Vec<u8>>>);

    impl Entries for Model {
        fn holds(&self, name: &[u8]) -> bool {
            self.0.borrow().contains(name)
        }

        fn each(&self, visit: &mut dyn FnMut(&[u8])) {
            self.0.borrow().iter().for_each(|name| visit(name));
        }
    }

    #[test]
    fn agrees_with_a_set_however_many_names_there_are() {
        let mut stack = KeyStack::default();
        for count in [1, 10, 127, 128, 129, 200, 5000] {
            let model = Model(RefCell::default());
            let mut names = stack.open();
            for i in 0..count * 2 {
                let name = format!("name_with_a_long_shared_prefix_{}_and_a_shared_suffix", i % count);
                let new = !model.holds(name.as_bytes());
                assert_eq!(stack.add(&mut names, name.as_bytes(), &model), new, "{i} of {count}");
                model.0.borrow_mut().insert(name.into_bytes());
            }
            stack.close(&names);
        }
    }
}
