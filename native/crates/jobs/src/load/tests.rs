//! Whole imports into a sink that is a map.

mod dialect;
mod faults;
mod flow;
mod packed;
mod rejects;
mod resume;
mod robust;

use super::{ImportReport, ImportSession, ImportSpec, LoadMode, LoadOutcome, RowBatch, RowSink};
use crate::load::read::split::Sizes;
use crate::{Job, JobKind, JobLimits, JobRegistry, JobSpec};
use parking_lot::Mutex;
use std::collections::BTreeMap;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, limits};
use tessera_record::{BodyRef, Digest, Key, Ttl, Value, ValueRef};

type Bins = Vec<(String, Value)>;
type Stored = (Bins, Ttl);

/// Keeps what it is given, by key.
#[derive(Default)]
struct MapSink {
    records: Mutex<BTreeMap<Key, Stored>>,
    /// After so many batches every one fails.
    batches_left: Option<Mutex<u32>>,
    /// As `RowSink::lasting`.
    lasting: Option<u64>,
}

impl RowSink for MapSink {
    fn prepare(&self, _set: &str, distribution_bin: Option<&str>) -> Result<Option<String>> {
        Ok(distribution_bin.map(str::to_owned))
    }

    fn max_record_bytes(&self) -> usize {
        1000
    }

    fn lasting(&self) -> Option<u64> {
        self.lasting
    }

    fn load_rows(&self, set: &str, batch: &RowBatch, mode: LoadMode) -> Result<LoadOutcome> {
        if let Some(left) = &self.batches_left {
            let mut left = left.lock();
            *left = left.checked_sub(1).ok_or_else(|| Error::new(ErrorCode::MemoryFull, "no room"))?;
        }
        let mut outcome = LoadOutcome::default();
        for row in &batch.rows {
            BodyRef::validate(batch.body(row))?;
            let body = BodyRef::new(batch.body(row));
            assert_eq!(row.digest, Digest::of(set, body.key()));
            let text = |name: &[u8]| String::from_utf8(name.to_vec()).unwrap();
            let bins = body.raw_bins().map(|(name, value)| (text(name), ValueRef::of(value).to_value())).collect();
            let mut records = self.records.lock();
            if mode == LoadMode::Insert && records.contains_key(&body.key().to_owned()) {
                outcome.rejected.push((row.line, Error::new(ErrorCode::RecordExists, "the record is there")));
            } else if records.insert(body.key().to_owned(), (bins, row.ttl)).is_some() {
                outcome.updated += 1;
            } else {
                outcome.inserted += 1;
            }
        }
        Ok(outcome)
    }
}

fn job(threads: u32) -> Arc<Job> {
    let jobs = JobRegistry::open(None, JobLimits::default()).unwrap();
    jobs.begin(JobSpec { threads, ..JobSpec::new(JobKind::Import, "n", "Import") }).unwrap()
}

const SMALL: Sizes = Sizes { block: 64, row: 4000 };

/// Imports `chunks`, and returns the report without its times, and what is stored.
fn import(chunks: &[&[u8]], spec: ImportSpec, sizes: Sizes) -> (Result<ImportReport>, BTreeMap<Key, Bins>) {
    let sink = Arc::new(MapSink::default());
    let report = import_into(&sink, chunks, spec, sizes);
    let records = std::mem::take(&mut *sink.records.lock());
    (report, records.into_iter().map(|(key, (bins, _))| (key, bins)).collect())
}

fn import_into(sink: &Arc<MapSink>, chunks: &[&[u8]], spec: ImportSpec, sizes: Sizes) -> Result<ImportReport> {
    let job = job(spec.threads.clamp(1, limits::THREADS));
    let session = ImportSession::begin_sized(Arc::clone(sink) as Arc<dyn RowSink>, spec, job, sizes, None)?;
    // A chunk that is refused is refused again by `finish`, with the reason.
    let _ = chunks.iter().try_for_each(|chunk| session.write(*chunk));
    session.finish().map(|report| ImportReport { elapsed_ms: 0.0, rows_per_second: 0.0, bytes: 0, ..report })
}

fn csv() -> ImportSpec {
    ImportSpec::new("s", super::Format::Csv)
}

fn ndjson() -> ImportSpec {
    ImportSpec::new("s", super::Format::Ndjson)
}

fn keyed(spec: ImportSpec, key: &str) -> ImportSpec {
    ImportSpec { key: Some(key.into()), ..spec }
}

fn text(value: &str) -> Value {
    Value::String(value.into())
}
