//! The list of indexes, which all processes that have the namespace share, and by which list each of them goes.
//!
//! The list is one value of the table `about`. It is changed by compare-and-set, and its version grows with each change. A process
//! reads it once a second and tells in the table `servers` the oldest list that its writes, and its walks, still go by. So who builds
//! an index waits until all writes keep it, and a dropped one stays on the list until no walk asks it: the states of a schema that
//! changes online (Rae et al., "Online, Asynchronous Schema Change in F1", VLDB 2013). A row of `servers` goes by itself after a
//! while, and a process that could not renew its own for less than that writes no record.

mod reservation;

use crate::errors::Failure;
use crate::pause::{ATTEMPTS, pause};
use crate::session::{Cluster, Kind, applied};
use crate::tables::Tables;
use parking_lot::RwLock;
use scylla::statement::prepared::PreparedStatement;
use serde::{Deserialize, Serialize};
use std::sync::{Arc, Weak};
use std::time::{Duration, Instant};
use tessera_base::{Error, ErrorCode, Result, SentenceValue, limits, sentence};
use tessera_core::store::remote::{COLUMNS, Covers, RemoteIndex, RemoteIndexState, RemoteIndexes};
use tokio::sync::Mutex;
use uuid::Uuid;

/// Where the list of these tables stands in the table `about`.
pub(crate) fn what(tables: &Tables) -> String {
    format!("indexes of {}", tables.id())
}

/// A process writes for so long after it began to renew its row.
const LEASE: Duration = Duration::from_secs(10);
/// Indexes of sets that a namespace can have: each process reads the list once a second.
const SET_INDEXES: usize = 256;

/// The list as it is kept.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
#[serde(deny_unknown_fields)]
struct Stored {
    version: u32,
    indexes: Vec<RemoteIndex>,
    /// The only namespace of a data directory, by its id, whose server may write records.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    only: Option<String>,
    /// Where the records are a copy that this namespace's server fills: how many openings of it have done so.
    #[serde(default, skip_serializing_if = "Option::is_none")]
    filling: Option<u32>,
}

pub(crate) struct Indexes {
    /// This process, for the others.
    me: Uuid,
    /// The namespace in the data directory of this process.
    namespace: String,
    known: RwLock<Known>,
    /// Exchanges take turns.
    turn: Mutex<()>,
    /// Seconds that a row of `servers` stays.
    stays: i32,
    read: PreparedStatement,
    serial_read: PreparedStatement,
    change: PreparedStatement,
    register: PreparedStatement,
    leave: PreparedStatement,
    servers: PreparedStatement,
}

/// The list that a write goes by, to be kept until its outcome is known: nobody takes an index for kept by all writes before.
#[derive(Clone, Debug)]
pub(crate) struct Held {
    pub(crate) list: Arc<RemoteIndexes>,
    /// By which opening the records are filled, if they are a copy.
    filling: Option<u32>,
    /// How often others may have taken this process for gone until then.
    lapses: u64,
}

#[derive(Default)]
struct Known {
    list: Arc<RemoteIndexes>,
    only: Option<String>,
    filling: Option<u32>,
    /// Which of the openings that have filled a copy this one is.
    opening: Option<u32>,
    lapses: u64,
    /// Whether this process has left.
    left: bool,
    /// Until when writes may go by it without another exchange.
    until: Option<Instant>,
    /// Lists of before, while anybody goes by them.
    older: Vec<Older>,
}

struct Older {
    version: u32,
    writes: Weak<RemoteIndexes>,
    walks: Weak<()>,
}

/// By which list at least a process goes.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
struct Server {
    id: Uuid,
    writes: u32,
    walks: u32,
}

impl Indexes {
    pub(crate) fn prepare(cluster: &Cluster, tables: &Tables, namespace: Uuid) -> Result<Self> {
        let (keyspace, servers, what) = (tables.keyspace(), tables.of("servers"), what(tables));
        let list = format!("SELECT value FROM {keyspace}.about WHERE what = '{what}'");
        let change = format!("UPDATE {keyspace}.about SET value = ? WHERE what = '{what}' IF value = ?");
        // No INSERT: the row is to go with its columns.
        let register = format!("UPDATE {servers} USING TTL ? SET writes = ?, walks = ? WHERE id = ?");
        let stays = LEASE + 2 * cluster.timeout() + Duration::from_secs(5);
        let indexes = Self {
            me: Uuid::new_v4(),
            namespace: namespace.to_string(),
            known: RwLock::default(),
            turn: Mutex::default(),
            stays: i32::try_from(stays.as_secs()).unwrap_or(i32::MAX),
            read: cluster.prepare_for_all(Kind::Read, &list)?,
            serial_read: cluster.prepare(Kind::SerialRead, &list)?,
            change: cluster.prepare_for_all(Kind::Write, &change)?,
            register: cluster.prepare_for_all(Kind::Repeatable, &register)?,
            leave: cluster.prepare_for_all(Kind::Repeatable, &format!("DELETE FROM {servers} WHERE id = ?"))?,
            servers: cluster.prepare_for_all(Kind::Read, &format!("SELECT id, writes, walks FROM {servers}"))?,
        };
        indexes.exchange(cluster)?;
        indexes.begin_filling(cluster)?;
        Ok(indexes)
    }

    /// The list as it is known. Waits for nobody.
    pub(crate) fn list(&self) -> Arc<RemoteIndexes> {
        self.known.read().list.clone()
    }

    /// # Errors
    /// `closed`; `migration_active` if another server has reserved the records; `cluster_unavailable` if others may take this process for
    /// gone.
    pub(crate) async fn for_write(&self, cluster: &Cluster) -> Result<Held> {
        let usable = || {
            let known = self.known.read();
            known.until.is_some_and(|until| Instant::now() < until).then(|| self.held(&known))
        };
        if let Some(held) = usable() {
            return held;
        }
        let _turn = self.turn.lock().await;
        if let Some(held) = usable() {
            return held;
        }
        self.exchange_in_turn(cluster).await?;
        let known = self.known.read();
        if known.left { Err(Error::said(ErrorCode::Closed, sentence!("the namespace is closed"))) } else { self.held(&known) }
    }

    fn held(&self, known: &Known) -> Result<Held> {
        self.check_ours(&known.only)?;
        Ok(Held { list: known.list.clone(), filling: known.filling, lapses: known.lapses })
    }

    /// Whether a write may still be sent that was decided by this list.
    ///
    /// # Errors
    /// As `for_write`.
    pub(crate) async fn still_counts(&self, cluster: &Cluster, held: &Held) -> Result<bool> {
        let now = self.for_write(cluster).await?;
        Ok(now.lapses == held.lapses || now.list.version == held.list.version)
    }

    /// Learns the list, and tells others by which this process goes.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn exchange(&self, cluster: &Cluster) -> Result<()> {
        let _turn = self.turn.blocking_lock();
        cluster.wait(self.exchange_in_turn(cluster))?;
        self.forget_dropped(cluster)
    }

    async fn exchange_in_turn(&self, cluster: &Cluster) -> Result<()> {
        let begun = Instant::now();
        let (left, lapsed) = {
            let known = self.known.read();
            (known.left, known.until.is_none_or(|until| until <= begun))
        };
        if left {
            return Ok(());
        }
        // Its row may be gone. It has to be there before the list is read: who changes the list later sees it and waits.
        if lapsed {
            self.known.write().lapses += 1;
            self.register(cluster).await?;
        }
        self.learn(&self.stored(cluster, &self.read).await?.1)?;
        self.register(cluster).await?;
        self.known.write().until = Some(begun + LEASE);
        Ok(())
    }

    async fn register(&self, cluster: &Cluster) -> Result<()> {
        let Server { id, writes, walks } = self.own();
        cluster.ask(&self.register, (self.stays, writes.cast_signed(), walks.cast_signed(), id)).await?;
        Ok(())
    }

    /// The last call: others need not wait for this process any more. It writes no more.
    pub(crate) fn leave(&self, cluster: &Cluster) {
        let _turn = self.turn.blocking_lock();
        {
            let mut known = self.known.write();
            (known.until, known.left) = (None, true);
        }
        // If it cannot be told, its row goes by itself.
        let _ = cluster.send(&self.leave, (self.me,));
    }

    /// Lists an index, built by this process. Which columns are asked is seen to by the build.
    ///
    /// # Errors
    /// `index_exists`, `index_limit`, `migration_active` if another server has reserved the records, `cluster_unavailable`.
    pub(crate) fn add(&self, cluster: &Cluster, covers: &Covers) -> Result<RemoteIndex> {
        let (builder, mut tried) = (self.me.to_string(), None);
        self.change(cluster, |stored| {
            self.check_ours(&stored.only)?;
            let is_ours = |index: &&RemoteIndex| Some(index.id) == tried && index.covers == *covers && index.builder == builder;
            if let Some(found) = stored.indexes.iter().find(is_ours) {
                return Ok((None, found.clone()));
            }
            let id = stored.version + 1;
            let column = stored.room_for(covers)?;
            let (covers, builder) = (covers.clone(), builder.clone());
            let index = RemoteIndex { id, covers, state: RemoteIndexState::Building, since: id, column, builder, records: 0 };
            tried = Some(id);
            let indexes = [&stored.indexes[..], std::slice::from_ref(&index)].concat();
            Ok((Some(Stored { indexes, ..stored.clone() }), index))
        })
    }

    /// An index is built. Does nothing if it is ready already.
    ///
    /// # Errors
    /// `index_not_found` if it is dropped; `cluster_unavailable`.
    pub(crate) fn note_built(&self, cluster: &Cluster, id: u32, records: u64) -> Result<()> {
        self.change(cluster, |stored| {
            let missing = || Error::said(ErrorCode::IndexNotFound, sentence!("the index was dropped"));
            let at = stored.position(id).ok_or_else(missing)?;
            let ready = stored.indexes[at].state == RemoteIndexState::Ready;
            let next = |index: &RemoteIndex| RemoteIndex { state: RemoteIndexState::Ready, records, ..index.clone() };
            Ok(((!ready).then(|| stored.with(at, next)), ()))
        })
    }

    /// Nobody is to ask an index any more; `false`: it is dropped already.
    ///
    /// # Errors
    /// `migration_active` if another server has reserved the records, unless this process builds it; `cluster_unavailable`.
    pub(crate) fn drop(&self, cluster: &Cluster, id: u32) -> Result<bool> {
        let (mut tried, me) = (false, self.me.to_string());
        self.change(cluster, |stored| {
            let Some(at) = stored.position(id) else { return Ok((None, tried)) };
            let builds = stored.indexes[at].state == RemoteIndexState::Building && stored.indexes[at].builder == me;
            if !builds {
                self.check_ours(&stored.only)?;
            }
            tried = true;
            Ok((Some(stored.with(at, |index| RemoteIndex { state: RemoteIndexState::Dropped, ..index.clone() })), true))
        })
    }

    /// An index whose builder is gone; this process builds it from now on.
    ///
    /// # Errors
    /// `migration_active` if another server has reserved the records; `cluster_unavailable`.
    pub(crate) fn take_over(&self, cluster: &Cluster) -> Result<Option<RemoteIndex>> {
        let me = self.me.to_string();
        let foreign = |index: &RemoteIndex| index.state == RemoteIndexState::Building && index.builder != me;
        // Who builds writes.
        self.check_ours(&self.known.read().only)?;
        if !self.list().listed().any(foreign) {
            return Ok(None);
        }
        let there: Vec<String> = self.servers(cluster)?.iter().map(|server| server.id.to_string()).collect();
        let mut tried = None;
        self.change(cluster, |stored| {
            self.check_ours(&stored.only)?;
            let ours = |index: &&RemoteIndex| Some(index.id) == tried && index.builder == me;
            if let Some(index) = stored.indexes.iter().find(ours) {
                return Ok((None, Some(index.clone())));
            }
            let left = stored.indexes.iter().position(|index| foreign(index) && !there.contains(&index.builder));
            let Some(at) = left else { return Ok((None, None)) };
            tried = Some(stored.indexes[at].id);
            let next = stored.with(at, |index| RemoteIndex { builder: me.clone(), ..index.clone() });
            let index = next.indexes[at].clone();
            Ok((Some(next), Some(index)))
        })
    }

    /// Whether the writes of all processes go by this version of the list, or by a later one.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    pub(crate) fn all_write(&self, cluster: &Cluster, version: u32) -> Result<bool> {
        // The row of this process is as old as its last exchange.
        self.exchange(cluster)?;
        Ok(self.servers(cluster)?.iter().all(|server| server.writes >= version))
    }

    /// Takes dropped indexes off the list that no walk asks any more.
    fn forget_dropped(&self, cluster: &Cluster) -> Result<()> {
        let is_dropped = |index: &RemoteIndex| index.state == RemoteIndexState::Dropped;
        if !self.list().listed().any(is_dropped) {
            return Ok(());
        }
        let walks = self.servers(cluster)?.iter().map(|server| server.walks).min().unwrap_or(0);
        self.change(cluster, |stored| {
            let is_over = |index: &RemoteIndex| is_dropped(index) && index.since <= walks;
            let left: Vec<RemoteIndex> = stored.indexes.iter().filter(|index| !is_over(index)).cloned().collect();
            Ok(((left.len() < stored.indexes.len()).then(|| Stored { indexes: left, ..stored.clone() }), ()))
        })
    }

    /// Changes the list by what `next` makes of it; `None`: it stays as it is. What this process did in an earlier try, whose answer
    /// was lost, `next` has to know again.
    fn change<T>(&self, cluster: &Cluster, mut next: impl FnMut(&Stored) -> Result<(Option<Stored>, T)>) -> Result<T> {
        let mut why = SentenceValue::from(sentence!("it is being changed by many others"));
        for attempt in 0..ATTEMPTS {
            if attempt > 0 {
                pause(attempt);
            }
            let (text, stored) = cluster.wait(self.stored(cluster, &self.serial_read))?;
            let (changed, outcome) = next(&stored)?;
            let Some(changed) = changed else {
                self.learn(&stored)?;
                return Ok(outcome);
            };
            let changed = Stored { version: stored.version + 1, ..changed };
            match cluster.send(&self.change, (changed.text()?, text)).and_then(|answer| applied(&answer)) {
                Ok(true) => {
                    self.learn(&changed)?;
                    return Ok(outcome);
                }
                Ok(false) => {}
                Err(failure) if failure.open => why = failure.error.into(),
                Err(failure) => return Err(failure.error),
            }
        }
        Err(Error::said(ErrorCode::ClusterUnavailable, sentence!("the list of indexes was not changed: {why}", why = why)))
    }

    async fn stored(&self, cluster: &Cluster, statement: &PreparedStatement) -> Result<(Option<String>, Stored)> {
        let rows = cluster.ask(statement, ()).await?.into_rows_result().map_err(|error| Failure::internal(&error))?;
        let found = rows.maybe_first_row::<(Option<String>,)>().map_err(|error| Failure::internal(&error))?;
        let Some(text) = found.and_then(|(text,)| text) else { return Ok((None, Stored::default())) };
        let damaged = |error: serde_json::Error| {
            Error::said(ErrorCode::RecordDamaged, sentence!("the cluster's list of indexes cannot be read: {why}", why = error.to_string()))
        };
        let stored = serde_json::from_str(&text).map_err(damaged)?;
        Ok((Some(text), stored))
    }

    fn learn(&self, stored: &Stored) -> Result<()> {
        let mut known = self.known.write();
        if stored.version <= known.list.version {
            return Ok(());
        }
        let next = Arc::new(RemoteIndexes::new(stored.version, stored.indexes.clone(), &known.list)?);
        let old = std::mem::replace(&mut known.list, next);
        known.only.clone_from(&stored.only);
        known.filling = stored.filling;
        known.older.push(Older { version: old.version, writes: Arc::downgrade(&old), walks: Arc::downgrade(old.asked()) });
        Ok(())
    }

    fn own(&self) -> Server {
        let mut known = self.known.write();
        known.older.retain(|old| old.writes.strong_count() > 0 || old.walks.strong_count() > 0);
        let oldest = |is_held: fn(&Older) -> bool| {
            let held = known.older.iter().filter(|old| is_held(old)).map(|old| old.version);
            held.min().unwrap_or(known.list.version)
        };
        Server { id: self.me, writes: oldest(|old| old.writes.strong_count() > 0), walks: oldest(|old| old.walks.strong_count() > 0) }
    }

    fn servers(&self, cluster: &Cluster) -> Result<Vec<Server>> {
        let rows = cluster.send(&self.servers, ())?.into_rows_result().map_err(|error| Failure::internal(&error))?;
        let rows = rows.rows::<(Uuid, Option<i32>, Option<i32>)>().map_err(|error| Failure::internal(&error))?;
        let server = |row: std::result::Result<(Uuid, Option<i32>, Option<i32>), _>| {
            let (id, writes, walks) = row.map_err(|error: scylla::errors::DeserializationError| Failure::internal(&error))?;
            let version = |version: Option<i32>| version.unwrap_or_default().cast_unsigned();
            Ok(Server { id, writes: version(writes), walks: version(walks) })
        };
        rows.map(server).collect()
    }
}

impl Stored {
    fn text(&self) -> Result<String> {
        serde_json::to_string(self).map_err(|error| Error::new(ErrorCode::Internal, error.to_string()))
    }

    fn position(&self, id: u32) -> Option<usize> {
        self.indexes.iter().position(|index| index.id == id && index.state != RemoteIndexState::Dropped)
    }

    /// With one index changed, and the version that its state comes with.
    fn with(&self, at: usize, next: impl Fn(&RemoteIndex) -> RemoteIndex) -> Self {
        let mut changed = self.clone();
        changed.indexes[at] = RemoteIndex { since: self.version + 1, ..next(&self.indexes[at]) };
        changed
    }

    /// The column that another index gets.
    ///
    /// # Errors
    /// `index_exists`, `index_limit`.
    fn room_for(&self, covers: &Covers) -> Result<Option<u8>> {
        let there = |index: &&RemoteIndex| index.state != RemoteIndexState::Dropped;
        let full = |message| Err(Error::said(ErrorCode::IndexLimit, message));
        match covers {
            Covers::Set(set) => {
                if self.indexes.iter().filter(there).any(|index| index.is_of_set(set)) {
                    return Err(
                        Error::said(ErrorCode::IndexExists, sentence!("the set \"{set}\" already has an index", set = set)).in_field("set")
                    );
                }
                let of_sets = self.indexes.iter().filter(|index| matches!(index.covers, Covers::Set(_))).count();
                if of_sets < SET_INDEXES {
                    Ok(None)
                } else {
                    full(sentence!("a namespace on a cluster can have at most {most} set indexes", most = SET_INDEXES))
                }
            }
            Covers::Values(spec) => {
                if self.indexes.iter().filter(there).any(|index| index.is_named(&spec.name)) {
                    let message = sentence!("the index \"{name}\" already exists", name = &spec.name);
                    return Err(Error::said(ErrorCode::IndexExists, message).in_field("name"));
                }
                if self.indexes.iter().filter(|index| matches!(index.covers, Covers::Values(_))).count() >= limits::INDEXES {
                    return full(sentence!("a namespace on a cluster can have at most {most} indexes of values", most = limits::INDEXES));
                }
                if !covers.takes_column() {
                    return Ok(None);
                }
                let free = (0..COLUMNS as u8).find(|column| self.indexes.iter().all(|index| index.column != Some(*column)));
                free.map_or_else(
                    || full(sentence!("a namespace on a cluster can have at most {most} range indexes", most = COLUMNS)),
                    |column| Ok(Some(column)),
                )
            }
        }
    }
}

#[cfg(test)]
mod tests;
