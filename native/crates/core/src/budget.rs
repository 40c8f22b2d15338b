//! One budget of bytes for what all requests of the process hold at once: ordered rows, groups, distinct elements, bodies.
//!
//! A request takes what it holds in steps, as it comes to hold it: nothing is refused for what it might hold. If there is no
//! room it waits in a queue (`budget/queue.rs`), for its turn, or for as long as requests have patience.

mod queue;
#[cfg(test)]
mod tests;

use parking_lot::{Condvar, Mutex};
use queue::Queue;
use std::sync::Arc;
use std::sync::atomic::{AtomicU32, AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};
use tessera_base::latency::split::{self, Part};
use tessera_base::{Error, ErrorCode, Result, sentence};

/// What each query may hold without asking: small ones meet nobody.
pub const FREE: u64 = 1024 * 1024;
/// What a query takes at once.
const STEP: u64 = 1024 * 1024;
/// Between two looks whether it is a request's turn, or whether it was given up meanwhile.
const LOOK: Duration = Duration::from_millis(20);
/// How long a request waits for its turn.
pub const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct Budget {
    total: u64,
    patience: Duration,
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// How much of the budget is taken.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BudgetUse {
    pub total_bytes: u64,
    pub used_bytes: u64,
    /// Requests that wait for their turn.
    pub waiting: u64,
    /// Requests that waited in vain.
    pub refused: u64,
}

/// What one request holds; given back when it is dropped.
#[derive(Debug)]
pub struct Share {
    budget: Arc<Budget>,
    kind: Kind,
    /// Its place in the queue, from its first need on; 0 before.
    number: AtomicU64,
    held: AtomicU64,
    /// What of it single threads hold, until they have handed it over and it is one with what others hold.
    apart: AtomicU64,
    /// What it may hold: what is free, and what it has taken.
    granted: AtomicU64,
    /// What it is likely to come to.
    claim: AtomicU64,
    /// Those that may give something back before it ends.
    threads: AtomicU32,
}

/// What a share is of.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Kind {
    Query,
    /// Takes what it needs to the byte, and may be larger than the budget if it is alone: its own limit bounds it.
    Body,
}

/// A thread that works for a request, until dropped.
#[derive(Debug)]
pub struct Member(Arc<Share>);

/// A wait for room, until dropped.
#[derive(Debug)]
pub struct Wait {
    share: Arc<Share>,
    deadline: Instant,
}

impl Budget {
    pub fn new(total: u64, patience: Duration) -> Arc<Self> {
        Arc::new(Self { total, patience, queue: Mutex::new(Queue::new(total)), changed: Condvar::new() })
    }

    pub fn usage(&self) -> BudgetUse {
        self.queue.lock().usage()
    }

    /// The share of a query that begins.
    pub fn share(self: &Arc<Self>) -> Arc<Share> {
        self.share_of(Kind::Query, FREE)
    }

    /// The share of a request with a body.
    pub fn body(self: &Arc<Self>) -> Arc<Share> {
        self.share_of(Kind::Body, 0)
    }

    fn share_of(self: &Arc<Self>, kind: Kind, free: u64) -> Arc<Share> {
        Arc::new(Share {
            budget: Arc::clone(self),
            kind,
            number: AtomicU64::new(0),
            held: AtomicU64::new(0),
            apart: AtomicU64::new(0),
            granted: AtomicU64::new(free),
            claim: AtomicU64::new(0),
            threads: AtomicU32::new(0),
        })
    }
}

impl Share {
    /// Counts bytes that the request holds from now on. Takes room for them if there is some, and never waits.
    pub fn hold(&self, bytes: u64) {
        let held = self.held.fetch_add(bytes, Relaxed) + bytes;
        if held > self.granted.load(Relaxed) {
            self.budget.queue.lock().take(self, false);
        }
    }

    /// As `hold`, of bytes that one thread has found, and that others may have found, too.
    pub fn hold_apart(&self, bytes: u64) {
        self.apart.fetch_add(bytes, Relaxed);
        self.hold(bytes);
    }

    /// A thread has handed such bytes over.
    pub fn unite(&self, bytes: u64) {
        self.apart.fetch_sub(bytes, Relaxed);
    }

    /// Counts bytes that it holds no longer. They stay its own until it ends: it is likely to want them again.
    pub fn release(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Relaxed);
    }

    /// Says how many bytes it is likely to come to. It begins only when that fits beside what others are likely to come to, or
    /// when its patience is over: requests that began together would have to give up for each other.
    pub fn claim(&self, bytes: u64) {
        self.claim.store(bytes, Relaxed);
    }

    /// A thread begins to work for the request. Only if all of them wait does the request wait.
    pub fn member(self: &Arc<Self>) -> Member {
        self.threads.fetch_add(1, Relaxed);
        Member(self.clone())
    }

    /// Whether it holds more than it has taken: it has to `settle` before it goes on.
    pub fn is_short(&self) -> bool {
        self.lacks() > 0
    }

    /// Whether it would be short if it held so much more, and there is no room for that now.
    pub fn would_be_short(&self, more: u64) -> bool {
        let lacks = (self.held.load(Relaxed) + more).saturating_sub(self.granted.load(Relaxed));
        lacks > 0 && lacks > self.budget.queue.lock().room()
    }

    /// Waits until it has taken all that it holds; for a thread that holds no lock. `stop`: nobody wants it any more.
    ///
    /// # Errors
    /// `memory_busy` if others have the room for too long; `request_too_large` for more than there is.
    pub fn settle(self: &Arc<Self>, stop: impl Fn() -> bool) -> Result<()> {
        if !self.is_short() {
            return Ok(());
        }
        let _queued = split::wait(Part::Queue);
        let wait = Wait::begin(self);
        let mut queue = self.budget.queue.lock();
        loop {
            if let Some(outcome) = wait.outcome(&mut queue, &stop) {
                return outcome;
            }
            self.budget.changed.wait_for(&mut queue, LOOK.min(self.budget.patience));
        }
    }

    /// Asks for so many bytes more, for one who waits elsewhere and looks now and then.
    pub fn ask(self: &Arc<Self>, bytes: u64) -> Wait {
        self.held.fetch_add(bytes, Relaxed);
        Wait::begin(self)
    }

    fn lacks(&self) -> u64 {
        self.held.load(Relaxed).saturating_sub(self.granted.load(Relaxed))
    }
}

impl Wait {
    fn begin(share: &Arc<Share>) -> Self {
        share.budget.queue.lock().begin_wait(share);
        Self { share: share.clone(), deadline: Instant::now() + share.budget.patience }
    }

    /// Whether the request has its room, or why it gets none; nothing while it has to wait.
    pub fn look(&self) -> Option<Result<()>> {
        self.outcome(&mut self.share.budget.queue.lock(), &|| false)
    }

    fn outcome(&self, queue: &mut Queue, stop: &dyn Fn() -> bool) -> Option<Result<()>> {
        let Self { share, deadline } = self;
        let Budget { total, patience, .. } = *share.budget;
        let now = Instant::now();
        let late = now >= *deadline;
        if stop() || !queue.is_given_up(share) && queue.take(share, late) {
            return Some(Ok(()));
        }
        // What its threads still have apart may turn out to be the same, or not to be wanted.
        let least = share.held.load(Relaxed).saturating_sub(share.apart.load(Relaxed));
        if share.kind == Kind::Query && least > total.saturating_add(FREE) {
            let message =
                sentence!("the request would hold more than the {total} bytes for all requests (TESSERA_REQUEST_BYTES)", total = total);
            return Some(Err(Error::said(ErrorCode::RequestTooLarge, message)));
        }
        queue.gives_up(share, late, now >= *deadline + patience).then(|| {
            let used = queue.usage().used_bytes;
            let message =
                sentence!("other requests hold {used} of the {total} bytes for all requests; try again later", used = used, total = total);
            Err(Error::said(ErrorCode::MemoryBusy, message))
        })
    }
}

impl Drop for Wait {
    fn drop(&mut self) {
        self.share.budget.queue.lock().end_wait(&self.share);
        self.share.budget.changed.notify_all();
    }
}

impl Drop for Member {
    fn drop(&mut self) {
        self.0.threads.fetch_sub(1, Relaxed);
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        self.budget.queue.lock().leave(self);
        self.budget.changed.notify_all();
    }
}
