//! Work that may wait, off the JavaScript thread.

use crate::promise::Completer;
use napi::bindgen_prelude::ToNapiValue;
use tessera_core::{Engine, Result};

/// Runs `work` on a thread of the engine's pool and completes the promise with its result.
pub fn background<T: ToNapiValue + Send + 'static>(
    engine: &Engine,
    completer: Completer<T>,
    work: impl FnOnce() -> Result<T> + Send + 'static,
) {
    engine.pool().spawn(move || completer.complete_with(work));
}

/// As `background`, before there is an engine: on a thread of its own.
pub fn alone<T: ToNapiValue + Send + 'static>(completer: Completer<T>, work: impl FnOnce() -> Result<T> + Send + 'static) {
    let thread = std::thread::Builder::new().name("tessera-open".to_owned());
    // Without a thread the closure is dropped, and with it the completer, which tells.
    let _ = thread.spawn(move || completer.complete_with(work));
}
