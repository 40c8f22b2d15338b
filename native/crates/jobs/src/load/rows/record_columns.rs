//! Recognises Tessera's own CSV, so that what an export wrote with the metadata of its records can be imported again.
//!
//! The first columns are `exported::NAMES`; one of an earlier release lacks the generation. In the others a cell is what `cell::encode_exported` says, and an empty one is no bin.

use super::record_object::{Bins, RecordObject};
use crate::load::plan::exported::{EXPIRES_AT, GENERATION, KEY, NAMES, OTHER_BINS, SET};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::ValueRef;
use tessera_record::body::RawBins;

/// The record of a row of an export; `leading`: how many columns come before those of the bins.
///
/// # Errors
/// `csv_invalid` if the other bins are no object.
pub fn record(cells: RawBins<'_>, leading: usize) -> Result<RecordObject<'_>> {
    let (mut key, mut set, mut generation, mut expires_at, mut others) = (ValueRef::Null, None, None, ValueRef::Null, None);
    let mut bins = cells;
    // They come first, in their order; each may be missing, as an empty cell is no bin.
    loop {
        let mut rest = bins.clone();
        let Some((name, value)) = rest.next() else { break };
        let value = ValueRef::of(value);
        match name {
            _ if name == KEY.as_bytes() => key = value,
            _ if name == SET.as_bytes() => set = Some(value),
            _ if name == GENERATION.as_bytes() && leading == NAMES.len() => generation = Some(value),
            _ if name == EXPIRES_AT.as_bytes() => expires_at = value,
            _ if name == OTHER_BINS.as_bytes() => others = Some(value),
            _ => break,
        }
        bins = rest;
    }
    let others = match others {
        None => None,
        Some(ValueRef::Map(map)) => Some(map),
        Some(_) => {
            return Err(Error::said(ErrorCode::CsvInvalid, sentence!("{column} must be a JSON object of bins", column = OTHER_BINS))
                .in_field(OTHER_BINS));
        }
    };
    Ok(RecordObject { key, set, bins: Bins::Cells { bins, others }, generation, expires_at: Some(expires_at), ttl_seconds: None })
}
