//! The namespaces of an open data directory. Those on a device are opened behind the caller's back, one after the other, smallest first;
//! one that cannot be opened stays listed, with the reason, and its files are left as they are.

use super::member::{Member, Unopened};
use crate::config::EngineConfig;
use crate::error::{Error, ErrorCode, Result};
use crate::heap;
use crate::manifest::NamespaceRecord;
use crate::metrics::MetricsRing;
use crate::namespace::{Host, Namespace, Start};
use crate::pool::caught;
use parking_lot::{Condvar, Mutex, RwLock};
use std::path::PathBuf;
use std::sync::Arc;
use std::time::{Duration, Instant};

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
        let members = Arc::new(Self { folder, host, metrics, disk_patience, list, opening, settled });
        let mut on_disk = Vec::new();
        // All disks are waited for together.
        let disks_until = Instant::now() + disk_patience;
        for record in records {
            let unopened = members.begin(record, disks_until);
            members.list.write().push(Member::Unopened(unopened.clone()));
            match unopened.config().engine {
                EngineConfig::Memory => drop(members.bring_up(&unopened)),
                EngineConfig::Device(_) | EngineConfig::Paged(_) => on_disk.push(unopened),
            }
        }
        // Each is read by all processors, so one after the other; the small ones need not wait for the big.
        on_disk.sort_by_key(|unopened| unopened.file_bytes());
        if !on_disk.is_empty() {
            let mine = members.clone();
            members.host.pool.spawn(move || on_disk.iter().for_each(|unopened| drop(mine.bring_up(unopened))));
        }
        members
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
            None => Err(Error::new(ErrorCode::NamespaceNotFound, format!("there is no namespace {name:?}"))),
        }
    }

    /// Makes what a new namespace needs; `add` lists it.
    ///
    /// # Errors
    /// What the storage returns.
    pub(super) fn create(&self, record: &NamespaceRecord) -> Result<Arc<Namespace>> {
        let namespace = Namespace::open(record, &self.folder_of(record.number), self.host.clone(), Start::New)?;
        self.metrics.register(namespace.latency());
        Ok(namespace)
    }

    pub(super) fn add(&self, namespace: Arc<Namespace>) {
        self.list.write().push(Member::Open(namespace));
    }

    pub(super) fn remove(&self, name: &str) {
        self.list.write().retain(|member| member.name() != name);
    }

    /// Lists a namespace that failed as recovering again, for `bring_up`; `None` when it is open.
    ///
    /// # Errors
    /// `namespace_not_found`; `starting` while it recovers.
    pub(super) fn retry(&self, name: &str) -> Result<Option<Arc<Unopened>>> {
        let unopened = match self.find(name, |member| Ok(member.clone()))? {
            Member::Unopened(unopened) if unopened.failure().is_some() => unopened,
            member => return member.open().map(|_| None),
        };
        let again = self.begin(unopened.record.clone(), Instant::now() + self.disk_patience);
        self.replace(&unopened, Member::Unopened(again.clone()));
        Ok(Some(again))
    }

    fn replace(&self, unopened: &Arc<Unopened>, member: Member) {
        let mut list = self.list.write();
        if let Some(listed) = list.iter_mut().find(|listed| listed.is(unopened)) {
            *listed = member;
        }
    }

    fn begin(&self, record: NamespaceRecord, disks_until: Instant) -> Arc<Unopened> {
        *self.opening.lock() += 1;
        let folder = self.folder_of(record.number);
        Arc::new(Unopened::recovering(record, &folder, disks_until))
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

    /// Calls off what is being opened, and takes everything off the list. Returns what was open.
    pub(super) fn clear(&self) -> Vec<Arc<Namespace>> {
        for member in self.all() {
            if let Member::Unopened(unopened) = member {
                unopened.progress().cancel();
            }
        }
        self.settle();
        self.list.write().drain(..).filter_map(|member| member.open().ok().cloned()).collect()
    }
}
