//! What a store knows of the other one of its namespace: which of the two decides, and which
//! changes have not been carried yet.

use super::{Bounds, Mirror};
use crate::store::RecordStore;
use parking_lot::{Mutex, RwLock, RwLockReadGuard};
use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::sync::{Arc, OnceLock, Weak};
use tessera_base::{Error, ErrorCode, Result};
use tessera_record::Digest;

const SHARDS: usize = 64;

/// Digests, each with the id of its set.
type Noted = Box<[Mutex<HashMap<Digest, u16>>]>;

#[derive(Default)]
pub(in crate::store) struct Link {
    /// Another store decides: changes of callers are refused, those of the other store are not.
    follows: AtomicBool,
    /// How often that has ended.
    returns: AtomicU64,
    /// Changes are noted.
    leads: AtomicBool,
    /// Held for writing while the lead changes. Never asked for with a segment locked.
    pub(super) role: RwLock<Role>,
    /// Held for reading by who makes many changes that are to be all in one store. Asked for before `role`.
    pub(super) long: RwLock<()>,
    /// Asked for last.
    bounds: RwLock<Option<Bounds>>,
    noted: OnceLock<Noted>,
}

#[derive(Default)]
pub(super) enum Role {
    #[default]
    Alone,
    Leads(Arc<Mirror>),
    Follows(Weak<RecordStore>),
}

impl Link {
    #[inline]
    pub(in crate::store) fn follows(&self) -> bool {
        self.follows.load(Ordering::Acquire)
    }

    pub(super) fn set_follows(&self, follows: bool) {
        if !follows {
            // First: whoever was refused sees one or the other.
            self.returns.fetch_add(1, Ordering::SeqCst);
        }
        self.follows.store(follows, Ordering::SeqCst);
    }

    #[inline]
    pub(super) fn leads(&self) -> bool {
        self.leads.load(Ordering::Acquire)
    }

    pub(super) fn set_leads(&self, leads: bool) {
        self.leads.store(leads, Ordering::SeqCst);
    }

    /// What the store that follows can hold, where each record is to stay within that.
    #[inline]
    pub(in crate::store) fn bounds(&self) -> Option<Bounds> {
        if !self.leads() {
            return None;
        }
        self.bounds.read().clone().filter(|bounds| !bounds.mirror_fails.load(Ordering::Acquire))
    }

    pub(super) fn set_bounds(&self, bounds: Option<Bounds>) {
        *self.bounds.write() = bounds;
    }

    /// Until the answer is dropped, no other store begins to decide.
    pub(in crate::store) fn hold_off(&self) -> RwLockReadGuard<'_, ()> {
        self.long.read()
    }

    /// Calls `carry` with the way to the store that follows, if there is one. The lead does not change meanwhile: what is on this way has
    /// arrived before another one begins.
    #[inline]
    pub(super) fn carrying<T>(&self, carry: impl FnOnce(&Arc<Mirror>) -> T) -> Option<T> {
        if !self.leads() {
            return None;
        }
        match &*self.role.read() {
            Role::Leads(mirror) => Some(carry(mirror)),
            Role::Alone | Role::Follows(_) => None,
        }
    }

    /// The way to the store that follows, to ask it. Waits for none who waits for the lead.
    pub(super) fn mirror(&self) -> Option<Arc<Mirror>> {
        match &*self.role.read_recursive() {
            Role::Leads(mirror) => Some(mirror.clone()),
            Role::Alone | Role::Follows(_) => None,
        }
    }

    fn shard(&self, digest: &Digest) -> &Mutex<HashMap<Digest, u16>> {
        let noted = self.noted.get_or_init(|| (0..SHARDS).map(|_| Mutex::default()).collect());
        &noted[digest.0[12] as usize % SHARDS]
    }

    /// Notes a record that was changed just now; the segment's lock is held since before.
    #[inline]
    pub(in crate::store) fn note(&self, digest: &Digest, set: u16) {
        if self.leads() {
            self.shard(digest).lock().insert(*digest, set);
        }
    }

    pub(super) fn is_noted(&self, digest: &Digest) -> bool {
        self.shard(digest).lock().contains_key(digest)
    }

    /// Takes the note of a record; its set.
    pub(super) fn take(&self, digest: &Digest) -> Option<u16> {
        self.shard(digest).lock().remove(digest)
    }

    pub(super) fn all_noted(&self) -> Vec<Digest> {
        self.noted.get().into_iter().flatten().flat_map(|shard| shard.lock().keys().copied().collect::<Vec<_>>()).collect()
    }

    pub(super) fn forget_all(&self) {
        self.noted.get().into_iter().flatten().for_each(|shard| shard.lock().clear());
    }
}

impl RecordStore {
    /// Makes a change in the store that decides, which is another one after a hand-over. A call that meets one waits for its end.
    ///
    /// # Errors
    /// Those of `change`.
    #[inline]
    pub(in crate::store) fn deciding<T>(&self, change: &dyn Fn(&Self) -> Result<T>) -> Result<T> {
        let before = self.link.returns.load(Ordering::Acquire);
        let met_another = || self.link.follows() || self.link.returns.load(Ordering::Acquire) != before;
        match change(self) {
            Err(refused) if refused.code == ErrorCode::Closed && met_another() => self.elsewhere(refused, change),
            done => done,
        }
    }

    #[cold]
    fn elsewhere<T>(&self, refused: Error, change: &dyn Fn(&Self) -> Result<T>) -> Result<T> {
        let leader = match &*self.link.role.read() {
            Role::Follows(leader) => Some(leader.upgrade()),
            Role::Alone | Role::Leads(_) => None,
        };
        match leader {
            Some(Some(leader)) => leader.deciding(change),
            // A hand-over has failed, or has been taken back, since the change was refused.
            None => self.deciding(change),
            Some(None) => Err(refused),
        }
    }
}

#[cfg(test)]
mod tests {
    use crate::{Engine, EngineOptions, NamespaceConfig};
    use std::cell::Cell;
    use tessera_base::ErrorCode;

    #[test]
    fn a_change_that_met_a_hand_over_is_made_here_if_this_store_decides_again() {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        let namespace = engine.create_namespace(NamespaceConfig::memory("n")).unwrap();
        let store = namespace.store();
        let tries = Cell::new(0);
        let change = |store: &crate::store::RecordStore| {
            tries.set(tries.get() + 1);
            store.link.set_follows(tries.get() < 3);
            let allowed = store.check_open();
            store.link.set_follows(false);
            allowed
        };
        store.deciding(&change).unwrap();
        assert_eq!(tries.get(), 3);
        let closed = || tessera_base::Error::new(ErrorCode::Closed, "a cluster is closed first");
        assert_eq!(store.deciding(&|_| Err::<(), _>(closed())).unwrap_err(), closed());
        engine.close().unwrap();
        assert_eq!(store.deciding(&|store| store.check_open()).unwrap_err().code, ErrorCode::Closed);
    }
}
