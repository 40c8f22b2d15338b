//! Start-up: reads the file, judges what is doubtful, and sets the queue to go on after it.

use super::headers::FileHeader;
use super::queue::Queue;
use super::shared::{Phase, Shared};
use super::survey::{Doubt, survey};
use super::verdict::{Verdict, next_run, verdicts};
use crate::error::{Error, ErrorCode, Result};
use crate::storage::{RecordImage, RecoveryReport, RecoverySink};
use std::sync::atomic::Ordering::Relaxed;

/// Places of damage kept in a report.
const PLACES_KEPT: usize = 1000;
/// Sequence numbers left out between runs: more than a crash or a cut file can have hidden, so that an entry which could
/// not be read at one start and can at the next is still older than what was written between them.
const RUN_GAP: u64 = 1 << 32;

/// Replays the file into `sink` and makes the storage ready for writing, in a new block behind everything found.
///
/// # Errors
/// As `Storage::recover`.
pub fn recover(shared: &Shared, threads: usize, sink: &dyn RecoverySink, header_damaged: bool) -> Result<RecoveryReport> {
    if shared.state.lock().phase != Phase::New {
        return Err(Error::new(ErrorCode::Internal, "the storage has been recovered already"));
    }
    let length = shared.disk.length().map_err(|e| Error::io("reading the data file's length", &e))?;
    let end = length.div_ceil(shared.block_bytes()).max(1);
    let found = survey(shared, end, length, threads, sink)?;
    let mut report = RecoveryReport {
        records: found.records,
        tombstones: found.tombstones,
        blocks: found.blocks.len() as u64,
        bytes_read: found.bytes_read,
        ..RecoveryReport::default()
    };
    if header_damaged {
        report.damage_at(0, "the file's header was damaged and has been written again".to_owned());
    }
    let judged = verdicts(&found.blocks);
    let run = next_run(&found.blocks);
    for (block, verdict) in found.blocks.into_iter().zip(judged) {
        for doubt in block.doubts {
            match verdict {
                Verdict::Torn => report.torn += 1,
                Verdict::Damaged => {
                    report_suspect(&doubt, sink);
                    report.damage_at(doubt.offset, doubt.why);
                }
            }
        }
    }
    let read = (end - 1) * shared.block_bytes();
    sink.progress(read, read)?;
    if header_damaged {
        let header = FileHeader { namespace_id: shared.options.namespace_id, block_bytes: shared.options.write_block_bytes };
        shared.disk.write_at(&header.encode(), 0).map_err(|e| Error::io("writing the data file's header", &e))?;
    }
    // What was found may so far be in the page cache only; later blocks will vouch for it.
    shared.disk.sync().map_err(|e| Error::io("syncing the data file", &e))?;
    shared.counters.bytes_read.fetch_add(found.bytes_read, Relaxed);
    let mut state = shared.state.lock();
    // Where every sequence number is lost, the run's own number keeps it apart from the runs before.
    let base = found.highest.saturating_add(RUN_GAP).max(u64::from(run).saturating_mul(RUN_GAP));
    state.queue = Queue::new(&shared.options, run, end, base);
    state.phase = Phase::Ready;
    shared.publish(&state);
    Ok(report)
}

fn report_suspect(doubt: &Doubt, sink: &dyn RecoverySink) {
    if let Some(suspect) = &doubt.suspect {
        let image = RecordImage { digest: suspect.digest, slot: 0, meta: suspect.meta, set: &suspect.set, body: &[] };
        sink.damaged(suspect.segment, &image, suspect.location, suspect.sequence);
    }
}

impl RecoveryReport {
    fn damage_at(&mut self, offset: u64, why: String) {
        self.damaged += 1;
        if self.damage.len() < PLACES_KEPT {
            self.damage.push((offset, why));
        }
    }
}
