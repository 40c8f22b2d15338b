//! A thread that does the same again and again, until it is closed.

use crate::error::{Error, ErrorCode, Result};
use crate::pool::caught;
use parking_lot::{Condvar, Mutex};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Duration;

#[derive(Debug)]
pub struct Ticker {
    stop: Arc<(Mutex<bool>, Condvar)>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Ticker {
    /// Calls `tick` each time that `period` has passed since it returned. A panic in it is reported by the panic hook, and
    /// the next call comes all the same.
    ///
    /// # Errors
    /// `internal` when the system refuses a thread.
    pub fn start(name: &str, period: Duration, mut tick: impl FnMut() + Send + 'static) -> Result<Self> {
        let stop = Arc::new((Mutex::new(false), Condvar::new()));
        let signal = stop.clone();
        let run = move || {
            let (stopped, changed) = &*signal;
            loop {
                {
                    let mut stopped = stopped.lock();
                    if !*stopped {
                        changed.wait_for(&mut stopped, period);
                    }
                    if *stopped {
                        return;
                    }
                }
                let _ = caught(|| {
                    tick();
                    Ok(())
                });
            }
        };
        let thread = std::thread::Builder::new().name(format!("tessera-{name}")).spawn(run);
        let thread = thread.map_err(|error| Error::new(ErrorCode::Internal, format!("starting the thread {name}: {error}")))?;
        Ok(Self { stop, thread: Mutex::new(Some(thread)) })
    }

    /// Ends the thread and waits for it. Idempotent.
    pub fn close(&self) {
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

impl Drop for Ticker {
    fn drop(&mut self) {
        self.close();
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc::channel;

    #[test]
    fn a_panic_does_not_end_it() {
        let (told, tells) = channel();
        let mut ticks = 0;
        let ticker = Ticker::start("test", Duration::ZERO, move || {
            ticks += 1;
            let _ = told.send(ticks);
            assert!(ticks != 1, "the first one fails");
        });
        assert!(tells.iter().take(2).eq([1, 2]));
        ticker.unwrap().close();
        assert!(tells.iter().last().is_none_or(|last| last > 2), "nothing comes any more");
    }
}
