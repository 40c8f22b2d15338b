//! Finds what makes a thread wait that must not: the one that all of a gateway's requests pass through.
//!
//! Such a thread is marked. In a build with debug assertions, what is about to read, write or sync a file, wait for a flush,
//! or walk all segments asks here first, and panics on a marked thread. In other builds all of this is nothing.

use parking_lot::Mutex;
use std::cell::Cell;

thread_local! {
    static MARKED: Cell<bool> = const { Cell::new(false) };
}

/// What marked threads were about to do, for tests: a panic may have been caught on its way.
static BREACHES: Mutex<Vec<&'static str>> = Mutex::new(Vec::new());

/// Marks the calling thread for good.
pub fn mark() {
    MARKED.set(cfg!(debug_assertions));
}

/// Lets the calling thread do `work` as one without a mark: at the end of a process nobody waits behind it.
pub fn unmarked<T>(work: impl FnOnce() -> T) -> T {
    let before = MARKED.replace(false);
    let done = work();
    MARKED.set(before);
    done
}

/// The calling thread is about to do `what`, which may take long.
///
/// # Panics
/// On a marked thread, in a build with debug assertions.
#[inline]
#[allow(clippy::panic, reason = "only in builds that look for such calls")]
pub fn may_wait(what: &'static str) {
    if cfg!(debug_assertions) && MARKED.get() && !std::thread::panicking() {
        BREACHES.lock().push(what);
        panic!("the thread of the gateway {what}");
    }
}

/// What marked threads of this process were about to do so far.
pub fn breaches() -> Vec<&'static str> {
    BREACHES.lock().clone()
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{DeviceConfig, Durability, Engine, EngineOptions, NamespaceConfig};
    use std::panic::{AssertUnwindSafe, catch_unwind};
    use std::thread;

    #[test]
    #[cfg_attr(not(debug_assertions), ignore = "only debug builds have the guard")]
    fn a_marked_thread_neither_syncs_nor_walks() {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let config = NamespaceConfig { durability: Durability::Commit, ..NamespaceConfig::device("n", DeviceConfig::default()) };
        let namespace = engine.create_namespace(config).unwrap();
        let caught = |work: &dyn Fn()| {
            let panic = catch_unwind(AssertUnwindSafe(work)).err()?;
            panic.downcast_ref::<String>().cloned()
        };
        let guarded = thread::scope(|scope| {
            let marked = scope.spawn(|| {
                mark();
                let walked = caught(&|| drop(namespace.sets()));
                let synced = caught(&|| namespace.sync().unwrap());
                let made = caught(&|| drop(engine.create_namespace(NamespaceConfig::memory("m"))));
                unmarked(|| namespace.memory());
                [walked, synced, made]
            });
            marked.join().unwrap()
        });
        assert!(guarded.iter().all(|said| said.as_ref().is_some_and(|said| said.starts_with("the thread of the gateway"))), "{guarded:?}");
        // Others may.
        namespace.memory();
        namespace.sync().unwrap();
        assert!(breaches().len() >= 3);
    }
}
