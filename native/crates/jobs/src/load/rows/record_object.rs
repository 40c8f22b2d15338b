//! Recognises Tessera's own record objects in NDJSON, so that what a scan or an export wrote can be imported again.

use crate::load::plan::resolve::Plan;
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::body::RawBins;
use tessera_record::json::parse_seconds;
use tessera_record::{BinsBuilder, MapRef, Ttl, ValueRef};

/// The fields of a record object; a line with any other is a row of data.
const FIELDS: [&[u8]; 8] = [b"set", b"key", b"digest", b"generation", b"expiresAt", b"updatedAt", b"ttlSeconds", b"bins"];

#[derive(Clone, Copy, Debug)]
pub struct RecordObject<'a> {
    pub key: ValueRef<'a>,
    bins: MapRef<'a>,
    expires_at: Option<ValueRef<'a>>,
    ttl_seconds: Option<ValueRef<'a>>,
}

impl<'a> RecordObject<'a> {
    /// A line is a record object when it has a key, bins that are a map, and no field that record objects lack.
    pub fn of(fields: RawBins<'a>) -> Option<Self> {
        let (mut key, mut bins, mut expires_at, mut ttl_seconds) = (None, None, None, None);
        for (name, value) in fields {
            match name {
                b"key" => key = Some(ValueRef::of(value)),
                b"bins" => bins = Some(ValueRef::of(value)),
                b"expiresAt" => expires_at = Some(ValueRef::of(value)),
                b"ttlSeconds" => ttl_seconds = Some(ValueRef::of(value)),
                _ if FIELDS.contains(&name) => {}
                _ => return None,
            }
        }
        let (Some(key), Some(ValueRef::Map(bins))) = (key, bins) else { return None };
        Some(Self { key, bins, expires_at, ttl_seconds })
    }

    /// The record's own time to live; what the import was told goes before it.
    ///
    /// # Errors
    /// `ttl_invalid`, also when the record is past its time.
    pub fn ttl(&self, plan: &Plan) -> Result<Ttl> {
        if plan.ttl != Ttl::Default {
            return Ok(plan.ttl);
        }
        let invalid = |says, field| Err(Error::new(ErrorCode::TtlInvalid, says).in_field(field));
        match (self.ttl_seconds, self.expires_at) {
            (Some(ValueRef::Int(seconds)), _) => Ttl::from_seconds(seconds),
            (Some(_), _) => invalid("ttlSeconds must be a whole number of seconds", "ttlSeconds"),
            (None, None) => Ok(Ttl::Default),
            (None, Some(ValueRef::Null)) => Ok(Ttl::Never),
            (None, Some(ValueRef::String(text))) => {
                let Some(at) = std::str::from_utf8(text).ok().and_then(parse_seconds) else {
                    return invalid("expiresAt must be null or a time such as 2026-01-31T12:00:00Z", "expiresAt");
                };
                match at.saturating_sub(u64::from(plan.now)) {
                    0 => invalid("the record has expired", "expiresAt"),
                    left => Ttl::from_seconds(i64::try_from(left).unwrap_or(i64::MAX)),
                }
            }
            (None, Some(_)) => invalid("expiresAt must be null or a time such as 2026-01-31T12:00:00Z", "expiresAt"),
        }
    }

    /// The record's bins, rewritten into `buffer`.
    ///
    /// # Errors
    /// `bin_name_invalid`, `too_many_bins`.
    pub fn bins<'b>(&self, buffer: &'b mut Vec<u8>) -> Result<RawBins<'b>> {
        buffer.clear();
        let mut bins = BinsBuilder::new(buffer);
        for (name, value) in self.bins.raw_entries() {
            let name = std::str::from_utf8(name).map_err(|_| Error::new(ErrorCode::Utf8Invalid, "the bin name is not UTF-8"))?;
            tessera_base::limits::check_bin_name(name)?;
            bins.encoded(name.as_bytes(), value)?;
        }
        let count = bins.count();
        Ok(RawBins::new(count, buffer))
    }
}
