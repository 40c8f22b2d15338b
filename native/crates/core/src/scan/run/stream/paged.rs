//! A scan in pages: one page, in order, on one thread.

use super::Running;
use super::here::HERE_ROWS;
use crate::scan::output::Cursor;
use crate::scan::run::page::{Page, write_page};
use crate::scan::walk::Scratch;
use std::sync::atomic::Ordering;
use tessera_base::Result;
use tessera_base::pool::caught;

impl Running {
    /// A page from `from` on: on this thread if `here`, until its rows turn out to be too many for that.
    pub(super) fn page(self, from: Cursor, scope: Vec<u8>, here: bool) {
        let begun = Page { next: Some(from), unfinished: true, ..Page::default() };
        let page = if here {
            self.sink.set_bounded(false);
            self.write_page(begun, HERE_ROWS)
        } else {
            Ok(begun)
        };
        match page {
            Ok(page) if page.unfinished => {
                self.sink.set_bounded(true);
                let pool = self.store.pool().clone();
                pool.spawn(move || self.end_page(self.write_page(page, usize::MAX), &scope));
            }
            page => self.end_page(page, &scope),
        }
    }

    fn write_page(&self, page: Page, room: usize) -> Result<Page> {
        self.job.start();
        let _at_work = self.time.at_work();
        let mut scratch = Scratch::default();
        let page = caught(|| write_page(&self.walk(), &self.spec, page, room, &self.job, &self.sink, &mut scratch));
        *self.reads.lock() += scratch.reads();
        page
    }

    fn end_page(&self, page: Result<Page>, scope: &[u8]) {
        let (outcome, page) = match page {
            Ok(page) => (Ok(()), page),
            Err(error) => (Err(error), Page::default()),
        };
        self.returned.store(page.returned, Ordering::Relaxed);
        self.scanned.store(page.scanned, Ordering::Relaxed);
        self.end(outcome, page.next.map(|cursor| cursor.encode(scope)));
    }
}
