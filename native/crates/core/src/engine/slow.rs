//! The operations that took long, of all namespaces.

use super::Engine;
use crate::metrics::{SlowLog, SlowPatch, SlowSettings};
use tessera_base::Result;

impl Engine {
    /// Operations that took long.
    pub fn slow(&self) -> &SlowLog {
        &self.host.resources.slow
    }

    /// Changes which operations are kept as slow, from the next one on.
    ///
    /// # Errors
    /// `namespace_not_found` for a threshold of a namespace that there is not; as `SlowLog::change`.
    pub fn change_slow(&self, patch: SlowPatch) -> Result<SlowSettings> {
        patch.namespaces.iter().filter(|(_, threshold)| threshold.is_some()).try_for_each(|(name, _)| self.member(name).map(drop))?;
        self.slow().change(patch)
    }
}
