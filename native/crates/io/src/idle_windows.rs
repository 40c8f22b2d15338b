//! Read windows that nobody uses now, for the next reader: making one costs more than a few reads.

use super::ReadWindow;
use parking_lot::Mutex;
use std::io::Result;

/// Most windows that are kept.
const KEPT: usize = 16;
/// Longest buffer that one keeps.
const BUFFER_BYTES: usize = 16 * 1024;

/// Of one storage: they are over the same disks.
#[derive(Default)]
pub struct IdleWindows(Mutex<Vec<ReadWindow>>);

impl IdleWindows {
    /// One that is so deep, or what `open` makes.
    ///
    /// # Errors
    /// What `open` returns.
    pub fn take(&self, depth: usize, open: impl FnOnce() -> Result<ReadWindow>) -> Result<ReadWindow> {
        let found = {
            let mut idle = self.0.lock();
            idle.iter().position(|window| window.depth() == depth).map(|at| idle.swap_remove(at))
        };
        found.map_or_else(open, Ok)
    }

    /// Keeps a window once what it has in flight has ended.
    pub fn give_back(&self, mut window: ReadWindow) {
        while window.next().is_some() {}
        window.trim(BUFFER_BYTES);
        let mut idle = self.0.lock();
        if idle.len() < KEPT {
            idle.push(window);
        }
    }
}
