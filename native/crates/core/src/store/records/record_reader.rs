//! Many reads in flight at once, for one thread.

use super::elsewhere::{Asked, ReadsElsewhere};
use super::options::{Lookup, RecordName};
use super::read::{Each, Sought, WINDOW, copy_to, live};
use crate::metrics::{About, Operation};
use crate::segment::Fetches;
use crate::store::RecordStore;
use crate::store::visibility::Awaited;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::latency::{Clock, Tick};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::{Digest, KeyRef, Meta};

/// A read that has ended: its tag, and metadata and body where there is a record.
pub type Answer<'a> = (u64, Result<Option<(Meta, &'a [u8])>>);

/// Single reads of a namespace, up to `depth` in flight. Each counts as a `get` that lasts from `start` until `next` has its
/// answer. Dropping it waits for what is in flight.
pub struct RecordReader<'a> {
    store: &'a RecordStore,
    depth: usize,
    /// `None` where every body is in memory.
    fetches: Option<Fetches<Wanted>>,
    elsewhere: Option<ReadsElsewhere<'a>>,
    /// Answers that memory had.
    ready: VecDeque<(u64, Option<Meta>, Vec<u8>, Awaited)>,
    spare: Vec<Vec<u8>>,
    given: Vec<u8>,
    /// Name of the set that was read last: reads of one set in a row share it.
    set: Arc<str>,
}

struct Wanted {
    tag: u64,
    begun: Tick,
    digest: Digest,
    set: Arc<str>,
    route: Option<u64>,
    awaited: Awaited,
}

impl RecordStore {
    /// A reader of up to `depth` records at once, 1 to 4096.
    ///
    /// # Errors
    /// `config_invalid` for another depth; `storage_failed`.
    pub fn reader(&self, depth: usize) -> Result<RecordReader<'_>> {
        if depth == 0 {
            return Err(Error::said(ErrorCode::ConfigInvalid, sentence!("depth must be at least 1, got 0")).in_field("depth"));
        }
        let fetches = self.storage.reader(depth)?.map(Fetches::new);
        let elsewhere = self.remote().map(|remote| ReadsElsewhere::new(remote.reads()));
        let (ready, spare, given) = (VecDeque::new(), vec![], vec![]);
        Ok(RecordReader { store: self, depth, fetches, elsewhere, ready, spare, given, set: Arc::from("") })
    }

    /// As `get_many`, for bodies that have to be read from a device.
    ///
    /// # Errors
    /// As `get_many`.
    pub(super) fn get_waiting_many(&self, set: &str, keys: &[KeyRef<'_>], each: &mut Each<'_>) -> Result<()> {
        let mut fetches: Option<Fetches<usize>> = None;
        let (mut out, awaited) = (Vec::new(), Awaited::default());
        let digest =
            |position: usize| keys.get(position).map_or(Ok(Digest::default()), |key| Lookup::from(*key).digest(set, self.key_limit()));
        let give = |fetches: &mut Fetches<usize>, each: &mut Each<'_>| -> Result<()> {
            let current = |_: &usize, met: &tessera_storage::SlotRecord| self.on_device(set, &met.digest, None, &awaited);
            if let Some(fetched) = fetches.next(&*self.storage, &current) {
                let record = fetched.record?;
                each(fetched.what, record.map(|record| (record.meta, fetches.body())));
            }
            Ok(())
        };
        for position in 0..keys.len() {
            let sought = self.seek_everywhere(set, &digest(position)?, None, &awaited, &mut copy_to(&mut out))?;
            match sought {
                Sought::Found(meta) => each(position, Some((meta, &out))),
                Sought::Absent => each(position, None),
                Sought::OnDevice(record) => {
                    let fetches = match &mut fetches {
                        Some(fetches) => fetches,
                        none => match self.storage.reader(WINDOW.min(keys.len()))? {
                            Some(reader) => none.insert(Fetches::new(reader)),
                            None => return Err(Error::new(ErrorCode::Internal, "a body that is not in memory has no reader")),
                        },
                    };
                    if fetches.len() >= WINDOW {
                        give(fetches, each)?;
                    }
                    fetches.start(position, record)?;
                }
            }
        }
        while let Some(fetches) = fetches.as_mut().filter(|fetches| fetches.len() > 0) {
            give(fetches, each)?;
        }
        self.answer(&awaited)
    }
}

impl RecordReader<'_> {
    /// Reads that were started and that `next` has not given.
    pub fn in_flight(&self) -> usize {
        let elsewhere = self.elsewhere.as_ref().map_or(0, ReadsElsewhere::in_flight);
        self.ready.len() + self.fetches.as_ref().map_or(0, Fetches::len) + elsewhere
    }

    pub fn depth(&self) -> usize {
        self.depth
    }

    /// Starts reading a record; `next` gives the answer with `tag`.
    ///
    /// # Errors
    /// `key_invalid`, `key_too_long`, `storage_failed`, and `config_invalid` while `depth` reads are in flight; then nothing
    /// was started.
    pub fn start<'k>(&mut self, set: &str, key: impl Into<Lookup<'k>>, tag: u64) -> Result<()> {
        if self.in_flight() >= self.depth {
            let message = sentence!("{depth} reads are already in flight; take an answer first", depth = self.depth);
            return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("depth"));
        }
        let begun = Clock::now();
        let lookup = key.into();
        let digest = lookup.digest(set, self.store.key_limit())?;
        if let Some(elsewhere) = &mut self.elsewhere {
            if *self.set != *set {
                self.set = Arc::from(set);
            }
            elsewhere.start(Asked { tag, begun, digest, set: Arc::clone(&self.set) });
            return Ok(());
        }
        let (mut body, awaited) = (self.spare.pop().unwrap_or_default(), Awaited::default());
        let sought = self.store.seek_everywhere(set, &digest, lookup.route, &awaited, &mut copy_to(&mut body))?;
        let found = match (sought, &mut self.fetches) {
            (Sought::Found(meta), _) => Some(meta),
            (Sought::OnDevice(record), Some(fetches)) => {
                self.spare.push(body);
                if *self.set != *set {
                    self.set = Arc::from(set);
                }
                return fetches.start(Wanted { tag, begun, digest, set: Arc::clone(&self.set), route: lookup.route, awaited }, record);
            }
            (Sought::Absent | Sought::OnDevice(_), _) => None,
        };
        self.store.latency.record_since(Operation::Get, begun, true);
        self.ready.push_back((tag, found, body, awaited));
        Ok(())
    }

    /// Waits for the answer to any read, at most until `until`; whether there is one. `next` then waits only where the record was
    /// moved meanwhile.
    pub fn wait_until(&mut self, until: Instant) -> bool {
        if let Some(elsewhere) = &mut self.elsewhere {
            return elsewhere.wait_until(until);
        }
        !self.ready.is_empty() || self.fetches.as_mut().is_some_and(|fetches| fetches.wait_until(until))
    }

    /// Waits for the answer to any read; `None` when none is in flight. The errors of a read are
    /// those of `RecordStore::get`.
    #[expect(clippy::should_implement_trait, reason = "what it gives borrows from the reader")]
    pub fn next(&mut self) -> Option<Answer<'_>> {
        if let Some((tag, meta, body, awaited)) = self.ready.pop_front() {
            self.spare.push(std::mem::replace(&mut self.given, body));
            return Some((tag, self.store.answer(&awaited).map(|()| meta.map(|meta| (meta, &self.given[..])))));
        }
        if let Some(elsewhere) = &mut self.elsewhere {
            let (asked, found) = elsewhere.next()?;
            let failure = found.as_ref().err().map(|error| error.code);
            let about = About { failure, ..RecordName::Digest(asked.digest).about(&asked.set) };
            self.store.latency.record_overlapped(Operation::Get, asked.begun, &about);
            let found = found.map(|found| found.map(|(meta, body)| (meta, std::mem::replace(&mut self.given, body))));
            return Some((asked.tag, found.map(|found| found.map(|(meta, _)| (meta, &self.given[..])))));
        }
        let (store, fetches) = (self.store, self.fetches.as_mut()?);
        let fetched =
            fetches.next(&*store.storage, &|wanted, met| store.on_device(&wanted.set, &met.digest, wanted.route, &wanted.awaited))?;
        let awaited = store.answer(&fetched.what.awaited);
        let failure = fetched.record.as_ref().err().map(|error| error.code);
        let about = About { failure, ..RecordName::Digest(fetched.what.digest).about(&fetched.what.set) };
        store.latency.record_overlapped(Operation::Get, fetched.what.begun, &about);
        let alive = awaited.and(fetched.record).map(|record| record.filter(|record| live(&record.meta)));
        let answer = alive.map(|record| record.map(|record| (record.meta, fetches.body())));
        Some((fetched.what.tag, answer))
    }
}
