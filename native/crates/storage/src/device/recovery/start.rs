//! Start-up: reads the disks, judges what is doubtful, and sets the queue to go on after it.

use super::block_note::{BlockNote, Doubt, Head};
use super::closing::close;
use super::last_block::give_up_newest;
use super::loss::{Evidence, lost, stable_of_runs, unnamed, unread};
use super::survey::survey;
use super::verdict::{Verdict, next_run, verdicts};
use crate::device::disks::data_file::{Opened, write_header};
use crate::device::disks::volume::{Member, Volume};
use crate::device::format::entry::EntryKind;
use crate::device::format::headers::{FileHeader, TornRuns};
use crate::device::format::place::Place;
use crate::device::snapshot::DeviceOwner;
use crate::device::write::blocks::BlockState;
use crate::device::write::gaps::Gaps;
use crate::device::write::mark::Known;
use crate::device::write::marks::Marks;
use crate::device::write::queue::Queue;
use crate::device::write::shared::{Phase, Shared, State};
use crate::device::write::space::{Purpose, Space};
use crate::snapshot::head::SnapshotHead;
use crate::snapshot::{Load, Stop};
use crate::{RecordImage, RecoveryReport, RecoverySink};
use parking_lot::MutexGuard;
use std::collections::HashMap;
use std::ops::Range;
use std::path::Path;
use std::sync::atomic::Ordering::Relaxed;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_io::FileKind;

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
    let mut found = Found { evidence: Evidence::gather(shared, &lengths(shared)?, directory), losses: vec![] };
    if let Some(loss) = found.evidence.rolled_back(shared, opened, &lengths(shared)?) {
        found.accept(shared, loss)?;
    }
    let load = || match (directory, sink.target()) {
        _ if !found.losses.is_empty() => Err("the disks are not as they were".into()),
        (_, Err(why)) => Err(why.into()),
        _ if shared.options.create => Err("the namespace is new".into()),
        (None, _) => Err("there is no index snapshot".into()),
        (Some(directory), Ok(target)) => Load { owner: &owner, sink, target, threads }.run(directory),
    };
    match load() {
        Ok(head) => warm(&owner, &found.evidence, &head),
        Err(Stop::Failed(error)) => Err(error),
        Err(Stop::Doubt(why)) => cold(shared, threads, sink, opened, found, why),
    }
}

/// What a start has found out before it looks at the blocks, and the losses that it was told to accept.
struct Found {
    evidence: Evidence,
    losses: Vec<Error>,
}

impl Found {
    /// # Errors
    /// The loss, unless it is to be accepted.
    fn accept(&mut self, shared: &Shared, loss: Error) -> Result<()> {
        if !shared.options.accept_loss {
            return Err(loss);
        }
        self.losses.push(loss);
        Ok(())
    }
}

/// Goes on where the run that took the snapshot ended.
fn warm(owner: &DeviceOwner<'_>, evidence: &Evidence, head: &SnapshotHead) -> Result<RecoveryReport> {
    let DeviceOwner { shared, opened } = *owner;
    let recent = evidence.recent();
    let next = Next { recent, ..Next::after(evidence, opened.run.saturating_add(1), head.last_sequence) };
    let ends = owner.ends(head);
    fill_holes(shared, &ends)?;
    // The run before was closed in order: it tore nothing.
    let mut state = begin(shared, next, opened.torn, &ends)?;
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

fn cold(
    shared: &Shared,
    threads: usize,
    sink: &dyn RecoverySink,
    opened: &Opened,
    mut known: Found,
    why: String,
) -> Result<RecoveryReport> {
    let lengths = lengths(shared)?;
    let mut found = survey(shared, &known.evidence, &lengths, threads, sink)?;
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
        let message = sentence!("the data files name sequence number {highest}, which no run has reached", highest = found.highest);
        return Err(Error::said(ErrorCode::DataFileDamaged, message));
    }
    let stable = stable_of_runs(&known.evidence, &found.blocks);
    let mut missing = Missing { known: known.evidence.accepted(), ..Missing::default() };
    // In a block that cannot be read now anything may be torn.
    let readable = found.blocks.iter().all(|block| block.head != Head::Unreadable);
    let mut torn = if readable { TornRuns::NONE } else { TornRuns::UNKNOWN };
    // By block: the first sequence that a torn write cost.
    let mut torn_from = HashMap::<u64, u64>::new();
    for (block, Verdict { stored, runs }) in found.blocks.iter().zip(judged) {
        let stable = block.run().and_then(|run| stable.get(&run)).copied().unwrap_or(0);
        let counts = |doubt: &&Doubt| doubt.sure || doubt.costs() || !(block.ended && doubt.trailing);
        for doubt in block.doubts.iter().filter(counts) {
            let was_stable = doubt.first.is_some_and(|first| first <= stable || first < block.vouched);
            // The end of a block that is not closed may be left from an earlier use, whatever vouches for the block.
            if doubt.sure || was_stable || stored && (doubt.costs() || !doubt.trailing || doubt.first.is_none()) {
                report_suspect(shared, doubt, sink);
                report.damage_at(shared, doubt.offset, &doubt.why);
                missing.add(doubt.sequences(), doubt.offset);
                if let Some(named) = doubt.first.filter(|_| doubt.by_parity) {
                    missing.named.add(named..named.saturating_add(1));
                }
            } else {
                report.torn += 1;
                let (from, first) = (torn_from.entry(block.number).or_insert(u64::MAX), doubt.first.unwrap_or(0));
                *from = first.min(*from);
                torn = torn.and(runs.clone());
            }
        }
    }
    let unreadable = |number: u64| found.blocks.iter().find(|block| block.number == number && block.head == Head::Unreadable);
    for lost in lost(shared, &known.evidence, &found.blocks, &stable) {
        let entries = lost.sequences.end - lost.sequences.start;
        report.damage_at(shared, lost.offset, &format!("{}: about {entries} entries are missing", lost.why));
        match unreadable(lost.number) {
            Some(block) => missing.add_unread(lost.sequences, block),
            None => missing.add(lost.sequences, lost.offset),
        }
    }
    if let Some(block) = missing.block {
        known.accept(shared, unread(shared, missing.unread, block))?;
    }
    if missing.entries > 0 {
        known.accept(shared, unnamed(shared, missing.entries, missing.offset))?;
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
    fill_holes(shared, &ends)?;
    if blank.is_empty() && found.blocks.iter().all(wanted) && !has_room(shared, &ends) {
        give_up_newest(shared, &found.blocks, sink);
    }
    let (run, highest) = known.evidence.newest(shared.options.stamp);
    let mut next = Next::after(&known.evidence, next_run(&found.blocks, opened.run.max(run)), found.highest.max(highest));
    let end = |block: &BlockNote| torn_from.get(&block.number).map_or(block.next.0, |torn| block.next.0.min(*torn));
    next.recent = found.blocks.iter().filter_map(|block| Some(block.known()?.ending(end(block)))).collect();
    for block in found.blocks.iter().filter(|block| wanted(block)) {
        if let Err(error) = close(shared, block, end(block)) {
            report.damage_at(shared, block.number * shared.block_bytes(), &format!("a write block cannot be closed: {error}"));
        }
    }
    if !known.losses.is_empty() {
        // The parity of a block that was never closed is in the marks, and goes with them.
        missing.named.ranges().for_each(|range| missing.all.add(range));
        // Else what tells of an earlier use of these, which was freed long ago, would tell of a loss.
        next.recent.extend(known.evidence.gone(&found.blocks));
    }
    // What is there again, or is not needed any more, has to be accepted anew if it goes.
    next.accepted = missing.all;
    let mut state = begin(shared, next, torn, &ends)?;
    sort_out(shared, &mut state.queue, &found.blocks);
    blank.into_iter().for_each(|number| state.queue.release(number));
    ready(shared, state);
    report.losses = known.losses;
    Ok(report)
}

/// Entries that were on stable storage, and that nothing names.
#[derive(Default)]
struct Missing<'a> {
    all: Gaps,
    /// Those of them that were accepted as lost before, or have been counted.
    known: Gaps,
    /// Entries that nothing but parity names.
    named: Gaps,
    /// How many are neither, and the place of the first that was found.
    entries: u64,
    offset: u64,
    /// Those that are in blocks that cannot be read, and the first of these.
    unread: u64,
    block: Option<&'a BlockNote>,
}

impl<'a> Missing<'a> {
    fn add(&mut self, sequences: Range<u64>, offset: u64) {
        self.offset = if self.entries == 0 { offset } else { self.offset };
        self.entries += self.more(sequences);
    }

    fn add_unread(&mut self, sequences: Range<u64>, block: &'a BlockNote) {
        let more = self.more(sequences);
        if more > 0 {
            self.unread += more;
            self.block.get_or_insert(block);
        }
    }

    /// How many of `sequences` are not known yet.
    fn more(&mut self, sequences: Range<u64>) -> u64 {
        let more = self.known.lacks(&sequences);
        self.known.add(sequences.clone());
        self.all.add(sequences);
        more
    }
}

/// What the next run goes on with.
struct Next {
    run: u32,
    /// The highest sequence there may be.
    highest: u64,
    accepted: Gaps,
    /// As `Evidence::numbers`.
    marks: (u64, u64),
    recent: Vec<Known>,
}

impl Next {
    fn after(evidence: &Evidence, run: u32, highest: u64) -> Self {
        Self { run, highest, accepted: evidence.accepted(), marks: evidence.numbers(), recent: vec![] }
    }
}

/// Begins the next run; `torn` is what the runs before left so; `ends` are the first unused blocks of the disks.
fn begin<'a>(shared: &'a Shared, next: Next, torn: TornRuns, ends: &[u64]) -> Result<MutexGuard<'a, State>> {
    let Next { run, highest, accepted, marks, recent } = next;
    begin_run(shared, run, torn)?;
    let used = |(length, end): (u64, &u64)| length.min(Volume::split(*end * shared.block_bytes()).1);
    let reaches = lengths(shared)?.into_iter().zip(ends).map(used).collect();
    let marks = Marks::new(marks, accepted, reaches, &recent, shared.options.mark_after, shared.block_bytes() as usize);
    // Where every sequence number is lost, the run's own number keeps it apart from the runs before.
    let base = highest.saturating_add(RUN_GAP).max(u64::from(run).saturating_mul(RUN_GAP));
    let mut state = shared.state.lock();
    state.queue = Queue::new(&shared.options, shared.parts(space_behind(shared, ends)), run, base, marks);
    // A run has one of its own before anything else.
    shared.mark_both_slots(&mut state, false)?;
    Ok(state)
}

/// What no block has ever used.
fn space_behind(shared: &Shared, ends: &[u64]) -> Space {
    let mut space = Space::new(shared.volume.members(), shared.block_bytes());
    for (disk, &end) in ends.iter().enumerate() {
        space.found(end);
        space.reaches(disk, shared.volume.reached(disk), Purpose::Write, false);
    }
    space
}

/// Whether there is a block behind all that were ever used, also in a file that has to grow for it.
fn has_room(shared: &Shared, ends: &[u64]) -> bool {
    let (mut space, mut refused) = (space_behind(shared, ends), 0);
    while let Some((disk, end)) = space.wants((Purpose::Move, 1), false, refused) {
        let full = shared.volume.make_room(disk, end).is_err_and(|error| error.code == ErrorCode::DeviceFull);
        if !full {
            return true;
        }
        refused |= 1 << disk;
        space.reaches(disk, shared.volume.reached(disk), Purpose::Move, true);
    }
    space.available() > 0
}

/// Sees to it that the last block of each file and what is there behind it is no hole, which a file may end with that was copied, or that
/// `whole_blocks` has made longer. As far as there is room for it: the rest is no room to count on.
fn fill_holes(shared: &Shared, ends: &[u64]) -> Result<()> {
    let block_bytes = shared.block_bytes();
    for (disk, (length, end)) in lengths(shared)?.into_iter().zip(ends).enumerate() {
        let from = Volume::split(end.saturating_sub(1) * block_bytes).1;
        if from < length && shared.volume.members().get(disk).is_some_and(|member| member.kind == FileKind::File) {
            shared.volume.fill_holes(disk, from..length.next_multiple_of(block_bytes), block_bytes);
        }
    }
    Ok(())
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
        Ok(member.bounded(all))
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
            Head::Free if block.marked => queue.reclaim(block.number),
            _ => queue.release(block.number),
        }
    }
}

fn report_suspect(shared: &Shared, doubt: &Doubt, sink: &dyn RecoverySink) {
    let Some(suspect) = &doubt.suspect else { return };
    let Some(location) = (Place { offset: suspect.offset, length: suspect.length }).pack() else { return };
    match suspect.kind {
        EntryKind::Record => {
            if doubt.by_parity {
                shared.blocks.lose(suspect.offset);
            }
            let image = RecordImage { digest: suspect.digest, slot: 0, meta: suspect.meta, set: &suspect.set, body: &[] };
            sink.damaged(suspect.segment, &image, location, suspect.sequence);
        }
        EntryKind::Tombstone => {
            // It keeps its block, as what it says is told nowhere else.
            shared.tombstone_lives(suspect.offset / shared.block_bytes(), suspect.length);
            sink.tombstone(suspect.segment, &suspect.digest, suspect.sequence);
        }
        EntryKind::Close => {}
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
