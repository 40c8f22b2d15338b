//! Rows on their way to a stream: gathered into chunks, and none held back for long.

use crate::scan::walk::{COPIED_BYTES, End};
use crate::stream_summary::ChunkSink;
use std::ops::ControlFlow;
use std::time::Duration;
use tessera_base::Result;
use tessera_base::latency::{Clock, Tick};
use tessera_jobs::Job;
use tessera_jobs::chunk_stream::CHUNK_BYTES;

/// Room for a chunk and for the rows of the step that fills it. Grown by doubling it would take twice a chunk, mostly unused.
const ROOM_BYTES: usize = CHUNK_BYTES + 96 * 1024;
/// What a thread of its own takes, and the allocator beside it: as measured.
const THREAD_BYTES: usize = 96 * 1024;
/// What a worker holds that waits for a reader: its rows, and the bodies of a step, in a vector that has doubled.
pub const WORKER_BYTES: usize = ROOM_BYTES + 2 * COPIED_BYTES + THREAD_BYTES;
/// Few rows need no such room.
const FEW_BYTES: usize = 32 * 1024;
/// A row waits about this long for others to fill its chunk.
const PATIENCE: Duration = Duration::from_millis(100);

/// What one worker has written and not yet handed over.
#[derive(Default)]
pub(crate) struct Outbox {
    pub(crate) rows: Vec<u8>,
    /// When rows were first seen waiting.
    since: Option<Tick>,
    /// Bytes handed over.
    pub(in crate::scan) sent: usize,
}

impl Outbox {
    /// Bytes of all rows so far.
    pub(in crate::scan) fn bytes(&self) -> usize {
        self.sent + self.rows.len()
    }

    /// Whether a step is to go on after another row.
    pub(crate) fn flow(&self) -> ControlFlow<End> {
        if self.rows.len() < CHUNK_BYTES { ControlFlow::Continue(()) } else { ControlFlow::Break(End::Step) }
    }

    /// The rows, for somebody else to hand over.
    pub(in crate::scan) fn take(&mut self) -> Vec<u8> {
        self.since = None;
        self.sent += self.rows.len();
        std::mem::take(&mut self.rows)
    }

    /// To be called after each step, which met `met` records: hands over what is full or has waited long enough, or would
    /// have by the end of the wait that the job's pace asks for, or of the rest that comes then.
    ///
    /// # Errors
    /// `aborted`.
    pub(crate) fn pace(&mut self, sink: &ChunkSink, job: &Job, met: u64, rest: Duration) -> Result<()> {
        self.hand_over(sink, rest)?;
        job.pace(met, |wait| self.hand_over(sink, wait))
    }

    fn hand_over(&mut self, sink: &ChunkSink, wait: Duration) -> Result<()> {
        if self.rows.is_empty() {
            return Ok(());
        }
        let since = *self.since.get_or_insert_with(Clock::now);
        if self.rows.len() < CHUNK_BYTES && Duration::from_nanos(Clock::nanos_since(since)).saturating_add(wait) < PATIENCE {
            if self.rows.len() >= FEW_BYTES {
                self.rows.reserve_exact(ROOM_BYTES.saturating_sub(self.rows.len()));
            }
            return Ok(());
        }
        self.since = None;
        self.sent += self.rows.len();
        sink.send(std::mem::take(&mut self.rows))
    }
}
