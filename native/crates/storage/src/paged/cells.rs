//! A slotted page: cells of any length, each with a number that it keeps while others come, go and grow.
//!
//! | bytes | what |
//! | --- | --- |
//! | 20..22 | entries of the directory |
//! | 22..24 | where the next cell may begin |
//! | 24..26 | bytes of cells that are gone, below that |
//! | 26..28 | entries of the directory that are of no cell |
//! | 28.. | cells |
//! | to the end | the directory, growing down: offset (2), length (2) of each cell; offset 0 is of none |

use super::change::{Change, Touched};
use super::page::{Kind, u16_at};

const COUNT: usize = 20;
const END: usize = 22;
const GONE: usize = 24;
const HOLES: usize = 26;
/// Where cells begin.
const FIRST: usize = 28;
pub const ENTRY: usize = 4;

fn number(page: &[u8], at: usize) -> usize {
    usize::from(u16_at(page, at))
}

/// Where cells end; a page that was just made says 0.
fn end(page: &[u8]) -> usize {
    number(page, END).max(FIRST)
}

/// Where a cell lies: offset and length.
fn place(page: &[u8], cell: u16) -> Option<(usize, usize)> {
    let directory = page.len().checked_sub((usize::from(cell) + 1) * ENTRY)?;
    if usize::from(cell) >= number(page, COUNT) || directory < FIRST {
        return None;
    }
    let (at, length) = (number(page, directory), number(page, directory + 2));
    (at >= FIRST && at + length <= page.len()).then_some((at, length))
}

/// The bytes of a cell.
pub fn get(page: &[u8], cell: u16) -> Option<&[u8]> {
    place(page, cell).map(|(at, length)| &page[at..at + length])
}

/// Every cell, with its number.
pub fn all(page: &[u8]) -> impl Iterator<Item = (u16, &[u8])> {
    (0..number(page, COUNT) as u16).filter_map(|cell| get(page, cell).map(|bytes| (cell, bytes)))
}

/// Longest cell that a page has room for, once its cells have been moved together.
pub fn room(page: &[u8]) -> usize {
    spare(page, number(page, COUNT) + usize::from(number(page, HOLES) == 0))
}

/// Whether a page is one of cells, as far as its counts tell.
pub fn is_sound(page: &[u8]) -> bool {
    let entries = number(page, COUNT);
    let holes = number(page, HOLES);
    let counts = end(page) + entries * ENTRY <= page.len() && number(page, GONE) <= end(page) - FIRST && holes <= entries.saturating_sub(1);
    Kind::of(page) == Some(Kind::Data) && counts
}

/// How many cells a page has.
pub fn count(page: &[u8]) -> usize {
    number(page, COUNT).saturating_sub(number(page, HOLES))
}

/// Bytes of a page that so many cells of so many bytes together use.
pub const fn used_by(cells: usize, bytes: usize) -> usize {
    FIRST + cells * ENTRY + bytes
}

/// Bytes of a page that are neither of cells nor of a directory of so many entries.
fn spare(page: &[u8], entries: usize) -> usize {
    let cells = end(page) - number(page, GONE).min(end(page) - FIRST);
    page.len().saturating_sub(cells + entries * ENTRY)
}

/// Longest cell of an empty page of so many bytes.
#[cfg(any(test, feature = "fuzzing"))]
pub fn most(page_bytes: usize) -> usize {
    page_bytes - FIRST - ENTRY
}

/// Bytes of a page for cells and their entries.
pub const fn whole_room(page_bytes: usize) -> usize {
    page_bytes - FIRST
}

/// How many cells of so many bytes a page has room for, at least 1.
pub fn per_page(page_bytes: usize, cell: usize) -> usize {
    (whole_room(page_bytes) / (cell + ENTRY)).max(1)
}

/// The first number that no cell has.
fn free_entry(page: &[u8]) -> usize {
    let entries = number(page, COUNT);
    if number(page, HOLES) == 0 {
        return entries;
    }
    (0..entries).find(|cell| place(page, *cell as u16).is_none()).unwrap_or(entries)
}

fn set(change: &mut Change<'_>, page: Touched, at: usize, number: usize) {
    change.write(page, at, &(number as u16).to_le_bytes());
}

/// Adds a cell; answers its number, or `None` where there is no room.
pub fn add(change: &mut Change<'_>, page: Touched, cell: &[u8]) -> Option<u16> {
    if room(change.bytes(page)) < cell.len() || cell.is_empty() {
        return None;
    }
    let number_ = free_entry(change.bytes(page));
    let holes = number(change.bytes(page), HOLES);
    if number_ < number(change.bytes(page), COUNT) {
        set(change, page, HOLES, holes.saturating_sub(1));
    }
    lay(change, page, number_, cell);
    Some(number_ as u16)
}

/// Lays a cell down as `number`, for which there is room.
fn lay(change: &mut Change<'_>, page: Touched, number_: usize, cell: &[u8]) {
    let (entries, length) = (number(change.bytes(page), COUNT), change.bytes(page).len());
    let directory = length - entries.max(number_ + 1) * ENTRY;
    if end(change.bytes(page)) + cell.len() > directory {
        gather(change, page);
    }
    let at = end(change.bytes(page));
    change.write(page, at, cell);
    let mut entry = [0; ENTRY];
    entry[..2].copy_from_slice(&(at as u16).to_le_bytes());
    entry[2..].copy_from_slice(&(cell.len() as u16).to_le_bytes());
    change.write(page, length - (number_ + 1) * ENTRY, &entry);
    // The number of entries, and behind it the end of the cells.
    let mut counts = [0; 4];
    counts[..2].copy_from_slice(&(entries.max(number_ + 1) as u16).to_le_bytes());
    counts[2..].copy_from_slice(&((at + cell.len()) as u16).to_le_bytes());
    let from = if number_ < entries { END } else { COUNT };
    change.write(page, from, &counts[from - COUNT..]);
}

/// Moves the cells together, in the order in which they lie.
fn gather(change: &mut Change<'_>, page: Touched) {
    let bytes = change.bytes(page);
    let length = bytes.len();
    let mut places: Vec<(usize, usize, u16)> =
        (0..number(bytes, COUNT) as u16).filter_map(|cell| place(bytes, cell).map(|(at, length)| (at, length, cell))).collect();
    places.sort_unstable();
    let mut to = FIRST;
    for (at, bytes, cell) in places {
        if at != to {
            change.shift(page, at, to, bytes);
            set(change, page, length - (usize::from(cell) + 1) * ENTRY, to);
        }
        to += bytes;
    }
    set(change, page, END, to);
    set(change, page, GONE, 0);
}

/// Takes a cell away. Nothing happens where there is none.
pub fn remove(change: &mut Change<'_>, page: Touched, cell: u16) {
    if !clear(change, page, cell) {
        return;
    }
    let (entries, holes) = (number(change.bytes(page), COUNT), number(change.bytes(page), HOLES));
    let mut left = entries;
    if usize::from(cell) + 1 == entries {
        // The directory ends at the last cell that is there.
        left = (0..cell).rev().find(|cell| place(change.bytes(page), *cell).is_some()).map_or(0, |cell| usize::from(cell) + 1);
        set(change, page, COUNT, left);
    }
    let now = (holes + 1).saturating_sub(entries - left);
    if now != holes {
        set(change, page, HOLES, now);
    }
}

/// Takes the bytes of a cell away; its number stays. Whether there was one.
fn clear(change: &mut Change<'_>, page: Touched, cell: u16) -> bool {
    let bytes = change.bytes(page);
    let Some((at, length)) = place(bytes, cell) else { return false };
    let (gone, size) = (number(bytes, GONE), bytes.len());
    let last = at + length == end(bytes);
    change.write(page, size - (usize::from(cell) + 1) * ENTRY, &[0; ENTRY]);
    match last {
        true => set(change, page, END, at),
        false => set(change, page, GONE, gone + length),
    }
    true
}

/// Replaces the bytes of a cell; `false`, and nothing has changed, where there is no room. Of a cell of the same length only what differs is written.
pub fn replace(change: &mut Change<'_>, page: Touched, cell: u16, new: &[u8]) -> bool {
    let bytes = change.bytes(page);
    let Some((at, length)) = place(bytes, cell) else { return false };
    if length == new.len() {
        write_changed(change, page, at, new);
        return true;
    }
    if spare(bytes, number(bytes, COUNT)) + length < new.len() || new.is_empty() {
        return false;
    }
    clear(change, page, cell);
    lay(change, page, usize::from(cell), new);
    true
}

/// Writes those bytes of `new` that differ from what is at `at`; what is the same for a few bytes only is written too.
pub fn write_changed(change: &mut Change<'_>, page: Touched, at: usize, new: &[u8]) {
    /// Bytes that are compared at once, and how many of these steps that are the same are worth an entry of their own.
    const STEP: usize = 8;
    const APART: usize = 2;
    let steps = new.len().div_ceil(STEP);
    let differs = |change: &Change<'_>, step: usize| {
        let (from, to) = (step * STEP, new.len().min((step + 1) * STEP));
        change.bytes(page)[at + from..at + to] != new[from..to]
    };
    let mut step = 0;
    while step < steps {
        if !differs(change, step) {
            step += 1;
            continue;
        }
        let (first, mut last) = (step, step);
        while step < steps && step - last <= APART {
            if differs(change, step) {
                last = step;
            }
            step += 1;
        }
        let (from, to) = (first * STEP, new.len().min((last + 1) * STEP));
        change.write(page, at + from, &new[from..to]);
    }
}

#[cfg(test)]
mod tests;
