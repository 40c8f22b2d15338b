//! Rejected rows of an import, in chunks that JavaScript pulls.

use crate::bytes::Bytes;
use crate::promise::promise;
use napi::Env;
use napi::bindgen_prelude::{Either, Null, Object};
use napi_derive::napi;
use parking_lot::Mutex;
use std::sync::Arc;
use tessera_base::pool::Pool;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_jobs::JobRegistry;
use tessera_jobs::load::{RejectForm, RejectReader};

/// Chunks of whole lines, about 256 KiB each.
#[napi]
pub struct NativeRejects {
    calls: Arc<Pool>,
    /// `None` once it was closed, or is at its end.
    reader: Arc<Mutex<Option<RejectReader>>>,
}

impl NativeRejects {
    pub(crate) fn open(calls: Arc<Pool>, jobs: &JobRegistry, job_id: &str, form: RejectForm) -> Result<Self> {
        let id = jobs.info(job_id)?.id;
        let none = || Error::said(ErrorCode::RejectsNotFound, sentence!("no rejected rows were kept for job {id}", id = &id));
        let reader = RejectReader::open(jobs.files().ok_or_else(none)?, &id, form)?;
        Ok(Self { calls, reader: Arc::new(Mutex::new(Some(reader))) })
    }
}

#[napi]
impl NativeRejects {
    /// The next chunk, or null at the end.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | Buffer | null>")]
    pub fn next<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let reader = self.reader.clone();
        promise(env, |completer| {
            self.calls.spawn(move || {
                completer.complete_with(|| {
                    let mut reader = reader.lock();
                    let chunk = reader.as_mut().map(RejectReader::next_chunk).transpose()?.flatten();
                    if chunk.is_none() {
                        *reader = None;
                    }
                    Ok(chunk.map_or(Either::B(Null), |bytes| Either::A(Bytes(bytes))))
                });
            });
        })
    }

    /// Lets the file go; `next` then answers null.
    #[napi(catch_unwind)]
    pub fn close(&self) {
        let reader = self.reader.clone();
        // Not here: a chunk may be under way.
        self.calls.spawn(move || *reader.lock() = None);
    }
}
