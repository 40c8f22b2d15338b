//! The set of every record of a segment, by slot: 2 bytes each, in chunks, so that no doubling slack is held.

mod equal;

use crate::heap::block;
use equal::equal_bits;

/// Slots in a chunk of a column.
pub const CHUNK: usize = 256;
/// What the column holds where there is no record.
const FREE: u16 = u16::MAX;
/// Vectors of pointers to chunks grow by one part of so many, or by a few.
const PART: usize = 8;

#[derive(Default)]
#[repr(C)]
pub struct SetColumn {
    /// First slot that was never used; at the beginning, where a lookup finds it with what it takes of the slots.
    end: u32,
    #[expect(clippy::vec_box, reason = "chunks in the vector itself would double with it")]
    chunks: Vec<Box<[u16; CHUNK]>>,
}

impl SetColumn {
    /// One past the highest slot ever used.
    pub fn end(&self) -> u32 {
        self.end
    }

    /// Id of the record's set; meaningless for a free slot.
    ///
    /// # Panics
    /// For a slot far past `end`.
    pub fn set_of(&self, slot: u32) -> u16 {
        self.chunks[slot as usize / CHUNK][slot as usize % CHUNK]
    }

    /// Whether a slot has no record.
    pub fn is_free(&self, slot: u32) -> bool {
        slot >= self.end || self.set_of(slot) == FREE
    }

    /// Notes that the record in `slot` is of `set`; the slots before it that were never used are free.
    pub fn put(&mut self, slot: u32, set: u16) {
        while slot as usize / CHUNK >= self.chunks.len() {
            grow(&mut self.chunks, Box::new([FREE; CHUNK]));
        }
        self.chunks[slot as usize / CHUNK][slot as usize % CHUNK] = set;
        self.end = self.end.max(slot + 1);
    }

    /// Notes that the record in `slot` has gone.
    pub fn free(&mut self, slot: u32) {
        self.chunks[slot as usize / CHUNK][slot as usize % CHUNK] = FREE;
    }

    /// Appends to `out` members of `set`, ascending from slot `from`, until there are `enough` or a few more. Returns
    /// where to go on; `end()` when there is nothing left.
    pub fn members(&self, set: u16, from: u32, enough: usize, out: &mut Vec<u32>) -> u32 {
        self.gather(from, enough, out, &|column| equal_bits(column, set))
    }

    /// As `members`, of all sets.
    pub fn all(&self, from: u32, enough: usize, out: &mut Vec<u32>) -> u32 {
        self.gather(from, enough, out, &|column| !equal_bits(column, FREE))
    }

    /// How many members a set has.
    pub fn count(&self, set: u16) -> u64 {
        let words = self.chunks.iter().flat_map(|chunk| chunk.chunks(64));
        words.map(|column| u64::from(equal_bits(column, set).count_ones())).sum()
    }

    /// Slots of a set, or of all, as bits: 256 slots of the column from `from` on, a multiple of that.
    pub fn column(&self, set: Option<u16>, from: u32) -> [u64; CHUNK / 64] {
        let mut words = [0; CHUNK / 64];
        if let Some(column) = self.chunks.get(from as usize / CHUNK) {
            for (word, part) in words.iter_mut().zip(column.chunks(64)) {
                *word = set.map_or_else(|| !equal_bits(part, FREE), |set| equal_bits(part, set));
            }
        }
        words
    }

    fn gather(&self, from: u32, enough: usize, out: &mut Vec<u32>, bits: &dyn Fn(&[u16]) -> u64) -> u32 {
        let mut base = from & !63;
        while base < self.end && out.len() < enough {
            let column = &self.chunks[base as usize / CHUNK][base as usize % CHUNK..][..64];
            let mut found = bits(column);
            if base < from {
                found &= u64::MAX << (from - base);
            }
            while found != 0 {
                out.push(base + found.trailing_zeros());
                found &= found - 1;
            }
            base += 64;
        }
        base.min(self.end)
    }

    /// Bytes held for so many records, put in one after the other.
    pub fn bytes_for(records: usize) -> usize {
        let chunks = records.div_ceil(CHUNK);
        chunks * block(size_of::<[u16; CHUNK]>()) + pointer_bytes_for(chunks, size_of::<usize>())
    }

    pub fn heap_bytes(&self) -> usize {
        self.chunks.len() * block(size_of::<[u16; CHUNK]>()) + block(self.chunks.capacity() * size_of::<usize>())
    }
}

/// Adds a chunk without doubling.
pub(crate) fn grow<T>(chunks: &mut Vec<T>, chunk: T) {
    if chunks.len() == chunks.capacity() {
        chunks.reserve_exact(step(chunks.len()));
    }
    chunks.push(chunk);
}

/// How much a full vector of so many grows.
const fn step(chunks: usize) -> usize {
    if chunks / PART < 4 { 4 } else { chunks / PART }
}

/// Bytes of a vector that `grow` has brought to so many chunks.
pub(crate) fn pointer_bytes_for(chunks: usize, each: usize) -> usize {
    let mut room = 0;
    while room < chunks {
        room += step(room);
    }
    block(room * each)
}
