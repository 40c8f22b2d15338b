//! How many arenas the allocator makes. A program of its own: the allocator keeps the number that it began with.
#![cfg(all(target_os = "linux", target_env = "gnu"))]

use std::ffi::CStr;
use std::ptr::null_mut;
use std::sync::Barrier;
use std::thread::scope;
use tessera_base::heap::bound_arenas;
use tessera_base::processors;

#[test]
fn many_threads_share_as_many_arenas_as_can_run_at_once() {
    bound_arenas();
    let threads = 8 * processors() as usize + 8;
    let all_have = Barrier::new(threads);
    scope(|scope| {
        for _ in 0..threads {
            scope.spawn(|| {
                // Larger than what each thread keeps for itself.
                let held = vec![1_u8; 50_000];
                all_have.wait();
                drop(held);
            });
        }
    });
    let (made, most) = (arenas(), processors().max(2) as usize);
    assert!((1..=most).contains(&made), "{made} arenas for at most {most} threads at once");
}

/// As the allocator itself says: each arena is a `heap` of its report.
fn arenas() -> usize {
    let (mut text, mut bytes) = (null_mut(), 0);
    // SAFETY: the stream writes to the two places, which live until it is closed. Its text ends with a zero, and is freed after its
    // last use.
    let report = unsafe {
        let stream = libc::open_memstream(&raw mut text, &raw mut bytes);
        assert!(!stream.is_null());
        assert_eq!(libc::malloc_info(0, stream), 0);
        assert_eq!(libc::fclose(stream), 0);
        let report = CStr::from_ptr(text).to_string_lossy().into_owned();
        libc::free(text.cast());
        report
    };
    report.matches("<heap nr=").count()
}
