//! Whether the files of a data directory are still those that were opened, on a file system that takes writes.
//!
//! One thread looks several times a second; who is about to write by a path looks for itself.

use parking_lot::Mutex;
use rustix::fs::{Access, FileType, Mode, OFlags, StatVfsMountFlags, access, open, stat, statvfs};
use rustix::io::Errno;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Weak};
use std::time::Duration;
use tessera_base::ticker::Ticker;
use tessera_base::{Error, ErrorCode, Result, Sentence, sentence};

/// Writes are refused within a second of what happened.
const PERIOD: Duration = Duration::from_millis(250);

/// The file in a data directory that its process holds.
pub const LOCK_FILE: &str = "lock";

/// A path, and what it stood for when it was first looked at.
#[derive(Debug)]
struct Spot {
    path: PathBuf,
    /// File system and number of a file; the number of a block device.
    identity: Option<(u64, u64)>,
}

/// Paths that have to stay what they are, and what is wrong with them.
#[derive(Debug)]
pub struct Place {
    spots: Vec<Spot>,
    failed: AtomicBool,
    failure: Mutex<Option<Error>>,
    /// Tests have no file system to mount.
    #[cfg(any(test, feature = "test-support"))]
    pub read_only: AtomicBool,
    /// As if opening a file for writing said so.
    #[cfg(any(test, feature = "test-support"))]
    pub refuses_writes: AtomicBool,
}

impl Place {
    /// The paths as they are now.
    pub fn of(paths: impl IntoIterator<Item = PathBuf>) -> Arc<Self> {
        let spots = paths.into_iter().map(|path| Spot { identity: identity(&path).ok().map(|(identity, _)| identity), path });
        Arc::new(Self {
            spots: spots.collect(),
            failed: AtomicBool::new(false),
            failure: Mutex::default(),
            #[cfg(any(test, feature = "test-support"))]
            read_only: AtomicBool::new(false),
            #[cfg(any(test, feature = "test-support"))]
            refuses_writes: AtomicBool::new(false),
        })
    }

    /// What was found when it was last looked at.
    ///
    /// # Errors
    /// `data_directory_unavailable`.
    #[inline]
    pub fn check(&self) -> Result<()> {
        if self.failed.load(Ordering::Acquire) { self.failure.lock().clone().map_or(Ok(()), Err) } else { Ok(()) }
    }

    /// Looks at it now.
    ///
    /// # Errors
    /// `data_directory_unavailable`.
    pub fn look(&self) -> Result<()> {
        let found = self.spots.iter().try_for_each(|spot| self.look_at(spot));
        let mut failure = self.failure.lock();
        *failure = found.as_ref().err().cloned();
        self.failed.store(failure.is_some(), Ordering::Release);
        found
    }

    fn look_at(&self, spot: &Spot) -> Result<()> {
        let path = &spot.path;
        let unavailable = |what: Sentence| Err(Error::said(ErrorCode::DataDirectoryUnavailable, what));
        // What was not there at first is missed by who opens it.
        let Some(expected) = spot.identity else { return Ok(()) };
        let kind = match identity(path) {
            Ok((found, kind)) if found == expected => kind,
            Ok(_) => return unavailable(sentence!("{path} was replaced since it was opened", path = path.display())),
            Err(Errno::NOENT | Errno::NOTDIR) => return unavailable(sentence!("{path} no longer exists", path = path.display())),
            Err(error) => return unavailable(sentence!("{path} cannot be reached: {why}", path = path.display(), why = error.to_string())),
        };
        if kind != FileType::BlockDevice && self.is_read_only(path) {
            return unavailable(sentence!("{path} is on a file system that is mounted read-only", path = path.display()));
        }
        if self.refuses_writes(path, kind) {
            return unavailable(sentence!("{path} is on a file system that an error made read-only", path = path.display()));
        }
        if kind == FileType::Directory && access(path, Access::WRITE_OK) == Err(Errno::ACCESS) {
            return unavailable(sentence!("{path} is not writable", path = path.display()));
        }
        Ok(())
    }

    fn is_read_only(&self, path: &Path) -> bool {
        #[cfg(any(test, feature = "test-support"))]
        if self.read_only.load(Ordering::Acquire) {
            return true;
        }
        statvfs(path).is_ok_and(|found| found.f_flag.contains(StatVfsMountFlags::RDONLY))
    }

    /// After an error, ext4 refuses all changes, but `statvfs` and `access` say nothing of it (since Linux 6.15). Opening a file for
    /// writing does. Nothing in it changes.
    fn refuses_writes(&self, path: &Path, kind: FileType) -> bool {
        #[cfg(any(test, feature = "test-support"))]
        if self.refuses_writes.load(Ordering::Acquire) {
            return true;
        }
        let is_refused = |file: &Path| {
            let flags = OFlags::WRONLY | OFlags::NONBLOCK | OFlags::NOFOLLOW | OFlags::CLOEXEC;
            open(file, flags, Mode::empty()).is_err_and(|error| error == Errno::ROFS)
        };
        let is_file = |file: &Path| identity(file).is_ok_and(|(_, kind)| kind == FileType::RegularFile);
        match kind {
            FileType::RegularFile => is_refused(path),
            FileType::Directory => Some(path.join(LOCK_FILE)).is_some_and(|lock| is_file(&lock) && is_refused(&lock)),
            _ => false,
        }
    }
}

fn identity(path: &Path) -> std::result::Result<((u64, u64), FileType), Errno> {
    let found = stat(path)?;
    let kind = FileType::from_raw_mode(found.st_mode);
    Ok((if kind == FileType::BlockDevice { (found.st_rdev, 0) } else { (found.st_dev, found.st_ino) }, kind))
}

/// The data directory, and the folders and files of its namespaces by number.
#[derive(Debug)]
pub struct Watch {
    directory: Arc<Place>,
    folders: Mutex<HashMap<u64, Weak<Place>>>,
    ticker: Mutex<Option<Ticker>>,
}

impl Watch {
    /// `directory`: the data directory, and the folder in it of which all others are part.
    pub fn of(directory: impl IntoIterator<Item = PathBuf>) -> Arc<Self> {
        Arc::new(Self { directory: Place::of(directory), folders: Mutex::default(), ticker: Mutex::default() })
    }

    /// The data directory.
    #[inline]
    pub fn directory(&self) -> &Arc<Place> {
        &self.directory
    }

    /// Begins to watch the files of a namespace, until the place is dropped.
    pub fn add(&self, number: u64, paths: impl IntoIterator<Item = PathBuf>) -> Arc<Place> {
        let place = Place::of(paths);
        self.folders.lock().insert(number, Arc::downgrade(&place));
        place
    }

    /// Looks at the directory, and at the files of a namespace if there are any to watch.
    ///
    /// # Errors
    /// `data_directory_unavailable`: nothing must be written there.
    pub fn look(&self, number: Option<u64>) -> Result<()> {
        self.directory.look()?;
        let folder = number.and_then(|number| self.folders.lock().get(&number)?.upgrade());
        folder.map_or(Ok(()), |folder| folder.look())
    }

    /// Looks whether a stranger's folder is where that of a namespace was.
    ///
    /// # Errors
    /// `data_directory_unavailable`: it must not be removed.
    pub fn check_own(&self, number: u64) -> Result<()> {
        let place = self.folders.lock().get(&number).and_then(Weak::upgrade);
        let Some(spot) = place.as_ref().and_then(|place| place.spots.first()) else { return Ok(()) };
        match (identity(&spot.path), spot.identity) {
            (Ok((found, _)), Some(expected)) if found != expected => {
                let message = sentence!("{path} was replaced since it was opened", path = spot.path.display());
                Err(Error::said(ErrorCode::DataDirectoryUnavailable, message))
            }
            _ => Ok(()),
        }
    }

    fn look_at_all(&self) {
        // What is wrong is kept for who asks.
        let _ = self.directory.look();
        let mut folders = Vec::new();
        self.folders.lock().retain(|_, folder| folder.upgrade().map(|folder| folders.push(folder)).is_some());
        folders.iter().for_each(|folder| drop(folder.look()));
    }

    /// Looks at everything several times a second, until `close`.
    ///
    /// # Errors
    /// `internal` when the system refuses a thread.
    pub fn start(self: &Arc<Self>) -> Result<()> {
        let watch = Arc::downgrade(self);
        let look = move || watch.upgrade().into_iter().for_each(|watch| watch.look_at_all());
        *self.ticker.lock() = Some(Ticker::start("watch", PERIOD, look)?);
        Ok(())
    }

    /// Ends the thread and waits for it. Idempotent.
    pub fn close(&self) {
        drop(self.ticker.lock().take());
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::fs::{File, write};
    use std::os::unix::fs::MetadataExt;

    #[test]
    fn looking_for_refused_writes_changes_no_file_and_waits_for_none() {
        let directory = tempfile::tempdir().unwrap();
        let [lock, data] = ["lock", "data"].map(|name| directory.path().join(name));
        [&lock, &data].into_iter().for_each(|path| write(path, "here").unwrap());
        let held = File::open(&lock).unwrap();
        held.try_lock().unwrap();
        let place = Place::of([directory.path().to_owned(), data.clone()]);
        let times = |path: &Path| std::fs::metadata(path).map(|found| (found.len(), found.mtime_nsec(), found.ctime_nsec())).unwrap();
        let before = [times(&lock), times(&data)];
        place.look().unwrap();
        assert_eq!([times(&lock), times(&data)], before);
        assert!(File::open(&lock).unwrap().try_lock().is_err(), "the lock is still held");
        // Opening a pipe for writing would wait for a reader.
        std::fs::remove_file(&lock).unwrap();
        rustix::fs::mknodat(rustix::fs::CWD, &lock, FileType::Fifo, Mode::RWXU, 0).unwrap();
        place.look().unwrap();
    }

    #[test]
    fn a_file_system_that_refuses_writes_is_told_until_it_takes_them() {
        let directory = tempfile::tempdir().unwrap();
        let place = Place::of([directory.path().to_owned()]);
        place.refuses_writes.store(true, Ordering::Release);
        let failure = place.look().unwrap_err();
        assert_eq!(failure.code, ErrorCode::DataDirectoryUnavailable);
        assert!(failure.message.ends_with("is on a file system that an error made read-only"), "{}", failure.message);
        assert_eq!(place.check(), Err(failure));
        place.refuses_writes.store(false, Ordering::Release);
        place.look().unwrap();
        assert_eq!(place.check(), Ok(()));
    }
}
