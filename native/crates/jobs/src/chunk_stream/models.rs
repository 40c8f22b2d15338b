//! Every order in which workers send, wait for room and end, and a reader reads and leaves. Who is not woken waits forever, which
//! loom reports.

#![cfg(loom)]

use super::*;
use tessera_base::sync::{check, thread};

/// As large as the queue: a second one waits until it is read.
fn chunk() -> Vec<u8> {
    vec![0; QUEUE_BYTES]
}

#[test]
fn a_reader_gets_what_two_workers_send_and_then_the_end() {
    check(|| {
        let (sink, stream) = chunk_stream::<u32>(|| {});
        let left = Arc::new(Mutex::new(2));
        let workers = [0, 1].map(|_| {
            let (sink, left) = (sink.clone(), left.clone());
            thread::spawn(move || {
                sink.send(chunk()).unwrap();
                let mut left = left.lock();
                *left -= 1;
                if *left == 0 {
                    sink.finish(Ok(()), 2);
                }
            })
        });
        let mut chunks = 0;
        while stream.next_blocking().unwrap().is_some() {
            chunks += 1;
        }
        assert_eq!((chunks, stream.summary()), (2, 2));
        workers.into_iter().for_each(|worker| worker.join().unwrap());
    });
}

#[test]
fn a_reader_that_leaves_ends_the_wait_for_room() {
    check(|| {
        let (sink, stream) = chunk_stream::<u32>(|| {});
        let worker = thread::spawn(move || while sink.send(chunk()).is_ok() {});
        stream.next_blocking().unwrap();
        drop(stream);
        worker.join().unwrap();
    });
}

#[test]
fn a_callback_is_called_once_whoever_is_first() {
    check(|| {
        let (sink, stream) = chunk_stream::<u32>(|| {});
        let answers = Arc::new((Mutex::new(Vec::new()), Condvar::new()));
        let told = answers.clone();
        stream.next_with(move |next| {
            told.0.lock().push(next.map(|chunk| chunk.map(|bytes| bytes.len())));
            told.1.notify_all();
        });
        let aborted = sink.clone();
        let aborts = thread::spawn(move || aborted.release());
        let ends = thread::spawn(move || sink.finish(Ok(()), 0));
        let mut answers_so_far = answers.0.lock();
        while answers_so_far.is_empty() {
            answers.1.wait(&mut answers_so_far);
        }
        drop(answers_so_far);
        aborts.join().unwrap();
        ends.join().unwrap();
        assert_eq!(answers.0.lock().len(), 1);
    });
}
