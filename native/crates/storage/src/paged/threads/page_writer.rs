//! The thread that writes changed pages ahead of need, so that whoever reads a page seldom waits for another to be written.

use crate::paged::cache::Cache;
use std::time::Duration;

/// How often the ends of the queues are looked at if nobody notifies.
const LOOK: Duration = Duration::from_millis(100);
/// Pause before pages that could not be written are tried again, whatever is notified.
const RETRY_AFTER: Duration = Duration::from_millis(50);
/// Share of the frames with a changed page from which any are written, whether they are next to leave or not: percent.
const DIRTY_MOST: u32 = 75;

/// The thread; `Cache::late` ends it.
pub fn run(cache: &Cache) {
    keep_writing(cache, RETRY_AFTER);
}

fn keep_writing(cache: &Cache, retry_after: Duration) {
    let mut given = 0;
    while cache.late().wait(LOOK) {
        loop {
            let ahead = cache.failure().is_none() && cache.dirty_percent() <= DIRTY_MOST;
            // Why nothing can be written is kept in the cache and in the log, where writers meet it.
            match if ahead { cache.clean_ahead(&mut given) } else { cache.write_some() } {
                Ok(0) => break,
                Ok(_) if cache.late().is_over() => return,
                Ok(_) => {}
                Err(_) if !cache.late().pause(retry_after) => return,
                Err(_) => break,
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::paged::cache::tests::{pages, put};
    use tessera_base::wait_until;
    use tessera_io::faulty::{Fault, FaultyDisk};

    #[test]
    fn the_last_notification_ends_the_pause_after_a_write_that_failed() {
        let disk = FaultyDisk::default();
        let pages = pages(&disk);
        put(&pages, 3, 1);
        disk.set_fault(Some(Fault::Write(5)));
        // From here on pages are tried whether they are next to leave or not.
        assert!(pages.checkpoint(&mut || true).is_err());
        let failures = pages.cache().failures().0;
        std::thread::scope(|scope| {
            let writing = scope.spawn(|| keep_writing(pages.cache(), Duration::from_secs(600)));
            wait_until(|| pages.cache().failures().0 != failures);
            pages.cache().late().stop();
            writing.join().unwrap();
        });
        assert!(pages.cache().failure().is_some());
    }
}
