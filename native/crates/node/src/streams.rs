//! Streams of records that JavaScript pulls: a slow reader slows the work down.

use crate::bytes::Bytes;
use crate::failure::NativeFailure;
use crate::promise::now_or_later;
use napi::Env;
use napi::bindgen_prelude::{Either, Either3, Null, Object};
use napi_derive::napi;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, sentence};
use tessera_core::export::Export;
use tessera_core::query::Query;
use tessera_core::scan::{Scan, WORKER_BYTES};
use tessera_core::stream::Stream;
use tessera_core::stream_summary::{self, ChunkStream};
use tessera_jobs::Job;
use tessera_jobs::chunk_stream::LeftOut;

/// What was read from a device: records one at a time, blocks whole, and the bytes of both.
#[napi(object, object_from_js = false)]
pub struct DeviceReads {
    pub records: f64,
    pub blocks: f64,
    pub bytes: f64,
}

impl From<tessera_storage::DeviceReads> for DeviceReads {
    fn from(reads: tessera_storage::DeviceReads) -> Self {
        Self { records: reads.records as f64, blocks: reads.blocks as f64, bytes: reads.bytes as f64 }
    }
}

/// What the work behind a stream has done; final once the stream has ended.
#[napi(object, object_from_js = false)]
pub struct StreamSummary {
    pub returned: f64,
    pub scanned: f64,
    /// Records that could not be read and were left out.
    pub damaged: f64,
    pub candidates: f64,
    /// Records that the plan of a query said would be looked at.
    pub estimated_candidates: Option<f64>,
    pub elapsed_ms: f64,
    /// What the plan said that it would take, where it did.
    pub estimated_ms: Option<f64>,
    /// What was read from a device, where that is counted.
    pub reads: Option<DeviceReads>,
    pub threads: u32,
    pub method: &'static str,
    pub truncated: bool,
    /// Groups that were left out, of a query that groups its records.
    pub others: Option<f64>,
    pub cursor: Option<String>,
    /// What had no column, of an answer in CSV.
    pub csv_left_out: Option<CsvLeftOut>,
}

/// Values that are in no row of CSV, and the first of their bins.
#[napi(object, object_from_js = false)]
pub struct CsvLeftOut {
    pub values: f64,
    pub bins: Vec<String>,
}

impl From<LeftOut> for CsvLeftOut {
    fn from(left_out: LeftOut) -> Self {
        Self { values: left_out.values as f64, bins: left_out.bins }
    }
}

impl From<stream_summary::StreamSummary> for StreamSummary {
    fn from(summary: stream_summary::StreamSummary) -> Self {
        Self {
            returned: summary.returned as f64,
            scanned: summary.scanned as f64,
            damaged: summary.damaged as f64,
            candidates: summary.candidates as f64,
            estimated_candidates: summary.estimated_candidates.map(|estimated| estimated as f64),
            elapsed_ms: summary.elapsed_ms,
            estimated_ms: summary.estimated_ms,
            reads: summary.reads.map(DeviceReads::from),
            threads: summary.threads,
            method: summary.method,
            truncated: summary.truncated,
            others: summary.others.map(|others| others as f64),
            cursor: summary.cursor,
            csv_left_out: summary.csv_left_out.map(CsvLeftOut::from),
        }
    }
}

/// Chunks of whole lines, about 256 KiB each. Collected by the garbage collector before its end, it aborts its job.
#[napi]
pub struct NativeStream {
    stream: ChunkStream,
    job: Arc<Job>,
    export_id: Option<String>,
}

impl From<Scan> for NativeStream {
    fn from(Scan { stream, job, .. }: Scan) -> Self {
        Self { stream, job, export_id: None }
    }
}

impl From<Export> for NativeStream {
    fn from(Export { stream, job, id }: Export) -> Self {
        Self { stream, job, export_id: id }
    }
}

impl From<Query> for NativeStream {
    fn from(Query { stream, job, .. }: Query) -> Self {
        Self { stream, job, export_id: None }
    }
}

impl From<Stream> for NativeStream {
    fn from(Stream { stream, job, .. }: Stream) -> Self {
        Self { stream, job, export_id: None }
    }
}

#[napi]
impl NativeStream {
    /// Of an export that can be resumed: which namespace's records come, and in which order.
    #[napi(getter)]
    pub fn export_id(&self) -> Option<&str> {
        self.export_id.as_deref()
    }

    #[napi(getter)]
    pub fn job_id(&self) -> &str {
        self.job.id()
    }

    /// The next chunk, or null at the end; a promise when it is not there yet. One call at a time.
    #[napi(catch_unwind, ts_return_type = "NativeFailure | Buffer | null | Promise<NativeFailure | Buffer | null>")]
    pub fn next<'env>(&self, env: &'env Env) -> napi::Result<Either3<NativeFailure, Either<Bytes, Null>, Object<'env>>> {
        let job = self.job.clone();
        now_or_later(env, |reply| {
            self.stream.next_with(move |next| {
                // Whoever reads did not ask for that end, and may ask again when the server is back.
                let closing = |error: Error| match error.code {
                    ErrorCode::Aborted if job.is_closing() => {
                        Error::said(ErrorCode::Closed, sentence!("the server is closing and ended this answer"))
                    }
                    _ => error,
                };
                let next = next.map_err(closing);
                reply.answer(next.map(|chunk| chunk.map_or(Either::B(Null), |bytes| Either::A(Bytes(bytes)))));
            });
        })
    }

    #[napi(catch_unwind)]
    pub fn summary(&self) -> StreamSummary {
        self.stream.summary().into()
    }

    /// Stops the work; `next` then fails with `aborted`.
    #[napi(catch_unwind)]
    pub fn abort(&self) {
        self.stream.abort();
    }

    /// As `abort`, for a reader that does not read: the job fails with `reader_stalled`, and says so.
    #[napi(catch_unwind)]
    pub fn stalled(&self, message: String) {
        // A job that has ended has nothing to be stopped; what it left in the stream is dropped all the same.
        let _ = self.job.abort_because(Error::new(ErrorCode::ReaderStalled, message));
        self.stream.abort();
    }

    /// Memory that waits for the reader; if the workers wait as well, with what each of them holds.
    #[napi(catch_unwind)]
    pub fn held_bytes(&self) -> f64 {
        let (bytes, full) = self.stream.waiting();
        let workers = if full { self.job.target_threads() as usize * WORKER_BYTES } else { 0 };
        (bytes + workers) as f64
    }
}
