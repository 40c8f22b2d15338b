//! Making the files of a namespace, so that a crash leaves a whole one or none.

use super::{Engine, devices, orphans, random_id};
use crate::config::NamespaceConfig;
use crate::manifest::{Manifest, NAMESPACES, NamespaceRecord, folder, sync_directory};
use crate::namespace::{Namespace, Start};
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::names::Tenure;
use tessera_base::{Error, Result, clock};
use tessera_storage::device::Held;

/// A namespace with its files that no manifest lists yet.
pub(super) struct Laid {
    pub(super) namespace: Arc<Namespace>,
    pub(super) record: NamespaceRecord,
    pub(super) path: PathBuf,
}

impl Engine {
    /// Makes a folder, and a namespace in it: a new one, or with `tenure` another store of one that is there. `list` puts it into the
    /// manifest. `changes` is held.
    ///
    /// # Errors
    /// `device_not_allowed`, `closed`, what `NamespaceConfig::check` returns, and storage errors.
    pub(super) fn make(
        &self,
        config: NamespaceConfig,
        start: Start<'_>,
        tenure: Option<Tenure>,
        list: impl FnOnce(&mut Manifest, &NamespaceRecord),
    ) -> Result<Arc<Namespace>> {
        let laid = self.lay(config, start, tenure)?;
        self.list(&laid, list)?;
        Ok(laid.namespace)
    }

    /// Makes a folder, and a namespace in it that is not listed: a start removes it, unless `list` has listed it. `changes` is held.
    ///
    /// # Errors
    /// As `make`.
    pub(super) fn lay(&self, config: NamespaceConfig, start: Start<'_>, tenure: Option<Tenure>) -> Result<Laid> {
        config.check()?;
        self.check_directory()?;
        devices::check(&config.engine, &self.device_paths, &self.directory, &self.host.manifest.read())?;
        // The number is durable before the folder is made, so that no folder is ever used twice.
        let highest = orphans::highest_number(&self.directory)?;
        let number = self.host.manifest.update(|manifest| {
            manifest.next = manifest.next.max(highest) + 1;
            Ok(manifest.next)
        })?;
        let made = NamespaceRecord::new(number, random_id(), clock::unix_millis(), config);
        let record = NamespaceRecord { tenure: tenure.map(Into::into), ..made };
        let path = self.members.folder_of(number);
        let make = || {
            fs::create_dir_all(&path)?;
            sync_directory(&self.directory.join(NAMESPACES))
        };
        make().map_err(|error| Error::io(&format!("making {}", path.display()), &error))?;
        let made = (|| {
            // Until it is whole, a start that finds it removes it.
            folder::mark_discarded(&path, &record)?;
            folder::describe(&path, &record)?;
            devices::claim(&path, &record)?;
            self.members.create(&record, start)
        })();
        match made {
            Ok(namespace) => Ok(Laid { namespace, record, path }),
            Err(error) => {
                self.clear_away(&record, &path);
                Err(devices::not_blank(error))
            }
        }
    }

    /// Lists what was laid. After an error it is gone. `changes` is held.
    ///
    /// # Errors
    /// What writing the manifest returns.
    pub(super) fn list(&self, laid: &Laid, list: impl FnOnce(&mut Manifest, &NamespaceRecord)) -> Result<()> {
        let Laid { namespace, record, path } = laid;
        let taken_back = |error| {
            namespace.store().take_back();
            Err(error)
        };
        // Before the mark goes: a crash in between leaves a namespace, and no folder that nobody lists.
        let listed = self
            .host
            .manifest
            .update(|manifest| {
                list(manifest, record);
                Ok(())
            })
            .or_else(taken_back);
        let unmarked = listed.and_then(|()| folder::unmark(path).or_else(|error| self.unlist(&record.id).and_then(|()| taken_back(error))));
        unmarked.map_err(|error| {
            self.clear_away(record, path);
            devices::not_blank(error)
        })
    }

    /// Removes what was laid and is not listed. If the folder cannot be removed now, the next start removes it.
    fn clear_away(&self, record: &NamespaceRecord, path: &Path) {
        if self.host.manifest.read().by_id(&record.id).is_none() {
            let _ = folder::mark_discarded(path, record);
            let _ = devices::release(path, &record.id, Held::Unknown { may_wait: &|| false });
        }
    }

    /// Removes a namespace that was laid and that nobody lists.
    pub(super) fn take_up(&self, laid: &Laid) {
        // What the storage fails to flush is about to be removed anyway.
        let _ = laid.namespace.store().stop();
        let _ = devices::release(&laid.path, &laid.record.id, Held::Here);
    }

    /// # Errors
    /// What writing the manifest returns; the namespace, or the second store, is listed still.
    pub(super) fn unlist(&self, id: &[u8; 16]) -> Result<()> {
        self.host.manifest.update(|manifest| {
            manifest.namespaces.retain(|record| record.id != *id);
            manifest.twins.retain(|twin| twin.record.id != *id);
            Ok(())
        })
    }
}
