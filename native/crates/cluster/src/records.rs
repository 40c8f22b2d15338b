//! The records of one namespace on a cluster: read, written, removed.
//!
//! Every write of a record is a compare-and-set on its `write_id`, which each version has anew. So
//! a write either replaces the version that it was decided on, or nothing. `decide` is done by the
//! core's rules, `write` brings the outcome to the cluster, `settle` finds out what came of a write
//! whose answer was lost. `row` is how a version stands in the table. `many` has several writes under way.
//!
//! A copy of another store's records, which has never decided a write, is filled by plain writes: see `fill`.

mod asking;
mod fill;
mod filled;
mod many;
mod row;
mod settle;
mod write;

pub(crate) use asking::{Asking, Find, Prepared};
pub(crate) use filled::{Filled, Lacking};
pub(crate) use row::meta_of;
pub(crate) use write::size_of_row;

use crate::errors::Failure;
use crate::indexes::Indexes;
use crate::link::Link;
use crate::schema::{self, Place, Whose};
use crate::session::{Cluster, Kind};
use crate::sets::Sets;
use crate::tables::Tables;
use crate::truncations::Truncations;
use fill::Fill;
use row::{Columns, Version};
use scylla::statement::prepared::PreparedStatement;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;
use tessera_base::ticker::Ticker;
use tessera_base::{Result, clock};
use tessera_core::store::remote::{Estimates, FoundRecord, MetSet, Origin};
use tessera_record::{Digest, Meta};
use tokio::sync::Mutex;
use uuid::Uuid;

/// Writes of one record take turns in this process: Paxos would let them collide. Records share so many locks.
const STRIPES: usize = 1024;
/// So often processes tell each other what they have to know.
const EXCHANGE: Duration = Duration::from_secs(1);

pub struct Records {
    cluster: Arc<Cluster>,
    finder: Arc<Finder>,
    pub(crate) tables: Tables,
    /// Whether this opening has created its keyspace.
    made: bool,
    statements: Statements,
    stripes: Box<[Mutex<()>]>,
    sets: Sets,
    truncations: Arc<Truncations>,
    indexes: Arc<Indexes>,
    /// How the rows that indexes bring are asked for.
    prepared: Prepared,
    /// Time of the newest write of this process, Unix milliseconds.
    newest: AtomicU64,
    /// Exchanges what processes have to know of each other.
    keeper: OnceLock<Ticker>,
}

/// Finds records by ordinary reads, also while nobody waits for them.
pub(crate) struct Finder {
    link: Arc<Link>,
    read: PreparedStatement,
    /// As `read`, for a copy that is being filled: sees all that it was filled with, whatever the namespace asks of its reads.
    read_copy: PreparedStatement,
    truncations: Arc<Truncations>,
    indexes: Arc<Indexes>,
}

struct Statements {
    serial_read: PreparedStatement,
    write: PreparedStatement,
    fill: Fill,
    filled: Filled,
    /// Pages of records with their bodies, and without.
    pages: [Asking; 2],
    /// The same for who must not miss any.
    walks: [Asking; 2],
}

impl Records {
    /// Opens the records of a namespace; makes room for those of a new one, or of a copy.
    ///
    /// # Errors
    /// `name_invalid`, `config_invalid`, `namespace_exists`, `data_file_missing`, `capability_unsupported`, `cluster_unavailable`.
    pub fn open(cluster: Arc<Cluster>, whose: &Whose<'_>, origin: Origin) -> Result<Arc<Self>> {
        let Place { tables, made } = schema::open(&cluster, whose, origin)?;
        Self::start(cluster.clone(), tables.clone(), Uuid::from_bytes(whose.id), made).inspect_err(|_| {
            if made {
                // Nothing is in it yet.
                drop(schema::remove(&cluster, tables.keyspace()));
            }
        })
    }

    fn start(cluster: Arc<Cluster>, tables: Tables, id: Uuid, made: bool) -> Result<Arc<Self>> {
        let records = Arc::new(Self::prepare(cluster, tables, id, made)?);
        let weak = Arc::downgrade(&records);
        let keeper = Ticker::start("cluster-keeper", EXCHANGE, move || weak.upgrade().iter().for_each(|records| records.exchange()))?;
        records.keeper.get_or_init(|| keeper);
        Ok(records)
    }

    fn prepare(cluster: Arc<Cluster>, tables: Tables, id: Uuid, made: bool) -> Result<Self> {
        let statements = Statements::prepare(&cluster, &tables)?;
        let stripes = (0..STRIPES).map(|_| Mutex::new(())).collect();
        let sets = Sets::prepare(&cluster, &tables)?;
        let truncations = Arc::new(Truncations::prepare(&cluster, &tables)?);
        let indexes = Arc::new(Indexes::prepare(&cluster, &tables, id)?);
        let finder = Arc::new(Finder::prepare(&cluster, &tables, truncations.clone(), indexes.clone())?);
        let prepared = Prepared::default();
        let (newest, keeper) = (AtomicU64::new(0), OnceLock::new());
        Ok(Self { cluster, finder, tables, made, statements, stripes, sets, truncations, indexes, prepared, newest, keeper })
    }

    /// Removes a namespace and all its records from the cluster.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub fn drop_namespace(cluster: &Cluster, namespace: &str) -> Result<()> {
        schema::remove(cluster, &schema::keyspace_of(namespace))
    }

    pub fn cluster(&self) -> &Arc<Cluster> {
        &self.cluster
    }

    /// Hides the records of a set, or of all, that were written before `before` (Unix milliseconds), or, without it, those that are
    /// there. A later call never hides less. That time.
    ///
    /// # Errors
    /// `migration_active`; `cluster_unavailable`; `write_uncertain` if the outcome is unknown: repeat it.
    pub(crate) fn truncate(&self, set: Option<&str>, before: Option<u64>) -> Result<u64> {
        // While a server has reserved the records, no other truncates them.
        let _held = self.cluster.wait(self.indexes.for_write(&self.cluster))?;
        // A write of this process may have been stamped ahead of the clock.
        let now = || clock::unix_millis().max(self.newest.load(Ordering::Acquire)) + 1;
        let until = before.unwrap_or_else(now);
        self.truncations.truncate(&self.cluster, set, until)?;
        if before.is_none() {
            self.sets.empty(set);
            // If it is not told now, the sweep subtracts what it removes.
            let told = self.sets.send(&self.cluster);
            let _ = told.and_then(|()| self.truncations.note_emptied(&self.cluster, set, until));
        }
        Ok(until)
    }

    /// As `Remote::correct`.
    ///
    /// # Errors
    /// `set_limit`, `cluster_unavailable`.
    pub(crate) fn correct(&self, before: &Estimates, met: &[MetSet]) -> Result<()> {
        let marks = self.truncations.marks();
        self.sets.correct(&self.cluster, before, met)?;
        self.truncations.note_uncounted(&self.cluster, &marks)
    }

    /// What is done once a second: tells other processes of changes, and learns theirs. What cannot be read now is read later.
    fn exchange(&self) {
        let _ = self.truncations.read(&self.cluster);
        let _ = self.sets.exchange(&self.cluster);
        let _ = self.indexes.exchange(&self.cluster);
    }

    pub(crate) fn indexes(&self) -> &Indexes {
        &self.indexes
    }

    pub(crate) const fn prepared(&self) -> &Prepared {
        &self.prepared
    }

    pub(crate) const fn filled(&self) -> &Filled {
        &self.statements.filled
    }

    pub(crate) const fn sets(&self) -> &Sets {
        &self.sets
    }

    pub(crate) fn truncations(&self) -> &Truncations {
        &self.truncations
    }

    /// How pages of records are asked for.
    pub(crate) fn asking(&self, bodies: bool) -> &Asking {
        let [with, without] = &self.statements.pages;
        if bodies { with } else { without }
    }

    /// As `asking`, for who has to meet every write that was acknowledged.
    pub(crate) fn asking_for_all(&self, bodies: bool) -> &Asking {
        let [with, without] = &self.statements.walks;
        if bodies { with } else { without }
    }

    /// The record of a version; `None` if it is removed, expired or truncated.
    fn seen<'a>(&self, version: &'a Version) -> Option<row::Record<'a>> {
        version.record().filter(|record| !self.hides(record.set, &record.meta))
    }

    /// Whether a record is expired or truncated.
    pub(crate) fn hides(&self, set: &str, meta: &Meta) -> bool {
        self.truncations.hides(set, meta)
    }

    /// As `Remote::read_in_turn`.
    pub(crate) fn read_in_turn(&self, digest: &Digest) -> Result<FoundRecord> {
        Ok(self.finder.found(self.cluster.wait(self.look(digest))?))
    }

    pub(crate) fn finder(&self) -> &Arc<Finder> {
        &self.finder
    }

    pub(crate) const fn made(&self) -> bool {
        self.made
    }
}

impl Finder {
    fn prepare(cluster: &Cluster, tables: &Tables, truncations: Arc<Truncations>, indexes: Arc<Indexes>) -> Result<Self> {
        let records = tables.records();
        let read = format!("SELECT {} FROM {records} WHERE digest = ?", row::COLUMNS);
        let read_copy = cluster.prepare_for_all(Kind::Read, &read)?;
        Ok(Self { link: cluster.link().clone(), read: cluster.prepare(Kind::Read, &read)?, read_copy, truncations, indexes })
    }

    /// What the table has under a digest.
    async fn find(&self, statement: &PreparedStatement, digest: &Digest) -> Result<Option<Version>> {
        let answer = self.link.ask(statement, (digest.0.as_slice(),)).await?;
        let rows = answer.into_rows_result().map_err(|error| Failure::internal(&error))?;
        let Some(columns) = rows.maybe_first_row::<Columns<'_>>().map_err(|error| Failure::internal(&error))? else { return Ok(None) };
        Version::of(columns)
    }

    /// Metadata and body of a record.
    pub(crate) async fn fetch(&self, digest: &Digest) -> Result<FoundRecord> {
        let read = if self.indexes.fills() { &self.read_copy } else { &self.read };
        self.find(read, digest).await.map(|version| self.found(version))
    }

    fn found(&self, version: Option<Version>) -> FoundRecord {
        let hides = |version: &Version| self.truncations.hides(&version.set, &version.meta);
        version.filter(|version| !hides(version)).and_then(|version| Some((version.meta, version.body?)))
    }
}

impl Statements {
    fn prepare(cluster: &Cluster, tables: &Tables) -> Result<Self> {
        let records = tables.records();
        let read = format!("SELECT {} FROM {records} WHERE digest = ?", row::COLUMNS);
        // No INSERT: its row marker would outlive columns that have a TTL, and the row would be there without any of them.
        // A row is there as long as its `write_id` is, and one that is not there has a null one.
        let write = format!(
            "UPDATE {records} USING TTL ? SET set_name = ?, body = ?, generation = ?, updated_at = ?, expires_at = ?, \
             write_id = ?, previous = ?, {} WHERE digest = ? IF write_id = ?",
            filled::columns()
        );
        Ok(Self {
            pages: [Asking::prepare(cluster, tables, Find::All, true)?, Asking::prepare(cluster, tables, Find::All, false)?],
            walks: [Asking::prepare_to_meet_writes(cluster, tables, true)?, Asking::prepare_to_meet_writes(cluster, tables, false)?],
            serial_read: cluster.prepare(Kind::SerialRead, &read)?,
            write: cluster.prepare(Kind::Write, &write)?,
            fill: Fill::prepare(cluster, tables)?,
            filled: Filled::prepare(cluster, tables)?,
        })
    }
}
