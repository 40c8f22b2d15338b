//! The namespaces of an open data directory. Those on a device are opened behind the caller's back, one after the other, smallest first;
//! one that cannot be opened stays listed, with the reason, and its files are left as they are.

use super::member::{Member, Unopened};
use super::migrate::{self, Migration};
use crate::config::EngineConfig;
use crate::manifest::{Loss, NamespaceRecord};
use crate::metrics::MetricsRing;
use crate::namespace::{Host, Namespace, Start};
use parking_lot::{Condvar, Mutex, RwLock};
use std::collections::BTreeMap;
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tessera_base::pool::caught;
use tessera_base::{Error, ErrorCode, Result, clock, heap, sentence};

pub(super) struct Members {
    /// Folder of the namespaces' own folders.
    folder: PathBuf,
    host: Arc<Host>,
    metrics: Arc<MetricsRing>,
    /// `EngineOptions::disk_patience`.
    disk_patience: Duration,
    /// Oldest first.
    list: RwLock<Vec<Member>>,
    /// How many are being opened, or wait for it.
    opening: Mutex<usize>,
    settled: Condvar,
    /// Of the namespaces that are open, by name.
    pub(super) migrations: Mutex<BTreeMap<String, Arc<Migration>>>,
    /// Dropped namespaces whose records are in memory, by the number of their folder.
    held: Mutex<BTreeMap<u64, Arc<Namespace>>>,
}

impl Members {
    /// Lists `records` and begins to open them; those without a device are open when this returns.
    pub(super) fn start(
        folder: PathBuf,
        host: Arc<Host>,
        metrics: Arc<MetricsRing>,
        disk_patience: Duration,
        records: Vec<NamespaceRecord>,
    ) -> Arc<Self> {
        let (list, opening, settled) = (RwLock::default(), Mutex::default(), Condvar::new());
        let (migrations, held) = (Mutex::default(), Mutex::default());
        let members = Arc::new(Self { folder, host, metrics, disk_patience, list, opening, settled, migrations, held });
        let (mut on_disk, mut on_clusters) = (Vec::new(), Vec::new());
        // All disks are waited for together.
        let disks_until = Instant::now() + disk_patience;
        for record in records {
            let unopened = members.begin(record, disks_until, false);
            members.list.write().push(Member::Unopened(unopened.clone()));
            match unopened.config().engine {
                EngineConfig::Memory => drop(members.bring_up(&unopened)),
                EngineConfig::Device(_) | EngineConfig::Paged(_) => on_disk.push(unopened),
                EngineConfig::Cassandra(_) => on_clusters.push(unopened),
            }
        }
        // One that does not answer holds up neither a disk nor another.
        for unopened in on_clusters {
            let mine = members.clone();
            members.host.resources.pool.spawn(move || drop(mine.bring_up(&unopened)));
        }
        // Each is read by all processors, so one after the other; the small ones need not wait for the big.
        on_disk.sort_by_key(|unopened| unopened.file_bytes());
        if !on_disk.is_empty() {
            let mine = members.clone();
            members.host.resources.pool.spawn(move || on_disk.iter().for_each(|unopened| drop(mine.bring_up(unopened))));
        }
        members
    }

    pub(super) fn host(&self) -> &Arc<Host> {
        &self.host
    }

    pub(super) fn folder_of(&self, number: u64) -> PathBuf {
        self.folder.join(number.to_string())
    }

    pub(super) fn all(&self) -> Vec<Member> {
        self.list.read().clone()
    }

    /// Those that are open.
    pub(super) fn open(&self) -> Vec<Arc<Namespace>> {
        self.list.read().iter().filter_map(|member| member.open().ok().cloned()).collect()
    }

    /// Calls `take` with the namespace of that name.
    ///
    /// # Errors
    /// `namespace_not_found`, and what `take` returns.
    pub(super) fn find<R>(&self, name: &str, take: impl FnOnce(&Member) -> Result<R>) -> Result<R> {
        let list = self.list.read();
        match list.iter().find(|member| member.name() == name) {
            Some(member) => take(member),
            None => Err(Error::said(ErrorCode::NamespaceNotFound, sentence!("there is no namespace \"{name}\"", name = name))),
        }
    }

    /// Makes what a new namespace, or a second store of one, needs; `add` lists the namespace.
    ///
    /// # Errors
    /// What the storage returns.
    pub(super) fn create(&self, record: &NamespaceRecord, start: Start<'_>) -> Result<Arc<Namespace>> {
        Namespace::open(record, &self.folder_of(record.number), self.host.clone(), start)
    }

    pub(super) fn add(&self, namespace: Arc<Namespace>) {
        self.metrics.register(namespace.latency());
        self.list.write().push(Member::Open(namespace));
    }

    /// Lists a namespace in the place of another of the same name.
    pub(super) fn exchange(&self, namespace: Arc<Namespace>) {
        self.metrics.register(namespace.latency());
        if let Some(listed) = self.list.write().iter_mut().find(|listed| listed.name() == namespace.name()) {
            *listed = Member::Open(namespace);
        }
    }

    pub(super) fn remove(&self, name: &str) {
        self.list.write().retain(|member| member.name() != name);
    }

    /// Keeps a dropped namespace with its records. Its figures are no longer in the frames: another may get its name.
    pub(super) fn hold(&self, number: u64, namespace: Arc<Namespace>) {
        self.metrics.unregister(namespace.latency());
        self.held.lock().insert(number, namespace);
    }

    /// The dropped namespace in that folder, if its records are in memory.
    pub(super) fn held(&self, number: u64) -> Option<Arc<Namespace>> {
        self.held.lock().get(&number).cloned()
    }

    pub(super) fn let_go(&self, number: u64) -> Option<Arc<Namespace>> {
        self.held.lock().remove(&number)
    }

    /// All dropped namespaces whose records are in memory.
    pub(super) fn all_held(&self) -> Vec<Arc<Namespace>> {
        self.held.lock().values().cloned().collect()
    }

    /// Lists a namespace whose files are there, for `bring_up`.
    pub(super) fn adopt(&self, record: NamespaceRecord) -> Arc<Unopened> {
        let unopened = self.begin(record, Instant::now() + self.disk_patience, false);
        self.list.write().push(Member::Unopened(unopened.clone()));
        unopened
    }

    /// Lists a namespace that failed as recovering again, for `bring_up`; `None` when it is open.
    ///
    /// # Errors
    /// `namespace_not_found`; `starting` while it recovers; `no_loss` if one is to be accepted and there is none; what writing
    /// the manifest returns.
    pub(super) fn retry(&self, name: &str, accept_loss: bool) -> Result<Option<Arc<Unopened>>> {
        let unopened = match self.find(name, |member| Ok(member.clone()))? {
            Member::Unopened(unopened) if unopened.failure().is_some() => unopened,
            member => {
                member.open()?;
                return if accept_loss { Err(no_loss(name, None)) } else { Ok(None) };
            }
        };
        let record = if accept_loss { self.accept_loss(&unopened)? } else { unopened.record.clone() };
        let again = self.begin(record, Instant::now() + self.disk_patience, accept_loss);
        self.replace(&unopened, Member::Unopened(again.clone()));
        Ok(Some(again))
    }

    /// Writes down that the loss which a namespace failed with is accepted, before its files are touched: what an opening
    /// mends, no later one finds. Returns the record with it.
    fn accept_loss(&self, unopened: &Unopened) -> Result<NamespaceRecord> {
        let name = &unopened.record.config.name;
        let Some(failure) = unopened.failure().filter(|failure| failure.is_loss()) else {
            return Err(no_loss(name, unopened.failure().map(|failure| failure.code)));
        };
        let loss = Loss::of(clock::unix_millis(), failure);
        self.host.manifest.update(|manifest| {
            let record = manifest
                .find_mut(name)
                .ok_or_else(|| Error::said(ErrorCode::NamespaceNotFound, sentence!("there is no namespace \"{name}\"", name = name)))?;
            record.add_losses([loss.clone()]);
            let record = record.clone();
            // What is lost here may be there: it must not be made the same without being asked for.
            manifest.twin_of_mut(&record.id).into_iter().for_each(|twin| twin.failed = Some(loss.clone()));
            Ok(record)
        })
    }

    /// Lists the first store of a migration in the place of the second, which leads and could not be opened, for `bring_up`.
    ///
    /// # Errors
    /// `migration_not_found`, `migration_not_ready` if it is not cut over, `migration_failed` if the first store lacks changes; what writing
    /// the manifest returns.
    pub(super) fn fall_back(&self, unopened: &Arc<Unopened>) -> Result<Arc<Unopened>> {
        let id = unopened.record.id;
        let record = self.host.manifest.update(|manifest| {
            let twin = manifest.twin_of(&id).filter(|twin| twin.cut_over);
            if let Some(failed) = twin.and_then(|twin| twin.failed.as_ref()) {
                let message = sentence!("the first store lacks changes: {message}", message = &failed.message);
                return Err(Error::said(ErrorCode::MigrationFailed, message));
            }
            let not_ready =
                || Error::said(ErrorCode::MigrationNotReady, sentence!("\"{name}\" is not cut over", name = &unopened.record.config.name));
            let first = twin.ok_or_else(not_ready)?.record.clone();
            manifest.exchange(&id)?;
            Ok(first)
        })?;
        let first = self.begin(record, self.disks_until(), false);
        self.replace(unopened, Member::Unopened(first.clone()));
        Ok(first)
    }

    /// Until when another process's disks are waited for from now on.
    fn disks_until(&self) -> Instant {
        Instant::now() + self.disk_patience
    }

    fn replace(&self, unopened: &Arc<Unopened>, member: Member) {
        let mut list = self.list.write();
        if let Some(listed) = list.iter_mut().find(|listed| listed.is(unopened)) {
            *listed = member;
        }
    }

    fn begin(&self, record: NamespaceRecord, disks_until: Instant, accept_loss: bool) -> Arc<Unopened> {
        *self.opening.lock() += 1;
        let folder = self.folder_of(record.number);
        Arc::new(Unopened::recovering(record, &folder, disks_until, accept_loss))
    }

    /// Opens what `begin` began, and lists how it went.
    ///
    /// # Errors
    /// Why it cannot be opened.
    pub(super) fn bring_up(&self, unopened: &Arc<Unopened>) -> Result<Arc<Namespace>> {
        let record = &unopened.record;
        let folder = self.folder_of(record.number);
        let opened = caught(|| Namespace::open(record, &folder, self.host.clone(), Start::Existing(unopened.progress())));
        let member = match &opened {
            Ok(namespace) => {
                self.metrics.register(namespace.latency());
                // Before the first write is served: each has to be in both stores.
                if let Some(migration) = migrate::open_twin(&self.host, &self.folder, namespace, self.disks_until()) {
                    self.migrations.lock().insert(namespace.name().to_owned(), migration);
                } else {
                    // The end of a migration may have been cut off. A next start tries again.
                    let _ = namespace.store().release();
                }
                Member::Open(namespace.clone())
            }
            Err(error) => {
                heap::give_back();
                Member::Unopened(Arc::new(unopened.failed(error.clone())))
            }
        };
        self.replace(unopened, member);
        *self.opening.lock() -= 1;
        self.settled.notify_all();
        opened
    }

    /// Waits until nothing is being opened.
    pub(super) fn settle(&self) {
        let mut opening = self.opening.lock();
        while *opening > 0 {
            self.settled.wait(&mut opening);
        }
    }

    pub(super) fn migration(&self, name: &str) -> Option<Arc<Migration>> {
        self.migrations.lock().get(name).cloned()
    }

    /// The stores that follow those of namespaces.
    pub(super) fn followers(&self) -> Vec<Arc<Namespace>> {
        let migrations: Vec<_> = self.migrations.lock().values().cloned().collect();
        migrations.iter().filter_map(|migration| migration.follower()).collect()
    }

    /// Before the engine closes: what fails from here on has not failed.
    pub(super) fn end_migrations(&self) -> Vec<Arc<Migration>> {
        let migrations: Vec<_> = std::mem::take(&mut *self.migrations.lock()).into_values().collect();
        migrations.iter().for_each(|migration| migration.close());
        migrations
    }

    /// Calls off what is being opened, and takes everything off the list. Returns what was open.
    pub(super) fn clear(&self) -> Vec<Arc<Namespace>> {
        for member in self.all() {
            if let Member::Unopened(unopened) = member {
                unopened.progress().cancel();
            }
        }
        self.settle();
        let held = std::mem::take(&mut *self.held.lock()).into_values();
        self.list.write().drain(..).filter_map(|member| member.open().ok().cloned()).chain(held).collect()
    }
}

/// `failed`: the code that it failed with; `None` if it is open.
fn no_loss(name: &str, failed: Option<ErrorCode>) -> Error {
    let why = failed.map_or_else(|| sentence!("it is open"), |code| sentence!("it failed with {code}", code = code.as_str()));
    let message = sentence!(
        "the namespace \"{name}\" has no loss to accept: {why}; only log_damaged, data_rolled_back and record_damaged can be accepted",
        name = name,
        why = why
    );
    Error::said(ErrorCode::NoLoss, message).in_field("acceptLoss")
}

#[cfg(test)]
mod tests;
