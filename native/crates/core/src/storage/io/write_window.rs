//! The writes that one writer has in flight.

use super::read_window::check_depth;
use super::ring::Ring;
use super::transfer::{Direction, Step, Transfer};
use super::{Backend, Disk, threads};
use std::io::{Error, Result};
use std::os::fd::BorrowedFd;

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
    /// `InvalidInput` where a piece breaks the disk's alignment, and then nothing is written; `WriteZero`; what the operating
    /// system reports.
    pub fn write(&mut self, disk: &dyn Disk, pieces: &[(u64, &[u8])]) -> Result<()> {
        self.transfers.clear();
        for (offset, bytes) in pieces {
            self.transfers.push(Transfer::new(Direction::Write, *offset, bytes, disk.alignment())?);
        }
        match (&mut self.ring, disk.descriptor()) {
            (None, _) => threads::write(disk, pieces, self.depth),
            (Some(_), None) => pieces.iter().try_for_each(|(offset, bytes)| disk.write_at(bytes, *offset)),
            (Some(ring), Some(file)) => {
                let mut under_way = UnderWay { ring, transfers: &mut self.transfers, pieces, file, failure: None };
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
    }
}

/// The writes of one call. However the call ends, none is in flight after it.
struct UnderWay<'a> {
    ring: &'a mut Ring,
    transfers: &'a mut [Transfer],
    pieces: &'a [(u64, &'a [u8])],
    file: BorrowedFd<'a>,
    failure: Option<Error>,
}

impl UnderWay<'_> {
    /// Puts what is left of a piece into the ring.
    fn push(&mut self, at: usize) {
        if let (Some(transfer), Some((_, bytes))) = (self.transfers.get(at), self.pieces.get(at))
            && transfer.left() > 0
        {
            // SAFETY: `pieces` outlives this, and dropping this waits until nothing is in flight; the kernel only reads them.
            unsafe { self.ring.push(Direction::Write, transfer, self.file, bytes.as_ptr().cast_mut(), at as u64) };
            // At once: what is submitted together is merged, and the device then has one long write in place of several.
            self.ring.submit();
        }
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
