//! The records of a namespace: written, read, expired, evicted, truncated.
//!
//! `records` are read and written one by one, or many at once; `sets` says which there are and
//! which segments are whose; `visibility` what a read may show; `moves` takes records from segment
//! to segment; `mirror` carries changes to a second store; `limits` takes records away: past their time, for room, or by a truncation;
//! `capture` brings a segment as it is at one moment, for a backup;
//! `indexes` keeps the document and range indexes, `devices` the disks; `recovery` brings the
//! records back at a start. Scans, queries and streams go through the records from above, and a
//! `Namespace` gives them their name, their configuration and their place in the manifest.

mod capture;
mod devices;
mod files;
mod heat;
mod indexes;
mod limits;
mod mirror;
mod moves;
mod new;
mod parts;
mod records;
mod recovery;
mod resources;
mod sets;
mod settings;
mod state;
mod visibility;

pub use indexes::IndexInfo;
pub(crate) use limits::Hides;
pub use limits::LimitsInfo;
pub use records::{Answer, Each, Exists, Lookup, Operate, Operated, RecordName, RecordReader, Resident, WriteOptions, Written, route_of};
pub use records::{remote, rules};
pub use recovery::Progress;
pub use sets::{SegmentInfo, SetInfo, SetOrder, SetPage, SetPlace, SetQuery};

pub(crate) use capture::{CaptureSink, Captured};
pub(crate) use files::Files;
pub(crate) use mirror::{Keeper, MetRecord, Outcome, Reason, Seen, passes};
pub(crate) use moves::{Follower, Following};
pub(crate) use new::Kept;
pub(crate) use records::{BatchWrite, WINDOW};
pub(crate) use resources::Resources;
pub(crate) use visibility::Guard;

use crate::config::NamespaceConfig;
use crate::metrics::LatencyRecorder;
use crate::segment::SegmentCell;
use crate::sets::Sets;
use capture::Watch;
use devices::Costs;
use heat::Heat;
use indexes::Indexes;
use limits::{Fullness, Passed, Round, Sweeps};
use mirror::Link;
use moves::{Moves, StaleCopies};
use parking_lot::{Mutex, RwLock};
use records::remote::Remote;
use sets::Owned;
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicU64};
use std::time::Instant;
use tessera_base::names::NamespaceId;
use tessera_base::poison::Poison;
use tessera_base::settled_clock::SettledClock;
use tessera_storage::Storage;
use visibility::{Hidden, Visibility};

/// Records in segments, and all that a read or a write of one meets.
///
/// What is here is needed while a record is read, written or removed, or by a walk over many:
/// segments, sets, storage, moves, truncations under way, heat, limits. The list of indexes is too,
/// as writes keep them and queries choose among them, and so is what a device costs. What a record
/// does not know of is in `Namespace`: the manifest, how indexes and sets come and go, what the
/// last start found.
pub struct RecordStore {
    /// As created; what can change lies in the fields below.
    config: NamespaceConfig,
    /// Different each time the namespace is opened: slots, and so cursors, mean nothing after a restart.
    incarnation: u64,
    /// The same over restarts and migrations.
    id: NamespaceId,
    /// One in a flat container.
    segments: Box<[SegmentCell]>,
    heat: Heat,
    /// None where every segment is this node's.
    owned: RwLock<Option<Arc<Owned>>>,
    /// For the namespace, too, which makes and configures them.
    pub(crate) sets: Sets,
    /// For the namespace, too, which makes, builds and drops them.
    pub(crate) indexes: Indexes,
    storage: Arc<dyn Storage>,
    /// What has the records, if this process has not. Then the segment is empty.
    remote: Option<Arc<dyn Remote>>,
    pub(crate) files: Files,
    costs: Costs,
    poison: Arc<Poison>,
    closed: AtomicBool,
    /// The other store of the namespace, while it migrates.
    link: Link,
    resources: Arc<Resources>,
    latency: Arc<LatencyRecorder>,
    default_ttl: AtomicU32,
    max_record_bytes: AtomicU32,
    /// Locks of keys in sets with a distribution bin.
    stripes: Box<[Mutex<()>]>,
    moves: Arc<Moves>,
    stale_copies: StaleCopies,
    visibility: Visibility,
    passed: Passed,
    /// The latest time of last update there is, or one past the newest truncation: none goes back, whatever the clock does, so
    /// that a record's older copies on a device are never later than its newest.
    update_floor: AtomicU64,
    /// When it last went on by itself, because the clock is behind it.
    stepped: Mutex<Option<Instant>>,
    hidden: Hidden,
    /// For backups.
    watch: Watch,
    /// Where the sweeper goes on: segment and slot.
    sweep_at: Mutex<(usize, u32)>,
    settled_clock: Mutex<SettledClock>,
    /// Of what a cluster has hidden.
    sweeps: Sweeps,
    eviction: Mutex<Round>,
    fullness: Fullness,
    /// Damaged places that the last scrub found.
    scrub_damage: AtomicU64,
}
