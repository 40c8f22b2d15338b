//! Several reads at once, for one thread.
//!
//! Each is a task of the driver's runtime, which leaves its answer where the thread looks. So a read goes on while the thread is
//! elsewhere, and the thread is woken once for all answers that are there by then.

use crate::records::{Finder, Records};
use parking_lot::{Condvar, Mutex};
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result};
use tessera_core::store::remote::{FoundRecord, RemoteReads};
use tessera_record::Digest;

type Found = (u64, Result<FoundRecord>);

pub(crate) struct Reads<'a> {
    records: &'a Records,
    answers: Arc<Answers>,
    /// Those that were started and not given.
    in_flight: usize,
}

#[derive(Default)]
struct Answers {
    ended: Mutex<VecDeque<Found>>,
    any: Condvar,
}

/// A read under way. If its task ends without an answer, that is told.
struct Asked {
    tag: u64,
    answers: Arc<Answers>,
    answered: bool,
}

impl<'a> Reads<'a> {
    pub(crate) fn new(records: &'a Records) -> Self {
        Self { records, answers: Arc::default(), in_flight: 0 }
    }
}

impl Answers {
    fn add(&self, found: Found) {
        self.ended.lock().push_back(found);
        self.any.notify_one();
    }
}

impl Asked {
    async fn run(mut self, finder: Arc<Finder>, digest: Digest) {
        let found = finder.fetch(&digest).await;
        self.answered = true;
        self.answers.add((self.tag, found));
    }
}

impl Drop for Asked {
    fn drop(&mut self) {
        if !self.answered {
            self.answers.add((self.tag, Err(Error::new(ErrorCode::Internal, "a read was given up"))));
        }
    }
}

impl RemoteReads for Reads<'_> {
    fn in_flight(&self) -> usize {
        self.in_flight
    }

    fn start(&mut self, digest: Digest, tag: u64) {
        self.in_flight += 1;
        let asked = Asked { tag, answers: self.answers.clone(), answered: false };
        self.records.cluster().spawn(asked.run(self.records.finder().clone(), digest));
    }

    fn wait_until(&mut self, until: Instant) -> bool {
        let mut ended = self.answers.ended.lock();
        if self.in_flight > 0 && ended.is_empty() {
            self.answers.any.wait_while_until(&mut ended, |ended| ended.is_empty(), until);
        }
        !ended.is_empty()
    }

    fn next(&mut self) -> Option<Found> {
        self.in_flight = self.in_flight.checked_sub(1)?;
        let mut ended = self.answers.ended.lock();
        self.answers.any.wait_while(&mut ended, |ended| ended.is_empty());
        ended.pop_front()
    }
}
