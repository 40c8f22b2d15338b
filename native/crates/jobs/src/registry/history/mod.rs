//! The jobs that ended, in memory within bounds, and the log `jobs.log` of all jobs. `docs/internals/engine.md` says how they
//! are kept.
//!
//! | part | what it does |
//! | --- | --- |
//! | `ended` | which jobs are remembered, and which go first |
//! | `log` | the file: append, read back, write anew |
//! | `synced` | how much of it is on stable storage, to tell a cut from a torn write |

mod disk;
mod ended;
#[cfg(any(test, feature = "fuzzing"))]
pub mod fuzz;
mod log;
mod synced;

pub(super) use disk::Disk;
pub(super) use ended::{Bounds, Ended, Forgotten, decode, encode};
pub use log::HistoryStatus;
pub(super) use log::{Log, Past};
