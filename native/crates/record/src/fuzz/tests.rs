//! Replays seeds and corpora; the tests of `tessera-core` also mutate them.

use super::{filter, json, msgpack, record};
use std::path::Path;

type Target = (&'static str, fn(&[u8]), fn() -> Vec<Vec<u8>>);

const TARGETS: [Target; 4] = [
    ("filter", filter::run, filter::seeds),
    ("json", json::run, json::seeds),
    ("msgpack", msgpack::run, msgpack::seeds),
    ("record", record::run, record::seeds),
];

#[test]
fn what_was_found_once_is_not_found_again() {
    for (name, run, seeds) in TARGETS {
        let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../fuzz/corpus").join(name);
        let kept = folder.read_dir().unwrap().map(|entry| std::fs::read(entry.unwrap().path()).unwrap());
        seeds().into_iter().chain(kept).for_each(|input| run(&input));
    }
}
