//! Locks, condition variables, flags and threads that a model checker can take over: those of parking_lot and of std, and under
//! `--cfg loom` those of loom, with the same methods. For what has a model; all else names parking_lot and std.

#[cfg(not(loom))]
pub use parking_lot::{Condvar, Mutex, MutexGuard};
#[cfg(not(loom))]
pub use std::{sync::atomic, thread};

#[cfg(loom)]
pub use loom::{sync::atomic, thread};
#[cfg(loom)]
mod modelled;
#[cfg(loom)]
pub use modelled::{Condvar, Mutex, MutexGuard, check};
