//! Generated events that JavaScript pulls: sample data, the same for the same seed.

use crate::bytes::Bytes;
use crate::choice::one_of;
use crate::failure::{NativeFailure, guarded, outcome};
use crate::numbers::whole;
use crate::promise::promise;
use crate::store::NativeStore;
use crate::streams::StreamSummary;
use napi::Env;
use napi::bindgen_prelude::{Either, Null, Object};
use napi_derive::napi;
use parking_lot::Mutex;
use std::ops::Range;
use std::sync::Arc;
use tessera_base::pool::Pool;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::stream_summary;
use tessera_workload::events::{CSV_HEADER, Events, Format};

/// A chunk ends with the first row that reaches this many bytes.
const CHUNK: usize = 256 * 1024;
/// Room for the row that ends a chunk, so that nearly no chunk grows.
const ROOM: usize = CHUNK + 16 * 1024;

#[napi(object, object_to_js = false)]
pub struct SampleEvents {
    pub rows: f64,
    /// Number of the first row, from 0: rows depend on the seed and their number alone.
    pub first: f64,
    pub seed: f64,
    #[napi(ts_type = "'csv' | 'ndjson'")]
    pub format: String,
}

/// Where the generator has come to.
struct Writer {
    events: Events,
    rows: Range<u64>,
    /// CSV begins with its names.
    header: bool,
    written: u64,
}

impl Writer {
    fn new(spec: &SampleEvents) -> Result<Self> {
        let field = |number, name| whole(number, name, ErrorCode::ConfigInvalid);
        let (rows, first, seed) = (field(spec.rows, "rows")?, field(spec.first, "first")?, field(spec.seed, "seed")?);
        let end =
            first.checked_add(rows).ok_or_else(|| Error::said(ErrorCode::ConfigInvalid, sentence!("too many rows")).in_field("rows"))?;
        let format = one_of(&spec.format, "format", &[("csv", Format::Csv), ("ndjson", Format::Ndjson)])?;
        Ok(Self { events: Events::new(seed, format), rows: first..end, header: format == Format::Csv, written: 0 })
    }

    fn next_chunk(&mut self) -> Option<Vec<u8>> {
        let header = std::mem::take(&mut self.header);
        if self.rows.is_empty() && !header {
            return None;
        }
        let mut chunk = Vec::with_capacity(ROOM);
        if header {
            chunk.extend_from_slice(CSV_HEADER.as_bytes());
        }
        while chunk.len() < CHUNK {
            let Some(row) = self.rows.next() else { break };
            self.events.write(row, &mut chunk);
            self.written += 1;
        }
        Some(chunk)
    }
}

/// Rows in chunks of about 256 KiB, made as they are asked for.
#[napi]
pub struct NativeEvents {
    calls: Arc<Pool>,
    /// `None` once it was aborted.
    writer: Arc<Mutex<Option<Writer>>>,
}

#[napi]
impl NativeEvents {
    /// The next chunk, or null at the end.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | Buffer | null>")]
    pub fn next<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let writer = self.writer.clone();
        promise(env, |completer| {
            self.calls.spawn(move || {
                completer.complete_with(|| {
                    let chunk = writer.lock().as_mut().and_then(Writer::next_chunk);
                    Ok(chunk.map_or(Either::B(Null), |bytes| Either::A(Bytes(bytes))))
                });
            });
        })
    }

    /// Waits for a chunk that is being made.
    #[napi(catch_unwind)]
    pub fn summary(&self) -> StreamSummary {
        let returned = self.writer.lock().as_ref().map_or(0, |writer| writer.written);
        stream_summary::StreamSummary { returned, method: "generator", ..stream_summary::StreamSummary::default() }.into()
    }

    /// Lets the generator go; `next` then answers null.
    #[napi(catch_unwind)]
    pub fn abort(&self) {
        let writer = self.writer.clone();
        // Not here: a chunk may be under way.
        self.calls.spawn(move || *writer.lock() = None);
    }
}

#[napi]
impl NativeStore {
    /// Events shaped like the GitHub Archive's of 2015-01-01.
    #[napi(catch_unwind)]
    pub fn sample_events(&self, spec: SampleEvents) -> Either<NativeFailure, NativeEvents> {
        outcome(guarded(|| Ok(NativeEvents { calls: self.calls.reads.clone(), writer: Arc::new(Mutex::new(Some(Writer::new(&spec)?))) })))
    }
}
