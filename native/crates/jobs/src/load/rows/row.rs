//! One row: its bins are read first, then its key is found among them, then its body joins the batch.

use super::key;
use super::record_columns;
use super::record_object::RecordObject;
use crate::load::batch::{Row, RowBatch};
use crate::load::plan::map;
use crate::load::plan::resolve::{KeySource, Plan};
use crate::load::plan::spec::Format;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_record::body::{OpenBin, RawBins};
use tessera_record::json::Workspace;
use tessera_record::{BinsBuilder, BodyBuilder, BodyRef, Digest, Encoder, KeyRef, Ttl, ValueRef};

/// Name of the field that is the key when no other is named.
const KEY: &str = "key";

/// Collects a row's bins, until its first fault.
#[derive(Debug)]
pub struct RowBuilder<'a> {
    bins: BinsBuilder<'a>,
    fault: Option<Error>,
    /// How deep its values nest.
    nests: usize,
}

impl<'a> RowBuilder<'a> {
    pub fn new(buffer: &'a mut Vec<u8>) -> Self {
        buffer.clear();
        Self { bins: BinsBuilder::new(buffer), fault: None, nests: 0 }
    }

    /// Begins a bin of a name that was checked before; `None` once the row is faulty.
    pub fn open(&mut self, name: &str) -> Option<OpenBin> {
        if self.fault.is_some() {
            return None;
        }
        self.bins.open_checked(name).map_err(|error| self.fault = Some(error)).ok()
    }

    pub fn encoder(&mut self) -> Encoder<'_> {
        self.bins.encoder()
    }

    /// Forgets what was written of an open bin.
    pub fn reset(&mut self, open: &OpenBin) {
        self.bins.reset(open);
    }

    /// Takes an open bin back.
    pub fn cancel(&mut self, open: OpenBin) {
        self.bins.cancel(open);
    }

    pub fn close(&mut self, open: OpenBin) {
        self.bins.close(open);
    }

    /// Notes why the row is refused, unless that is known.
    pub fn fault(&mut self, error: impl FnOnce() -> Error) {
        self.fault.get_or_insert_with(error);
    }

    /// Notes how deep its values nest.
    pub fn nests(&mut self, levels: usize) {
        self.nests = levels;
    }

    pub fn bins(&mut self) -> &mut BinsBuilder<'a> {
        &mut self.bins
    }

    /// Adds the row to `batch`, which is unchanged after an error.
    ///
    /// # Errors
    /// The row's fault; that of its key; `record_too_large`; `single_bin`; `ttl_invalid` for a record object that is past its time.
    pub fn finish(self, line: u64, plan: &Plan, scratch: &mut Scratch, batch: &mut RowBatch) -> Result<()> {
        if let Some(fault) = self.fault {
            return Err(fault);
        }
        let start = batch.bytes.len();
        let added = add(self.bins.written(), self.nests, line, plan, scratch, batch);
        added.inspect_err(|_| batch.bytes.truncate(start))
    }
}

/// Buffers of `RowBuilder::finish`.
#[derive(Debug, Default)]
pub struct Scratch {
    key: Vec<u8>,
    bins: Vec<u8>,
    work: Workspace,
}

/// Levels by which the values of a record object nest deeper than those of its record.
pub const OBJECT_LEVELS: usize = 1;

fn add(bins: RawBins<'_>, nests: usize, line: u64, plan: &Plan, scratch: &mut Scratch, batch: &mut RowBatch) -> Result<()> {
    let Scratch { key: key_bytes, bins: others, work } = scratch;
    let object = match (&plan.map, &plan.key, plan.format) {
        (Some(_), ..) | (_, KeySource::Path(_), _) => None,
        (None, KeySource::Default, Format::Csv) => {
            plan.exported.map(|leading| record_columns::record(bins.clone(), leading)).transpose()?
        }
        (None, KeySource::Default, Format::Ndjson | Format::Msgpack) => RecordObject::of(bins.clone()),
    };
    if object.is_none() && nests > limits::NESTING {
        return Err(Error::said(ErrorCode::NestingTooDeep, sentence!("lists and maps are nested deeper than the limit")));
    }
    if let Some(map) = &plan.map {
        let key = match &plan.key {
            KeySource::Path(path) => key::key(key::find(bins.clone(), path), plan.key_type, key_bytes)?,
            KeySource::Default => match key::find_bin(bins.clone(), KEY) {
                Some(value) => key::key(Some(value), plan.key_type, key_bytes)?,
                None => numbered(line, plan),
            },
        };
        return push(key, map::apply(map, &bins, work, others)?, line, plan, batch);
    }
    match &plan.key {
        KeySource::Path(path) => {
            let key = key::key(key::find(bins.clone(), path), plan.key_type, key_bytes)?;
            // Where a record has one bin, a column that is the key cannot be another.
            match plan.single_bin && path != limits::SINGLE_BIN {
                true => push(key, without(bins, path, others)?, line, plan, batch),
                false => push(key, bins, line, plan, batch),
            }
        }
        KeySource::Default => {
            if plan.format.has_fields() && is_damage(bins.clone()) {
                return Err(Error::said(ErrorCode::RecordDamaged, sentence!("this record was damaged when it was exported")));
            }
            if let Some(object) = object {
                let key = key::key(Some(object.key), plan.key_type, key_bytes)?;
                let set = if plan.keep_sets { object.set()? } else { None };
                let kept = Kept { ttl: object.ttl(plan)?, generation: object.generation(plan)? };
                return push_into(set.unwrap_or(&plan.set), key, object.bins(others)?, kept, line, plan, batch);
            }
            let Some(value) = key::find_bin(bins.clone(), KEY) else {
                return push(numbered(line, plan), bins, line, plan, batch);
            };
            let key = key::key(Some(value), plan.key_type, key_bytes)?;
            push(key, without(bins, KEY, others)?, line, plan, batch)
        }
    }
}

/// The key of a row that has none: the first row's is 1.
const fn numbered(line: u64, plan: &Plan) -> KeyRef<'static> {
    KeyRef::Integer((line - plan.first_line + 1) as i64)
}

/// Whether a line is what a scan or an export writes for a record that cannot be read.
fn is_damage(mut bins: RawBins<'_>) -> bool {
    let (Some((b"error", error)), None) = (bins.next(), bins.next()) else { return false };
    let ValueRef::Map(error) = ValueRef::of(error) else { return false };
    let damaged = ErrorCode::RecordDamaged.as_str().as_bytes();
    matches!(error.get(b"code"), Some(ValueRef::String(code)) if code == damaged) && error.get(b"digest").is_some()
}

/// The bins but one, rewritten into `buffer`.
fn without<'b>(bins: RawBins<'_>, left_out: &str, buffer: &'b mut Vec<u8>) -> Result<RawBins<'b>> {
    buffer.clear();
    let mut kept = BinsBuilder::new(buffer);
    for (name, value) in bins.filter(|(name, _)| *name != left_out.as_bytes()) {
        kept.encoded(name, value)?;
    }
    let count = kept.count();
    Ok(RawBins::new(count, buffer))
}

/// What a record keeps.
struct Kept {
    ttl: Ttl,
    generation: Option<u16>,
}

fn push(key: KeyRef<'_>, bins: RawBins<'_>, line: u64, plan: &Plan, batch: &mut RowBatch) -> Result<()> {
    push_into(&plan.set, key, bins, Kept { ttl: plan.ttl, generation: None }, line, plan, batch)
}

fn push_into(set: &str, key: KeyRef<'_>, bins: RawBins<'_>, kept: Kept, line: u64, plan: &Plan, batch: &mut RowBatch) -> Result<()> {
    plan.key_limit.check(key)?;
    let start = batch.bytes.len();
    let mut body = BodyBuilder::new(&mut batch.bytes, key);
    body.built_bins(&bins)?;
    body.finish();
    if plan.single_bin {
        BodyRef::new(&batch.bytes[start..]).only_bin()?;
    }
    let end = batch.bytes.len();
    if end - start > plan.record_bytes {
        return Err(Error::said(
            ErrorCode::RecordTooLarge,
            sentence!("the record has {bytes} bytes, but the namespace allows {most}", bytes = end - start, most = plan.record_bytes),
        ));
    }
    let digest = Digest::of(set, key);
    let set = if set == plan.set { None } else { Some(batch.sets.number(set)) };
    let Kept { ttl, generation } = kept;
    batch.rows.push(Row { line, start: start as u32, end: end as u32, digest, ttl, generation, set });
    Ok(())
}
