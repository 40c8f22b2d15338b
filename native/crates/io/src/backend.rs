//! Which way windows keep transfers in flight: chosen once, by trying.

use io_uring::{IoUring, Probe, opcode};
use std::io::{Error, ErrorKind, Result};
use tessera_base::sentence;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Backend {
    IoUring,
    /// Positional reads and writes on a pool of threads.
    Threads,
}

/// What the person who starts the process asks for.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum BackendWish {
    /// io_uring where it works, else threads.
    #[default]
    Auto,
    IoUring,
    Threads,
}

/// The backend of this process, and why it is that one.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct BackendChoice {
    pub backend: Backend,
    pub reason: String,
}

impl Backend {
    pub fn as_str(self) -> &'static str {
        match self {
            Self::IoUring => "io_uring",
            Self::Threads => "threads",
        }
    }
}

impl BackendChoice {
    /// Tries a small ring, unless threads are asked for.
    ///
    /// # Errors
    /// `Unsupported`, with the cause, where io_uring is asked for and does not work.
    pub fn make(wish: BackendWish) -> Result<Self> {
        let tried = if wish == BackendWish::Threads { Ok(()) } else { try_ring() };
        Self::of(wish, tried)
    }

    fn of(wish: BackendWish, tried: std::result::Result<(), String>) -> Result<Self> {
        let (backend, reason) = match (wish, tried) {
            (BackendWish::Threads, _) => (Backend::Threads, sentence!("as configured").to_string()),
            (BackendWish::IoUring, Ok(())) => (Backend::IoUring, sentence!("as configured").to_string()),
            (BackendWish::Auto, Ok(())) => (Backend::IoUring, sentence!("the kernel allows it").to_string()),
            (BackendWish::Auto, Err(cause)) => (Backend::Threads, format!("io_uring does not work here: {cause}")),
            (BackendWish::IoUring, Err(cause)) => {
                return Err(Error::new(ErrorKind::Unsupported, format!("io_uring does not work here: {cause}")));
            }
        };
        Ok(Self { backend, reason })
    }
}

/// Sets up a ring and sends an entry through it: a filter may allow the one and forbid the other.
fn try_ring() -> std::result::Result<(), String> {
    let mut ring = IoUring::new(2).map_err(|error| cause(&error))?;
    let mut probe = Probe::new();
    let known = ring.submitter().register_probe(&mut probe);
    if known.is_err() || !probe.is_supported(opcode::Read::CODE) || !probe.is_supported(opcode::Write::CODE) {
        return Err("the kernel's version of it is too old (before Linux 5.6)".to_owned());
    }
    // SAFETY: an entry that does nothing refers to no memory.
    unsafe { ring.submission().push(&opcode::Nop::new().build()) }.map_err(|error| error.to_string())?;
    while ring.completion().is_empty() {
        match ring.submit_and_wait(1) {
            Err(error) if error.kind() != ErrorKind::Interrupted => return Err(cause(&error)),
            _ => {}
        }
    }
    Ok(())
}

fn cause(error: &Error) -> String {
    match error.raw_os_error() {
        Some(libc::ENOSYS) => "the kernel has none".to_owned(),
        Some(libc::EPERM | libc::EACCES) => "the system forbids it (container, seccomp or sysctl kernel.io_uring_disabled)".to_owned(),
        Some(libc::ENOMEM) => "it may lock too little memory (ulimit -l)".to_owned(),
        _ => error.to_string(),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn what_is_asked_for_wins_and_the_reason_says_why() {
        let refused = |code| Err(cause(&Error::from_raw_os_error(code)));
        for (wish, tried, backend, reason) in [
            (BackendWish::Auto, Ok(()), Backend::IoUring, "the kernel allows it"),
            (BackendWish::Auto, refused(libc::EPERM), Backend::Threads, "the system forbids it"),
            (BackendWish::Auto, refused(libc::ENOSYS), Backend::Threads, "the kernel has none"),
            (BackendWish::Auto, refused(libc::ENOMEM), Backend::Threads, "ulimit -l"),
            (BackendWish::Auto, refused(libc::EMFILE), Backend::Threads, "Too many open files"),
            (BackendWish::Threads, Ok(()), Backend::Threads, "as configured"),
            (BackendWish::IoUring, Ok(()), Backend::IoUring, "as configured"),
        ] {
            let choice = BackendChoice::of(wish, tried).unwrap();
            assert!(choice.backend == backend && choice.reason.contains(reason), "{choice:?}");
        }
        let error = BackendChoice::of(BackendWish::IoUring, refused(libc::EPERM)).unwrap_err();
        assert!(error.kind() == ErrorKind::Unsupported && error.to_string().contains("forbids"), "{error}");
    }

    #[test]
    fn trying_agrees_with_what_a_ring_says() {
        let choice = BackendChoice::make(BackendWish::Auto).unwrap();
        assert_eq!(choice.backend == Backend::IoUring, IoUring::new(2).is_ok());
        assert_eq!(BackendChoice::make(BackendWish::IoUring).is_ok(), IoUring::new(2).is_ok());
        assert_eq!(BackendChoice::make(BackendWish::Threads).unwrap().backend, Backend::Threads);
    }
}
