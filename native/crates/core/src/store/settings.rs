//! The settings of a store in use: as they stand, and changed.

use super::RecordStore;
use crate::config::{Feature, NamespaceConfig};
use crate::sets::SetEntry;
use std::sync::Arc;
use std::sync::atomic::Ordering;
use tessera_base::Result;

impl RecordStore {
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

    /// Takes over those settings that may change while records are served.
    pub(crate) fn adjust(&self, config: &NamespaceConfig) {
        self.max_record_bytes.store(config.max_record_bytes, Ordering::Relaxed);
        self.default_ttl.store(config.default_ttl_seconds, Ordering::Relaxed);
        self.fullness.stop_percent.store(config.stop_writes_percent, Ordering::Relaxed);
        self.fullness.evict_percent.store(config.evict_at_percent, Ordering::Relaxed);
        self.visibility.choose(config.reads);
        if config.ownership != self.ownership() {
            self.set_ownership(config.ownership);
        }
    }

    /// As it was created: engine, segments and the like, which never change.
    pub(crate) fn created_as(&self) -> &NamespaceConfig {
        &self.config
    }

    /// # Errors
    /// `capability_unsupported` if the engine cannot do it.
    pub fn require(&self, feature: Feature) -> Result<()> {
        self.config.require(feature)
    }

    /// Whether the engine can do it.
    pub fn can(&self, feature: Feature) -> bool {
        self.require(feature).is_ok()
    }
}
