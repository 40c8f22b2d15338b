//! Bulk load: chunks in, back-pressure out, a report at the end.

use crate::choice::one_of;
use crate::failure::NativeFailure;
use crate::numbers::{threads, whole};
use crate::promise::{now_or_later, promise};
use crate::records::ttl_of;
use crate::rejects::NativeRejects;
use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::{ArrayBuffer, Either3, Object};
use napi_derive::napi;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, sentence};
use tessera_core::exchange;
use tessera_jobs::load::{self, ColumnType, Encoding, Format, ImportSession, Interrupted, KeyType, LoadMode, RejectForm};

#[napi(object, object_to_js = false)]
pub struct ImportSpec {
    /// Absent or empty: records without a set.
    pub set: Option<String>,
    /// `github-archive`: NDJSON of the Archive's events, with a key and a mapping of its own unless others are given.
    #[napi(ts_type = "'csv' | 'ndjson' | 'msgpack' | 'github-archive'")]
    pub format: String,
    /// Absent: told from the first bytes.
    #[napi(ts_type = "'identity' | 'gzip' | 'zstd'")]
    pub encoding: Option<String>,
    /// Column or dotted path; absent: the field `key`, else ascending integers.
    pub key: Option<String>,
    #[napi(ts_type = "'string' | 'integer' | 'auto'")]
    pub key_type: Option<String>,
    pub threads: f64,
    /// Names of CSV columns where there is no header, or in place of it.
    pub columns: Option<Vec<String>>,
    pub header: Option<bool>,
    #[napi(ts_type = "Record<string, 'auto' | 'string' | 'integer' | 'double' | 'boolean' | 'json'>")]
    pub types: Option<HashMap<String, String>>,
    /// The bins of a record, each `bin:source` or `bin:source:type`; absent: one for each column or field.
    pub map: Option<Vec<String>>,
    pub distribution_bin: Option<String>,
    #[napi(ts_type = "'upsert' | 'insert'")]
    pub mode: Option<String>,
    pub dry_run: Option<bool>,
    pub ttl_seconds: Option<f64>,
    /// Whether record objects go to the sets that they name. Absent: if `set` is.
    pub keep_sets: Option<bool>,
    /// Whether record objects keep their time to live. Absent: they do, unless `ttlSeconds` says more.
    pub keep_expiry: Option<bool>,
    /// Whether record objects keep their generations. Absent: an import gives new ones.
    pub keep_generations: Option<bool>,
    pub bytes_total: Option<f64>,
    /// By which the caller knows the job again.
    pub tag: Option<String>,
}

/// A row that was not taken.
#[napi(object, object_from_js = false)]
pub struct ImportReject {
    pub line: f64,
    pub code: &'static str,
    pub message: String,
    pub field: Option<String>,
    /// Of a dry run: the row's beginning.
    pub row: Option<String>,
}

/// The file of a job's rejects.
#[napi(object, object_from_js = false)]
pub struct RejectFile {
    pub rows: f64,
    pub bytes: f64,
    pub cut_short: bool,
    #[napi(ts_type = "'size' | 'storage'")]
    pub reason: Option<&'static str>,
}

/// An import that a stop of the server cut off.
#[napi(object, object_from_js = false)]
pub struct InterruptedImport {
    pub namespace: String,
    /// What `beginImport` was given.
    pub query: String,
    pub stored_rows: f64,
}

impl From<Interrupted> for InterruptedImport {
    fn from(found: Interrupted) -> Self {
        Self { stored_rows: found.counts.stored() as f64, namespace: found.namespace, query: found.query }
    }
}

#[napi(object, object_from_js = false)]
pub struct ImportReport {
    pub rows: f64,
    pub inserted: f64,
    pub updated: f64,
    pub rejected_total: f64,
    /// How many rows each code cost.
    pub rejected_by_code: HashMap<String, f64>,
    /// The first 1,000 by line; of a dry run the first 20.
    pub rejected: Vec<ImportReject>,
    /// Absent where nothing was rejected.
    pub reject_file: Option<RejectFile>,
    /// Rows without the distribution bin of the set, except in plain CSV.
    pub without_route: Option<f64>,
    pub bytes: f64,
    pub elapsed_ms: f64,
    pub rows_per_second: f64,
    /// Of a dry run: the first 20 rows as NDJSON.
    pub sample: Option<String>,
}

impl From<load::ImportReport> for ImportReport {
    fn from(report: load::ImportReport) -> Self {
        let reject = |r: load::Reject| ImportReject { line: r.line as f64, code: r.code, message: r.message, field: r.field, row: r.row };
        let file = |file: load::RejectFileInfo| RejectFile {
            rows: file.rows as f64,
            bytes: file.bytes as f64,
            cut_short: file.cut_short,
            reason: file.reason.map(load::CutShort::as_str),
        };
        Self {
            rows: report.rows as f64,
            inserted: report.inserted as f64,
            updated: report.updated as f64,
            rejected_total: report.rejected_total as f64,
            rejected_by_code: report.rejected_by_code.into_iter().map(|(code, count)| (code.to_owned(), count as f64)).collect(),
            rejected: report.rejected.into_iter().map(reject).collect(),
            reject_file: report.reject_file.map(file),
            without_route: report.without_route.map(|rows| rows as f64),
            bytes: report.bytes as f64,
            elapsed_ms: report.elapsed_ms,
            rows_per_second: report.rows_per_second,
            sample: report.sample,
        }
    }
}

impl ImportSpec {
    fn parse(self) -> tessera_base::Result<load::ImportSpec> {
        let types = self.types.unwrap_or_default().into_iter().map(|(column, text)| Ok((column, ColumnType::parse(&text)?)));
        let set = self.set.unwrap_or_default();
        let default = match &*self.format {
            "github-archive" => load::ImportSpec::github_archive(set)?,
            format => load::ImportSpec::new(set, Format::parse(format)?),
        };
        let map = self.map.map(|map| map.iter().map(|text| load::Mapped::parse(text)).collect::<tessera_base::Result<_>>());
        Ok(load::ImportSpec {
            encoding: self.encoding.as_deref().map(Encoding::parse).transpose()?,
            key: self.key.or(default.key),
            key_type: self.key_type.as_deref().map_or(Ok(KeyType::Auto), KeyType::parse)?,
            threads: threads(self.threads)?,
            columns: self.columns,
            header: self.header,
            types: types.collect::<tessera_base::Result<_>>()?,
            map: map.transpose()?.or(default.map),
            distribution_bin: self.distribution_bin,
            mode: self.mode.as_deref().map_or(Ok(LoadMode::Upsert), LoadMode::parse)?,
            dry_run: self.dry_run.unwrap_or(false),
            ttl: ttl_of(self.ttl_seconds)?,
            keep_sets: self.keep_sets,
            keep_expiry: self.keep_expiry,
            keep_generations: self.keep_generations.unwrap_or(false),
            bytes_total: self.bytes_total.map(|n| whole(n, "bytesTotal", ErrorCode::ConfigInvalid)).transpose()?,
            tag: self.tag,
            ..default
        })
    }
}

/// An import under way. Collected by the garbage collector before its end, it is aborted; stored rows stay.
#[napi]
pub struct NativeImport {
    job_id: String,
    state: Arc<Mutex<State>>,
}

/// At its end an import lets its namespace go: the garbage collector may come for the object much later, or never.
enum State {
    Live(Arc<ImportSession>),
    /// And why, unless it was complete.
    Ended(Option<Error>),
}

impl NativeImport {
    fn new(session: ImportSession) -> Self {
        let job_id = session.job().id().to_owned();
        Self { job_id, state: Arc::new(Mutex::new(State::Live(Arc::new(session)))) }
    }

    fn session(&self) -> tessera_base::Result<Arc<ImportSession>> {
        match &*self.state.lock() {
            State::Live(session) => Ok(session.clone()),
            State::Ended(Some(error)) => Err(error.clone()),
            State::Ended(None) => Err(Error::said(ErrorCode::Closed, sentence!("the import has ended"))),
        }
    }

    /// Calls back at the end of the import, with the session let go.
    fn at_end(&self, session: &ImportSession, callback: impl FnOnce(tessera_base::Result<load::ImportReport>) + Send + 'static) {
        let state = self.state.clone();
        session.finish_with(move |outcome| {
            let ended = State::Ended(outcome.as_ref().err().cloned());
            let before = std::mem::replace(&mut *state.lock(), ended);
            // Not under the lock: this may be the last hold on the session.
            drop(before);
            callback(outcome);
        });
    }
}

#[napi]
impl NativeImport {
    #[napi(getter)]
    pub fn job_id(&self) -> &str {
        &self.job_id
    }

    /// Takes a chunk, cut anywhere; a promise when the next one has to wait for room.
    #[napi(catch_unwind, ts_return_type = "NativeFailure | boolean | Promise<NativeFailure | boolean>")]
    pub fn write<'env>(&self, env: &'env Env, chunk: &[u8]) -> napi::Result<Either3<NativeFailure, bool, Object<'env>>> {
        let chunk = chunk.to_vec();
        now_or_later(env, |reply| match self.session() {
            Ok(session) => session.write_with(chunk, move |room| reply.answer(room.map(|()| true))),
            Err(error) => reply.answer(Err(error)),
        })
    }

    /// Says that the stream is complete; resolves with the report when every row is stored.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | ImportReport>")]
    pub fn finish<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        promise(env, |completer| match self.session() {
            Ok(session) => self.at_end(&session, move |report| completer.complete(report.map(ImportReport::from))),
            Err(error) => completer.complete(Err(error)),
        })
    }

    /// Rows inserted and updated so far; 0 after the end.
    #[napi(catch_unwind)]
    pub fn stored_rows(&self) -> f64 {
        self.session().map_or(0.0, |session| session.stored_rows() as f64)
    }

    /// Says that the upload broke off: the job is shown as paused until `release`.
    #[napi(catch_unwind)]
    pub fn hold(&self) {
        if let Ok(session) = self.session() {
            session.hold();
        }
    }

    #[napi(catch_unwind)]
    pub fn release(&self) {
        if let Ok(session) = self.session() {
            session.release();
        }
    }

    /// Stops because the server does: the same stream, sent again, goes on where this one was.
    #[napi(catch_unwind)]
    pub fn interrupt(&self) {
        if let Ok(session) = self.session() {
            session.interrupt();
            self.at_end(&session, |_| {});
        }
    }

    /// Stops at once. Rows that were stored stay.
    #[napi(catch_unwind)]
    pub fn abort(&self) {
        if let Ok(session) = self.session() {
            session.abort();
            self.at_end(&session, |_| {});
        }
    }
}

/// Frees the memory behind a buffer that nobody reads any more, and leaves it empty: a stream of them does not wait for the
/// garbage collector, which would go through the whole heap every so many bytes.
#[napi]
pub fn let_go(memory: ArrayBuffer<'_>) -> napi::Result<()> {
    memory.detach()
}

#[napi]
impl NativeStore {
    /// `query`, if given, is kept, so that the import can go on after a restart. A promise: a set may have to be made for it.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NativeImport>")]
    pub fn begin_import<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        spec: ImportSpec,
        query: Option<String>,
    ) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let session = exchange::begin_import(&engine.namespace(&namespace)?, spec.parse()?, query)?;
            Ok(NativeImport::new(session))
        })
    }

    /// Of a job that a stop of the server ended.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | InterruptedImport>")]
    pub fn interrupted_import<'env>(&self, env: &'env Env, job_id: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| Interrupted::find(engine.jobs(), &job_id).map(InterruptedImport::from))
    }

    /// Goes on with it, under the same job: the stream comes again from its first byte. A promise: its rejects are gone through.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NativeImport>")]
    pub fn resume_import<'env>(&self, env: &'env Env, job_id: String, spec: ImportSpec) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let from = Interrupted::find(engine.jobs(), &job_id)?;
            let namespace = engine.namespace(&from.namespace)?;
            Ok(NativeImport::new(exchange::resume_import(&namespace, &job_id, spec.parse()?, from)?))
        })
    }

    /// Gives it up: one that a stop of the server ended, or, if it `waits` for the rest of its upload, one that is aborted next.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | boolean>")]
    pub fn forget_import<'env>(&self, env: &'env Env, job_id: String, waits: bool) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            if !waits {
                Interrupted::find(engine.jobs(), &job_id)?;
            }
            Interrupted::forget(engine.jobs(), &job_id)?;
            Ok(true)
        })
    }

    /// The rows that an import did not take.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NativeRejects>")]
    pub fn rejects<'env>(
        &self,
        env: &'env Env,
        job_id: String,
        #[napi(ts_arg_type = "'lines' | 'rows' | 'values'")] form: String,
    ) -> napi::Result<Object<'env>> {
        let calls = self.calls.control.clone();
        self.later(env, move |engine| {
            let form = one_of(&form, "form", &[("lines", RejectForm::Lines), ("rows", RejectForm::Rows), ("values", RejectForm::Values)])?;
            NativeRejects::open(calls, engine.jobs(), &job_id, form)
        })
    }
}
