//! Stores of which one of the two is on a cluster.
//!
//! Nothing on a cluster is changed under a lock of this process. So a change of a store there that leads is noted once it is made:
//! whoever takes the note looks at the record after that. If its outcome is open, the note stays, and the record is looked at again
//! before the lead changes. A look is a serial read, which sees every change that was made before.
//!
//! What has expired is as absent on a cluster, which removes it by itself.

use super::carry::Reason;
use super::walk::{EachOf, MetRecord};
use crate::store::RecordStore;
use crate::store::records::is_open;
use crate::store::remote::{MetSet, Remote, RemotePages};
use std::ops::ControlFlow;
use tessera_base::{Result, clock, limits};
use tessera_record::{Digest, Meta};

impl RecordStore {
    /// Makes a change on a cluster, and carries it if another store follows. No other store begins to decide meanwhile.
    ///
    /// # Errors
    /// Those of `change`; as `carry`.
    pub(in crate::store) fn carried<T>(&self, set: &str, digest: &Digest, change: impl FnOnce() -> Result<T>) -> Result<T> {
        let _long = self.link.hold_off();
        self.check_open()?;
        let done = change();
        self.carry_elsewhere(set, digest, is_open(&done))?;
        done
    }

    /// As `carried`, of a change that is made, or whose outcome is `open`; who calls this holds off other stores.
    ///
    /// # Errors
    /// As `carry`; `set_limit`.
    pub(in crate::store) fn carry_elsewhere(&self, set: &str, digest: &Digest, open: bool) -> Result<()> {
        if !self.link.leads() {
            return Ok(());
        }
        let set = self.sets.find_or_create(set)?;
        self.link.note(digest, set.id);
        let carried = self.carry(digest);
        if open {
            // It may come into force later.
            self.link.note(digest, set.id);
        }
        carried
    }

    /// A record of a cluster as it is when it is this reader's turn; its body in `out`.
    pub(super) fn version_elsewhere(&self, remote: &dyn Remote, digest: &Digest, out: &mut Vec<u8>) -> Result<Option<Meta>> {
        Ok(remote.read_in_turn(digest)?.map(|(meta, body)| {
            *out = body;
            meta
        }))
    }

    /// Whether a cluster has a record, whole and the same.
    pub(super) fn has_elsewhere(&self, remote: &dyn Remote, digest: &Digest, meta: Meta, body: &[u8]) -> Result<bool> {
        let mut there = Vec::new();
        Ok(self.get_remote(remote, digest, &mut there)? == Some(meta) && there == body)
    }

    /// Stores a version in a copy on a cluster that is being filled; `None`: there is none.
    pub(super) fn fill(&self, remote: &dyn Remote, set: &str, digest: &Digest, record: Option<(Meta, &[u8])>) -> Result<()> {
        if !set.is_empty() {
            limits::check_name(set, "set")?;
        }
        remote.fill(set, digest, record)
    }

    /// Removes a record of such a copy; whether there may have been one. Each removal leaves a mark, so what was not changed is looked at.
    pub(super) fn clear(&self, remote: &dyn Remote, set: &str, digest: &Digest, why: Reason) -> Result<bool> {
        if why != Reason::Change && self.get_remote(remote, digest, &mut Vec::new())?.is_none() {
            return Ok(false);
        }
        self.fill(remote, set, digest, None)?;
        Ok(true)
    }

    /// Such a copy is none any more, and can decide. Nobody writes to `leader`, of which it is the copy.
    pub(super) fn end_copy(&self, leader: &Self) -> Result<()> {
        let Some(remote) = self.remote().filter(|remote| remote.fills()) else { return Ok(()) };
        let held = leader.sets.all().into_iter().map(|set| {
            let (records, beside) = (set.records(), remote.size_of(&set.name, 0));
            MetSet { name: set.name.to_string(), records, bytes: Some(set.bytes() + records * beside) }
        });
        remote.lead(&held.collect::<Vec<_>>())
    }

    /// Whether a version counts for this store, to which it may be copied.
    pub(super) fn takes(&self, meta: &Meta) -> bool {
        !self.is_elsewhere() || !meta.expired(clock::unix_seconds())
    }

    /// The records that pages of a cluster bring, `most` at a time.
    pub(super) fn walk_elsewhere(
        &self,
        mut pages: Box<dyn RemotePages + '_>,
        most: usize,
        bodies: bool,
        each: &mut EachOf<'_>,
    ) -> Result<()> {
        let (mut found, mut more) = (Vec::new(), true);
        while more {
            found.clear();
            more = pages.next(most, &mut |record| {
                let set = self.sets.find_or_create(record.set)?.id;
                let version = record.meta.clone().ok().filter(|_| bodies).map(|meta| (meta, record.body.into()));
                found.push(MetRecord { set, digest: record.digest, version, seen: false });
                Ok(ControlFlow::Continue(()))
            })?;
            each(&found)?;
        }
        Ok(())
    }

    /// Lets no other server write the records, if a cluster has them. `wait` is called again and again until all know.
    ///
    /// # Errors
    /// `migration_active` if another server has done so; `cluster_unavailable`; those of `wait`.
    pub(crate) fn reserve(&self, wait: &mut dyn FnMut() -> Result<()>) -> Result<()> {
        let Some(remote) = self.remote() else { return Ok(()) };
        remote.reserve(wait)?;
        remote.begin_walk()
    }

    /// Lets other servers write again.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn release(&self) -> Result<()> {
        self.remote().map_or(Ok(()), Remote::release)
    }

    /// Removes all records for good, where a cluster has them.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn remove_elsewhere(&self) -> Result<()> {
        self.remote().map_or(Ok(()), Remote::remove)
    }
}
