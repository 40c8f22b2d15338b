//! The end of a scan: what its totals say, its summary, and the end of its job.

use super::Running;
use crate::metrics::{EndedJob, Operation};
use crate::scan::output::{add_costs, add_left_out};
use crate::stream_summary::StreamSummary;
use serde_json::json;
use std::sync::atomic::Ordering;
use tessera_base::Result;

impl Running {
    pub(super) fn end(&self, outcome: Result<()>, cursor: Option<String>) {
        let mut others = None;
        let at_work = self.time.at_work();
        let outcome = outcome.and_then(|()| match &self.totals {
            Some(totals) => {
                let (text, left_out) = totals.lock().answer()?;
                others = left_out;
                self.sink.send(text)
            }
            None => Ok(()),
        });
        // What is not there is told as well.
        let outcome = outcome.and_then(|()| self.traversal.settle());
        drop(at_work);
        let ended = EndedJob {
            job: &self.job,
            plan: self.method,
            filter: self.spec.filter.as_deref(),
            records: self.scanned.load(Ordering::Relaxed),
        };
        self.time.end(self.store.latency(), self.operation, &ended, outcome.as_ref().err());
        let (returned, scanned) = (self.returned.load(Ordering::Relaxed), self.scanned.load(Ordering::Relaxed));
        let reads = self.store.reads_disks().then(|| *self.reads.lock());
        let summary = StreamSummary {
            returned,
            scanned,
            candidates: if self.selection.finds() { scanned } else { 0 },
            estimated_candidates: self.estimated.filter(|_| self.operation == Operation::Query),
            elapsed_ms: self.time.elapsed_ms(),
            estimated_ms: self.estimated_ms,
            reads,
            threads: self.job.target_threads(),
            method: self.method,
            truncated: cursor.is_some() || others.is_some_and(|others| others > 0),
            others,
            cursor,
            damaged: self.job.damaged_records(),
            csv_left_out: self.sink.left_out(),
        };
        // The job first: whoever has read the stream to its end finds the job ended.
        let mut result = json!({ "returned": returned, "scanned": scanned });
        add_costs(&mut result, self.estimated_ms, summary.elapsed_ms, reads);
        add_left_out(&mut result, summary.csv_left_out.as_ref());
        self.job.finish(outcome.clone().map(|()| result.to_string()));
        self.sink.finish(outcome, summary);
    }
}
