//! The writes that one writer has in flight.

use super::meter::{Meter, Operation};
use super::read_window::check_depth;
use super::ring::Ring;
use super::span::{Piece, Span};
use super::transfer::TransferStep;
use super::{Backend, Disk, threads};
use std::io::{Error, Result};
use tessera_base::latency::split::{self, Part};

/// Writes pieces, up to `depth` in flight, for one thread. io_uring gets adjacent pieces of up to 1 MiB together as one write.
pub struct WriteWindow {
    depth: usize,
    /// `None`: threads.
    ring: Option<Ring>,
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
        Ok(Self { depth, ring })
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
        let spans = Span::all(pieces)?;
        let Some(ring) = &mut self.ring else { return threads::write(pieces, self.depth) };
        let mut under_way = UnderWay { ring, spans, failure: None };
        for at in 0..under_way.spans.len() {
            while under_way.ring.in_flight() >= self.depth {
                under_way.advance();
            }
            if under_way.failure.is_some() {
                break;
            }
            under_way.begin(at);
        }
        under_way.finish();
        under_way.failure.take().map_or(Ok(()), Err)
    }
}

/// The writes of one call. However the call ends, none is in flight after it.
struct UnderWay<'a> {
    ring: &'a mut Ring,
    spans: Vec<Span<'a>>,
    failure: Option<Error>,
}

impl UnderWay<'_> {
    /// Starts a span, or writes it now where its disk has no descriptor.
    fn begin(&mut self, at: usize) {
        let Some(span) = self.spans.get_mut(at) else { return };
        let Some(disk) = span.disk() else { return };
        if disk.descriptor().is_some() {
            span.begun_at = Meter::now();
            disk.meter().begin(span.begun_at, 1);
            self.push(at);
        } else if let Err(error) = span.pieces().iter().try_for_each(|piece| disk.write_at(piece.bytes, piece.offset)) {
            self.failure.get_or_insert(error);
        }
    }

    /// Counts a span that the ring gave back for good.
    fn count(&self, at: usize, succeeded: bool) {
        let Some(span) = self.spans.get(at) else { return };
        let Some(disk) = span.disk() else { return };
        let now = Meter::now();
        disk.meter().end(now, 1);
        disk.meter().count(Operation::Write, now.saturating_sub(span.begun_at), if succeeded { span.length() } else { 0 });
    }

    /// Puts what is left of a span into the ring.
    fn push(&mut self, at: usize) {
        let Some(span) = self.spans.get_mut(at) else { return };
        let Some(file) = span.disk().and_then(Disk::descriptor) else { return };
        let position = span.transfer.position();
        // SAFETY: the pieces outlive this, the span keeps its slices until it is pushed again, and dropping this waits until
        // nothing is in flight; the kernel only reads them.
        unsafe { self.ring.write(span.rest(), position, file, at as u64) };
        // At once: what is submitted together is held back until all of it is prepared.
        self.ring.submit();
    }

    /// Waits for at least one answer.
    fn advance(&mut self) {
        {
            let _wait = split::wait(Part::Device);
            self.ring.wait();
        }
        while let Some((token, outcome)) = self.ring.pop() {
            let at = token as usize;
            match self.spans.get_mut(at).map(|span| span.transfer.step(outcome)) {
                None => {}
                Some(TransferStep::Done) => self.count(at, true),
                Some(TransferStep::Failed(error)) => {
                    self.count(at, false);
                    self.failure.get_or_insert(error);
                }
                Some(TransferStep::Again(pause)) => {
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
