//! From the text of a row to its key, digest and body.

pub(super) mod csv;
mod key;
pub(super) mod record_columns;
pub(super) mod record_object;
pub(super) mod row;
