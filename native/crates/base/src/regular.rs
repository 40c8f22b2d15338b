//! Opens and makes regular files only: opening a pipe waits for its other end, maybe forever, and a link leads to a file that is
//! not ours to write.

use std::fs::{self, File, OpenOptions};
use std::io::{Error, ErrorKind, Read, Result};
use std::os::unix::fs::OpenOptionsExt;
use std::path::Path;

/// Opens a regular file, or makes one if `options` say so.
///
/// # Errors
/// `InvalidInput` for anything else, such as a folder, a pipe or a link; what opening a file returns.
pub fn open_regular(path: &Path, options: &OpenOptions) -> Result<File> {
    let refused = || Error::new(ErrorKind::InvalidInput, "it is no regular file");
    if path.symlink_metadata().is_ok_and(|found| !found.is_file()) {
        return Err(refused());
    }
    // A pipe or a link that came in its place since then is not waited for or followed either.
    let file = options.clone().custom_flags(libc::O_NOFOLLOW | libc::O_NONBLOCK).open(path)?;
    if file.metadata()?.is_file() { Ok(file) } else { Err(refused()) }
}

/// What is in a regular file.
///
/// # Errors
/// Those of `open_regular`, and of reading.
pub fn read_regular(path: &Path) -> Result<Vec<u8>> {
    let mut bytes = Vec::new();
    open_regular(path, OpenOptions::new().read(true))?.read_to_end(&mut bytes)?;
    Ok(bytes)
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

/// Makes a file, to read and write, in the place of what a kill left there. A link goes; what it leads to stays as it is.
///
/// # Errors
/// If a folder has the name; what removing and making a file return.
pub fn create_anew(path: &Path) -> Result<File> {
    match fs::remove_file(path) {
        Err(error) if error.kind() != ErrorKind::NotFound => return Err(error),
        _ => {}
    }
    OpenOptions::new().create_new(true).read(true).write(true).open(path)
}
