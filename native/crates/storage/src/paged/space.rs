//! Extents: 256 KiB of pages that lie together, which belong to one segment at a time.
//!
//! Extents are handed out in order, and those that were given back again first. What is logged is only how many were ever handed out: a free one is
//! one that nobody has in a list of his own, so they are known once every segment has been loaded.

use super::page::{PageId, PageSize};
use parking_lot::Mutex;
use std::cmp::Reverse;
use std::collections::BinaryHeap;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::thread::{self, ThreadId};
use tessera_base::{Error, ErrorCode, Result, sentence};

/// Bytes of an extent: at least 4 pages.
pub const EXTENT_BYTES: u32 = 256 * 1024;

/// Number of an extent, from 0.
pub type ExtentId = u32;

/// Pages of an extent.
pub fn extent_pages(size: PageSize) -> usize {
    EXTENT_BYTES as usize / size.bytes()
}

/// The extents of a namespace.
pub struct Space {
    /// The first page of extent 0.
    first: u32,
    /// Pages of an extent.
    pages: u32,
    /// Most extents that there may be.
    most: u32,
    /// Whether that is less than pages have numbers.
    bounded: bool,
    state: Mutex<State>,
    /// Extents that somebody has, or may have; as `state` knows it.
    taken: AtomicU32,
    /// Bytes of them that their owners can use for what is stored next.
    room: AtomicU64,
}

struct State {
    /// The first that was never handed out.
    next: u32,
    /// Those with low numbers first, so that the file stays short.
    free: BinaryHeap<Reverse<ExtentId>>,
    /// Those that are kept for batches, by the threads that write them: the lowest last.
    kept: Vec<(ThreadId, Vec<ExtentId>)>,
    loading: Option<Loading>,
}

impl State {
    fn taken(&self) -> u32 {
        self.next - (self.free.len() + self.kept.iter().map(|(_, extents)| extents.len()).sum::<usize>()) as u32
    }

    /// What is kept for this thread's batch, if it writes one.
    fn mine(&mut self) -> Option<&mut Vec<ExtentId>> {
        if self.kept.is_empty() {
            return None;
        }
        let thread = thread::current().id();
        self.kept.iter_mut().find(|(of, _)| *of == thread).map(|(_, extents)| extents)
    }
}

/// Which of the extents handed out before a start are somebody's.
struct Loading {
    taken: Vec<bool>,
    /// Who has not said yet what he has.
    left: u32,
}

/// How full it is.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct SpaceUsage {
    /// Extents that were ever handed out: up to there the file is used.
    pub extents: u32,
    /// How many of them nobody has; 0 until every segment has been loaded.
    pub free: u32,
    /// Most that there may be.
    pub most: u32,
}

impl Space {
    /// Extents from the page `first` on, below page `end`, of which `next` were handed out before; `owners` will say with `loaded` which they have.
    pub fn new(size: PageSize, first: PageId, end: u32, next: u32, owners: u32) -> Self {
        let pages = extent_pages(size) as u32;
        let first = first.0.next_multiple_of(pages);
        let most = end.saturating_sub(first) / pages;
        let loading = (owners > 0).then(|| Loading { taken: vec![false; next.min(most) as usize], left: owners });
        let state = State { next: next.min(most), free: BinaryHeap::new(), kept: Vec::new(), loading };
        let taken = AtomicU32::new(state.taken());
        Self { first, pages, most, bounded: end < u32::MAX, state: Mutex::new(state), taken, room: AtomicU64::new(0) }
    }

    /// Takes an extent. `note` makes the number of those that were handed out durable with what comes after it.
    ///
    /// # Errors
    /// `device_full` where there is none left, and what `note` refuses with.
    pub fn take(&self, note: impl FnOnce(u32) -> Result<()>) -> Result<ExtentId> {
        let mut state = self.state.lock();
        let extent = match state.mine().and_then(Vec::pop).or_else(|| state.free.pop().map(|Reverse(extent)| extent)) {
            Some(extent) => extent,
            None if state.next >= self.most => return Err(full()),
            None => {
                note(state.next + 1)?;
                state.next += 1;
                state.next - 1
            }
        };
        self.taken.store(state.taken(), Relaxed);
        Ok(extent)
    }

    /// Takes an extent back, once the change that nobody has it any more is in the log.
    pub fn give(&self, extent: ExtentId) {
        let mut state = self.state.lock();
        match state.mine() {
            Some(kept) => kept.push(extent),
            None => state.free.push(Reverse(extent)),
        }
        self.taken.store(state.taken(), Relaxed);
    }

    /// Keeps so many extents for this thread's batch, which finds them in `take` until `end_batch`. `note` as in `take`.
    ///
    /// # Errors
    /// As `take`; then none is kept.
    pub fn keep(&self, extents: usize, note: impl FnOnce(u32) -> Result<()>) -> Result<()> {
        let mut state = self.state.lock();
        let new = (extents.saturating_sub(state.free.len())) as u32;
        if new > self.most - state.next {
            return Err(full());
        }
        if new > 0 {
            note(state.next + new)?;
        }
        let mut kept: Vec<_> = (state.next..state.next + new).rev().collect();
        let freed = (new as usize..extents).filter_map(|_| state.free.pop()).map(|Reverse(extent)| extent).collect::<Vec<_>>();
        kept.extend(freed.into_iter().rev());
        state.next += new;
        state.kept.push((thread::current().id(), kept));
        Ok(())
    }

    /// Takes back what is left of what was kept for the batch of a thread.
    pub fn end_batch(&self, thread: ThreadId) {
        let mut state = self.state.lock();
        let State { free, kept, .. } = &mut *state;
        kept.retain_mut(|(of, extents)| {
            let ends = *of == thread;
            if ends {
                free.extend(extents.drain(..).map(Reverse));
            }
            !ends
        });
    }

    /// The last page of all extents that were ever handed out.
    pub fn last_page(&self) -> Option<PageId> {
        let next = self.state.lock().next;
        next.checked_sub(1).map(|last| self.page(last, self.extent_pages() - 1))
    }

    /// Whether so little is taken that room may be wasted for speed: less than half.
    pub fn is_roomy(&self) -> bool {
        self.taken.load(Relaxed) < self.most / 2
    }

    /// Somebody has these extents.
    ///
    /// # Errors
    /// `record_damaged` for one that was never handed out, or that somebody else has.
    pub fn claim(&self, extents: &mut dyn Iterator<Item = ExtentId>) -> Result<()> {
        let mut state = self.state.lock();
        let Some(loading) = &mut state.loading else { return Ok(()) };
        for extent in extents {
            match loading.taken.get_mut(extent as usize) {
                Some(taken) if !*taken => *taken = true,
                Some(_) => return Err(Error::new(ErrorCode::RecordDamaged, format!("extent {extent} is in two lists"))),
                None => return Err(Error::new(ErrorCode::RecordDamaged, format!("extent {extent} was never handed out"))),
            }
        }
        Ok(())
    }

    /// One owner more has said what he has. After the last of them the others are free.
    pub fn loaded(&self) {
        let mut state = self.state.lock();
        let Some(loading) = &mut state.loading else { return };
        loading.left -= 1;
        if loading.left == 0 {
            let free: Vec<_> = (0..).zip(&loading.taken).filter(|(_, taken)| !**taken).map(|(extent, _)| Reverse(extent)).collect();
            state.free.extend(free);
            state.loading = None;
            self.taken.store(state.taken(), Relaxed);
        }
    }

    /// Whether there is a limit to it, so that `tell_room` is of use.
    pub fn is_bounded(&self) -> bool {
        self.bounded
    }

    /// Whether less than an eighth of the extents is left.
    pub fn is_short(&self) -> bool {
        self.taken.load(Relaxed) > self.most - self.most / 8
    }

    /// An owner of extents can use `now` bytes of them for what is stored next; it was `before`.
    pub fn tell_room(&self, before: u64, now: u64) {
        self.room.fetch_add(now.wrapping_sub(before), Relaxed);
    }

    /// Bytes of pages that are not to be had for what is stored next: all before the first extent, and the extents that somebody has, less the room
    /// in them. Known where the space is bounded. Takes no lock.
    pub fn occupied_bytes(&self) -> u64 {
        let extent = u64::from(EXTENT_BYTES);
        let before = u64::from(self.first) * (extent / u64::from(self.pages));
        (before + u64::from(self.taken.load(Relaxed)) * extent).saturating_sub(self.room.load(Relaxed))
    }

    /// A page of an extent.
    pub fn page(&self, extent: ExtentId, at: usize) -> PageId {
        PageId(self.first + extent * self.pages + at as u32)
    }

    /// The extent of a page, and which of its pages it is.
    pub fn place(&self, page: PageId) -> Option<(ExtentId, usize)> {
        let at = page.0.checked_sub(self.first)?;
        (at / self.pages < self.most).then_some((at / self.pages, (at % self.pages) as usize))
    }

    /// Pages of an extent.
    pub fn extent_pages(&self) -> usize {
        self.pages as usize
    }

    pub fn usage(&self) -> SpaceUsage {
        let state = self.state.lock();
        let kept: usize = state.kept.iter().map(|(_, extents)| extents.len()).sum();
        SpaceUsage { extents: state.next, free: (state.free.len() + kept) as u32, most: self.most }
    }
}

fn full() -> Error {
    Error::said(ErrorCode::DeviceFull, sentence!("the pages have no room left"))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn space(next: u32, owners: u32) -> Space {
        Space::new(PageSize::new(65_536).unwrap(), PageId(5), 8 + 4 * 10, next, owners)
    }

    fn take(space: &Space) -> Option<u32> {
        space.take(|_| Ok(())).ok()
    }

    #[test]
    fn the_lowest_free_one_first_then_new_ones_until_there_are_none() {
        let space = space(0, 0);
        assert_eq!((take(&space), take(&space), take(&space)), (Some(0), Some(1), Some(2)));
        space.give(1);
        space.give(0);
        assert_eq!((take(&space), take(&space), take(&space)), (Some(0), Some(1), Some(3)));
        let refused = space.take(|_| Err(Error::new(ErrorCode::DeviceOverload, "later")));
        assert_eq!(refused.unwrap_err().code, ErrorCode::DeviceOverload);
        assert_eq!(std::iter::from_fn(|| take(&space)).collect::<Vec<_>>(), [4, 5, 6, 7, 8, 9]);
        assert_eq!(space.take(|_| Ok(())).unwrap_err().code, ErrorCode::DeviceFull);
        assert_eq!(space.usage(), SpaceUsage { extents: 10, free: 0, most: 10 });
    }

    #[test]
    fn what_nobody_has_is_free_once_all_have_spoken() {
        let space = space(4, 2);
        space.claim(&mut [2].into_iter()).unwrap();
        space.loaded();
        assert_eq!(take(&space), Some(4), "the others may still be somebody's");
        for bad in [2, 4, 1000] {
            assert_eq!(space.claim(&mut [bad].into_iter()).unwrap_err().code, ErrorCode::RecordDamaged, "{bad}");
        }
        space.claim(&mut [0].into_iter()).unwrap();
        space.loaded();
        assert_eq!((take(&space), take(&space), take(&space)), (Some(1), Some(3), Some(5)));
    }

    #[test]
    fn what_is_occupied_is_what_is_taken_less_the_room_in_it() {
        let (page, extent) = (65_536, u64::from(EXTENT_BYTES));
        let space = space(4, 2);
        assert_eq!(space.occupied_bytes(), 8 * page + 4 * extent, "anybody may have them");
        space.claim(&mut [2, 3].into_iter()).unwrap();
        [1, 2].iter().for_each(|_| space.loaded());
        assert_eq!(space.occupied_bytes(), 8 * page + 2 * extent);
        space.tell_room(0, 1000);
        space.tell_room(0, 500);
        space.tell_room(1000, 200);
        assert_eq!(space.occupied_bytes(), 8 * page + 2 * extent - 700);
        let taken = take(&space).unwrap();
        assert_eq!(space.occupied_bytes(), 8 * page + 3 * extent - 700);
        space.give(taken);
        assert_eq!(space.occupied_bytes(), 8 * page + 2 * extent - 700);
        assert_eq!((space.is_short(), (0..7).all(|_| take(&space).is_some()), space.is_short()), (false, true, false));
        take(&space).unwrap();
        assert!(space.is_short());
        assert!(space.is_bounded() && !Space::new(PageSize::new(4096).unwrap(), PageId(5), u32::MAX, 0, 0).is_bounded());
    }

    #[test]
    fn a_page_has_its_place_in_an_extent() {
        let space = space(0, 0);
        assert_eq!((space.page(0, 0), space.page(2, 3)), (PageId(8), PageId(19)));
        assert_eq!((space.place(PageId(19)), space.place(PageId(7)), space.place(PageId(48))), (Some((2, 3)), None, None));
    }
}
