//! The thread that writes changed pages ahead of need, so that whoever reads a page seldom waits for another to be written.

use super::cache::Cache;
use std::time::Duration;

/// How often the ends of the queues are looked at where nobody rings.
const LOOK: Duration = Duration::from_millis(100);
/// Pause before pages that could not be written are tried again, though somebody rings.
const RETRY_AFTER: Duration = Duration::from_millis(50);
/// Share of the frames with a changed page from which any are written, whether they are next to leave or not: percent.
const DIRTY_MOST: u32 = 75;

/// The thread; `Cache::late` ends it.
pub fn run(cache: &Cache) {
    let mut given = 0;
    while cache.late().wait(LOOK) {
        loop {
            let ahead = cache.failure().is_none() && cache.dirty_percent() <= DIRTY_MOST;
            // Why nothing can be written is kept in the cache and in the log, where writers meet it.
            match if ahead { cache.clean_ahead(&mut given) } else { cache.write_some() } {
                Ok(0) => break,
                Ok(_) if cache.late().is_over() => return,
                Ok(_) => {}
                Err(_) => {
                    std::thread::sleep(RETRY_AFTER);
                    break;
                }
            }
        }
    }
}
