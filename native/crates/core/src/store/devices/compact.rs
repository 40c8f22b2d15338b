//! Compaction: a job that gives the room of half-empty pages back.

use crate::config::Feature;
use crate::store::RecordStore;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_jobs::{Job, JobKind, JobSpec, Unit};
use tessera_storage::Admission;

impl RecordStore {
    /// Starts a job that moves records out of half-empty pages, segment by segment; reads and writes go on. Its result has the bytes that
    /// extents have given back, and the pages there are after it.
    ///
    /// # Errors
    /// `unsupported` where records are not in pages; `job_limit`, `closed`.
    pub fn compact(self: &Arc<Self>) -> Result<Arc<Job>> {
        self.require(Feature::Disks)?;
        self.check_open()?;
        if self.storage.paged().is_none() {
            return Err(Error::said(
                ErrorCode::Unsupported,
                sentence!("the namespace \"{name}\" does not use the paged engine", name = self.name()),
            ));
        }
        let job = self.resources.jobs.begin(JobSpec {
            unit: Unit::Segments,
            total: Some(self.segments.len() as u64),
            ..JobSpec::new(JobKind::Compaction, self.named(), format!("Compact {}", self.name()))
        })?;
        job.start();
        let (store, running) = (self.clone(), job.clone());
        self.resources.pool.spawn(move || running.run(|job| store.compact_all(job)));
        Ok(job)
    }

    fn compact_all(&self, job: &Job) -> Result<String> {
        let before = self.storage.usage();
        for cell in &self.segments {
            loop {
                job.checkpoint()?;
                self.check_open()?;
                if !self.admitted(Admission::Write, || cell.write(crate::segment::Segment::compact))? {
                    break;
                }
            }
            job.advance(1);
        }
        let (after, report) = (self.storage.usage(), self.pages_report().unwrap_or_default());
        let used = |usage: &tessera_storage::StorageUsage| usage.device_bytes;
        let result = serde_json::json!({
            "freedBytes": used(&before).saturating_sub(used(&after)),
            "pages": report.pages,
            "freePages": report.free_pages,
        });
        Ok(result.to_string())
    }
}
