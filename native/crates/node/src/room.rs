//! Room for bodies that the gateway holds, out of what all requests may hold together.

use crate::store::NativeStore;
use napi_derive::napi;
use std::sync::Arc;
use tessera_core::budget::Share;

/// Bytes that a request may hold until they are given back, or nobody has this any more.
#[napi]
pub struct Room(Option<Arc<Share>>);

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
impl Room {
    /// Whether there was room for so many bytes more.
    #[napi(catch_unwind)]
    pub fn grow(&self, bytes: f64) -> bool {
        self.0.as_ref().is_some_and(|share| share.grow(whole_bytes(bytes)))
    }

    #[napi(catch_unwind)]
    pub fn give(&mut self) {
        self.0 = None;
    }
}

#[napi]
impl NativeStore {
    /// Room for so many bytes, if there is some now.
    #[napi(catch_unwind)]
    pub fn take_room(&self, bytes: f64) -> Option<Room> {
        self.engine.budget().take(whole_bytes(bytes)).map(|share| Room(Some(share)))
    }

    /// Counts a request that waited for room in vain.
    #[napi(catch_unwind)]
    pub fn note_refused(&self) {
        self.engine.budget().note_refused();
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
