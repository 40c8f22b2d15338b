//! Batches of reads that JavaScript pulls.

use crate::bytes::Bytes;
use crate::failure::{NativeFailure, guarded, outcome};
use crate::promise::promise;
use crate::store::NativeStore;
use crate::streams::StreamSummary;
use napi::Env;
use napi::bindgen_prelude::{Either, Null, Object};
use napi_derive::napi;
use parking_lot::Mutex;
use std::sync::Arc;
use tessera_base::pool::Pool;
use tessera_core::exchange::{BatchReader, ReadBatch};
use tessera_core::stream_summary;

/// A line for each key, in chunks of about 256 KiB.
#[napi]
pub struct NativeBatchRead {
    calls: Arc<Pool>,
    /// `None` once it was aborted.
    reader: Arc<Mutex<Option<BatchReader>>>,
    /// As of the newest chunk: the reader itself is taken while it makes one.
    summary: Arc<Mutex<stream_summary::StreamSummary>>,
}

#[napi]
impl NativeBatchRead {
    /// The next chunk, or null at the end.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | Buffer | null>")]
    pub fn next<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let (reader, summary) = (self.reader.clone(), self.summary.clone());
        promise(env, |completer| {
            self.calls.spawn(move || {
                completer.complete_with(|| {
                    let mut reader = reader.lock();
                    let chunk = reader.as_mut().map_or(Ok(None), BatchReader::next_chunk)?;
                    *summary.lock() = reader.as_ref().map(BatchReader::summary).unwrap_or_default();
                    Ok(chunk.map_or(Either::B(Null), |bytes| Either::A(Bytes(bytes))))
                });
            });
        })
    }

    /// As of the newest chunk.
    #[napi(catch_unwind)]
    pub fn summary(&self) -> StreamSummary {
        self.summary.lock().clone().into()
    }

    /// Lets everything go; `next` then answers null.
    #[napi(catch_unwind)]
    pub fn abort(&self) {
        let reader = self.reader.clone();
        // Not here: a chunk may be under way.
        self.calls.spawn(move || *reader.lock() = None);
    }
}

#[napi]
impl NativeStore {
    /// Reads the records of `keys` (JSON array or one a line), in their order.
    #[napi(catch_unwind)]
    pub fn read_records(
        &self,
        namespace: String,
        set: String,
        keys: &[u8],
        bins: Option<Vec<String>>,
    ) -> Either<NativeFailure, NativeBatchRead> {
        outcome(guarded(|| {
            let batch = ReadBatch { set, keys: keys.to_vec(), bins };
            let reader = BatchReader::new(self.engine.namespace(&namespace)?.store().clone(), batch);
            Ok(NativeBatchRead { calls: self.calls.reads.clone(), reader: Arc::new(Mutex::new(Some(reader))), summary: Arc::default() })
        }))
    }
}
