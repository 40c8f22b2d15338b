//! Long work with progress, rate, ETA, pause, throttle and abort: scans, index builds, imports, exports, truncates.
//!
//! | part | what it does |
//! | --- | --- |
//! | `job` | one job, as its workers and callers share it: what is known of it, signals, counts, lanes, rates, limits |
//! | `registry` | all jobs; the log of them on disk, files of imports, marks for the charts |
//! | `crew` | the workers of one job on threads of the pool |
//! | `chunk_stream` | bytes from the workers of a job to one reader |
//! | `load` | imports: rows into a sink |
//! | `timer` | callbacks at their time |
//!
//! Nothing here starts the work: the owner of the work begins a job, hands its handle to the workers and finishes it.

pub mod chunk_stream;
mod crew;
mod job;
pub mod load;
mod registry;
mod timer;

pub use crew::{Crew, Work};
pub use job::{Job, JobDamage, JobError, JobInfo, JobKind, JobPatch, JobSpec, JobState, LaneInfo, LaneState, Progress, Unit, wait_as};
/// The fuzz target of the history of jobs.
#[cfg(any(test, feature = "fuzzing"))]
pub use registry::fuzz as history_fuzz;
pub use registry::{HistoryStatus, JobFiles, JobLimits, JobPage, JobQuery, JobRegistry, Mark, Marks};
