//! Wall-clock time, in the units that records, jobs and frames carry.

use std::time::{SystemTime, UNIX_EPOCH};

/// Milliseconds since the Unix epoch; 0 when the machine's clock is before it.
pub fn unix_millis() -> u64 {
    SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX))
}

/// Seconds since the Unix epoch, as record expiry counts them.
pub fn unix_seconds() -> u32 {
    u32::try_from(unix_millis() / 1000).unwrap_or(u32::MAX)
}
