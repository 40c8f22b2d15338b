//! What is written, as a function of a seed: so who checks knows all that was there at any moment.

use crate::bodies::body;
use std::collections::BTreeMap;
use tessera_record::{KeyRef, Value};

pub const SETS: [&str; 2] = ["one", "two"];
/// Operations up to the first orderly stop, and up to a checkpoint of the second run.
pub const STOPPED: u64 = 260;
pub const CHECKPOINTED: u64 = 460;
/// The operation that truncates the set `two`.
const TRUNCATION: u64 = 400;
const KEYS: [u64; 2] = [150, 50];

/// A set by its number, and a key in it.
pub type Key = (usize, i64);
/// The operation that wrote each record that is there.
pub type State = BTreeMap<Key, u64>;

pub enum Operation {
    Put(Key),
    Delete(Key),
    Truncate(usize),
}

pub fn mix(word: u64) -> u64 {
    let word = (word ^ word >> 30).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    let word = (word ^ word >> 27).wrapping_mul(0x94d0_49bb_1331_11eb);
    word ^ word >> 31
}

/// Operations up to where the second run is idle: after few of them most pages are as the checkpoint left them.
pub fn idle(seed: u64) -> u64 {
    CHECKPOINTED + if seed.is_multiple_of(3) { 100 } else { 4 }
}

pub fn operation(seed: u64, number: u64) -> Operation {
    let dice = mix(seed ^ number.wrapping_mul(0x9e37_79b9_7f4a_7c15));
    let set = usize::from(dice.is_multiple_of(5));
    let key = (set, (dice >> 8) as i64 % KEYS[set] as i64);
    match () {
        () if number == TRUNCATION => Operation::Truncate(1),
        () if (dice >> 40).is_multiple_of(6) => Operation::Delete(key),
        () => Operation::Put(key),
    }
}

impl Operation {
    pub fn apply(&self, number: u64, state: &mut State) {
        match self {
            Self::Put(key) => drop(state.insert(*key, number)),
            Self::Delete(key) => drop(state.remove(key)),
            Self::Truncate(set) => state.retain(|(of, _), _| of != set),
        }
    }
}

/// Every key that is ever written.
pub fn keys() -> impl Iterator<Item = Key> {
    (0..2).flat_map(|set| (0..KEYS[set] as i64).map(move |key| (set, key)))
}

/// The bins that operation `id` wrote; every ninth record is longer than a page.
pub fn bins(id: u64, page_bytes: u32) -> Vec<(&'static str, Value)> {
    let text = |text: &str, value| (text.to_owned(), value);
    let items = (0..id % 4).map(|n| Value::Map(vec![text("id", Value::Int(((id + n) % 30) as i64))])).collect();
    let name = Value::String(format!("{}{:>30}", id % 9, id % 7));
    let document = vec![text("name", name), text("size", Value::Int((id % 20) as i64)), text("items", Value::List(items))];
    let length = if id.is_multiple_of(9) { u64::from(page_bytes) * 2 + mix(id) % u64::from(page_bytes) } else { 20 + mix(id) % 500 };
    let pad: String = format!("{id:x}-").chars().cycle().take(length as usize).collect();
    vec![("doc", Value::Map(document)), ("id", Value::Int(id as i64)), ("pad", Value::String(pad))]
}

pub fn record(key: Key, id: u64, page_bytes: u32) -> Vec<u8> {
    body(KeyRef::Integer(key.1), &bins(id, page_bytes))
}
