//! What an allocation costs beside its bytes, how many arenas there are, and giving freed memory back.

use std::sync::atomic::{AtomicBool, Ordering::Relaxed};

/// Whether much was freed that nobody may take again.
static DUE: AtomicBool = AtomicBool::new(false);

/// Bytes that the allocator takes for `bytes`: a header of one word, rounded up to 16, at least 32 (glibc and most others).
#[inline]
pub const fn block(bytes: usize) -> usize {
    if bytes == 0 {
        return 0;
    }
    let whole = (bytes + size_of::<usize>()).next_multiple_of(16);
    if whole < 32 { 32 } else { whole }
}

/// Lets glibc make as many arenas as threads can run at once, at least two. By itself it makes eight times as many. Each keeps
/// what its threads freed, and no other arena gets it. To be called before there are many threads. Who has set a number in the
/// environment keeps it.
pub fn bound_arenas() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    if !ARENA_SETTINGS.iter().any(|(name, part)| std::env::var(name).is_ok_and(|value| value.contains(part))) {
        let most = crate::processors::processors().clamp(2, 1024) as libc::c_int;
        // SAFETY: takes two numbers, and may be called from any thread at any time.
        unsafe {
            libc::mallopt(libc::M_ARENA_MAX, most);
        }
    }
}

/// Variables of the environment that say how many arenas there are, and what their value has then.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
const ARENA_SETTINGS: [(&str, &str); 2] = [("MALLOC_ARENA_MAX", ""), ("GLIBC_TUNABLES", "arena_max")];

/// Has freed memory given back within a second or two: what is being freed together goes back together.
pub fn give_back_soon() {
    DUE.store(true, Relaxed);
}

/// To be called once a second.
pub fn give_back_if_due() {
    if DUE.swap(false, Relaxed) {
        give_back();
    }
}

/// Gives freed memory back to the system. glibc keeps what lies between live blocks, in an arena for each thread: without
/// this a process that drops a namespace and loads another one ends up holding both.
pub fn give_back() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: takes no pointer, and may be called from any thread at any time.
    unsafe {
        libc::malloc_trim(0);
    }
}
