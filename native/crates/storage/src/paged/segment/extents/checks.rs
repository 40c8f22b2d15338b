//! Looking at extents from outside, for tests and fuzzing.

use super::*;

/// Reads what may be a page of the row.
pub fn probe(page: &[u8], size: Result<PageSize>) {
    let Ok(size) = size else { return };
    let mut extents = Extents::new(size);
    let sound = page[ENTRIES..].chunks_exact(extents.entry).all(|entry| extents.load_entry(PageId::NONE, entry).is_ok());
    assert!(!sound || extents.codes.len() == extents.entries * extents.each);
    let known = extents.codes.iter().filter(|code| **code == FREE || meaning(**code).is_some()).count();
    assert_eq!(known, (extents.numbers.len() - extents.holes.len()) * extents.each);
}

/// For tests that look at a segment as a whole.
#[cfg(test)]
impl Extents {
    pub fn row(&self) -> &[PageId] {
        &self.row
    }

    /// What was read and what is known agree.
    pub fn same_as(&self, known: &Self) {
        let of = |extents: &Self| {
            let mut all: Vec<_> = extents.places.iter().map(|(number, place)| (*number, *place)).collect();
            all.sort_unstable();
            let codes = |place: &u32| extents.codes[*place as usize * extents.each..][..extents.each].to_vec();
            let codes: Vec<_> = all.iter().map(|(_, place)| codes(place)).collect();
            (extents.row.clone(), all, codes, extents.free, extents.levels)
        };
        assert_eq!(of(self), of(known), "extents on the disk, and in memory");
    }

    /// The map knows how much of a data page is used: one of so many bytes.
    pub fn level_is(&self, store: &Store, page: PageId, used: std::ops::RangeInclusive<usize>) {
        let [least, most] = [*used.start(), *used.end()].map(|used| (used * LEVELS / self.size.bytes()).min(LEVELS - 1));
        let level = (self.code_of(store, page).unwrap() - 1) as usize;
        assert!((least..=most).contains(&level), "fill of {page:?}: {level}, not {least} to {most}");
    }
}
