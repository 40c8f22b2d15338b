//! Whether a store takes writes, and whether they are on the disk.

use super::RecordStore;
use super::visibility::uncertain;
use crate::config::Durability;
use std::panic::{AssertUnwindSafe, catch_unwind};
use std::sync::atomic::Ordering;
use tessera_base::{Error, ErrorCode, Result, Sentence, sentence, thread_guard};

impl RecordStore {
    /// What does not work as it should, though reads and writes do.
    pub fn trouble(&self) -> Option<Error> {
        self.remote.as_ref().and_then(|remote| remote.trouble()).or_else(|| self.storage.trouble())
    }

    /// Why writes are stopped until the next start (`namespace_poisoned`), if they are.
    pub fn poisoned(&self) -> Option<Error> {
        self.poison.check().err()
    }

    /// What keeps writes from reaching the device now, if anything does. It is tried again until it works.
    pub fn device_failure(&self) -> Option<Error> {
        self.files.check().err().or_else(|| self.storage.failure())
    }

    /// Whether callers may change something here.
    ///
    /// # Errors
    /// `closed`, also where another store has the writes: see `deciding`. `namespace_poisoned`.
    pub(crate) fn check_open(&self) -> Result<()> {
        if self.link.follows() {
            return Err(Error::said(
                ErrorCode::Closed,
                sentence!("another store has the writes of the namespace \"{name}\"", name = self.name()),
            ));
        }
        self.check_whole()
    }

    /// As `check_open`, for what the other store brings, or what is done without callers.
    ///
    /// # Errors
    /// `closed`, `namespace_poisoned`.
    pub(crate) fn check_whole(&self) -> Result<()> {
        if self.closed.load(Ordering::Acquire) {
            return Err(Error::said(ErrorCode::Closed, sentence!("the namespace \"{name}\" is closed", name = self.name())));
        }
        self.poison.check()
    }

    /// Does `work` for this namespace on a thread that serves others too, or serves it for long: a panic stops the
    /// namespace, not the thread.
    pub(crate) fn or_poison(&self, what: fn() -> Sentence, work: impl FnOnce()) {
        let guarded = || {
            let _guard = self.poison.on_panic(what);
            work();
        };
        // The panic hook has reported it, and the namespace says why it was stopped.
        let _ = catch_unwind(AssertUnwindSafe(guarded));
    }

    /// Waits until every write so far is on stable storage; returns at once where there is no disk.
    ///
    /// # Errors
    /// `write_uncertain`: the storage then refuses writes, keeps what it has, and tries again until it is stored.
    pub fn sync(&self) -> Result<()> {
        if self.remote.is_some() {
            // An answered write has as many replicas as was asked for.
            return Ok(());
        }
        if !self.bodies_resident() {
            thread_guard::may_wait("waits for a flush");
        }
        self.storage.sync(self.storage.write_point()).map_err(|error| uncertain(error, "a write"))
    }

    /// Waits for what `durability` promises of writes made so far.
    pub(in crate::store) fn settle(&self) -> Result<()> {
        if self.durability() == Durability::Commit { self.sync() } else { Ok(()) }
    }

    /// Refuses further writes, then flushes and stops the storage. Idempotent.
    ///
    /// # Errors
    /// What the storage returns, with what is not on disk.
    pub(crate) fn stop(&self) -> Result<()> {
        thread_guard::may_wait("stops a namespace");
        self.closed.store(true, Ordering::Release);
        // A write that is under way holds a segment's lock; after passing each once, none is.
        for cell in &self.segments {
            cell.write(|_| ());
        }
        self.indexes.merges.stop();
        if let Some(remote) = self.remote() {
            remote.close();
        }
        self.storage.close()
    }
}

impl Drop for RecordStore {
    fn drop(&mut self) {
        // Whoever wants to know whether the last writes were stored calls `stop` first. The thread
        // that makes room ends with this.
        let _ = self.storage.close();
    }
}
