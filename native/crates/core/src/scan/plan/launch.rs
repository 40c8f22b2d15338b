//! What a plan comes to: how records are found, and what is told of it.

use super::selection::Selection;
use crate::metrics::Operation;
use tessera_jobs::JobSpec;

/// A way of finding records, ready to be walked: by a scan's plan, or by a query's.
pub(crate) struct Launch {
    pub(crate) selection: Selection,
    pub(crate) job: JobSpec,
    pub(crate) operation: Operation,
    /// As the summary shows it.
    pub(crate) method: &'static str,
    /// Records that will be looked at, where that is known.
    pub(crate) estimated: Option<u64>,
    /// What it will take, where the plan says that.
    pub(crate) estimated_ms: Option<f64>,
}
