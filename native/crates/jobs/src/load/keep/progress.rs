//! How far an import has come: what was counted, and up to where every row is stored.

use serde::{Deserialize, Serialize};
use std::collections::BTreeMap;

/// A place between two rows of the unpacked stream.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Mark {
    /// Plain bytes before it.
    pub bytes: u64,
    /// Line that begins there, from 1; 0 at the start of the stream.
    pub line: u64,
    /// xxh3 of the last bytes before it, and of how many: another stream is told from this one by it.
    pub check: u64,
    pub checked: u32,
}

/// What became of rows. Each of `rows` is inserted, updated or rejected; in a dry run, merely read.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(rename_all = "camelCase")]
pub struct Counts {
    pub rows: u64,
    pub inserted: u64,
    pub updated: u64,
    /// Rows without the distribution bin, where there is one.
    pub without_route: u64,
    /// By code.
    pub rejected: BTreeMap<String, u64>,
}

impl Counts {
    pub fn reject(&mut self, code: &str) {
        match self.rejected.get_mut(code) {
            Some(count) => *count += 1,
            None => {
                self.rejected.insert(code.to_owned(), 1);
            }
        }
    }

    pub fn add(&mut self, other: &Self) {
        self.rows += other.rows;
        self.inserted += other.inserted;
        self.updated += other.updated;
        self.without_route += other.without_route;
        for (code, count) in &other.rejected {
            *self.rejected.entry(code.clone()).or_default() += count;
        }
    }

    pub const fn stored(&self) -> u64 {
        self.inserted + self.updated
    }
}

/// Blocks are stored in any order; what matters after a restart is the first that is not.
#[derive(Debug, Default)]
pub struct Progress {
    /// Of all blocks.
    pub counts: Counts,
    /// Up to which every block is stored, and the counts of those.
    mark: Mark,
    marked: Counts,
    /// Stored blocks behind one that is not, by where they begin.
    ahead: BTreeMap<u64, (Mark, Counts)>,
}

impl Progress {
    /// Of an import that goes on at `mark`.
    pub fn at(mark: Mark, counts: Counts) -> Self {
        Self { counts: counts.clone(), mark, marked: counts, ahead: BTreeMap::new() }
    }

    /// Notes that the block from byte `from` to `to` is stored.
    pub fn block(&mut self, from: u64, to: Mark, counts: Counts) {
        self.counts.add(&counts);
        self.ahead.insert(from, (to, counts));
        while let Some((to, counts)) = self.ahead.remove(&self.mark.bytes) {
            self.mark = to;
            self.marked.add(&counts);
        }
    }

    /// Up to which every block is stored, and the counts of those.
    pub fn mark(&self) -> (Mark, Counts) {
        (self.mark, self.marked.clone())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_mark_waits_for_the_first_block_that_is_not_stored() {
        let mark = |bytes| Mark { bytes, line: bytes, ..Mark::default() };
        let rows = |rows| Counts { rows, rejected: [("key_missing".to_owned(), 1)].into(), ..Counts::default() };
        let mut progress = Progress::at(mark(5), rows(1));
        progress.block(20, mark(30), rows(4));
        progress.block(10, mark(20), rows(3));
        assert_eq!(progress.mark(), (mark(5), rows(1)));
        assert_eq!((progress.counts.rows, progress.counts.rejected["key_missing"]), (8, 3));
        progress.block(5, mark(10), rows(2));
        let (reached, counts) = progress.mark();
        assert_eq!((reached, counts.rows, counts.rejected["key_missing"]), (mark(30), 10, 4));
        assert!(progress.ahead.is_empty());
    }
}
