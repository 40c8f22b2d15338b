//! The threads that read and write by position where there is no io_uring.

use super::{AlignedBuffer, Disk, Piece};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::io::{Error, Result};
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::{AtomicUsize, Ordering::Relaxed};
use std::sync::{Arc, LazyLock};
use std::time::Instant;
use tessera_base::latency::split::{self, Part};
use tessera_base::pool::Pool;

/// Most threads that read at once in this process, and most that write.
const THREADS: usize = 64;

static READERS: LazyLock<Arc<Pool>> = LazyLock::new(|| Pool::with_threads(THREADS));
/// Writers do not wait behind readers.
static WRITERS: LazyLock<Arc<Pool>> = LazyLock::new(|| Pool::with_threads(THREADS));

/// Reads in flight on the threads.
#[derive(Default)]
pub struct Reads(Arc<Mailbox>);

#[derive(Default)]
struct Mailbox {
    arrivals: Mutex<VecDeque<Arrival>>,
    arrived: Condvar,
}

/// A read that has ended.
pub struct Arrival {
    pub slot: usize,
    pub buffer: AlignedBuffer,
    pub result: Result<()>,
}

impl Reads {
    /// Fills `buffer` from `offset` of `disk`.
    pub fn start(&self, slot: usize, disk: Arc<dyn Disk>, mut buffer: AlignedBuffer, offset: u64) {
        let mailbox = self.0.clone();
        READERS.spawn(move || {
            let read = catch_unwind(AssertUnwindSafe(|| disk.read_at(&mut buffer, offset)));
            let result = read.unwrap_or_else(|_| Err(Error::other("the reader panicked")));
            // The disk goes first: whoever has the arrival may rely on nobody using it any more.
            drop(disk);
            mailbox.arrivals.lock().push_back(Arrival { slot, buffer, result });
            mailbox.arrived.notify_one();
        });
    }

    /// Waits for a read to end, until `until` if that is given; one must be in flight.
    pub fn wait(&self, until: Option<Instant>) -> Option<Arrival> {
        let mut arrivals = self.0.arrivals.lock();
        loop {
            match (arrivals.pop_front(), until) {
                (Some(arrival), _) => return Some(arrival),
                (None, None) => self.0.arrived.wait(&mut arrivals),
                (None, Some(until)) => {
                    if self.0.arrived.wait_until(&mut arrivals, until).timed_out() {
                        return arrivals.pop_front();
                    }
                }
            }
        }
    }
}

/// Writes all of `pieces`, at most `depth` at once.
///
/// # Errors
/// The first that comes, after those under way have ended; pieces not begun by then stay unwritten.
pub fn write(pieces: &[Piece<'_>], depth: usize) -> Result<()> {
    let next = AtomicUsize::new(0);
    let failure: Mutex<Option<Error>> = Mutex::new(None);
    let work = |_: usize| {
        while failure.lock().is_none()
            && let Some(piece) = pieces.get(next.fetch_add(1, Relaxed))
        {
            if let Err(error) = piece.disk.write_at(piece.bytes, piece.offset) {
                failure.lock().get_or_insert(error);
            }
        }
    };
    match depth.min(pieces.len()) {
        0 | 1 => work(0),
        workers => {
            let _wait = split::wait(Part::Device);
            WRITERS.run(workers, work);
        }
    }
    failure.into_inner().map_or(Ok(()), Err)
}
