//! A store on a storage that is open, before any record is in its segments.

use super::capture::Watch;
use super::devices::Costs;
use super::heat::Heat;
use super::indexes::Indexes;
use super::limits::{Fullness, Passed, Round, Sweeps};
use super::mirror::Link;
use super::moves::StaleCopies;
use super::parts::STRIPES;
use super::records::remote::Remote;
use super::sets::Owned;
use super::visibility::{Hidden, Visibility};
use super::{Files, RecordStore, Resources};
use crate::config::NamespaceConfig;
use crate::manifest::NamespaceRecord;
use crate::metrics::LatencyRecorder;
use crate::segment::{Segment, SegmentCell};
use crate::sets::{SetIndexState, Sets};
use parking_lot::{Mutex, RwLock};
use std::path::Path;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use tessera_base::poison::Poison;
use tessera_base::{Result, clock};
use tessera_storage::Storage;

/// Where the records are.
pub(crate) struct Kept {
    pub(crate) storage: Arc<dyn Storage>,
    /// The storage is empty beside it.
    pub(crate) remote: Option<Arc<dyn Remote>>,
}

impl From<Arc<dyn Storage>> for Kept {
    fn from(storage: Arc<dyn Storage>) -> Self {
        Self { storage, remote: None }
    }
}

impl RecordStore {
    /// Without records, with the sets and indexes of its configuration. `recover` brings what the
    /// storage has. `record`: what the manifest says of it.
    ///
    /// # Errors
    /// `set_limit`, `name_invalid`, `cluster_unavailable`, and what an index is refused for.
    pub(crate) fn new(
        config: NamespaceConfig,
        folder: &Path,
        kept: Kept,
        files: Files,
        resources: Arc<Resources>,
        incarnation: u64,
        record: &NamespaceRecord,
    ) -> Result<Self> {
        let Kept { storage, remote } = kept;
        let poison = Arc::new(Poison::default());
        let truncations = record.truncations.iter().chain(record.pending.iter().map(|one| &one.truncation));
        // No write may fall under a truncation that was made while the clock was ahead, and none may be as old as one that came back.
        let update_floor = truncations.map(|truncation| truncation.until_ms + 1).chain([record.undone_at_ms + 1]).max().unwrap_or(0);
        let cell = |id: u32| SegmentCell::new(Segment::new(id as u16, storage.segment(id as u16)), poison.clone());
        let store = Self {
            segments: (0..config.cells()).map(cell).collect(),
            sets: Sets::new(config.cells()),
            heat: Heat::new(config.segments),
            owned: RwLock::new(Owned::of(config.ownership, config.segments)),
            indexes: Indexes::default(),
            poison: poison.clone(),
            closed: AtomicBool::new(false),
            link: Link::default(),
            latency: Arc::new(LatencyRecorder::new(&config.name, record.tenure().id, Arc::clone(&resources.slow))),
            resources,
            incarnation,
            id: record.tenure().id,
            default_ttl: AtomicU32::new(config.default_ttl_seconds),
            max_record_bytes: AtomicU32::new(config.max_record_bytes),
            stripes: (0..STRIPES).map(|_| Mutex::new(())).collect(),
            moves: Arc::default(),
            stale_copies: StaleCopies::default(),
            visibility: Visibility::new(config.durability, config.reads),
            passed: Passed::default(),
            update_floor: AtomicU64::new(update_floor),
            stepped: Mutex::default(),
            hidden: Hidden::after(record.undone_at_ms),
            watch: Watch::new(config.cells()),
            sweep_at: Mutex::default(),
            settled_clock: Mutex::default(),
            sweeps: Sweeps::default(),
            eviction: Mutex::new(Round::new(clock::unix_seconds())),
            fullness: Fullness::new(&config, storage.usage().device_capacity_bytes),
            scrub_damage: AtomicU64::new(0),
            costs: Costs::open(folder),
            files,
            storage,
            remote,
            config,
        };
        for set in &store.config.sets {
            if let Some(remote) = &store.remote {
                remote.create_set(&set.name)?;
                continue;
            }
            let entry = match set.distribution_bin.as_deref() {
                None => store.sets.find_or_create(&set.name)?,
                bin => store.sets.create(&set.name, bin)?,
            };
            entry.set_limits(set.limits);
            if set.index {
                entry.set_index_state(SetIndexState::On);
            }
        }
        store.attach_configured()?;
        Ok(store)
    }
}
