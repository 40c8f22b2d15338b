//! One store for several JavaScript threads of a process: the one that opened it shares it, and others attach to it.

use crate::failure::{NativeFailure, outcome};
use crate::store::{NativeStore, Parts};
use napi::Either;
use napi_derive::napi;
use parking_lot::Mutex;
use socket2::Socket;
use std::collections::HashMap;
use std::sync::{Arc, Weak};
use tessera_base::{Error, ErrorCode, sentence, thread_guard};

/// Counts by name. A name that counts nothing is not in it.
pub type Counts = Arc<Mutex<HashMap<String, u32>>>;

/// What the threads of one store have in common.
pub struct Shared {
    parts: Parts,
    pub counts: Counts,
    /// They are open as long as the store, so that a connection that waits to be accepted outlives the thread it waits for.
    pub sockets: Mutex<Vec<Socket>>,
}

/// What is shared, by handle.
type Stores = HashMap<u32, Weak<Shared>>;

/// The newest handle, and all. A store that closes drops its own.
static STORES: Mutex<(u32, Option<Stores>)> = Mutex::new((0, None));

pub fn shared(handle: u32) -> tessera_base::Result<Arc<Shared>> {
    let found = STORES.lock().1.as_ref().and_then(|all| all.get(&handle)).and_then(Weak::upgrade);
    found.ok_or_else(|| Error::said(ErrorCode::Closed, sentence!("the store is not shared, or closed")))
}

#[napi]
impl NativeStore {
    /// A number by which other threads of this process attach to this store, until it is closed.
    #[napi(catch_unwind)]
    pub fn share(&self) -> u32 {
        let mut own = self.shared.lock();
        if let Some((handle, _)) = &*own {
            return *handle;
        }
        let shared = Arc::new(Shared { parts: self.parts(), counts: Counts::default(), sockets: Mutex::default() });
        let mut stores = STORES.lock();
        stores.0 += 1;
        let handle = stores.0;
        let all = stores.1.get_or_insert_default();
        all.retain(|_, other| other.strong_count() > 0);
        all.insert(handle, Arc::downgrade(&shared));
        *own = Some((handle, shared));
        handle
    }
}

/// The store that another thread has shared. Only the thread that opened it closes it.
#[napi(catch_unwind)]
pub fn attach_store(handle: u32) -> Either<NativeFailure, NativeStore> {
    thread_guard::mark();
    outcome(shared(handle).map(|shared| NativeStore::of(shared.parts.clone())))
}
