//! Work that may wait, off the JavaScript thread.

use crate::failure::guarded;
use crate::promise::{Completer, promise};
use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::{Object, ToNapiValue};
use std::sync::Arc;
use tessera_base::Result;
use tessera_base::latency::{Clock, split};
use tessera_base::pool::Pool;
use tessera_core::{Engine, Namespace};

/// Threads for calls that may wait, by what they wait for: writers that a disk holds up take none from readers, and neither
/// take one from `status`. Those of the engine's pool may all be with jobs, which can be paused.
#[derive(Clone)]
pub struct Calls {
    pub control: Arc<Pool>,
    pub reads: Arc<Pool>,
    pub writes: Arc<Pool>,
}

impl Calls {
    pub fn new() -> Self {
        Self { control: Pool::new(), reads: Pool::new(), writes: Pool::new() }
    }
}

impl NativeStore {
    /// A promise of what `work` returns, done on a thread that neither a job nor a record can hold.
    pub fn later<'env, T: ToNapiValue + Send + 'static>(
        &self,
        env: &'env Env,
        work: impl FnOnce(&Engine) -> Result<T> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        self.on(&self.calls.control, env, work)
    }

    /// As `later`, for what reads records.
    pub fn reads<'env, T: ToNapiValue + Send + 'static>(
        &self,
        env: &'env Env,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        self.on(&self.calls.reads, env, |_| work())
    }

    /// As `later`, for what writes records.
    pub fn writes<'env, T: ToNapiValue + Send + 'static>(
        &self,
        env: &'env Env,
        work: impl FnOnce() -> Result<T> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        self.on(&self.calls.writes, env, |_| work())
    }

    fn on<'env, T: ToNapiValue + Send + 'static>(
        &self,
        pool: &Arc<Pool>,
        env: &'env Env,
        work: impl FnOnce(&Engine) -> Result<T> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        let (engine, asked) = (self.engine.clone(), Clock::now());
        promise(env, |completer| {
            pool.spawn(move || {
                let _request = split::arrive(asked);
                completer.complete_with(|| work(&engine));
            });
        })
    }

    /// A promise of what `work` makes of a namespace and of `asked`, read from JavaScript's values before. A search looks at all
    /// segments before it begins, starts threads, and may wait for a disk or for one who writes.
    pub fn search<'env, S: Send + 'static, T: ToNapiValue + Send + 'static>(
        &self,
        env: &'env Env,
        namespace: String,
        asked: impl FnOnce() -> Result<S>,
        work: impl FnOnce(&Arc<Namespace>, S) -> Result<T> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        let asked = guarded(asked);
        self.on(&self.calls.reads, env, move |engine| work(&engine.namespace(&namespace)?, asked?))
    }
}

/// Runs `work` before there is an engine: on a thread of its own.
pub fn alone<T: ToNapiValue + Send + 'static>(completer: Completer<T>, work: impl FnOnce() -> Result<T> + Send + 'static) {
    let thread = std::thread::Builder::new().name("tessera-open".to_owned());
    // Without a thread the closure is dropped, and with it the completer, which tells.
    let _ = thread.spawn(move || completer.complete_with(work));
}
