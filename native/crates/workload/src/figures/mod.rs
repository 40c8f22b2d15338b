//! The figures of a run: counts, and what is shown of them for each second and for the whole.

mod counts;
mod frame;
mod kinds;
mod latencies;
mod summary;

pub use counts::Counts;
pub use frame::{Frame, OperationFrame};
pub use kinds::KindSummary;
pub use latencies::{Latencies, WITHIN_MS};
pub use summary::{OperationSummary, Summary};

/// Nanoseconds as milliseconds, to the microsecond.
fn millis(nanos: f64) -> f64 {
    rounded(nanos / 1e6, 1000.0)
}

/// Nanoseconds as microseconds, to ten nanoseconds.
fn micros(nanos: f64) -> f64 {
    rounded(nanos / 1e3, 100.0)
}

/// `value` to one part in `parts`; 0 where it is no number.
fn rounded(value: f64, parts: f64) -> f64 {
    if value.is_finite() { (value * parts).round() / parts } else { 0.0 }
}
