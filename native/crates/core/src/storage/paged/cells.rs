//! A slotted page: cells of any length, each with a number that it keeps while others come, go and grow.
//!
//! | bytes | what |
//! | --- | --- |
//! | 20..22 | entries of the directory |
//! | 22..24 | where the next cell may begin |
//! | 24..26 | bytes of cells that are gone, below that |
//! | 28.. | cells |
//! | to the end | the directory, growing down: offset (2), length (2) of each cell; offset 0 is of none |

use super::change::{Change, Touched};
use super::page::u16_at;

const COUNT: usize = 20;
const END: usize = 22;
const GONE: usize = 24;
/// Where cells begin.
const FIRST: usize = 28;
const ENTRY: usize = 4;

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
    let entries = number(page, COUNT);
    spare(page, entries + usize::from(free_entry(page) == entries))
}

/// Bytes of a page that are neither of cells nor of a directory of so many entries.
fn spare(page: &[u8], entries: usize) -> usize {
    let cells = end(page) - number(page, GONE).min(end(page) - FIRST);
    page.len().saturating_sub(cells + entries * ENTRY)
}

/// Longest cell of an empty page of so many bytes.
pub fn most(page_bytes: usize) -> usize {
    page_bytes - FIRST - ENTRY
}

/// The first number that no cell has.
fn free_entry(page: &[u8]) -> usize {
    let entries = number(page, COUNT);
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
    let number = free_entry(change.bytes(page));
    lay(change, page, number, cell);
    Some(number as u16)
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
    if number_ >= entries {
        set(change, page, COUNT, number_ + 1);
    }
    set(change, page, END, at + cell.len());
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
    let bytes = change.bytes(page);
    let Some((at, length)) = place(bytes, cell) else { return };
    let (entries, gone, size) = (number(bytes, COUNT), number(bytes, GONE), bytes.len());
    let last = at + length == end(bytes);
    change.write(page, size - (usize::from(cell) + 1) * ENTRY, &[0; ENTRY]);
    match last {
        true => set(change, page, END, at),
        false => set(change, page, GONE, gone + length),
    }
    if usize::from(cell) + 1 == entries {
        // The directory ends at the last cell that is there.
        let left = (0..cell).rev().find(|cell| place(change.bytes(page), *cell).is_some()).map_or(0, |cell| usize::from(cell) + 1);
        set(change, page, COUNT, left);
    }
}

/// Replaces the bytes of a cell; `false`, and nothing has changed, where there is no room. Of a cell of the same length only what differs is written.
pub fn replace(change: &mut Change<'_>, page: Touched, cell: u16, new: &[u8]) -> bool {
    let bytes = change.bytes(page);
    let Some((at, length)) = place(bytes, cell) else { return false };
    if length == new.len() {
        let old = &bytes[at..at + length];
        let same = |(old, new): &(&u8, &u8)| old == new;
        let front = old.iter().zip(new).take_while(same).count();
        let back = old[front..].iter().rev().zip(new[front..].iter().rev()).take_while(same).count();
        if front < length {
            change.write(page, at + front, &new[front..length - back]);
        }
        return true;
    }
    if spare(bytes, number(bytes, COUNT)) + length < new.len() || new.is_empty() {
        return false;
    }
    remove(change, page, cell);
    lay(change, page, usize::from(cell), new);
    true
}

#[cfg(test)]
mod tests;
