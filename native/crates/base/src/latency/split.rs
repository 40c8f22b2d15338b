//! Where the time of an operation goes: what its thread waited for, by part.
//!
//! A fast operation must not pay for it. So nothing is timed but waits, where a thread waits anyway, and a wait is added to
//! a scratch of its thread. Whoever finds that an operation took long looks there; nobody else does.

use super::{Clock, Tick};
use std::cell::Cell;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Part {
    /// Waiting for a thread, a lock, room, or because the work is not to go faster.
    Queue,
    /// What is left: work in memory.
    Index,
    /// Disks, and syncs that another thread makes.
    Device,
    /// Parsing the request.
    Decode,
    /// Making the answer, and waiting for whoever reads it.
    Reply,
}

/// Nanoseconds by part.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Split([u64; Split::PARTS]);

impl Split {
    pub const PARTS: usize = 5;

    pub fn of(self, part: Part) -> u64 {
        self.0[part as usize]
    }

    pub fn add(&mut self, part: Part, nanos: u64) {
        self.0[part as usize] = self.of(part).saturating_add(nanos);
    }

    pub fn total(self) -> u64 {
        self.0.iter().fold(0, |sum, nanos| sum.saturating_add(*nanos))
    }

    #[must_use]
    pub fn and(mut self, other: Self) -> Self {
        self.0.iter_mut().zip(other.0).for_each(|(sum, nanos)| *sum = sum.saturating_add(nanos));
        self
    }

    /// The same parts of `total`, the index having what no other part has. Clocks of two processors may disagree a little,
    /// so that the parts come to more: then all shrink alike.
    #[must_use]
    pub fn fill(mut self, total: u64) -> Self {
        self.0[Part::Index as usize] = 0;
        let taken = self.total();
        if taken > total {
            self.0.iter_mut().for_each(|nanos| *nanos = (u128::from(*nanos) * u128::from(total) / u128::from(taken)) as u64);
        }
        self.0[Part::Index as usize] = total - self.total();
        self
    }
}

/// What one thread has waited for.
struct Scratch {
    /// An operation is under way.
    open: Cell<bool>,
    /// A wait is under way: those inside it are a part of it.
    waiting: Cell<bool>,
    split: Cell<Split>,
    /// When the wait in `split` began, while no operation is open: it is then the last one alone.
    since: Cell<Option<Tick>>,
    /// The request that this thread works for, until an operation takes it.
    arrived: Cell<Option<Arrived>>,
    /// What was measured inside the operation.
    steps: Cell<Option<Steps>>,
}

#[derive(Clone, Copy)]
struct Steps {
    /// When the first one began.
    first: Tick,
    /// When the last one began and ended.
    last: (Tick, Tick),
}

thread_local! {
    static SCRATCH: Scratch = const {
        Scratch {
            open: Cell::new(false),
            waiting: Cell::new(false),
            split: Cell::new(Split([0; Split::PARTS])),
            since: Cell::new(None),
            arrived: Cell::new(None),
            steps: Cell::new(None),
        }
    };
}

/// An operation on this thread, until dropped.
pub struct Open {
    outermost: bool,
}

/// Begins an operation: waits of this thread are its own, unless it is a part of another one.
#[inline]
pub fn open() -> Open {
    SCRATCH.with(|scratch| {
        let outermost = !scratch.open.replace(true);
        if outermost {
            scratch.split.set(Split::default());
            scratch.steps.set(None);
        }
        Open { outermost }
    })
}

impl Open {
    /// Whether it is no part of another operation.
    #[inline]
    pub fn outermost(&self) -> bool {
        self.outermost
    }

    /// When its request came in, if anybody noted that.
    #[inline]
    pub fn arrived(&self) -> Option<Tick> {
        SCRATCH.with(|scratch| scratch.arrived.take()).map(|arrived| arrived.at)
    }

    /// Nanoseconds of its last step, which is what the others were for; `None` if it had none.
    pub fn last_step(&self) -> Option<u64> {
        SCRATCH.with(|scratch| scratch.steps.get()).map(|Steps { last: (begun, ended), .. }| begun.nanos_until(ended))
    }

    /// What it has waited for.
    pub fn waited(&self) -> Split {
        SCRATCH.with(|scratch| scratch.split.get())
    }

    /// What it has waited for, and what lies before its first step and behind its last.
    pub fn split(&self, begun: Tick, ended: Tick) -> Split {
        let mut split = self.waited();
        if let Some(Steps { first, last: (_, last) }) = SCRATCH.with(|scratch| scratch.steps.get()) {
            split.add(Part::Decode, begun.nanos_until(first));
            split.add(Part::Reply, last.nanos_until(ended));
        }
        split
    }
}

impl Drop for Open {
    fn drop(&mut self) {
        if self.outermost {
            SCRATCH.with(|scratch| scratch.open.set(false));
        }
    }
}

/// When a request came in, and when this thread took it.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Arrived {
    pub at: Tick,
    pub taken: Tick,
}

/// A request that this thread works for, until dropped.
#[must_use]
pub struct Arrival(());

/// This thread begins to work for a request that came in before: it has waited for its turn until now.
pub fn arrive(at: Tick) -> Arrival {
    SCRATCH.with(|scratch| scratch.arrived.set(Some(Arrived { at, taken: Clock::now() })));
    Arrival(())
}

impl Drop for Arrival {
    fn drop(&mut self) {
        SCRATCH.with(|scratch| scratch.arrived.set(None));
    }
}

/// The request that this thread works for.
pub fn arrived() -> Option<Arrived> {
    SCRATCH.with(|scratch| scratch.arrived.get())
}

/// A part of the operation that is open tells when it began and ended: what lies around the parts is decoding and the reply.
#[inline]
pub fn step(begun: Tick, ended: Tick) {
    SCRATCH.with(|scratch| {
        let first = scratch.steps.get().map_or(begun, |steps| steps.first);
        scratch.steps.set(Some(Steps { first, last: (begun, ended) }));
    });
}

/// Whether an operation is open on this thread.
pub fn is_open() -> bool {
    SCRATCH.with(|scratch| scratch.open.get())
}

/// The last wait of this thread, if it began at `begun` or later and no operation was open: for one that opened none.
pub fn last_wait(begun: Tick) -> Split {
    SCRATCH.with(|scratch| match scratch.since.get() {
        Some(since) if since >= begun && !scratch.open.get() => scratch.split.get(),
        _ => Split::default(),
    })
}

/// A wait, until dropped.
#[must_use]
pub struct Waiting {
    /// `None`: a part of another wait.
    begun: Option<Tick>,
    part: Part,
}

/// Begins a wait; only where a thread waits anyway, as it reads the clock twice.
pub fn wait(part: Part) -> Waiting {
    let inside = SCRATCH.with(|scratch| scratch.waiting.replace(true));
    Waiting { begun: (!inside).then(Clock::now), part }
}

impl Drop for Waiting {
    fn drop(&mut self) {
        let Some(begun) = self.begun else { return };
        let nanos = Clock::nanos_since(begun);
        SCRATCH.with(|scratch| {
            scratch.waiting.set(false);
            let mut split = if scratch.open.get() { scratch.split.get() } else { Split::default() };
            split.add(self.part, nanos);
            scratch.split.set(split);
            scratch.since.set(Some(begun));
        });
    }
}

/// A wait that was timed already.
pub fn waited(part: Part, nanos: u64) {
    SCRATCH.with(|scratch| {
        if scratch.open.get() && !scratch.waiting.get() {
            let mut split = scratch.split.get();
            split.add(part, nanos);
            scratch.split.set(split);
        }
    });
}

#[cfg(test)]
mod tests;
