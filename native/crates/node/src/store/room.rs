//! Room for bodies that the gateway holds, out of what all requests may hold together.

use crate::failure::{NativeFailure, outcome};
use crate::store::NativeStore;
use napi::Either;
use napi_derive::napi;
use std::sync::Arc;
use tessera_core::budget::{Share, Wait};

/// What a request holds for its body, until it is given back, or nobody has this any more.
#[napi]
pub struct NativeRoom {
    share: Option<Arc<Share>>,
    wait: Option<Wait>,
}

/// What requests hold, of what they may hold together.
#[napi(object, object_from_js = false)]
pub struct RequestMemory {
    pub limit_bytes: f64,
    pub used_bytes: f64,
    /// Requests that wait for their turn.
    pub waiting: f64,
    /// Refused with `memory_busy` since the start.
    pub refused: f64,
}

/// What memory namespaces without a limit of their own hold, of what they may hold together.
#[napi(object, object_from_js = false)]
pub struct MemoryShare {
    pub limit_bytes: f64,
    pub used_bytes: f64,
}

#[napi]
impl NativeRoom {
    /// Asks for so many bytes more, once for each time that it answers true: it has them then. False: ask again in a while.
    #[napi(catch_unwind)]
    pub fn take(&mut self, bytes: f64) -> Either<NativeFailure, bool> {
        let Some(share) = &self.share else { return Either::B(false) };
        let look = self.wait.get_or_insert_with(|| share.ask(whole_bytes(bytes))).look();
        if look.is_some() {
            self.wait = None;
        }
        outcome(look.map_or(Ok(false), |had| had.map(|()| true)))
    }

    #[napi(catch_unwind)]
    pub fn give(&mut self) {
        self.wait = None;
        self.share = None;
    }
}

#[napi]
impl NativeStore {
    /// Of a request that has taken nothing yet.
    #[napi(catch_unwind)]
    pub fn room(&self) -> NativeRoom {
        NativeRoom { share: Some(self.engine.budget().body()), wait: None }
    }
}

/// Negative, NaN: 0. Sums of what is no number of bytes must not overflow.
fn whole_bytes(bytes: f64) -> u64 {
    bytes.min((1u64 << 53) as f64) as u64
}

impl RequestMemory {
    pub fn of(engine: &tessera_core::Engine) -> Self {
        let usage = engine.budget().usage();
        let [limit_bytes, used_bytes, waiting, refused] =
            [usage.total_bytes, usage.used_bytes, usage.waiting, usage.refused].map(|n| n as f64);
        Self { limit_bytes, used_bytes, waiting, refused }
    }
}

impl MemoryShare {
    pub fn of(engine: &tessera_core::Engine) -> Self {
        let share = engine.memory_share();
        Self { limit_bytes: share.limit() as f64, used_bytes: share.used() as f64 }
    }
}
