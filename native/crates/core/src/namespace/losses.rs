//! What was lost and accepted as lost: kept in the manifest for good.

use super::{Namespace, Progress};
use crate::manifest::{Loss, NamespaceRecord};
use tessera_base::{Result, clock};

impl Namespace {
    /// All accepted losses, those of this opening included; durable when this returns. The acceptance was written down before
    /// the opening: what the opening really met takes its place.
    ///
    /// # Errors
    /// What writing the manifest returns.
    pub(super) fn settle_losses(&self, record: &NamespaceRecord, progress: &Progress) -> Result<Vec<Loss>> {
        let mut settled = record.clone();
        if progress.accepts_loss() {
            let at_ms = settled.losses.pop().map_or_else(clock::unix_millis, |accepted| accepted.at_ms);
            settled.add_losses(self.recovery.losses.iter().map(|error| Loss::of(at_ms, error)));
            self.host.manifest.update(|manifest| {
                if let Some(record) = manifest.find_mut(self.name()) {
                    record.losses.clone_from(&settled.losses);
                }
                Ok(())
            })?;
        }
        Ok(settled.losses)
    }
}

#[cfg(test)]
mod device_open_blocks;
#[cfg(test)]
mod device_table;
#[cfg(test)]
mod tests;
