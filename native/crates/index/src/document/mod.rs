//! The document index: which slots of a segment may contain a wanted JSON document.
//!
//! `terms` says what a document is found by; `segment` keeps one segment's terms in a compact layer (`compact`) and in
//! runs of recent writes (`super::runs`); `builder` makes the compact layer of records that are already there. What the
//! index answers is a superset: `tessera_record::contains` decides.

mod builder;
mod compact;
pub(super) mod image;
mod segment;
pub mod terms;
#[cfg(test)]
mod tests;

pub use builder::DocumentBuilder;
pub use compact::{Compact, CompactParts};
pub use segment::{Candidates, DocumentIndexStats, SegmentDocumentIndex};
pub(crate) use segment::{DocumentMerge, DocumentMerged};
pub use terms::QueryTerms;
