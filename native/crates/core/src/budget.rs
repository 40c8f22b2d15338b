//! One budget of bytes for what all requests of the process hold at once: ordered rows, groups, distinct elements, bodies.
//!
//! A request takes what it holds in steps, as it comes to hold it: nothing is refused for what it might hold. Where there is no
//! room it waits for its turn. Of requests that all wait for each other the youngest gives up, so that the oldest goes on.

use crate::error::{Error, ErrorCode, Result};
use parking_lot::{Condvar, Mutex};
use std::collections::BTreeMap;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// What each request may hold without asking: small ones meet nobody.
pub const FREE: u64 = 1024 * 1024;
/// What is taken at once.
const STEP: u64 = 1024 * 1024;
/// Between two looks whether the request was given up meanwhile.
const LOOK: Duration = Duration::from_millis(20);
/// How long a request waits for its turn.
pub const PATIENCE: Duration = Duration::from_secs(5);

#[derive(Debug)]
pub struct Budget {
    total: u64,
    patience: Duration,
    state: Mutex<State>,
    changed: Condvar,
}

#[derive(Debug, Default)]
struct State {
    used: u64,
    /// By number: the oldest first.
    shares: BTreeMap<u64, Taken>,
    last: u64,
    refused: u64,
}

#[derive(Debug, Default)]
struct Taken {
    bytes: u64,
    /// Threads that wait for more.
    waiting: u32,
    given_up: bool,
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
    number: u64,
    held: AtomicU64,
    /// What of it single threads hold, until they have handed it over and it is one with what others hold.
    apart: AtomicU64,
    /// What it may hold: `FREE`, and what it has taken.
    granted: AtomicU64,
}

impl Budget {
    pub fn new(total: u64, patience: Duration) -> Arc<Self> {
        Arc::new(Self { total, patience, state: Mutex::default(), changed: Condvar::new() })
    }

    pub fn usage(&self) -> BudgetUse {
        let state = self.state.lock();
        let waiting = state.shares.values().filter(|taken| taken.waiting > 0).count() as u64;
        BudgetUse { total_bytes: self.total, used_bytes: state.used, waiting, refused: state.refused }
    }

    /// Takes so many bytes at once if there is room, or if nobody holds any, for who waits elsewhere.
    pub fn take(self: &Arc<Self>, bytes: u64) -> Option<Arc<Share>> {
        let mut state = self.state.lock();
        if state.used > 0 && bytes > self.total.saturating_sub(state.used) {
            return None;
        }
        state.last += 1;
        state.used += bytes;
        let number = state.last;
        state.shares.insert(number, Taken { bytes, ..Taken::default() });
        Some(Arc::new(Share {
            budget: Arc::clone(self),
            number,
            held: AtomicU64::new(bytes),
            apart: AtomicU64::new(0),
            granted: AtomicU64::new(bytes),
        }))
    }

    /// Counts a request that waited elsewhere, in vain.
    pub fn note_refused(&self) {
        self.state.lock().refused += 1;
    }

    /// The share of a request that begins.
    pub fn share(self: &Arc<Self>) -> Arc<Share> {
        let mut state = self.state.lock();
        state.last += 1;
        let number = state.last;
        Arc::new(Share {
            budget: Arc::clone(self),
            number,
            held: AtomicU64::new(0),
            apart: AtomicU64::new(0),
            granted: AtomicU64::new(FREE),
        })
    }
}

impl State {
    /// Takes what `share` lacks, if there is room.
    fn take(&mut self, share: &Share, total: u64) -> bool {
        let (held, granted) = (share.held.load(Relaxed), share.granted.load(Relaxed));
        let lacks = held.saturating_sub(granted);
        if lacks == 0 {
            return true;
        }
        let room = total.saturating_sub(self.used);
        if lacks > room {
            return false;
        }
        let bytes = lacks.next_multiple_of(STEP).min(room);
        self.used += bytes;
        self.shares.entry(share.number).or_default().bytes += bytes;
        share.granted.store(granted + bytes, Relaxed);
        true
    }

    /// Whether several hold something and all of them wait for each other, and `number` is the youngest of those that wait.
    fn must_give_up(&self, number: u64) -> bool {
        if self.shares.iter().all(|(&other, taken)| other == number || taken.bytes == 0) {
            return false;
        }
        let stuck = self.shares.values().all(|taken| taken.bytes == 0 || taken.waiting > 0 && !taken.given_up);
        let youngest = self.shares.iter().rev().find(|(_, taken)| taken.waiting > 0).map(|(&youngest, _)| youngest);
        stuck && youngest == Some(number)
    }
}

impl Share {
    /// Counts bytes that the request holds from now on. Takes room for them if there is some, and never waits.
    pub fn hold(&self, bytes: u64) {
        let held = self.held.fetch_add(bytes, Relaxed) + bytes;
        if held > self.granted.load(Relaxed) {
            self.budget.state.lock().take(self, self.budget.total);
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

    /// Takes so many more bytes at once if there is room, or if nobody else holds any, for who waits elsewhere.
    pub fn grow(&self, bytes: u64) -> bool {
        let mut state = self.budget.state.lock();
        let State { used, shares, .. } = &mut *state;
        let own = shares.entry(self.number).or_default();
        if *used > own.bytes && bytes > self.budget.total.saturating_sub(*used) {
            return false;
        }
        *used += bytes;
        own.bytes += bytes;
        self.held.fetch_add(bytes, Relaxed);
        self.granted.fetch_add(bytes, Relaxed);
        true
    }

    /// Counts bytes that it holds no longer. They stay its own until it ends: it is likely to want them again.
    pub fn release(&self, bytes: u64) {
        self.held.fetch_sub(bytes, Relaxed);
    }

    /// Whether it holds more than it has taken: it has to `settle` before it goes on.
    pub fn is_short(&self) -> bool {
        self.held.load(Relaxed) > self.granted.load(Relaxed)
    }

    /// Whether it would be short if it held so much more, and there is no room for that now.
    pub fn would_be_short(&self, more: u64) -> bool {
        let lacks = (self.held.load(Relaxed) + more).saturating_sub(self.granted.load(Relaxed));
        lacks > 0 && lacks > self.budget.total.saturating_sub(self.budget.state.lock().used)
    }

    /// Waits until it has taken all that it holds; for a thread that holds no lock. `stop`: nobody wants it any more.
    ///
    /// # Errors
    /// `memory_busy` if others have the room for too long; `request_too_large` for more than there is.
    pub fn settle(&self, stop: impl Fn() -> bool) -> Result<()> {
        if !self.is_short() {
            return Ok(());
        }
        let Budget { total, patience, state, changed } = &*self.budget;
        let mut state = state.lock();
        let deadline = Instant::now() + *patience;
        state.shares.entry(self.number).or_default().waiting += 1;
        let outcome = loop {
            if state.take(self, *total) || stop() {
                break Ok(());
            }
            // What its threads still have apart may turn out to be the same, or not to be wanted.
            let least = self.held.load(Relaxed).saturating_sub(self.apart.load(Relaxed));
            if least > total.saturating_add(FREE) {
                let message = format!(
                    "the request would hold more than the {total} bytes that all requests may hold together (TESSERA_REQUEST_BYTES)"
                );
                break Err(Error::new(ErrorCode::RequestTooLarge, message));
            }
            let given_up = state.shares.get(&self.number).is_some_and(|taken| taken.given_up);
            if given_up || state.must_give_up(self.number) || Instant::now() >= deadline {
                state.refused += u64::from(!given_up);
                state.shares.entry(self.number).or_default().given_up = true;
                let message = format!("other requests hold {} of the {total} bytes that all may hold together", state.used);
                break Err(Error::new(ErrorCode::MemoryBusy, message));
            }
            changed.wait_for(&mut state, LOOK.min(*patience));
        };
        state.shares.entry(self.number).or_default().waiting -= 1;
        changed.notify_all();
        outcome
    }
}

impl Drop for Share {
    fn drop(&mut self) {
        let mut state = self.budget.state.lock();
        let bytes = state.shares.remove(&self.number).map_or(0, |taken| taken.bytes);
        state.used -= bytes;
        drop(state);
        self.budget.changed.notify_all();
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NEVER: fn() -> bool = || false;

    fn budget(total: u64) -> Arc<Budget> {
        Budget::new(total, Duration::from_secs(60))
    }

    fn wait_until(mut condition: impl FnMut() -> bool) {
        let deadline = Instant::now() + Duration::from_secs(30);
        while !condition() {
            assert!(Instant::now() < deadline, "waited for 30 s");
            std::thread::yield_now();
        }
    }

    #[test]
    fn what_grows_in_steps_meets_others_and_not_itself() {
        let budget = budget(4);
        let share = budget.take(3).unwrap();
        assert!(share.grow(5), "alone it may have more than there is, as at once");
        drop(share);
        let (share, other) = (budget.take(2).unwrap(), budget.take(1).unwrap());
        assert!(!share.grow(2));
        assert!(share.grow(1));
        drop(other);
        assert!(share.grow(2));
        assert_eq!(budget.usage().used_bytes, 5);
        drop(share);
        assert_eq!(budget.usage().used_bytes, 0);
    }

    #[test]
    fn what_fits_alone_is_never_refused() {
        let budget = budget(10 * STEP);
        let share = budget.share();
        for _ in 0..10 {
            share.hold(STEP);
            share.settle(NEVER).unwrap();
        }
        share.hold(FREE);
        share.settle(NEVER).unwrap();
        assert_eq!(budget.usage().used_bytes, 10 * STEP);
        share.hold(1);
        assert_eq!(share.settle(NEVER).unwrap_err().code, ErrorCode::RequestTooLarge);
        drop(share);
        assert_eq!(budget.usage(), BudgetUse { total_bytes: 10 * STEP, ..BudgetUse::default() });
    }

    #[test]
    fn what_threads_have_apart_is_waited_for_and_not_refused() {
        let budget = budget(STEP);
        let share = budget.share();
        share.hold(FREE + STEP);
        share.hold_apart(STEP);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| share.settle(NEVER));
            wait_until(|| budget.usage().waiting == 1);
            // Another thread hands it over, and it is known already.
            share.unite(STEP);
            share.release(STEP);
            waits.join().unwrap().unwrap();
        });
    }

    #[test]
    fn what_is_taken_at_once_has_to_fit_unless_it_is_alone() {
        let budget = budget(STEP);
        let large = budget.take(3 * STEP).unwrap();
        assert!(budget.take(1).is_none());
        drop(large);
        let small = budget.take(STEP / 2).unwrap();
        assert!(budget.take(STEP / 2).is_some() && budget.take(STEP).is_none());
        drop(small);
        assert_eq!(budget.usage().used_bytes, 0);
    }

    #[test]
    fn small_requests_meet_nobody() {
        let budget = budget(STEP);
        let large = budget.share();
        large.hold(FREE + STEP);
        assert_eq!(budget.usage().used_bytes, STEP);
        let small = budget.share();
        small.hold(FREE);
        small.settle(NEVER).unwrap();
        assert!(!small.is_short() && budget.usage().waiting == 0);
    }

    #[test]
    fn who_finds_no_room_waits_for_its_turn() {
        let budget = budget(4 * STEP);
        let (first, second) = (budget.share(), budget.share());
        first.hold(FREE + 4 * STEP);
        second.hold(FREE + STEP);
        std::thread::scope(|scope| {
            let waits = scope.spawn(|| second.settle(NEVER));
            wait_until(|| budget.usage().waiting == 1);
            assert!(!waits.is_finished());
            drop(first);
            waits.join().unwrap().unwrap();
        });
        assert_eq!(budget.usage().refused, 0);
    }

    #[test]
    fn who_waits_in_vain_is_told_that_others_have_the_room() {
        let budget = Budget::new(STEP, Duration::from_millis(1));
        let (first, second) = (budget.share(), budget.share());
        first.hold(FREE + STEP);
        second.hold(FREE + 1);
        let refused = second.settle(NEVER).unwrap_err();
        assert!(refused.code == ErrorCode::MemoryBusy && refused.retryable());
        assert_eq!(budget.usage().refused, 1);
        // Called off, it just ends.
        second.settle(|| true).unwrap();
    }

    #[test]
    fn of_those_that_wait_for_each_other_the_youngest_gives_up() {
        let budget = budget(4 * STEP);
        let shares = [budget.share(), budget.share()];
        shares.iter().for_each(|share| share.hold(FREE + 2 * STEP));
        shares.iter().for_each(|share| share.hold(STEP));
        let [oldest, youngest] = shares;
        std::thread::scope(|scope| {
            let oldest = scope.spawn(move || oldest.settle(NEVER).map(|()| oldest));
            let youngest = scope.spawn(move || youngest.settle(NEVER));
            assert_eq!(youngest.join().unwrap().unwrap_err().code, ErrorCode::MemoryBusy);
            oldest.join().unwrap().unwrap();
        });
    }
}
