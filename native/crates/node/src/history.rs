//! The steps of a range of the history, as lines of JSON that JavaScript pulls: objects of V8 for all of it would take a
//! second of the JavaScript thread, and memory for all of it at once.

use crate::bytes::Bytes;
use crate::metrics::MetricsFrame;
use crate::promise::promise;
use napi::Env;
use napi::bindgen_prelude::{Either, Null, Object};
use napi_derive::napi;
use parking_lot::Mutex;
use serde::Serialize;
use serde_json::ser::Formatter;
use std::io::{self, Write};
use std::sync::Arc;
use tessera_base::pool::Pool;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::metrics::{History, HistoryFrame, HistoryQuery, HistorySteps, Operation};
use tessera_jobs::chunk_stream::CHUNK_BYTES;

/// Which part of the past, in steps of which length.
#[napi(object, object_to_js = false)]
pub struct HistoryRange {
    pub from_ms: f64,
    pub to_ms: f64,
    pub step_seconds: f64,
    pub namespace: Option<String>,
    #[napi(ts_type = "'get' | 'put' | 'update' | 'delete' | 'batch' | 'scan' | 'query' | 'index-lookup'")]
    pub op: Option<String>,
}

/// What is not sent yet; `None` once it was closed, or is at its end.
type Rest = Arc<Mutex<Option<(Arc<History>, HistorySteps)>>>;

/// Whole lines, a frame each, about 256 KiB at a time.
#[napi]
pub struct NativeHistory {
    calls: Arc<Pool>,
    step_ms: u64,
    rest: Rest,
}

impl NativeHistory {
    pub(crate) fn open(calls: Arc<Pool>, history: Arc<History>, range: HistoryRange) -> Result<Self> {
        let millis = |n: f64| if n > 0.0 { n as u64 } else { 0 };
        let steps = history.steps(HistoryQuery {
            from_ms: millis(range.from_ms),
            to_ms: millis(range.to_ms),
            step_ms: millis(range.step_seconds * 1000.0),
            namespace: range.namespace,
            op: range.op.as_deref().map(operation).transpose()?,
        });
        Ok(Self { calls, step_ms: steps.step_ms(), rest: Arc::new(Mutex::new(Some((history, steps)))) })
    }
}

#[napi]
impl NativeHistory {
    /// At least what was asked for.
    #[napi(getter)]
    pub fn step_seconds(&self) -> f64 {
        self.step_ms as f64 / 1000.0
    }

    /// The next piece, or null at the end.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | Buffer | null>")]
    pub fn next<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let rest = self.rest.clone();
        promise(env, |completer| {
            self.calls.spawn(move || {
                completer.complete_with(|| {
                    let mut rest = rest.lock();
                    let mut piece = Vec::new();
                    while let Some((history, steps)) = rest.as_mut().filter(|_| piece.len() < CHUNK_BYTES) {
                        match history.next(steps) {
                            Some(step) => write_line(&mut piece, &step)?,
                            None => *rest = None,
                        }
                    }
                    Ok(if piece.is_empty() { Either::B(Null) } else { Either::A(Bytes(piece)) })
                });
            });
        })
    }

    /// Lets the rest go; `next` then answers null.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        let rest = self.rest.clone();
        // Not here: a piece may be under way.
        self.calls.spawn(move || *rest.lock() = None);
    }
}

pub(crate) fn operation(text: &str) -> Result<Operation> {
    Operation::parse(text).ok_or_else(|| {
        let known = Operation::ALL.map(Operation::as_str).join(", ");
        Error::said(ErrorCode::ConfigInvalid, sentence!("op must be one of {known}", known = known)).in_field("op")
    })
}

fn write_line(out: &mut Vec<u8>, step: &HistoryFrame) -> Result<()> {
    let frame = MetricsFrame::from(step);
    let written = frame.serialize(&mut serde_json::Serializer::with_formatter(&mut *out, Shortest));
    written.map_err(|error| Error::new(ErrorCode::Internal, format!("a frame is no JSON: {error}")))?;
    out.push(b'\n');
    Ok(())
}

/// Writes whole numbers without a fraction, as JavaScript does: most numbers of a frame are counts.
struct Shortest;

/// Beyond this JavaScript writes an exponent.
const WHOLE_MOST: f64 = 1e15;

impl Formatter for Shortest {
    fn write_f64<W: ?Sized + Write>(&mut self, writer: &mut W, value: f64) -> io::Result<()> {
        if value.fract() == 0.0 && value.abs() < WHOLE_MOST {
            self.write_i64(writer, value as i64)
        } else {
            serde_json::ser::CompactFormatter.write_f64(writer, value)
        }
    }
}
