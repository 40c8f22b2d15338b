//! One thread that runs short callbacks at their time: waits that expire, files that are due to be written.

use parking_lot::{Condvar, Mutex};
use std::cmp::Ordering;
use std::collections::BinaryHeap;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::Arc;
use std::thread::JoinHandle;
use std::time::Instant;

type Task = Box<dyn FnOnce() + Send>;

struct Entry {
    at: Instant,
    order: u64,
    task: Task,
}

impl PartialEq for Entry {
    fn eq(&self, other: &Self) -> bool {
        self.cmp(other) == Ordering::Equal
    }
}
impl Eq for Entry {}
impl PartialOrd for Entry {
    fn partial_cmp(&self, other: &Self) -> Option<Ordering> {
        Some(self.cmp(other))
    }
}
impl Ord for Entry {
    /// Reversed, so that the heap's greatest entry is the one that is due first.
    fn cmp(&self, other: &Self) -> Ordering {
        (other.at, other.order).cmp(&(self.at, self.order))
    }
}

#[derive(Default)]
struct Queue {
    entries: BinaryHeap<Entry>,
    order: u64,
    closed: bool,
}

#[derive(Default)]
struct Shared {
    queue: Mutex<Queue>,
    changed: Condvar,
}

/// Owner of the thread; dropping it runs nothing more and ends the thread.
pub struct Timer {
    shared: Arc<Shared>,
    thread: Mutex<Option<JoinHandle<()>>>,
}

impl Timer {
    /// # Errors
    /// The operating system refuses a thread.
    pub fn start() -> std::io::Result<Self> {
        let shared = Arc::new(Shared::default());
        let worker = Arc::clone(&shared);
        let thread = std::thread::Builder::new().name("tessera-timer".to_owned()).spawn(move || worker.run())?;
        Ok(Self { shared, thread: Mutex::new(Some(thread)) })
    }

    /// Runs `task` on the timer's thread at `at` or soon after. Tasks must be short. After `close` the task is dropped.
    pub fn at(&self, at: Instant, task: impl FnOnce() + Send + 'static) {
        let mut queue = self.shared.queue.lock();
        if queue.closed {
            return;
        }
        queue.order += 1;
        let order = queue.order;
        queue.entries.push(Entry { at, order, task: Box::new(task) });
        drop(queue);
        self.shared.changed.notify_one();
    }

    /// Drops what is pending and ends the thread.
    pub fn close(&self) {
        let pending = {
            let mut queue = self.shared.queue.lock();
            queue.closed = true;
            std::mem::take(&mut queue.entries)
        };
        self.shared.changed.notify_one();
        drop(pending);
        let thread = self.thread.lock().take();
        if let Some(thread) = thread
            && thread.thread().id() != std::thread::current().id()
        {
            // A panicking task was already caught, so the thread ends normally.
            let _ = thread.join();
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.close();
    }
}

impl Shared {
    fn run(&self) {
        let mut queue = self.queue.lock();
        while !queue.closed {
            let Some(at) = queue.entries.peek().map(|entry| entry.at) else {
                self.changed.wait(&mut queue);
                continue;
            };
            if at > Instant::now() {
                self.changed.wait_until(&mut queue, at);
                continue;
            }
            if let Some(entry) = queue.entries.pop() {
                drop(queue);
                // One bad callback must not end every other wait.
                let _ = catch_unwind(AssertUnwindSafe(entry.task));
                queue = self.queue.lock();
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;
    use std::time::Duration;

    #[test]
    fn runs_in_order_of_time_and_survives_a_panic() {
        let timer = Timer::start().unwrap();
        let (send, receive) = mpsc::channel();
        let start = Instant::now();
        let later = send.clone();
        timer.at(start + Duration::from_millis(20), move || later.send(2).unwrap());
        timer.at(start, || panic!("a callback that fails"));
        timer.at(start + Duration::from_millis(5), move || send.send(1).unwrap());
        assert_eq!(receive.iter().collect::<Vec<_>>(), [1, 2]);
    }

    #[test]
    fn close_drops_what_is_pending() {
        let timer = Timer::start().unwrap();
        let (send, receive) = mpsc::channel::<()>();
        timer.at(Instant::now() + Duration::from_secs(3600), move || drop(send));
        timer.close();
        assert!(receive.recv().is_err());
    }
}
