//! Promises that threads of the core complete, without an asynchronous runtime.

use crate::failure::{NativeFailure, guarded, outcome};
use napi::bindgen_prelude::{Object, ToNapiValue};
use napi::{Either, Env, JsDeferred};
use tessera_core::{Error, ErrorCode};

type Settled<T> = Either<NativeFailure, T>;
type Resolver<T> = Box<dyn FnOnce(Env) -> napi::Result<Settled<T>> + Send>;

/// The other end of a promise: completes it once, from any thread. Dropped without that, it completes it with `aborted`.
pub struct Completer<T: ToNapiValue + Send + 'static> {
    deferred: Option<JsDeferred<Settled<T>, Resolver<T>>>,
}

impl<T: ToNapiValue + Send + 'static> Completer<T> {
    pub fn complete(mut self, result: tessera_core::Result<T>) {
        self.settle(result);
    }

    /// Completes with what `work` returns; a panic in it becomes `internal`.
    pub fn complete_with(self, work: impl FnOnce() -> tessera_core::Result<T>) {
        self.complete(guarded(work));
    }

    fn settle(&mut self, result: tessera_core::Result<T>) {
        if let Some(deferred) = self.deferred.take() {
            deferred.resolve(Box::new(move |_| Ok(outcome(result))));
        }
    }
}

impl<T: ToNapiValue + Send + 'static> Drop for Completer<T> {
    fn drop(&mut self) {
        self.settle(Err(Error::new(ErrorCode::Aborted, "the work was given up")));
    }
}

/// Makes a promise and hands its other end to `start`, which must not block.
pub fn promise<'env, T: ToNapiValue + Send + 'static>(env: &'env Env, start: impl FnOnce(Completer<T>)) -> napi::Result<Object<'env>> {
    let (deferred, promise) = env.create_deferred::<Settled<T>, Resolver<T>>()?;
    start(Completer { deferred: Some(deferred) });
    Ok(promise)
}
