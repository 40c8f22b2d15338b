//! Walking a set by chunks of 256 slots.

use super::chunk::{self, Words};
use super::group::Group;

/// First slot and bits of each chunk, ascending.
#[derive(Clone, Debug)]
pub struct Chunks<'a>(State<'a>);

#[derive(Clone, Debug)]
enum State<'a> {
    Few(&'a [u32]),
    Groups {
        /// After the one being walked.
        groups: &'a [Group],
        key: u16,
        numbers: &'a [u8],
        codes: &'a [u8],
        data: &'a [u8],
    },
}

impl<'a> Chunks<'a> {
    pub(super) fn of_few(slots: &'a [u32], from: u32) -> Self {
        let before = slots.iter().take_while(|&&slot| slot >> 8 < from >> 8).count();
        Self(State::Few(&slots[before..]))
    }

    pub(super) fn of_groups(groups: &'a [Group], from: u32) -> Self {
        let before = groups.iter().take_while(|group| u32::from(group.key()) < from >> 16).count();
        let mut chunks = Self(State::Groups { groups: &groups[before..], key: 0, numbers: &[], codes: &[], data: &[] });
        chunks.skip_to(from);
        chunks
    }

    fn skip_to(&mut self, from: u32) {
        self.enter();
        let State::Groups { key, numbers, codes, data, .. } = &mut self.0 else { return };
        if u32::from(*key) == from >> 16 {
            let skip = numbers.iter().take_while(|&&number| u32::from(number) < from >> 8 & 0xff).count();
            let bytes = codes[..skip].iter().map(|&code| usize::from(code)).sum::<usize>();
            (*numbers, *codes, *data) = (&numbers[skip..], &codes[skip..], &data[bytes..]);
        }
    }

    /// Takes up the next group, if there is one.
    fn enter(&mut self) -> bool {
        let State::Groups { groups, key, numbers, codes, data } = &mut self.0 else { return false };
        let Some((first, rest)) = groups.split_first() else { return false };
        *groups = rest;
        *key = first.key();
        (*numbers, *codes, *data) = first.parts();
        true
    }
}

impl Iterator for Chunks<'_> {
    type Item = (u32, Words);

    fn next(&mut self) -> Option<Self::Item> {
        loop {
            match &mut self.0 {
                State::Few(slots) => {
                    let base = slots.first()? & !0xff;
                    let mut words = [0; 4];
                    let here = slots.iter().take_while(|&&slot| slot & !0xff == base).count();
                    for slot in &slots[..here] {
                        words[(slot & 0xff) as usize / 64] |= 1 << (slot % 64);
                    }
                    *slots = &slots[here..];
                    return Some((base, words));
                }
                State::Groups { key, numbers, codes, data, .. } => {
                    if let (Some((&number, later)), Some((&code, later_codes))) = (numbers.split_first(), codes.split_first()) {
                        let (mine, later_data) = data.split_at(usize::from(code));
                        (*numbers, *codes, *data) = (later, later_codes, later_data);
                        return Some((u32::from(*key) << 16 | u32::from(number) << 8, chunk::decode(code, mine)));
                    }
                }
            }
            if !self.enter() {
                return None;
            }
        }
    }
}
