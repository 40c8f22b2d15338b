//! A stream under way.

use super::phase::{Left, Phase};
use super::spec::StreamSpec;
use crate::aggregate::Totals;
use crate::budget::Share;
use crate::metrics::JobTime;
use crate::scan::{Selection, Traversal};
use crate::store::RecordStore;
use crate::stream_summary::ChunkSink;
use parking_lot::Mutex;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64};
use tessera_jobs::Job;
use tessera_storage::DeviceReads;

/// What all workers share.
pub(super) struct Running {
    pub(super) store: Arc<RecordStore>,
    pub(super) spec: StreamSpec,
    pub(super) selection: Selection,
    pub(super) traversal: Traversal,
    /// Whether the bodies of records are read.
    pub(super) bodies: bool,
    /// Whether elements are rows by the end.
    pub(super) rows: bool,
    pub(super) phases: Vec<Phase>,
    /// How many elements may still be written, where no step says that.
    pub(super) room: Option<Left>,
    /// For lines that tell of damaged records, where an answer has only so much.
    pub(super) damage_room: Option<Left>,
    /// Whether there were more.
    pub(super) cut: AtomicBool,
    pub(super) job: Arc<Job>,
    pub(super) sink: ChunkSink,
    pub(super) time: JobTime,
    pub(super) method: &'static str,
    pub(super) estimated: Option<u64>,
    pub(super) scanned: AtomicU64,
    /// Elements that came to the end.
    pub(super) ended: AtomicU64,
    pub(super) reads: Mutex<DeviceReads>,
    /// What all workers that have left added up, where that is wanted.
    pub(super) totals: Option<Mutex<Totals>>,
    pub(super) share: Arc<Share>,
}
