//! Opens regular files only: opening a pipe waits for its other end, maybe forever.

use std::fs::{File, OpenOptions};
use std::io::{Error, ErrorKind, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file, or a link to one.
///
/// # Errors
/// `InvalidInput` for anything else, such as a folder or a pipe; what opening a file returns.
pub fn open_regular(path: &Path, options: &OpenOptions) -> Result<File> {
    let refused = || Error::new(ErrorKind::InvalidInput, "it is no regular file");
    if !path.metadata()?.is_file() {
        return Err(refused());
    }
    // A pipe that came in its place since then is not waited for either.
    let file = options.clone().custom_flags(libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(refused()) }
}

/// As `open_regular`, to read and write; only to read if the file or its file system takes no writes. Answers whether it does.
///
/// # Errors
/// Those of `open_regular`.
pub fn open_to_append(path: &Path) -> Result<(File, bool)> {
    match open_regular(path, OpenOptions::new().read(true).write(true)) {
        Err(error) if matches!(error.kind(), ErrorKind::PermissionDenied | ErrorKind::ReadOnlyFilesystem) => {
            open_regular(path, OpenOptions::new().read(true)).map(|file| (file, false))
        }
        opened => opened.map(|file| (file, true)),
    }
}
