//! Keeps syncs from ending, for tests of what goes on meanwhile. Only in builds with debug assertions; in others all of this is
//! nothing.

use parking_lot::{Condvar, Mutex};

static HELD: Mutex<bool> = Mutex::new(false);
static CHANGED: Condvar = Condvar::new();

/// From now on no sync of a disk ends, or all do. Whether this build can.
pub fn hold_syncs(held: bool) -> bool {
    if cfg!(debug_assertions) {
        *HELD.lock() = held;
        CHANGED.notify_all();
    }
    cfg!(debug_assertions)
}

/// A disk is about to sync.
pub(super) fn pass() {
    if cfg!(debug_assertions) {
        CHANGED.wait_while(&mut HELD.lock(), |held| *held);
    }
}
