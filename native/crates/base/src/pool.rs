//! Worker threads that grow with the work and go away when there is none.
//!
//! Nobody starves the rest, however long a task waits: for a reader that does not read, for a disk, at a job's pace, or paused.
//!
//! - **Tasks** (`spawn`) are what has to be done: the first worker of each job, or a merge. Each gets a thread, up to
//!   `THREADS` of them, and the number of jobs that run at once is bounded far below that (`JobLimits::running`).
//! - **Helpers** (`try_help`) only make a job faster. They are bounded by class, beside the tasks: helpers of streams, which
//!   may wait for their readers, never take a thread from a build, and neither takes one from a task. A helper never queues:
//!   it gets a thread at once, or the job goes on without it and asks again later.
//!
//! Within a class a job may have as many helpers as are left for others (a dynamic threshold: Choudhury and Hahne, "Dynamic
//! Queue Length Thresholds for Shared-Memory Packet Switches", 1998). So one stream alone has all the helpers it can use,
//! unread ones take ever smaller parts, and something is left for the next.

mod shares;

pub use shares::Class;

use crate::error::{Error, ErrorCode, Result};
use crate::sync::{Condvar, Mutex, thread};
use shares::Helpers;
use std::collections::VecDeque;
use std::panic::{AssertUnwindSafe, catch_unwind, resume_unwind};
use std::sync::Arc;
use std::time::Duration;

/// Most tasks at once of a pool that is not told, and twice the helpers of a class.
pub const THREADS: usize = 512;
/// A thread without work for this long ends.
const IDLE: Duration = Duration::from_secs(10);

type Task = Box<dyn FnOnce() + Send>;

/// Runs tasks that may block: on I/O, on a slow reader, on a pace.
pub struct Pool {
    state: Mutex<State>,
    work: Condvar,
    most: usize,
    /// Whether threads are refused from now on.
    #[cfg(test)]
    refused: std::sync::atomic::AtomicBool,
}

#[derive(Default)]
struct State {
    tasks: VecDeque<Task>,
    threads: usize,
    idle: usize,
    helpers: Helpers,
}

impl Pool {
    pub fn new() -> Arc<Self> {
        Self::with_threads(THREADS)
    }

    /// A pool for at most `most` tasks at once, and half as many helpers of each class; more tasks wait.
    pub fn with_threads(most: usize) -> Arc<Self> {
        Arc::new(Self {
            state: Mutex::new(State::default()),
            work: Condvar::new(),
            most,
            #[cfg(test)]
            refused: Default::default(),
        })
    }

    /// Runs `task` on a thread of the pool. A panic in it ends the task, not the thread.
    pub fn spawn(self: &Arc<Self>, task: impl FnOnce() + Send + 'static) {
        if let Some(task) = self.take_on(Box::new(task)) {
            run(task);
        }
    }

    /// As `spawn`, for a caller that holds locks: the task never runs here. False when there is no thread for it.
    pub fn try_spawn(self: &Arc<Self>, task: impl FnOnce() + Send + 'static) -> bool {
        self.take_on(Box::new(task)).is_none()
    }

    /// Gives the task back when the system refuses a thread and there is none.
    fn take_on(self: &Arc<Self>, task: Task) -> Option<Task> {
        let mut state = self.state.lock();
        // Helpers have threads of their own beside the tasks'.
        let enough = state.tasks.len() < state.idle || state.threads >= self.most + state.helpers.all();
        // With the lock held: threads that are counted are there, and no task is left to one that the system refuses.
        if !enough && self.start_thread() {
            state.threads += 1;
        }
        if state.threads == 0 {
            return Some(task);
        }
        state.tasks.push_back(task);
        self.work.notify_one();
        None
    }

    /// Runs `task` on a thread of the pool as a helper of a job that has `workers` already; false if it gets none now.
    pub fn try_help(self: &Arc<Self>, class: Class, workers: usize, task: impl FnOnce() + Send + 'static) -> bool {
        let mut state = self.state.lock();
        if !state.helpers.may_have(class, workers, self.most / 2) {
            return false;
        }
        // It must not wait in the queue, where tasks would wait behind it.
        if state.tasks.len() >= state.idle {
            if !self.start_thread() {
                return false;
            }
            state.threads += 1;
        }
        state.helpers.join(class);
        let helping = Helping { pool: self.clone(), class };
        state.tasks.push_back(Box::new(move || {
            let _helping = helping;
            task();
        }));
        self.work.notify_one();
        true
    }

    /// Helpers of a class that are at work.
    #[cfg(any(test, feature = "test-support"))]
    pub fn helpers(&self, class: Class) -> usize {
        self.state.lock().helpers.of(class)
    }

    /// False where the system refuses one.
    fn start_thread(self: &Arc<Self>) -> bool {
        #[cfg(test)]
        if self.refused.load(std::sync::atomic::Ordering::Relaxed) {
            return false;
        }
        let pool = self.clone();
        thread::Builder::new().name("tessera-worker".to_owned()).spawn(move || pool.serve()).is_ok()
    }

    fn serve(&self) {
        let mut state = self.state.lock();
        loop {
            if let Some(task) = state.tasks.pop_front() {
                drop(state);
                run(task);
                state = self.state.lock();
                continue;
            }
            state.idle += 1;
            let timed_out = self.work.wait_for(&mut state, IDLE).timed_out();
            state.idle -= 1;
            if timed_out && state.tasks.is_empty() {
                state.threads -= 1;
                return;
            }
        }
    }

    /// Calls `work(0)` here and `work(1..workers)` on threads of the pool, as many as are free for helpers: fewer calls must do
    /// as well. Returns when all have returned.
    ///
    /// # Panics
    /// When a call panicked, after all have ended.
    pub fn run<F: Fn(usize) + Sync>(self: &Arc<Self>, workers: usize, work: F) {
        let together = Together { left: Mutex::new(0), done: Condvar::new(), panicked: Mutex::new(None) };
        {
            let _wait = Wait(&together);
            for worker in 1..workers {
                // Moved in: the loop's own `worker` is gone before the task runs.
                let (together, work) = (&together, &work);
                let borrowed: Box<dyn FnOnce() + Send + '_> = Box::new(move || together.call(|| work(worker)));
                // SAFETY: `_wait` keeps this frame alive, panic or not, until every task has counted itself off, which
                // is the last that a task does with what it borrows from here.
                let task = unsafe { std::mem::transmute::<Box<dyn FnOnce() + Send + '_>, Task>(borrowed) };
                *together.left.lock() += 1;
                if !self.try_help(Class::Job, worker, task) {
                    *together.left.lock() -= 1;
                    break;
                }
            }
            work(0);
        }
        if let Some(panic) = together.panicked.into_inner() {
            resume_unwind(panic);
        }
    }
}

/// A helper at work, until dropped.
struct Helping {
    pool: Arc<Pool>,
    class: Class,
}

impl Drop for Helping {
    fn drop(&mut self) {
        self.pool.state.lock().helpers.leave(self.class);
    }
}

/// Does `work`; a panic in it becomes an error.
///
/// # Errors
/// Those of `work`; `internal`.
pub fn caught<T>(work: impl FnOnce() -> Result<T>) -> Result<T> {
    let failed = |_| Err(Error::new(ErrorCode::Internal, "a worker of this job panicked"));
    catch_unwind(AssertUnwindSafe(work)).unwrap_or_else(failed)
}

fn run(task: Task) {
    // What the task leaves half-made is its owner's to notice: jobs fail, namespaces are poisoned.
    let _ = catch_unwind(AssertUnwindSafe(task));
}

/// Calls that are waited for together.
struct Together {
    left: Mutex<usize>,
    done: Condvar,
    panicked: Mutex<Option<Box<dyn std::any::Any + Send>>>,
}

impl Together {
    fn call(&self, work: impl FnOnce()) {
        if let Err(panic) = catch_unwind(AssertUnwindSafe(work)) {
            *self.panicked.lock() = Some(panic);
        }
        let mut left = self.left.lock();
        *left -= 1;
        // Under the lock, so that the waiter cannot be gone before the notification is over.
        self.done.notify_one();
    }
}

struct Wait<'a>(&'a Together);

impl Drop for Wait<'_> {
    fn drop(&mut self) {
        let mut left = self.0.left.lock();
        while *left > 0 {
            self.0.done.wait(&mut left);
        }
    }
}

#[cfg(test)]
mod models;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    #[test]
    fn tasks_that_wait_for_each_other_all_get_a_thread() {
        let pool = Pool::new();
        let barrier = Arc::new(std::sync::Barrier::new(40));
        let (done, ended) = mpsc::channel();
        for _ in 0..40 {
            let (barrier, done) = (barrier.clone(), done.clone());
            pool.spawn(move || {
                barrier.wait();
                done.send(()).unwrap();
            });
        }
        (0..40).for_each(|_| ended.recv().unwrap());
    }

    #[test]
    fn without_a_thread_each_caller_has_its_own_task_back() {
        let pool = Pool::new();
        pool.refused.store(true, Ordering::Relaxed);
        let ran = Arc::new(Mutex::new(Vec::new()));
        let task = |number: usize| {
            let ran = ran.clone();
            move || ran.lock().push((number, std::thread::current().id()))
        };
        std::thread::scope(|scope| {
            for number in 0..8 {
                let (pool, task) = (&pool, task(number));
                scope.spawn(move || if number % 2 == 0 { pool.spawn(task) } else { assert!(!pool.try_spawn(task)) });
            }
        });
        let mut numbers: Vec<usize> = ran.lock().iter().map(|(number, _)| *number).collect();
        numbers.sort_unstable();
        assert_eq!(numbers, [0, 2, 4, 6], "where they were called, and no others");

        // A thread that is there takes what a refused one would have.
        pool.refused.store(false, Ordering::Relaxed);
        let (go, gone) = mpsc::channel::<()>();
        let (done, ended) = mpsc::channel();
        pool.spawn(move || gone.recv().unwrap());
        pool.refused.store(true, Ordering::Relaxed);
        assert!(pool.try_spawn(move || done.send(std::thread::current().name().map(str::to_owned)).unwrap()));
        go.send(()).unwrap();
        assert_eq!(ended.recv().unwrap().as_deref(), Some("tessera-worker"));
    }

    #[test]
    fn a_run_ends_when_all_have_and_passes_a_panic_on() {
        let pool = Pool::new();
        for workers in [0, 1, 2, 9, 40] {
            let calls: Vec<AtomicUsize> = (0..workers.max(1)).map(|_| AtomicUsize::new(0)).collect();
            pool.run(workers, |worker| {
                calls[worker].fetch_add(1, Ordering::Relaxed);
            });
            assert!(calls.iter().all(|count| count.load(Ordering::Relaxed) == 1), "every worker's number once");
        }
        for broken in [0, 3] {
            let caught = catch_unwind(AssertUnwindSafe(|| pool.run(4, |worker| assert_ne!(worker, broken))));
            assert!(caught.is_err());
        }
    }
}
