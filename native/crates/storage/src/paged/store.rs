//! What the segments of a namespace share: the pages, the extents, and the names of sets.
//!
//! After the head come the pages of the segments, one each; then the namespace's own; then the extents. The namespace's page, kind Namespace:
//!
//! | bytes | what |
//! | --- | --- |
//! | 20..24 | extents that were ever handed out |
//! | 24..28 | first page of the names of sets |
//! | 28..32 | segments |
//! | 64..576 | a bit for each segment whose page was ever used |

mod names;

use super::change::{Change, Room, Touched};
use super::page::{Kind, PageId, u32_at};
use super::pages::Pages;
use super::space::{ExtentId, Space};
use crate::KeptRoom;
use names::Names;
use parking_lot::Mutex;
use std::sync::Arc;
use std::thread;
use tessera_base::limits::SEGMENTS_MAX;
use tessera_base::{Error, ErrorCode, Result, sentence};

/// The segment that pages of the namespace itself say they are of.
pub const NAMESPACE: u16 = 0xfffe;

const HANDED_OUT: usize = 20;
const NAMES: usize = 24;
const SEGMENTS: usize = 28;
const USED: usize = 64;

pub struct Store {
    pages: Pages,
    space: Space,
    names: Names,
    segments: u32,
    /// Held by who changes pages of the namespace.
    room: Mutex<Room>,
}

impl Store {
    /// Makes the store of a namespace of so many segments on new pages, of which there may be those below `end`. What it has written is durable.
    ///
    /// # Errors
    /// `config_invalid`, `storage_failed`.
    pub fn create(pages: Pages, segments: u32, end: u32) -> Result<Self> {
        let store = Self::with(pages, segments, end, 0, 0)?;
        store.change(|change, _| {
            let page = change.format(store.page(), Kind::Namespace)?;
            change.write(page, SEGMENTS, &segments.to_le_bytes());
            Ok(())
        })?;
        store.pages.log().sync(store.pages.log().end())?;
        Ok(store)
    }

    /// The store on pages that were made before. Every segment has to be loaded before its first change.
    ///
    /// # Errors
    /// `config_invalid` for another number of segments, `record_damaged`, `storage_failed`.
    pub fn open(pages: Pages, segments: u32, end: u32) -> Result<Self> {
        let id = page_of_namespace(segments);
        let (kind, handed_out, names, found) = {
            let page = pages.cache().read(id)?;
            (Kind::of(&page), u32_at(&page, HANDED_OUT), PageId(u32_at(&page, NAMES)), u32_at(&page, SEGMENTS))
        };
        if kind != Some(Kind::Namespace) || found != segments {
            return Err(Error::said(
                ErrorCode::ConfigInvalid,
                sentence!("the pages do not belong to a namespace with {segments} segments", segments = segments),
            ));
        }
        let mut store = Self::with(pages, segments, end, handed_out, segments)?;
        store.names = Names::load(store.pages.cache(), &store.space, names)?;
        Ok(store)
    }

    /// The store of a namespace whose index is to be rebuilt, without any segment: the names of sets are what is left of them in the pages `names`. Which
    /// extents others have is told to the space before the first change of a segment: one owner says it for all.
    ///
    /// # Errors
    /// As `create`.
    pub(super) fn rebuild(pages: Pages, segments: u32, end: u32, names: &[PageId]) -> Result<Self> {
        let last = PageId(u32::try_from(pages.length()? / pages.cache().size().bytes() as u64).unwrap_or(u32::MAX).saturating_sub(1));
        let first = PageId(page_of_namespace(segments).0 + 1);
        let layout = Space::new(pages.cache().size(), first, end, 0, 0);
        let handed_out = layout.place(last).map_or_else(|| if last < first { 0 } else { layout.usage().most }, |(extent, _)| extent + 1);
        let mut store = Self::with(pages, segments, end, handed_out, 1)?;
        store.change(|change, id| {
            let page = change.format(id, Kind::Namespace)?;
            change.write(page, SEGMENTS, &segments.to_le_bytes());
            change.write(page, HANDED_OUT, &handed_out.to_le_bytes());
            Ok(())
        })?;
        store.names = names::mend(&store, names)?;
        Ok(store)
    }

    /// The pages, for who opens another store on them.
    pub(super) fn into_pages(self) -> Pages {
        self.pages
    }

    /// Whether a set has this number, or none has.
    pub(super) fn knows_set(&self, number: u16) -> bool {
        self.names.knows(number)
    }

    fn with(pages: Pages, segments: u32, end: u32, handed_out: u32, owners: u32) -> Result<Self> {
        if !(1..=SEGMENTS_MAX).contains(&segments) {
            return Err(Error::said(ErrorCode::ConfigInvalid, sentence!("{segments} segments are not possible", segments = segments)));
        }
        let first = PageId(page_of_namespace(segments).0 + 1);
        let space = Space::new(pages.cache().size(), first, end, handed_out, owners);
        Ok(Self { pages, space, names: Names::default(), segments, room: Mutex::default() })
    }

    pub fn pages(&self) -> &Pages {
        &self.pages
    }

    pub fn segments(&self) -> u32 {
        self.segments
    }

    pub fn space(&self) -> &Space {
        &self.space
    }

    fn page(&self) -> PageId {
        page_of_namespace(self.segments)
    }

    /// The page of a segment.
    pub fn page_of(segment: u16) -> PageId {
        PageId(Pages::FIRST + u32::from(segment))
    }

    /// Changes pages of the namespace; `work` is given its first one, and asks for no extents.
    pub(super) fn change<R>(&self, work: impl FnOnce(&mut Change<'_>, PageId) -> Result<R>) -> Result<R> {
        let mut room = self.room.lock();
        let mut change = Change::begin(self.pages.cache(), NAMESPACE, &mut room);
        let done = work(&mut change, self.page())?;
        change.commit()?;
        Ok(done)
    }

    /// Keeps extents for this thread's batch, and room in the file for every page of those that were ever handed out, until the answer is dropped.
    ///
    /// # Errors
    /// `device_full`, and as `Cache::write`.
    pub fn keep_extents(self: &Arc<Self>, extents: usize) -> Result<KeptRoom> {
        self.space.keep(extents, |handed_out| self.note_handed_out(handed_out))?;
        let (store, thread) = (Arc::clone(self), thread::current().id());
        let kept = KeptRoom::new(move || store.space.end_batch(thread));
        self.space.last_page().map_or(Ok(()), |last| self.pages.cache().make_room(last))?;
        Ok(kept)
    }

    /// The file has room for them first: a page that may be taken can also be written.
    fn note_handed_out(&self, handed_out: u32) -> Result<()> {
        let last = handed_out.checked_sub(1).map(|last| self.space.page(last, self.space.extent_pages() - 1));
        last.map_or(Ok(()), |last| self.pages.cache().make_room(last))?;
        self.change(|change, id| {
            let page = change.page(id)?;
            change.write(page, HANDED_OUT, &handed_out.to_le_bytes());
            Ok(())
        })
    }

    /// An extent that nobody has.
    ///
    /// # Errors
    /// `device_full`, and as `Cache::write`.
    pub fn take_extent(&self) -> Result<ExtentId> {
        self.space.take(|handed_out| self.note_handed_out(handed_out))
    }

    /// Whether the page of a segment was ever used.
    ///
    /// # Errors
    /// As `Cache::read`.
    pub fn is_used(&self, segment: u16) -> Result<bool> {
        let page = self.pages.cache().read(self.page())?;
        Ok(page[USED + usize::from(segment) / 8] & 1 << (segment % 8) != 0)
    }

    /// Notes that the page of a segment is used from now on; it has to be in the log already.
    ///
    /// # Errors
    /// As `Cache::write`; `config_invalid` for a segment that there is not.
    pub fn set_used(&self, segment: u16) -> Result<()> {
        if u32::from(segment) >= self.segments {
            return Err(Error::said(ErrorCode::ConfigInvalid, sentence!("there is no segment {segment}", segment = segment)));
        }
        let at = USED + usize::from(segment) / 8;
        self.change(|change, id| {
            let page = change.page(id)?;
            let bits = change.bytes(page)[at] | 1 << (segment % 8);
            change.write(page, at, &[bits]);
            Ok(())
        })
    }

    /// Notes where the names of sets begin.
    pub(super) fn set_names(change: &mut Change<'_>, page: Touched, first: PageId) {
        change.write(page, NAMES, &first.0.to_le_bytes());
    }

    /// Tells which id each set has that records were ever stored of; once, after opening and before segments are loaded. `id_of` may make the set.
    ///
    /// # Errors
    /// What `id_of` refuses with.
    pub fn bind(&self, id_of: &dyn Fn(&str) -> Result<u16>) -> Result<()> {
        self.names.bind(id_of)
    }

    /// The number that pages have for a set; its name is in the log before the number is answered for the first time.
    ///
    /// # Errors
    /// `set_limit`, `device_full`, and as `Cache::write`.
    pub fn set_number(&self, id: u16, name: &str) -> Result<u16> {
        self.names.number_of(self, id, name)
    }

    /// The id of the set that pages have a number for.
    pub fn set_id(&self, number: u16) -> Option<u16> {
        self.names.id_of(number)
    }
}

fn page_of_namespace(segments: u32) -> PageId {
    PageId(Pages::FIRST + segments)
}
