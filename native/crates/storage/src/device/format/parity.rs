//! Headers of entries, folded so that those of one damaged place can be had back from the others.
//!
//! Row `i` is the exclusive or of the headers (with their set names) of the entries `i`, `i + rows`, `i + 2 * rows`, and so on.
//! A place that is damaged costs entries that follow each other, so where it costs no more than there are rows, each row misses
//! one at most. An entry's own checksum says whether what came back is what it was.

use super::entry::ENTRY_HEADER_BYTES;
use super::place::padded;
use std::collections::VecDeque;

/// A place of so many bytes may be damaged without the loss of a name.
const PLACE_BYTES: usize = 4096;
/// Bytes of the longest header: that and a set name.
pub const HEADER_MOST: usize = ENTRY_HEADER_BYTES + u8::MAX as usize;
/// Entries that begin within so many bytes may be lost together.
const REACH: usize = PLACE_BYTES + HEADER_MOST;

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Parity {
    width: usize,
    bytes: Vec<u8>,
}

impl Parity {
    /// Of `rows` rows, each as long as the longest of `headers`.
    pub fn over<'a>(rows: usize, width: usize, headers: impl Iterator<Item = &'a [u8]>) -> Self {
        let mut parity = Self { width, bytes: vec![0; rows * width] };
        if rows > 0 {
            headers.enumerate().for_each(|(at, header)| parity.fold(at, header));
        }
        parity
    }

    /// `bytes` are rows of `width` bytes.
    pub fn from_bytes(width: usize, bytes: &[u8]) -> Self {
        Self { width, bytes: bytes.to_vec() }
    }

    pub fn bytes(&self) -> &[u8] {
        &self.bytes
    }

    pub const fn width(&self) -> usize {
        self.width
    }

    pub fn rows(&self) -> usize {
        self.bytes.len().checked_div(self.width).unwrap_or(0)
    }

    /// Folds the header of entry `at` in; once more takes it out again.
    pub fn fold(&mut self, at: usize, header: &[u8]) {
        let begin = at % self.rows().max(1) * self.width;
        let row = self.bytes.get_mut(begin..begin + self.width).unwrap_or_default();
        row.iter_mut().zip(header).for_each(|(byte, more)| *byte ^= more);
    }

    /// The header of entry `at`, if all others of its row have been taken out.
    pub fn left(&self, at: usize) -> &[u8] {
        let begin = at % self.rows().max(1) * self.width;
        self.bytes.get(begin..begin + self.width).unwrap_or_default()
    }
}

/// How many rows a block's entries need.
#[derive(Clone, Debug, Default)]
pub struct Need {
    /// Where the last entries begin, as far as they can be lost together.
    starts: VecDeque<usize>,
    rows: usize,
    width: usize,
}

impl Need {
    /// An entry at `start` with a header of `header` bytes.
    pub fn add(&mut self, start: usize, header: usize) {
        while self.starts.front().is_some_and(|first| first + REACH <= start) {
            self.starts.pop_front();
        }
        self.starts.push_back(start);
        self.rows = self.rows.max(self.starts.len());
        self.width = self.width.max(header);
    }

    pub const fn width(&self) -> usize {
        self.width
    }

    /// Rows in at most `most` bytes.
    pub fn rows(&self, most: usize) -> usize {
        self.rows.min(most.checked_div(self.width).unwrap_or(0))
    }

    /// Bytes of parity, at most `most`, once an entry with a header of `header` bytes has been added.
    pub fn bytes_with(&self, header: usize, most: usize) -> usize {
        let width = self.width.max(header);
        (self.rows + 1).min(most / width) * width
    }
}

/// Headers with their set names of the entries in `entries`, the bytes of a block as they were appended.
pub fn headers(entries: &[u8]) -> impl Iterator<Item = &[u8]> {
    let mut rest = entries;
    std::iter::from_fn(move || {
        let header = rest.first_chunk::<ENTRY_HEADER_BYTES>()?;
        let length = u32::from_le_bytes([header[8], header[9], header[10], header[11]]) as usize;
        let found = rest.get(..ENTRY_HEADER_BYTES + usize::from(header[59]))?;
        rest = rest.get(padded(length)..).unwrap_or_default();
        Some(found)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_lost_in_one_place_comes_back() {
        let headers: Vec<Vec<u8>> = (0..40_u8).map(|n| vec![n + 1; 60 + usize::from(n) % 9]).collect();
        let mut parity = Parity::over(7, 68, headers.iter().map(Vec::as_slice));
        assert_eq!((parity.rows(), parity.bytes().len()), (7, 476));
        let lost = 13..20;
        for (at, header) in headers.iter().enumerate().filter(|(at, _)| !lost.contains(at)) {
            parity.fold(at, header);
        }
        for at in lost {
            assert!(parity.left(at).starts_with(&headers[at]) && parity.left(at)[headers[at].len()..].iter().all(|byte| *byte == 0));
        }
    }

    #[test]
    fn as_many_rows_are_needed_as_entries_can_be_lost_in_one_place() {
        let mut need = Need::default();
        assert_eq!((need.rows(1000), need.bytes_with(66, 1000)), (0, 66));
        (0..20).for_each(|n| need.add(128 + n * 1088, 66));
        assert_eq!((need.rows(1000), need.rows(200), need.width()), (5, 3, 66));
        assert_eq!((need.bytes_with(70, 1000), need.bytes_with(66, 200)), (420, 198));
        (0..70).for_each(|n| need.add(30_000 + n * 64, 62));
        assert_eq!(need.rows(10_000), 69);
    }
}
