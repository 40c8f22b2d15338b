//! A namespace that was dropped and can be restored until its time is up, as the manifest keeps it.

use super::{Manifest, NamespaceRecord};
use serde::{Deserialize, Serialize};

#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct SetAside {
    /// Its folder, its id and its configuration stay as they are. Its name may be another namespace's by now.
    pub record: NamespaceRecord,
    pub dropped_at_ms: u64,
    /// From this moment on it is removed for good.
    pub until_ms: u64,
    /// Records when it was dropped; `None` if it was not open.
    pub records: Option<u64>,
    /// Length of its data files together, when it was dropped.
    pub disk_bytes: u64,
}

impl Manifest {
    /// The dropped namespace in the folder of that number.
    pub fn dropped_in(&self, number: u64) -> Option<&SetAside> {
        self.dropped.iter().find(|dropped| dropped.record.number == number)
    }
}
