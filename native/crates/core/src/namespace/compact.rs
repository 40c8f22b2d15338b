//! Compaction: a job that gives the room of half-empty pages back.

use super::Namespace;
use crate::error::{Error, ErrorCode, Result};
use crate::job::{Job, JobKind, JobSpec, Unit};
use crate::storage::Admission;
use std::sync::Arc;

impl Namespace {
    /// Starts a job that moves records out of half-empty pages, segment by segment; reads and writes go on. Its result counts bytes moved,
    /// pages freed, and the pages there are after it.
    ///
    /// # Errors
    /// `unsupported` where records are not in pages; `job_limit`, `closed`.
    pub fn compact(self: &Arc<Self>) -> Result<Arc<Job>> {
        self.check_open()?;
        if self.storage.pages().is_none() {
            return Err(Error::new(ErrorCode::Unsupported, format!("the records of {:?} are not in pages", self.name())));
        }
        let job = self.host.jobs.begin(JobSpec {
            unit: Unit::Segments,
            total: Some(self.segments.len() as u64),
            ..JobSpec::new(JobKind::Compaction, self.name(), format!("Compact {}", self.name()))
        })?;
        job.start();
        let (namespace, running) = (self.clone(), job.clone());
        self.host.pool.spawn(move || running.run(|job| namespace.compact_all(job)));
        Ok(job)
    }

    fn compact_all(&self, job: &Job) -> Result<String> {
        let (mut moved_bytes, mut freed_pages) = (0, 0);
        for cell in &self.segments {
            let mut at = Some(0);
            while let Some(from) = at {
                job.checkpoint()?;
                self.check_open()?;
                let step = self.admitted(Admission::Write, || cell.write(|segment| segment.compact(from)))?;
                moved_bytes += step.moved_bytes;
                freed_pages += step.freed_pages;
                at = step.next;
            }
            job.advance(1);
        }
        let report = self.pages_report().unwrap_or_default();
        let result = serde_json::json!({
            "movedBytes": moved_bytes,
            "freedPages": freed_pages,
            "pages": report.pages,
            "freePages": report.free_pages,
        });
        Ok(result.to_string())
    }
}
