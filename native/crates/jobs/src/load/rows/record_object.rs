//! Recognises Tessera's own record objects in NDJSON and MessagePack, so that what a scan or an export wrote can be imported again.

use crate::load::plan::resolve::Plan;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_record::body::RawBins;
use tessera_record::json::parse_seconds;
use tessera_record::{BinsBuilder, MapRef, Ttl, ValueRef};

/// The fields of a record object; a line with any other is a row of data.
const FIELDS: [&[u8]; 8] = [b"set", b"key", b"digest", b"generation", b"expiresAt", b"updatedAt", b"ttlSeconds", b"bins"];

const GENERATION_MOST: i64 = u16::MAX as i64;

#[derive(Clone, Debug)]
pub struct RecordObject<'a> {
    pub key: ValueRef<'a>,
    pub(super) set: Option<ValueRef<'a>>,
    pub(super) bins: Bins<'a>,
    pub(super) generation: Option<ValueRef<'a>>,
    pub(super) expires_at: Option<ValueRef<'a>>,
    pub(super) ttl_seconds: Option<ValueRef<'a>>,
}

/// Where its bins are.
#[derive(Clone, Debug)]
pub enum Bins<'a> {
    /// In the field `bins`.
    Map(MapRef<'a>),
    /// In the cells of a row, and in a map those that have no column.
    Cells { bins: RawBins<'a>, others: Option<MapRef<'a>> },
}

impl<'a> RecordObject<'a> {
    /// A line is a record object when it has a key or a digest, bins that are a map, and no field that record objects lack.
    /// Without a key, that is null.
    pub fn of(fields: RawBins<'a>) -> Option<Self> {
        let (mut key, mut set, mut bins, mut generation, mut expires_at, mut ttl_seconds) = (None, None, None, None, None, None);
        let mut digest = false;
        for (name, value) in fields {
            match name {
                b"key" => key = Some(ValueRef::of(value)),
                b"set" => set = Some(ValueRef::of(value)),
                b"digest" => digest = true,
                b"bins" => bins = Some(ValueRef::of(value)),
                b"generation" => generation = Some(ValueRef::of(value)),
                b"expiresAt" => expires_at = Some(ValueRef::of(value)),
                b"ttlSeconds" => ttl_seconds = Some(ValueRef::of(value)),
                _ if FIELDS.contains(&name) => {}
                _ => return None,
            }
        }
        let key = key.or_else(|| digest.then_some(ValueRef::Null))?;
        let Some(ValueRef::Map(bins)) = bins else { return None };
        Some(Self { key, set, bins: Bins::Map(bins), generation, expires_at, ttl_seconds })
    }

    /// The set that it names. Empty: it says that it has none.
    ///
    /// # Errors
    /// `name_invalid`.
    pub fn set(&self) -> Result<Option<&'a str>> {
        match self.set {
            None | Some(ValueRef::Null) => Ok(None),
            Some(ValueRef::String(b"")) => Ok(Some("")),
            Some(ValueRef::String(name)) => {
                let name = std::str::from_utf8(name)
                    .map_err(|_| Error::said(ErrorCode::NameInvalid, sentence!("the name of the set is not UTF-8")))?;
                limits::check_name(name, "set")?;
                Ok(Some(name))
            }
            Some(_) => Err(Error::said(ErrorCode::NameInvalid, sentence!("set must be the name of a set")).in_field("set")),
        }
    }

    /// The record's own time to live; what the import was told goes before it.
    ///
    /// # Errors
    /// `ttl_invalid`, also when the record is past its time.
    pub fn ttl(&self, plan: &Plan) -> Result<Ttl> {
        if plan.ttl != Ttl::Default || !plan.keep_expiry {
            return Ok(plan.ttl);
        }
        let invalid = |says, field| Err(Error::said(ErrorCode::TtlInvalid, says).in_field(field));
        match (self.ttl_seconds, self.expires_at) {
            (Some(ValueRef::Int(seconds)), _) => Ttl::from_seconds(seconds),
            (Some(_), _) => invalid(sentence!("ttlSeconds must be a whole number of seconds"), "ttlSeconds"),
            (None, None) => Ok(Ttl::Default),
            (None, Some(ValueRef::Null)) => Ok(Ttl::Never),
            (None, Some(ValueRef::String(text))) => {
                let Some(at) = std::str::from_utf8(text).ok().and_then(parse_seconds) else {
                    return invalid(sentence!("expiresAt must be null or a time such as 2026-01-31T12:00:00Z"), "expiresAt");
                };
                match at.saturating_sub(u64::from(plan.now)) {
                    0 => invalid(sentence!("the record has expired"), "expiresAt"),
                    left => Ttl::from_seconds(i64::try_from(left).unwrap_or(i64::MAX)),
                }
            }
            (None, Some(_)) => invalid(sentence!("expiresAt must be null or a time such as 2026-01-31T12:00:00Z"), "expiresAt"),
        }
    }

    /// The generation that the record is to keep; `None` if it keeps none, or says none.
    ///
    /// # Errors
    /// `generation_invalid`.
    pub fn generation(&self, plan: &Plan) -> Result<Option<u16>> {
        match self.generation.filter(|_| plan.keep_generations) {
            None | Some(ValueRef::Null) => Ok(None),
            Some(ValueRef::Int(number @ 1..=GENERATION_MOST)) => Ok(Some(number as u16)),
            Some(_) => {
                let message = sentence!("generation must be a whole number from 1 to {most}", most = GENERATION_MOST);
                Err(Error::said(ErrorCode::GenerationInvalid, message).in_field("generation"))
            }
        }
    }

    /// The record's bins, rewritten into `buffer`.
    ///
    /// # Errors
    /// `bin_name_invalid`, `too_many_bins`.
    pub fn bins<'b>(&self, buffer: &'b mut Vec<u8>) -> Result<RawBins<'b>> {
        buffer.clear();
        let mut bins = BinsBuilder::new(buffer);
        let others = match &self.bins {
            Bins::Map(map) => Some(*map),
            Bins::Cells { bins: cells, others } => {
                // The names of columns were checked before.
                cells.clone().try_for_each(|(name, value)| bins.encoded(name, value))?;
                *others
            }
        };
        for (name, value) in others.iter().flat_map(MapRef::raw_entries) {
            let name =
                std::str::from_utf8(name).map_err(|_| Error::said(ErrorCode::Utf8Invalid, sentence!("the bin name is not UTF-8")))?;
            limits::check_bin_name(name)?;
            if bins.written().any(|(column, _)| column == name.as_bytes()) && matches!(self.bins, Bins::Cells { .. }) {
                let message = sentence!("the bin \"{name}\" has a column, and is among the other bins too", name = name);
                return Err(Error::said(ErrorCode::CsvInvalid, message));
            }
            bins.encoded(name.as_bytes(), value)?;
        }
        let count = bins.count();
        Ok(RawBins::new(count, buffer))
    }
}
