//! Which backups jobs are at work with: many may read one, and who writes or removes it is alone.

use parking_lot::Mutex;
use std::collections::HashMap;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};

/// In the place of a number of readers.
const ALONE: usize = usize::MAX;

#[derive(Clone, Default)]
pub(crate) struct InUse(Arc<Mutex<HashMap<String, usize>>>);

/// Ends when it is dropped.
pub(crate) struct Use {
    all: InUse,
    name: String,
}

impl InUse {
    /// # Errors
    /// `backup_in_use`.
    pub(crate) fn alone(&self, name: &str) -> Result<Use> {
        self.begin(name, |there| (there == 0).then_some(ALONE))
    }

    /// # Errors
    /// `backup_in_use` while somebody is alone with it.
    pub(crate) fn shared(&self, name: &str) -> Result<Use> {
        self.begin(name, |there| (there != ALONE).then_some(there + 1))
    }

    fn begin(&self, name: &str, next: impl FnOnce(usize) -> Option<usize>) -> Result<Use> {
        let mut all = self.0.lock();
        let Some(next) = next(all.get(name).copied().unwrap_or_default()) else {
            return Err(Error::said(
                ErrorCode::BackupInUse,
                sentence!("a job is at work with {name}: wait for it, or abort it", name = name),
            ));
        };
        all.insert(name.to_owned(), next);
        Ok(Use { all: self.clone(), name: name.to_owned() })
    }
}

impl Drop for Use {
    fn drop(&mut self) {
        let mut all = self.all.0.lock();
        match all.get(&self.name) {
            Some(&there) if there != ALONE && there > 1 => drop(all.insert(self.name.clone(), there - 1)),
            _ => drop(all.remove(&self.name)),
        }
    }
}
