//! Every order in which tasks come, threads serve them and threads end. What is lost is waited for forever, which loom reports.

#![cfg(loom)]

use super::*;
use crate::sync::check;
use std::sync::atomic::Ordering::Relaxed;

/// Counts the tasks that have run.
#[derive(Clone, Default)]
struct Ran(Arc<(Mutex<usize>, Condvar)>);

impl Ran {
    fn task(&self) -> impl FnOnce() + Send + 'static {
        let ran = self.clone();
        move || {
            *ran.0.0.lock() += 1;
            ran.0.1.notify_all();
        }
    }

    fn wait_for(&self, tasks: usize) {
        let mut ran = self.0.0.lock();
        while *ran < tasks {
            self.0.1.wait(&mut ran);
        }
    }
}

/// Ends idle threads, now and from now on.
fn let_idle_threads_end(pool: &Pool) {
    pool.work.expire(&pool.state);
}

#[test]
fn tasks_of_two_callers_all_run_on_one_thread() {
    check(|| {
        let (pool, ran) = (Pool::with_threads(1), Ran::default());
        let other = {
            let (pool, task) = (pool.clone(), ran.task());
            thread::spawn(move || pool.spawn(task))
        };
        pool.spawn(ran.task());
        ran.wait_for(2);
        other.join().unwrap();
        let_idle_threads_end(&pool);
    });
}

#[test]
fn a_task_that_comes_while_threads_end_runs() {
    check(|| {
        let (pool, ran) = (Pool::with_threads(1), Ran::default());
        pool.spawn(ran.task());
        let time = {
            let pool = pool.clone();
            thread::spawn(move || let_idle_threads_end(&pool))
        };
        pool.spawn(ran.task());
        ran.wait_for(2);
        time.join().unwrap();
    });
}

#[test]
fn a_task_runs_or_comes_back_when_the_last_thread_ends_and_no_other_is_had() {
    check(|| {
        let (pool, ran) = (Pool::with_threads(1), Ran::default());
        pool.spawn(ran.task());
        pool.refused.store(true, Relaxed);
        let time = {
            let pool = pool.clone();
            thread::spawn(move || let_idle_threads_end(&pool))
        };
        let taken = pool.try_spawn(ran.task());
        ran.wait_for(1 + usize::from(taken));
        time.join().unwrap();
    });
}

#[test]
fn a_run_returns_when_none_of_its_calls_is_left() {
    check(|| {
        let (pool, inside) = (Pool::with_threads(2), Arc::new(Mutex::new(0)));
        let time = {
            let pool = pool.clone();
            thread::spawn(move || let_idle_threads_end(&pool))
        };
        for _ in 0..2 {
            pool.run(2, |_| {
                *inside.lock() += 1;
                *inside.lock() -= 1;
            });
            assert_eq!(*inside.lock(), 0);
        }
        time.join().unwrap();
    });
}
