//! A kernel that forbids io_uring, as many containers do: a filter on one thread.

use super::super::{Access, Backend, BackendChoice, BackendWish, ReadWindow, WriteWindow};
use super::{aligned, disks, file_of, on, pattern};
use std::io::ErrorKind;

/// Runs `work` on a thread for which `call` fails with EPERM.
fn without<T: Send + 'static>(call: libc::c_long, work: impl FnOnce() -> T + Send + 'static) -> T {
    let filtered = move || {
        let step = |code: u32, k: u32, jt: u8| libc::sock_filter { code: code as u16, jt, jf: 0, k };
        let mut steps = [
            // The number of the call is the first word that a filter sees.
            step(libc::BPF_LD | libc::BPF_W | libc::BPF_ABS, 0, 0),
            libc::sock_filter { jf: 1, ..step(libc::BPF_JMP | libc::BPF_JEQ | libc::BPF_K, call as u32, 0) },
            step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ERRNO | libc::EPERM as u32, 0),
            step(libc::BPF_RET | libc::BPF_K, libc::SECCOMP_RET_ALLOW, 0),
        ];
        let program = libc::sock_fprog { len: steps.len() as u16, filter: steps.as_mut_ptr() };
        // SAFETY: both calls change this thread only, and the program lives until they return.
        let set = unsafe {
            libc::prctl(libc::PR_SET_NO_NEW_PRIVS, 1, 0, 0, 0)
                | libc::prctl(libc::PR_SET_SECCOMP, libc::SECCOMP_MODE_FILTER, &raw const program)
        };
        assert_eq!(set, 0, "{}", std::io::Error::last_os_error());
        work()
    };
    std::thread::spawn(filtered).join().unwrap()
}

#[test]
fn threads_take_over_where_any_part_of_it_is_forbidden() {
    for call in [libc::SYS_io_uring_setup, libc::SYS_io_uring_enter, libc::SYS_io_uring_register] {
        without(call, || {
            let choice = BackendChoice::make(BackendWish::Auto).unwrap();
            assert_eq!(choice.backend, Backend::Threads);
            assert!(choice.reason.starts_with("io_uring does not work here: "), "{}", choice.reason);
            assert_eq!(BackendChoice::make(BackendWish::IoUring).unwrap_err().kind(), ErrorKind::Unsupported);
        });
    }
    let reason = without(libc::SYS_io_uring_setup, || BackendChoice::make(BackendWish::Auto).unwrap().reason);
    assert!(reason.contains("the system forbids it"), "{reason}");
}

#[test]
fn a_window_that_gets_no_ring_works_with_threads() {
    without(libc::SYS_io_uring_setup, || {
        let dir = tempfile::tempdir().unwrap();
        let file = file_of(&dir, "f", &pattern(8192, 1), Access::Direct);
        let mut writer = WriteWindow::open(Backend::IoUring, 2).unwrap();
        assert_eq!(writer.backend(), Backend::Threads);
        let bytes = aligned(&pattern(4096, 2));
        writer.write(&on(&*file, &[(0, &bytes), (4096, &bytes)])).unwrap();
        let mut reader = ReadWindow::open(Backend::IoUring, disks([file]), 2).unwrap();
        assert_eq!(reader.backend(), Backend::Threads);
        reader.start(1, 0, 4096, 4096).unwrap();
        assert_eq!(reader.next().unwrap().result.unwrap(), pattern(4096, 2));
    });
}
