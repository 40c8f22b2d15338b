//! The same work on several threads at once.

use crate::Failure;

/// What `work`, given the numbers from 0 on, answers on `threads` threads, in their order.
///
/// # Errors
/// The first failure; a panic is one.
pub fn on_threads<T: Send>(threads: u64, work: impl Fn(u64) -> Result<T, Failure> + Sync) -> Result<Vec<T>, Failure> {
    let outcomes: Vec<Result<T, String>> = std::thread::scope(|scope| {
        let work = &work;
        let workers: Vec<_> = (0..threads).map(|number| scope.spawn(move || work(number).map_err(|error| error.to_string()))).collect();
        workers.into_iter().map(|worker| worker.join().unwrap_or_else(|_| Err("a worker panicked".into()))).collect()
    });
    Ok(outcomes.into_iter().collect::<Result<_, _>>()?)
}
