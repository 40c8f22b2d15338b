//! Which sets there are, and which segments are whose.

mod elsewhere;
mod list;
mod owned;
mod page;

pub use list::SetInfo;
pub(super) use owned::Owned;
pub use owned::SegmentInfo;
pub use page::{SetOrder, SetPage, SetPlace, SetQuery};
