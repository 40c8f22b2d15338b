//! Settings of a namespace: changed while it is in use, and kept in the manifest.

use super::Namespace;
use crate::config::ConfigPatch;
use tessera_base::Result;

/// Changes settings while records are served.
///
/// # Errors
/// `ttl_invalid`, `config_invalid`, and what writing the manifest returns.
pub(super) fn update(namespace: &Namespace, patch: ConfigPatch) -> Result<()> {
    let _changeable = namespace.check_changeable()?;
    // One at a time: what another has changed must not be taken for what was before.
    let _changing = namespace.changing.lock();
    let config = namespace.config().patched(patch);
    config.check()?;
    namespace.store.adjust(&config);
    save(namespace)
}

/// Writes the configuration as it stands to the manifest.
///
/// # Errors
/// What writing the manifest returns.
pub(super) fn save(namespace: &Namespace) -> Result<()> {
    namespace.manifest.update(|manifest| {
        if let Some(record) = manifest.by_id_mut(&namespace.id) {
            // Taken under the manifest's lock: an older state must not be written after a newer one.
            record.config = namespace.config();
        }
        Ok(())
    })
}
