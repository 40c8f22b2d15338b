//! Backups of Tessera in a bucket of an S3-compatible endpoint.
//!
//! The API is synchronous, and blocks. `known_target` is what the operator says of an endpoint, `exchange`
//! sends one request, `ask` tries again what may pass, `answer` says what an answer means, `xml`
//! reads the answers, `bucket` is what a backup needs of them.

mod answer;
mod ask;
mod bucket;
mod exchange;
mod known_target;
mod upload;
mod xml;

pub use bucket::S3Bucket;
pub use known_target::{KnownTarget, find, list};
