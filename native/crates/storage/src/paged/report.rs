//! What the engine tells of its pages, cache, log and checkpoints: plain data, for whoever watches it.

use crate::pages_counters::Traffic;

pub(super) mod map;
pub(super) mod what_if;

/// What a page may hold, by the names that reports use. `PageCell::kind` is a place in this list.
pub const KINDS: [&str; 9] = ["segment", "inner", "leaf", "slot_map", "directory", "extents", "data", "overflow", "namespace"];
/// `PageCell::kind` of a cell none of whose pages is in use.
pub const KIND_NONE: u8 = u8::MAX;
/// Most cells of a map.
pub const CELLS_MAX: usize = 4096;
/// Most checkpoints that a report has.
pub const CHECKPOINTS_MAX: usize = 64;

/// Everything but the map; cheap.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct PagesReport {
    pub page_bytes: u32,
    /// In the file, heads and free ones included.
    pub pages: u64,
    /// Those of them in extents that nobody has.
    pub free_pages: u64,
    pub cache: CacheReport,
    pub log: LogReport,
    /// The newest last, at most `CHECKPOINTS_MAX`.
    pub checkpoints: Vec<CheckpointReport>,
    pub traffic: Traffic,
}

/// The page cache now, and its reads since the namespace was opened.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct CacheReport {
    /// Of memory for pages.
    pub bytes: u64,
    /// Pages that it may hold, does hold, and those of these that are newer than on the disk.
    pub frames: u32,
    pub used: u32,
    pub dirty: u32,
    /// One of each kind that was met, in the order of `KINDS`.
    pub kinds: Vec<KindReport>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct KindReport {
    /// One of `KINDS`.
    pub kind: &'static str,
    /// Pages in the cache now.
    pub cached: u32,
    /// Reads of pages that found them in the cache, and those that a disk had to answer.
    pub hits: u64,
    pub misses: u64,
}

/// The write-ahead log. Positions are bytes since it was made.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct LogReport {
    /// Most bytes it may need at once.
    pub ring_bytes: u64,
    /// Bytes that a start after a crash would have to read now.
    pub needed_bytes: u64,
    /// One past the last record, and up to where all is on stable storage.
    pub end: u64,
    pub durable: u64,
    /// Since the namespace was opened: records, bytes of page images in them, and syncs.
    pub records: u64,
    pub image_bytes: u64,
    pub syncs: u64,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct CheckpointReport {
    /// Unix milliseconds.
    pub begun_at_ms: u64,
    /// Milliseconds; of one under way so far.
    pub took_ms: f64,
    /// Pages that it wrote.
    pub pages: u64,
    /// Bytes of the log that are not needed any more since it ended.
    pub log_bytes: u64,
    /// `log` (so many bytes of it were needed), `time`, `asked` or `close`.
    pub cause: &'static str,
    /// It has ended, and the log before it is not needed any more. `false`: it failed, or is under way.
    pub whole: bool,
}

/// The pages of the file in cells of neighbours, all of one size but for the last.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct PageMap {
    pub pages: u64,
    /// At least 1.
    pub pages_per_cell: u32,
    /// At most `CELLS_MAX`.
    pub cells: Vec<PageCell>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct PageCell {
    /// Pages that hold something.
    pub used: u32,
    /// Place in `KINDS` of what most of these are; `KIND_NONE` where there are none.
    pub kind: u8,
    /// How full those are on average, percent; 0 where there are none.
    pub fill_percent: u8,
    /// 0 to 255: the share of pages that are in the cache and were visited since the cache last looked for a page to throw out.
    pub heat: u8,
    /// 0 to 255: how many 255ths of the log's ring lie between the log's end and the newest change of any of its pages; 255 for what is
    /// older, or not known without reading the pages.
    pub age: u8,
}

/// What reads of bodies would cost with pages of another size and as much cache, from a sample of the reads there were: those of scans, of writers and
/// of the index are not in it.
#[derive(Clone, Debug, Default, PartialEq)]
pub struct WhatIf {
    /// Reads in the sample, and how many there have to be before `sizes` says anything.
    pub samples: u64,
    pub samples_needed: u64,
    /// When the oldest read of the sample was, or where there is none when the sample began: Unix milliseconds.
    pub since_ms: u64,
    /// By page size, the smallest first; empty until there are samples enough.
    pub sizes: Vec<WhatIfSize>,
}

#[derive(Clone, Copy, Debug, Default, PartialEq)]
pub struct WhatIfSize {
    pub page_bytes: u32,
    /// Pages that a read of one record would have to get from the disk, on average.
    pub misses_per_read: f64,
    /// The same in bytes.
    pub read_bytes_per_read: f64,
}
