//! Long work with progress, rate, ETA, pause, throttle and abort: scans, index builds, imports, exports, truncates.
//!
//! `handle` is what workers and callers share, `registry` knows all jobs, `history` keeps the ended ones on disk,
//! `marks` are the events that charts draw, `crew` are the workers of one job on threads of the pool. Nothing here starts
//! the work: the owner of the work begins a job, hands its handle to the workers and finishes it.

mod crew;
mod files;
mod handle;
mod history;
mod id;
mod info;
mod lanes;
mod marks;
mod meter;
mod pace;
mod registry;
mod timer;

pub use crew::{Crew, Work};
pub use files::JobFiles;
pub use handle::{Job, JobPatch};
pub use info::{JobDamage, JobError, JobInfo, JobKind, JobSpec, JobState, Unit};
pub(crate) use lanes::wait_as;
pub use lanes::{LaneInfo, LaneState};
pub use marks::{Mark, Marks};
pub use registry::{JobLimits, JobRegistry};
pub use timer::Timer;
