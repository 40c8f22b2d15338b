//! Adjacent pieces that go to the kernel as one write: it costs one hand-over in place of many, and where the file system
//! lets only one write of a file begin at a time (ext4, in space never written) it is the length of each that counts.

use super::Disk;
use super::transfer::{Direction, Transfer};
use std::io::{IoSlice, Result};
use std::ops::Range;

/// Most bytes of one write: as many as one request takes in pages of 4 KiB.
const BYTES_MOST: usize = 1024 * 1024;
/// Most pieces of one write: what the kernel keeps without allocating more than a page for them.
const PIECES_MOST: usize = 256;

/// Bytes to be written.
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    pub disk: &'a dyn Disk,
    pub offset: u64,
    pub bytes: &'a [u8],
}

pub struct Span<'a> {
    pieces: &'a [Piece<'a>],
    pub transfer: Transfer,
    /// What is left to be written; the kernel reads it for as long as the write is in flight.
    rest: Vec<IoSlice<'a>>,
    /// When the kernel got it: see `Meter::now`.
    pub begun_at: u64,
}

impl<'a> Span<'a> {
    /// The pieces in their order, neighbours put together; those without bytes are left out.
    ///
    /// # Errors
    /// `InvalidInput` where a piece breaks its disk's alignment.
    pub fn all(pieces: &'a [Piece<'a>]) -> Result<Vec<Self>> {
        let mut spans = Vec::new();
        let mut from = 0;
        while from < pieces.len() {
            let (range, length) = Self::longest(pieces, from);
            from = range.end;
            let members = pieces.get(range).unwrap_or_default();
            for piece in members {
                Transfer::new(Direction::Write, piece.offset, piece.bytes, piece.disk.alignment())?;
            }
            if let Some(first) = members.first()
                && length > 0
            {
                let transfer = Transfer::of(Direction::Write, first.offset, length, first.disk.alignment())?;
                spans.push(Self { pieces: members, transfer, rest: Vec::new(), begun_at: 0 });
            }
        }
        Ok(spans)
    }

    /// The pieces from `from` on that go as one, and their bytes.
    fn longest(pieces: &[Piece<'_>], from: usize) -> (Range<usize>, usize) {
        let mut end = from;
        let mut length = 0;
        let mut next: Option<&Piece<'_>> = None;
        for piece in pieces.iter().skip(from).take(PIECES_MOST) {
            let follows = next.is_none_or(|first| {
                std::ptr::addr_eq(first.disk, piece.disk)
                    && first.offset.checked_add(length as u64) == Some(piece.offset)
                    && length + piece.bytes.len() <= BYTES_MOST
            });
            if !follows {
                break;
            }
            next = next.or(Some(piece));
            length += piece.bytes.len();
            end += 1;
        }
        (from..end, length)
    }

    /// All pieces are this disk's.
    pub fn disk(&self) -> Option<&'a dyn Disk> {
        self.pieces.first().map(|piece| piece.disk)
    }

    pub fn pieces(&self) -> &'a [Piece<'a>] {
        self.pieces
    }

    pub fn length(&self) -> usize {
        self.transfer.done() + self.transfer.left()
    }

    /// What is not written yet, to be written at the transfer's position.
    pub fn rest(&mut self) -> &[IoSlice<'a>] {
        let mut skip = self.transfer.done();
        self.rest.clear();
        for piece in self.pieces {
            let done = skip.min(piece.bytes.len());
            skip -= done;
            if let Some(bytes) = piece.bytes.get(done..).filter(|bytes| !bytes.is_empty()) {
                self.rest.push(IoSlice::new(bytes));
            }
        }
        &self.rest
    }
}

#[cfg(test)]
mod tests {
    use super::super::faulty::FaultyDisk;
    use super::*;

    #[test]
    fn neighbours_go_together_and_nothing_else() {
        let (one, other) = (FaultyDisk::default(), FaultyDisk::default());
        let bytes = vec![7; BYTES_MOST];
        let piece = |disk, offset, length| Piece { disk, offset, bytes: &bytes[..length] };
        let pieces = [
            piece(&one, 0, 10),
            piece(&one, 10, 5),
            piece(&one, 16, 4),
            piece(&other, 20, 4),
            piece(&other, 24, 0),
            piece(&other, 24, BYTES_MOST - 4),
            piece(&other, 20 + BYTES_MOST as u64, 1),
            piece(&one, 0, 0),
            piece(&other, 8, 2),
            piece(&other, 6, 2),
        ];
        let found: Vec<(u64, usize)> = Span::all(&pieces).unwrap().iter().map(|span| (span.transfer.position(), span.length())).collect();
        assert_eq!(found, [(0, 15), (16, 4), (20, BYTES_MOST), (20 + BYTES_MOST as u64, 1), (8, 2), (6, 2)]);
        let small: Vec<_> = (0..PIECES_MOST as u64 + 1).map(|at| piece(&one, at, 1)).collect();
        assert_eq!(Span::all(&small).unwrap().len(), 2);
    }

    #[test]
    fn what_is_left_begins_in_the_middle_of_a_piece() {
        let disk = FaultyDisk::default();
        let (first, second) = ([1; 10], [2; 6]);
        let pieces = [Piece { disk: &disk, offset: 100, bytes: &first }, Piece { disk: &disk, offset: 110, bytes: &second }];
        let mut span = Span::all(&pieces).unwrap().remove(0);
        let left = |span: &mut Span<'_>| span.rest().iter().map(|slice| slice.to_vec()).collect::<Vec<_>>();
        assert_eq!(left(&mut span), [first.to_vec(), second.to_vec()]);
        span.transfer.step(Ok(4));
        assert_eq!((span.transfer.position(), left(&mut span)), (104, vec![vec![1; 6], second.to_vec()]));
        span.transfer.step(Ok(8));
        assert_eq!((span.transfer.position(), left(&mut span)), (112, vec![vec![2; 4]]));
        assert_eq!(span.length(), 16);
    }
}
