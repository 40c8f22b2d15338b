//! Start-up: reads the disks, judges what is doubtful, and sets the queue to go on after it.

use super::blocks::BlockState;
use super::data_file::{Opened, write_header};
use super::headers::FileHeader;
use super::queue::Queue;
use super::shared::{Phase, Shared};
use super::space::Space;
use super::survey::{BlockNote, Doubt, Head, survey};
use super::verdict::{next_run, verdicts};
use super::volume::Volume;
use crate::error::{Error, ErrorCode, Result};
use crate::storage::{RecordImage, RecoveryReport, RecoverySink};
use std::sync::atomic::Ordering::Relaxed;

/// Places of damage kept in a report.
const PLACES_KEPT: usize = 1000;
/// Sequence numbers left out between runs: more than a crash or a cut file can have hidden, so that an entry which could
/// not be read at one start and can at the next is still older than what was written between them.
const RUN_GAP: u64 = 1 << 32;
/// A sequence beyond this leaves no room for the runs to come, and cannot be ours.
const HIGHEST: u64 = 1 << 62;

/// Replays the disks into `sink` and makes the storage ready for writing.
///
/// # Errors
/// As `Storage::recover`.
pub fn recover(shared: &Shared, threads: usize, sink: &dyn RecoverySink, opened: &Opened) -> Result<RecoveryReport> {
    if shared.state.lock().phase != Phase::New {
        return Err(Error::new(ErrorCode::Internal, "the storage has been recovered already"));
    }
    let lengths = lengths(shared)?;
    let mut found = survey(shared, &lengths, threads, sink)?;
    let mut report = RecoveryReport {
        records: found.records,
        tombstones: found.tombstones,
        blocks: found.blocks.len() as u64,
        bytes_read: found.bytes_read,
        ..RecoveryReport::default()
    };
    for &disk in &opened.damaged {
        report.damage_at(shared, Volume::join(disk, 0), "the file's header was damaged and has been written again");
    }
    let (judged, closed) = verdicts(&mut found.blocks, opened.run);
    if found.highest > HIGHEST {
        let message = format!("the data files tell of sequence {}, which no run has reached", found.highest);
        return Err(Error::new(ErrorCode::DataFileDamaged, message));
    }
    for (block, stored) in found.blocks.iter().zip(judged) {
        for doubt in block.doubts.iter().filter(|doubt| doubt.sure || !(block.ended && doubt.trailing)) {
            if doubt.sure || stored {
                report_suspect(doubt, sink);
                report.damage_at(shared, doubt.offset, &doubt.why);
            } else {
                report.torn += 1;
            }
        }
    }
    let ends = ends(shared, &found.blocks);
    let blank = |number: &u64| ends.get(shared.disk_of(*number)).is_some_and(|end| number < end);
    let blank: Vec<u64> = found.blank.iter().cloned().flatten().filter(blank).collect();
    if closed {
        // Every block up to the last is written, or marked as free, before an orderly close.
        blank.iter().for_each(|number| report.damage_at(shared, number * shared.block_bytes(), "a write block without a header"));
    }
    let total = lengths.iter().map(|length| length.saturating_sub(shared.block_bytes())).sum();
    sink.progress(total, total)?;
    let run = next_run(&found.blocks, opened.run);
    begin_run(shared, run)?;
    shared.counters.bytes_read.fetch_add(found.bytes_read, Relaxed);
    // Where every sequence number is lost, the run's own number keeps it apart from the runs before.
    let base = found.highest.saturating_add(RUN_GAP).max(u64::from(run).saturating_mul(RUN_GAP));
    let mut space = Space::new(shared.volume.members(), shared.block_bytes());
    ends.iter().for_each(|&end| space.found(end));
    let mut state = shared.state.lock();
    state.queue = Queue::new(&shared.options, shared.parts(space), run, base);
    sort_out(shared, &mut state.queue, &found.blocks);
    blank.into_iter().for_each(|number| state.queue.release(number));
    state.phase = Phase::Ready;
    shared.publish(&state);
    Ok(report)
}

/// For each disk, the number of the first block that was never used.
fn ends(shared: &Shared, blocks: &[BlockNote]) -> Vec<u64> {
    let first = |disk| Volume::join(disk, 0) / shared.block_bytes() + 1;
    let mut ends: Vec<u64> = (0..shared.volume.members().len()).map(first).collect();
    for block in blocks {
        if let Some(end) = ends.get_mut(shared.disk_of(block.number)) {
            *end = block.number.max(*end - 1) + 1;
        }
    }
    ends
}

/// Bytes of each disk that may hold blocks.
fn lengths(shared: &Shared) -> Result<Vec<u64>> {
    let members = shared.volume.members().iter();
    members.map(|m| m.disk.length().map_err(|e| Error::io(&format!("reading the length of {}", m.label), &e))).collect()
}

/// Raises the run in every disk's header, on stable storage: from here on an index snapshot of an earlier run is stale.
/// What was found may so far be in the page cache only; the sync covers it too, as later blocks will vouch for it.
fn begin_run(shared: &Shared, run: u32) -> Result<()> {
    let members = shared.volume.members();
    for (disk, member) in members.iter().enumerate() {
        let header = FileHeader {
            namespace_id: shared.options.namespace_id,
            block_bytes: shared.options.write_block_bytes,
            run,
            disk: disk as u8,
            disks: members.len() as u8,
        };
        write_header(member, &header)?;
    }
    shared.volume.sync()
}

/// Blocks with something wanted are kept, the others can be used again: at once where they are blank or marked, and else
/// when they are.
fn sort_out(shared: &Shared, queue: &mut Queue, blocks: &[BlockNote]) {
    for block in blocks {
        let wanted = shared.blocks.kept(block.number).total() > 0;
        match block.head {
            Head::Unreadable => {
                shared.blocks.set_state(block.number, BlockState::Unreadable);
                shared.defrag.fixed_until.store(queue.last_sequence(), Relaxed);
            }
            _ if wanted => {
                shared.blocks.set_state(block.number, BlockState::Stored);
                if shared.blocks.kept(block.number).total() < shared.defrag_line() {
                    shared.defrag.offer(block.number);
                }
            }
            Head::Free => queue.reclaim(block.number),
            _ => queue.release(block.number),
        }
    }
}

fn report_suspect(doubt: &Doubt, sink: &dyn RecoverySink) {
    if let Some(suspect) = &doubt.suspect {
        let image = RecordImage { digest: suspect.digest, slot: 0, meta: suspect.meta, set: &suspect.set, body: &[] };
        sink.damaged(suspect.segment, &image, suspect.location, suspect.sequence);
    }
}

impl RecoveryReport {
    fn damage_at(&mut self, shared: &Shared, offset: u64, why: &str) {
        self.damaged += 1;
        if self.damage.len() < PLACES_KEPT {
            let (disk, local) = Volume::split(offset);
            let several = shared.volume.members().len() > 1;
            let label = shared.volume.members().get(disk).map_or("", |member| &member.label);
            self.damage.push((local, if several { format!("{why} (in {label})") } else { why.to_owned() }));
        }
    }
}
