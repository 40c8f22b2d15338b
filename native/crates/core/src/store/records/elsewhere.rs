//! The store's side of records that are kept elsewhere.

use super::options::{BatchWrite, Lookup, WriteOptions, Written};
use super::read::{Each, WINDOW};
use super::remote::{ClusterView, FoundRecord, Health, Limits, Outcomes, Remote, RemoteReads, RemoteWrite, WriteOf};
use super::rows;
use super::rules::{Change, Rules, check_generation};
use crate::store::RecordStore;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tessera_base::latency::Tick;
use tessera_base::{Error, ErrorCode, Result, limits, sentence, thread_guard};
use tessera_jobs::load::{LoadMode, LoadOutcome, RowBatch};
use tessera_record::filter::Filter;
use tessera_record::{Digest, KeyRef, Meta};

impl RecordStore {
    /// What is known of the cluster that has the records; `None` if they are here.
    pub fn health(&self) -> Option<Health> {
        self.remote.as_ref().map(|remote| remote.health())
    }

    /// The cluster that has the records, as its nodes tell it.
    ///
    /// # Errors
    /// `unsupported` if the records are here.
    pub fn cluster_view(&self) -> Result<ClusterView> {
        let here = || Error::said(ErrorCode::Unsupported, sentence!("the namespace \"{name}\" does not use a cluster", name = self.name()));
        self.remote().ok_or_else(here).map(Remote::view)
    }

    /// Ranges of tokens that the records are in; `None` if they are here.
    pub(crate) fn token_ranges(&self) -> Option<usize> {
        self.remote.as_ref().map(|remote| remote.ranges())
    }

    /// Whether the records are a copy on a cluster that is being filled. Waits for nobody.
    pub(crate) fn fills(&self) -> bool {
        self.remote.as_ref().is_some_and(|remote| remote.fills())
    }

    /// Whether a cluster has the records.
    pub(crate) const fn is_elsewhere(&self) -> bool {
        self.remote.is_some()
    }

    pub(crate) fn shared_remote(&self) -> Option<Arc<dyn Remote>> {
        self.remote.clone()
    }

    pub(crate) fn remote(&self) -> Option<&dyn Remote> {
        self.remote.as_deref().inspect(|_| thread_guard::may_wait("asks a cluster"))
    }

    /// Bytes that a record with a body of so many bytes takes on a cluster, about; 0 if the records are here.
    pub(crate) fn size_elsewhere(&self, set: &str, body: usize) -> u64 {
        self.remote.as_ref().map_or(0, |remote| remote.size_of(set, body))
    }

    /// Of a namespace that could not be made.
    pub(crate) fn take_back(&self) {
        if let Some(remote) = self.remote() {
            remote.take_back();
        }
    }

    fn limits_of_writes(&self) -> Limits {
        Limits { max_record_bytes: self.max_record_bytes(), default_ttl: self.default_ttl.load(Ordering::Relaxed) }
    }

    pub(in crate::store) fn get_remote(&self, remote: &dyn Remote, digest: &Digest, out: &mut Vec<u8>) -> Result<Option<Meta>> {
        let mut reads = remote.reads();
        reads.start(*digest, 0);
        let (_, found) = reads.next().ok_or_else(|| Error::new(ErrorCode::Internal, "a read has no answer"))?;
        Ok(found?.map(|(meta, body)| {
            *out = body;
            meta
        }))
    }

    /// As `get_many`; a window of reads is in flight.
    pub(in crate::store) fn get_remote_many(&self, remote: &dyn Remote, set: &str, keys: &[KeyRef<'_>], each: &mut Each<'_>) -> Result<()> {
        let digests = keys.iter().map(|key| Lookup::from(*key).digest(set, self.key_limit())).collect::<Result<Vec<_>>>()?;
        read_all(remote, digests.into_iter().enumerate(), &mut |position, found| {
            each(position, found?.as_ref().map(|(meta, body)| (*meta, &body[..])));
            Ok(())
        })
    }

    /// As `meta` of each key, in their order.
    pub(crate) fn metas(&self, set: &str, keys: &[KeyRef<'_>]) -> Vec<Result<Option<Meta>>> {
        let Some(remote) = self.remote() else { return keys.iter().map(|key| self.meta(set, *key)).collect() };
        let digests = keys.iter().map(|key| Lookup::from(*key).digest(set, self.key_limit()));
        let (mut metas, mut asked) = (Vec::with_capacity(keys.len()), Vec::new());
        for (position, digest) in digests.enumerate() {
            metas.push(digest.map(|digest| {
                asked.push((position, digest));
                None
            }));
        }
        let read = read_all(remote, asked.into_iter(), &mut |position, found| {
            metas[position] = found.map(|found| found.map(|(meta, _)| meta));
            Ok(())
        });
        if let Err(error) = read {
            metas.fill(Err(error));
        }
        metas
    }

    pub(in crate::store) fn change_remote(&self, remote: &dyn Remote, set: &str, digest: &Digest, rules: &Rules<'_>) -> Result<Written> {
        if !set.is_empty() {
            limits::check_name(set, "set")?;
        }
        remote.change(set, digest, rules, self.limits_of_writes())
    }

    pub(in crate::store) fn delete_remote(&self, remote: &dyn Remote, set: &str, digest: &Digest, options: &WriteOptions) -> Result<bool> {
        remote.delete(set, digest, &|meta| check_generation(meta.generation, options))
    }

    /// As `load_rows`. After what the next row would meet too no further record begins, and what is under way is counted.
    pub(in crate::store) fn load_remote(
        &self,
        remote: &dyn Remote,
        set: &str,
        batch: &RowBatch,
        mode: LoadMode,
        outcome: &mut LoadOutcome,
    ) -> Result<()> {
        let options: Vec<WriteOptions> = batch.rows.iter().map(|row| rows::options(row, mode)).collect();
        let writes = batch.rows.iter().zip(&options).map(|(row, options)| {
            let rules = self.rules(Change::Put(rows::body_of(batch, row)?), options, None);
            Ok(RemoteWrite { digest: row.digest, what: WriteOf::Change(rules) })
        });
        let mut done = Vec::new();
        let stored = self.write_remote_many(remote, set, writes, &mut |at, written| {
            done.push((batch.rows[at].digest, is_open(&written)));
            outcome.count(&batch.rows[at], written.map(|written| written.created))
        });
        done.iter().try_for_each(|(digest, open)| self.carry_elsewhere(set, digest, *open))?;
        stored
    }

    /// Checks writes, and sends those that may be. `each` gets the position of each and what came of it, in any order.
    fn write_remote_many<'a>(
        &self,
        remote: &dyn Remote,
        set: &str,
        writes: impl Iterator<Item = Result<RemoteWrite<'a>>>,
        each: &mut Outcomes<'_>,
    ) -> Result<()> {
        let named = if set.is_empty() { Ok(()) } else { limits::check_name(set, "set") };
        let check = |write: RemoteWrite<'a>| -> Result<RemoteWrite<'a>> {
            if let WriteOf::Change(rules) = &write.what {
                rules.check(self.max_record_bytes()).and_then(|()| named.clone())?;
            }
            Ok(write)
        };
        let (mut legal, mut places) = (Vec::new(), Vec::new());
        for (at, write) in writes.enumerate() {
            match write.and_then(check) {
                Ok(write) => {
                    legal.push(write);
                    places.push(at);
                }
                Err(refused) => each(at, Err(refused))?,
            }
        }
        remote.write_many(set, &legal, self.limits_of_writes(), &mut |at, written| each(places[at], written))
    }

    /// Makes the writes of a batch, and calls `each` with what came of each, in their order. Of a delete, `removed` tells whether there
    /// was a record. If the records are elsewhere, several are under way at once, and those of one record keep their order.
    pub(crate) fn write_batch(&self, set: &str, writes: &[BatchWrite<'_>], each: &mut dyn FnMut(usize, Result<Written>)) {
        let Some(remote) = self.remote() else {
            return writes.iter().enumerate().for_each(|(at, write)| each(at, self.write_of_batch(set, write)));
        };
        let asked = writes.iter().map(|BatchWrite { lookup, body, options }| {
            self.check_open()?;
            let digest = lookup.digest(set, self.key_limit())?;
            let change = |body| WriteOf::Change(self.rules(Change::Put(body), options, None));
            Ok(RemoteWrite { digest, what: body.map_or(WriteOf::Delete(options), change) })
        });
        let mut outcomes: Vec<Option<Result<Written>>> = writes.iter().map(|_| None).collect();
        // No other store begins to decide half-way.
        let long = self.link.hold_off();
        let told = self.write_remote_many(remote, set, asked, &mut |at, outcome| {
            outcomes[at] = Some(outcome);
            Ok(())
        });
        for (outcome, write) in outcomes.iter_mut().zip(writes) {
            let Ok(digest) = write.lookup.digest(set, self.key_limit()) else { continue };
            if let Some(done) = outcome
                && let Err(error) = self.carry_elsewhere(set, &digest, is_open(done))
            {
                *done = Err(error);
            }
        }
        drop(long);
        for (at, (outcome, write)) in outcomes.into_iter().zip(writes).enumerate() {
            let missing = || Err(told.clone().err().unwrap_or_else(|| Error::new(ErrorCode::Internal, "a write has no outcome")));
            each(
                at,
                match outcome.unwrap_or_else(missing) {
                    // Another store may decide it by now.
                    Err(error) if error.code == ErrorCode::Closed => self.write_of_batch(set, write),
                    outcome => outcome,
                },
            );
        }
    }

    fn write_of_batch(&self, set: &str, BatchWrite { lookup, body, options }: &BatchWrite<'_>) -> Result<Written> {
        let lookup = *lookup;
        match body {
            Some(body) => self.put_of_batch(set, lookup, body, options),
            None => {
                let digest = lookup.digest(set, self.key_limit())?;
                let removed = self.delete_of_batch(set, lookup, options)?;
                Ok(Written { digest, meta: Meta::default(), created: false, removed })
            }
        }
    }

    pub(in crate::store) fn rules<'a>(&self, change: Change<'a>, options: &'a WriteOptions, filter: Option<&'a Filter>) -> Rules<'a> {
        Rules { change, options, filter, single_bin: self.config.single_bin }
    }
}

/// Reads records with a window of reads in flight; `each` gets the position of each and what came of it, in any order.
fn read_all(
    remote: &dyn Remote,
    mut left: impl Iterator<Item = (usize, Digest)>,
    each: &mut dyn FnMut(usize, Result<FoundRecord>) -> Result<()>,
) -> Result<()> {
    let mut reads = remote.reads();
    loop {
        while reads.in_flight() < WINDOW
            && let Some((position, digest)) = left.next()
        {
            reads.start(digest, position as u64);
        }
        let Some((position, found)) = reads.next() else { return Ok(()) };
        each(position as usize, found)?;
    }
}

/// Whether a change may have been made, or may come into force later.
pub(in crate::store) fn is_open<T>(done: &Result<T>) -> bool {
    done.as_ref().is_err_and(|error| error.code == ErrorCode::WriteUncertain)
}

/// The reads of a reader, by a number of ours: tags may come twice.
pub(super) struct ReadsElsewhere<'a> {
    reads: Box<dyn RemoteReads + 'a>,
    asked: HashMap<u64, Asked>,
    started: u64,
}

pub(super) struct Asked {
    pub(super) tag: u64,
    pub(super) begun: Tick,
    pub(super) digest: Digest,
    pub(super) set: Arc<str>,
}

impl<'a> ReadsElsewhere<'a> {
    pub(super) fn new(reads: Box<dyn RemoteReads + 'a>) -> Self {
        Self { reads, asked: HashMap::new(), started: 0 }
    }

    pub(super) fn in_flight(&self) -> usize {
        self.asked.len()
    }

    pub(super) fn start(&mut self, asked: Asked) {
        self.reads.start(asked.digest, self.started);
        self.asked.insert(self.started, asked);
        self.started += 1;
    }

    pub(super) fn wait_until(&mut self, until: Instant) -> bool {
        self.reads.wait_until(until)
    }

    pub(super) fn next(&mut self) -> Option<(Asked, Result<FoundRecord>)> {
        let (number, found) = self.reads.next()?;
        Some((self.asked.remove(&number)?, found))
    }
}
