//! Reading the bodies of many records by their places, several pages at once, and neighbours together.
//!
//! A page that is in the cache is read there. Another is read past it: a version of a record that is looked for and not in what came is looked for again
//! through the cache, which knows. A page that was read alone is then offered to the cache; those of a scan are not, so that it throws nothing out.

use super::Shared;
use crate::paged::page::PageId;
use crate::paged::segment::bodies::{self, Content, Long, Place};
use crate::{BodyReader, DeviceReads, Location, MOST_BYTES_TOGETHER};
use std::collections::VecDeque;
use std::ops::Range;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result};
use tessera_io::{Disk, ReadWindow};
use tessera_record::{Digest, Meta};

/// Reads that a reader of neighbours has in flight, and their bytes, or one read more.
const NEIGHBOURS_DEPTH: usize = 32;
const NEIGHBOURS_BYTES: u64 = 2 * 1024 * 1024;

/// Deepest window.
const DEPTH_MAX: usize = 4096;
/// Records in memory that wait to be given.
const READY_MOST: usize = 4096;

/// Pages that come with one read, and the records that are looked for there.
#[derive(Default)]
struct Group {
    first: u32,
    pages: u32,
    /// `Cache::stamp` of the first before it was looked for in the cache.
    stamp: u32,
    tags: Vec<u64>,
}

/// Where the bytes are of the record that `next` gave last.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Given {
    /// In the cache, or nowhere.
    Cache,
    /// In the group that the window lends.
    Window,
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
    /// Made, or taken from those that are idle, once there is something to read.
    window: Option<ReadWindow>,
    page_bytes: u64,
    /// How many pages may lie between two that come with one read; `None` where each has a read of its own.
    gap: Option<u32>,
    /// Records whose page is in memory, or could not be read.
    ready: VecDeque<u64>,
    /// Reads by their tag in the window, and those of them that are not in use.
    groups: Vec<Group>,
    free: Vec<usize>,
    /// The read that pages may still join.
    open: Option<usize>,
    /// Asked for while the bytes of a read were looked at.
    later: VecDeque<(u64, PageId, u32)>,
    /// The read whose bytes the window lends, and which of its records is next.
    current: Option<(usize, usize)>,
    /// The page of it that was checked last, and was sound.
    checked: Option<u32>,
    bytes_in_flight: u64,
    given: Given,
    body: Range<usize>,
    copy: Vec<u8>,
    reads: DeviceReads,
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
        let pages = gap / shared.options.page_size.bytes() as u64;
        Self::open_with(shared, disk, NEIGHBOURS_DEPTH, Some(u32::try_from(pages).unwrap_or(u32::MAX)))
    }

    fn open_with(shared: Arc<Shared>, disk: &Arc<dyn Disk>, depth: usize, gap: Option<u32>) -> Result<Self> {
        if !(1..=DEPTH_MAX).contains(&depth) {
            return Err(Error::new(ErrorCode::ConfigInvalid, format!("depth must be 1 to {DEPTH_MAX}, got {depth}")).in_field("depth"));
        }
        let page_bytes = shared.options.page_size.bytes() as u64;
        Ok(Self {
            shared,
            disk: Arc::clone(disk),
            depth,
            window: None,
            page_bytes,
            gap,
            ready: VecDeque::new(),
            groups: vec![],
            free: vec![],
            open: None,
            later: VecDeque::new(),
            current: None,
            checked: None,
            bytes_in_flight: 0,
            given: Given::Cache,
            body: 0..0,
            copy: vec![],
            reads: DeviceReads::default(),
        })
    }

    fn window(&mut self) -> std::io::Result<&mut ReadWindow> {
        match &mut self.window {
            Some(window) => Ok(window),
            none => {
                let open = || ReadWindow::open(self.shared.options.backend, Arc::from([Arc::clone(&self.disk)]), self.depth);
                Ok(none.insert(self.shared.idle_windows.take(self.depth, open)?))
            }
        }
    }

    fn in_flight(&self) -> usize {
        self.window.as_ref().map_or(0, ReadWindow::in_flight)
    }

    fn lent(&self) -> &[u8] {
        self.window.as_ref().map(ReadWindow::lent).unwrap_or_default()
    }

    /// Puts a record into the open read, or into a new one.
    fn join(&mut self, tag: u64, page: PageId, stamp: u32) {
        if let Some(group) = self.open.and_then(|at| self.groups.get_mut(at)) {
            let end = page.0.saturating_add(1);
            let near = page.0 >= group.first && page.0 - group.first <= group.pages.saturating_add(self.gap.unwrap_or(0));
            let pages = group.pages.max(end.saturating_sub(group.first));
            let fits = u64::from(pages) * self.page_bytes <= MOST_BYTES_TOGETHER.max(self.page_bytes);
            if near && fits && (self.gap.is_some() || pages == group.pages) {
                group.pages = pages;
                group.tags.push(tag);
                return;
            }
        }
        self.begin();
        let at = self.free.pop().unwrap_or(self.groups.len());
        if at == self.groups.len() {
            self.groups.push(Group::default());
        }
        let group = &mut self.groups[at];
        (group.first, group.pages, group.stamp) = (page.0, 1, stamp);
        group.tags.push(tag);
        self.open = Some(at);
        if self.gap.is_none() {
            self.begin();
        }
    }

    /// Starts the open read. Where that fails, each of its records is read alone.
    fn begin(&mut self) {
        let Some(at) = self.open.take() else { return };
        let Some(group) = self.groups.get(at) else { return };
        let (offset, bytes) = (u64::from(group.first) * self.page_bytes, u64::from(group.pages) * self.page_bytes);
        if self.window().and_then(|window| window.start(at as u64, 0, offset, bytes as usize)).is_ok() {
            self.bytes_in_flight += bytes;
            self.reads.bytes += bytes;
        } else if let Some(group) = self.groups.get_mut(at) {
            self.ready.extend(group.tags.drain(..));
            self.free.push(at);
        }
    }

    /// Whether all records of the read that the window lends have been given, and its bytes may go.
    fn looked_through(&self) -> bool {
        let left = |(at, next): (usize, usize)| self.groups.get(at).is_some_and(|group| next < group.tags.len());
        !self.current.is_some_and(left)
    }

    /// Asks for what waited until the bytes lent may go.
    fn catch_up(&mut self) {
        while let Some((tag, page, stamp)) = self.later.pop_front() {
            self.join(tag, page, stamp);
        }
    }

    /// The next record of the read that the window lends.
    fn next_of_current(&mut self) -> Option<u64> {
        let (at, n) = self.current?;
        let group = self.groups.get_mut(at)?;
        if let Some(&tag) = group.tags.get(n) {
            self.current = Some((at, n + 1));
            self.given = Given::Window;
            return Some(tag);
        }
        group.tags.clear();
        self.free.push(at);
        self.current = None;
        None
    }

    /// The body where the window has it, or where it says that it is.
    fn in_window(&mut self, location: Location, digest: &Digest, meta: &Meta) -> Option<InWindow> {
        let id = Place::of(location).page;
        let group = self.groups.get(self.current?.0)?;
        let from = (u64::from(id.0.checked_sub(group.first)?) * self.page_bytes) as usize;
        let lent = self.lent();
        let page = lent.get(from..from + self.page_bytes as usize)?;
        if self.checked != Some(id.0) {
            let cache = self.shared.store.pages().cache();
            // One that is damaged here, as it was written meanwhile, may be sound in the cache.
            cache.check_passing(id, page).ok()?;
            if self.gap.is_none() {
                // Where there is no frame for it, it was read all the same.
                let _ = cache.offer(id, page, group.stamp);
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
        if self.given == Given::Window {
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
        self.reads.records += 1;
        if self.looked_through() {
            self.join(tag, page, stamp);
        } else {
            // Another read would take away the bytes that are looked at.
            self.later.push_back((tag, page, stamp));
        }
        Ok(())
    }

    fn has_room(&self) -> bool {
        let taken = self.in_flight() + usize::from(self.open.is_some()) + self.later.len();
        self.looked_through() && taken < self.depth && self.bytes_in_flight < NEIGHBOURS_BYTES && self.ready.len() < READY_MOST
    }

    fn next(&mut self) -> Option<u64> {
        self.body = 0..0;
        self.given = Given::Cache;
        if let Some(tag) = self.ready.pop_front() {
            return Some(tag);
        }
        if let Some(tag) = self.next_of_current() {
            return Some(tag);
        }
        self.catch_up();
        if self.in_flight() == 0 {
            self.begin();
        }
        if let Some(tag) = self.ready.pop_front() {
            return Some(tag);
        }
        let ended = self.window.as_mut()?.next()?;
        let (at, failed) = (ended.tag as usize, ended.result.is_err());
        let group = self.groups.get_mut(at)?;
        self.bytes_in_flight -= u64::from(group.pages) * self.page_bytes;
        self.checked = None;
        if failed {
            // Each alone, through the cache: one page of several may be the one that cannot be read.
            self.ready.extend(group.tags.drain(..));
            self.free.push(at);
            return self.ready.pop_front();
        }
        self.current = Some((at, 0));
        self.next_of_current()
    }

    fn wait_until(&mut self, until: Instant) -> bool {
        if self.looked_through() {
            self.catch_up();
            self.begin();
        }
        !self.ready.is_empty() || self.window.as_mut().is_some_and(|window| window.wait_until(until))
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
            Given::Window => self.lent(),
        };
        bytes.get(self.body.clone()).unwrap_or_default()
    }

    fn reads(&self) -> DeviceReads {
        self.reads
    }
}

impl Drop for CacheReader {
    fn drop(&mut self) {
        if let Some(window) = self.window.take() {
            self.shared.idle_windows.give_back(window);
        }
    }
}
