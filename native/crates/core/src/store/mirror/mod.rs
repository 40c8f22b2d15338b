//! The second store of a namespace that migrates.
//!
//! One of the two decides: it leads. What it changes is noted under the lock of the segment, and
//! carried to the other before the change is answered. Carrying looks at the record as it is then,
//! and makes it the same over there, so that it may come late, twice, or for a version that is not
//! the latest any more. `link` is what each of the two knows of the other, `carry` makes a record
//! the same, `hand_over` lets the other lead, `walk` goes through all records, `elsewhere` is for records on a cluster.

mod bounds;
mod carry;
mod elsewhere;
mod hand_over;
mod link;
mod walk;

use bounds::Bounds;
pub(crate) use carry::{Outcome, Reason, passes};
pub(in crate::store) use link::Link;
pub(crate) use walk::{MetRecord, Seen};

use crate::manifest::Truncation;
use crate::store::RecordStore;
use link::Role;
use parking_lot::{Mutex, MutexGuard};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, Ordering};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::Digest;

/// Records are carried one at a time of those that share a lock.
const ORDERS: usize = 1024;

/// What the manifest has to know of a store that follows.
pub(crate) trait Keeper: Send + Sync {
    /// Writes a truncation down before it hides a record there.
    ///
    /// # Errors
    /// What writing the manifest returns.
    fn keep(&self, truncation: &Truncation) -> Result<()>;

    /// Writes down that it does not follow any more. Only once this returns is a change answered that it does not have.
    ///
    /// # Errors
    /// What writing the manifest returns.
    fn failed(&self, error: &Error) -> Result<()>;
}

/// The way from a store that leads to the one that follows it.
pub(crate) struct Mirror {
    target: Arc<RecordStore>,
    keeper: Arc<dyn Keeper>,
    /// Held while a record is carried. Never asked for with a segment locked.
    order: Box<[Mutex<()>]>,
    failing: Arc<AtomicBool>,
    failure: Mutex<Option<Failure>>,
}

struct Failure {
    error: Error,
    /// Whether the manifest has it.
    kept: bool,
}

impl Mirror {
    fn new(target: Arc<RecordStore>, keeper: Arc<dyn Keeper>) -> Arc<Self> {
        let order = (0..ORDERS).map(|_| Mutex::new(())).collect();
        Arc::new(Self { target, keeper, order, failing: Arc::default(), failure: Mutex::default() })
    }

    fn turn(&self, digest: &Digest) -> MutexGuard<'_, ()> {
        self.order[digest.hash64() as usize % ORDERS].lock()
    }

    /// Why the target does not follow any more.
    fn failure(&self) -> Option<Error> {
        if !self.failing.load(Ordering::Acquire) {
            return None;
        }
        self.failure.lock().as_ref().map(|failure| failure.error.clone())
    }

    /// # Errors
    /// Why the target does not follow any more.
    fn check(&self) -> Result<()> {
        self.failure().map_or(Ok(()), Err)
    }

    /// Gives the target up: from here on nothing is carried. Every change after that waits until the manifest has it.
    ///
    /// # Errors
    /// `write_uncertain` while the manifest does not: a start would take the target for one that follows.
    fn give_up(&self, error: &Error) -> Result<()> {
        let mut failure = self.failure.lock();
        let failure = failure.get_or_insert_with(|| Failure { error: error.clone(), kept: false });
        self.failing.store(true, Ordering::Release);
        if !failure.kept {
            self.keeper.failed(&failure.error).map_err(|error| {
                let message =
                    sentence!("the second store has not taken a change, and that cannot be written down: {message}", message = &error);
                Error::said(ErrorCode::WriteUncertain, message)
            })?;
            failure.kept = true;
        }
        Ok(())
    }
}

fn none_follows() -> Error {
    Error::said(ErrorCode::MigrationFailed, sentence!("the second store does not follow the namespace"))
}

impl RecordStore {
    /// Whether there is a second store, before this one or behind it.
    pub(crate) fn migrates(&self) -> bool {
        self.link.follows() || self.link.leads()
    }

    /// Makes another store of the namespace follow this one: from here on it has every change before the change is answered.
    /// Changes before that are for `converge`. Leads it again if it did before, whatever had failed. `bounded`: a record that the
    /// other store cannot hold is refused.
    pub(crate) fn lead(self: &Arc<Self>, target: &Arc<Self>, keeper: Arc<dyn Keeper>, bounded: bool) {
        *target.link.role.write() = Role::Follows(Arc::downgrade(self));
        target.link.set_follows(true);
        let mirror = Mirror::new(target.clone(), keeper);
        self.link.set_bounds(bounded.then(|| mirror.bounds()));
        *self.link.role.write() = Role::Leads(mirror);
        self.link.set_leads(true);
        // Who changes something behind this notes it.
        self.pass();
        drop(self.link.long.write());
    }

    /// Lets the other store go: this one is alone again. The other refers to it for ever.
    pub(crate) fn lead_no_more(&self) {
        let mut role = self.link.role.write();
        *role = Role::Alone;
        self.link.set_leads(false);
        self.link.set_bounds(None);
        self.link.forget_all();
    }

    /// Why the other store does not follow any more.
    pub(crate) fn mirror_failure(&self) -> Option<Error> {
        self.link.mirror().and_then(|mirror| mirror.failure())
    }

    /// Whether the other store follows. Waits for nobody.
    ///
    /// # Errors
    /// `migration_failed`.
    pub(crate) fn check_mirror(&self) -> Result<()> {
        match self.link.mirror().filter(|mirror| !mirror.failing.load(Ordering::Acquire)) {
            Some(_) => Ok(()),
            None => Err(none_follows()),
        }
    }

    /// As if the other store had refused a change.
    ///
    /// # Errors
    /// `write_uncertain` if the manifest cannot be written.
    pub(crate) fn give_mirror_up(&self, error: &Error) -> Result<()> {
        self.link.mirror().map_or(Ok(()), |mirror| mirror.give_up(error))
    }

    /// Hides records here and in the other store, up to the same moment.
    ///
    /// # Errors
    /// As `Mirror::give_up`: the records are hidden all the same.
    pub(in crate::store) fn mirrored_truncation(&self, truncation: &Truncation, hide: impl FnOnce()) -> Result<()> {
        let mut hide = Some(hide);
        let carried = self.link.carrying(|mirror| {
            // First, as it takes its time.
            let kept = mirror.check().and_then(|()| mirror.keeper.keep(truncation));
            // What is being carried is over there by then, and is hidden in both at once.
            let turns: Vec<_> = mirror.order.iter().map(Mutex::lock).collect();
            hide.take().into_iter().for_each(|hide| hide());
            let hidden = kept.and_then(|()| mirror.target.hide_as(truncation));
            drop(turns);
            let removed = hidden.and_then(|hidden| hidden.map_or(Ok(()), |set| mirror.target.remove_as(set, truncation)));
            removed.or_else(|error| mirror.give_up(&error))
        });
        hide.into_iter().for_each(|hide| hide());
        carried.unwrap_or(Ok(()))
    }

    /// Waits until no change is under way that began before.
    pub(in crate::store) fn pass(&self) {
        // Who writes a record that a bin places holds its key throughout.
        self.stripes.iter().for_each(|stripe| drop(stripe.lock()));
        self.segments.iter().for_each(|cell| cell.write(|_| ()));
    }
}
