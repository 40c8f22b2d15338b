//! Which segment holds a record whose set is placed by a distribution bin, so that a get by key asks one segment.
//!
//! One packed entry a record: 48 bits of the digest's hash and the segment. Entries are a multiset: two digests with
//! the same 48 bits just have two candidates, and a record on the move is for a moment in two segments.

use hashbrown::HashTable;
use parking_lot::RwLock;
use tessera_record::Digest;

const SHARDS: usize = 64;

#[derive(Debug)]
pub struct Directory {
    shards: Box<[RwLock<HashTable<u64>>]>,
}

impl Default for Directory {
    fn default() -> Self {
        Self { shards: (0..SHARDS).map(|_| RwLock::new(HashTable::new())).collect() }
    }
}

/// The packed entry's hash part, spread over the word again for the table.
fn spread(entry: u64) -> u64 {
    (entry >> 16).wrapping_mul(0x9E37_79B9_7F4A_7C15)
}

fn pack(digest: &Digest, segment: u16) -> u64 {
    (digest.hash64() << 16) | u64::from(segment)
}

impl Directory {
    fn shard(&self, digest: &Digest) -> &RwLock<HashTable<u64>> {
        &self.shards[digest.0[12] as usize % SHARDS]
    }

    pub(crate) fn add(&self, digest: &Digest, segment: u16) {
        let entry = pack(digest, segment);
        self.shard(digest).write().insert_unique(spread(entry), entry, |&e| spread(e));
    }

    pub(crate) fn remove(&self, digest: &Digest, segment: u16) {
        let entry = pack(digest, segment);
        if let Ok(found) = self.shard(digest).write().find_entry(spread(entry), |&e| e == entry) {
            found.remove();
        }
    }

    /// Segments that may hold the record; none means that there is no such record.
    pub(crate) fn candidates(&self, digest: &Digest) -> Vec<u16> {
        let wanted = pack(digest, 0);
        let shard = self.shard(digest).read();
        let mut segments: Vec<u16> = shard.iter_hash(spread(wanted)).filter(|&&e| e >> 16 == wanted >> 16).map(|&e| e as u16).collect();
        segments.dedup();
        segments
    }

    pub(crate) fn heap_bytes(&self) -> usize {
        self.shards.iter().map(|shard| shard.read().allocation_size() + size_of::<RwLock<HashTable<u64>>>()).sum()
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_record::KeyRef;

    #[test]
    fn entries_are_a_multiset() {
        let directory = Directory::default();
        let digest = Digest::of("s", KeyRef::Integer(1));
        assert!(directory.candidates(&digest).is_empty());
        directory.add(&digest, 3);
        directory.add(&digest, 3);
        directory.add(&digest, 9);
        directory.remove(&digest, 3);
        let mut found = directory.candidates(&digest);
        found.sort_unstable();
        assert_eq!(found, [3, 9]);
        directory.remove(&digest, 3);
        directory.remove(&digest, 9);
        directory.remove(&digest, 9);
        assert!(directory.candidates(&digest).is_empty());
    }

    #[test]
    fn many_records_are_found_again() {
        let directory = Directory::default();
        let digests: Vec<_> = (0..20_000).map(|n| Digest::of("s", KeyRef::Integer(n))).collect();
        for (n, digest) in digests.iter().enumerate() {
            directory.add(digest, (n % 256) as u16);
        }
        for (n, digest) in digests.iter().enumerate() {
            assert!(directory.candidates(digest).contains(&((n % 256) as u16)));
        }
    }
}
