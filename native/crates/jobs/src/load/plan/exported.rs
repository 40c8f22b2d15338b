//! The columns of Tessera's own CSV: what an export writes with the metadata of its records.

pub const KEY: &str = "$key";
pub const SET: &str = "$set";
pub const GENERATION: &str = "$generation";
pub const EXPIRES_AT: &str = "$expiresAt";
/// The bins that have no column, as a JSON object.
pub const OTHER_BINS: &str = "$otherBins";

/// What the header of such a file begins with.
pub const NAMES: [&str; 5] = [KEY, SET, GENERATION, EXPIRES_AT, OTHER_BINS];
/// What that of an earlier release begins with. A bin of it may be called `$generation`.
const EARLIER: [&str; 4] = [KEY, SET, EXPIRES_AT, OTHER_BINS];

/// How many columns of an export come before those of its bins. `None`: these are none of an export.
pub fn leading(columns: &[String]) -> Option<usize> {
    let begins = |names: &[&str]| columns.len() >= names.len() && columns.iter().zip(names).all(|(column, name)| column == name);
    [&NAMES[..], &EARLIER].into_iter().find(|names| begins(names)).map(<[&str]>::len)
}

/// Whether the cells of a column are text, whatever they look like.
pub fn is_text(column: &str) -> bool {
    matches!(column, SET | EXPIRES_AT)
}
