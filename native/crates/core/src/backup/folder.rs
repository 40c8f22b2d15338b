//! The folder of a backup, named by its id: in a directory, or in a bucket.

use super::manifest::{self, BackupManifest, MANIFEST, PLAN, Plan};
use super::place::Place;
use super::remote::{self, Remote, RemoteFile};
use super::{BackupInfo, BackupState};
use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, FileExt};
use std::path::{Path, PathBuf};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, create_anew, open_regular, sentence, thread_guard};
use tessera_jobs::Job;

/// A manifest is no longer: 4,096 segments take about 1 MiB.
const JSON_MOST: u64 = 64 << 20;
/// Backups in one folder; more are not looked at.
const BACKUPS_MOST: usize = 10_000;
/// Folders of a bucket, those of others included; more are not looked at.
const FOLDERS_MOST: usize = 100_000;
/// Manifests of a bucket that are read at the same time.
const READERS: usize = 8;

/// The name of a file while it is written.
pub(super) fn temporary(name: &str) -> String {
    format!("{name}.new")
}

/// The folder of a backup.
#[derive(Clone)]
pub(super) enum Folder {
    Local(PathBuf),
    Remote(Remote),
}

/// A file of a backup, for reading.
pub(super) enum PartFile {
    Local(File),
    Remote(RemoteFile),
}

/// The folder of a backup.
///
/// # Errors
/// `backup_not_found` for what is no id: nothing else ever becomes a path.
pub(super) fn of(place: &Place, id: &str) -> Result<Folder> {
    check_id(id)?;
    Ok(match place {
        Place::Directory(root) => Folder::Local(root.join(id)),
        Place::Bucket(bucket) => Folder::Remote(Remote::new(bucket, id)),
    })
}

fn is_folder(path: &Path) -> bool {
    path.symlink_metadata().is_ok_and(|found| found.is_dir())
}

fn check_id(id: &str) -> Result<()> {
    let digits = |range: std::ops::Range<usize>| id.get(range).is_some_and(|part| part.bytes().all(|byte| byte.is_ascii_digit()));
    let random = id.get(17..).is_some_and(|part| part.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f')));
    let marks = id.as_bytes().get(8) == Some(&b'T') && id.get(15..17) == Some("Z-");
    if id.len() == 25 && digits(0..8) && digits(9..15) && marks && random { Ok(()) } else { Err(not_found(id)) }
}

pub(super) fn not_found(id: &str) -> Error {
    let shown: String = id.chars().take(64).collect();
    Error::said(ErrorCode::BackupNotFound, sentence!("there is no backup \"{id}\"", id = shown))
}

impl Folder {
    /// From now on, an abort of the job ends what is under way.
    pub(super) fn set_job(&mut self, job: &Arc<Job>) {
        if let Self::Remote(remote) = self {
            remote.set_job(job);
        }
    }

    /// Opens a file of a backup; `None` if there is none. In a bucket, reading it tells.
    ///
    /// # Errors
    /// `storage_failed`; `backup_damaged` for what is no regular file.
    pub(super) fn open(&self, name: &str) -> Result<Option<PartFile>> {
        let folder = match self {
            Self::Local(folder) => folder,
            Self::Remote(remote) => return Ok(Some(PartFile::Remote(RemoteFile::new(remote, name)))),
        };
        // Only a folder is a backup: a link to one that lies elsewhere is not read.
        if !is_folder(folder) {
            return Ok(None);
        }
        let path = folder.join(name);
        match open_regular(&path, OpenOptions::new().read(true)) {
            Ok(file) => Ok(Some(PartFile::Local(file))),
            Err(error) if error.kind() == ErrorKind::NotFound => Ok(None),
            Err(error) if error.kind() == ErrorKind::InvalidInput => Err(super::damaged(name, &error)),
            Err(error) => Err(Error::io(&format!("opening {}", path.display()), &error)),
        }
    }

    fn read_json(&self, name: &str) -> Result<Option<Vec<u8>>> {
        thread_guard::may_wait("reads a backup");
        let file = match self {
            Self::Remote(remote) => return remote.read_all(name, JSON_MOST),
            Self::Local(_) => match self.open(name)? {
                Some(PartFile::Local(file)) => file,
                _ => return Ok(None),
            },
        };
        let mut bytes = Vec::new();
        file.take(JSON_MOST).read_to_end(&mut bytes).map_err(|error| Error::io(&format!("reading {name} of a backup"), &error))?;
        Ok(Some(bytes))
    }

    /// Whether a file is there.
    ///
    /// # Errors
    /// Those of the bucket.
    pub(super) fn has(&self, name: &str) -> Result<bool> {
        match self {
            Self::Local(folder) => Ok(folder.join(name).exists()),
            Self::Remote(remote) => Ok(remote.read(name, 0, 1)?.is_some()),
        }
    }

    fn exists(&self) -> Result<bool> {
        match self {
            Self::Local(folder) => Ok(is_folder(folder)),
            Self::Remote(remote) => remote.exists(),
        }
    }

    /// Writes a file in one step; durable when this returns.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`; those of the bucket.
    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        thread_guard::may_wait("writes a backup");
        let folder = match self {
            Self::Local(folder) => folder,
            Self::Remote(remote) => return remote.write(name, bytes),
        };
        let failed = |error: &std::io::Error| Error::io(&format!("writing {name} of a backup"), error);
        let mut file = create_anew(&folder.join(temporary(name))).map_err(|error| failed(&error))?;
        file.write_all(bytes).map_err(|error| failed(&error))?;
        place(folder, &file, name)
    }

    /// A file for a part, under a name that no reader looks at.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`.
    pub(super) fn create(&self, name: &str) -> Result<File> {
        match self {
            Self::Local(folder) => {
                let path = folder.join(temporary(name));
                create_anew(&path).map_err(|error| Error::io(&format!("making {}", path.display()), &error))
            }
            Self::Remote(remote) => remote.scratch(name),
        }
    }

    /// Gives a file that is written its name; durable when this returns.
    ///
    /// # Errors
    /// `storage_failed`, `device_full`; those of the bucket.
    pub(super) fn place(&self, file: &File, name: &str, bytes: u64, xxh3: u128) -> Result<()> {
        match self {
            Self::Local(folder) => place(folder, file, name),
            Self::Remote(remote) => remote.place(file, name, bytes, xxh3),
        }
    }

    /// Removes a file of `create` that did not get its name.
    pub(super) fn discard(&self, name: &str) {
        if let Self::Local(folder) = self {
            let _ = fs::remove_file(folder.join(temporary(name)));
        }
    }
}

impl PartFile {
    /// Bytes that are read at once by who reads all.
    pub(super) const fn window(&self) -> usize {
        match self {
            Self::Local(_) => 1 << 20,
            Self::Remote(_) => remote::WINDOW,
        }
    }

    /// At most `most` bytes from `at` on; none at its end.
    ///
    /// # Errors
    /// `storage_failed`; `backup_damaged` and those of the bucket.
    pub(super) fn read(&self, name: &str, at: u64, most: usize) -> Result<Vec<u8>> {
        match self {
            Self::Local(file) => {
                let mut bytes = vec![0; most];
                let read = file.read_at(&mut bytes, at).map_err(|error| Error::io(&format!("reading {name} of a backup"), &error))?;
                bytes.truncate(read);
                Ok(bytes)
            }
            Self::Remote(file) => file.read(at, most),
        }
    }

    /// Fills `out`. The reader will not read behind `until`.
    ///
    /// # Errors
    /// `backup_damaged` if it is too short; `storage_failed`; those of the bucket.
    pub(super) fn read_exact(&self, name: &str, out: &mut [u8], at: u64, until: u64) -> Result<()> {
        match self {
            Self::Local(file) => file.read_exact_at(out, at).map_err(|error| match error.kind() {
                ErrorKind::UnexpectedEof => super::damaged(name, sentence!("it is cut off")),
                _ => Error::io(&format!("reading {name} of a backup"), &error),
            }),
            Self::Remote(file) => file.read_exact(out, at, until),
        }
    }
}

/// Makes the folder of a new backup, with its plan. The directory has to be there: one that is gone may be a disk that is not
/// mounted, and a backup beside it would be lost once it is.
///
/// # Errors
/// `storage_failed`, `device_full`; those of the bucket.
pub(super) fn begin(place: &Place, plan: &Plan, job: &Arc<Job>) -> Result<Folder> {
    let mut folder = of(place, &plan.id)?;
    folder.set_job(job);
    if let (Place::Directory(root), Folder::Local(path)) = (place, &folder) {
        if !root.is_dir() {
            let message = sentence!("{root} is not there: mount its disk, or make it and try again", root = root.display());
            return Err(Error::said(ErrorCode::StorageFailed, message));
        }
        let make = || {
            // Records are in it: for nobody else.
            DirBuilder::new().mode(0o700).create(path)?;
            File::open(root)?.sync_all()
        };
        make().map_err(|error| Error::io(&format!("making {}", path.display()), &error))?;
    }
    folder.write(PLAN, &manifest::seal(plan)?.0)?;
    Ok(folder)
}

/// Gives a file that is written its name; durable when this returns.
fn place(folder: &Path, file: &File, name: &str) -> Result<()> {
    let placed = file
        .sync_all()
        .and_then(|()| fs::rename(folder.join(temporary(name)), folder.join(name)))
        .and_then(|()| File::open(folder)?.sync_all());
    placed.map_err(|error| Error::io(&format!("writing {name} of a backup"), &error))
}

/// The manifest of a backup that has come to its end, and its checksum.
///
/// # Errors
/// `backup_not_found`, `backup_unfinished`, `backup_damaged`, `storage_failed`; those of the bucket.
pub(super) fn manifest(place: &Place, id: &str) -> Result<(BackupManifest, String)> {
    match of(place, id)?.read_json(MANIFEST)? {
        Some(bytes) => manifest::read_manifest(id, &bytes),
        None => {
            plan(place, id)?;
            Err(Error::said(
                ErrorCode::BackupUnfinished,
                sentence!("the backup {id} has not come to its end: resume it, or remove it", id = id),
            ))
        }
    }
}

/// The plan of a backup, ended or not.
///
/// # Errors
/// `backup_not_found`, `backup_damaged`, `storage_failed`; those of the bucket.
pub(crate) fn plan(place: &Place, id: &str) -> Result<Plan> {
    let folder = of(place, id)?;
    match folder.read_json(PLAN)? {
        Some(bytes) => manifest::read_plan(id, &bytes),
        None if folder.exists()? => Err(super::damaged(PLAN, sentence!("it is missing"))),
        None => Err(not_found(id)),
    }
}

/// Ids of all backups, oldest first.
fn ids(place: &Place) -> Result<Vec<String>> {
    let names: Vec<String> = match place {
        Place::Bucket(bucket) => bucket.objects.folders(FOLDERS_MOST)?,
        Place::Directory(root) => match fs::read_dir(root) {
            Ok(entries) => {
                let folders = entries.filter_map(|entry| entry.ok().filter(|entry| is_folder(&entry.path())));
                folders.filter_map(|entry| entry.file_name().into_string().ok()).collect()
            }
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) => return Err(Error::io(&format!("reading {}", root.display()), &error)),
        },
    };
    let mut ids: Vec<String> = names.into_iter().filter(|id| check_id(id).is_ok()).take(BACKUPS_MOST).collect();
    ids.sort_unstable();
    Ok(ids)
}

/// All backups, oldest first. What is damaged is listed with the reason.
///
/// # Errors
/// `storage_failed`; those of the bucket.
pub fn list(place: &Place) -> Result<Vec<BackupInfo>> {
    thread_guard::may_wait("lists backups");
    let ids = ids(place)?;
    let found = match place {
        Place::Directory(_) => ids.iter().map(|id| info(place, id)).collect(),
        // Each is a way to the bucket and back: some at once.
        Place::Bucket(_) => at_once(&ids, |id| info(place, id)),
    };
    found.into_iter().filter(|found| !found.as_ref().is_err_and(|error| error.code == ErrorCode::BackupNotFound)).collect()
}

/// What `each` answers, in the order of the ids.
fn at_once(ids: &[String], each: impl Fn(&str) -> Result<BackupInfo> + Sync) -> Vec<Result<BackupInfo>> {
    let run = ids.len().div_ceil(READERS).max(1);
    std::thread::scope(|scope| {
        let readers: Vec<_> = ids
            .chunks(run)
            .map(|ids| {
                let each = &each;
                scope.spawn(move || {
                    let mut found = Vec::with_capacity(ids.len());
                    for id in ids {
                        found.push(each(id));
                        // The bucket is away: to ask for the others is to wait for each of them.
                        if found.last().is_some_and(Result::is_err) {
                            break;
                        }
                    }
                    found
                })
            })
            .collect();
        let lost = |_| vec![Err(Error::new(ErrorCode::Internal, "a reader of backups panicked"))];
        readers.into_iter().flat_map(|reader| reader.join().unwrap_or_else(lost)).collect()
    })
}

/// One backup.
///
/// # Errors
/// `backup_not_found`; those of the bucket.
pub fn info(place: &Place, id: &str) -> Result<BackupInfo> {
    match manifest(place, id) {
        Ok((manifest, _)) => Ok(BackupInfo::of(&manifest)),
        Err(error) if error.code == ErrorCode::BackupNotFound || error.is_of_backup_target() => Err(error),
        Err(error) if error.code == ErrorCode::BackupUnfinished => {
            Ok(BackupInfo::planned(id, plan(place, id).ok(), BackupState::Unfinished, None))
        }
        Err(error) => Ok(BackupInfo::planned(id, plan(place, id).ok(), BackupState::Damaged, Some(error.message))),
    }
}

/// Removes a backup. What says that it is whole goes first.
///
/// # Errors
/// `backup_not_found`, `storage_failed`; those of the bucket.
pub(super) fn remove(place: &Place, id: &str) -> Result<()> {
    thread_guard::may_wait("removes a backup");
    let found = of(place, id)?;
    if !found.exists()? {
        return Err(not_found(id));
    }
    let folder = match found {
        Folder::Local(folder) => folder,
        Folder::Remote(remote) => return remote.remove(MANIFEST, PLAN),
    };
    let gone = || {
        match fs::remove_file(folder.join(MANIFEST)) {
            // A folder of that name says of nothing that it is whole.
            Err(error) if !matches!(error.kind(), ErrorKind::NotFound | ErrorKind::IsADirectory) => return Err(error),
            _ => {}
        }
        File::open(&folder)?.sync_all()?;
        fs::remove_dir_all(&folder)
    };
    gone().map_err(|error| Error::io(&format!("removing {}", folder.display()), &error))
}
