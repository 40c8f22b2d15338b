//! The store's side of records that are kept elsewhere.

use super::options::{Lookup, WriteOptions, Written};
use super::read::{Each, WINDOW};
use super::remote::{ClusterView, FoundRecord, Health, Limits, Remote, RemoteReads};
use super::rows;
use super::rules::{Change, Rules, check_generation};
use crate::store::RecordStore;
use std::collections::HashMap;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use std::time::Instant;
use tessera_base::latency::Tick;
use tessera_base::{Error, ErrorCode, Result, limits, thread_guard};
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
        let here = || Error::new(ErrorCode::Unsupported, format!("the namespace {:?} does not use a cluster", self.name()));
        self.remote().ok_or_else(here).map(Remote::view)
    }

    /// Ranges of tokens that the records are in; `None` if they are here.
    pub(crate) fn token_ranges(&self) -> Option<usize> {
        self.remote.as_ref().map(|remote| remote.ranges())
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
        let mut reads = remote.reads();
        let mut left = digests.into_iter().enumerate();
        loop {
            while reads.in_flight() < WINDOW
                && let Some((position, digest)) = left.next()
            {
                reads.start(digest, position as u64);
            }
            let Some((position, found)) = reads.next() else { return Ok(()) };
            each(position as usize, found?.as_ref().map(|(meta, body)| (*meta, &body[..])));
        }
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

    /// As `load_rows`, one row after the other: an import has several threads.
    pub(in crate::store) fn load_remote(
        &self,
        remote: &dyn Remote,
        set: &str,
        batch: &RowBatch,
        mode: LoadMode,
        outcome: &mut LoadOutcome,
    ) -> Result<()> {
        for row in &batch.rows {
            let options = rows::options(row, mode);
            let stored = rows::body_of(batch, row).and_then(|body| {
                let rules = self.rules(Change::Put(body), &options, None);
                rules.check(self.max_record_bytes())?;
                let stored = self.change_remote(remote, set, &row.digest, &rules);
                self.carry_elsewhere(set, &row.digest, &stored)?;
                stored
            });
            outcome.count(row, stored.map(|written| written.created))?;
        }
        Ok(())
    }

    pub(in crate::store) fn rules<'a>(&self, change: Change<'a>, options: &'a WriteOptions, filter: Option<&'a Filter>) -> Rules<'a> {
        Rules { change, options, filter, single_bin: self.config.single_bin }
    }
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
