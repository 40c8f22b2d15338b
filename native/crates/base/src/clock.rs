//! Wall-clock time, in the units that records, jobs and frames carry.

use std::time::{SystemTime, UNIX_EPOCH};

/// The beginning of 2020, Unix milliseconds: the index counts times of update from here.
pub const EPOCH_MS: u64 = 1_577_836_800_000;

/// Milliseconds since the Unix epoch; a clock that is before 2020 is taken for 2020.
#[inline]
pub fn unix_millis() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX));
    now.max(EPOCH_MS)
}

/// Seconds since the Unix epoch, as record expiry counts them.
#[inline]
pub fn unix_seconds() -> u32 {
    u32::try_from(unix_millis() / 1000).unwrap_or(u32::MAX)
}
