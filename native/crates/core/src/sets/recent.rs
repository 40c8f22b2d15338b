//! The set that each thread wrote to last, lent without touching a cache line that other threads write.

use super::SetEntry;
use crossbeam_utils::CachePadded;
use parking_lot::{MappedMutexGuard, Mutex, MutexGuard};
use std::ops::Deref;
use std::sync::Arc;
use tessera_base::Result;
use tessera_base::latency::{EXCLUSIVE, stripe_number};

/// By stripe number of the thread: nobody waits for these locks.
#[derive(Debug, Default)]
pub(super) struct Recents {
    stripes: [CachePadded<Mutex<Option<Arc<SetEntry>>>>; EXCLUSIVE],
}

/// A set, for the length of an operation.
pub(crate) enum Lent<'a> {
    Recent(MappedMutexGuard<'a, Arc<SetEntry>>),
    Shared(Arc<SetEntry>),
}

impl Deref for Lent<'_> {
    type Target = SetEntry;

    fn deref(&self) -> &SetEntry {
        match self {
            Self::Recent(set) => set,
            Self::Shared(set) => set,
        }
    }
}

impl Recents {
    /// The set of this name: the thread's last one, or what `find` gives.
    ///
    /// # Errors
    /// Those of `find`.
    pub(super) fn lend(&self, name: &str, find: impl Fn() -> Result<Arc<SetEntry>>) -> Result<Lent<'_>> {
        // A thread without a number of its own, or with an operation under way that has borrowed already, does without.
        let Some(mut recent) = self.stripes.get(stripe_number()).and_then(|stripe| stripe.try_lock()) else {
            return find().map(Lent::Shared);
        };
        // A set is never replaced by another of its name.
        if recent.as_ref().is_none_or(|set| *set.name != *name) {
            *recent = Some(find()?);
        }
        let set = MutexGuard::try_map(recent, Option::as_mut);
        set.map_or_else(|_| find().map(Lent::Shared), |set| Ok(Lent::Recent(set)))
    }
}
