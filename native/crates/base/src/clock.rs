//! Wall-clock time, in the units that records, jobs and frames carry.

use std::time::{SystemTime, UNIX_EPOCH};

/// What tests add to the clock of their process, milliseconds.
#[cfg(any(test, feature = "test-support"))]
static SET_AHEAD_MS: std::sync::atomic::AtomicI64 = std::sync::atomic::AtomicI64::new(0);

/// Sets the clock of this process ahead of the machine's, or behind it.
#[cfg(any(test, feature = "test-support"))]
pub fn set_ahead(millis: i64) {
    SET_AHEAD_MS.store(millis, std::sync::atomic::Ordering::SeqCst);
}

/// The beginning of 2020, Unix milliseconds: the index counts times of update from here.
pub const EPOCH_MS: u64 = 1_577_836_800_000;

/// Milliseconds since the Unix epoch; a clock that is before 2020 is taken for 2020.
#[inline]
pub fn unix_millis() -> u64 {
    let now = SystemTime::now().duration_since(UNIX_EPOCH).map_or(0, |d| u64::try_from(d.as_millis()).unwrap_or(u64::MAX));
    #[cfg(any(test, feature = "test-support"))]
    let now = now.saturating_add_signed(SET_AHEAD_MS.load(std::sync::atomic::Ordering::SeqCst));
    now.max(EPOCH_MS)
}

/// Seconds since the Unix epoch, as record expiry counts them.
#[inline]
pub fn unix_seconds() -> u32 {
    u32::try_from(unix_millis() / 1000).unwrap_or(u32::MAX)
}
