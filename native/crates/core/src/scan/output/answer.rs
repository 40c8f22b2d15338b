//! What every job that answers in a stream does alike: the stream itself, and what its result says beside the counts.

use crate::stream_summary::{ChunkSink, ChunkStream};
use serde_json::{Value, json};
use std::sync::Arc;
use tessera_jobs::Job;
use tessera_jobs::chunk_stream::{LeftOut, Recode, recoded_stream};
use tessera_storage::DeviceReads;

/// A stream whose end aborts the job, and that the job's end releases.
pub(crate) fn open_stream(job: &Arc<Job>, recode: Option<Box<dyn Recode>>) -> (ChunkSink, ChunkStream) {
    let weak_job = Arc::downgrade(job);
    let (sink, stream) = recoded_stream(recode, move || {
        if let Some(job) = weak_job.upgrade() {
            // The job may have ended already, and that is as good.
            let _ = job.abort();
        }
    });
    let release = sink.clone();
    job.on_change(move |job| {
        if job.should_stop() {
            release.release();
        }
    });
    (sink, stream)
}

/// Adds to a job's result what its rows of CSV have left out, if they have.
pub(in crate::scan) fn add_left_out(result: &mut Value, left_out: Option<&LeftOut>) {
    if let Some(LeftOut { values, bins }) = left_out {
        result["csvLeftOut"] = json!({ "values": values, "bins": bins });
    }
}

/// Adds to a job's result what it was thought to cost and has cost.
pub(crate) fn add_costs(result: &mut Value, estimated_ms: Option<f64>, elapsed_ms: f64, reads: Option<DeviceReads>) {
    let whole = |ms: f64| (ms * 1000.0).round() / 1000.0;
    if let Some(ms) = estimated_ms {
        result["estimatedMs"] = whole(ms).into();
    }
    result["elapsedMs"] = whole(elapsed_ms).into();
    if let Some(reads) = reads {
        result["reads"] = json!({ "records": reads.records, "blocks": reads.blocks, "bytes": reads.bytes });
    }
}
