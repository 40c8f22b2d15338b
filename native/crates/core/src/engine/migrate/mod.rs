//! Taking a namespace from one engine to another, or to another number of segments, page size or
//! container, while it is read and written: see `docs/internals/migrate.md`.
//!
//! `target` is what the second store is to be, `migration` how far it is, `copy` the job that makes
//! both stores the same, `open` what a start does. Here is what a caller can do.

mod copy;
mod counts;
mod migration;
mod open;
mod target;

pub use counts::MigrationCounts;
pub(super) use migration::Migration;
pub use migration::{MigratingStore, MigrationInfo, MigrationPhase};
pub(super) use open::{go_back_to_disks, open_twin};
pub use target::MigrationTarget;

use super::{Engine, Member, NamespaceState, devices};
use crate::manifest::{NAMESPACES, NamespaceRecord, Twin, folder};
use crate::namespace::Start;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result, heap, sentence};
use tessera_jobs::Job;
use tessera_storage::device::Held;

impl Engine {
    /// Makes a second store of a namespace, which has every change from here on, and starts the job that copies the records and verifies them.
    ///
    /// # Errors
    /// `namespace_not_found` and the like; `migration_active`, `index_building`, `capability_unsupported` from a cluster to a cluster, `config_invalid` if
    /// the target is what the namespace is already, what `NamespaceConfig::check` returns, `device_not_allowed`, `job_limit`, and storage errors.
    pub fn migrate(&self, name: &str, target: &MigrationTarget) -> Result<Arc<Job>> {
        let _changes = self.changes.lock();
        let namespace = self.namespace(name)?;
        if self.members.migration(name).is_some() {
            return Err(Error::said(ErrorCode::MigrationActive, sentence!("\"{name}\" migrates already", name = name)));
        }
        let tenure = self.names().of(name);
        let migration = namespace.twin(|config| {
            let config = target.of(&config)?;
            config.check()?;
            let job = Migration::begin_job(&self.host, &namespace, &config, target)?;
            let of = *namespace.id();
            let made = self.make(config, Start::Copy, Some(tenure), |manifest, record| {
                manifest.twins.push(Twin { of, record: record.clone(), cut_over: false, failed: None, pace: target.pace() });
            });
            match made {
                Ok(follower) => {
                    let migration = Migration::new(self.host.clone(), namespace.clone(), Some(follower), false, None);
                    Ok((migration, job))
                }
                Err(error) => {
                    job.finish(Err(error.clone()));
                    Err(error)
                }
            }
            // While settings are held: from the first change on, the namespace is one that migrates.
            .inspect(|(migration, job)| copy::begin(migration, job))
        });
        let (migration, job) = migration?;
        self.members.migrations.lock().insert(name.to_owned(), migration);
        Ok(job)
    }

    /// How far the migration of a namespace is; `None` if it does not migrate.
    ///
    /// # Errors
    /// `namespace_not_found`, `closed`, and the like.
    pub fn migration(&self, name: &str) -> Result<Option<MigrationInfo>> {
        let namespace = self.namespace(name)?;
        let Some(migration) = self.members.migration(name) else { return Ok(None) };
        let manifest = self.host.manifest.read();
        let listed = manifest.twins.iter().find(|twin| twin.record.config.name == namespace.name());
        // One that ends at this moment is listed no more.
        Ok(listed.map(|twin| migration.info(twin.record.config.clone())))
    }

    /// Where the migration of a namespace stands, open or not, and whether it is cut over; `None` if it does not migrate.
    pub fn migration_mark(&self, member: &Member) -> Option<(MigrationPhase, bool)> {
        let unopened = match member {
            Member::Open(namespace) => return self.migration(namespace.name()).ok().flatten().map(|info| (info.phase, info.cut_over)),
            Member::Unopened(unopened) => unopened,
        };
        let manifest = self.host.manifest.read();
        let twin = manifest.twin_of(&unopened.record.id)?;
        // Once it is open, both stores are made the same again.
        let phase = if twin.failed.is_some() { MigrationPhase::Failed } else { MigrationPhase::Copying };
        Some((phase, twin.cut_over))
    }

    /// Starts the job again that makes both stores the same: after it has failed or was aborted.
    ///
    /// # Errors
    /// `migration_not_found`, `migration_active` while it is at work or has come to its end, `migration_failed` if the second store cannot be opened,
    /// `cluster_unavailable`, `job_limit`, and what `namespace` returns.
    pub fn resume_migration(&self, name: &str, target: &MigrationTarget) -> Result<Arc<Job>> {
        let _changes = self.changes.lock();
        let (namespace, migration) = (self.namespace(name)?, self.found(name)?);
        migration.check_failed()?;
        let (folders, until) = (self.directory.join(NAMESPACES), Instant::now() + self.disk_patience);
        migration.adopt(open::open_again(&self.host, &folders, &namespace, migration.follower(), until)?);
        let manifest = self.host.manifest.read();
        let other = &manifest.twin_of(namespace.id()).ok_or_else(|| not_found(name))?.record.config;
        let job = Migration::begin_job(&self.host, &namespace, other, target)?;
        // If it cannot be written down, a restart goes on as fast as before.
        let _ = self.host.manifest.update(|manifest| {
            manifest.twin_of_mut(namespace.id()).into_iter().for_each(|twin| twin.pace = target.pace());
            Ok(())
        });
        copy::begin(&migration, &job);
        Ok(job)
    }

    /// Lets the second store decide: reads and writes go there, and the first one follows it.
    ///
    /// # Errors
    /// `migration_not_found`, `migration_not_ready` before both are known to hold the same, or if it is cut over; `migration_failed`; as
    /// `RecordStore::hand_over`. Then the namespace goes on as before.
    pub fn cut_over(&self, name: &str) -> Result<()> {
        self.swap(name, true)
    }

    /// Lets the first store decide again, after a cut-over; also if the second one could not be opened. Then the first one has what it
    /// had when the process ended.
    ///
    /// # Errors
    /// As `cut_over`; why the first store cannot be opened.
    pub fn roll_back(&self, name: &str) -> Result<()> {
        self.swap(name, false)
    }

    fn swap(&self, name: &str, cut_over: bool) -> Result<()> {
        let changes = self.changes.lock();
        if let Member::Unopened(unopened) = self.member(name)?
            && unopened.failure().is_some()
            && !cut_over
        {
            let first = self.members.fall_back(&unopened)?;
            drop(changes);
            return self.members.bring_up(&first).map(drop);
        }
        let (_, migration) = (self.namespace(name)?, self.found(name)?);
        migration.swap(cut_over, |follower| self.members.exchange(follower))
    }

    /// Ends a migration. `cut_over`: the first store is removed, and the migration is done; else the second one, and nothing has happened. The
    /// job that is at work is aborted.
    ///
    /// # Errors
    /// `migration_not_found`; `migration_not_ready` if the store that would be removed is the one that decides; `starting` while the namespace
    /// recovers; `namespace_failed` if it could not be opened and the store that would be removed has all records; `storage_failed`: if files
    /// could not be removed, the next start tries again; `cluster_unavailable`: nothing has happened, or the keyspace of the second store is left.
    pub fn end_migration(&self, name: &str, cut_over: bool) -> Result<()> {
        let _changes = self.changes.lock();
        self.check_open()?;
        self.check_directory()?;
        let member = self.member(name)?;
        if let (NamespaceState::Recovering, _) = member.state() {
            member.open()?;
        }
        let manifest = self.host.manifest.read();
        let missing = || Error::said(ErrorCode::NamespaceNotFound, sentence!("there is no namespace \"{name}\"", name = name));
        let record = manifest.find(name).ok_or_else(missing)?;
        let twin = manifest.twin_of(&record.id).ok_or_else(|| not_found(name))?;
        if twin.cut_over != cut_over {
            let message = match cut_over {
                true => sentence!("\"{name}\" is not cut over: cut it over first, or abandon the migration", name = name),
                false => sentence!("\"{name}\" is cut over: roll it back first, or finish the migration", name = name),
            };
            return Err(Error::said(ErrorCode::MigrationNotReady, message));
        }
        if cut_over && twin.failed.is_none() {
            // The first store is the only whole one if the second could not be opened.
            member.open()?;
        }
        drop(member);
        self.host.manifest.watch().check_own(twin.record.number)?;
        let path = self.members.folder_of(twin.record.number);
        folder::mark_discarded(&path, &twin.record)?;
        let migration = self.members.migration(name);
        let released = migration.as_ref().map_or(Ok(()), |migration| migration.release());
        released.and_then(|()| self.unlist(&twin.record.id)).inspect_err(|error| {
            drop(folder::unmark(&path));
            // Other servers may have written since.
            migration.iter().for_each(|migration| migration.doubt(error));
        })?;
        self.members.migrations.lock().remove(name);
        let mut removed = Ok(());
        let until = Instant::now() + self.disk_patience;
        let may_wait = || Instant::now() < until;
        let held = match migration.and_then(|migration| migration.end()) {
            Some(follower) => {
                // What the storage fails to flush is about to be removed anyway.
                let _ = follower.store().stop();
                if !cut_over {
                    // A source on a cluster stays there, as after a drop.
                    removed = follower.store().remove_elsewhere();
                }
                Held::Here
            }
            None => Held::Unknown { may_wait: &may_wait },
        };
        heap::give_back();
        devices::release(&path, &twin.record.id, held).and(removed)
    }

    fn found(&self, name: &str) -> Result<Arc<Migration>> {
        self.members.migration(name).ok_or_else(|| not_found(name))
    }

    /// # Errors
    /// `migration_active`.
    pub(super) fn check_not_migrating(&self, record: &NamespaceRecord) -> Result<()> {
        if self.host.manifest.read().twin_of(&record.id).is_some() {
            let message = sentence!("\"{name}\" migrates: finish the migration or abandon it first", name = &record.config.name);
            return Err(Error::said(ErrorCode::MigrationActive, message));
        }
        Ok(())
    }
}

fn not_found(name: &str) -> Error {
    Error::said(ErrorCode::MigrationNotFound, sentence!("\"{name}\" does not migrate", name = name))
}

#[cfg(test)]
mod tests;
