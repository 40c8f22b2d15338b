//! What disks, marks, snapshot and manifest say of each other, before anything is changed: whether all that was acknowledged is
//! still there.
//!
//! | what tells | what it tells |
//! | --- | --- |
//! | a mark on each disk | up to where everything was stable within a second of the last sync, how far each disk was written, which blocks were begun or freed last, whether the run was closed in order |
//! | an entry | up to where everything was stable when it was appended |
//! | a block | which block was begun before it; how many entries it has itself |
//! | the snapshot | run, last sequence and lengths at an orderly close: no disk comes back to an earlier one |
//! | the manifest | the run, from the last start or stop |
//! | the witness of the data directory | the number of a mark that every disk had |

use super::block_note::{BlockNote, Head};
use crate::device::disks::data_file::Opened;
use crate::device::format::summary::BlockUseId;
use crate::device::write::gaps::Gaps;
use crate::device::write::mark::{Known, Mark, Partial, Slots};
use crate::device::write::shared::Shared;
use crate::snapshot;
use crate::snapshot::head::SnapshotHead;
use std::collections::{HashMap, HashSet};
use std::ops::Range;
use std::path::Path;
use tessera_base::{Error, ErrorCode, sentence};

/// More entries than a block has, and fewer than lie between two runs.
const BLOCK_ENTRIES: u64 = 1 << 24;

/// What is known of the disks from their marks and from elsewhere.
#[derive(Default)]
pub struct Evidence {
    disks: Vec<Slots>,
    /// The newest mark of all disks.
    pub top: Option<Mark>,
    /// By number: the newest use that a mark knows.
    known: HashMap<u64, Known>,
    snapshot: Option<SnapshotHead>,
    /// The newest mark that the data directory knows of.
    witnessed: u64,
}

impl Evidence {
    /// Reads the marks of the disks, of which `lengths` bytes are there, and the head of the snapshot in `directory`.
    pub fn gather(shared: &Shared, lengths: &[u64], directory: Option<&Path>) -> Self {
        let block_bytes = shared.block_bytes() as usize;
        let slots = |(disk, length): (usize, &u64)| Slots::read(&shared.volume, disk, shared.seal, block_bytes, *length);
        let disks = lengths.iter().enumerate().map(slots).collect();
        let ours = |head: &SnapshotHead| head.namespace_id == shared.options.namespace_id && head.has_records();
        let snapshot = directory.and_then(snapshot::head).filter(ours);
        Self { witnessed: shared.options.mark, ..Self::of(disks, snapshot) }
    }

    fn of(disks: Vec<Slots>, snapshot: Option<SnapshotHead>) -> Self {
        let mut top = disks.iter().filter_map(|slots| slots.newest.clone()).max_by_key(|mark| mark.number);
        if let Some(top) = &mut top {
            top.complete(disks.iter().flat_map(|slots| &slots.all));
        }
        let mut known = HashMap::<u64, Known>::new();
        for block in top.iter().flat_map(|mark| &mark.blocks) {
            let newest = known.entry(block.id.number).or_insert(*block);
            if newest.id.first <= block.id.first {
                *newest = *block;
            }
        }
        Self { disks, top, known, snapshot, witnessed: 0 }
    }

    /// The newest use of a block that was on stable storage.
    pub fn known(&self, number: u64) -> Option<Known> {
        self.known.get(&number).copied()
    }

    /// The sequence behind the last entry that a use of a block must have, as a later run noted it
    /// when it began.
    pub fn end(&self, id: BlockUseId) -> Option<u64> {
        self.known.get(&id.number).filter(|known| known.id == id).and_then(Known::end)
    }

    /// The blocks of the newest mark, for the run after an orderly close, each with what it must
    /// have.
    pub fn recent(&self) -> Vec<Known> {
        let Some(top) = &self.top else { return vec![] };
        // Within a run blocks follow each other; the last one ends with it.
        let mut next = top.closed.then_some((top.run, top.stable.saturating_add(1)));
        let mut recent = top.blocks.clone();
        for known in recent.iter_mut().rev().filter(|known| !known.free) {
            if let Some((_, end)) = next.filter(|(run, _)| *run == known.run && known.run == top.run) {
                *known = known.ending(end);
            }
            next = Some((known.run, known.id.first));
        }
        recent
    }

    /// The blocks that are gone, or are again as they were in an earlier use: free, as far as is known from here on.
    pub fn gone(&self, blocks: &[BlockNote]) -> impl Iterator<Item = Known> {
        let there: HashMap<u64, u64> = blocks.iter().filter_map(|block| block.id).map(|id| (id.number, id.first)).collect();
        let gone = move |known: &&Known| there.get(&known.id.number).is_none_or(|first| *first < known.id.first);
        self.known.values().filter(gone).map(|known| Known { free: true, count: 0, ..*known })
    }

    /// What the newest mark has of a block to which entries were still added.
    pub fn partial(&self, id: BlockUseId) -> Option<&Partial> {
        self.top.as_ref().map(|mark| &mark.partial).filter(|partial| partial.id == id)
    }

    /// Up to where the newest mark vouches.
    pub fn stable(&self) -> u64 {
        self.top.as_ref().map_or(0, |mark| mark.stable)
    }

    /// What is missing of these was accepted as lost.
    pub fn accepted(&self) -> Gaps {
        self.top.as_ref().map_or_else(Gaps::default, |mark| mark.accepted.clone())
    }

    /// The number of the newest mark that there is or was, and of the newest that every disk has; 0 for none.
    pub fn numbers(&self) -> (u64, u64) {
        let number = |mark: Option<&Mark>| mark.map_or(0, |mark| mark.number);
        (number(self.top.as_ref()).max(self.witnessed), self.disks.iter().map(|slots| number(slots.newest.as_ref())).min().unwrap_or(0))
    }

    /// The highest run and sequence that anything but the blocks themselves tells.
    pub fn newest(&self, stamp: u64) -> (u32, u64) {
        let marked = self.top.as_ref().map_or((0, 0), |mark| (mark.run, mark.stable));
        let saved = self.snapshot.as_ref().map_or((0, 0), |head| (head.run, head.last_sequence));
        (marked.0.max(saved.0).max(u32::try_from(stamp / 2).unwrap_or(0)), marked.1.max(saved.1))
    }

    /// Every sign that a disk is older than it was, or shorter.
    pub fn rolled_back(&self, shared: &Shared, opened: &Opened, lengths: &[u64]) -> Option<Error> {
        let mut signs = vec![];
        let members = shared.volume.members();
        let name = |disk: usize| members.get(disk).map_or("", |member| &*member.label);
        let reaches = self.top.iter().flat_map(|mark| &mark.reaches);
        let saved = self.snapshot.iter().filter(|head| head.run == opened.run).flat_map(|head| &head.disks);
        // The snapshot has a device's whole length; what lies behind the bound is not ours.
        let saved = members.iter().zip(saved).map(|(member, disk)| member.bounded(disk.length));
        let mut had: Vec<u64> = reaches.copied().collect();
        had.resize(lengths.len(), 0);
        had.iter_mut().zip(saved).for_each(|(had, saved)| *had = saved.max(*had));
        for (disk, (length, had)) in lengths.iter().zip(had).enumerate().filter(|(_, (length, had))| **length < *had) {
            signs.push(format!("{} has {length} bytes, but had {had}", name(disk)));
        }
        // All headers are raised before the first mark of a run; until then a crash may leave some behind.
        let marked = self.top.as_ref().map_or(0, |mark| mark.run);
        for (disk, run) in opened.runs.iter().enumerate() {
            let Some(run) = run.filter(|run| *run < marked) else { continue };
            signs.push(format!("{} is of run {run}, and a mark on the namespace's disks of run {marked}", name(disk)));
        }
        let settled = self.top.as_ref().map_or(0, |mark| mark.settled);
        for (disk, slots) in self.disks.iter().enumerate() {
            let number = slots.newest.as_ref().map_or(0, |mark| mark.number);
            // Of a damaged slot nobody knows which mark it had.
            let (had, who) = if settled < self.witnessed { (self.witnessed, "the data directory") } else { (settled, "another disk") };
            if number + u64::from(!slots.sure) < had && number > 0 {
                signs.push(format!("{} has mark number {number}, and {who} knows that it had number {had}", name(disk)));
            }
        }
        // Without marks nothing tells how far a killed run was written; an orderly stop left the snapshot, which does.
        let saved = self.snapshot.as_ref().is_some_and(|saved| u64::from(saved.run) >= shared.options.stamp / 2);
        if self.top.is_none() && self.witnessed > 0 && !saved {
            signs.push(format!(
                "the marks that tell up to where entries were written are gone from {}, and the data directory knows of mark number {}; entries at the end may be missing",
                if members.len() == 1 { name(0) } else { "all disks" },
                self.witnessed
            ));
        }
        if opened.damaged.is_empty() {
            self.runs_elsewhere(opened.run, shared.options.stamp, &mut signs);
            // The manifest learns of a run when the marks of its start are on stable storage.
            let begun = shared.options.stamp / 2 == u64::from(opened.run) && opened.run > 0;
            let unmarked = |slots: &&Slots| begun && slots.newest.as_ref().is_none_or(|mark| mark.run < opened.run);
            for disk in self.disks.iter().enumerate().filter(|(_, slots)| unmarked(slots)).map(|(disk, _)| disk) {
                signs.push(format!("{} has no mark of run {}, and had some", name(disk), opened.run));
            }
        }
        (!signs.is_empty()).then(|| Error::new(ErrorCode::DataRolledBack, signs.join("; ")))
    }

    fn runs_elsewhere(&self, run: u32, stamp: u64, signs: &mut Vec<String>) {
        let (noted, closed) = (stamp / 2, stamp % 2 == 1);
        if noted > u64::from(run) {
            signs.push(format!("the disks are of run {run}, and the manifest knows run {noted}"));
        }
        if let Some(saved) = self.snapshot.as_ref().filter(|saved| saved.run > run) {
            signs.push(format!("the disks are of run {run}, and the index snapshot was written in run {}", saved.run));
        }
        // A newer mark may have been damaged, unless both slots of each disk are as they were written.
        if !self.disks.iter().all(|slots| slots.sure) {
            return;
        }
        let ended = self.top.as_ref().filter(|mark| mark.run == run && mark.closed).map(|mark| mark.stable);
        if noted == u64::from(run) && closed && ended.is_none() {
            signs.push(format!("run {run} was closed in order, and the disks are from before that"));
        }
        if let Some(saved) = self.snapshot.as_ref().filter(|saved| saved.run == run && ended != Some(saved.last_sequence)) {
            signs.push(format!(
                "the disks are from before the close of run {run}, after which the index snapshot was written with sequence {}",
                saved.last_sequence
            ));
        }
    }
}

/// Entries that were on stable storage, and that no block has.
pub struct Lost {
    pub number: u64,
    pub offset: u64,
    pub sequences: Range<u64>,
    pub why: &'static str,
}

/// For each run, up to where everything of it was on stable storage.
pub fn stable_of_runs(evidence: &Evidence, blocks: &[BlockNote]) -> HashMap<u32, u64> {
    let mut stable = HashMap::<u32, u64>::new();
    let marks = evidence.disks.iter().filter_map(|slots| slots.newest.as_ref()).map(|mark| (mark.run, mark.stable));
    let told = blocks.iter().filter_map(|block| match block.head {
        Head::Entries(run, _, durable) if run > 0 => Some((run, durable.max(block.stable))),
        _ => None,
    });
    for (run, upto) in marks.chain(told) {
        let known = stable.entry(run).or_default();
        *known = upto.max(*known);
    }
    stable
}

/// What is missing at the ends of blocks, and with blocks that are gone, or are again as they were in an earlier use.
pub fn lost(shared: &Shared, evidence: &Evidence, blocks: &[BlockNote], stable: &HashMap<u32, u64>) -> Vec<Lost> {
    let stable_of = |run: u32| stable.get(&run).copied().unwrap_or(0);
    let mut uses = Vec::<(BlockUseId, u32)>::new();
    // Sequences behind the last entries of blocks, as the next block tells.
    let mut ends = HashMap::<BlockUseId, u64>::new();
    let mut last: Option<&Known> = None;
    for known in evidence.top.iter().flat_map(|mark| &mark.blocks).filter(|known| !known.free) {
        uses.push((known.id, known.run));
        if let Some(before) = last.filter(|before| before.run == known.run) {
            ends.insert(before.id, known.id.first);
        }
        last = Some(known);
    }
    let mut newest = HashMap::<u32, u64>::new();
    for block in blocks {
        let (Some(id), Some(run)) = (block.id, block.run()) else { continue };
        let first = newest.entry(run).or_default();
        *first = id.first.max(*first);
        if let Some(previous) = block.previous.filter(|previous| previous.first > 0) {
            let same = id.first.saturating_sub(previous.first) < BLOCK_ENTRIES;
            uses.push((previous, if same { run } else { 0 }));
            if same {
                ends.insert(previous, id.first);
            }
        }
    }
    let used = blocks.iter().filter(|block| block.run().is_some()).filter_map(|block| block.id);
    let mut firsts: Vec<u64> = used.chain(uses.iter().map(|(id, _)| *id)).map(|id| id.first).collect();
    firsts.sort_unstable();
    let by_number: HashMap<u64, &BlockNote> = blocks.iter().map(|block| (block.number, block)).collect();
    let mut lost = vec![];
    for block in blocks {
        let (Some(id), Some(run), None) = (block.id, block.run(), block.end) else { continue };
        let newest = newest.get(&run) == Some(&id.first);
        let bound = stable_of(run).saturating_add(1);
        let end = ends.get(&id).copied().or(newest.then_some(bound)).unwrap_or(0).min(bound);
        let (next, offset) = block.next;
        // What lies behind the close of its run is of no run.
        if next < end && !block.closed {
            lost.push(Lost { number: block.number, offset, sequences: next..end, why: "the end of a write block is gone" });
        }
    }
    let mut told = HashSet::new();
    for (id, run) in uses {
        let found = by_number.get(&id.number).and_then(|block| block.id);
        if found.is_some_and(|found| found.first >= id.first) || evidence.known(id.number).is_some_and(|known| known.id.first > id.first) {
            continue;
        }
        // Of another run than the block that tells of it: that run has synced it.
        let end = if let Some(end) = evidence.end(id) {
            end
        } else if run == 0 {
            id.first.saturating_add(1)
        } else {
            // At the latest the next block that is known begins there.
            let following = firsts.get(firsts.partition_point(|first| *first <= id.first));
            ends.get(&id).or(following).copied().unwrap_or(u64::MAX).min(stable_of(run).saturating_add(1))
        };
        if id.first < end && told.insert(id) {
            let why = "a write block is gone, or is as it was in an earlier use";
            lost.push(Lost { number: id.number, offset: id.number * shared.block_bytes(), sequences: id.first..end, why });
        }
    }
    lost
}

/// The loss of about `missing` entries that cannot be named, the first at a global offset.
pub fn unnamed(shared: &Shared, missing: u64, first: u64) -> Error {
    let at = shared.volume.name(first);
    let message = sentence!(
        "about {missing} entries that were on stable storage are missing and cannot be named, the first at byte {at}; older versions of their records would be served",
        missing = missing,
        at = at
    );
    Error::said(ErrorCode::LogDamaged, message)
}

/// The loss of about `missing` entries in blocks that cannot be read, the first of which is `block`.
pub fn unread(shared: &Shared, missing: u64, block: &BlockNote) -> Error {
    let at = shared.volume.name(block.number * shared.block_bytes());
    let why = block.doubts.first().map_or("", |doubt| &doubt.why);
    let message = sentence!(
        "{why}, at byte {at}; about {missing} entries that were on stable storage are in blocks like this. It is a read error and not damage: nothing was changed, so open the namespace again once the disk can be read. If the loss is accepted, older versions of their records are served",
        why = why,
        at = at,
        missing = missing
    );
    Error::said(ErrorCode::LogDamaged, message)
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::device::DeviceOptions;
    use crate::device::disks::volume::{Member, Volume};
    use crate::device::format::headers::TornRuns;
    use crate::snapshot::head::DiskNote;
    use std::sync::Arc;
    use tessera_io::FileKind;
    use tessera_io::faulty::FaultyDisk;

    const BLOCK: u64 = 16 * 1024;

    #[test]
    fn a_bound_on_a_device_is_no_sign_that_it_has_become_shorter() {
        let rolled_back = |blocks: u64| {
            let disk = Arc::new(FaultyDisk::with(vec![0; (blocks * BLOCK) as usize]));
            let member = Member { kind: FileKind::Device, ..Member::of(disk, "device", 10 * BLOCK) };
            let shared = Shared::new(Volume::new(vec![member]), DeviceOptions::new([7; 16]));
            let mark = Mark { number: 9, run: 3, closed: true, stable: 50, reaches: vec![4 * BLOCK], ..Mark::default() };
            let snapshot =
                SnapshotHead { run: 3, last_sequence: 50, disks: vec![DiskNote { length: 20 * BLOCK, end: 4 }], ..SnapshotHead::default() };
            let evidence = Evidence::of(vec![Slots { newest: Some(mark), sure: true, all: vec![] }], Some(snapshot));
            let opened =
                Opened { block_bytes: BLOCK as u32, run: 3, torn: TornRuns::NONE, runs: vec![Some(3)], alike: true, damaged: vec![] };
            evidence.rolled_back(&shared, &opened, &[blocks.min(10) * BLOCK])
        };
        assert!(rolled_back(20).is_none());
        assert_eq!(rolled_back(9).unwrap().code, ErrorCode::DataRolledBack);
    }
}
