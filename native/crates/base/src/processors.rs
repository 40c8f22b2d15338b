//! How many processors there are for this process.

use std::sync::OnceLock;
use std::thread::available_parallelism;

/// As many threads as can run at once: asked of the system once, which reads files for it and takes longer than a small scan.
#[inline]
pub fn processors() -> u32 {
    static KNOWN: OnceLock<u32> = OnceLock::new();
    *KNOWN.get_or_init(|| available_parallelism().map_or(1, |number| number.get() as u32))
}
