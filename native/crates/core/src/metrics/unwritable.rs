//! A folder that tests may not write into, whoever runs them.

use rustix::process::{Uid, geteuid};
use rustix::thread::set_thread_uid;
use std::fs::{self, File, Permissions};
use std::os::unix::fs::PermissionsExt;
use std::path::Path;

/// Runs `work` on a thread that may read `folder` and what is in it, and write none of it. Root may write anything, so the thread is
/// somebody else then.
pub(super) fn unwritable<R: Send>(folder: &Path, work: impl FnOnce() -> R + Send) -> R {
    let allow = |path: &Path, mode| fs::set_permissions(path, Permissions::from_mode(mode)).unwrap();
    let allow_all = |of_folder, of_files| {
        allow(folder, of_folder);
        fs::read_dir(folder).unwrap().for_each(|entry| allow(&entry.unwrap().path(), of_files));
    };
    allow(folder.parent().unwrap(), 0o755);
    allow_all(0o555, 0o444);
    let done = std::thread::scope(|scope| {
        let thread = scope.spawn(|| {
            if geteuid().is_root() {
                set_thread_uid(Uid::from_raw(65_534)).unwrap();
            }
            File::create(folder.join("other")).unwrap_err();
            work()
        });
        thread.join().unwrap()
    });
    allow_all(0o755, 0o644);
    done
}
