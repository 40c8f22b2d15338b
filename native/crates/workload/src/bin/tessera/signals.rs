//! Ctrl-C and a request to end: the run stops, tells what it measured, and its temporary directory goes.

use std::mem::MaybeUninit;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tessera_base::{Error, Result};
use tessera_workload::stop::Stop;

/// What a shell sees of a command that SIGINT ended.
pub const STATUS: u8 = 130;

/// Whether a signal came.
pub type Interrupted = Arc<AtomicBool>;

/// Asks `stop` at the first SIGINT or SIGTERM, and ends the process at the second. To be called before any thread is started:
/// those that are inherit that the signals are blocked.
///
/// # Errors
/// `storage_failed` when the system refuses a thread.
pub fn heed(stop: Arc<Stop>) -> Result<Interrupted> {
    let interrupted = Interrupted::default();
    let mut signals = MaybeUninit::<libc::sigset_t>::uninit();
    // SAFETY: `sigemptyset` initializes the set, which the other calls only change or read while it lives.
    let signals = unsafe {
        libc::sigemptyset(signals.as_mut_ptr());
        libc::sigaddset(signals.as_mut_ptr(), libc::SIGINT);
        libc::sigaddset(signals.as_mut_ptr(), libc::SIGTERM);
        libc::pthread_sigmask(libc::SIG_BLOCK, signals.as_ptr(), std::ptr::null_mut());
        signals.assume_init()
    };
    let came = interrupted.clone();
    let wait = move || {
        let mut signal = 0;
        // SAFETY: both pointers are to values of this closure that outlive the call.
        while unsafe { libc::sigwait(&raw const signals, &raw mut signal) } == 0 {
            if came.swap(true, Ordering::AcqRel) {
                std::process::exit(STATUS.into());
            }
            stop.ask();
        }
    };
    let spawned = std::thread::Builder::new().name("signals".into()).spawn(wait);
    spawned.map_err(|error| Error::io("start a thread for signals", &error))?;
    Ok(interrupted)
}
