//! Letting the store that follows lead, at one moment for all writers.

use super::{Keeper, Mirror, Role, none_follows};
use crate::store::RecordStore;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tessera_base::{Error, ErrorCode, Result, sentence, thread_guard};

impl RecordStore {
    /// Lets the store that follows lead, and this one follow it. Writers that come meanwhile wait, and go on with the store that leads then. `commit`
    /// makes it durable; after an error everything is as it was. `bounded`: as of `lead`.
    ///
    /// # Errors
    /// `migration_failed` if the other store does not follow, or the two count differently; `migration_active` while a truncation makes
    /// room; `cluster_unavailable`; those of `commit` and of the other store's sync.
    pub(crate) fn hand_over(self: &Arc<Self>, keeper: Arc<dyn Keeper>, bounded: bool, commit: impl FnOnce() -> Result<()>) -> Result<()> {
        thread_guard::may_wait("waits for the writers of a namespace");
        let _long = self.link.long.write();
        // Whoever carries has carried; others wait.
        let mut mine = self.link.role.write();
        let Role::Leads(mirror) = &*mine else { return Err(none_follows()) };
        let (mirror, target) = (mirror.clone(), mirror.target.clone());
        let mut theirs = target.link.role.write();
        self.link.set_follows(true);
        let handed = (|| {
            self.pass();
            // What is left of writers that have failed, and of those that are about to carry.
            mirror.carry_all(self)?;
            mirror.check()?;
            self.compare(&target)?;
            target.update_floor.fetch_max(self.update_floor.load(Ordering::Acquire), Ordering::AcqRel);
            target.end_copy(self)?;
            target.sync()?;
            commit()
        })();
        if handed.is_ok() {
            // Changes are noted there before the first is made.
            target.link.forget_all();
            target.link.set_leads(true);
            let back = Mirror::new(self.clone(), keeper);
            target.link.set_bounds(bounded.then(|| back.bounds()));
            *theirs = Role::Leads(back);
            self.link.set_leads(false);
            *mine = Role::Follows(Arc::downgrade(&target));
            target.link.set_follows(false);
        } else {
            self.link.set_follows(false);
        }
        handed
    }

    /// Whether both stores have as many records in each set. Nobody writes. On a cluster nobody counts them, and they are not compared.
    fn compare(&self, target: &Self) -> Result<()> {
        if self.is_elsewhere() || target.is_elsewhere() {
            return Ok(());
        }
        if self.hides_any() || target.hides_any() {
            let message = sentence!("a truncation is removing records; try again when it has ended");
            return Err(Error::said(ErrorCode::MigrationActive, message));
        }
        let count = |store: &Self, name: &str| store.sets.find(name).map_or(0, |set| set.records());
        let names = self.sets.all().into_iter().chain(target.sets.all()).map(|set| set.name.to_string());
        for name in names {
            let (here, there) = (count(self, &name), count(target, &name));
            if here != there {
                let message = sentence!(
                    "the set \"{name}\" has {here} records in the store that leads, and {there} in the one that follows",
                    name = name,
                    here = here,
                    there = there
                );
                return Err(Error::said(ErrorCode::MigrationFailed, message));
            }
        }
        Ok(())
    }
}
