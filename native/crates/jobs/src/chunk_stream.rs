//! A bounded stream of byte chunks from workers to one reader: a slow reader slows the workers, and memory stays flat.
//! `S` is what the work tells of itself at its end.

use crate::job::{LaneState, wait_as};
use std::collections::VecDeque;
use std::sync::{Arc, OnceLock};
use tessera_base::sync::{Condvar, Mutex, MutexGuard};
use tessera_base::{Error, ErrorCode, Result, Sentence, heap, sentence};

/// What workers gather before they hand a chunk over, bytes.
pub const CHUNK_BYTES: usize = 256 * 1024;
/// Bytes waiting for the reader at which workers wait too: one chunk for the reader, one on its way. A stream that nobody reads
/// holds no more than these, and what each of its workers has gathered.
const QUEUE_BYTES: usize = 2 * CHUNK_BYTES;

/// What the reader gets: a chunk, `None` at the end, or why the work failed.
pub type Next = Result<Option<Vec<u8>>>;
type Callback = Box<dyn FnOnce(Next) + Send>;

/// What every chunk waits for before it is given away.
pub trait Gate: Send + Sync {
    /// # Errors
    /// Why it cannot be given.
    fn pass(&self) -> Result<()>;
}

/// Values that are in no row of a table, because their bins have no column.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct LeftOut {
    /// How many; null, which is an empty cell as well, is not counted.
    pub values: u64,
    /// The first 16 of their bins that were met, of at most 1024 bytes together.
    pub bins: Vec<String>,
}

/// The reader's end. Dropping it aborts the work.
pub struct ChunkStream<S>(Arc<Shared<S>>);

/// The workers' end.
pub struct ChunkSink<S>(Arc<Shared<S>>);

impl<S> Clone for ChunkSink<S> {
    fn clone(&self) -> Self {
        Self(Arc::clone(&self.0))
    }
}

struct Shared<S> {
    state: Mutex<State<S>>,
    /// What every chunk waits for; until the end alone, as it keeps the storage.
    guard: Mutex<Option<Arc<dyn Gate>>>,
    /// There is room again, or nobody reads any more.
    room: Condvar,
    ready: Condvar,
    /// Asks the work to stop.
    cancel: Box<dyn Fn() + Send + Sync>,
    recode: Option<Box<dyn Recode>>,
    /// Lines that wait until there are enough of them to make the head of.
    held: Mutex<Vec<u8>>,
    /// Set once what the recoded stream begins with is in the queue.
    begun: OnceLock<()>,
}

/// Writes chunks of lines anew, on the threads that bring them.
pub trait Recode: Send + Sync {
    /// Whether the head is made of the first lines: about `CHUNK_BYTES` of them, or all, are gathered for it.
    fn head_of_lines(&self) -> bool;
    /// What the stream begins with. `first`: the lines that come first; empty where there are none.
    fn head(&self, first: &[u8]) -> Vec<u8>;
    fn lines(&self, chunk: Vec<u8>) -> Vec<u8>;
    /// What the lines so far had no place for.
    fn left_out(&self) -> Option<LeftOut>;
}

#[derive(Default)]
struct State<S> {
    chunks: VecDeque<Vec<u8>>,
    bytes: usize,
    waiter: Option<Callback>,
    ended: Option<Result<()>>,
    /// Nobody wants more chunks.
    cancelled: bool,
    /// The worker is the reader itself, which must not wait for itself.
    unbounded: bool,
    summary: S,
}

/// A stream and its sink; `cancel` is called when the reader loses interest.
pub fn chunk_stream<S: Default>(cancel: impl Fn() + Send + Sync + 'static) -> (ChunkSink<S>, ChunkStream<S>) {
    recoded_stream(None, cancel)
}

/// As `chunk_stream`; the reader gets what `recode` makes of the chunks.
pub fn recoded_stream<S: Default>(
    recode: Option<Box<dyn Recode>>,
    cancel: impl Fn() + Send + Sync + 'static,
) -> (ChunkSink<S>, ChunkStream<S>) {
    let shared = Arc::new(Shared {
        state: Mutex::default(),
        guard: Mutex::default(),
        room: Condvar::new(),
        ready: Condvar::new(),
        cancel: Box::new(cancel),
        recode,
        held: Mutex::default(),
        begun: OnceLock::new(),
    });
    (ChunkSink(shared.clone()), ChunkStream(shared))
}

impl<S> State<S> {
    fn push(&mut self, chunk: Vec<u8>) {
        if !chunk.is_empty() {
            self.bytes += chunk.len();
            self.chunks.push_back(chunk);
        }
    }

    /// The next thing for the reader, if there is one now.
    fn next(&mut self) -> Option<Next> {
        if let Some(chunk) = self.chunks.pop_front() {
            self.bytes -= chunk.len();
            return Some(Ok(Some(chunk)));
        }
        self.ended.clone().map(|outcome| outcome.map(|()| None))
    }
}

impl<S> ChunkStream<S> {
    /// Calls `callback` with the next chunk: at once when there is one, otherwise from the thread that brings it. Ask
    /// for one chunk at a time: a second call before the first is answered fails with `internal`.
    pub fn next_with(&self, callback: impl FnOnce(Next) + Send + 'static) {
        let mut state = self.0.state.lock();
        let next = match state.next() {
            Some(next) => next,
            None if state.waiter.is_some() => Err(Error::new(ErrorCode::Internal, "a stream answers one reader at a time")),
            None => {
                state.waiter = Some(Box::new(callback));
                return;
            }
        };
        drop(state);
        self.0.room.notify_all();
        callback(next);
    }

    /// Waits for the next chunk.
    ///
    /// # Errors
    /// Why the work failed; `aborted`.
    pub fn next_blocking(&self) -> Next {
        let mut state = self.0.state.lock();
        loop {
            if let Some(next) = state.next() {
                drop(state);
                self.0.room.notify_all();
                return next;
            }
            self.0.ready.wait(&mut state);
        }
    }

    /// Stops the work; what is waiting is dropped, and the stream ends with `aborted` unless it had ended before.
    pub fn abort(&self) {
        self.0.cancel(sentence!("the reader stopped"));
        (self.0.cancel)();
    }

    /// What the work has done; final once the stream has ended.
    pub fn summary(&self) -> S
    where
        S: Clone,
    {
        self.0.state.lock().summary.clone()
    }

    /// Bytes of memory that wait for the reader, and whether they are so many that the workers wait too.
    pub fn waiting(&self) -> (usize, bool) {
        let state = self.0.state.lock();
        (state.chunks.iter().map(Vec::capacity).sum(), state.bytes >= QUEUE_BYTES)
    }
}

impl<S> Drop for ChunkStream<S> {
    fn drop(&mut self) {
        let ended = self.0.state.lock().ended.is_some();
        if !ended {
            self.abort();
        }
    }
}

impl<S> Shared<S> {
    fn cancel(&self, why: Sentence) {
        let mut state = self.state.lock();
        state.cancelled = true;
        state.chunks.clear();
        state.bytes = 0;
        if state.ended.is_none() {
            state.ended = Some(Err(Error::said(ErrorCode::Aborted, why)));
        }
        self.deliver(state);
    }

    /// Answers who waits, with the lock let go.
    fn deliver(&self, mut state: MutexGuard<'_, State<S>>) {
        let answer = match state.waiter.is_some().then(|| state.next()).flatten() {
            Some(next) => state.waiter.take().map(|callback| (callback, next)),
            None => None,
        };
        drop(state);
        self.room.notify_all();
        self.ready.notify_all();
        if let Some((callback, next)) = answer {
            callback(next);
        }
    }
}

impl<S> ChunkSink<S> {
    /// Has every chunk wait until what the guard was told of is durable.
    pub fn guard(&self, guard: Option<Arc<impl Gate + 'static>>) {
        *self.0.guard.lock() = guard.map(|guard| guard as Arc<dyn Gate>);
    }

    /// Hands a chunk over; waits while the reader is behind. Empty chunks are dropped.
    ///
    /// # Errors
    /// `aborted` when nobody reads any more; `write_uncertain`.
    pub fn send(&self, chunk: Vec<u8>) -> Result<()> {
        if !chunk.is_empty() {
            let guard = self.0.guard.lock().clone();
            guard.map_or(Ok(()), |guard| guard.pass())?;
        }
        let chunk = match &self.0.recode {
            Some(recode) if !chunk.is_empty() => self.recoded(&**recode, chunk, false),
            _ => chunk,
        };
        let mut state = self.0.state.lock();
        let full = |state: &State<S>| state.bytes >= QUEUE_BYTES && !state.cancelled && !state.unbounded;
        if full(&state) {
            let _sending = wait_as(LaneState::Sending);
            while full(&state) {
                self.0.room.wait(&mut state);
            }
        }
        if state.cancelled {
            return Err(Error::said(ErrorCode::Aborted, sentence!("the client stopped reading the stream")));
        }
        if !chunk.is_empty() {
            state.push(chunk);
            self.0.deliver(state);
        }
        Ok(())
    }

    /// What to put into the queue for `chunk`, and for the lines held before it; nothing while they wait for more. The head is in the
    /// queue before any worker goes on. `last`: no more come.
    fn recoded(&self, recode: &dyn Recode, mut chunk: Vec<u8>, last: bool) -> Vec<u8> {
        if self.0.begun.get().is_none() {
            let mut held = self.0.held.lock();
            // Another worker may have begun while this one waited.
            if self.0.begun.get().is_none() {
                held.append(&mut chunk);
                if !last && recode.head_of_lines() && held.len() < CHUNK_BYTES {
                    return Vec::new();
                }
                chunk = std::mem::take(&mut *held);
                let head = recode.head(&chunk);
                let mut state = self.0.state.lock();
                if !state.cancelled {
                    state.push(head);
                }
                drop(state);
                let _ = self.0.begun.set(());
            }
        }
        recode.lines(chunk)
    }

    /// What the stream's rows have no place for, once all lines were sent. Lines still held have a place.
    pub fn left_out(&self) -> Option<LeftOut> {
        self.0.recode.as_ref().and_then(|recode| recode.left_out())
    }

    /// `false` lets any number of chunks wait: for work of bounded size that is done before the stream is read.
    pub fn set_bounded(&self, bounded: bool) {
        self.0.state.lock().unbounded = !bounded;
    }

    /// Wakes workers that wait for room, so that they see that their job was aborted.
    pub fn release(&self) {
        self.0.cancel(sentence!("the job was aborted"));
    }

    /// Ends the stream; the reader first gets what is waiting. Only the first call counts.
    pub fn finish(&self, outcome: Result<()>, summary: S) {
        *self.0.guard.lock() = None;
        let recode = self.0.recode.as_ref().filter(|_| outcome.is_ok());
        let rest = recode.map_or_else(Vec::new, |recode| self.recoded(&**recode, Vec::new(), true));
        let mut state = self.0.state.lock();
        if state.cancelled {
            // What nobody has read, and what its workers held.
            heap::give_back_soon();
        } else {
            state.push(rest);
        }
        state.summary = summary;
        if state.ended.is_none() {
            if outcome.is_err() {
                state.chunks.clear();
                state.bytes = 0;
            }
            state.ended = Some(outcome);
        }
        self.0.deliver(state);
    }
}

#[cfg(test)]
mod models;

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::atomic::{AtomicUsize, Ordering};
    use std::sync::mpsc;

    fn quiet() -> (ChunkSink<u64>, ChunkStream<u64>) {
        chunk_stream(|| {})
    }

    #[test]
    fn chunks_come_in_order_and_then_the_end() {
        let (sink, stream) = quiet();
        sink.send(vec![1]).unwrap();
        sink.send(vec![]).unwrap();
        sink.send(vec![2]).unwrap();
        sink.finish(Ok(()), 2);
        assert_eq!(stream.next_blocking().unwrap(), Some(vec![1]));
        assert_eq!(stream.next_blocking().unwrap(), Some(vec![2]));
        assert_eq!(stream.next_blocking().unwrap(), None);
        assert_eq!(stream.next_blocking().unwrap(), None);
        assert_eq!(stream.summary(), 2);
    }

    #[test]
    fn a_waiting_callback_is_called_by_whoever_brings_the_chunk() {
        let (sink, stream) = quiet();
        let (tell, told) = mpsc::channel();
        let second = tell.clone();
        stream.next_with(move |next| tell.send(next).unwrap());
        stream.next_with(move |next| second.send(next).unwrap());
        assert_eq!(told.recv().unwrap().unwrap_err().code, ErrorCode::Internal);
        sink.send(vec![7]).unwrap();
        assert_eq!(told.recv().unwrap().unwrap(), Some(vec![7]));
    }

    #[test]
    fn a_full_queue_holds_the_worker_and_a_dropped_stream_frees_it() {
        let cancelled = Arc::new(AtomicUsize::new(0));
        let count = cancelled.clone();
        let (sink, stream) = chunk_stream::<()>(move || {
            count.fetch_add(1, Ordering::Relaxed);
        });
        let (tell, told) = mpsc::channel();
        let worker = std::thread::spawn(move || {
            for n in 0.. {
                match sink.send(vec![0; CHUNK_BYTES]) {
                    Ok(()) => tell.send(n).unwrap(),
                    Err(error) => return error,
                }
            }
            unreachable!()
        });
        // Exactly as many fit as the queue has room for; one more only after one was read.
        for n in 0..QUEUE_BYTES / CHUNK_BYTES {
            assert_eq!(told.recv().unwrap(), n);
        }
        assert_eq!(stream.waiting(), (2 * CHUNK_BYTES, true));
        assert_eq!(stream.next_blocking().unwrap().unwrap().len(), CHUNK_BYTES);
        assert_eq!(told.recv().unwrap(), QUEUE_BYTES / CHUNK_BYTES);
        drop(stream);
        assert_eq!(worker.join().unwrap().code, ErrorCode::Aborted);
        assert_eq!(cancelled.load(Ordering::Relaxed), 1);
    }

    /// Counts the lines that its head was made of.
    struct Counting;

    impl Recode for Counting {
        fn head_of_lines(&self) -> bool {
            true
        }

        fn head(&self, first: &[u8]) -> Vec<u8> {
            format!("of {}:", first.len()).into_bytes()
        }

        fn lines(&self, chunk: Vec<u8>) -> Vec<u8> {
            chunk
        }

        fn left_out(&self) -> Option<LeftOut> {
            None
        }
    }

    #[test]
    fn a_head_is_made_of_a_chunk_of_lines_or_of_all_however_they_come() {
        let text = |stream: &ChunkStream<u64>| {
            let mut all = vec![];
            while let Some(chunk) = stream.next_blocking().unwrap() {
                all.extend(chunk);
            }
            String::from_utf8(all).unwrap()
        };
        let (sink, stream) = recoded_stream(Some(Box::new(Counting)), || {});
        sink.send(b"a".to_vec()).unwrap();
        sink.send(b"bc".to_vec()).unwrap();
        sink.finish(Ok(()), 0);
        assert_eq!(text(&stream), "of 3:abc");
        let (sink, stream) = recoded_stream(Some(Box::new(Counting)), || {});
        sink.send(b"a".to_vec()).unwrap();
        sink.send(vec![b'b'; CHUNK_BYTES]).unwrap();
        // Enough of them: the head does not wait for the end.
        assert_eq!(stream.next_blocking().unwrap().unwrap(), format!("of {}:", CHUNK_BYTES + 1).into_bytes());
        sink.send(b"c".to_vec()).unwrap();
        sink.finish(Ok(()), 0);
        assert_eq!(text(&stream).len(), CHUNK_BYTES + 2);
        let (sink, stream) = recoded_stream(Some(Box::new(Counting)), || {});
        sink.finish(Ok(()), 0);
        assert_eq!(text(&stream), "of 0:");
    }

    #[test]
    fn a_failure_reaches_the_reader() {
        let (sink, stream) = quiet();
        sink.send(vec![1]).unwrap();
        sink.finish(Err(Error::new(ErrorCode::StorageFailed, "disk")), 0);
        assert_eq!(stream.next_blocking().unwrap_err().code, ErrorCode::StorageFailed);
    }
}
