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
    use std::thread;

    #[test]
    #[cfg_attr(not(debug_assertions), ignore = "only debug builds have the guard")]
    fn a_marked_thread_may_not_wait_and_others_may() {
        let marked = thread::spawn(|| {
            mark();
            unmarked(|| may_wait("ends"));
            may_wait("sleeps");
        });
        let said = marked.join().unwrap_err();
        assert_eq!(said.downcast_ref::<String>().map(String::as_str), Some("the thread of the gateway sleeps"));
        assert_eq!(breaches(), ["sleeps"]);
        may_wait("sleeps");
    }
}
