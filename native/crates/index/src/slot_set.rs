//! A set of slots: one for each (segment, set) with an index.
//!
//! Roaring's idea (Chambi, Lemire, Kaser, Godin: "Better bitmap performance with Roaring bitmaps", 2016) with chunks of
//! 256 slots instead of 65,536, because a segment holds thousands of slots, not billions: `docs/decisions/0002-slot-sets.md`.
//! Up to three slots lie in the set itself and cost nothing more.

mod chunk;
mod chunks;
mod group;

pub use chunks::Chunks;

use chunk::Words;
use group::{Group, GroupBuilder};

/// Slots of one segment, compressed.
#[derive(Clone, Debug)]
pub struct SlotSet(Repr);

#[derive(Clone, Debug)]
enum Repr {
    /// Ascending; the first `len` count.
    Few {
        len: u8,
        slots: [u32; FEW],
    },
    Many(Box<Many>),
}

const FEW: usize = 3;

#[derive(Clone, Debug, Default)]
struct Many {
    len: u32,
    /// Ascending by key, none empty.
    groups: Vec<Group>,
}

impl Default for SlotSet {
    fn default() -> Self {
        Self::new()
    }
}

impl SlotSet {
    /// The set of no slots.
    pub const fn new() -> Self {
        Self(Repr::Few { len: 0, slots: [0; FEW] })
    }

    /// The set of slots that come in ascending order; repeated ones count once.
    pub fn from_sorted_iter(slots: impl IntoIterator<Item = u32>) -> Self {
        let mut builder = Builder::default();
        let mut open: Option<(u32, Words)> = None;
        for slot in slots {
            let base = slot & !0xff;
            let (_, words) = match &mut open {
                Some(chunk) if chunk.0 == base => chunk,
                _ => {
                    if let Some((base, words)) = open.take() {
                        builder.push(base, &words);
                    }
                    open.insert((base, [0; 4]))
                }
            };
            words[(slot as usize & 0xff) / 64] |= 1 << (slot % 64);
        }
        if let Some((base, words)) = open {
            builder.push(base, &words);
        }
        builder.finish()
    }

    /// The set of the chunks (first slot, a multiple of 256, and bits) that come in ascending order, each base once.
    pub fn from_chunks(chunks: impl IntoIterator<Item = (u32, [u64; 4])>) -> Self {
        let mut builder = Builder::default();
        chunks.into_iter().for_each(|(base, words)| builder.push(base, &words));
        builder.finish()
    }

    /// How many slots.
    #[inline]
    pub fn len(&self) -> u32 {
        match &self.0 {
            Repr::Few { len, .. } => u32::from(*len),
            Repr::Many(many) => many.len,
        }
    }

    /// Whether there is none.
    #[inline]
    pub fn is_empty(&self) -> bool {
        self.len() == 0
    }

    /// Whether a slot is in it.
    pub fn contains(&self, slot: u32) -> bool {
        match &self.0 {
            Repr::Few { len, slots } => slots[..usize::from(*len)].contains(&slot),
            Repr::Many(many) => many.find(slot).is_ok_and(|at| many.groups[at].contains(slot as u16)),
        }
    }

    /// Adds a slot; `false` when it was there.
    pub fn insert(&mut self, slot: u32) -> bool {
        match &mut self.0 {
            Repr::Few { len, slots } => {
                let count = usize::from(*len);
                let Err(at) = slots[..count].binary_search(&slot) else { return false };
                if count < FEW {
                    slots.copy_within(at..count, at + 1);
                    slots[at] = slot;
                    *len += 1;
                } else {
                    let mut many = Many::default();
                    for known in slots.iter().chain([&slot]) {
                        many.insert(*known);
                    }
                    self.0 = Repr::Many(Box::new(many));
                }
                true
            }
            Repr::Many(many) => many.insert(slot),
        }
    }

    /// Removes a slot; `false` when it was not there.
    pub fn remove(&mut self, slot: u32) -> bool {
        match &mut self.0 {
            Repr::Few { len, slots } => {
                let count = usize::from(*len);
                let Ok(at) = slots[..count].binary_search(&slot) else { return false };
                slots.copy_within(at + 1..count, at);
                *len -= 1;
                true
            }
            Repr::Many(many) => {
                let removed = many.remove(slot);
                // One less than fits, so that a slot that comes and goes does not change the form each time.
                if many.len < FEW as u32 {
                    *self = Self::from_sorted_iter(self.iter());
                }
                removed
            }
        }
    }

    /// Slots, ascending.
    pub fn iter(&self) -> impl Iterator<Item = u32> + '_ {
        self.chunks().flat_map(|(base, words)| bits(base, words))
    }

    /// Bits by chunks of 256 slots, ascending, none empty.
    pub fn chunks(&self) -> Chunks<'_> {
        self.chunks_from(0)
    }

    /// As `chunks`, from the chunk that holds `slot` on; the first one may hold earlier slots too.
    pub fn chunks_from(&self, slot: u32) -> Chunks<'_> {
        match &self.0 {
            Repr::Few { len, slots } => Chunks::of_few(&slots[..usize::from(*len)], slot),
            Repr::Many(many) => Chunks::of_groups(&many.groups, slot),
        }
    }

    /// Slots in both.
    #[must_use]
    pub fn and(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a & b)
    }

    /// Slots in either.
    #[must_use]
    pub fn or(&self, other: &Self) -> Self {
        self.combine(other, |a, b| a | b)
    }

    fn combine(&self, other: &Self, operation: impl Fn(u64, u64) -> u64) -> Self {
        let (mut left, mut right) = (self.chunks().peekable(), other.chunks().peekable());
        let mut builder = Builder::default();
        loop {
            let base = match (left.peek(), right.peek()) {
                (Some(l), Some(r)) => l.0.min(r.0),
                (Some(one), None) | (None, Some(one)) => one.0,
                (None, None) => return builder.finish(),
            };
            let next = |side: &mut std::iter::Peekable<Chunks<'_>>| side.next_if(|chunk| chunk.0 == base).map_or([0; 4], |chunk| chunk.1);
            let (a, b) = (next(&mut left), next(&mut right));
            builder.push(base, &std::array::from_fn(|n| operation(a[n], b[n])));
        }
    }

    /// Bytes on the heap, the allocator's own included.
    pub fn heap_bytes(&self) -> usize {
        match &self.0 {
            Repr::Few { .. } => 0,
            Repr::Many(many) => {
                let groups: usize = many.groups.iter().map(Group::heap_bytes).sum();
                tessera_base::heap::block(size_of::<Many>())
                    + tessera_base::heap::block(many.groups.capacity() * size_of::<Group>())
                    + groups
            }
        }
    }
}

impl PartialEq for SlotSet {
    fn eq(&self, other: &Self) -> bool {
        self.len() == other.len() && self.chunks().eq(other.chunks())
    }
}

impl Eq for SlotSet {}

/// The slots of one chunk.
fn bits(base: u32, words: Words) -> impl Iterator<Item = u32> {
    let mut words = words;
    let mut at = 0;
    std::iter::from_fn(move || {
        while at < 4 {
            let word = words[at];
            if word != 0 {
                words[at] = word & (word - 1);
                return Some(base + at as u32 * 64 + word.trailing_zeros());
            }
            at += 1;
        }
        None
    })
}

impl Many {
    fn find(&self, slot: u32) -> Result<usize, usize> {
        let key = (slot >> 16) as u16;
        self.groups.binary_search_by_key(&key, Group::key)
    }

    fn insert(&mut self, slot: u32) -> bool {
        let at = self.find(slot).unwrap_or_else(|at| {
            self.groups.reserve_exact(1);
            self.groups.insert(at, Group::new((slot >> 16) as u16));
            at
        });
        let added = self.groups[at].insert(slot as u16);
        self.len += u32::from(added);
        added
    }

    fn remove(&mut self, slot: u32) -> bool {
        let Ok(at) = self.find(slot) else { return false };
        let removed = self.groups[at].remove(slot as u16);
        self.len -= u32::from(removed);
        if self.groups[at].is_empty() {
            self.groups.remove(at);
        }
        removed
    }
}

/// Makes a set of chunks that come in ascending order.
#[derive(Default)]
struct Builder {
    many: Many,
    open: Option<GroupBuilder>,
}

impl Builder {
    fn push(&mut self, base: u32, words: &Words) {
        let count = chunk::count(words);
        if count == 0 {
            return;
        }
        self.many.len += count;
        let key = (base >> 16) as u16;
        if self.open.as_ref().is_some_and(|group| group.key != key) {
            self.close();
        }
        self.open.get_or_insert_with(|| GroupBuilder::new(key)).push((base >> 8) as u8, words);
    }

    fn close(&mut self) {
        if let Some(group) = self.open.take() {
            self.many.groups.reserve_exact(1);
            self.many.groups.push(group.finish());
        }
    }

    fn finish(mut self) -> SlotSet {
        self.close();
        let set = SlotSet(Repr::Many(Box::new(self.many)));
        if set.len() as usize > FEW {
            return set;
        }
        let mut few = SlotSet::new();
        set.iter().for_each(|slot| {
            few.insert(slot);
        });
        few
    }
}

#[cfg(test)]
mod tests;
