//! What a `distinct` has met: a hash of each element, in shards that all workers share.
//!
//! Elements are told apart by 128 bits of XXH3 (Collet, <https://github.com/Cyan4973/xxHash>): of as many as may be met here, two
//! different ones share a hash once in about 10^24 streams.

use crate::budget::Share;
use crossbeam_utils::CachePadded;
use hashbrown::HashTable;
use hashbrown::hash_table::Entry;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use tessera_base::limits::DISTINCT;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::compare::as_integer;
use tessera_record::{BodyRef, Encoder, ValueRef};
use xxhash_rust::xxh3::{xxh3_64, xxh3_128_with_seed};

/// As many as one byte of a hash tells apart.
const SHARDS: usize = 256;

/// What an element takes of a table that has just grown.
const ELEMENT_BYTES: usize = 40;
/// The budget is told of so many at once.
const NOTED: usize = 4096;

#[derive(Debug)]
pub(super) struct Seen {
    shards: Box<[CachePadded<Mutex<HashTable<u128>>>]>,
    room: Arc<Room>,
}

/// How many different elements all `distinct` of a stream may still meet.
#[derive(Debug)]
pub(super) struct Room {
    left: AtomicUsize,
    share: Arc<Share>,
}

impl Room {
    /// `share`: of the stream.
    pub(super) fn new(share: Arc<Share>) -> Self {
        Self { left: AtomicUsize::new(DISTINCT), share }
    }
}

impl Seen {
    pub(super) fn new(room: Arc<Room>) -> Self {
        Self { shards: (0..SHARDS).map(|_| CachePadded::default()).collect(), room }
    }

    /// Whether an element with these bins is met for the first time. `scratch` is kept for its memory.
    ///
    /// # Errors
    /// `too_many_distinct`.
    pub(super) fn is_new(&self, body: BodyRef<'_>, scratch: &mut Vec<u8>) -> Result<bool> {
        let hash = hash(body, scratch);
        let mut shard = self.shards[(hash >> 120) as usize].lock();
        match shard.entry(hash as u64, |&other| other == hash, |&other| other as u64) {
            Entry::Occupied(_) => Ok(false),
            Entry::Vacant(place) => {
                let left = self.room.left.fetch_update(Relaxed, Relaxed, |left| left.checked_sub(1)).map_err(|_| {
                    let message = sentence!(
                        "the stream has more than {most} different elements; filter first, or map to fewer columns",
                        most = DISTINCT
                    );
                    Error::said(ErrorCode::TooManyDistinct, message)
                })?;
                if left % NOTED == 0 {
                    self.room.share.hold((NOTED * ELEMENT_BYTES) as u64);
                }
                place.insert(hash);
                Ok(true)
            }
        }
    }
}

/// Of the bins, in whatever order they are. Numbers that are equal are one value; inside lists and maps as they are stored.
fn hash(body: BodyRef<'_>, scratch: &mut Vec<u8>) -> u128 {
    body.raw_bins().fold(0, |sum, (name, encoded)| {
        let whole = if let ValueRef::Double(double) = ValueRef::of(encoded) { as_integer(double) } else { None };
        let value = whole.map_or(encoded, |whole| {
            scratch.clear();
            Encoder::new(scratch).int(whole);
            scratch
        });
        sum.wrapping_add(xxh3_128_with_seed(value, xxh3_64(name)))
    })
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::budget::Budget;
    use std::time::Duration;
    use tessera_record::json::{Shape, parse_bins};
    use tessera_record::{BodyBuilder, KeyRef};

    fn room(left: usize) -> Arc<Room> {
        let share = Budget::new(u64::MAX, Duration::ZERO).share();
        Arc::new(Room { left: AtomicUsize::new(left), share })
    }

    fn is_new(seen: &Seen, key: i64, bins: &str) -> Result<bool> {
        let mut bytes = Vec::new();
        let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(key));
        parse_bins(bins.as_bytes(), Shape::Record, body.bins()).unwrap();
        body.finish();
        seen.is_new(BodyRef::new(&bytes), &mut Vec::new())
    }

    #[test]
    fn elements_with_equal_bins_are_one() {
        let seen = Seen::new(room(DISTINCT));
        for (bins, new) in [
            (r#"{"a":1,"b":"x"}"#, true),
            (r#"{"b":"x","a":1.0}"#, false),
            (r#"{"a":"x","b":1}"#, true),
            (r#"{"a":1}"#, true),
            (r#"{"a":1,"b":null}"#, true),
            (r#"{"a":1.5}"#, true),
            (r#"{}"#, true),
            (r#"{}"#, false),
        ] {
            assert_eq!(is_new(&seen, bins.len() as i64, bins), Ok(new), "{bins}");
        }
    }

    #[test]
    fn what_all_steps_of_a_stream_have_met_is_bounded_together() {
        let room = room(3);
        let (first, second) = (Seen::new(room.clone()), Seen::new(room));
        assert_eq!(is_new(&first, 0, r#"{"a":1}"#), Ok(true));
        assert_eq!(is_new(&second, 0, r#"{"a":1}"#), Ok(true));
        assert_eq!(is_new(&second, 0, r#"{"a":2}"#), Ok(true));
        assert_eq!(is_new(&second, 0, r#"{"a":2}"#), Ok(false));
        assert_eq!(is_new(&first, 0, r#"{"a":2}"#).unwrap_err().code, ErrorCode::TooManyDistinct);
    }
}
