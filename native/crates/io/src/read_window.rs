//! The reads that one reader has in flight.

use super::ends::Ends;
use super::meter::Meter;
use super::ring::Ring;
use super::threads::{Arrival, Reads};
use super::transfer::{Direction, Transfer, TransferStep, check_alignment, invalid};
use super::{AlignedBuffer, Backend, Disk};
use std::collections::VecDeque;
use std::io::Result;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::latency::split::{self, Part};

/// Most transfers in flight in one window.
const DEPTH_MAX: usize = 4096;

/// Reads over some disks, up to `depth` in flight, for one thread. It owns the buffers and uses them again. Dropping it waits
/// for what is in flight.
pub struct ReadWindow {
    disks: Arc<[Arc<dyn Disk>]>,
    depth: usize,
    way: Way,
    slots: Vec<Slot>,
    free: Vec<usize>,
    spare: Vec<AlignedBuffer>,
    /// Ended, and not yet given to the caller.
    ended: VecDeque<(usize, Result<()>)>,
    /// Whose bytes the caller has seen last.
    lent: Option<usize>,
    in_flight: usize,
    /// Slots in the ring that the kernel has not seen.
    pushed: Vec<usize>,
}

enum Way {
    Ring(Box<Ring>),
    Threads(Reads),
}

struct Slot {
    tag: u64,
    disk: usize,
    transfer: Transfer,
    /// When the kernel got it: see `Meter::now`.
    begun_at: u64,
    /// Away while a thread fills it.
    buffer: Option<AlignedBuffer>,
}

/// A read that has ended.
#[derive(Debug)]
pub struct Completed<'a> {
    pub tag: u64,
    /// As many bytes as were asked for. `UnexpectedEof` where the disk ends before; what the operating system reports.
    pub result: Result<&'a [u8]>,
}

impl ReadWindow {
    /// A window of `depth` reads, 1 to 4096. Where no ring can be had for it any more (open files, memory), it works with
    /// threads: see `backend`.
    ///
    /// # Errors
    /// `InvalidInput` for another depth.
    pub fn open(backend: Backend, disks: Arc<[Arc<dyn Disk>]>, depth: usize) -> Result<Self> {
        check_depth(depth)?;
        let ring = if backend == Backend::IoUring { Ring::open(depth).ok() } else { None };
        let way = ring.map_or_else(|| Way::Threads(Reads::default()), |ring| Way::Ring(Box::new(ring)));
        let (slots, free, spare, ended, pushed) = Default::default();
        Ok(Self { disks, depth, way, slots, free, spare, ended, lent: None, in_flight: 0, pushed })
    }

    #[inline]
    pub fn backend(&self) -> Backend {
        match self.way {
            Way::Ring(_) => Backend::IoUring,
            Way::Threads(_) => Backend::Threads,
        }
    }

    #[inline]
    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Reads that were started and that `next` has not given back.
    #[inline]
    pub fn in_flight(&self) -> usize {
        self.in_flight
    }

    /// Starts a read of `length` bytes at `offset` of the disk at that place in `disks`; `next` gives it back with `tag`. It
    /// may reach the device no sooner than the next call of `next`.
    ///
    /// # Errors
    /// `InvalidInput` where the window is full, there is no such disk, or the disk's alignment is broken; `OutOfMemory`.
    pub fn start(&mut self, tag: u64, disk: usize, offset: u64, length: usize) -> Result<()> {
        let on = self.disks.get(disk).ok_or_else(|| invalid(format!("there is no disk {disk}")))?;
        if self.in_flight >= self.depth {
            return Err(invalid(format!("the window of {} reads is full", self.depth)));
        }
        check_alignment(offset, length, on.alignment())?;
        let on = on.clone();
        self.take_back();
        let mut buffer = match self.spare.pop() {
            Some(spare) if spare.capacity() >= length => spare,
            _ => AlignedBuffer::new(length)?,
        };
        buffer.set_len(length)?;
        let transfer = Transfer::new(Direction::Read, offset, &buffer, on.alignment())?;
        let at = self.free.pop().unwrap_or(self.slots.len());
        let mut slot = Slot { tag, disk, transfer, begun_at: 0, buffer: None };
        match &mut self.way {
            Way::Threads(reads) => reads.start(at, on, buffer, offset),
            Way::Ring(ring) => {
                slot.buffer = Some(buffer);
                match slot.go_on(&self.disks, ring, at) {
                    Some(result) => self.ended.push_back((at, result)),
                    None => self.pushed.push(at),
                }
            }
        }
        match self.slots.get_mut(at) {
            Some(place) => *place = slot,
            None => self.slots.push(slot),
        }
        self.in_flight += 1;
        Ok(())
    }

    /// Waits until any read has ended; `None` when none is in flight. The bytes stay until the next call.
    #[expect(clippy::should_implement_trait, reason = "what it gives borrows from the window")]
    pub fn next(&mut self) -> Option<Completed<'_>> {
        self.take_back();
        loop {
            if let Some((at, result)) = self.ended.pop_front() {
                self.keep_busy();
                return self.lend(at, result);
            }
            if self.in_flight == 0 {
                return None;
            }
            self.wait(None);
        }
    }

    /// Waits until any read has ended, at most until `until`; whether `next` has one to give. What `next` lent stays.
    pub fn wait_until(&mut self, until: Instant) -> bool {
        if self.ended.is_empty() && self.in_flight > 0 {
            self.wait(Some(until));
        }
        !self.ended.is_empty()
    }

    /// The bytes of the read that `next` gave last; none where it failed, or after another call.
    #[inline]
    pub fn lent(&self) -> &[u8] {
        let slot = self.lent.and_then(|at| self.slots.get(at));
        slot.and_then(|slot| slot.buffer.as_deref()).unwrap_or_default()
    }

    /// Frees the buffers of more than `bytes` that no read uses now.
    pub fn trim(&mut self, bytes: usize) {
        self.take_back();
        self.spare.retain(|buffer| buffer.capacity() <= bytes);
    }

    /// The bytes that the caller saw last are free again.
    fn take_back(&mut self) {
        if let Some(at) = self.lent.take() {
            self.spare.extend(self.slots.get_mut(at).and_then(|slot| slot.buffer.take()));
            self.free.push(at);
        }
    }

    fn lend(&mut self, at: usize, result: Result<()>) -> Option<Completed<'_>> {
        self.in_flight -= 1;
        self.lent = Some(at);
        let slot = self.slots.get(at)?;
        Some(Completed { tag: slot.tag, result: result.map(|()| slot.buffer.as_deref().unwrap_or_default()) })
    }

    /// Lets the kernel have all that was started, though what has ended is not looked at yet.
    pub fn submit(&mut self) {
        if let Way::Ring(ring) = &mut self.way {
            begin(&mut self.pushed, &mut self.slots, &self.disks);
            ring.submit();
        }
    }

    /// Half a window of reads does not wait for the caller to have looked at all that has ended.
    fn keep_busy(&mut self) {
        if let Way::Ring(ring) = &self.way
            && ring.unsubmitted() * 2 >= self.depth
        {
            self.submit();
        }
    }

    /// Waits for at least one answer, or until `until` if that is given.
    fn wait(&mut self, until: Option<Instant>) {
        let _wait = split::wait(Part::Device);
        match &mut self.way {
            Way::Threads(reads) => {
                let Some(Arrival { slot: at, buffer, result }) = reads.wait(until) else { return };
                if let Some(slot) = self.slots.get_mut(at) {
                    slot.buffer = Some(buffer);
                }
                self.ended.push_back((at, result));
            }
            Way::Ring(ring) => {
                begin(&mut self.pushed, &mut self.slots, &self.disks);
                match until {
                    Some(until) => ring.wait_until(until),
                    None => ring.wait(),
                }
                let mut ends = Ends::new(&self.disks);
                while let Some((token, outcome)) = ring.pop() {
                    let at = token as usize;
                    let Some(slot) = self.slots.get_mut(at) else { continue };
                    let ended = match slot.transfer.step(outcome) {
                        TransferStep::Done => Some(Ok(())),
                        TransferStep::Failed(error) => Some(Err(error)),
                        TransferStep::Again(pause) => {
                            pause.into_iter().for_each(std::thread::sleep);
                            slot.go_on(&self.disks, ring, at)
                        }
                    };
                    if let Some(result) = ended {
                        ends.add(slot.disk, slot.begun_at, if result.is_ok() { slot.transfer.done() } else { 0 });
                        self.ended.push_back((at, result));
                    }
                }
            }
        }
    }
}

impl Slot {
    /// Puts what is left to read into the ring; the outcome, where it is read at once because the disk has no descriptor.
    fn go_on(&mut self, disks: &[Arc<dyn Disk>], ring: &mut Ring, at: usize) -> Option<Result<()>> {
        let (Some(disk), Some(buffer)) = (disks.get(self.disk), &mut self.buffer) else { return None };
        match disk.descriptor() {
            Some(file) if self.transfer.left() > 0 => {
                // SAFETY: the slot keeps the buffer, and nobody touches it, until `pop` gives its number back. Dropping the
                // window waits for that; forgetting it leaves the buffer allocated.
                unsafe { ring.read(&self.transfer, file, buffer.address(), at as u64) };
                None
            }
            _ => Some(disk.read_at(buffer, self.transfer.position())),
        }
    }
}

/// The kernel gets what was pushed now.
fn begin(pushed: &mut Vec<usize>, slots: &mut [Slot], disks: &[Arc<dyn Disk>]) {
    if pushed.is_empty() {
        return;
    }
    let now = Meter::now();
    let (mut of, mut operations) = (0, 0);
    let tell = |disk: usize, operations: usize| {
        if let Some(disk) = disks.get(disk).filter(|_| operations > 0) {
            disk.meter().begin(now, operations);
        }
    };
    for at in pushed.drain(..) {
        let Some(slot) = slots.get_mut(at) else { continue };
        slot.begun_at = now;
        if slot.disk != of {
            tell(of, operations);
            (of, operations) = (slot.disk, 0);
        }
        operations += 1;
    }
    tell(of, operations);
}

impl Drop for ReadWindow {
    fn drop(&mut self) {
        while self.next().is_some() {}
    }
}

/// # Errors
/// `InvalidInput` for a depth that no window has.
pub fn check_depth(depth: usize) -> Result<()> {
    if (1..=DEPTH_MAX).contains(&depth) {
        return Ok(());
    }
    Err(invalid(format!("a window must be 1 to {DEPTH_MAX} deep, got {depth}")))
}
