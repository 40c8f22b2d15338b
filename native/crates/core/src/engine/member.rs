//! A namespace that the manifest lists, and how it stands.

use crate::config::{EngineConfig, NamespaceConfig};
use crate::manifest::{Loss, NamespaceRecord};
use crate::namespace::{Namespace, Progress};
use std::path::Path;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_storage::device::DiskPlace;
use tessera_storage::paged;

#[derive(Clone)]
pub enum Member {
    Open(Arc<Namespace>),
    Unopened(Arc<Unopened>),
}

/// A namespace whose device is being read, or could not be.
pub struct Unopened {
    pub(super) record: NamespaceRecord,
    file_bytes: u64,
    progress: Progress,
    failure: Option<Error>,
}

/// What a namespace can do now.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum NamespaceState {
    /// Its device is being read; nothing is served yet.
    Recovering,
    Ready,
    /// Writes do not reach the device for now and are refused; reads go on, and the device is tried again.
    ReadOnly,
    /// A failure stopped its writes until the next start; reads go on.
    Poisoned,
    /// It could not be opened; its files are left as they are.
    Failed,
}

impl NamespaceState {
    pub const fn as_str(self) -> &'static str {
        match self {
            Self::Recovering => "recovering",
            Self::Ready => "ready",
            Self::ReadOnly => "read-only",
            Self::Poisoned => "poisoned",
            Self::Failed => "failed",
        }
    }
}

impl Member {
    pub fn name(&self) -> &str {
        match self {
            Self::Open(namespace) => namespace.name(),
            Self::Unopened(unopened) => &unopened.record.config.name,
        }
    }

    /// Its state, and why it is not `Ready` or `Recovering`.
    pub fn state(&self) -> (NamespaceState, Option<Error>) {
        match self {
            Self::Unopened(unopened) => match unopened.failure() {
                Some(error) => (NamespaceState::Failed, Some(error.clone())),
                None => (NamespaceState::Recovering, None),
            },
            Self::Open(namespace) => match (namespace.poisoned(), namespace.device_failure()) {
                (Some(error), _) => (NamespaceState::Poisoned, Some(error)),
                (None, Some(error)) => (NamespaceState::ReadOnly, Some(error)),
                (None, None) => (NamespaceState::Ready, None),
            },
        }
    }

    /// Losses that were accepted to open it, oldest first.
    pub fn losses(&self) -> &[Loss] {
        match self {
            Self::Open(namespace) => namespace.losses(),
            Self::Unopened(unopened) => &unopened.record.losses,
        }
    }

    /// Whether it is this one, still unopened.
    pub(super) fn is(&self, other: &Arc<Unopened>) -> bool {
        matches!(self, Self::Unopened(unopened) if Arc::ptr_eq(unopened, other))
    }

    /// The open namespace.
    ///
    /// # Errors
    /// `starting` while it recovers, `namespace_failed` where it could not be opened.
    pub fn open(&self) -> Result<&Arc<Namespace>> {
        match self {
            Self::Open(namespace) => Ok(namespace),
            Self::Unopened(unopened) => Err(unopened.refusal()),
        }
    }
}

impl Unopened {
    /// One that is about to be opened. `folder` is where its files should be; disks that another process has are waited for until
    /// `disks_until`. `accept_loss`: it is opened with what is left.
    pub(super) fn recovering(record: NamespaceRecord, folder: &Path, disks_until: Instant, accept_loss: bool) -> Self {
        let file_bytes = match &record.config.engine {
            EngineConfig::Memory | EngineConfig::Cassandra(_) => 0,
            EngineConfig::Device(device) => device.places(folder).iter().map(DiskPlace::length).sum(),
            EngineConfig::Paged(_) => paged::file_bytes(folder),
        };
        let progress = Progress::new(file_bytes, disks_until);
        let progress = if accept_loss { progress.accepting_loss() } else { progress };
        Self { record, file_bytes, progress, failure: None }
    }

    /// This one, after it could not be opened.
    pub(super) fn failed(&self, error: Error) -> Self {
        let (record, file_bytes) = (self.record.clone(), self.file_bytes);
        Self { record, file_bytes, progress: Progress::default(), failure: Some(error) }
    }

    pub fn config(&self) -> &NamespaceConfig {
        &self.record.config
    }

    pub fn created_at_ms(&self) -> u64 {
        self.record.created_at_ms
    }

    /// Length of its data files together; 0 where there are none to be seen.
    pub fn file_bytes(&self) -> u64 {
        self.file_bytes
    }

    pub fn progress(&self) -> &Progress {
        &self.progress
    }

    /// Why it could not be opened; `None` while it recovers.
    pub fn failure(&self) -> Option<&Error> {
        self.failure.as_ref()
    }

    fn refusal(&self) -> Error {
        let name = &self.record.config.name;
        match &self.failure {
            Some(Error { code, message, .. }) => {
                let text = sentence!(
                    "the namespace \"{name}\" could not be opened: {message} ({code})",
                    name = name,
                    message = message,
                    code = code.as_str()
                );
                Error::said(ErrorCode::NamespaceFailed, text)
            }
            None => {
                let (done, total) = self.progress.bytes();
                let percent = (done * 100).checked_div(total).unwrap_or(0);
                let why = sentence!(
                    "the namespace \"{name}\" is recovering: {percent}% of its device read",
                    name = name.as_str(),
                    percent = percent
                );
                Error::said(ErrorCode::Starting, why)
            }
        }
    }
}
