//! The pages of a paged namespace, for whoever watches.

use super::Namespace;
use crate::storage::paged::report::{CELLS_MAX, PageMap, PagesReport, WhatIf};

impl Namespace {
    /// Cache, log, checkpoints and traffic; `None` of another engine. Cheap, and waits for no disk.
    pub fn pages_report(&self) -> Option<PagesReport> {
        self.storage.pages().map(|pages| pages.report())
    }

    /// A map of the pages of at most `cells` cells, taken as the nearest of 1 to `CELLS_MAX`; `None` of another engine.
    pub fn page_map(&self, cells: usize) -> Option<PageMap> {
        self.storage.pages().map(|pages| pages.map(cells.clamp(1, CELLS_MAX)))
    }

    /// What pages of other sizes would cost the reads there were; `None` of another engine.
    pub fn page_what_if(&self) -> Option<WhatIf> {
        self.storage.pages().map(|pages| pages.what_if())
    }
}
