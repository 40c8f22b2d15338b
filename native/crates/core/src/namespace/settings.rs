//! The configuration of a namespace in use: as it stands, and changed.

use super::Namespace;
use crate::config::{ConfigPatch, NamespaceConfig};
use crate::sets::SetEntry;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tessera_base::Result;

impl Namespace {
    /// The configuration as it stands.
    pub fn config(&self) -> NamespaceConfig {
        let configured = |set: &Arc<SetEntry>| set.distribution.is_some() || set.indexed() || !set.limits().is_none();
        NamespaceConfig {
            default_ttl_seconds: self.default_ttl.load(Ordering::Relaxed),
            max_record_bytes: self.max_record_bytes.load(Ordering::Relaxed),
            stop_writes_percent: self.fullness.stop_percent.load(Ordering::Relaxed),
            evict_at_percent: self.fullness.evict_percent.load(Ordering::Relaxed),
            reads: self.visibility.reads(),
            ownership: self.ownership(),
            sets: self.sets.all().iter().filter(|set| configured(set)).map(|set| set.config()).collect(),
            indexes: self.indexes.specs(),
            ..self.config.clone()
        }
    }

    /// Changes settings while records are served.
    ///
    /// # Errors
    /// `ttl_invalid`, `config_invalid`, and what writing the manifest returns.
    pub fn update(&self, patch: ConfigPatch) -> Result<()> {
        self.check_changeable()?;
        // One at a time: what another has changed must not be taken for what was before.
        let _changing = self.changing.lock();
        let config = self.config().patched(patch);
        config.check()?;
        self.max_record_bytes.store(config.max_record_bytes, Ordering::Relaxed);
        self.default_ttl.store(config.default_ttl_seconds, Ordering::Relaxed);
        self.fullness.stop_percent.store(config.stop_writes_percent, Ordering::Relaxed);
        self.fullness.evict_percent.store(config.evict_at_percent, Ordering::Relaxed);
        self.visibility.choose(config.reads);
        if config.ownership != self.ownership() {
            self.set_ownership(config.ownership);
        }
        self.save_config()
    }

    pub(super) fn save_config(&self) -> Result<()> {
        self.host.manifest.update(|manifest| {
            if let Some(record) = manifest.find_mut(self.name()) {
                // Taken under the manifest's lock: an older state must not be written after a newer one.
                record.config = self.config();
            }
            Ok(())
        })
    }
}
