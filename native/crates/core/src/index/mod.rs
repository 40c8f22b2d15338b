//! Secondary indexes. Each belongs to one segment and answers with slots.

pub mod document;
pub mod range;
mod runs;
