//! Which sets there are, and which segments are whose.

mod elsewhere;
mod list;
mod owned;

pub use list::SetInfo;
pub(super) use owned::Owned;
pub use owned::SegmentInfo;
