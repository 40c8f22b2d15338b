//! What each thread of the child does, operation by operation: both processes work it out from the round's seed.

use std::collections::HashMap;
use tessera_record::{KeyRef, Value};

/// Threads of the child. The last two write one record at a time to a set with a distribution bin, and rows in batches.
pub const THREADS: u64 = 4;
pub const MOVING: u64 = THREADS - 2;
pub const BATCHES: u64 = THREADS - 1;
/// Keys of each thread where all of them are in the cache, and where the cache is much smaller than what is kept.
pub const FEW: u64 = 40;
pub const MANY: u64 = 2500;
const BATCH_ROWS: u64 = 24;

#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Operation {
    Put {
        key: i64,
        id: u64,
    },
    Merge {
        key: i64,
        id: u64,
    },
    Delete {
        key: i64,
    },
    /// Rows of a load, all with the same id.
    Load {
        keys: Vec<i64>,
        id: u64,
    },
}

/// What a record holds: the operation that wrote it whole, and the last one that merged a bin into it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Content {
    pub written: Option<u64>,
    pub merged: Option<u64>,
}

/// Live records by key.
pub type Model = HashMap<i64, Content>;

/// splitmix64.
pub fn mix(seed: u64) -> u64 {
    let mut z = seed.wrapping_add(0x9e37_79b9_7f4a_7c15);
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

pub fn set_of(thread: u64) -> &'static str {
    if thread == MOVING { "moving" } else { "plain" }
}

/// All keys a thread writes; no two threads share one.
pub fn keys(thread: u64, keys: u64) -> impl Iterator<Item = i64> {
    (0..keys).map(move |n| key(thread, n))
}

fn key(thread: u64, n: u64) -> i64 {
    (thread * 10_000 + n) as i64
}

/// What a thread with so many keys does as its operation `index`.
pub fn operation(seed: u64, keys: u64, thread: u64, index: u64) -> Operation {
    let dice = mix(seed ^ mix(thread << 32 | index));
    let one = key(thread, dice % keys);
    let id = dice >> 8;
    match dice >> 56 {
        0..=51 => Operation::Delete { key: one },
        _ if thread == BATCHES => {
            let first = dice % keys;
            let row = |n: u64| key(thread, (first + n) % keys);
            Operation::Load { keys: (0..BATCH_ROWS).map(row).collect(), id }
        }
        52..=110 => Operation::Merge { key: one, id },
        _ => Operation::Put { key: one, id },
    }
}

impl Operation {
    /// The keys that it writes.
    pub fn keys(&self) -> &[i64] {
        match self {
            Self::Put { key, .. } | Self::Merge { key, .. } | Self::Delete { key } => std::slice::from_ref(key),
            Self::Load { keys, .. } => keys,
        }
    }

    pub fn apply(&self, model: &mut Model) {
        let whole = |id| Content { written: Some(id), merged: None };
        match self {
            Operation::Put { key, id } => drop(model.insert(*key, whole(*id))),
            Operation::Delete { key } => drop(model.remove(key)),
            Operation::Load { keys, id } => model.extend(keys.iter().map(|key| (*key, whole(*id)))),
            Operation::Merge { key, id } => {
                model.entry(*key).or_insert(Content { written: None, merged: None }).merged = Some(*id);
            }
        }
    }
}

impl Content {
    /// The bins of a record with this content, in order of name.
    pub fn bins(&self) -> Vec<(&'static str, Value)> {
        let int = |id: u64| Value::Int(id as i64);
        let mut bins = vec![];
        if let Some(id) = self.written {
            bins.extend([("body", Value::Bytes(filler(id))), ("written", int(id))]);
        }
        if let Some(id) = self.merged {
            bins.push(("merged", int(id)));
        }
        // Decides the segment in the set with a distribution bin.
        bins.extend(self.merged.or(self.written).map(|id| ("home", int(id % 7))));
        bins.sort_by_key(|(name, _)| *name);
        bins
    }
}

/// 0 to 6,000 bytes that only this id has.
fn filler(id: u64) -> Vec<u8> {
    (0..mix(id) % 6000).map(|n| (mix(id ^ (n / 8)) >> (n % 8 * 8)) as u8).collect()
}

/// The body of a write of these bins.
pub fn body(key: i64, bins: &[(&str, Value)]) -> Vec<u8> {
    crate::bodies::body(KeyRef::Integer(key), bins)
}
