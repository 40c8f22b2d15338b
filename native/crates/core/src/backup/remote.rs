//! A backup in a bucket: the files of its folder are objects `ID/NAME`.

use super::damaged;
use super::objects::{Body, Slice};
use super::place::Bucket;
use std::cell::RefCell;
use std::fs::{self, DirBuilder, File};
use std::os::unix::fs::DirBuilderExt;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, create_anew, sentence, thread_guard};
use tessera_jobs::Job;
use xxhash_rust::xxh3::{Xxh3, xxh3_128};

/// Read at once.
pub(super) const WINDOW: usize = 4 << 20;

#[derive(Clone)]
pub(super) struct Remote {
    bucket: Bucket,
    id: String,
    /// Whose abort ends a transfer.
    job: Option<Arc<Job>>,
}

impl Remote {
    pub(super) fn new(bucket: &Bucket, id: &str) -> Self {
        Self { bucket: bucket.clone(), id: id.to_owned(), job: None }
    }

    pub(super) fn set_job(&mut self, job: &Arc<Job>) {
        self.job = Some(job.clone());
    }

    fn key(&self, name: &str) -> String {
        format!("{}/{name}", self.id)
    }

    fn wanted(&self) -> impl Fn() -> bool + Sync + '_ {
        || self.job.as_ref().is_none_or(|job| !job.should_stop())
    }

    pub(super) fn read(&self, name: &str, from: u64, most: usize) -> Result<Option<Slice>> {
        thread_guard::may_wait("reads a backup");
        self.bucket.objects.read(&self.key(name), from, most, &self.wanted())
    }

    /// All of an object, which has at most `most` bytes; of a longer one the beginning.
    pub(super) fn read_all(&self, name: &str, most: u64) -> Result<Option<Vec<u8>>> {
        let mut all = Vec::new();
        loop {
            let at = all.len() as u64;
            let Some(Slice { bytes, total }) = self.read(name, at, WINDOW)? else {
                return if at == 0 { Ok(None) } else { Err(damaged(name, sentence!("it went while it was read"))) };
            };
            let read = bytes.len();
            all.extend_from_slice(&bytes);
            if read == 0 || all.len() as u64 >= total.min(most) {
                return Ok(Some(all));
            }
        }
    }

    /// Whether anything of the backup is there.
    pub(super) fn exists(&self) -> Result<bool> {
        Ok(!self.bucket.objects.keys(&self.key(""), 1)?.is_empty())
    }

    pub(super) fn write(&self, name: &str, bytes: &[u8]) -> Result<()> {
        thread_guard::may_wait("writes a backup");
        self.bucket.objects.write(&self.key(name), Body::Bytes(bytes), &self.wanted())?;
        self.compare(name, bytes.len() as u64, xxh3_128(bytes))
    }

    /// A file for a part. It has no name, so nothing of it is left if the process is killed.
    pub(super) fn scratch(&self, name: &str) -> Result<File> {
        let path = self.bucket.scratch.join(format!("{}-{name}.new", self.id));
        let make = || {
            DirBuilder::new().recursive(true).mode(0o700).create(&self.bucket.scratch)?;
            let file = create_anew(&path)?;
            fs::remove_file(&path)?;
            Ok(file)
        };
        make().map_err(|error: std::io::Error| Error::io(&format!("making {}", path.display()), &error))
    }

    /// Makes a part of a file, and reads it again.
    pub(super) fn place(&self, file: &File, name: &str, bytes: u64, xxh3: u128) -> Result<()> {
        self.bucket.objects.write(&self.key(name), Body::File(file, bytes), &self.wanted())?;
        self.compare(name, bytes, xxh3)
    }

    /// Whether an object is what was sent: an endpoint may say that it has stored what it has not.
    fn compare(&self, name: &str, bytes: u64, xxh3: u128) -> Result<()> {
        let (mut hash, mut at) = (Xxh3::new(), 0);
        while let Some(slice) = self.read(name, at, WINDOW)? {
            hash.update(&slice.bytes);
            at += slice.bytes.len() as u64;
            if slice.total != bytes {
                break;
            }
            if at == bytes && hash.digest128() == xxh3 {
                return Ok(());
            }
            if slice.bytes.is_empty() || at >= bytes {
                break;
            }
        }
        let message =
            sentence!("the target {target} has stored other bytes than it was sent as {object}", target = &self.bucket.name, object = name);
        Err(Error::said(ErrorCode::BackupTargetRefused, message))
    }

    /// Removes all objects. What says that the backup is whole goes first, and what says that it is one, last.
    pub(super) fn remove(&self, first: &str, last: &str) -> Result<()> {
        thread_guard::may_wait("removes a backup");
        let (first, last) = (self.key(first), self.key(last));
        self.bucket.objects.remove(&first)?;
        for key in self.bucket.objects.keys(&self.key(""), usize::MAX)? {
            if key != last {
                self.bucket.objects.remove(&key)?;
            }
        }
        self.bucket.objects.remove(&last)
    }
}

/// A part in a bucket, read in windows.
pub(super) struct RemoteFile {
    remote: Remote,
    name: String,
    /// Where it begins, and its bytes.
    window: RefCell<(u64, Vec<u8>)>,
}

impl RemoteFile {
    pub(super) fn new(remote: &Remote, name: &str) -> Self {
        Self { remote: remote.clone(), name: name.to_owned(), window: RefCell::default() }
    }

    /// # Errors
    /// `backup_damaged` if it is missing; those of the bucket.
    pub(super) fn read(&self, at: u64, most: usize) -> Result<Vec<u8>> {
        let slice = self.remote.read(&self.name, at, most)?.ok_or_else(|| damaged(&self.name, sentence!("it is missing")))?;
        Ok(slice.bytes)
    }

    /// Fills `out`; `until` is where the reader will stop, so nothing behind it is read.
    ///
    /// # Errors
    /// `backup_damaged` if it is missing or too short; those of the bucket.
    pub(super) fn read_exact(&self, out: &mut [u8], at: u64, until: u64) -> Result<()> {
        let mut window = self.window.borrow_mut();
        let inside = |(begin, bytes): &(u64, Vec<u8>)| {
            let from = usize::try_from(at.checked_sub(*begin)?).ok()?;
            (from.checked_add(out.len())? <= bytes.len()).then_some(from)
        };
        let from = match inside(&window) {
            Some(from) => from,
            None => {
                let ahead = usize::try_from(until.saturating_sub(at)).unwrap_or(WINDOW).min(WINDOW);
                *window = (at, self.read(at, ahead.max(out.len()))?);
                inside(&window).ok_or_else(|| damaged(&self.name, sentence!("it is cut off")))?
            }
        };
        out.copy_from_slice(&window.1[from..from + out.len()]);
        Ok(())
    }
}
