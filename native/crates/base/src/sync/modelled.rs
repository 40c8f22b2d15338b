//! Loom's locks with the methods of parking_lot's. Time passes when a model says so.

use super::thread;
use std::ops::{Deref, DerefMut};
use std::sync::PoisonError;
use std::sync::atomic::{AtomicBool, Ordering::Relaxed};
use std::time::{Duration, Instant};

/// Most switches of a thread that could go on, per history: the faults of locks and flags show with two or three.
const PREEMPTIONS: usize = 3;

/// Runs `model` in every order of its threads' steps, with at most `PREEMPTIONS` preemptions.
pub fn check(model: impl Fn() + Sync + Send + 'static) {
    let mut builder = loom::model::Builder::new();
    builder.preemption_bound = Some(PREEMPTIONS);
    builder.check(model);
}

#[derive(Debug, Default)]
pub struct Mutex<T>(loom::sync::Mutex<T>);

#[derive(Debug)]
pub struct MutexGuard<'a, T> {
    mutex: &'a Mutex<T>,
    /// `None` while its condition variable waits.
    held: Option<loom::sync::MutexGuard<'a, T>>,
}

impl<T> Mutex<T> {
    pub fn new(value: T) -> Self {
        Self(loom::sync::Mutex::new(value))
    }

    pub fn lock(&self) -> MutexGuard<'_, T> {
        MutexGuard { mutex: self, held: Some(self.hold()) }
    }

    pub fn into_inner(self) -> T {
        self.0.into_inner().unwrap_or_else(PoisonError::into_inner)
    }

    /// A panic leaves a lock of parking_lot usable.
    fn hold(&self) -> loom::sync::MutexGuard<'_, T> {
        self.0.lock().unwrap_or_else(PoisonError::into_inner)
    }
}

impl<T> Deref for MutexGuard<'_, T> {
    type Target = T;

    fn deref(&self) -> &T {
        match &self.held {
            Some(held) => held,
            None => unreachable!("only a wait lets go of the lock, and it borrows the guard"),
        }
    }
}

impl<T> DerefMut for MutexGuard<'_, T> {
    fn deref_mut(&mut self) -> &mut T {
        match &mut self.held {
            Some(held) => held,
            None => unreachable!("only a wait lets go of the lock, and it borrows the guard"),
        }
    }
}

#[derive(Debug, Default)]
pub struct Condvar {
    changed: loom::sync::Condvar,
    /// Written with the lock held. Not one of loom's, as it is no step of what is modelled.
    expired: AtomicBool,
}

#[derive(Clone, Copy, Debug)]
pub struct WaitTimeoutResult(bool);

impl WaitTimeoutResult {
    pub fn timed_out(self) -> bool {
        self.0
    }
}

impl Condvar {
    pub fn new() -> Self {
        Self::default()
    }

    pub fn notify_one(&self) {
        self.changed.notify_one();
    }

    pub fn notify_all(&self) {
        self.changed.notify_all();
    }

    pub fn wait<T>(&self, guard: &mut MutexGuard<'_, T>) {
        if let Some(held) = guard.held.take() {
            guard.held = Some(self.changed.wait(held).unwrap_or_else(PoisonError::into_inner));
        }
    }

    /// Ends when notified, or timed out from `expire` on.
    pub fn wait_for<T>(&self, guard: &mut MutexGuard<'_, T>, _: Duration) -> WaitTimeoutResult {
        if self.expired.load(Relaxed) {
            guard.held = None;
            thread::yield_now();
            guard.held = Some(guard.mutex.hold());
        } else {
            self.wait(guard);
        }
        WaitTimeoutResult(self.expired.load(Relaxed))
    }

    pub fn wait_until<T>(&self, guard: &mut MutexGuard<'_, T>, _: Instant) -> WaitTimeoutResult {
        self.wait_for(guard, Duration::ZERO)
    }

    /// Lets the time of all waits with a limit be over, those to come as well. `mutex` is the one they hold.
    pub fn expire<T>(&self, mutex: &Mutex<T>) {
        let held = mutex.lock();
        self.expired.store(true, Relaxed);
        self.notify_all();
        drop(held);
    }
}
