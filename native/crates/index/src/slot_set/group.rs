//! 65,536 slots: one allocation with the numbers of the chunks that are there, their codes, and their data.

use super::chunk::{self, BITMAP, FULL, LIST_AGAIN, Words};

#[derive(Clone, Debug)]
pub(super) struct Group {
    /// `chunks` numbers (ascending), `chunks` codes, data. A code is also its data's length.
    bytes: Vec<u8>,
    key: u16,
    chunks: u16,
}

/// Where a chunk is.
struct Found {
    /// Its position among the chunks.
    at: usize,
    code: u8,
    /// Its data in `bytes`.
    data: std::ops::Range<usize>,
}

impl Group {
    pub(super) fn new(key: u16) -> Self {
        Self { bytes: Vec::new(), key, chunks: 0 }
    }

    pub(super) fn key(&self) -> u16 {
        self.key
    }

    pub(super) fn is_empty(&self) -> bool {
        self.chunks == 0
    }

    pub(super) fn heap_bytes(&self) -> usize {
        tessera_base::heap::block(self.bytes.capacity())
    }

    /// Numbers, codes and data of all chunks.
    pub(super) fn parts(&self) -> (&[u8], &[u8], &[u8]) {
        let (numbers, rest) = self.bytes.split_at(usize::from(self.chunks));
        let (codes, data) = rest.split_at(usize::from(self.chunks));
        (numbers, codes, data)
    }

    fn find(&self, slot: u16) -> Result<Found, usize> {
        let (numbers, codes, _) = self.parts();
        let at = numbers.binary_search(&((slot >> 8) as u8))?;
        let start = self.data_start(at);
        Ok(Found { at, code: codes[at], data: start..start + usize::from(codes[at]) })
    }

    /// Offset in `bytes` of the data of chunk `at`.
    fn data_start(&self, at: usize) -> usize {
        let (_, codes, _) = self.parts();
        2 * usize::from(self.chunks) + codes[..at].iter().map(|&code| usize::from(code)).sum::<usize>()
    }

    pub(super) fn contains(&self, slot: u16) -> bool {
        let Ok(found) = self.find(slot) else { return false };
        let (data, member) = (&self.bytes[found.data], slot as u8);
        match found.code {
            FULL => true,
            BITMAP => data[usize::from(member) / 8] >> (member % 8) & 1 == 1,
            _ => data.contains(&member),
        }
    }

    pub(super) fn insert(&mut self, slot: u16) -> bool {
        let member = slot as u8;
        let found = match self.find(slot) {
            Ok(found) => found,
            Err(at) => {
                let (start, chunks) = (self.data_start(at), usize::from(self.chunks));
                self.reserve(3);
                // From the back, so that the offsets before stay right.
                self.bytes.insert(start, member);
                self.bytes.insert(chunks + at, 1);
                self.bytes.insert(at, (slot >> 8) as u8);
                self.chunks += 1;
                return true;
            }
        };
        match found.code {
            FULL => false,
            BITMAP => {
                let byte = &mut self.bytes[found.data.start + usize::from(member) / 8];
                let added = *byte >> (member % 8) & 1 == 0;
                *byte |= 1 << (member % 8);
                if added && chunk::count(&chunk::decode(BITMAP, &self.bytes[found.data.clone()])) == 256 {
                    self.replace(&found, &[u64::MAX; 4]);
                }
                added
            }
            members => {
                let Err(position) = self.bytes[found.data.clone()].binary_search(&member) else { return false };
                if members + 1 < BITMAP {
                    self.reserve(1);
                    self.bytes.insert(found.data.start + position, member);
                    self.set_code(found.at, members + 1);
                } else {
                    let mut words = chunk::decode(members, &self.bytes[found.data.clone()]);
                    words[usize::from(member) / 64] |= 1 << (member % 64);
                    self.replace(&found, &words);
                }
                true
            }
        }
    }

    pub(super) fn remove(&mut self, slot: u16) -> bool {
        let member = slot as u8;
        let Ok(found) = self.find(slot) else { return false };
        match found.code {
            FULL => {
                let mut words = [u64::MAX; 4];
                words[usize::from(member) / 64] &= !(1 << (member % 64));
                self.reserve(usize::from(BITMAP));
                self.replace(&found, &words);
            }
            BITMAP => {
                let byte = &mut self.bytes[found.data.start + usize::from(member) / 8];
                if *byte >> (member % 8) & 1 == 0 {
                    return false;
                }
                *byte &= !(1 << (member % 8));
                let words = chunk::decode(BITMAP, &self.bytes[found.data.clone()]);
                if chunk::count(&words) <= LIST_AGAIN {
                    self.replace(&found, &words);
                }
            }
            members => {
                let Ok(position) = self.bytes[found.data.clone()].binary_search(&member) else { return false };
                self.bytes.remove(found.data.start + position);
                if members == 1 {
                    self.bytes.remove(usize::from(self.chunks) + found.at);
                    self.bytes.remove(found.at);
                    self.chunks -= 1;
                } else {
                    self.set_code(found.at, members - 1);
                }
            }
        }
        if self.bytes.capacity() > 64 && self.bytes.len() < self.bytes.capacity() / 2 {
            self.bytes.shrink_to(self.bytes.len() + self.bytes.len() / 8);
        }
        true
    }

    /// Gives a chunk other contents, in their shortest form.
    fn replace(&mut self, found: &Found, words: &Words) {
        let mut data = Vec::with_capacity(usize::from(BITMAP));
        let code = chunk::encode(words, &mut data);
        self.bytes.splice(found.data.clone(), data);
        self.set_code(found.at, code);
    }

    fn set_code(&mut self, at: usize, code: u8) {
        self.bytes[usize::from(self.chunks) + at] = code;
    }

    /// Room for `more` bytes, growing by an eighth instead of doubling.
    fn reserve(&mut self, more: usize) {
        if self.bytes.capacity() - self.bytes.len() < more {
            self.bytes.reserve_exact(more + self.bytes.len() / 8);
        }
    }
}

/// Makes a group of chunks that come in ascending order.
pub(super) struct GroupBuilder {
    pub(super) key: u16,
    numbers: Vec<u8>,
    codes: Vec<u8>,
    data: Vec<u8>,
}

impl GroupBuilder {
    pub(super) fn new(key: u16) -> Self {
        Self { key, numbers: Vec::new(), codes: Vec::new(), data: Vec::new() }
    }

    pub(super) fn push(&mut self, number: u8, words: &Words) {
        self.numbers.push(number);
        self.codes.push(chunk::encode(words, &mut self.data));
    }

    pub(super) fn finish(self) -> Group {
        Group { chunks: self.numbers.len() as u16, bytes: [self.numbers, self.codes, self.data].concat(), key: self.key }
    }
}
