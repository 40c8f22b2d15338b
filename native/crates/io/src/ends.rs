//! Reads that came back together, told to their disks' meters together: every thread that reads writes to these.

use super::{Disk, Meter, Operation};
use std::sync::Arc;

/// Tells what was added when another disk follows, and when it is dropped.
pub struct Ends<'a> {
    disks: &'a [Arc<dyn Disk>],
    now: u64,
    run: Run,
}

/// Reads of one disk.
#[derive(Default)]
struct Run {
    disk: usize,
    operations: usize,
    nanos: u64,
    bytes: usize,
}

impl<'a> Ends<'a> {
    /// Of reads that end now.
    pub fn new(disks: &'a [Arc<dyn Disk>]) -> Self {
        Self { disks, now: Meter::now(), run: Run::default() }
    }

    /// A read of `disks[disk]`; `bytes` are 0 of one that failed.
    pub fn add(&mut self, disk: usize, begun_at: u64, bytes: usize) {
        if disk != self.run.disk {
            self.tell();
            self.run.disk = disk;
        }
        let nanos = self.now.saturating_sub(begun_at);
        if let Some(disk) = self.disks.get(disk) {
            disk.meter().note(Operation::Read, nanos);
        }
        self.run.operations += 1;
        self.run.nanos += nanos;
        self.run.bytes += bytes;
    }

    fn tell(&mut self) {
        let Run { disk, operations, nanos, bytes } = std::mem::take(&mut self.run);
        if operations > 0
            && let Some(disk) = self.disks.get(disk)
        {
            disk.meter().end(self.now, operations);
            disk.meter().add(Operation::Read, nanos, bytes);
        }
    }
}

impl Drop for Ends<'_> {
    fn drop(&mut self) {
        self.tell();
    }
}
