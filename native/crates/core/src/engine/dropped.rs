//! Dropped namespaces that can be restored: set aside, listed, restored, and removed for good when their time is up.
//!
//! The manifest says what a namespace is, so a kill at any moment leaves it listed, or set aside, or gone. Its folder and its
//! devices stay as they are meanwhile. One in memory keeps its records until the process ends.

use super::members::Members;
use super::{Engine, Member, devices};
use crate::config::EngineConfig;
use crate::manifest::{KeptTenure, SetAside, folder};
use crate::namespace::Namespace;
use parking_lot::Mutex;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_base::settled_clock::SettledClock;
use tessera_base::ticker::Ticker;
use tessera_base::{Error, ErrorCode, Result, clock, heap, limits, sentence};
use tessera_jobs::JobKind;
use tessera_storage::device::{DiskPlace, Held};
use tessera_storage::paged;

/// A dropped namespace goes at most this long after its time is up, unless the clock jumped or the disk hangs.
const PERIOD: Duration = Duration::from_millis(250);

/// A namespace that was dropped and can be restored.
#[derive(Clone, Debug)]
pub struct Dropped {
    pub kept: SetAside,
    /// Records that a restore brings back; `None` if it was not open when it was dropped.
    pub records: Option<u64>,
    /// What it holds in memory now.
    pub memory_bytes: u64,
}

impl Dropped {
    fn of(kept: SetAside, members: &Members) -> Self {
        let held = members.held(kept.record.number);
        let records = match (&held, &kept.record.config.engine) {
            (Some(namespace), _) => Some(namespace.records()),
            // They went with the process that had them.
            (None, EngineConfig::Memory) => Some(0),
            _ => kept.records,
        };
        Self { memory_bytes: held.map_or(0, |namespace| namespace.memory().total()), records, kept }
    }

    /// Its id: no other namespace of the data directory has had it or will.
    pub const fn id(&self) -> u64 {
        self.kept.record.number
    }

    pub fn name(&self) -> &str {
        &self.kept.record.config.name
    }
}

/// Begins to remove dropped namespaces whose time is up.
///
/// # Errors
/// `internal` when the system refuses a thread.
pub(super) fn start_remover(members: &Arc<Members>, changes: &Arc<Mutex<()>>, patience: Duration) -> Result<Ticker> {
    let (members, changes) = (Arc::clone(members), Arc::clone(changes));
    let newest = members.host().manifest.read().dropped.iter().map(|dropped| dropped.dropped_at_ms).max();
    let mut settled = SettledClock::default();
    settled.start(newest.unwrap_or(0), clock::unix_millis(), Instant::now());
    Ticker::start("remover", PERIOD, move || {
        let now = settled.look(clock::unix_millis(), Instant::now());
        let is_over = |dropped: &SetAside| dropped.until_ms <= now;
        if !members.host().manifest.read().dropped.iter().any(is_over) {
            return;
        }
        let _changes = changes.lock();
        for dropped in members.host().manifest.read().dropped.into_iter().filter(is_over) {
            // What fails before the manifest forgets it is tried again with the next tick, and later by the next start.
            let _ = remove(&members, &dropped, patience);
        }
    })
}

/// Removes a dropped namespace for good. `changes` is held.
///
/// # Errors
/// `data_directory_unavailable`, `storage_failed`; what the manifest has forgotten already, the next start removes.
fn remove(members: &Members, dropped: &SetAside, patience: Duration) -> Result<()> {
    let (record, manifest) = (&dropped.record, &members.host().manifest);
    let path = members.folder_of(record.number);
    manifest.watch().look(None)?;
    // Somebody may have put another folder in its place: that one stays.
    let is_ours = folder::read(&path).is_ok_and(|found| found.is_some_and(|found| found.id == record.id));
    if is_ours {
        folder::mark_discarded(&path, record)?;
    }
    let forget = |manifest: &mut crate::manifest::Manifest| {
        manifest.dropped.retain(|one| one.record.id != record.id);
        Ok(())
    };
    manifest.update(forget).inspect_err(|_| drop(folder::unmark(&path)))?;
    if let Some(namespace) = members.let_go(record.number) {
        let _ = namespace.store().stop();
    }
    heap::give_back();
    if !is_ours {
        return Ok(());
    }
    let until = Instant::now() + patience;
    devices::release(&path, &record.id, Held::Unknown { may_wait: &|| Instant::now() < until })
}

/// Length of a namespace's data files together; 0 where there are none.
fn disk_bytes(engine: &EngineConfig, folder: &Path) -> u64 {
    match engine {
        EngineConfig::Memory | EngineConfig::Cassandra(_) => 0,
        EngineConfig::Device(device) => device.places(folder).iter().map(DiskPlace::length).sum(),
        EngineConfig::Paged(_) => paged::file_bytes(folder),
    }
}

impl Engine {
    /// Drops a namespace, so that `restore_dropped` can take that back until its time is up. Its name is free at once. `None`:
    /// `EngineOptions::undo` is zero, and it is gone.
    ///
    /// # Errors
    /// `namespace_not_found`, `starting` while it recovers, `migration_active`, `dropped_limit`, `closed`,
    /// `data_directory_unavailable`, `storage_failed`; then it is not dropped. What its storage could not write is in the state
    /// that a restore brings.
    pub fn set_aside(&self, name: &str) -> Result<Option<Dropped>> {
        if self.undo.is_zero() {
            return self.drop_namespace(name).map(|()| None);
        }
        let _changes = self.changes.lock();
        let (member, record) = self.droppable(name)?;
        let number = record.number;
        let dropped_at_ms = clock::unix_millis();
        let kept = SetAside {
            dropped_at_ms,
            until_ms: dropped_at_ms.saturating_add(self.undo.as_millis() as u64),
            records: member.open().ok().filter(|namespace| !namespace.config().engine.is_remote()).map(|namespace| namespace.records()),
            disk_bytes: disk_bytes(&record.config.engine, &self.members.folder_of(number)),
            record,
        };
        let kept = self.host.manifest.update(|manifest| {
            if manifest.dropped.len() >= limits::DROPPED {
                let message = sentence!("{most} dropped namespaces can be restored, and more are not held", most = limits::DROPPED);
                return Err(Error::said(ErrorCode::DroppedLimit, message));
            }
            let place = manifest.namespaces.iter().position(|listed| listed.number == number);
            // As it stands now: its settings may just have changed.
            let record = place.map(|place| manifest.namespaces.remove(place)).unwrap_or_else(|| kept.record.clone());
            let kept = SetAside { record, ..kept };
            manifest.dropped.push(kept.clone());
            Ok(kept)
        })?;
        self.members.remove(name);
        self.slow().forget_threshold(name);
        if let Ok(namespace) = member.open() {
            self.retire(namespace, number);
        }
        drop(member);
        heap::give_back();
        Ok(Some(Dropped::of(kept, &self.members)))
    }

    /// Ends the jobs of a namespace that is set aside. One with files is closed; one in memory is kept as it is.
    fn retire(&self, namespace: &Arc<Namespace>, number: u64) {
        let jobs = &self.host.resources.jobs;
        let builds = |kind: JobKind| matches!(kind, JobKind::IndexBuild | JobKind::SetIndexBuild);
        jobs.abort_where(|job| job.namespace == namespace.name() && !builds(job.kind));
        if matches!(namespace.config().engine, EngineConfig::Memory) {
            // Builds go on, so that a restore brings the indexes too.
            self.members.hold(number, Arc::clone(namespace));
            return;
        }
        jobs.call_off_where(|job| job.namespace == namespace.name() && builds(job.kind));
        // What could not be flushed is found by a restore as by a start.
        let _ = namespace.close();
    }

    /// The dropped namespaces that can be restored, oldest drop first.
    ///
    /// # Errors
    /// `closed`.
    pub fn dropped(&self) -> Result<Vec<Dropped>> {
        self.check_open()?;
        Ok(self.host.manifest.read().dropped.into_iter().map(|kept| Dropped::of(kept, &self.members)).collect())
    }

    /// # Errors
    /// `dropped_not_found`, `closed`.
    pub fn dropped_one(&self, id: u64) -> Result<Dropped> {
        self.check_open()?;
        let kept = self.host.manifest.read().dropped_in(id).cloned();
        kept.map(|kept| Dropped::of(kept, &self.members)).ok_or_else(|| not_found(id))
    }

    /// Lists a dropped namespace again, under its own name or `name`, and opens it. It is answered as it then stands: it may
    /// have failed.
    ///
    /// # Errors
    /// `dropped_not_found`, `namespace_exists`, `namespace_limit`, `name_invalid`, `closed`, `data_directory_unavailable`,
    /// `storage_failed`; `capability_unsupported` for another name of one whose records are in memory.
    pub fn restore_dropped(&self, id: u64, name: Option<String>) -> Result<Member> {
        let (unopened, name) = {
            let _changes = self.changes.lock();
            let dropped = self.dropped_one(id)?;
            self.check_directory()?;
            let name = name.unwrap_or_else(|| dropped.name().to_owned());
            limits::check_name(&name, "name")?;
            let held = self.members.held(id);
            if held.is_some() && name != dropped.name() {
                let message =
                    sentence!("records in memory keep the name of their namespace; restore it as \"{name}\"", name = dropped.name());
                return Err(Error::said(ErrorCode::CapabilityUnsupported, message).in_field("name"));
            }
            self.check_name_free(&name)?;
            let record = self.host.manifest.update(|manifest| {
                let place = manifest.dropped.iter().position(|dropped| dropped.record.number == id).ok_or_else(|| not_found(id))?;
                let mut record = manifest.dropped.remove(place).record;
                record.config.name.clone_from(&name);
                record.tenure = Some(KeptTenure { since_ms: clock::unix_millis(), ..record.tenure().into() });
                manifest.namespaces.push(record.clone());
                Ok(record)
            })?;
            match self.members.let_go(id) {
                Some(namespace) => {
                    self.members.add(namespace);
                    (None, name)
                }
                None => (Some(self.members.adopt(record)), name),
            }
        };
        if let Some(unopened) = unopened {
            // How it went is in its state.
            let _ = self.members.bring_up(&unopened);
        }
        self.member(&name)
    }

    /// Removes a dropped namespace for good, before its time is up.
    ///
    /// # Errors
    /// `dropped_not_found`, `closed`, `data_directory_unavailable`, `storage_failed`.
    pub fn remove_dropped(&self, id: u64) -> Result<Dropped> {
        let _changes = self.changes.lock();
        let dropped = self.dropped_one(id)?;
        remove(&self.members, &dropped.kept, self.disk_patience)?;
        Ok(dropped)
    }
}

fn not_found(id: u64) -> Error {
    Error::said(ErrorCode::DroppedNotFound, sentence!("no dropped namespace {id} can be restored", id = id.to_string()))
}

#[cfg(test)]
mod tests;
