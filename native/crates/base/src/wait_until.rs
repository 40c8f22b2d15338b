//! How tests wait for what another thread brings about.

use std::time::{Duration, Instant};

/// A test that waits so long hangs; on a loaded machine it may take most of it.
const LONG: Duration = Duration::from_secs(120);

/// Waits until `condition` holds.
///
/// # Panics
/// After two minutes.
#[track_caller]
pub fn wait_until(mut condition: impl FnMut() -> bool) {
    let deadline = Instant::now() + LONG;
    while !condition() {
        assert!(Instant::now() < deadline, "waited in vain for {} s", LONG.as_secs());
        // Not in a loop that never sleeps: what is waited for may need this processor.
        std::thread::sleep(Duration::from_micros(200));
    }
}
