//! What a caller asks of a stream.

use super::pipeline::Pipeline;
use crate::query::QuerySpec;
use crate::stream_summary::ChunkStream;
use std::sync::Arc;
use tessera_jobs::Job;

#[derive(Clone, Debug)]
pub struct StreamSpec {
    /// `None`: every record; `Some("")`: records without a set.
    pub set: Option<String>,
    /// The segments wanted, whoever owns them; `None`: those of which this node is the primary owner.
    pub segments: Option<Arc<[u16]>>,
    pub pipeline: Arc<Pipeline>,
    /// 1 to 128.
    pub threads: u32,
    /// Most records looked at a second; `None` or 0 for no limit.
    pub records_per_second: Option<u32>,
    /// Most elements written where no step of the pipeline bounds them; the summary then says that there were more.
    pub most: Option<u64>,
    /// A count comes as the number alone instead of `{"count":n}`.
    pub bare_count: bool,
}

/// A running stream.
pub struct Stream {
    pub stream: ChunkStream,
    pub job: Arc<Job>,
}

impl StreamSpec {
    /// The query that finds its records: the filters that come first.
    pub(super) fn as_query(&self) -> QuerySpec {
        let (set, filter, segments) = (self.set.clone(), self.pipeline.filter.clone(), self.segments.clone());
        QuerySpec { set, filter, segments, threads: self.threads, ..QuerySpec::default() }
    }
}
