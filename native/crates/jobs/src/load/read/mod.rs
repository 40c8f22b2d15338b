//! From the chunks of an upload to blocks of whole rows: a bounded queue, unpacking, cutting, and the header.

pub(super) mod decode;
pub(super) mod feed;
pub(super) mod input;
pub(super) mod split;
mod values;
