//! Runs of the load generator. They cross as JSON text, which is what their files hold.

use crate::jobs::JobQuery;
use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use serde_json::json;
use tessera_workload::spec::WorkloadSpec;

#[napi]
impl NativeStore {
    /// Starts a run from the JSON of its specification; resolves with the run.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | string>")]
    pub fn start_workload<'env>(&self, env: &'env Env, spec: String) -> napi::Result<Object<'env>> {
        let runs = self.workloads.clone();
        self.later(env, move |engine| Ok(json!(runs.start(engine, WorkloadSpec::parse(&spec)?)?).to_string()))
    }

    /// A page of runs, newest first: `{runs, more}`.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | string>")]
    pub fn workloads<'env>(&self, env: &'env Env, query: JobQuery) -> napi::Result<Object<'env>> {
        let runs = self.workloads.clone();
        self.later(env, move |_| Ok(json!(runs.list(&query.try_into()?)?).to_string()))
    }

    /// A run with its seconds: `{run, frames}`.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | string>")]
    pub fn workload<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let runs = self.workloads.clone();
        self.later(env, move |_| {
            let (run, frames) = runs.get(&id)?;
            Ok(json!({ "run": run, "frames": frames }).to_string())
        })
    }

    /// The latencies of a run in at most 60 steps: a list, empty of a run before there were histograms.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | string>")]
    pub fn workload_latency<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let runs = self.workloads.clone();
        self.later(env, move |_| Ok(json!(runs.latency(&id)?).to_string()))
    }

    /// Two to six runs against the first of them: `{runs, figures}`.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | string>")]
    pub fn compare_workloads<'env>(&self, env: &'env Env, ids: Vec<String>) -> napi::Result<Object<'env>> {
        let runs = self.workloads.clone();
        self.later(env, move |_| Ok(json!(runs.compare(&ids)?).to_string()))
    }

    /// Aborts a run that goes on, or forgets one that has ended; the run as it was.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | string>")]
    pub fn remove_workload<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        let runs = self.workloads.clone();
        self.later(env, move |_| Ok(json!(runs.remove(&id)?).to_string()))
    }
}
