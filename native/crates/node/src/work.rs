//! Work that may wait, off the JavaScript thread.

use crate::failure::{NativeFailure, guarded, now};
use crate::promise::{Completer, promise};
use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::{Either3, Object, ToNapiValue};
use std::sync::Arc;
use tessera_core::{Engine, Namespace, Result};

/// A result now, or a promise of one.
pub type Soon<'env, T> = Either3<NativeFailure, T, Object<'env>>;

impl NativeStore {
    /// A promise of what `work` returns, done on a thread that no job can hold.
    pub fn later<'env, T: ToNapiValue + Send + 'static>(
        &self,
        env: &'env Env,
        work: impl FnOnce(&Engine) -> Result<T> + Send + 'static,
    ) -> napi::Result<Object<'env>> {
        let engine = self.engine.clone();
        promise(env, |completer| self.calls.spawn(move || completer.complete_with(|| work(&engine))))
    }

    /// What `work` returns of what was asked, read from JavaScript's values before: at once where the index of the namespace is in memory, and as a promise where looking into it, or waiting for one who writes to
    /// it, may wait for a disk.
    pub fn soon<'env, S: Send + 'static, T: ToNapiValue + Send + 'static>(
        &self,
        env: &'env Env,
        namespace: &str,
        asked: Result<S>,
        work: impl FnOnce(&Arc<Namespace>, S) -> Result<T> + Send + 'static,
    ) -> napi::Result<Soon<'env, T>> {
        match guarded(|| Ok((self.engine.namespace(namespace)?, asked?))) {
            Err(error) => Ok(Either3::A(error.into())),
            Ok((open, asked)) if open.index_resident() => Ok(now(guarded(|| work(&open, asked)))),
            Ok((open, asked)) => Ok(Either3::C(self.later(env, move |_| work(&open, asked))?)),
        }
    }
}

/// Runs `work` before there is an engine: on a thread of its own.
pub fn alone<T: ToNapiValue + Send + 'static>(completer: Completer<T>, work: impl FnOnce() -> Result<T> + Send + 'static) {
    let thread = std::thread::Builder::new().name("tessera-open".to_owned());
    // Without a thread the closure is dropped, and with it the completer, which tells.
    let _ = thread.spawn(move || completer.complete_with(work));
}
