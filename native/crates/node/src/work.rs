//! Work that may wait, off the JavaScript thread.

use crate::promise::Completer;
use napi::bindgen_prelude::ToNapiValue;
use tessera_core::{Error, ErrorCode};

/// Runs `work` on a thread of its own and completes the promise with its result.
pub fn background<T: ToNapiValue + Send + 'static>(
    completer: Completer<T>,
    work: impl FnOnce() -> tessera_core::Result<T> + Send + 'static,
) {
    let slot = std::sync::Arc::new(parking_lot::Mutex::new(Some(completer)));
    let mine = slot.clone();
    let run = move || {
        let completer = mine.lock().take();
        if let Some(completer) = completer {
            completer.complete_with(work);
        }
    };
    if let Err(error) = std::thread::Builder::new().name("tessera-call".to_owned()).spawn(run) {
        let completer = slot.lock().take();
        if let Some(completer) = completer {
            completer.complete(Err(Error::new(ErrorCode::Internal, format!("start a thread: {error}"))));
        }
    }
}
