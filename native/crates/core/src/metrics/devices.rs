//! What the disks of each device namespace did in the time of a frame. Counts are differences, so that longer steps are
//! made by adding, and rates and averages are worked out at the end.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;
use tessera_io::DiskCounters;
use tessera_storage::{DeviceGauge, DiskGauge, PagesCounters};

/// A device namespace over the time of a frame.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DeviceLoad {
    pub namespace: Arc<str>,
    /// At the end: bytes that wait for stable storage, and write blocks that wait to be rewritten.
    pub flush_queue_bytes: u64,
    pub defrag_queue_blocks: u64,
    /// Bytes of records and tombstones logged for callers, and copied to make room.
    pub appended_bytes: u64,
    pub moved_bytes: u64,
    /// Of the pages, where the engine has some: counts of this time, the log at the end.
    pub pages: Option<PagesCounters>,
    pub disks: Vec<DiskLoad>,
}

/// One of its disks. `counters.age_nanos` is the time that the others are of; `in_flight` is at its end.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct DiskLoad {
    pub path: Arc<str>,
    pub counters: DiskCounters,
}

/// What all disks did a second.
#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct DeviceRates {
    pub read_bytes: f64,
    pub write_bytes: f64,
    pub reads: f64,
    pub writes: f64,
    pub syncs: f64,
}

impl DeviceRates {
    /// Of the loads of a frame that took `duration_ms`; what a disk did before, since it was opened, is of the time that it took.
    pub(super) fn of(loads: &[DeviceLoad], duration_ms: f64) -> Self {
        let mut rates = Self::default();
        for DiskLoad { counters, .. } in loads.iter().flat_map(|load| &load.disks) {
            let seconds = (counters.age_nanos as f64 / 1e9).max(duration_ms / 1e3);
            let rate = |count: u64| if seconds > 0.0 { count as f64 / seconds } else { 0.0 };
            rates.read_bytes += rate(counters.reads.bytes);
            rates.write_bytes += rate(counters.writes.bytes);
            rates.reads += rate(counters.reads.count);
            rates.writes += rate(counters.writes.count);
            rates.syncs += rate(counters.syncs.count);
        }
        rates
    }
}

impl DeviceLoad {
    pub(super) fn heap_bytes(&self) -> usize {
        size_of::<Self>() + self.disks.len() * size_of::<DiskLoad>()
    }

    /// Bytes written to disks for each byte that callers logged; `None` where they logged none.
    pub fn write_amplification(&self) -> Option<f64> {
        let written: u64 = self.disks.iter().map(|disk| disk.counters.writes.bytes).sum();
        (self.appended_bytes > 0).then(|| written as f64 / self.appended_bytes as f64)
    }

    fn between(namespace: Arc<str>, before: &DeviceGauge, now: &DeviceGauge) -> Self {
        let disk = |(at, disk): (usize, &DiskGauge)| {
            let then = before.disks.get(at).map(|then| then.counters).unwrap_or_default();
            DiskLoad { path: Arc::clone(&disk.path), counters: disk.counters.since(&then) }
        };
        Self {
            namespace,
            flush_queue_bytes: now.flush_queue_bytes,
            defrag_queue_blocks: now.defrag_queue_blocks,
            appended_bytes: now.appended_bytes.saturating_sub(before.appended_bytes),
            moved_bytes: now.moved_bytes.saturating_sub(before.moved_bytes),
            pages: now.pages.map(|pages| pages.since(&before.pages.unwrap_or_default())),
            disks: now.disks.iter().enumerate().map(disk).collect(),
        }
    }

    fn add(&mut self, later: &Self) {
        self.flush_queue_bytes = later.flush_queue_bytes;
        self.defrag_queue_blocks = later.defrag_queue_blocks;
        self.appended_bytes += later.appended_bytes;
        self.moved_bytes += later.moved_bytes;
        self.pages = match (self.pages, later.pages) {
            (Some(mine), Some(later)) => Some(mine.and(&later)),
            (mine, later) => later.or(mine),
        };
        for disk in &later.disks {
            match self.disks.iter_mut().find(|mine| mine.path == disk.path) {
                Some(mine) => mine.counters = mine.counters.and(&disk.counters),
                None => self.disks.push(disk.clone()),
            }
        }
    }
}

/// What was seen last of every device namespace.
#[derive(Default)]
pub(super) struct DeviceWatch(HashMap<Arc<str>, DeviceGauge>);

impl DeviceWatch {
    /// What was done since the last call. A namespace that is new or was opened anew counts from its beginning.
    pub(super) fn next(&mut self, gauges: Vec<(Arc<str>, DeviceGauge)>) -> Vec<DeviceLoad> {
        let none = DeviceGauge::default();
        let load = |(name, now): &(Arc<str>, DeviceGauge)| {
            let before = self.0.get(name).filter(|before| goes_on(before, now));
            DeviceLoad::between(Arc::clone(name), before.unwrap_or(&none), now)
        };
        let loads = gauges.iter().map(load).collect();
        self.0 = gauges.into_iter().collect();
        loads
    }
}

/// Whether both are of the same disks since the same opening: meters begin anew with each.
fn goes_on(before: &DeviceGauge, now: &DeviceGauge) -> bool {
    let same = |(then, disk): (&DiskGauge, &DiskGauge)| then.path == disk.path && then.counters.age_nanos <= disk.counters.age_nanos;
    before.disks.len() == now.disks.len() && before.disks.iter().zip(&now.disks).all(same)
}

/// The loads of several frames, in ascending order, as one.
pub(super) fn merged<'a>(loads: impl Iterator<Item = &'a DeviceLoad>) -> Vec<DeviceLoad> {
    let mut all: BTreeMap<Arc<str>, DeviceLoad> = BTreeMap::new();
    for load in loads {
        match all.get_mut(&load.namespace) {
            Some(sum) => sum.add(load),
            None => drop(all.insert(Arc::clone(&load.namespace), load.clone())),
        }
    }
    all.into_values().collect()
}

#[cfg(test)]
mod tests {
    use super::*;
    use tessera_io::OperationCounters;

    /// After `seconds`, with a write a second of 100 bytes that takes 5 ms on each of two disks.
    fn gauge(seconds: u64) -> DeviceGauge {
        let writes = OperationCounters { count: seconds, bytes: 100 * seconds, nanos: 5_000_000 * seconds };
        let busy = DiskCounters { writes, busy_nanos: 5_000_000 * seconds, depth_steps: 150_000 * seconds, ..DiskCounters::default() };
        let counters = DiskCounters { age_nanos: 1_000_000_000 * seconds, in_flight: seconds, ..busy };
        let disks = ["first", "second"].map(|path| DiskGauge { path: Arc::from(path), counters });
        DeviceGauge { disks: disks.to_vec(), flush_queue_bytes: seconds, appended_bytes: 50 * seconds, ..DeviceGauge::default() }
    }

    #[test]
    fn differences_are_what_was_done_and_add_up() {
        let mut watch = DeviceWatch::default();
        let name: Arc<str> = Arc::from("ns");
        let mut tick = |seconds| watch.next(vec![(name.clone(), gauge(seconds))]).remove(0);
        let loads = [tick(1), tick(4), tick(6)];
        let figures = |load: &DeviceLoad| {
            let DiskCounters { writes, in_flight, busy_nanos, depth_steps, age_nanos, .. } = load.disks[1].counters;
            (load.flush_queue_bytes, load.appended_bytes, writes.count, writes.bytes, in_flight, busy_nanos, depth_steps, age_nanos)
        };
        let (ms, s) = (1_000_000, 1_000_000_000);
        assert_eq!(figures(&loads[1]), (4, 150, 3, 300, 4, 15 * ms, 450_000, 3 * s));
        assert_eq!(loads[1].write_amplification(), Some(4.0));
        let sum = merged(loads[1..].iter());
        assert_eq!((sum.len(), figures(&sum[0])), (1, (6, 250, 5, 500, 6, 25 * ms, 750_000, 5 * s)));
        assert_eq!(tick(7).appended_bytes, 50);
    }

    #[test]
    fn a_namespace_that_was_opened_anew_counts_from_its_beginning() {
        let mut watch = DeviceWatch::default();
        let name: Arc<str> = Arc::from("ns");
        let mut look = |gauge| {
            let load = watch.next(vec![(name.clone(), gauge)]).remove(0);
            let counters = load.disks[0].counters;
            (counters.age_nanos / 1_000_000_000, load.appended_bytes, counters.writes.count)
        };
        assert_eq!(look(gauge(6)), (6, 300, 6));
        // In 2 seconds it did more than the one before in 6: its age tells.
        let busy = |seconds: u64| {
            let mut busy = gauge(10 * seconds);
            busy.disks.iter_mut().for_each(|disk| disk.counters.age_nanos = 1_000_000_000 * seconds);
            busy
        };
        assert_eq!(look(busy(2)), (2, 1000, 20));
        assert_eq!(look(busy(3)), (1, 500, 10));
        // Made anew with other disks, when it is older than the last was.
        let mut other = gauge(4);
        other.disks.pop();
        assert_eq!(look(other), (4, 200, 4));
    }

    #[test]
    fn rates_of_all_disks_are_those_of_each_added_up() {
        let mut watch = DeviceWatch::default();
        let names: [Arc<str>; 2] = ["a", "b"].map(Arc::from);
        let mut look = |seconds| watch.next(names.iter().map(|name| (name.clone(), gauge(seconds))).collect());
        // Opened 5 seconds ago, in a frame of one.
        let first = DeviceRates::of(&look(5), 1000.0);
        assert_eq!((first.writes, first.write_bytes, first.reads), (4.0, 400.0, 0.0));
        let second = look(7);
        assert_eq!(DeviceRates::of(&second, 2000.0).writes, 4.0);
        // Of a step of 8 seconds they were open in 2.
        assert_eq!(DeviceRates::of(&second, 8000.0).writes, 1.0);
        assert_eq!(DeviceRates::of(&[], 0.0), DeviceRates::default());
    }
}
