//! Records: bytes in, bytes out.

use crate::bytes::Bytes;
use crate::choice::one_of;
use crate::failure::{NativeFailure, guarded, now};
use crate::filters::filter_of;
use crate::numbers::whole_u32;
use crate::store::NativeStore;
use napi::bindgen_prelude::{BigInt, Either3, Either4, Null, Object, Uint8Array};
use napi::{Either, Env};
use napi_derive::napi;
use tessera_base::{Error, ErrorCode, Result, Sentence, sentence};
use tessera_core::exchange::{self, Answer, BatchOptions, BinsForm, Form};
use tessera_core::namespace::RecordName;
use tessera_core::{Exists, Namespace, WriteOptions};
use tessera_record::json::Shape;
use tessera_record::{Digest, Key, Ttl};

/// A larger body is parsed off the JavaScript thread.
pub(crate) const PARSE_HERE_BYTES: usize = 64 * 1024;

/// How a record is wanted.
#[napi(object, object_to_js = false)]
pub struct RecordForm {
    #[napi(ts_type = "'record' | 'v1' | 'packed'")]
    pub shape: String,
    /// Absent: all; empty: none.
    pub bins: Option<Vec<String>>,
    /// Value of the set's distribution bin: JSON of a scalar, or a plain string.
    pub route: Option<String>,
    /// A filter as JSON: a record that does not pass it is as one that is not there.
    #[napi(js_name = "where")]
    pub filter: Option<Uint8Array>,
}

/// What a write asks for.
#[napi(object, object_to_js = false)]
pub struct RecordWrite {
    #[napi(ts_type = "'upsert' | 'create' | 'replace' | 'update' | 'merge'")]
    pub exists: String,
    pub generation: Option<f64>,
    #[napi(ts_type = "'equal' | 'greater'")]
    pub generation_policy: Option<String>,
    /// -1 never, -2 keep, 0 or absent the namespace's default.
    pub ttl_seconds: Option<f64>,
    #[napi(ts_type = "'record' | 'v1' | 'packed'")]
    pub shape: String,
    /// A filter as JSON, for a record that is there.
    #[napi(js_name = "where")]
    pub filter: Option<Uint8Array>,
}

#[napi(object, object_to_js = false)]
pub struct RecordDelete {
    pub generation: Option<f64>,
    #[napi(ts_type = "'equal' | 'greater'")]
    pub generation_policy: Option<String>,
    pub route: Option<String>,
    /// A filter as JSON.
    #[napi(js_name = "where")]
    pub filter: Option<Uint8Array>,
}

#[napi(object, object_to_js = false)]
pub struct RecordBatch {
    pub atomic: bool,
    #[napi(ts_type = "'upsert' | 'create' | 'replace' | 'update' | 'merge'")]
    pub exists: String,
}

#[napi(object, object_from_js = false)]
pub struct WriteResult {
    pub created: bool,
    pub generation: u32,
    pub digest: String,
}

/// A line that was not taken.
#[napi(object, object_from_js = false)]
pub struct Reject {
    pub line: f64,
    pub code: &'static str,
    pub message: String,
    pub field: Option<String>,
}

#[napi(object, object_from_js = false)]
pub struct BatchReport {
    pub written: f64,
    pub deleted: f64,
    /// The first 1,000.
    pub rejected: Vec<Reject>,
    pub rejected_total: f64,
}

impl Reject {
    pub fn new(line: u64, error: Error) -> Self {
        Self { line: line as f64, code: error.code.as_str(), message: error.message, field: error.field }
    }
}

/// A key as it crosses: text, an integer, or bytes, which are a digest when the caller says so.
pub type KeyArgument<'a> = Either3<String, BigInt, &'a [u8]>;

/// A key copied out of JavaScript.
pub enum Name {
    Key(Key),
    Digest(Digest),
}

impl Name {
    pub fn take(key: KeyArgument<'_>, digest: bool) -> Result<Self> {
        let invalid = |message: Sentence| Err(Error::said(ErrorCode::KeyInvalid, message).in_field("key"));
        Ok(Self::Key(match key {
            Either3::A(text) => Key::String(text),
            Either3::B(number) => match number.get_i64() {
                (number, true) => Key::Integer(number),
                _ => return invalid(sentence!("an integer key must fit into 64 bits")),
            },
            Either3::C(bytes) if digest => match bytes.try_into() {
                Ok(bytes) => return Ok(Self::Digest(Digest(bytes))),
                Err(_) => return invalid(sentence!("a digest must be 20 bytes")),
            },
            Either3::C(bytes) => Key::Bytes(bytes.to_vec()),
        }))
    }

    pub fn get(&self) -> RecordName<'_> {
        match self {
            Self::Key(key) => RecordName::Key(key.as_ref()),
            Self::Digest(digest) => RecordName::Digest(*digest),
        }
    }
}

pub fn shape_of(text: &str) -> Result<Shape> {
    one_of(text, "shape", &[("record", Shape::Record), ("v1", Shape::V1), ("packed", Shape::Packed)])
}

fn exists_of(text: &str) -> Result<Exists> {
    let choices = [
        ("upsert", Exists::Upsert),
        ("create", Exists::CreateOnly),
        ("replace", Exists::ReplaceOnly),
        ("update", Exists::UpdateOnly),
        ("merge", Exists::Merge),
    ];
    one_of(text, "exists", &choices)
}

pub fn ttl_of(seconds: Option<f64>) -> Result<Ttl> {
    match seconds {
        None => Ok(Ttl::Default),
        Some(n) if n.fract() == 0.0 => Ttl::from_seconds(n as i64),
        Some(n) => Err(Error::said(ErrorCode::TtlInvalid, sentence!("a time to live must be whole seconds, got {given}", given = n))
            .in_field("ttlSeconds")),
    }
}

/// The generation of a precondition, and whether the record's must be lower instead of equal.
fn precondition(generation: Option<f64>, policy: Option<&str>) -> Result<(Option<u16>, bool)> {
    let greater = policy.map_or(Ok(false), |text| one_of(text, "generationPolicy", &[("equal", false), ("greater", true)]))?;
    let generation = generation.map(|n| whole_u32(n, "generation", ErrorCode::ConfigInvalid)).transpose()?;
    let invalid = |n| {
        Error::said(ErrorCode::ConfigInvalid, sentence!("generation must be at most 65535, got {given}", given = n)).in_field("generation")
    };
    let narrow = |n: u32| u16::try_from(n).map_err(|_| invalid(n));
    Ok((generation.map(narrow).transpose()?, greater))
}

impl RecordWrite {
    pub fn options(&self) -> Result<(Shape, WriteOptions)> {
        let (expected_generation, generation_greater) = precondition(self.generation, self.generation_policy.as_deref())?;
        let ttl = ttl_of(self.ttl_seconds)?;
        let exists = exists_of(&self.exists)?;
        Ok((shape_of(&self.shape)?, WriteOptions { exists, expected_generation, generation_greater, ttl, ..WriteOptions::default() }))
    }
}

/// Whether a write to this namespace may wait for a disk.
pub fn may_wait(namespace: &Namespace) -> bool {
    !namespace.bodies_resident()
}

#[napi]
impl NativeStore {
    /// One record as JSON; null when there is none. A promise when the device has to be asked.
    #[napi(catch_unwind, ts_return_type = "NativeFailure | Buffer | null | Promise<NativeFailure | Buffer | null>")]
    pub fn get_record<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        set: String,
        #[napi(ts_arg_type = "string | bigint | Uint8Array")] key: KeyArgument<'_>,
        digest: bool,
        form: RecordForm,
    ) -> napi::Result<Either4<NativeFailure, Bytes, Null, Object<'env>>> {
        let mut out = Vec::new();
        let asked = guarded(|| {
            let namespace = self.engine.namespace(&namespace)?;
            let name = Name::take(key, digest)?;
            let shape = shape_of(&form.shape)?;
            let route = form.route.as_deref().map(exchange::route_of_text).transpose()?;
            let filter = filter_of(form.filter)?;
            let wanted = Form { shape, bins: form.bins.as_deref(), route, filter: filter.as_deref() };
            let answer = exchange::read_resident(namespace.store(), &set, name.get(), &wanted, &mut out)?;
            Ok((namespace, name, shape, route, form.bins, filter, answer))
        });
        let (namespace, name, shape, route, bins, filter, answer) = match asked {
            Ok(asked) => asked,
            Err(error) => return Ok(Either4::A(error.into())),
        };
        Ok(match answer {
            Answer::Found => Either4::B(Bytes(out)),
            Answer::Absent => Either4::C(Null),
            Answer::Waits => Either4::D(self.reads(env, move || {
                let mut out = Vec::new();
                let form = Form { shape, bins: bins.as_deref(), route, filter: filter.as_deref() };
                let found = exchange::read_record(namespace.store(), &set, name.get(), &form, &mut out)?;
                Ok(if found { Either::A(Bytes(out)) } else { Either::B(Null) })
            })?),
        })
    }

    /// Writes a record whose bins are a JSON object. At once in memory; a promise when a disk may have to be waited for.
    #[napi(catch_unwind, ts_return_type = "NativeFailure | WriteResult | Promise<NativeFailure | WriteResult>")]
    #[allow(clippy::too_many_arguments, reason = "a record's address has three parts, and an object for them would cost a crossing")]
    pub fn put_record<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        set: String,
        #[napi(ts_arg_type = "string | bigint | Uint8Array")] key: KeyArgument<'_>,
        digest: bool,
        bins: &[u8],
        write: RecordWrite,
    ) -> napi::Result<Either3<NativeFailure, WriteResult, Object<'env>>> {
        let asked = guarded(|| {
            let (shape, options) = write.options()?;
            let filter = filter_of(write.filter)?;
            Ok((self.engine.namespace(&namespace)?, Name::take(key, digest)?, shape, options, filter))
        });
        let (namespace, name, shape, options, filter) = match asked {
            Ok(asked) => asked,
            Err(error) => return Ok(Either3::A(error.into())),
        };
        let here = bins.len() < PARSE_HERE_BYTES && !may_wait(&namespace);
        let run = move |bins: &[u8]| {
            let form = BinsForm { shape, options, filter: filter.as_deref() };
            let written = exchange::write_record(namespace.store(), &set, name.get(), bins, &form)?;
            Ok(WriteResult { created: written.created, generation: written.meta.generation.into(), digest: written.digest.to_string() })
        };
        if here {
            return Ok(now(guarded(|| run(bins))));
        }
        let bins = bins.to_vec();
        Ok(Either3::C(self.writes(env, move || run(&bins))?))
    }

    /// Whether there was such a record. At once in memory; a promise when a disk may have to be waited for.
    #[napi(catch_unwind, ts_return_type = "NativeFailure | boolean | Promise<NativeFailure | boolean>")]
    pub fn delete_record<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        set: String,
        #[napi(ts_arg_type = "string | bigint | Uint8Array")] key: KeyArgument<'_>,
        digest: bool,
        options: RecordDelete,
    ) -> napi::Result<Either3<NativeFailure, bool, Object<'env>>> {
        let asked = guarded(|| {
            let (expected_generation, generation_greater) = precondition(options.generation, options.generation_policy.as_deref())?;
            let write = WriteOptions { expected_generation, generation_greater, ..WriteOptions::default() };
            Ok((self.engine.namespace(&namespace)?, Name::take(key, digest)?, write, filter_of(options.filter)?))
        });
        let (namespace, name, write, filter) = match asked {
            Ok(asked) => asked,
            Err(error) => return Ok(Either3::A(error.into())),
        };
        let waits = may_wait(&namespace);
        let run = move || {
            let route = options.route.as_deref().map(exchange::route_of_text).transpose()?;
            let lookup = tessera_core::Lookup { name: name.get(), route };
            exchange::delete_record(namespace.store(), &set, lookup, &write, filter.as_deref())
        };
        if !waits {
            return Ok(now(guarded(run)));
        }
        Ok(Either3::C(self.writes(env, run)?))
    }

    /// Writes NDJSON lines; lines that are refused are reported.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | BatchReport>")]
    pub fn write_records<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        set: String,
        ndjson: &[u8],
        batch: RecordBatch,
    ) -> napi::Result<Object<'env>> {
        let ndjson = ndjson.to_vec();
        let namespace = guarded(|| self.engine.namespace(&namespace));
        self.writes(env, move || {
            let options = BatchOptions { atomic: batch.atomic, exists: exists_of(&batch.exists)? };
            let report = exchange::write_records(namespace?.store(), &set, &ndjson, &options)?;
            Ok(BatchReport {
                written: report.written as f64,
                deleted: report.deleted as f64,
                rejected: report.rejected.into_iter().map(|reject| Reject::new(reject.line, reject.error)).collect(),
                rejected_total: report.rejected_total as f64,
            })
        })
    }
}
