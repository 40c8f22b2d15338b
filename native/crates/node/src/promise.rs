//! Promises that threads of the core complete, without an asynchronous runtime.

use crate::completions::{Settler, open as open_promise};
use crate::failure::{NativeFailure, guarded, now, outcome};
use napi::Env;
use napi::bindgen_prelude::{Either3, Object, ToNapiValue};
use parking_lot::Mutex;
use std::marker::PhantomData;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};

/// The other end of a promise: completes it once, from any thread. Dropped without that, it completes it with `aborted`.
pub struct Completer<T: ToNapiValue + Send + 'static> {
    settler: Option<Settler>,
    result: PhantomData<fn(T)>,
}

impl<T: ToNapiValue + Send + 'static> Completer<T> {
    pub fn complete(mut self, result: Result<T>) {
        self.settle(result);
    }

    /// Completes with what `work` returns; a panic in it becomes `internal`.
    pub fn complete_with(self, work: impl FnOnce() -> Result<T>) {
        self.complete(guarded(work));
    }

    fn settle(&mut self, result: Result<T>) {
        if let Some(settler) = self.settler.take() {
            settler.settle(move || outcome(result));
        }
    }
}

impl<T: ToNapiValue + Send + 'static> Drop for Completer<T> {
    fn drop(&mut self) {
        self.settle(Err(given_up()));
    }
}

fn given_up() -> Error {
    Error::said(ErrorCode::Aborted, sentence!("the work was abandoned"))
}

fn open<'env, T: ToNapiValue + Send + 'static>(env: &'env Env) -> napi::Result<(Completer<T>, Object<'env>)> {
    let (settler, promise) = open_promise(env)?;
    Ok((Completer { settler: Some(settler), result: PhantomData }, promise))
}

/// Makes a promise and hands its other end to `start`, which must not block.
pub fn promise<'env, T: ToNapiValue + Send + 'static>(env: &'env Env, start: impl FnOnce(Completer<T>)) -> napi::Result<Object<'env>> {
    let (completer, promise) = open(env)?;
    start(completer);
    Ok(promise)
}

enum Slot<T: ToNapiValue + Send + 'static> {
    Open,
    Done(Result<T>),
    Awaited(Completer<T>),
    Over,
}

/// An answer that may come before there is a promise for it. Dropped unanswered, it answers with `aborted`.
pub struct Reply<T: ToNapiValue + Send + 'static>(Arc<Mutex<Slot<T>>>);

impl<T: ToNapiValue + Send + 'static> Reply<T> {
    pub fn answer(self, result: Result<T>) {
        self.put(result);
    }

    fn put(&self, result: Result<T>) {
        let mut slot = self.0.lock();
        match std::mem::replace(&mut *slot, Slot::Over) {
            Slot::Open => *slot = Slot::Done(result),
            Slot::Awaited(completer) => {
                drop(slot);
                completer.complete(result);
            }
            // Already answered: this is the drop after it.
            done => *slot = done,
        }
    }
}

impl<T: ToNapiValue + Send + 'static> Drop for Reply<T> {
    fn drop(&mut self) {
        self.put(Err(given_up()));
    }
}

/// Calls `start`; when it has answered by the time it returns, that is the result, and otherwise a promise is. A promise
/// costs as much as 20 small reads, so what is ready should not have one.
pub fn now_or_later<'env, T: ToNapiValue + Send + 'static>(
    env: &'env Env,
    start: impl FnOnce(Reply<T>),
) -> napi::Result<Either3<NativeFailure, T, Object<'env>>> {
    let slot = Arc::new(Mutex::new(Slot::Open));
    start(Reply(slot.clone()));
    let mut slot = slot.lock();
    if let Slot::Done(result) = std::mem::replace(&mut *slot, Slot::Over) {
        return Ok(now(result));
    }
    let (completer, promise) = open(env)?;
    *slot = Slot::Awaited(completer);
    Ok(Either3::C(promise))
}
