//! How often tests repeat what takes long.

/// How many cases a test tries that differ by chance alone: a quarter of `all`, or `all` as often as `TESSERA_CASES` says.
pub fn cases(all: u32) -> u32 {
    times().map_or(all.div_ceil(4), |times| all * times)
}

/// One of so many a test tries of what differs by its place alone: every third, or each where `TESSERA_CASES` is set.
pub fn one_in() -> usize {
    times().map_or(3, |_| 1)
}

fn times() -> Option<u32> {
    std::env::var("TESSERA_CASES").ok().and_then(|times| times.parse().ok())
}
