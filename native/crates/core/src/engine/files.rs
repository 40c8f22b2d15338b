//! What a start needs of the system: a directory that takes writes, and enough open files.

use crate::manifest::NAMESPACES;
use rustix::process::{Resource, Rlimit, getrlimit, setrlimit};
use std::fs;
use std::path::Path;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::Place;

/// Files that must be allowed to be open at once: those of a few namespaces, and connections.
pub(super) const LEAST: u64 = 256;

/// Makes the data directory if it is not there, and checks that it takes writes.
///
/// # Errors
/// `data_directory_unavailable`.
pub(super) fn prepare(directory: &Path) -> Result<()> {
    let made = fs::create_dir_all(directory.join(NAMESPACES));
    // What the directory says is clearer than what making one in it says.
    Place::of([directory.to_owned()]).look()?;
    made.map_err(|error| {
        let message = sentence!("{path} cannot be created: {why}", path = directory.join(NAMESPACES).display(), why = error);
        Error::said(ErrorCode::DataDirectoryUnavailable, message)
    })
}

/// Lets the process have as many files open as it may, and checks that this is enough.
///
/// # Errors
/// `config_invalid`.
pub(super) fn check_open_files(least: u64) -> Result<()> {
    let limit = getrlimit(Resource::Nofile);
    let raised = Rlimit { current: limit.maximum, ..limit };
    // `None`: no limit.
    let most = match setrlimit(Resource::Nofile, raised) {
        Ok(()) => limit.maximum,
        Err(_) => limit.current,
    };
    if most.is_some_and(|most| most < least) {
        let most = most.unwrap_or_default();
        let message = sentence!(
            "the process may open {most} files and needs at least {least}; raise the limit with ulimit -n",
            most = most,
            least = least
        );
        return Err(Error::said(ErrorCode::ConfigInvalid, message));
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn too_few_files_are_told_with_both_numbers() {
        check_open_files(1).unwrap();
        let Some(most) = getrlimit(Resource::Nofile).maximum else { return };
        let refused = check_open_files(most + 1).unwrap_err();
        assert_eq!(refused.code, ErrorCode::ConfigInvalid);
        assert!(refused.message.contains(&format!("{most} files and needs at least {}", most + 1)), "{}", refused.message);
    }

    #[test]
    fn a_directory_that_cannot_be_made_is_told_by_its_path() {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("file");
        fs::write(&file, "").unwrap();
        let refused = prepare(&file.join("data")).unwrap_err();
        assert_eq!(refused.code, ErrorCode::DataDirectoryUnavailable);
        assert!(refused.message.contains("file/data"), "{}", refused.message);
    }
}
