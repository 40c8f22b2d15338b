//! The columns of Tessera's own CSV: what an export writes with the metadata of its records.

pub const KEY: &str = "$key";
pub const SET: &str = "$set";
pub const EXPIRES_AT: &str = "$expiresAt";
/// The bins that have no column, as a JSON object.
pub const OTHER_BINS: &str = "$otherBins";

/// What the header of such a file begins with.
pub const NAMES: [&str; 4] = [KEY, SET, EXPIRES_AT, OTHER_BINS];

/// Whether these are the columns of an export.
pub fn are_exported(columns: &[String]) -> bool {
    columns.len() >= NAMES.len() && columns.iter().zip(NAMES).all(|(column, name)| column == name)
}

/// Whether the cells of a column are text, whatever they look like.
pub fn is_text(column: &str) -> bool {
    matches!(column, SET | EXPIRES_AT)
}
