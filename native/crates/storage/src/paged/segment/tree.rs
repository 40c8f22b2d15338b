//! A B+tree of one segment: from digest to slot.
//!
//! Entries of 24 bytes, sorted: in a leaf digest (20) and slot (4), in an inner page separator (20) and child (4), whose digests are not below the separator. An inner page
//! has one child more, in front of all. A page begins with the number of its entries (2 bytes at 20); entries begin at 24 in a leaf, and at 28 in an inner page, behind
//! its first child. A page that is less than a quarter full joins its neighbour where both fill no more than three quarters of one (Bayer, McCreight 1972; Comer 1979).

use crate::paged::cache::Cache;
use crate::paged::change::{Change, Touched};
use crate::paged::page::{Kind, PageId, u16_at, u32_at};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::Digest;

const COUNT: usize = 20;
const FIRST_CHILD: usize = 24;
/// Bytes of an entry.
pub const ENTRY: usize = 24;
const DIGEST: usize = 20;
/// Deepest tree: more pages than there can be.
pub(super) const DEPTH: usize = 8;

/// Where a tree gets its pages from, and gives them back to, within a change.
pub trait Allocator {
    /// A page that nothing refers to, which the caller makes one of `kind`.
    ///
    /// # Errors
    /// `device_full`, and as `Cache::write`.
    fn take(&mut self, kind: Kind) -> Result<PageId>;

    /// Takes a page back, for changes that come after this one: undone, it would be needed as it was.
    ///
    /// # Errors
    /// `record_damaged` for a page that was not taken.
    fn give_back(&mut self, page: PageId) -> Result<()>;
}

fn damaged(id: PageId, what: &str) -> Error {
    Error::new(ErrorCode::RecordDamaged, format!("page {} of the index is {what}", id.0))
}

/// A page of a tree, read.
struct Node<'a> {
    bytes: &'a [u8],
    kind: Kind,
    count: usize,
}

impl<'a> Node<'a> {
    fn of(id: PageId, bytes: &'a [u8]) -> Result<Self> {
        let count = usize::from(u16_at(bytes, COUNT));
        match Kind::of(bytes) {
            Some(kind @ (Kind::Leaf | Kind::Inner)) if count <= capacity(kind, bytes.len()) => Ok(Self { bytes, kind, count }),
            _ => Err(damaged(id, "not a page of the tree")),
        }
    }

    fn digest(&self, at: usize) -> &'a [u8] {
        let from = base(self.kind) + at * ENTRY;
        &self.bytes[from..from + DIGEST]
    }

    /// The slot of a leaf's entry, or the child right of an inner page's.
    fn value(&self, at: usize) -> u32 {
        u32_at(self.bytes, base(self.kind) + at * ENTRY + DIGEST)
    }

    fn entry(&self, at: usize) -> &'a [u8] {
        let from = base(self.kind) + at * ENTRY;
        &self.bytes[from..from + ENTRY]
    }

    fn entries(&self, from: usize, to: usize) -> &'a [u8] {
        &self.bytes[base(self.kind) + from * ENTRY..base(self.kind) + to * ENTRY]
    }

    fn child(&self, at: usize) -> PageId {
        PageId(if at == 0 { u32_at(self.bytes, FIRST_CHILD) } else { self.value(at - 1) })
    }

    /// The number of entries below `digest`, and whether the next is it.
    fn search(&self, digest: &Digest) -> (usize, bool) {
        let (mut low, mut high) = (0, self.count);
        let wanted = prefix(&digest.0);
        // Eight bytes nearly always decide.
        let below = |at: usize| {
            let found = self.digest(at);
            let first = prefix(found);
            if first == wanted { found < &digest.0[..] } else { first < wanted }
        };
        // Digests are evenly spread: the place is guessed, and looked for around the guess, ever further.
        if let Some(guess) = self.guess(wanted) {
            let mut step = 1;
            if below(guess) {
                low = guess + 1;
                while low < high && below((low + step).min(high) - 1) {
                    low = (low + step).min(high);
                    step *= 2;
                }
                high = high.min(low + step);
            } else {
                high = guess;
                while low < high && !below(high - step.min(high)) {
                    high -= step.min(high);
                    step *= 2;
                }
                low = low.max(high.saturating_sub(step));
            }
        }
        while low < high {
            let middle = low.midpoint(high);
            if below(middle) { low = middle + 1 } else { high = middle }
        }
        (low, low < self.count && self.digest(low) == digest.0)
    }

    /// Where an entry with this prefix would be if they were spread evenly.
    fn guess(&self, wanted: u64) -> Option<usize> {
        let last = self.count.checked_sub(1)?;
        let (from, to) = (prefix(self.digest(0)), prefix(self.digest(last)));
        let span = to.checked_sub(from).filter(|span| *span > 0)?;
        let share = (wanted.clamp(from, to) - from) as f64 / span as f64;
        Some(((share * last as f64) as usize).min(last))
    }

    /// Which child has `digest`.
    fn way(&self, digest: &Digest) -> usize {
        let (below, found) = self.search(digest);
        below + usize::from(found)
    }
}

fn prefix(digest: &[u8]) -> u64 {
    u64::from_be_bytes(std::array::from_fn(|at| digest[at]))
}

fn base(kind: Kind) -> usize {
    if kind == Kind::Inner { FIRST_CHILD + 4 } else { FIRST_CHILD }
}

/// Most entries in a page of so many bytes.
pub(super) fn capacity(kind: Kind, bytes: usize) -> usize {
    (bytes - base(kind)) / ENTRY
}

fn entry(digest: &[u8], value: u32) -> [u8; ENTRY] {
    let mut entry = [0; ENTRY];
    entry[..DIGEST].copy_from_slice(digest);
    entry[DIGEST..].copy_from_slice(&value.to_le_bytes());
    entry
}

/// The way from the root to a leaf: pages, and which of their children comes next.
#[derive(Default)]
struct Way {
    steps: [(PageId, usize); DEPTH],
    length: usize,
}

impl Way {
    fn pop(&mut self) -> Option<(PageId, usize)> {
        self.length = self.length.checked_sub(1)?;
        Some(self.steps[self.length])
    }
}

/// The leaf of a digest, and the way there.
fn descend(cache: &Cache, root: PageId, digest: &Digest) -> Result<(Way, PageId)> {
    let (mut way, mut id) = (Way::default(), root);
    while way.length < DEPTH {
        let page = cache.read(id)?;
        let node = Node::of(id, &page)?;
        if node.kind == Kind::Leaf {
            return Ok((way, id));
        }
        let at = node.way(digest);
        way.steps[way.length] = (id, at);
        way.length += 1;
        id = node.child(at);
    }
    Err(damaged(root, "the root of a tree without an end"))
}

/// The slot of a digest.
///
/// # Errors
/// As `Cache::read`.
pub fn find(cache: &Cache, root: PageId, digest: &Digest) -> Result<Option<u32>> {
    let mut id = root;
    for _ in 0..DEPTH {
        let page = cache.read(id)?;
        let node = Node::of(id, &page)?;
        if node.kind == Kind::Leaf {
            let (at, found) = node.search(digest);
            return Ok(found.then(|| node.value(at)));
        }
        id = node.child(node.way(digest));
    }
    Err(damaged(root, "the root of a tree without an end"))
}

/// Makes an empty tree; answers its root.
///
/// # Errors
/// As `Allocator::take`.
pub fn create(change: &mut Change<'_>, pages: &mut dyn Allocator) -> Result<PageId> {
    let id = pages.take(Kind::Leaf)?;
    change.format(id, Kind::Leaf)?;
    Ok(id)
}

/// Adds a digest that is not there; answers the root, which may be another.
///
/// # Errors
/// `record_exists` for a digest that is there; as `Allocator::take`.
pub fn insert(
    cache: &Cache,
    change: &mut Change<'_>,
    pages: &mut dyn Allocator,
    root: PageId,
    digest: &Digest,
    slot: u32,
) -> Result<PageId> {
    let (mut way, leaf) = descend(cache, root, digest)?;
    let page = change.page(leaf)?;
    let (at, found) = Node::of(leaf, change.bytes(page))?.search(digest);
    if found {
        return Err(Error::said(ErrorCode::RecordExists, sentence!("the index has the digest already")));
    }
    let mut new = entry(&digest.0, slot);
    let (mut page, mut at) = (page, at);
    loop {
        let Some((separator, right)) = put(change, pages, page, at, &new)? else { return Ok(root) };
        new = entry(&separator, right.0);
        let Some((parent, child)) = way.pop() else { return grow(change, pages, change.id(page), &new) };
        (page, at) = (change.page(parent)?, child);
    }
}

/// A root above the two halves of the old one.
fn grow(change: &mut Change<'_>, pages: &mut dyn Allocator, left: PageId, right: &[u8; ENTRY]) -> Result<PageId> {
    let id = pages.take(Kind::Inner)?;
    let page = change.format(id, Kind::Inner)?;
    change.write(page, COUNT, &1u16.to_le_bytes());
    change.write(page, FIRST_CHILD, &left.0.to_le_bytes());
    change.write(page, base(Kind::Inner), right);
    Ok(id)
}

/// Puts an entry into a page. Where the page was full, its upper half goes to a new one: answers the first digest there, and the page.
fn put(
    change: &mut Change<'_>,
    pages: &mut dyn Allocator,
    page: Touched,
    at: usize,
    new: &[u8; ENTRY],
) -> Result<Option<([u8; DIGEST], PageId)>> {
    let id = change.id(page);
    let Node { kind, count, .. } = Node::of(id, change.bytes(page))?;
    if count < capacity(kind, change.bytes(page).len()) {
        set_in(change, page, kind, at, count, new);
        return Ok(None);
    }
    let right_id = pages.take(kind)?;
    let right = change.format(right_id, kind)?;
    let middle = count / 2;
    let node = Node::of(id, change.bytes(page))?;
    let separator: [u8; DIGEST] = std::array::from_fn(|byte| node.digest(middle)[byte]);
    // Of an inner page the middle entry goes up, and its child is the first of the new page.
    let from = middle + usize::from(kind == Kind::Inner);
    let (upper, child) = (node.entries(from, count).to_vec(), node.value(middle));
    if kind == Kind::Inner {
        change.write(right, FIRST_CHILD, &child.to_le_bytes());
    }
    change.write(right, base(kind), &upper);
    change.write(right, COUNT, &((count - from) as u16).to_le_bytes());
    change.write(page, COUNT, &(middle as u16).to_le_bytes());
    match at <= middle {
        true => set_in(change, page, kind, at, middle, new),
        false => set_in(change, right, kind, at - from, count - from, new),
    }
    Ok(Some((separator, right_id)))
}

/// Makes room at `at` of `count` entries, and writes one there.
fn set_in(change: &mut Change<'_>, page: Touched, kind: Kind, at: usize, count: usize, new: &[u8; ENTRY]) {
    let from = base(kind) + at * ENTRY;
    change.shift(page, from, from + ENTRY, (count - at) * ENTRY);
    change.write(page, from, new);
    change.write(page, COUNT, &((count + 1) as u16).to_le_bytes());
}

/// Takes the entry at `at` out of a page.
fn take_out(change: &mut Change<'_>, page: Touched, kind: Kind, at: usize, count: usize) {
    let from = base(kind) + at * ENTRY;
    change.shift(page, from + ENTRY, from, (count - at - 1) * ENTRY);
    change.write(page, COUNT, &((count - 1) as u16).to_le_bytes());
}

/// Removes a digest; answers the root, which may be another. Nothing happens where it is not there.
///
/// # Errors
/// As `Cache::write`.
pub fn remove(cache: &Cache, change: &mut Change<'_>, pages: &mut dyn Allocator, root: PageId, digest: &Digest) -> Result<PageId> {
    let (mut way, leaf) = descend(cache, root, digest)?;
    let page = change.page(leaf)?;
    let node = Node::of(leaf, change.bytes(page))?;
    let (at, found) = node.search(digest);
    if !found {
        return Ok(root);
    }
    let count = node.count;
    take_out(change, page, Kind::Leaf, at, count);
    let mut low = leaf;
    while let Some((parent, child)) = way.pop() {
        if !join(change, pages, low, parent, child)? {
            return Ok(root);
        }
        low = parent;
    }
    // A root with one child and no entry gives way to it.
    let page = change.page(root)?;
    let node = Node::of(root, change.bytes(page))?;
    if node.kind == Kind::Inner && node.count == 0 {
        let child = node.child(0);
        pages.give_back(root)?;
        return Ok(child);
    }
    Ok(root)
}

/// Joins a page that is nearly empty to a neighbour, where that has room; whether the parent has lost an entry.
fn join(change: &mut Change<'_>, pages: &mut dyn Allocator, low: PageId, parent: PageId, child: usize) -> Result<bool> {
    let page = change.page(low)?;
    let node = Node::of(low, change.bytes(page))?;
    let most = capacity(node.kind, node.bytes.len());
    if node.count >= most / 4 {
        return Ok(false);
    }
    let above = change.page(parent)?;
    let up = Node::of(parent, change.bytes(above))?;
    if up.count == 0 {
        return Ok(false);
    }
    // The left one of the two stays, and the entry between them goes.
    let between = child.saturating_sub(1);
    let (left_id, right_id) = (up.child(between), up.child(between + 1));
    let (ups, separator) = (up.count, up.entry(between).to_vec());
    let Some((left, right)) = sound(change, left_id)?.zip(sound(change, right_id)?) else { return Ok(false) };
    let (a, b) = (Node::of(left_id, change.bytes(left))?, Node::of(right_id, change.bytes(right))?);
    if a.kind != b.kind {
        return Err(damaged(parent, "above pages of two kinds"));
    }
    let inner = a.kind == Kind::Inner;
    if a.count + b.count + usize::from(inner) > most * 3 / 4 {
        return Ok(false);
    }
    let mut moved = Vec::with_capacity((b.count + 1) * ENTRY);
    if inner {
        moved.extend_from_slice(&entry(&separator[..DIGEST], b.child(0).0));
    }
    moved.extend_from_slice(b.entries(0, b.count));
    let (kind, count) = (a.kind, a.count);
    change.write(left, base(kind) + count * ENTRY, &moved);
    change.write(left, COUNT, &((count + moved.len() / ENTRY) as u16).to_le_bytes());
    take_out(change, above, Kind::Inner, between, ups);
    pages.give_back(right_id)?;
    Ok(true)
}

/// A page that is to be joined; `None` where it is damaged: its neighbours lose what they have to without it.
fn sound(change: &mut Change<'_>, id: PageId) -> Result<Option<Touched>> {
    match change.page(id) {
        Err(error) if error.code == ErrorCode::RecordDamaged => Ok(None),
        page => page.map(Some),
    }
}

/// Looks for a digest in what may be a page of a tree.
#[cfg(any(test, feature = "fuzzing"))]
pub fn probe(page: &[u8], digest: &Digest) {
    if let Ok(node) = Node::of(PageId::NONE, page) {
        let (at, found) = node.search(digest);
        assert!(at <= node.count && (!found || (node.digest(at) == digest.0 && node.entry(at).len() == ENTRY)));
        if node.kind == Kind::Inner {
            node.child(node.way(digest));
        }
    }
}

mod build;
pub use build::{Level, lay, left, per_page};

#[cfg(test)]
mod tests;
#[cfg(test)]
mod walk;
#[cfg(test)]
pub use walk::walk;
