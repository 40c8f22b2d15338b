//! Scans as they are run: as a job that writes to a stream, a page, the first in an order, counts, or calls within the process.

mod calibrate;
mod page;
mod ranked;
mod stream;
mod tally;
mod visit;

pub(crate) use calibrate::calibrate;
pub(crate) use ranked::launch_ranked;
pub use stream::Scan;
pub(crate) use stream::{launch, start};
pub use tally::TallySpec;
pub(crate) use tally::{TallyPlan, launch_tally};
pub use visit::VisitSpec;
pub(crate) use visit::visit_all;
