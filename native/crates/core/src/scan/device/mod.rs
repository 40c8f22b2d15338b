//! Reading bodies from a device otherwise than slot by slot: in rounds, in the order of the device, or all blocks one behind the
//! other.

mod ordered_reads;
mod rounds;
mod sequential;

pub(super) use ordered_reads::OrderedReads;
pub(super) use rounds::Rounds;
pub(super) use sequential::{AHEAD, Runs, Sequential};
