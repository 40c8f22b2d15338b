//! Start-up: reads the disks, judges what is doubtful, and sets the queue to go on after it.

use super::blocks::BlockState;
use super::data_file::{Opened, write_header};
use super::headers::{FileHeader, TornRuns};
use super::last_block::give_up_newest;
use super::queue::Queue;
use super::shared::{Phase, Shared, State};
use super::snapshot::DeviceOwner;
use super::space::Space;
use super::survey::{BlockNote, Doubt, Head, survey};
use super::verdict::{Verdict, next_run, verdicts};
use super::volume::{Member, Volume};
use crate::error::{Error, ErrorCode, Result};
use crate::storage::io::FileKind;
use crate::storage::snapshot::head::SnapshotHead;
use crate::storage::snapshot::{Load, Stop};
use crate::storage::{RecordImage, RecoveryReport, RecoverySink};
use parking_lot::MutexGuard;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;

/// Places of damage kept in a report.
const PLACES_KEPT: usize = 1000;
/// Sequence numbers left out between runs: more than a crash or a cut file can have hidden, so that an entry which could
/// not be read at one start and can at the next is still older than what was written between them.
const RUN_GAP: u64 = 1 << 32;
/// A sequence beyond this leaves no room for the runs to come, and cannot be ours.
const HIGHEST: u64 = 1 << 62;

/// Fills `sink` from the snapshot in `directory`, or replays the disks into it, and makes the storage ready for writing.
///
/// # Errors
/// As `Storage::recover`.
pub fn recover(
    shared: &Shared,
    threads: usize,
    sink: &dyn RecoverySink,
    opened: &Opened,
    directory: Option<&Path>,
) -> Result<RecoveryReport> {
    if shared.state.lock().phase != Phase::New {
        return Err(Error::new(ErrorCode::Internal, "the storage has been recovered already"));
    }
    let owner = DeviceOwner { shared, opened };
    let load = || match (directory, sink.target()) {
        (_, Err(why)) => Err(why.into()),
        _ if shared.options.create => Err("the namespace is new".into()),
        (None, _) => Err("there is no index snapshot".into()),
        (Some(directory), Ok(target)) => Load { owner: &owner, sink, target, threads }.run(directory),
    };
    match load() {
        Ok(head) => warm(&owner, &head),
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Doubt(why)) => cold(shared, threads, sink, opened, why),
    }
}

/// Goes on where the run that took the snapshot ended.
fn warm(owner: &DeviceOwner<'_>, head: &SnapshotHead) -> Result<RecoveryReport> {
    let DeviceOwner { shared, opened } = *owner;
    // The run before was closed in order: it tore nothing.
    let mut state = begin(shared, opened.run.saturating_add(1), opened.torn, head.last_sequence, &owner.ends(head))?;
    for number in state.queue.space().numbers() {
        match shared.blocks.state(number) {
            BlockState::Free => state.queue.reclaim(number),
            // Not marked as free on the disk, as far as is known.
            _ if shared.blocks.kept(number).total() == 0 => state.queue.release(number),
            _ => {}
        }
    }
    ready(shared, state);
    Ok(RecoveryReport { records: head.records, bytes_read: head.file_bytes, ..RecoveryReport::default() })
}

fn cold(shared: &Shared, threads: usize, sink: &dyn RecoverySink, opened: &Opened, why: String) -> Result<RecoveryReport> {
    let lengths = lengths(shared)?;
    let mut found = survey(shared, &lengths, threads, sink)?;
    let written = ends(shared, found.blocks.iter().filter(|block| block.is_ours()));
    found.leave_out_earlier_use(shared, &written);
    let mut report = RecoveryReport {
        cold: Some(why),
        records: found.records,
        tombstones: found.tombstones,
        blocks: found.blocks.len() as u64,
        bytes_read: found.bytes_read,
        ..RecoveryReport::default()
    };
    for &disk in &opened.damaged {
        report.damage_at(shared, Volume::join(disk, 0), "the file's header was damaged and has been written again");
    }
    let (judged, closed) = verdicts(&mut found.blocks, opened.run, opened.torn);
    if found.highest > HIGHEST {
        let message = format!("the data files tell of sequence {}, which no run has reached", found.highest);
        return Err(Error::new(ErrorCode::DataFileDamaged, message));
    }
    // In a block that cannot be read now anything may be torn.
    let readable = found.blocks.iter().all(|block| block.head != Head::Unreadable);
    let mut torn = if readable { TornRuns::NONE } else { TornRuns::UNKNOWN };
    for (block, Verdict { stored, runs }) in found.blocks.iter().zip(judged) {
        for doubt in block.doubts.iter().filter(|doubt| doubt.sure || !(block.ended && doubt.trailing)) {
            if doubt.sure || stored {
                report_suspect(doubt, sink);
                report.damage_at(shared, doubt.offset, &doubt.why);
            } else {
                report.torn += 1;
                torn = torn.and(runs.clone());
            }
        }
    }
    let ends = ends(shared, found.blocks.iter());
    let blank = |number: &u64| ends.get(shared.disk_of(*number)).is_some_and(|end| number < end);
    let blank: Vec<u64> = found.blank.iter().cloned().flatten().filter(blank).collect();
    if closed {
        // Every block up to the last is written, or marked as free, before an orderly close.
        blank.iter().for_each(|number| report.damage_at(shared, number * shared.block_bytes(), "a write block without a header"));
    }
    let total = lengths.iter().map(|length| length.saturating_sub(shared.block_bytes())).sum();
    sink.progress(total, total)?;
    let wanted = |block: &BlockNote| block.head != Head::Unreadable && shared.blocks.kept(block.number).total() > 0;
    if space_behind(shared, &ends).available() == 0 && blank.is_empty() && found.blocks.iter().all(wanted) {
        give_up_newest(shared, &found.blocks, sink);
    }
    let mut state = begin(shared, next_run(&found.blocks, opened.run), torn, found.highest, &ends)?;
    sort_out(shared, &mut state.queue, &found.blocks);
    blank.into_iter().for_each(|number| state.queue.release(number));
    ready(shared, state);
    Ok(report)
}

/// Begins a run that goes on after sequence `highest`; `torn` is what the runs before left so; `ends` are the first unused blocks
/// of the disks.
fn begin<'a>(shared: &'a Shared, run: u32, torn: TornRuns, highest: u64, ends: &[u64]) -> Result<MutexGuard<'a, State>> {
    begin_run(shared, run, torn)?;
    // Where every sequence number is lost, the run's own number keeps it apart from the runs before.
    let base = highest.saturating_add(RUN_GAP).max(u64::from(run).saturating_mul(RUN_GAP));
    let mut state = shared.state.lock();
    state.queue = Queue::new(&shared.options, shared.parts(space_behind(shared, ends)), run, base);
    Ok(state)
}

/// What no block has ever used.
fn space_behind(shared: &Shared, ends: &[u64]) -> Space {
    let mut space = Space::new(shared.volume.members(), shared.block_bytes());
    ends.iter().for_each(|&end| space.found(end));
    space
}

/// Lets writes in, and defragmentation look for blocks that were sparse before.
fn ready(shared: &Shared, mut state: MutexGuard<'_, State>) {
    state.phase = Phase::Ready;
    shared.defrag.forgotten.store(true, Relaxed);
    shared.defrag.wake();
    shared.publish(&state);
}

/// For each disk, the number of the first block that was never used.
fn ends<'a>(shared: &Shared, blocks: impl Iterator<Item = &'a BlockNote>) -> Vec<u64> {
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
    let length = |member: &Member| {
        let all = member.disk.length().map_err(|e| Error::io(&format!("reading the length of {}", member.label), &e))?;
        // A file may have been longer in a run that set no bound; of a device, what lies behind the bound was never ours.
        Ok(if member.kind == FileKind::Device { all.min(member.capacity_bytes) } else { all })
    };
    shared.volume.members().iter().map(length).collect()
}

/// Raises the run in every disk's header, on stable storage: from here on an index snapshot of an earlier run is stale.
/// What was found may so far be in the page cache only; it is synced before a header or later blocks vouch for it.
fn begin_run(shared: &Shared, run: u32, torn: TornRuns) -> Result<()> {
    shared.volume.sync()?;
    let members = shared.volume.members();
    for (disk, member) in members.iter().enumerate() {
        let header = FileHeader {
            namespace_id: shared.options.namespace_id,
            block_bytes: shared.options.write_block_bytes,
            run,
            disk: disk as u8,
            disks: members.len() as u8,
            torn,
        };
        write_header(member, &header)?;
        whole_blocks(shared, member)?;
    }
    shared.volume.sync()
}

/// Where a file ends within a block, gives it the zeros that were read for the rest: entries and their padding may lie there.
fn whole_blocks(shared: &Shared, member: &Member) -> Result<()> {
    let block_bytes = shared.block_bytes();
    let extend = || match member.disk.length()? {
        length if member.kind == FileKind::File && !length.is_multiple_of(block_bytes) => {
            member.disk.set_len(length.next_multiple_of(block_bytes))
        }
        _ => Ok(()),
    };
    extend().map_err(|e| Error::io(&format!("padding {}", member.label), &e))
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
            _ if wanted => shared.blocks.set_state(block.number, BlockState::Stored),
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
            let label = shared.volume.members().get(disk).map_or("", |member| &*member.label);
            self.damage.push((local, if several { format!("{why} (in {label})") } else { why.to_owned() }));
        }
    }
}
