//! The pages of a paged namespace as JavaScript sees them.

use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::Namespace;
use tessera_core::config::Feature;
use tessera_storage::paged::report;

/// Cache, log, checkpoints and traffic, counted since the namespace was opened.
#[napi(object, object_from_js = false)]
pub struct PagesReport {
    pub page_bytes: u32,
    /// In the file.
    pub pages: f64,
    /// Those of them in extents that nobody has.
    pub free_pages: f64,
    pub cache: PageCacheInfo,
    pub log: PageLogInfo,
    /// The newest last.
    pub checkpoints: Vec<CheckpointInfo>,
    pub traffic: PageTraffic,
}

#[napi(object, object_from_js = false)]
pub struct PageCacheInfo {
    pub bytes: f64,
    /// Pages that it may hold, does hold, and those of these that are newer than on the disk.
    pub frames: u32,
    pub used: u32,
    pub dirty: u32,
    pub kinds: Vec<PageKindInfo>,
}

#[napi(object, object_from_js = false)]
pub struct PageKindInfo {
    pub kind: &'static str,
    pub cached: u32,
    pub hits: f64,
    pub misses: f64,
}

/// Positions are bytes since the log was made.
#[napi(object, object_from_js = false)]
pub struct PageLogInfo {
    pub ring_bytes: f64,
    /// What a start after a crash would have to read now.
    pub needed_bytes: f64,
    pub end: f64,
    pub durable: f64,
    pub records: f64,
    pub image_bytes: f64,
    pub syncs: f64,
}

#[napi(object, object_from_js = false)]
pub struct CheckpointInfo {
    /// Unix milliseconds.
    pub begun_at_ms: f64,
    pub took_ms: f64,
    pub pages: f64,
    pub log_bytes: f64,
    #[napi(ts_type = "'log' | 'time' | 'asked' | 'close'")]
    pub cause: &'static str,
    /// Whether it has ended well.
    pub whole: bool,
}

#[napi(object, object_from_js = false)]
pub struct PageTraffic {
    pub records_read_bytes: f64,
    pub records_written_bytes: f64,
    pub pages_read_bytes: f64,
    pub pages_written_bytes: f64,
    pub log_written_bytes: f64,
    /// Of pages for each byte of a record read; absent before the first.
    pub read_amplification: Option<f64>,
    /// To pages and log for each byte of a record written; absent before the first.
    pub write_amplification: Option<f64>,
}

/// Pages in cells of neighbours: one number a cell.
#[napi(object, object_from_js = false)]
pub struct PageMap {
    pub pages: f64,
    pub pages_per_cell: u32,
    /// What `kind` counts in.
    pub kinds: Vec<&'static str>,
    pub used: Vec<u32>,
    /// -1 where no page is used.
    pub kind: Vec<i32>,
    pub fill_percent: Vec<u32>,
    pub heat: Vec<u32>,
    pub age: Vec<u32>,
}

#[napi(object, object_from_js = false)]
pub struct PageSizes {
    pub samples: f64,
    pub samples_needed: f64,
    /// Unix milliseconds.
    pub since_ms: f64,
    pub sizes: Vec<PageSizeCost>,
}

#[napi(object, object_from_js = false)]
pub struct PageSizeCost {
    pub page_bytes: u32,
    pub misses_per_read: f64,
    pub read_bytes_per_read: f64,
}

impl From<report::PagesReport> for PagesReport {
    fn from(report: report::PagesReport) -> Self {
        let report::CacheReport { bytes, frames, used, dirty, kinds } = report.cache;
        let report::LogReport { ring_bytes, needed_bytes, end, durable, records, image_bytes, syncs } = report.log;
        Self {
            page_bytes: report.page_bytes,
            pages: report.pages as f64,
            free_pages: report.free_pages as f64,
            cache: PageCacheInfo { bytes: bytes as f64, frames, used, dirty, kinds: kinds.into_iter().map(PageKindInfo::from).collect() },
            log: PageLogInfo {
                ring_bytes: ring_bytes as f64,
                needed_bytes: needed_bytes as f64,
                end: end as f64,
                durable: durable as f64,
                records: records as f64,
                image_bytes: image_bytes as f64,
                syncs: syncs as f64,
            },
            checkpoints: report.checkpoints.into_iter().map(CheckpointInfo::from).collect(),
            traffic: report.traffic.into(),
        }
    }
}

impl From<tessera_storage::Traffic> for PageTraffic {
    fn from(traffic: tessera_storage::Traffic) -> Self {
        Self {
            records_read_bytes: traffic.records_read_bytes as f64,
            records_written_bytes: traffic.records_written_bytes as f64,
            pages_read_bytes: traffic.pages_read_bytes as f64,
            pages_written_bytes: traffic.pages_written_bytes as f64,
            log_written_bytes: traffic.log_written_bytes as f64,
            read_amplification: traffic.read_amplification(),
            write_amplification: traffic.write_amplification(),
        }
    }
}

impl From<report::KindReport> for PageKindInfo {
    fn from(report::KindReport { kind, cached, hits, misses }: report::KindReport) -> Self {
        Self { kind, cached, hits: hits as f64, misses: misses as f64 }
    }
}

impl From<report::CheckpointReport> for CheckpointInfo {
    fn from(report::CheckpointReport { begun_at_ms, took_ms, pages, log_bytes, cause, whole }: report::CheckpointReport) -> Self {
        Self { begun_at_ms: begun_at_ms as f64, took_ms, pages: pages as f64, log_bytes: log_bytes as f64, cause, whole }
    }
}

impl From<report::PageMap> for PageMap {
    fn from(map: report::PageMap) -> Self {
        let column = |of: fn(&report::PageCell) -> u32| map.cells.iter().map(of).collect();
        let kind = |cell: &report::PageCell| if cell.kind == report::KIND_NONE { -1 } else { i32::from(cell.kind) };
        Self {
            pages: map.pages as f64,
            pages_per_cell: map.pages_per_cell,
            kinds: report::KINDS.to_vec(),
            used: column(|cell| cell.used),
            kind: map.cells.iter().map(kind).collect(),
            fill_percent: column(|cell| cell.fill_percent.into()),
            heat: column(|cell| cell.heat.into()),
            age: column(|cell| cell.age.into()),
        }
    }
}

impl From<report::WhatIf> for PageSizes {
    fn from(report::WhatIf { samples, samples_needed, since_ms, sizes }: report::WhatIf) -> Self {
        let cost = |report::WhatIfSize { page_bytes, misses_per_read, read_bytes_per_read }| PageSizeCost {
            page_bytes,
            misses_per_read,
            read_bytes_per_read,
        };
        Self {
            samples: samples as f64,
            samples_needed: samples_needed as f64,
            since_ms: since_ms as f64,
            sizes: sizes.into_iter().map(cost).collect(),
        }
    }
}

#[napi]
impl NativeStore {
    /// Cache, log, checkpoints and traffic of a paged namespace.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | PagesReport>")]
    pub fn pages_report<'env>(&self, env: &'env Env, namespace: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| paged(&*engine.namespace(&namespace)?, Namespace::pages_report).map(PagesReport::from))
    }

    /// A map of its pages of at most `cells` cells.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | PageMap>")]
    pub fn page_map<'env>(&self, env: &'env Env, namespace: String, cells: u32) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| paged(&*engine.namespace(&namespace)?, |open| open.page_map(cells as usize)).map(PageMap::from))
    }

    /// What pages of other sizes would cost.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | PageSizes>")]
    pub fn page_what_if<'env>(&self, env: &'env Env, namespace: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| paged(&*engine.namespace(&namespace)?, Namespace::page_what_if).map(PageSizes::from))
    }
}

/// What only a paged namespace has.
fn paged<T>(namespace: &Namespace, of: impl FnOnce(&Namespace) -> Option<T>) -> Result<T> {
    namespace.store().require(Feature::Disks)?;
    let unsupported = || {
        Error::said(ErrorCode::Unsupported, sentence!("the namespace \"{name}\" does not use the paged engine", name = namespace.name()))
    };
    of(namespace).ok_or_else(unsupported)
}
