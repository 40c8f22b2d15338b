//! The files of a store, watched.

use std::sync::Arc;
use tessera_base::Result;
use tessera_io::Place;

/// The data directory, and the store's folder and files in it; in memory there are none.
pub(crate) struct Files {
    pub(crate) directory: Arc<Place>,
    pub(crate) own: Option<Arc<Place>>,
}

impl Files {
    /// What the watch found wrong; in memory nothing can be.
    ///
    /// # Errors
    /// `data_directory_unavailable`.
    pub(super) fn check(&self) -> Result<()> {
        match &self.own {
            Some(own) => self.directory.check().and_then(|()| own.check()),
            None => Ok(()),
        }
    }

    /// Looks at the data directory and the files now, for who writes there by a path.
    ///
    /// # Errors
    /// `data_directory_unavailable`.
    pub(crate) fn look(&self) -> Result<()> {
        self.directory.look()?;
        self.own.as_ref().map_or(Ok(()), |own| own.look())
    }
}
