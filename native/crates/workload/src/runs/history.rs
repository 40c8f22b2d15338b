//! `workloads/<id>.ndjson`: a file for each run, the run on its first line and a second on each of the others. A line is the
//! CRC32C of its JSON in eight hex digits, a space, and the JSON.

use super::info::RunInfo;
use super::second::Second;
use parking_lot::Mutex;
use serde::Serialize;
use serde::de::DeserializeOwned;
use std::collections::BTreeSet;
use std::fs::{self, OpenOptions};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::{Path, PathBuf};
use tessera_base::{Error, ErrorCode, Result, clock, create_anew, open_regular, sentence, thread_guard};
use tessera_core::Engine;
use tessera_jobs::{JobError, JobState};

const FOLDER: &str = "workloads";
const ENDING: &str = "ndjson";
/// A longer line was not written by us.
const LINE_BYTES: u64 = 256 * 1024;
/// Checksum and space.
const SUM_BYTES: usize = 9;
/// Damaged files that are told.
const TOLD: usize = 100;
/// A disk reads many small files sooner together than one after the other. So these threads read the first lines, each of at
/// least so many files.
const READERS: usize = 8;
const READ_AT_LEAST: usize = 64;

pub(super) struct History {
    folder: PathBuf,
    /// Whether the data directory is still the one that was opened.
    check: Box<dyn Fn() -> Result<()> + Send + Sync>,
    /// What is damaged of the files that were read.
    damaged: Mutex<BTreeSet<String>>,
}

impl History {
    pub(super) fn new(engine: &Engine) -> Self {
        Self { folder: engine.directory().join(FOLDER), check: Box::new(engine.directory_check()), damaged: Mutex::default() }
    }

    /// What is damaged of the files that were read so far.
    pub(super) fn damaged(&self) -> Vec<String> {
        self.damaged.lock().iter().cloned().collect()
    }

    fn tell(&self, path: &Path, what: &str) {
        let mut damaged = self.damaged.lock();
        if damaged.len() < TOLD {
            damaged.insert(format!("{}: {what}", path.display()));
        }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(id).with_extension(ENDING)
    }

    /// All runs and the bytes of their files. One that had not ended failed with code `aborted`; a file that is none of ours is
    /// left out.
    ///
    /// # Errors
    /// `data_directory_unavailable` when something else has the name of the folder, `storage_failed` when it cannot be read.
    pub(super) fn load(&self) -> Result<Vec<(RunInfo, u64)>> {
        thread_guard::may_wait("reads the folder of workloads");
        let failed = |error: &std::io::Error| Error::io("read the folder of workloads", error);
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            Err(error) if error.kind() == ErrorKind::NotADirectory => {
                let message = sentence!("{folder} is no folder: move it away", folder = self.folder.display());
                return Err(Error::said(ErrorCode::DataDirectoryUnavailable, message));
            }
            entries => entries.map_err(|error| failed(&error))?,
        };
        let mut paths = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| failed(&error))?.path();
            if path.extension().is_some_and(|ending| ending == ENDING) {
                paths.push(path);
            }
        }
        let part = paths.len().div_ceil(READERS).max(READ_AT_LEAST);
        let read = |paths: &[PathBuf]| paths.iter().filter_map(|path| self.first_line(path)).collect::<Vec<_>>();
        Ok(std::thread::scope(|scope| {
            let begin = |paths| {
                let thread = std::thread::Builder::new().name("workload-list".into());
                thread.spawn_scoped(scope, move || read(paths)).map_err(|_| read(paths))
            };
            let readers: Vec<_> = paths.chunks(part).map(begin).collect();
            let ended = readers.into_iter().map(|reader| match reader {
                Ok(thread) => thread.join().unwrap_or_else(|panic| std::panic::resume_unwind(panic)),
                Err(read) => read,
            });
            ended.flatten().collect()
        }))
    }

    /// The run of a file, and the bytes of it.
    fn first_line(&self, path: &Path) -> Option<(RunInfo, u64)> {
        let id = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
        let file = open_regular(path, OpenOptions::new().read(true));
        let file = file.inspect_err(|error| self.tell(path, &format!("it cannot be read: {error}"))).ok()?;
        let bytes = file.metadata().map_or(0, |meta| meta.len());
        let first = line(&mut BufReader::new(file)).and_then(|text| value::<RunInfo>(&text));
        let run = first.filter(|run| run.id == id);
        if run.is_none() {
            self.tell(path, "its first line is damaged");
        }
        run.map(|run| (settle(run), bytes))
    }

    /// Replaces the file of a run in one step, and answers its bytes.
    ///
    /// # Errors
    /// `data_directory_unavailable`.
    pub(super) fn save(&self, run: &RunInfo, seconds: &[Second]) -> Result<u64> {
        (self.check)()?;
        let path = self.path(&run.id);
        let temporary = path.with_extension("new");
        let write = || -> std::io::Result<u64> {
            fs::create_dir_all(&self.folder)?;
            let mut file = BufWriter::new(create_anew(&temporary)?);
            file.write_all(&line_of(run)?)?;
            for second in seconds {
                file.write_all(&line_of(second)?)?;
            }
            let file = file.into_inner().map_err(std::io::IntoInnerError::into_error)?;
            file.sync_all()?;
            fs::rename(&temporary, &path)?;
            Ok(file.metadata()?.len())
        };
        write().map_err(|error| {
            // A part of it would keep the disk full.
            let _ = fs::remove_file(&temporary);
            Error::said(
                ErrorCode::DataDirectoryUnavailable,
                sentence!("{path} cannot be written: {why}", path = path.display(), why = error),
            )
        })
    }

    /// Appends a second of a run that goes on, so that a kill costs the last one.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`.
    pub(super) fn append(&self, id: &str, second: &Second) -> Result<()> {
        (self.check)()?;
        let path = self.path(id);
        let write = || open_regular(&path, OpenOptions::new().append(true))?.write_all(&line_of(second)?);
        write().map_err(|error| Error::io(&format!("append to {}", path.display()), &error))
    }

    /// The seconds of a run, but for those on damaged lines.
    ///
    /// # Errors
    /// `workload_not_found`, `storage_failed`.
    pub(super) fn seconds(&self, id: &str) -> Result<Vec<Second>> {
        let path = self.path(id);
        let file = open_regular(&path, OpenOptions::new().read(true)).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::said(ErrorCode::WorkloadNotFound, sentence!("the seconds of workload {id} are gone", id = id)),
            _ => Error::io(&format!("read the seconds of workload {id}"), &error),
        })?;
        let mut reader = BufReader::new(file);
        let mut lines = std::iter::from_fn(|| line(&mut reader)).skip(1).peekable();
        let (mut seconds, mut damaged) = (Vec::new(), 0);
        while let Some(text) = lines.next() {
            match value(&text) {
                Some(second) => seconds.push(second),
                // The last line of a run that was killed may have no end.
                None if lines.peek().is_none() && text.last() != Some(&b'\n') => {}
                None => damaged += 1,
            }
        }
        if damaged > 0 {
            self.tell(&path, &format!("{damaged} of its lines are damaged"));
        }
        Ok(seconds)
    }

    /// Removes the file of a run.
    ///
    /// # Errors
    /// `data_directory_unavailable`.
    pub(super) fn remove(&self, id: &str) -> Result<()> {
        (self.check)()?;
        let path = self.path(id);
        match fs::remove_file(&path) {
            Err(error) if error.kind() != ErrorKind::NotFound => Err(Error::said(
                ErrorCode::DataDirectoryUnavailable,
                sentence!("{path} cannot be removed: {why}", path = path.display(), why = error),
            )),
            _ => Ok(()),
        }
    }

    /// Removes the files of runs for which there is no room. What cannot be removed now goes with the next start that has too many.
    pub(super) fn remove_all(&self, ids: &[String]) {
        for id in ids {
            let _ = self.remove(id);
        }
    }
}

fn line_of(value: &impl Serialize) -> std::io::Result<Vec<u8>> {
    let json = serde_json::to_vec(value)?;
    let mut line = format!("{:08x} ", crc32c::crc32c(&json)).into_bytes();
    line.extend_from_slice(&json);
    line.push(b'\n');
    Ok(line)
}

/// The next line, with its end; `None` behind the last one.
fn line(reader: &mut impl BufRead) -> Option<Vec<u8>> {
    let mut text = Vec::new();
    reader.take(LINE_BYTES).read_until(b'\n', &mut text).ok().filter(|read| *read > 0).map(|_| text)
}

/// What a whole line says.
fn value<T: DeserializeOwned>(line: &[u8]) -> Option<T> {
    let (sum, json) = line.strip_suffix(b"\n")?.split_at_checked(SUM_BYTES)?;
    let expected = format!("{:08x} ", crc32c::crc32c(json));
    (sum == expected.as_bytes()).then(|| serde_json::from_slice(json).ok())?
}

fn settle(mut run: RunInfo) -> RunInfo {
    if !run.state.ended() {
        run.state = JobState::Failed;
        run.ended_at_ms = Some(clock::unix_millis());
        run.error = Some(JobError {
            code: ErrorCode::Aborted.as_str().to_owned(),
            message: sentence!("the process ended while the workload ran").to_string(),
            said: None,
        });
    }
    run
}
