//! Counts by name that all threads of a shared store have in common. Those of a thread that ends are taken back.

use crate::failure::{NativeFailure, outcome};
use crate::sharing::{Counts, shared};
use napi::Either;
use napi_derive::napi;
use std::collections::HashMap;

/// One thread's end: it takes back what it has counted itself.
#[napi]
pub struct NativeTally {
    all: Counts,
    own: HashMap<String, u32>,
}

/// Counts of the threads that share the store with this handle.
#[napi(catch_unwind)]
pub fn tally_of(handle: u32) -> Either<NativeFailure, NativeTally> {
    outcome(shared(handle).map(|shared| NativeTally { all: shared.counts.clone(), own: HashMap::new() }))
}

#[napi]
impl NativeTally {
    /// Counts one more, unless there are `most`: then it answers false.
    #[napi(catch_unwind)]
    pub fn enter(&mut self, name: String, most: u32) -> bool {
        let mut all = self.all.lock();
        if all.get(&name).is_some_and(|&count| count >= most) || most == 0 {
            return false;
        }
        *all.entry(name.clone()).or_default() += 1;
        *self.own.entry(name).or_default() += 1;
        true
    }

    /// Takes one back; one that this thread has not counted is left alone.
    #[napi(catch_unwind)]
    pub fn leave(&mut self, name: String) {
        if take(&mut self.own, &name, 1) == 1 {
            take(&mut self.all.lock(), &name, 1);
        }
    }

    /// What all threads have counted.
    #[napi(catch_unwind)]
    pub fn count(&self, name: String) -> u32 {
        self.all.lock().get(&name).copied().unwrap_or_default()
    }
}

impl Drop for NativeTally {
    fn drop(&mut self) {
        let mut all = self.all.lock();
        for (name, count) in self.own.drain() {
            take(&mut all, &name, count);
        }
    }
}

/// Returns how many were there to be taken.
fn take(counts: &mut HashMap<String, u32>, name: &str, wanted: u32) -> u32 {
    let Some(count) = counts.get_mut(name) else { return 0 };
    let taken = wanted.min(*count);
    *count -= taken;
    if *count == 0 {
        counts.remove(name);
    }
    taken
}
