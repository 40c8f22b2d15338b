//! The two files of a namespace, opened for this process alone. They go with the namespace's folder.

use crate::paged::options::PagedOptions;
use crate::paged::pages::head::Head;
use crate::paged::{LOG_FILE, PAGES_FILE};
use std::io::ErrorKind;
use std::path::Path;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::{Disk, FileDisk};

/// The files of a namespace, which nobody else has.
pub struct Files {
    pub pages: Arc<FileDisk>,
    pub log: Arc<FileDisk>,
}

impl Files {
    /// Opens both in `folder`, or makes them; one that another process has is waited for as long as `may_wait` says so.
    ///
    /// # Errors
    /// `data_file_missing`, `log_damaged` where the log alone is missing, `data_file_foreign` where they are to be made and another namespace's are there, `storage_failed`.
    pub fn open(folder: &Path, options: &PagedOptions, may_wait: &dyn Fn() -> bool) -> Result<Self> {
        let open = |name: &str, create| {
            let path = folder.join(name);
            FileDisk::open_alone(&path, create, options.access, may_wait).map(Arc::new).map_err(|error| match error.kind() {
                ErrorKind::NotFound | ErrorKind::NotADirectory if !create => {
                    // A log that is gone is a loss like one that is damaged; without pages nothing is left.
                    let code = if name == LOG_FILE { ErrorCode::LogDamaged } else { ErrorCode::DataFileMissing };
                    Error::said(code, sentence!("the data file {path} is missing", path = path.display()))
                }
                _ => Error::io(&format!("opening {}", path.display()), &error),
            })
        };
        let pages = open(PAGES_FILE, options.create)?;
        // Of a log that is gone nothing is left: one that accepts the loss goes on with another.
        let files = Self { pages, log: open(LOG_FILE, options.create || options.accept_loss)? };
        if options.create {
            files.empty(options)?;
        }
        Ok(files)
    }

    /// Takes away what a creation that was cut short has left.
    fn empty(&self, options: &PagedOptions) -> Result<()> {
        if let Ok(head) = Head::read(&*self.pages)
            && head.namespace_id != options.namespace_id
        {
            return Err(Error::said(ErrorCode::DataFileForeign, sentence!("the pages belong to another namespace")));
        }
        let emptied = [&self.pages, &self.log].into_iter().try_for_each(|disk| disk.set_len(0).and_then(|()| disk.sync()));
        emptied.map_err(|error| Error::io("emptying the files of the pages", &error))
    }
}
