//! The bounded queue between whoever receives the stream and the threads that read it.

use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::io::{self, BufRead, Read};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};

/// A writer waits while more than this lies unread, bytes.
const ROOM: usize = 4 << 20;
/// Writers that wait go on once so little lies unread: one wake-up for many chunks, not one for each.
const ROOM_AGAIN: usize = ROOM / 2;

type Callback = Box<dyn FnOnce(Result<()>) + Send>;

/// Chunks that have arrived and were not read yet.
#[derive(Default)]
pub struct Input {
    state: Mutex<State>,
    readable: Condvar,
    writable: Condvar,
}

#[derive(Default)]
struct State {
    chunks: VecDeque<Vec<u8>>,
    bytes: usize,
    ended: bool,
    failed: Option<Error>,
    waiting: Vec<Callback>,
}

impl Input {
    /// Takes a chunk; calls back, on this or on a reading thread, when there is room for the next one.
    pub fn push_with(&self, chunk: Vec<u8>, callback: impl FnOnce(Result<()>) + Send + 'static) {
        let mut state = self.state.lock();
        let taken = state.take(chunk);
        self.readable.notify_one();
        if taken.is_ok() && state.bytes > ROOM {
            state.waiting.push(Box::new(callback));
            return;
        }
        drop(state);
        callback(taken);
    }

    /// Takes a chunk; returns when there is room for the next one.
    ///
    /// # Errors
    /// Why the import failed; `closed` after its end.
    pub fn push(&self, chunk: Vec<u8>) -> Result<()> {
        let mut state = self.state.lock();
        state.take(chunk)?;
        self.readable.notify_one();
        while state.bytes > ROOM && state.failed.is_none() {
            self.writable.wait(&mut state);
        }
        state.failed.clone().map_or(Ok(()), Err)
    }

    /// No more will come.
    pub fn end(&self) {
        self.state.lock().ended = true;
        self.readable.notify_all();
    }

    /// Throws away what lies unread and refuses everything from now on.
    pub fn fail(&self, error: &Error) {
        let waiting = {
            let mut state = self.state.lock();
            state.failed.get_or_insert_with(|| error.clone());
            state.chunks.clear();
            state.bytes = 0;
            std::mem::take(&mut state.waiting)
        };
        self.readable.notify_all();
        self.writable.notify_all();
        waiting.into_iter().for_each(|callback| callback(Err(error.clone())));
    }

    /// The next chunk, `None` at the end. Waits for one.
    fn pull(&self) -> Result<Option<Vec<u8>>> {
        let mut state = self.state.lock();
        loop {
            if let Some(error) = &state.failed {
                return Err(error.clone());
            }
            if let Some(chunk) = state.chunks.pop_front() {
                state.bytes -= chunk.len();
                let again = state.bytes <= ROOM_AGAIN;
                let waiting = if again { std::mem::take(&mut state.waiting) } else { vec![] };
                drop(state);
                if again {
                    self.writable.notify_all();
                }
                waiting.into_iter().for_each(|callback| callback(Ok(())));
                return Ok(Some(chunk));
            }
            if state.ended {
                return Ok(None);
            }
            self.readable.wait(&mut state);
        }
    }
}

impl State {
    fn take(&mut self, chunk: Vec<u8>) -> Result<()> {
        if let Some(error) = &self.failed {
            return Err(error.clone());
        }
        if self.ended {
            return Err(Error::said(ErrorCode::Closed, sentence!("the input of the import is already complete")));
        }
        self.bytes += chunk.len();
        self.chunks.push_back(chunk);
        Ok(())
    }
}

/// Reads the queue as one stream; `taken` hears of each chunk's length.
pub struct InputReader<F> {
    input: Arc<Input>,
    taken: F,
    chunk: Vec<u8>,
    at: usize,
}

impl<F: FnMut(u64)> InputReader<F> {
    pub fn new(input: Arc<Input>, taken: F) -> Self {
        Self { input, taken, chunk: vec![], at: 0 }
    }
}

impl<F: FnMut(u64)> BufRead for InputReader<F> {
    fn fill_buf(&mut self) -> io::Result<&[u8]> {
        while self.at == self.chunk.len() {
            let Some(chunk) = self.input.pull().map_err(io::Error::other)? else { return Ok(&[]) };
            (self.taken)(chunk.len() as u64);
            (self.chunk, self.at) = (chunk, 0);
        }
        Ok(&self.chunk[self.at..])
    }

    fn consume(&mut self, amount: usize) {
        self.at += amount;
    }
}

impl<F: FnMut(u64)> Read for InputReader<F> {
    fn read(&mut self, into: &mut [u8]) -> io::Result<usize> {
        let amount = self.fill_buf()?.read(into)?;
        self.consume(amount);
        Ok(amount)
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::sync::mpsc;

    #[test]
    fn a_full_queue_answers_when_it_is_read() {
        let input = Arc::new(Input::default());
        let (send, answers) = mpsc::channel();
        for chunk in [vec![1; ROOM], vec![2; 1]] {
            let send = send.clone();
            input.push_with(chunk, move |taken| send.send(taken).unwrap());
        }
        assert_eq!(answers.try_recv(), Ok(Ok(())));
        assert!(answers.try_recv().is_err());
        let mut total = 0;
        let mut reader = InputReader::new(Arc::clone(&input), |bytes| total += bytes);
        let mut byte = [0];
        assert_eq!(reader.read(&mut byte).unwrap(), 1);
        assert_eq!(answers.try_recv(), Ok(Ok(())));
        input.end();
        assert_eq!(io::copy(&mut reader, &mut io::sink()).unwrap(), ROOM as u64);
        assert_eq!(total, ROOM as u64 + 1);
        assert_eq!(input.push(vec![1]).unwrap_err().code, ErrorCode::Closed);
    }

    #[test]
    fn a_writer_waits_until_half_the_queue_is_read() {
        let input = Arc::new(Input::default());
        let (send, answers) = mpsc::channel();
        for _ in 0..5 {
            let send = send.clone();
            input.push_with(vec![0; ROOM / 4], move |taken| send.send(taken).unwrap());
        }
        assert_eq!(answers.try_iter().count(), 4);
        let mut reader = InputReader::new(input, |_| {});
        let mut quarter = vec![0; ROOM / 4];
        for answered in [0, 0, 1] {
            reader.read_exact(&mut quarter).unwrap();
            assert_eq!(answers.try_iter().count(), answered);
        }
    }

    #[test]
    fn a_failure_reaches_everyone_who_waits() {
        let input = Arc::new(Input::default());
        let (send, answers) = mpsc::channel();
        input.push_with(vec![0; ROOM + 1], move |taken| send.send(taken).unwrap());
        let blocked = std::thread::spawn({
            let input = Arc::clone(&input);
            move || input.push(vec![0; 1])
        });
        let error = Error::new(ErrorCode::Aborted, "stop");
        input.fail(&error);
        assert_eq!(answers.recv().unwrap(), Err(error.clone()));
        assert_eq!(blocked.join().unwrap(), Err(error));
        let mut reader = InputReader::new(input, |_| {});
        assert!(reader.read(&mut [0]).is_err());
    }
}
