//! Reading the stored blocks one behind the other, for scans.

use crate::device::disks::volume::Volume;
use crate::device::format::entry::EntryKind;
use crate::device::format::place::Place;
use crate::device::write::shared::Shared;
use crate::{DeviceReads, Run, RunReader, StoredRecord};
use std::ops::Range;
use std::sync::Arc;
use tessera_base::{Error, Result};
use tessera_io::ReadWindow;

/// Bytes of a transfer, at least one block.
const RUN_BYTES: u64 = 512 * 1024;
/// Bytes that a reader has in flight, at least two runs.
const AHEAD_BYTES: u64 = 4 * 1024 * 1024;

impl Shared {
    /// All blocks that are stored now and hold a current record, the disks in turn, so that all are kept busy.
    pub fn runs(&self) -> Vec<Run> {
        let numbers = self.state.lock().queue.space().numbers();
        let most = (RUN_BYTES / self.block_bytes()).max(1) as u32;
        let mut runs: Vec<Run> = Vec::new();
        for number in numbers.filter(|number| self.is_stored(*number) && self.blocks.kept(*number).live > 0) {
            match runs.last_mut() {
                Some(run) if run.first + u64::from(run.blocks) == number && run.blocks < most => run.blocks += 1,
                _ => runs.push(Run { first: number, blocks: 1 }),
            }
        }
        runs.sort_by_key(|run| Volume::split(run.first * self.block_bytes()).1);
        runs
    }
}

/// Runs that one thread has in flight.
pub struct DeviceRunReader {
    shared: Arc<Shared>,
    window: ReadWindow,
    /// By tag.
    pending: Vec<Option<Run>>,
    /// The run whose bytes the window lends.
    current: Option<Run>,
    reads: DeviceReads,
}

impl DeviceRunReader {
    /// # Errors
    /// `storage_failed`.
    pub fn open(shared: Arc<Shared>) -> Result<Self> {
        let depth = (AHEAD_BYTES / shared.block_bytes().max(RUN_BYTES)).max(2) as usize;
        let window = ReadWindow::open(shared.options.backend, Arc::clone(shared.volume.disks()), depth);
        let window = window.map_err(|e| Error::io("beginning to read the disks", &e))?;
        Ok(Self { shared, window, pending: vec![None; depth], current: None, reads: DeviceReads::default() })
    }

    /// Where the bytes of a run that was read are in its whole sectors.
    fn range(&self, run: Run) -> Range<usize> {
        let length = (u64::from(run.blocks) * self.shared.block_bytes()) as usize;
        let (_, local) = Volume::split(run.first * self.shared.block_bytes());
        let (before, _) = self.shared.volume.around(local, length);
        before..before + length
    }
}

impl RunReader for DeviceRunReader {
    fn depth(&self) -> usize {
        self.pending.len()
    }

    fn in_flight(&self) -> usize {
        self.window.in_flight()
    }

    fn start(&mut self, run: Run) {
        let Some(tag) = self.pending.iter().position(Option::is_none) else { return };
        let range = self.range(run);
        let (disk, local) = Volume::split(run.first * self.shared.block_bytes());
        let (before, whole) = self.shared.volume.around(local, range.len());
        if self.window.start(tag as u64, disk, local - before as u64, whole).is_ok() {
            self.pending[tag] = Some(run);
            self.reads.blocks += u64::from(run.blocks);
            self.reads.bytes += whole as u64;
        }
    }

    fn next(&mut self) -> bool {
        let Some((tag, sound)) = self.window.next().map(|read| (read.tag as usize, read.result.is_ok())) else { return false };
        self.current = self.pending.get_mut(tag).and_then(Option::take).filter(|_| sound);
        true
    }

    fn records(&self, records: &mut Vec<StoredRecord>) {
        records.clear();
        let Some(run) = self.current else { return };
        let (range, shared) = (self.range(run), &self.shared);
        let bytes = self.window.lent().get(range.clone()).unwrap_or_default();
        for (at, block) in bytes.chunks(shared.block_bytes() as usize).enumerate() {
            let number = run.first + at as u64;
            // What lies behind is left from an earlier use.
            let block = match shared.blocks.filled(number) as usize {
                0 => block,
                filled => block.get(..filled).unwrap_or(block),
            };
            let start = range.start + at * shared.block_bytes() as usize;
            let offset = number * shared.block_bytes();
            shared.entries(number, block, &mut |found, location| {
                let entry = &found.entry;
                if found.body_sound && entry.kind == EntryKind::Record {
                    let end = start + (Place::unpack(location).offset - offset) as usize + entry.length();
                    records.push(StoredRecord {
                        segment: entry.segment,
                        digest: entry.digest,
                        meta: entry.meta,
                        location,
                        body: end - entry.body.len()..end,
                    });
                }
            });
        }
    }

    fn body(&self, record: &StoredRecord) -> &[u8] {
        self.window.lent().get(record.body.clone()).unwrap_or_default()
    }

    fn reads(&self) -> DeviceReads {
        self.reads
    }
}
