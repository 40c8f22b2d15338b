//! Work that may wait, off the JavaScript thread.

use crate::promise::{Completer, promise};
use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::{Object, ToNapiValue};
use tessera_core::{Engine, Result};

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
}

/// Runs `work` before there is an engine: on a thread of its own.
pub fn alone<T: ToNapiValue + Send + 'static>(completer: Completer<T>, work: impl FnOnce() -> Result<T> + Send + 'static) {
    let thread = std::thread::Builder::new().name("tessera-open".to_owned());
    // Without a thread the closure is dropped, and with it the completer, which tells.
    let _ = thread.spawn(move || completer.complete_with(work));
}
