//! The way back to the JavaScript thread: completed promises queue up, and one call wakes the event loop for all of them.
//!
//! A threadsafe function for each promise, as `Env::create_deferred` makes it, costs more than the call it is for.

use napi::bindgen_prelude::{Function, Object, ToNapiValue};
use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::{Env, Status, check_status, sys};
use parking_lot::Mutex;
use std::cell::{Cell, RefCell};
use std::ptr;
use std::rc::Rc;
use std::sync::{Arc, OnceLock};

type Settle = Box<dyn FnOnce(Env) + Send>;
type Wake = ThreadsafeFunction<(), (), (), Status, false, true, 0>;

/// What threads of the core push to.
#[derive(Default)]
struct Queue {
    settled: Mutex<Vec<Settle>>,
    /// Closed with the environment; what is pushed after that is never settled, as nobody is left to see it.
    wake: OnceLock<Wake>,
}

/// The JavaScript thread's end.
struct Loop {
    queue: Arc<Queue>,
    waker: sys::napi_threadsafe_function,
    /// Promises that are open: while there are any, the event loop stays alive.
    open: Cell<usize>,
}

thread_local! {
    static LOOP: RefCell<Option<Rc<Loop>>> = const { RefCell::new(None) };
}

/// The right to settle one promise, from any thread.
pub struct Settler {
    deferred: Deferred,
    queue: Arc<Queue>,
}

struct Deferred(sys::napi_deferred);
// SAFETY: the handle is only passed along here; it is used on the thread of its environment alone.
unsafe impl Send for Deferred {}

impl Settler {
    /// Resolves the promise with what `make` returns, made on the JavaScript thread.
    pub fn settle<T: ToNapiValue + 'static>(self, value: impl FnOnce() -> T + Send + 'static) {
        let Self { deferred, queue } = self;
        queue.push(Box::new(move |env| resolve(env, &deferred, value())));
    }
}

/// A promise, and the right to settle it.
pub fn open(env: &Env) -> napi::Result<(Settler, Object<'_>)> {
    let event_loop = Loop::current(env)?;
    let (mut deferred, mut promise) = (ptr::null_mut(), ptr::null_mut());
    // SAFETY: `env` is the environment of the call in progress, and both places are ours.
    check_status!(unsafe { sys::napi_create_promise(env.raw(), &raw mut deferred, &raw mut promise) })?;
    event_loop.opened(env);
    Ok((Settler { deferred: Deferred(deferred), queue: event_loop.queue.clone() }, Object::from_raw(env.raw(), promise)))
}

fn resolve<T: ToNapiValue>(env: Env, deferred: &Deferred, value: T) {
    // SAFETY: this is the JavaScript thread, in a callback of the environment that made the deferred, and each deferred
    // is settled once: `Settler` is consumed.
    unsafe {
        match T::to_napi_value(env.raw(), value) {
            Ok(value) => sys::napi_resolve_deferred(env.raw(), deferred.0, value),
            Err(error) => match napi::Error::to_napi_value(env.raw(), error) {
                Ok(error) => sys::napi_reject_deferred(env.raw(), deferred.0, error),
                Err(_) => sys::Status::napi_generic_failure,
            },
        };
    }
}

impl Queue {
    fn push(&self, settle: Settle) {
        let first = {
            let mut settled = self.settled.lock();
            settled.push(settle);
            settled.len() == 1
        };
        // Whoever finds the queue empty wakes the loop; the others ride along.
        if first && let Some(wake) = self.wake.get() {
            wake.call((), ThreadsafeFunctionCallMode::NonBlocking);
        }
    }
}

impl Loop {
    /// The loop of the environment that `env` is, made with its first promise.
    fn current(env: &Env) -> napi::Result<Rc<Self>> {
        LOOP.with_borrow_mut(|current| {
            if let Some(event_loop) = current {
                return Ok(event_loop.clone());
            }
            let queue = Arc::<Queue>::default();
            let nothing: Function<'_, (), ()> = env.create_function_from_closure("settle", |_| Ok(()))?;
            let wake: Wake =
                nothing.build_threadsafe_function::<()>().callee_handled::<false>().weak::<true>().build_callback(|context| {
                    drain(&context.env);
                    Ok(())
                })?;
            let waker = wake.raw();
            let _ = queue.wake.set(wake);
            let event_loop = Rc::new(Self { queue, waker, open: Cell::new(0) });
            *current = Some(event_loop.clone());
            Ok(event_loop)
        })
    }

    fn opened(&self, env: &Env) {
        let open = self.open.get();
        self.open.set(open + 1);
        if open == 0 {
            // SAFETY: the JavaScript thread of the environment; the function lives as long as the queue.
            unsafe { sys::napi_ref_threadsafe_function(env.raw(), self.waker) };
        }
    }

    fn settled(&self, env: &Env, count: usize) {
        let open = self.open.get().saturating_sub(count);
        self.open.set(open);
        if open == 0 && count > 0 {
            // SAFETY: as in `opened`.
            unsafe { sys::napi_unref_threadsafe_function(env.raw(), self.waker) };
        }
    }
}

/// Settles everything that is waiting, on the JavaScript thread.
fn drain(env: &Env) {
    let Some(event_loop) = LOOP.with_borrow(Clone::clone) else { return };
    let settled = std::mem::take(&mut *event_loop.queue.settled.lock());
    let count = settled.len();
    for settle in settled {
        settle(*env);
    }
    event_loop.settled(env, count);
}
