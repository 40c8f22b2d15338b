//! The snapshot of a device's index: what it knows of the blocks, and when it counts. All else of it is in `crate::snapshot`.
//!
//! It counts only while every disk's header still tells the run that took it: opening raises the run before the first write.

#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
mod load;
mod save;

pub use load::DeviceOwner;
pub use save::save;
