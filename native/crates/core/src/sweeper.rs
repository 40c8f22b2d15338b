//! One thread that takes records away, expired ones and what has to go for room, at a bounded cost a second, tidies indexes
//! once writes have paused, and gives back memory that nobody has taken again.

use crate::arena;
use crate::error::{Error, ErrorCode, Result};
use crate::namespace::Namespace;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

const PERIOD: Duration = Duration::from_secs(1);
/// Slots looked at in one namespace a second: a few milliseconds of one core.
const BUDGET: u64 = 500_000;

pub(crate) struct Sweeper {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Sweeper {
    /// `namespaces` is asked once a second; `None` means that there is nothing to do yet, or any more.
    ///
    /// # Errors
    /// `internal` when the system refuses a thread.
    pub(crate) fn start(namespaces: impl Fn() -> Option<Vec<Arc<Namespace>>> + Send + 'static) -> Result<Self> {
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let signal = stop.clone();
        let run = move || {
            let (stopped, changed) = &*signal;
            loop {
                {
                    let mut stopped = stopped.lock();
                    if !*stopped {
                        changed.wait_for(&mut stopped, PERIOD);
                    }
                    if *stopped {
                        return;
                    }
                }
                for namespace in namespaces().unwrap_or_default() {
                    // A storage that refuses now is asked again in a second; writers meet its error meanwhile.
                    let _ = namespace.sweep(BUDGET);
                    let _ = namespace.evict(BUDGET);
                    namespace.settle_indexes();
                    namespace.build_missing();
                }
                arena::age();
            }
        };
        let thread = std::thread::Builder::new()
            .name("tessera-sweeper".to_owned())
            .spawn(run)
            .map_err(|error| Error::new(ErrorCode::Internal, format!("starting the sweeper: {error}")))?;
        Ok(Self { stop, thread: Mutex::new(Some(thread)) })
    }

    /// Ends the thread and waits for it. Idempotent.
    pub(crate) fn close(&self) {
        *self.stop.0.lock() = true;
        self.stop.1.notify_all();
        if let Some(thread) = self.thread.lock().take()
            && thread.thread().id() != std::thread::current().id()
        {
            // A panic has been reported by the panic hook; closing goes on.
            let _ = thread.join();
        }
    }
}

impl Drop for Sweeper {
    fn drop(&mut self) {
        self.close();
    }
}
