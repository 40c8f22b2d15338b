//! How a version of a record stands in the table.

use tessera_base::{Error, ErrorCode, Result, clock, sentence};
use tessera_record::Meta;
use uuid::Uuid;

pub(super) const COLUMNS: &str = "set_name, body, generation, updated_at, expires_at, write_id, previous";
pub(crate) type Columns<'a> = (Option<&'a str>, Option<&'a [u8]>, Option<i32>, Option<i64>, Option<i64>, Option<Uuid>, Option<Uuid>);

/// Cassandra removes a version so many seconds after it is gone for callers: clocks differ, and a write whose answer was lost
/// must still be found.
const GRACE: u32 = 3600;
/// Cassandra before 5.0, and later ones with its file format, keep times of expiry up to January 2038.
const LATEST: u32 = i32::MAX.cast_unsigned() - 2 * GRACE;

/// A version of a record, or of its absence: a removed record leaves one without a body for an hour. Without it, a write that
/// found no record, whose answer was lost, could come into force after a later write and its delete.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(super) struct Version {
    pub(super) id: Uuid,
    /// The version that it replaced.
    pub(super) previous: Option<Uuid>,
    pub(super) set: String,
    pub(super) meta: Meta,
    pub(super) body: Option<Vec<u8>>,
}

pub(super) struct Record<'a> {
    pub(super) set: &'a str,
    pub(super) meta: Meta,
    pub(super) body: &'a [u8],
}

impl Version {
    /// # Errors
    /// `record_damaged` if columns are missing, as after a write that was not a compare-and-set.
    pub(super) fn of((set, body, generation, updated_at, expires_at, id, previous): Columns<'_>) -> Result<Option<Self>> {
        let Some(id) = id else { return Ok(None) };
        let meta = meta_of(generation, updated_at, expires_at)?;
        Ok(Some(Self { id, previous, set: set.unwrap_or_default().to_owned(), meta, body: body.map(<[u8]>::to_vec) }))
    }

    pub(super) fn record(&self) -> Option<Record<'_>> {
        self.body.as_deref().map(|body| Record { set: &self.set, meta: self.meta, body })
    }
}

/// # Errors
/// `record_damaged`.
pub(crate) fn meta_of(generation: Option<i32>, updated_at: Option<i64>, expires_at: Option<i64>) -> Result<Meta> {
    let meta = || {
        Some(Meta {
            generation: u16::try_from(generation?).ok()?,
            updated_at: u64::try_from(updated_at?).ok()?,
            expires_at: u32::try_from(expires_at?).ok()?,
        })
    };
    meta().ok_or_else(|| {
        Error::said(ErrorCode::RecordDamaged, sentence!("a row of the cluster has columns that are missing or out of range"))
    })
}

/// Seconds that Cassandra is to keep a version; 0: for ever. The record expires before, by `expires_at`.
pub(super) fn ttl_of(meta: &Meta, removed: bool) -> i32 {
    let now = clock::unix_seconds();
    match (removed, meta.expires_at) {
        (true, _) => GRACE.cast_signed(),
        (false, 0) => 0,
        (false, at) if at > LATEST => 0,
        (false, at) => (at.saturating_sub(now) + GRACE).cast_signed(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn cassandra_keeps_a_version_longer_than_callers_see_it() {
        let now = clock::unix_seconds();
        let ttl = |expires_at| ttl_of(&Meta { expires_at, ..Meta::default() }, false);
        assert_eq!(ttl(0), 0);
        assert!(ttl(now + 10) > 3600 && ttl(now.saturating_sub(10)) == 3600);
        // A file format that cannot keep so late a time refuses the write.
        assert_eq!(ttl(u32::MAX), 0);
        assert_eq!(ttl_of(&Meta::default(), true), 3600);
    }

    #[test]
    fn a_row_without_a_write_id_is_absent_and_one_without_other_columns_damaged() {
        assert_eq!(Version::of((None, None, None, None, None, None, None)).unwrap(), None);
        let bare = (None, None, None, None, None, Some(Uuid::nil()), None);
        assert_eq!(Version::of(bare).unwrap_err().code, ErrorCode::RecordDamaged);
        let wide = (Some("s"), None, Some(65_536), Some(1), Some(0), Some(Uuid::nil()), None);
        assert_eq!(Version::of(wide).unwrap_err().code, ErrorCode::RecordDamaged);
    }
}
