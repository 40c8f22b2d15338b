//! Reading many records by their places, several reads in flight, and neighbours with one read.

use super::{MOST_BYTES_TOGETHER, ReadRange, ReadWindow};
use std::collections::VecDeque;
use std::io::Result;
use std::time::Instant;

/// Depth of a window for neighbours.
pub const NEIGHBOURS_DEPTH: usize = 32;
/// Bytes in flight from which nothing more is asked for.
const BYTES_IN_FLIGHT: u64 = 16 * MOST_BYTES_TOGETHER;
/// Bytes of reads that the kernel is told of together.
const SUBMIT_BYTES: u64 = 2 * MOST_BYTES_TOGETHER;

/// The reads of one reader. An `Item` says which record is wanted of the bytes that come.
pub struct CoalescedReads<Item> {
    window: ReadWindow,
    /// How many bytes may lie between records that come with one read; `None` where each has a read of its own.
    gap: Option<u64>,
    /// Reads by their tag in the window, and those of them that are not in use.
    groups: Vec<Group<Item>>,
    free: Vec<usize>,
    /// By disk: the read that neighbours may still join.
    open: Vec<Option<usize>>,
    /// Asked for while the bytes of a read were looked at.
    later: VecDeque<(Item, ReadRange)>,
    /// Those of reads that failed, or could not even be started.
    unread: VecDeque<Item>,
    /// The read whose bytes the window lends, and which of its items is next.
    current: Option<(usize, usize)>,
    bytes_in_flight: u64,
    /// Bytes of reads that the kernel may not know of yet.
    not_submitted: u64,
    bytes: u64,
}

/// What an item's read has brought: see `CoalescedReads::lent`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Arrived {
    pub range: ReadRange,
    /// Whether the item is the first of its read: other bytes were lent before.
    pub first: bool,
}

/// Items that come with one read.
struct Group<Item> {
    range: ReadRange,
    items: Vec<Item>,
}

impl<Item: Copy> CoalescedReads<Item> {
    /// Reads over the first `disks` disks of a window. With a `gap`, items are asked for in the order of their places.
    pub fn new(window: ReadWindow, disks: usize, gap: Option<u64>) -> Self {
        Self {
            window,
            gap,
            groups: vec![],
            free: vec![],
            open: vec![None; disks],
            later: VecDeque::new(),
            unread: VecDeque::new(),
            current: None,
            bytes_in_flight: 0,
            not_submitted: 0,
            bytes: 0,
        }
    }

    /// Asks for an item; `next_item` gives it. With a gap, what `next_item` gave last stays; without one, it goes.
    pub fn ask(&mut self, item: Item, range: ReadRange) {
        match self.gap {
            // Another read would take away the bytes that are looked at.
            Some(_) if !self.looked_through() => self.later.push_back((item, range)),
            Some(gap) => self.join(item, range, gap),
            None => {
                let at = self.group(item, range);
                self.begin(Some(at));
            }
        }
    }

    /// Whether more may be asked for, beside `other` bytes that the reader holds.
    pub fn has_room(&self, other: u64) -> bool {
        let taken = self.window.in_flight() + self.open.iter().flatten().count() + self.later.len();
        self.looked_through() && taken < self.window.depth() && self.bytes_in_flight + other < BYTES_IN_FLIGHT
    }

    /// Waits for the next item; `None` when nothing is asked for. With the bytes of its read, which `lent` has; without where
    /// that read failed, and the item is to be read alone.
    pub fn next_item(&mut self) -> Option<(Item, Option<Arrived>)> {
        if let Some(given) = self.next_of_current() {
            return Some(given);
        }
        self.catch_up();
        if self.window.in_flight() == 0 {
            self.close();
        }
        if let Some(item) = self.unread.pop_front() {
            return Some((item, None));
        }
        if self.not_submitted >= SUBMIT_BYTES {
            self.not_submitted = 0;
            self.window.submit();
        }
        let ended = self.window.next()?;
        let (at, failed) = (ended.tag as usize, ended.result.is_err());
        let group = self.groups.get_mut(at)?;
        self.bytes_in_flight -= group.range.bytes();
        if failed {
            self.give_up(at);
            return self.unread.pop_front().map(|item| (item, None));
        }
        self.current = Some((at, 0));
        self.next_of_current()
    }

    /// Begins the reads that wait for more neighbours, unless the bytes of one are being looked at.
    pub fn begin_all(&mut self) {
        if self.looked_through() {
            self.catch_up();
            self.close();
        }
    }

    /// Begins all reads, and waits until any has ended, at most until `until`; whether `next_item` has an item to give.
    pub fn wait_until(&mut self, until: Instant) -> bool {
        self.begin_all();
        !self.unread.is_empty() || self.window.wait_until(until)
    }

    /// The bytes of the read that `next_item` gave last.
    #[inline]
    pub fn lent(&self) -> &[u8] {
        self.window.lent()
    }

    /// Bytes of all reads so far.
    pub fn bytes(&self) -> u64 {
        self.bytes
    }

    /// The window, with what is in flight.
    pub fn into_window(self) -> ReadWindow {
        self.window
    }

    /// Puts an item into the open read of its disk, or into a new one.
    fn join(&mut self, item: Item, range: ReadRange, gap: u64) {
        let open = self.open.get(range.disk).copied().flatten();
        if let Some(group) = open.and_then(|at| self.groups.get_mut(at))
            && group.range.join(range, gap)
        {
            group.items.push(item);
            return;
        }
        self.begin(open);
        let at = self.group(item, range);
        match self.open.get_mut(range.disk) {
            Some(open) => *open = Some(at),
            None => self.begin(Some(at)),
        }
    }

    fn group(&mut self, item: Item, range: ReadRange) -> usize {
        let at = self.free.pop().unwrap_or(self.groups.len());
        if at == self.groups.len() {
            self.groups.push(Group { range, items: vec![] });
        }
        let group = &mut self.groups[at];
        group.range = range;
        group.items.push(item);
        at
    }

    fn begin(&mut self, group: Option<usize>) {
        if let Some(at) = group
            && self.submit(at).is_err()
        {
            self.give_up(at);
        }
    }

    fn submit(&mut self, at: usize) -> Result<()> {
        let range = self.groups[at].range;
        self.window.start(at as u64, range.disk, range.start, range.bytes() as usize)?;
        self.bytes_in_flight += range.bytes();
        self.not_submitted += range.bytes();
        self.bytes += range.bytes();
        Ok(())
    }

    /// Each item of a group is to be read alone.
    fn give_up(&mut self, at: usize) {
        self.unread.extend(self.groups[at].items.drain(..));
        self.free.push(at);
    }

    /// Whether all items of the read that the window lends have been given, and its bytes may go.
    fn looked_through(&self) -> bool {
        self.current.is_none_or(|(at, next)| next >= self.groups[at].items.len())
    }

    /// Asks for what waited until the bytes lent may go.
    fn catch_up(&mut self) {
        while let (Some(gap), Some((item, range))) = (self.gap, self.later.pop_front()) {
            self.join(item, range, gap);
        }
    }

    /// Begins the open reads. `next_item` does so only when there is nothing else to wait for: reads of what happens to be asked for
    /// would get ever smaller.
    fn close(&mut self) {
        for disk in 0..self.open.len() {
            let open = self.open[disk].take();
            self.begin(open);
        }
    }

    /// The next item of the read that the window lends.
    fn next_of_current(&mut self) -> Option<(Item, Option<Arrived>)> {
        let (at, n) = self.current?;
        let group = &mut self.groups[at];
        if let Some(&item) = group.items.get(n) {
            self.current = Some((at, n + 1));
            return Some((item, Some(Arrived { range: group.range, first: n == 0 })));
        }
        group.items.clear();
        self.free.push(at);
        self.current = None;
        None
    }
}
