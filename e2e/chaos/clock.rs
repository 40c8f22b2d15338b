//! A library to preload into a program, so that its wall clock jumps while the machine's stays: the file that
//! `CHAOS_CLOCK` names holds the seconds to add, as eight bytes. Clocks that only count are left as they are.
use core::ffi::{c_char, c_int, c_long, c_void};
use core::ptr::null_mut;
use core::sync::atomic::{AtomicI64, AtomicPtr, Ordering::Relaxed};

extern "C" {
    fn getenv(name: *const c_char) -> *const c_char;
    fn mmap(at: *mut c_void, length: usize, protection: c_int, flags: c_int, file: c_int, offset: i64) -> *mut c_void;
    fn open(path: *const c_char, flags: c_int, ...) -> c_int;
    fn syscall(number: c_long, ...) -> c_long;
}

#[cfg(target_arch = "x86_64")]
const CLOCK_GETTIME: c_long = 228;
#[cfg(target_arch = "aarch64")]
const CLOCK_GETTIME: c_long = 113;

#[repr(C)]
pub struct Moment {
    seconds: i64,
    nanos: i64,
}

#[repr(C)]
pub struct Value {
    seconds: i64,
    micros: i64,
}

/// Where the seconds are, once somebody has asked; the file stays mapped.
static OFFSET: AtomicPtr<AtomicI64> = AtomicPtr::new(null_mut());

unsafe fn offset() -> i64 {
    let mut at = OFFSET.load(Relaxed);
    if at.is_null() {
        let path = getenv(c"CHAOS_CLOCK".as_ptr());
        let file = if path.is_null() { -1 } else { open(path, 0) };
        let mapped = mmap(null_mut(), 8, 1, 1, file, 0);
        if mapped as isize == -1 {
            return 0;
        }
        at = mapped.cast();
        OFFSET.store(at, Relaxed);
    }
    (*at).load(Relaxed)
}

/// # Safety
/// As `clock_gettime` of the C library.
#[no_mangle]
pub unsafe extern "C" fn clock_gettime(clock: c_int, moment: *mut Moment) -> c_int {
    let done = syscall(CLOCK_GETTIME, clock as c_long, moment) as c_int;
    // The wall clock, and its coarse reading.
    if done == 0 && (clock == 0 || clock == 5) {
        (*moment).seconds += offset();
    }
    done
}

/// # Safety
/// As `gettimeofday` of the C library.
#[no_mangle]
pub unsafe extern "C" fn gettimeofday(value: *mut Value, _zone: *mut c_void) -> c_int {
    let mut moment = Moment { seconds: 0, nanos: 0 };
    let done = clock_gettime(0, &mut moment);
    if done == 0 && !value.is_null() {
        (*value).seconds = moment.seconds;
        (*value).micros = moment.nanos / 1000;
    }
    done
}

/// # Safety
/// As `time` of the C library.
#[no_mangle]
pub unsafe extern "C" fn time(seconds: *mut i64) -> i64 {
    let mut moment = Moment { seconds: 0, nanos: 0 };
    clock_gettime(0, &mut moment);
    if !seconds.is_null() {
        *seconds = moment.seconds;
    }
    moment.seconds
}
