//! One store for several JavaScript threads of a process: the one that opened it shares it, and others attach to it.

use crate::failure::{NativeFailure, outcome};
use crate::listeners::Listeners;
use crate::store::{NativeStore, Parts};
use crate::tallies::Counts;
use napi::Either;
use napi_derive::napi;
use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, thread_guard};

/// What threads of one store have in common.
#[derive(Clone)]
pub struct Shared {
    pub parts: Parts,
    pub counts: Arc<Counts>,
    pub listeners: Arc<Listeners>,
}

/// By handle: the newest one, and the stores that are shared and open.
static STORES: Mutex<(u32, Option<HashMap<u32, Shared>>)> = Mutex::new((0, None));

pub fn shared(handle: u32) -> tessera_base::Result<Shared> {
    let stores = STORES.lock();
    let found = stores.1.as_ref().and_then(|open| open.get(&handle)).cloned();
    found.ok_or_else(|| Error::new(ErrorCode::Closed, "the store is not shared, or closed"))
}

/// Nobody can attach to it any more.
pub fn forget(handle: u32) {
    let removed = STORES.lock().1.as_mut().and_then(|open| open.remove(&handle));
    drop(removed);
}

#[napi]
impl NativeStore {
    /// A number by which other threads of this process attach to this store, until it is closed.
    #[napi(catch_unwind)]
    pub fn share(&self) -> u32 {
        let mut own = self.handle.lock();
        if let Some(handle) = *own {
            return handle;
        }
        let mut stores = STORES.lock();
        stores.0 += 1;
        let handle = stores.0;
        let shared = Shared { parts: self.parts(), counts: Arc::default(), listeners: Arc::default() };
        stores.1.get_or_insert_default().insert(handle, shared);
        *own = Some(handle);
        handle
    }
}

/// The store that another thread has shared. Only the thread that opened it closes it.
#[napi(catch_unwind)]
pub fn attach_store(handle: u32) -> Either<NativeFailure, NativeStore> {
    thread_guard::mark();
    outcome(shared(handle).map(|shared| NativeStore::of(shared.parts)))
}
