//! Streams of steps over records, and how they find them.

use crate::numbers::{rate, segments, threads};
use crate::scans::limit_of;
use crate::store::NativeStore;
use crate::streams::NativeStream;
use napi::Env;
use napi::bindgen_prelude::{Object, Uint8Array};
use napi_derive::napi;
use std::sync::Arc;
use tessera_base::processors;
use tessera_core::stream::{self, Pipeline};

#[napi(object, object_to_js = false)]
pub struct StreamSpec {
    /// Absent: every record; empty: records without a set.
    pub set: Option<String>,
    /// A list of steps as JSON.
    pub steps: Uint8Array,
    /// Absent: those of which this node is the primary owner.
    pub segments: Option<Vec<f64>>,
    /// 1 to 128; absent: all cores.
    pub threads: Option<f64>,
    pub records_per_second: Option<f64>,
    /// Most elements answered where no step bounds them.
    pub most: Option<f64>,
    /// A count comes as the number alone.
    pub bare_count: bool,
}

impl StreamSpec {
    fn parse(self) -> tessera_base::Result<stream::StreamSpec> {
        Ok(stream::StreamSpec {
            set: self.set,
            pipeline: Arc::new(Pipeline::compile(&self.steps)?),
            segments: segments(self.segments)?,
            threads: self.threads.map_or_else(|| Ok(processors()), threads)?,
            records_per_second: rate(self.records_per_second)?,
            most: limit_of(self.most)?,
            bare_count: self.bare_count,
        })
    }
}

#[napi]
impl NativeStore {
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NativeStream>")]
    pub fn stream<'env>(&self, env: &'env Env, namespace: String, spec: StreamSpec) -> napi::Result<Object<'env>> {
        self.search(env, namespace, || spec.parse(), |open, spec| open.stream(spec).map(NativeStream::from))
    }

    /// How a stream would find its records, as JSON: the plan of a query with its first filters.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | string>")]
    pub fn explain_stream<'env>(&self, env: &'env Env, namespace: String, spec: StreamSpec) -> napi::Result<Object<'env>> {
        self.search(env, namespace, || spec.parse(), |open, spec| open.explain_stream(&spec)?.to_json())
    }
}
