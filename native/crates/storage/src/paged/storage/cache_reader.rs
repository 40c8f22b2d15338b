//! Reading the bodies of many records by their places, several pages at once, and neighbours together.
//!
//! A page that is in the cache is read there. Another is read past it: a version of a record that is looked for and not in what came is looked for again
//! through the cache, which knows. A page that was read alone is then offered to the cache; those of a scan are not, so that it throws nothing out.

use super::Shared;
use crate::paged::segment::bodies::{self, Content, Long, Place};
use crate::{BodyReader, DeviceReads, Location};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::{Arrived, CoalescedReads, Disk, NEIGHBOURS_DEPTH, ReadRange, ReadWindow};
use tessera_record::{Digest, Meta};

/// Deepest window.
const DEPTH_MAX: usize = 4096;
/// Records in memory that wait to be given.
const READY_MOST: usize = 4096;

/// A record that is looked for in a page.
#[derive(Clone, Copy)]
struct Wanted {
    tag: u64,
    /// `Cache::stamp` of the page before it was looked for in the cache.
    stamp: u32,
}

/// Where the bytes are of the record that `next` gave last.
#[derive(Clone, Copy)]
enum Given {
    /// In the cache, or nowhere.
    Cache,
    /// In the pages that the window lends.
    Lent { pages: ReadRange, stamp: u32 },
}

/// What the window has of a record.
enum InWindow {
    Body(Range<usize>),
    Long(Long),
}

pub struct CacheReader {
    shared: Arc<Shared>,
    disk: Arc<dyn Disk>,
    depth: usize,
    /// Made once there is something to read.
    reads: Option<CoalescedReads<Wanted>>,
    page_bytes: u64,
    /// How many bytes may lie between two pages that come with one read; `None` where each has a read of its own.
    gap: Option<u64>,
    /// Records whose page is in memory.
    ready: VecDeque<u64>,
    /// The page of the bytes lent that was checked last, and was sound.
    checked: Option<u32>,
    given: Given,
    body: Range<usize>,
    copy: Vec<u8>,
    /// How many were not in memory.
    records: u64,
}

impl CacheReader {
    /// # Errors
    /// `config_invalid` for a depth that no window has.
    pub(super) fn open(shared: Arc<Shared>, disk: &Arc<dyn Disk>, depth: usize) -> Result<Self> {
        Self::open_with(shared, disk, depth, None)
    }

    /// A reader for records in the order of their places: pages with at most `gap` bytes between them are read together.
    ///
    /// # Errors
    /// As `open`.
    pub(super) fn of_neighbours(shared: Arc<Shared>, disk: &Arc<dyn Disk>, gap: u64) -> Result<Self> {
        Self::open_with(shared, disk, NEIGHBOURS_DEPTH, Some(gap))
    }

    fn open_with(shared: Arc<Shared>, disk: &Arc<dyn Disk>, depth: usize, gap: Option<u64>) -> Result<Self> {
        if !(1..=DEPTH_MAX).contains(&depth) {
            return Err(Error::said(
                ErrorCode::ConfigInvalid,
                sentence!("depth must be 1 to {most}, got {given}", most = DEPTH_MAX, given = depth),
            )
            .in_field("depth"));
        }
        let page_bytes = shared.options.page_size.bytes() as u64;
        Ok(Self {
            shared,
            disk: Arc::clone(disk),
            depth,
            reads: None,
            page_bytes,
            gap,
            ready: VecDeque::new(),
            checked: None,
            given: Given::Cache,
            body: 0..0,
            copy: vec![],
            records: 0,
        })
    }

    fn reads(&mut self) -> std::io::Result<&mut CoalescedReads<Wanted>> {
        match &mut self.reads {
            Some(reads) => Ok(reads),
            none => {
                let open = || ReadWindow::open(self.shared.options.backend, Arc::from([Arc::clone(&self.disk)]), self.depth);
                let window = self.shared.idle_windows.take(self.depth, open)?;
                Ok(none.insert(CoalescedReads::new(window, 1, self.gap)))
            }
        }
    }

    fn lent(&self) -> &[u8] {
        self.reads.as_ref().map(CoalescedReads::lent).unwrap_or_default()
    }

    /// The body where the window has it, or where it says that it is.
    fn in_window(&mut self, location: Location, digest: &Digest, meta: &Meta) -> Option<InWindow> {
        let Given::Lent { pages, stamp } = self.given else { return None };
        let id = Place::of(location).page;
        let from = (u64::from(id.0) * self.page_bytes).checked_sub(pages.start)? as usize;
        let lent = self.lent();
        let page = lent.get(from..from + self.page_bytes as usize)?;
        if self.checked != Some(id.0) {
            let cache = self.shared.store.pages().cache();
            // One that is damaged here, as it was written meanwhile, may be sound in the cache.
            cache.check_passing(id, page).ok()?;
            if self.gap.is_none() {
                // Where there is no frame for it, it was read all the same.
                let _ = cache.offer(id, page, stamp);
            }
        }
        let body = bodies::find(page, location, digest, meta).and_then(|content| match content {
            // What must not be shown is looked for in the cache, which says why.
            Content::Body(body) => bodies::check_nesting(body).is_ok().then(|| {
                let at = body.as_ptr() as usize - lent.as_ptr() as usize;
                InWindow::Body(at..at + body.len())
            }),
            Content::Long(long) => Some(InWindow::Long(long)),
        });
        self.checked = Some(id.0);
        body
    }

    /// As `BodyReader::check`.
    fn look(&mut self, location: Location, digest: &Digest, meta: &Meta) -> Result<bool> {
        if let Given::Lent { .. } = self.given {
            let found = self.in_window(location, digest, meta);
            if let Some(InWindow::Body(body)) = found {
                self.shared.store.pages().records().read.add(body.len() as u64);
                self.body = body;
                return Ok(true);
            }
            self.given = Given::Cache;
            if let Some(InWindow::Long(long)) = found
                && let Ok(true) = bodies::read_long(self.shared.store.pages().cache(), &long, &mut self.copy)
            {
                self.shared.store.pages().records().read.add(self.copy.len() as u64);
                self.body = 0..self.copy.len();
                return Ok(true);
            }
        }
        let found = self.shared.read(location, digest, meta, &mut self.copy)?;
        self.body = 0..if found { self.copy.len() } else { 0 };
        Ok(found)
    }
}

impl BodyReader for CacheReader {
    fn start(&mut self, tag: u64, location: Location) -> Result<()> {
        let page = Place::of(location).page;
        let cache = self.shared.store.pages().cache();
        let stamp = cache.stamp(page);
        if cache.has(page) {
            self.ready.push_back(tag);
            return Ok(());
        }
        self.records += 1;
        let start = u64::from(page.0) * self.page_bytes;
        let range = ReadRange { disk: 0, start, end: start + self.page_bytes };
        match self.reads() {
            Ok(reads) => reads.ask(Wanted { tag, stamp }, range),
            // Read alone, through the cache.
            Err(_) => self.ready.push_back(tag),
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        self.reads.as_ref().is_none_or(|reads| reads.has_room(0)) && self.ready.len() < READY_MOST
    }

    fn next(&mut self) -> Option<u64> {
        self.body = 0..0;
        self.given = Given::Cache;
        if let Some(tag) = self.ready.pop_front() {
            return Some(tag);
        }
        let (Wanted { tag, stamp }, arrived) = self.reads.as_mut()?.next_item()?;
        if arrived.is_some_and(|arrived| arrived.first) {
            self.checked = None;
        }
        // What failed is read alone, through the cache: one page of several may be the one that cannot be read.
        self.given = arrived.map_or(Given::Cache, |Arrived { range, .. }| Given::Lent { pages: range, stamp });
        Some(tag)
    }

    fn wait_until(&mut self, until: Instant) -> bool {
        match &mut self.reads {
            Some(reads) if self.ready.is_empty() => reads.wait_until(until),
            reads => {
                reads.iter_mut().for_each(CoalescedReads::begin_all);
                !self.ready.is_empty()
            }
        }
    }

    fn check(&mut self, location: Location, digest: &Digest, meta: &Meta) -> Result<bool> {
        let found = self.look(location, digest, meta)?;
        if found && self.gap.is_none() {
            self.shared.sampler.note(location);
        }
        Ok(found)
    }

    fn body(&self) -> &[u8] {
        let bytes = match self.given {
            Given::Cache => &self.copy,
            Given::Lent { .. } => self.lent(),
        };
        bytes.get(self.body.clone()).unwrap_or_default()
    }

    fn reads(&self) -> DeviceReads {
        DeviceReads { bytes: self.reads.as_ref().map_or(0, CoalescedReads::bytes), records: self.records, ..DeviceReads::default() }
    }
}

impl Drop for CacheReader {
    fn drop(&mut self) {
        if let Some(reads) = self.reads.take() {
            self.shared.idle_windows.give_back(reads.into_window());
        }
    }
}
