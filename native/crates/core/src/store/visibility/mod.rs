//! What a read may show: nothing that a crash could take back, and nothing that a truncation has
//! taken.

mod hidden;
mod in_flight;

pub(super) use hidden::Hidden;
pub(crate) use in_flight::Guard;
pub(super) use in_flight::{Awaited, Visibility, uncertain};
