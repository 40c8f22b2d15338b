//! Long work with progress, rate, ETA, pause, throttle and abort: scans, index builds, imports, exports, truncates.
//!
//! `handle` is what workers and callers share, `registry` knows all jobs, `history` keeps the ended ones on disk,
//! `marks` are the events that charts draw. The owner of the work begins a job, hands its handle to the workers and
//! finishes it; `crew` are the workers of work that comes in numbered tasks.

mod crew;
mod handle;
mod history;
mod info;
mod marks;
mod meter;
mod pace;
mod registry;
mod timer;

pub use crew::{Work, start};
pub use handle::{Job, JobPatch};
pub use info::{JobError, JobInfo, JobKind, JobSpec, JobState, Unit};
pub use marks::{Mark, Marks};
pub use registry::{JobLimits, JobRegistry};
pub use timer::Timer;
