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
