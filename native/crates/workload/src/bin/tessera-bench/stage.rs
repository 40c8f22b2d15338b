//! An engine in a directory of its own with one `memory` namespace, removed at the end.

use crate::{Failure, event_rows};
use std::fs::File;
use std::io::Read;
use std::ops::Range;
use std::path::Path;
use std::sync::Arc;
use std::time::{Duration, Instant};
use tempfile::TempDir;
use tessera_core::{Engine, EngineOptions, Namespace, NamespaceConfig, SetConfig};
use tessera_index::IndexSpec;
use tessera_jobs::load::{Format, ImportSession, ImportSpec};
use tessera_jobs::{Job, JobKind, JobSpec, JobState, Unit};

/// Longer than any step of a benchmark.
const PATIENCE: Duration = Duration::from_secs(600);
/// What the file is read by.
const CHUNK_BYTES: usize = 256 * 1024;

pub struct Stage {
    pub namespace: Arc<Namespace>,
    engine: Arc<Engine>,
    _directory: TempDir,
}

impl Stage {
    /// The set that events go to.
    pub const EVENTS: &'static str = "events";

    /// # Errors
    /// What the engine refuses, or a temporary directory that cannot be made.
    pub fn memory(name: &str, sets: Vec<SetConfig>) -> Result<Self, Failure> {
        let directory = tempfile::tempdir()?;
        let engine = Engine::open(directory.path(), EngineOptions::default())?;
        let namespace = engine.create_namespace(NamespaceConfig { sets, ..NamespaceConfig::memory(name) })?;
        Ok(Self { namespace, engine, _directory: directory })
    }

    /// As `memory`, with the events of one repository in one segment.
    ///
    /// # Errors
    /// As `memory`.
    pub fn events(name: &str) -> Result<Self, Failure> {
        Self::memory(name, vec![SetConfig { name: Self::EVENTS.into(), distribution_bin: Some("repo_id".into()), ..SetConfig::default() }])
    }

    /// Imports a CSV file of events; answers its rows and the seconds from the first byte to the report.
    ///
    /// # Errors
    /// What the import returns, or rows that it refused.
    pub fn import(&self, file: &Path, threads: u32) -> Result<(u64, f64), Failure> {
        let mut file = File::open(file)?;
        let begun = Instant::now();
        let session = self.import_session(threads)?;
        loop {
            let mut chunk = vec![0; CHUNK_BYTES];
            let length = file.read(&mut chunk)?;
            if length == 0 {
                break;
            }
            chunk.truncate(length);
            session.write(chunk)?;
        }
        let report = session.finish()?;
        let seconds = begun.elapsed().as_secs_f64();
        if report.rejected_total > 0 {
            return Err(format!("{} rows were rejected", report.rejected_total).into());
        }
        Ok((report.rows, seconds))
    }

    /// Begins an import of events as CSV.
    ///
    /// # Errors
    /// What the engine refuses.
    pub fn import_session(&self, threads: u32) -> Result<ImportSession, Failure> {
        let spec = ImportSpec { key: Some("event_id".into()), threads, ..ImportSpec::new(Self::EVENTS, Format::Csv) };
        let job = JobSpec { threads, unit: Unit::Bytes, ..JobSpec::new(JobKind::Import, self.namespace.name(), "Import events") };
        Ok(ImportSession::begin(self.namespace.clone(), spec, self.engine.jobs().begin(job)?)?)
    }

    /// Imports generated events.
    ///
    /// # Errors
    /// What the import returns, or rows that it did not take.
    pub fn import_rows(&self, rows: Range<u64>, threads: u32) -> Result<(), Failure> {
        let session = self.import_session(threads)?;
        event_rows::each_chunk(rows.clone(), |chunk| Ok(session.write(chunk)?))?;
        let report = session.finish()?;
        let taken = report.rows - report.rejected_total;
        if taken == rows.end - rows.start { Ok(()) } else { Err(format!("{taken} of the rows {rows:?} were imported").into()) }
    }

    /// Builds an index and answers the seconds it took.
    ///
    /// # Errors
    /// What the engine refuses, or the job's failure.
    pub fn build_index(&self, spec: IndexSpec, threads: u32) -> Result<f64, Failure> {
        let begun = Instant::now();
        done(&self.namespace.create_index(spec, threads)?)?;
        Ok(begun.elapsed().as_secs_f64())
    }
}

/// Waits for the end of a job.
///
/// # Errors
/// When it did not end well, or not in time.
pub fn done(job: &Arc<Job>) -> Result<(), Failure> {
    let info = job.wait_blocking(PATIENCE);
    if info.state == JobState::Done { Ok(()) } else { Err(format!("{}: {:?} {:?}", info.title, info.state, info.error).into()) }
}

impl Drop for Stage {
    fn drop(&mut self) {
        // The directory goes next; nothing in it is wanted.
        let _ = self.engine.close();
    }
}
