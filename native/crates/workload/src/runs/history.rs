//! `workloads/<id>.ndjson`: a file for each run, the run on its first line and a second on each of the others.

use super::info::RunInfo;
use crate::figures::Frame;
use serde::de::DeserializeOwned;
use std::fs::{self, File};
use std::io::{BufRead, BufReader, BufWriter, ErrorKind, Read, Write};
use std::path::PathBuf;
use tessera_base::{Error, ErrorCode, Result, clock};
use tessera_core::Engine;
use tessera_jobs::{JobError, JobState};

const FOLDER: &str = "workloads";
const ENDING: &str = "ndjson";
/// A longer line was not written by us.
const LINE_BYTES: u64 = 256 * 1024;

pub(super) struct History {
    folder: PathBuf,
    /// Whether the data directory is still the one that was opened.
    check: Box<dyn Fn() -> Result<()> + Send + Sync>,
}

impl History {
    pub(super) fn new(engine: &Engine) -> Self {
        Self { folder: engine.directory().join(FOLDER), check: Box::new(engine.directory_check()) }
    }

    fn path(&self, id: &str) -> PathBuf {
        self.folder.join(id).with_extension(ENDING)
    }

    /// The newest `most` runs. One that had not ended failed with code `aborted`; a file that is none of ours is left out.
    ///
    /// # Errors
    /// `storage_failed` when the folder is there and cannot be read.
    pub(super) fn load(&self, most: usize) -> Result<Vec<RunInfo>> {
        let failed = |error: &std::io::Error| Error::io("read the folder of workloads", error);
        let entries = match fs::read_dir(&self.folder) {
            Err(error) if error.kind() == ErrorKind::NotFound => return Ok(Vec::new()),
            entries => entries.map_err(|error| failed(&error))?,
        };
        let mut runs = Vec::new();
        for entry in entries {
            let path = entry.map_err(|error| failed(&error))?.path();
            let id = path.file_stem().and_then(|stem| stem.to_str()).unwrap_or_default();
            let first = File::open(&path).ok().and_then(|file| line::<RunInfo>(&mut BufReader::new(file)));
            if let Some(run) = first.filter(|run| run.id == id && path.extension().is_some_and(|ending| ending == ENDING)) {
                runs.push(settle(run));
            }
        }
        runs.sort_unstable_by(|a, b| b.id.cmp(&a.id));
        for old in runs.drain(most.min(runs.len())..) {
            self.remove(&old.id);
        }
        Ok(runs)
    }

    /// Replaces the file of a run in one step.
    ///
    /// # Errors
    /// `data_directory_unavailable`, `storage_failed`, `device_full`.
    pub(super) fn save(&self, run: &RunInfo, frames: &[Frame]) -> Result<()> {
        (self.check)()?;
        let path = self.path(&run.id);
        let temporary = path.with_extension("new");
        let write = || -> std::io::Result<()> {
            fs::create_dir_all(&self.folder)?;
            let mut file = BufWriter::new(File::create(&temporary)?);
            serde_json::to_writer(&mut file, run)?;
            file.write_all(b"\n")?;
            for frame in frames {
                serde_json::to_writer(&mut file, frame)?;
                file.write_all(b"\n")?;
            }
            file.into_inner().map_err(std::io::IntoInnerError::into_error)?.sync_all()?;
            fs::rename(&temporary, &path)
        };
        write().map_err(|error| Error::io(&format!("write {}", path.display()), &error))
    }

    /// The seconds of a run; those after a damaged line are lost.
    ///
    /// # Errors
    /// `workload_not_found`, `storage_failed`.
    pub(super) fn frames(&self, id: &str) -> Result<Vec<Frame>> {
        let file = File::open(self.path(id)).map_err(|error| match error.kind() {
            ErrorKind::NotFound => Error::new(ErrorCode::WorkloadNotFound, format!("the seconds of workload {id} are gone")),
            _ => Error::io(&format!("read the seconds of workload {id}"), &error),
        })?;
        let mut reader = BufReader::new(file);
        if line::<RunInfo>(&mut reader).is_none() {
            return Ok(Vec::new());
        }
        Ok(std::iter::from_fn(|| line(&mut reader)).collect())
    }

    pub(super) fn remove(&self, id: &str) {
        // What cannot be removed now is removed with the next start that has too many.
        let _ = fs::remove_file(self.path(id));
    }
}

fn line<T: DeserializeOwned>(reader: &mut impl BufRead) -> Option<T> {
    let mut text = Vec::new();
    reader.take(LINE_BYTES).read_until(b'\n', &mut text).ok()?;
    serde_json::from_slice(&text).ok()
}

fn settle(mut run: RunInfo) -> RunInfo {
    if !run.state.ended() {
        run.state = JobState::Failed;
        run.ended_at_ms = Some(clock::unix_millis());
        run.error =
            Some(JobError { code: ErrorCode::Aborted.as_str().to_owned(), message: "the process ended while the workload ran".to_owned() });
    }
    run
}
