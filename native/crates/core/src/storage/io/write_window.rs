//! The writes that one writer has in flight.

use super::read_window::check_depth;
use super::ring::Ring;
use super::transfer::{Direction, Step, Transfer};
use super::{Backend, Disk, threads};
use std::io::{Error, Result};

/// Bytes to be written.
#[derive(Clone, Copy)]
pub struct Piece<'a> {
    pub disk: &'a dyn Disk,
    pub offset: u64,
    pub bytes: &'a [u8],
}

/// Writes pieces, up to `depth` in flight, for one thread.
pub struct WriteWindow {
    depth: usize,
    /// `None`: threads.
    ring: Option<Ring>,
    transfers: Vec<Transfer>,
}

impl WriteWindow {
    /// A window of `depth` writes, 1 to 4096. Where no ring can be had for it any more (open files, memory), it works with
    /// threads: see `backend`.
    ///
    /// # Errors
    /// `InvalidInput` for another depth.
    pub fn open(backend: Backend, depth: usize) -> Result<Self> {
        check_depth(depth)?;
        let ring = if backend == Backend::IoUring { Ring::open(depth).ok() } else { None };
        Ok(Self { depth, ring, transfers: vec![] })
    }

    pub fn backend(&self) -> Backend {
        if self.ring.is_some() { Backend::IoUring } else { Backend::Threads }
    }

    /// Writes every piece at its offset, in no order, and returns when all are written, or with the first error once nothing is
    /// in flight any more. After an error any part of any piece may have been written.
    ///
    /// # Errors
    /// `InvalidInput` where a piece breaks its disk's alignment, and then nothing is written; `WriteZero`; what the operating
    /// system reports.
    pub fn write(&mut self, pieces: &[Piece<'_>]) -> Result<()> {
        self.transfers.clear();
        for piece in pieces {
            self.transfers.push(Transfer::new(Direction::Write, piece.offset, piece.bytes, piece.disk.alignment())?);
        }
        let Some(ring) = &mut self.ring else { return threads::write(pieces, self.depth) };
        let mut under_way = UnderWay { ring, transfers: &mut self.transfers, pieces, failure: None };
        for at in 0..pieces.len() {
            while under_way.ring.in_flight() >= self.depth {
                under_way.advance();
            }
            if under_way.failure.is_some() {
                break;
            }
            under_way.push(at);
        }
        under_way.finish();
        under_way.failure.take().map_or(Ok(()), Err)
    }
}

/// The writes of one call. However the call ends, none is in flight after it.
struct UnderWay<'a> {
    ring: &'a mut Ring,
    transfers: &'a mut [Transfer],
    pieces: &'a [Piece<'a>],
    failure: Option<Error>,
}

impl UnderWay<'_> {
    /// Puts what is left of a piece into the ring, or writes it now where its disk has no descriptor.
    fn push(&mut self, at: usize) {
        let (Some(transfer), Some(piece)) = (self.transfers.get(at), self.pieces.get(at)) else { return };
        if transfer.left() == 0 {
            return;
        }
        let Some(file) = piece.disk.descriptor() else {
            if let Err(error) = piece.disk.write_at(piece.bytes, piece.offset) {
                self.failure.get_or_insert(error);
            }
            return;
        };
        // SAFETY: `pieces` outlives this, and dropping this waits until nothing is in flight; the kernel only reads them.
        unsafe { self.ring.push(Direction::Write, transfer, file, piece.bytes.as_ptr().cast_mut(), at as u64) };
        // At once: what is submitted together is merged, and the device then has one long write in place of several.
        self.ring.submit();
    }

    /// Waits for at least one answer.
    fn advance(&mut self) {
        self.ring.wait();
        while let Some((token, outcome)) = self.ring.pop() {
            let at = token as usize;
            match self.transfers.get_mut(at).map(|transfer| transfer.step(outcome)) {
                None | Some(Step::Done) => {}
                Some(Step::Failed(error)) => {
                    self.failure.get_or_insert(error);
                }
                Some(Step::Again(pause)) => {
                    pause.into_iter().for_each(std::thread::sleep);
                    self.push(at);
                }
            }
        }
    }

    fn finish(&mut self) {
        while self.ring.in_flight() > 0 {
            self.advance();
        }
    }
}

impl Drop for UnderWay<'_> {
    fn drop(&mut self) {
        self.finish();
    }
}
