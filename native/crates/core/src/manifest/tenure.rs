//! Which namespace a record is to its users, as the manifest keeps it.

use super::{Manifest, NamespaceRecord};
use serde::{Deserialize, Serialize};
use std::collections::HashMap;
use tessera_base::names::{NamespaceId, Tenure};

/// A `Tenure` as the manifest keeps it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct KeptTenure {
    pub id: [u8; 16],
    pub since_ms: u64,
}

impl From<Tenure> for KeptTenure {
    fn from(Tenure { id, since_ms }: Tenure) -> Self {
        Self { id: id.0, since_ms }
    }
}

impl NamespaceRecord {
    /// Which namespace it is, and since when it has its name. A second store is the same namespace.
    pub fn tenure(&self) -> Tenure {
        let KeptTenure { id, since_ms } = self.tenure.unwrap_or(KeptTenure { id: self.id, since_ms: self.created_at_ms });
        Tenure { id: NamespaceId(id), since_ms }
    }
}

impl Manifest {
    /// Who has which name.
    pub(super) fn tenures(&self) -> HashMap<String, Tenure> {
        self.namespaces.iter().map(|record| (record.config.name.clone(), record.tenure())).collect()
    }

    /// Whether a namespace, a twin or a dropped namespace is the one with that id to its users.
    pub fn is_known(&self, id: NamespaceId) -> bool {
        self.records().any(|record| record.tenure().id == id)
    }

    /// A twin of before there were ids has its own: it is the same namespace.
    pub(super) fn share_ids_with_twins(&mut self) {
        for twin in &mut self.twins {
            if let Some(of) = self.namespaces.iter().find(|record| record.id == twin.of && record.tenure().id != twin.record.tenure().id) {
                twin.record.tenure = Some(of.tenure().into());
            }
        }
    }
}
