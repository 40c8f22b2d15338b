//! The records of one namespace on a cluster: read, written, removed, truncated.
//!
//! Every write of a record is a compare-and-set on its `write_id`, which each version has anew. So
//! a write either replaces the version that it was decided on, or nothing. `decide` is done by the
//! core's rules, `write` brings the outcome to the cluster, `settle` finds out what came of a write
//! whose answer was lost. `pause` keeps writes of several processes out of each other's way, `row` is how
//! a version stands in the table.

mod asking;
mod pause;
mod row;
mod settle;
mod write;

pub(crate) use asking::Asking;
pub(crate) use row::meta_of;
pub(crate) use write::ROW_BYTES;

use crate::errors::Failure;
use crate::schema::{self, How, Place};
use crate::session::{Cluster, Kind, applied};
use parking_lot::{Mutex, RwLock};
use row::{Columns, Version};
use scylla::statement::prepared::PreparedStatement;
use std::collections::HashMap;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, clock, limits};
use tessera_core::store::remote::FoundRecord;
use tessera_record::{Digest, Meta};

/// Writes of one record take turns in this process: Paxos would let them collide. Records share so many locks.
const STRIPES: usize = 1024;

pub struct Records {
    cluster: Arc<Cluster>,
    pub(crate) keyspace: String,
    /// Whether this opening has created its keyspace.
    made: bool,
    statements: Statements,
    stripes: Box<[Mutex<()>]>,
    /// By set: Unix milliseconds before which its records are gone.
    truncations: RwLock<HashMap<String, u64>>,
}

struct Statements {
    read: PreparedStatement,
    serial_read: PreparedStatement,
    write: PreparedStatement,
    truncations: PreparedStatement,
    truncation: PreparedStatement,
    truncate: PreparedStatement,
    /// Pages of records with their bodies, and without.
    pages: [Asking; 2],
}

impl Records {
    /// Opens the records of a namespace; makes room for those of a new one.
    ///
    /// # Errors
    /// `name_invalid`, `namespace_exists`, `data_file_missing`, `capability_unsupported`, `cluster_unavailable`.
    pub fn open(cluster: Arc<Cluster>, namespace: &str, how: How) -> Result<Self> {
        let Place { keyspace, made } = schema::open(&cluster, namespace, how)?;
        Self::prepare(cluster.clone(), keyspace.clone(), made).inspect_err(|_| {
            if made {
                // Nothing is in it yet.
                drop(schema::remove(&cluster, &keyspace));
            }
        })
    }

    fn prepare(cluster: Arc<Cluster>, keyspace: String, made: bool) -> Result<Self> {
        let statements = Statements::prepare(&cluster, &keyspace)?;
        let stripes = (0..STRIPES).map(|_| Mutex::new(())).collect();
        let records = Self { cluster, keyspace, made, statements, stripes, truncations: RwLock::default() };
        records.read_truncations()?;
        Ok(records)
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

    /// Hides the records of a set that were written before `before` (Unix milliseconds). A later call never hides less.
    ///
    /// # Errors
    /// `time_in_future`, `name_invalid`, `cluster_unavailable`; `write_uncertain` if the outcome is unknown: repeat it.
    pub fn truncate(&self, set: &str, before: u64) -> Result<()> {
        if !set.is_empty() {
            limits::check_name(set, "set")?;
        }
        if before > clock::unix_millis() {
            return Err(Error::new(ErrorCode::TimeInFuture, "a truncation must not be in the future").in_field("before"));
        }
        let uncertain = |failure: Failure| match failure.open {
            true => Error::new(ErrorCode::WriteUncertain, format!("the truncation of the set {set:?}: {}", failure.error.message)),
            false => failure.error,
        };
        for attempt in 0..write::ATTEMPTS {
            if attempt > 0 {
                pause::pause(attempt);
            }
            let found = self.cluster.send(&self.statements.truncation, (set,))?;
            let rows = found.into_rows_result().map_err(|error| Failure::internal(&error))?;
            let found = rows.maybe_first_row::<(i64,)>().map_err(|error| Failure::internal(&error))?.map(|(at,)| at);
            let later = found.is_some_and(|at| at >= before.cast_signed());
            let answer = || self.cluster.send(&self.statements.truncate, (before.cast_signed(), set, found)).map_err(uncertain);
            if later || applied(&answer()?)? {
                let known = if later { found.unwrap_or_default().cast_unsigned() } else { before };
                let mut truncations = self.truncations.write();
                let entry = truncations.entry(set.to_owned()).or_default();
                *entry = known.max(*entry);
                return Ok(());
            }
        }
        Err(Error::new(ErrorCode::ClusterUnavailable, format!("the set {set:?} is being truncated by many others")))
    }

    /// Reads the truncations that other processes have made. Until then this one shows the records that they hide.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub fn read_truncations(&self) -> Result<()> {
        let rows = self.cluster.send(&self.statements.truncations, ())?.into_rows_result().map_err(|error| Failure::internal(&error))?;
        let mut truncations = self.truncations.write();
        for row in rows.rows::<(&str, i64)>().map_err(|error| Failure::internal(&error))? {
            let (set, before) = row.map_err(|error| Failure::internal(&error))?;
            let entry = truncations.entry(set.to_owned()).or_default();
            *entry = before.cast_unsigned().max(*entry);
        }
        Ok(())
    }

    /// How pages of records are asked for.
    pub(crate) fn asking(&self, bodies: bool) -> &Asking {
        let [with, without] = &self.statements.pages;
        if bodies { with } else { without }
    }

    /// When the set was truncated last, Unix milliseconds; 0: never.
    pub(crate) fn truncated_before(&self, set: &str) -> u64 {
        self.truncations.read().get(set).copied().unwrap_or_default()
    }

    /// The record of a version; `None` if it is removed, expired or truncated.
    fn seen<'a>(&self, version: &'a Version) -> Option<row::Record<'a>> {
        version.record().filter(|record| !self.hides(record.set, &record.meta))
    }

    /// Whether a record is expired or truncated.
    pub(crate) fn hides(&self, set: &str, meta: &Meta) -> bool {
        meta.expired(clock::unix_seconds()) || meta.updated_at < self.truncated_before(set)
    }

    /// What the table has under a digest.
    fn read(&self, statement: &PreparedStatement, digest: &Digest) -> Result<Option<Version>> {
        self.cluster.wait(self.find(statement, digest))
    }

    /// As `read`, for one of several.
    async fn find(&self, statement: &PreparedStatement, digest: &Digest) -> Result<Option<Version>> {
        let answer = self.cluster.ask(statement, (digest.0.as_slice(),)).await?;
        let rows = answer.into_rows_result().map_err(|error| Failure::internal(&error))?;
        let Some(columns) = rows.maybe_first_row::<Columns<'_>>().map_err(|error| Failure::internal(&error))? else { return Ok(None) };
        Version::of(columns)
    }

    /// Metadata and body of a record, by an ordinary read.
    pub(crate) async fn fetch(&self, digest: &Digest) -> Result<FoundRecord> {
        let version = self.find(&self.statements.read, digest).await?;
        Ok(version.filter(|version| self.seen(version).is_some()).and_then(|version| Some((version.meta, version.body?))))
    }

    pub(crate) const fn made(&self) -> bool {
        self.made
    }
}

impl Statements {
    fn prepare(cluster: &Cluster, keyspace: &str) -> Result<Self> {
        let read = format!("SELECT {} FROM {keyspace}.records WHERE digest = ?", row::COLUMNS);
        // No INSERT: its row marker would outlive columns that have a TTL, and the row would be there without any of them.
        // A row is there as long as its `write_id` is, and one that is not there has a null one.
        let write = format!(
            "UPDATE {keyspace}.records USING TTL ? SET set_name = ?, body = ?, generation = ?, updated_at = ?, expires_at = ?, \
             write_id = ?, previous = ? WHERE digest = ? IF write_id = ?"
        );
        Ok(Self {
            pages: [Asking::prepare(cluster, keyspace, true)?, Asking::prepare(cluster, keyspace, false)?],
            read: cluster.prepare(Kind::Read, &read)?,
            serial_read: cluster.prepare(Kind::SerialRead, &read)?,
            write: cluster.prepare(Kind::Write, &write)?,
            truncations: cluster.prepare(Kind::Read, &format!("SELECT set_name, before FROM {keyspace}.truncations"))?,
            truncation: cluster.prepare(Kind::SerialRead, &format!("SELECT before FROM {keyspace}.truncations WHERE set_name = ?"))?,
            truncate: cluster
                .prepare(Kind::Write, &format!("UPDATE {keyspace}.truncations SET before = ? WHERE set_name = ? IF before = ?"))?,
        })
    }
}
