//! What was lost and accepted as lost: kept in the manifest for good.

use crate::manifest::{Loss, ManifestFile, NamespaceRecord};
use crate::store::Progress;
use tessera_base::{Result, clock};
use tessera_storage::RecoveryReport;

/// All accepted losses, those of this opening included; durable when this returns. The acceptance was written down before
/// the opening: what the opening really met takes its place.
///
/// # Errors
/// What writing the manifest returns.
pub(super) fn settle(
    manifest: &ManifestFile,
    record: &NamespaceRecord,
    recovery: &RecoveryReport,
    progress: &Progress,
) -> Result<Vec<Loss>> {
    let mut settled = record.clone();
    if progress.accepts_loss() {
        let at_ms = settled.losses.pop().map_or_else(clock::unix_millis, |accepted| accepted.at_ms);
        settled.add_losses(recovery.losses.iter().map(|error| Loss::of(at_ms, error)));
        manifest.update(|manifest| {
            if let Some(record) = manifest.by_id_mut(&record.id) {
                record.losses.clone_from(&settled.losses);
            }
            Ok(())
        })?;
    }
    Ok(settled.losses)
}

#[cfg(test)]
mod device_open_blocks;
#[cfg(test)]
mod device_table;
#[cfg(test)]
mod tests;
