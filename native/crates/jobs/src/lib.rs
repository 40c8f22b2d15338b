//! Long work with progress, rate, ETA, pause, throttle and abort: scans, index builds, imports, exports, truncates.
//!
//! | part | what it does |
//! | --- | --- |
//! | `handle`, `lanes`, `meter`, `pace` | what workers and callers of one job share: signals, counts, rates, limits |
//! | `registry`, `history`, `timer`, `id`, `info` | all jobs; the ended ones on disk; callbacks at their time |
//! | `crew` | the workers of one job on threads of the pool |
//! | `marks` | the events that charts draw |
//! | `chunk_stream` | bytes from the workers of a job to one reader |
//! | `load`, `files` | imports: rows into a sink, and what they leave in the data directory |
//!
//! Nothing here starts the work: the owner of the work begins a job, hands its handle to the workers and finishes it.

pub mod chunk_stream;
mod crew;
mod files;
mod handle;
mod history;
mod id;
mod info;
mod lanes;
pub mod load;
mod marks;
mod meter;
mod pace;
mod registry;
mod timer;

pub use crew::{Crew, Work};
pub use files::JobFiles;
pub use handle::{Job, JobPatch};
pub use info::{JobDamage, JobError, JobInfo, JobKind, JobSpec, JobState, Unit};
pub use lanes::{LaneInfo, LaneState, wait_as};
pub use marks::{Mark, Marks};
pub use registry::{JobLimits, JobRegistry};
