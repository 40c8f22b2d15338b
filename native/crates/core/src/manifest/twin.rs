//! The second store of a namespace that migrates, as the manifest keeps it.

use super::{Loss, Manifest, NamespaceRecord};
use serde::{Deserialize, Serialize};
use tessera_base::{Error, ErrorCode, Result, sentence};

/// What a namespace has beside its own files: the target of its migration, or, once that is cut over, its source.
#[derive(Clone, Debug, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Twin {
    /// Id of the namespace, whose record is the one that decides.
    pub of: [u8; 16],
    /// It has the name of the namespace, and a folder of its own.
    pub record: NamespaceRecord,
    /// Whether it was the namespace itself, before the cut-over.
    pub cut_over: bool,
    /// Why it does not follow the namespace any more.
    pub failed: Option<Loss>,
    /// How fast the job was asked to go, also after a restart.
    #[serde(default, skip_serializing_if = "Pace::is_default")]
    pub pace: Pace,
}

/// How fast a job goes.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
pub struct Pace {
    /// 0: as many as it has by itself.
    #[serde(default)]
    pub threads: u32,
    #[serde(default)]
    pub records_per_second: Option<u32>,
}

impl Pace {
    fn is_default(&self) -> bool {
        *self == Self::default()
    }
}

impl Manifest {
    /// The second store of the namespace with that id.
    pub fn twin_of(&self, id: &[u8; 16]) -> Option<&Twin> {
        self.twins.iter().find(|twin| twin.of == *id)
    }

    pub fn twin_of_mut(&mut self, id: &[u8; 16]) -> Option<&mut Twin> {
        self.twins.iter_mut().find(|twin| twin.of == *id)
    }

    /// Lets a namespace and its twin change places. The place of the namespace in the list stays.
    ///
    /// # Errors
    /// `migration_not_found`.
    pub fn exchange(&mut self, id: &[u8; 16]) -> Result<()> {
        let missing = || Error::said(ErrorCode::MigrationNotFound, sentence!("the manifest lists no second store of the namespace"));
        let record = self.namespaces.iter_mut().find(|record| record.id == *id).ok_or_else(missing)?;
        let twin = self.twins.iter_mut().find(|twin| twin.of == *id).ok_or_else(missing)?;
        std::mem::swap(record, &mut twin.record);
        twin.of = record.id;
        twin.cut_over = !twin.cut_over;
        Ok(())
    }
}
