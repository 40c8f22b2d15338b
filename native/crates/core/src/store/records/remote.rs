//! Records that are kept elsewhere: what a cluster has to do for a store.
//!
//! A store with a remote has one segment, which is empty. Reads and writes go to the remote behind
//! the checks of names and limits, and before the lock of a segment. What such a store cannot do it
//! refuses by `RecordStore::require`. `elsewhere` is the store's side.

mod view;

pub use crate::store::indexes::{Ask, Asks, COLUMNS, Covers, Entries, RemoteIndex, RemoteIndexState, RemoteIndexes};
pub use view::{ClusterView, NodeAnswer, NodeRate, NodeView, TokenRange};

use super::options::{WriteOptions, Written};
use super::rules::{Change, Rules};
use crate::config::{CassandraConfig, EngineConfig, NamespaceConfig};
use std::collections::HashMap;
use std::fmt::Debug;
use std::ops::ControlFlow;
use std::sync::Arc;
use std::time::Instant;
use tessera_base::{Error, Result};
use tessera_record::{Digest, Meta};

/// Opens what is kept elsewhere. It is given to the engine, so that the core knows no driver.
pub trait Remotes: Debug + Send + Sync {
    /// # Errors
    /// `cluster_unavailable`; `cluster_refused`; `config_invalid` if the cluster is not known; `namespace_exists` if other records are
    /// there, `data_file_missing` if none are that should be.
    fn open(&self, asked: &Asked<'_>) -> Result<Arc<dyn Remote>>;
}

/// The records that are to be opened.
#[derive(Clone, Copy, Debug)]
pub struct Asked<'a> {
    pub namespace: &'a str,
    pub cassandra: &'a CassandraConfig,
    pub origin: Origin,
    /// Of the namespace in this data directory. No other has it, and it stays.
    pub id: [u8; 16],
    /// Whether records have one bin, without a name. All servers that have these records have to agree.
    pub single_bin: bool,
}

/// Where records come from that are opened.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Origin {
    /// They are there.
    There,
    /// There are none yet.
    New,
    /// There are none yet, and they are to be a copy of another store's: see `Remote::fill`.
    Copy,
}

/// The records of one namespace. What a write makes of one is decided by the rules that it is given.
pub trait Remote: Send + Sync {
    /// Several reads at once.
    fn reads(&self) -> Box<dyn RemoteReads + '_>;

    /// Changes a record in one step that nobody sees half of.
    ///
    /// # Errors
    /// Those of the rules; `cluster_unavailable`, after which nothing has changed; `write_uncertain`.
    fn change(&self, set: &str, digest: &Digest, rules: &Rules<'_>, limits: Limits) -> Result<Written>;

    /// Deletes a record that `allow` lets go; `false` if there is none.
    ///
    /// # Errors
    /// What `allow` returns; as `change`.
    fn delete(&self, set: &str, digest: &Digest, allow: &dyn Fn(&Meta) -> Result<()>) -> Result<bool>;

    /// A record as it is when it is this reader's turn: with every change that was made before.
    ///
    /// # Errors
    /// `record_damaged`, `cluster_unavailable`.
    fn read_in_turn(&self, digest: &Digest) -> Result<FoundRecord>;

    /// Lets no other server write these records until `release`; `wait` is called again and again until all know. It outlasts this
    /// process, and the namespace that it is for may write after a restart.
    ///
    /// # Errors
    /// `migration_active` if another server has reserved them; `cluster_unavailable`; those of `wait`.
    fn reserve(&self, wait: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Lets other servers write again; a copy is one no more then. Does nothing if they may.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    fn release(&self) -> Result<()>;

    /// Whether these records are a copy that is being filled: they have never decided a write, and nobody else writes them. Waits for
    /// nobody.
    fn fills(&self) -> bool;

    /// Makes a record of such a copy what it is in the store that decides; `None`: there is none. Of one record, only one call at a
    /// time. After an error it may come into force until a later call for that record.
    ///
    /// # Errors
    /// `cluster_unavailable`, also if they are a copy no more.
    fn fill(&self, set: &str, digest: &Digest, record: Option<(Meta, &[u8])>) -> Result<()>;

    /// From now on these records decide writes, and are a copy no more. No call of `fill` is under way. `held`: what the sets hold.
    ///
    /// # Errors
    /// `cluster_unavailable`: they are a copy still, or none any more.
    fn lead(&self, held: &[MetSet]) -> Result<()>;

    /// Writes many records of a set, several at once; those of one record one after the other, in their order. Calls `each` with the
    /// position of each write and what came of it, in any order; `each` must not wait, as others are under way. After an error of
    /// `each` no further record begins, and what is under way is told all the same.
    ///
    /// # Errors
    /// The first of `each`.
    fn write_many(&self, set: &str, writes: &[RemoteWrite<'_>], limits: Limits, each: &mut Outcomes<'_>) -> Result<()>;

    /// Ranges of tokens, side by side, that all records are in: workers of a walk take them in turn. Waits for nobody.
    fn ranges(&self) -> usize;

    /// Before a walk over many records: learns what other processes have hidden, and takes nothing for granted of their size.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    fn begin_walk(&self) -> Result<()>;

    /// The records of a part, in the order of tokens, page by page; of those with one token in that of digests. A record that is
    /// there throughout comes exactly once. `bodies`: whether bodies are wanted; `asks`: only rows that one of them brings.
    fn pages(&self, part: Part, bodies: bool, asks: Option<Arc<Asks>>) -> Box<dyn RemotePages + '_>;

    /// As `pages` of a range, and every write is met that was acknowledged before, whatever the namespace asks of its reads.
    fn walk(&self, range: usize, bodies: bool) -> Box<dyn RemotePages + '_>;

    /// About how many rows each of these brings. So few that one page has them are counted.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    fn probe(&self, asks: &[Ask]) -> Result<Vec<u64>>;

    /// The indexes that this process knows of. Waits for nobody.
    fn indexes(&self) -> Arc<RemoteIndexes>;

    /// Lists an index, which this process is to build. Its writes keep it from now on.
    ///
    /// # Errors
    /// `index_exists`, `index_limit`, `cluster_unavailable`.
    fn list_index(&self, covers: &Covers) -> Result<RemoteIndex>;

    /// An index whose builder is gone, if there is one; this process is to build it now.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    fn take_over_build(&self) -> Result<Option<RemoteIndex>>;

    /// Waits until the writes of all processes keep an index; `wait` is called again and again meanwhile.
    ///
    /// # Errors
    /// `cluster_unavailable`; those of `wait`.
    fn await_writers(&self, id: u32, wait: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// Gives the records of a range the entries that they lack of an index, and calls `met` with each record that the range has, and
    /// with whether it has entries now.
    ///
    /// # Errors
    /// `cluster_unavailable`; those of `met`.
    fn build_index(&self, id: u32, range: usize, met: &mut dyn FnMut(&RemoteRecord<'_>, bool) -> Result<()>) -> Result<()>;

    /// An index is built: `records` have entries. Queries of all processes use it soon.
    ///
    /// # Errors
    /// `index_not_found` if it was dropped meanwhile; `cluster_unavailable`.
    fn note_built(&self, id: u32, records: u64) -> Result<()>;

    /// Drops an index. It is used by nobody here from now on, and soon by nobody; `false`: it was dropped already.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    fn drop_index(&self, id: u32) -> Result<bool>;

    /// The sets that are known, by name, and what they hold, about. Records without a set first. Waits for nobody.
    fn sets(&self) -> Vec<RemoteSet>;

    /// One of them. Waits for nobody.
    fn set(&self, name: &str) -> Option<RemoteSet>;

    /// Records of all sets and their bytes, about. Waits for nobody.
    fn held(&self) -> (u64, u64);

    /// Makes a set known, before its first record.
    ///
    /// # Errors
    /// `set_limit`, `cluster_unavailable`.
    fn create_set(&self, name: &str) -> Result<()>;

    /// What the sets are thought to hold before a walk over all records. Waits for nobody.
    fn estimates(&self) -> Estimates;

    /// Corrects the estimates by what a walk over all records has met since they were taken. Sets that it has not met hold nothing.
    ///
    /// # Errors
    /// `set_limit`, `cluster_unavailable`.
    fn correct(&self, before: &Estimates, met: &[MetSet]) -> Result<()>;

    /// Hides the records of a set, or of all, that were written before a time (Unix milliseconds), or without it those that are there.
    /// That time.
    ///
    /// # Errors
    /// `cluster_unavailable`; `write_uncertain`: repeat it.
    fn truncate(&self, set: Option<&str>, before: Option<u64>) -> Result<u64>;

    /// Whether hidden records may be left that it falls to this process to remove. Waits for nobody.
    fn has_to_sweep(&self) -> bool;

    /// The truncations whose records these are.
    fn unswept(&self) -> Marks;

    /// Removes the hidden records of a range, and calls `removed` for each.
    ///
    /// # Errors
    /// `cluster_unavailable`, `write_uncertain`; those of `removed`.
    fn sweep(&self, range: usize, removed: &mut dyn FnMut() -> Result<()>) -> Result<()>;

    /// All ranges were swept since these were given.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    fn note_swept(&self, marks: &Marks) -> Result<()>;

    /// The last call: what only this process knows is told.
    fn close(&self);

    /// Bytes that a record with a body of `body` bytes takes, about: for filters on its size.
    fn size_of(&self, set: &str, body: usize) -> u64;

    fn health(&self) -> Health;

    /// Asks every node how it is, and waits no longer for all of them than for one request.
    fn view(&self) -> ClusterView;

    /// What does not work as it should. Waits for nobody.
    fn trouble(&self) -> Option<Error>;

    /// Removes what was made for a namespace that is not to be after all.
    fn take_back(&self);

    /// Removes all records, and the place where they are.
    ///
    /// # Errors
    /// `cluster_unavailable`.
    fn remove(&self) -> Result<()>;
}

/// One of many writes.
pub struct RemoteWrite<'a> {
    pub digest: Digest,
    pub what: WriteOf<'a>,
}

/// As `change`, or as `delete` with the generation that the options want.
pub enum WriteOf<'a> {
    Change(Rules<'a>),
    Delete(&'a WriteOptions),
}

/// Takes the position of a write and what came of it: of a delete, whether it `removed` a record.
pub type Outcomes<'a> = dyn FnMut(usize, Result<Written>) -> Result<()> + 'a;

impl RemoteWrite<'_> {
    /// Bytes of the body that it brings.
    pub fn body_bytes(&self) -> usize {
        match self.what {
            WriteOf::Change(Rules { change: Change::Put(body) | Change::Copy(_, body), .. }) => body.len(),
            WriteOf::Change(_) | WriteOf::Delete(_) => 0,
        }
    }
}

/// Truncations: by set, or `*` for all, their times.
pub type Marks = HashMap<String, u64>;

/// A set of a cluster. How much it holds is an estimate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct RemoteSet {
    /// Empty for records without a set.
    pub name: String,
    pub records: u64,
    pub bytes: u64,
}

/// What sets are thought to hold.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Estimates {
    /// Records and bytes. An estimate may be below nothing, which nobody is told.
    pub sets: HashMap<String, (i64, i64)>,
    /// How often walks have corrected them.
    pub corrections: u64,
}

/// A set as a walk over all records has met it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct MetSet {
    pub name: String,
    pub records: u64,
    /// `None` if bodies were not read.
    pub bytes: Option<u64>,
}

/// Metadata and body, if there is such a record.
pub type FoundRecord = Option<(Meta, Vec<u8>)>;

/// Reads under way, in any order.
pub trait RemoteReads: Send {
    /// Reads that were started and that `next` has not given.
    fn in_flight(&self) -> usize;

    fn start(&mut self, digest: Digest, tag: u64);

    /// Waits for any answer, at most until `until`; whether there is one.
    fn wait_until(&mut self, until: Instant) -> bool;

    /// The next answer, with its tag. `None`: none is in flight.
    ///
    /// # Errors
    /// Of a read: `record_damaged`, `cluster_unavailable`.
    fn next(&mut self) -> Option<(u64, Result<FoundRecord>)>;
}

/// Which records come in pages.
#[derive(Clone, Copy, Debug)]
pub enum Part {
    All,
    /// Those of one of so many equal ranges of tokens, side by side.
    Range {
        at: usize,
        of: usize,
    },
    /// From the record with this digest on, or from its place if there is none.
    From(Digest),
}

/// Pages of records, one behind the other.
pub trait RemotePages {
    /// Reads the next page, of at most `most` rows, and calls `each` with its records until one call breaks or fails. Those that are
    /// deleted, expired or truncated when their turn comes are left out. Whether more may follow: not behind a break.
    ///
    /// # Errors
    /// `cluster_unavailable`, `record_damaged` for what is no row of a record; those of `each`.
    fn next(&mut self, most: usize, each: &mut dyn FnMut(&RemoteRecord<'_>) -> Result<ControlFlow<()>>) -> Result<bool>;
}

/// A record of a page.
#[derive(Debug)]
pub struct RemoteRecord<'a> {
    pub digest: Digest,
    pub set: &'a str,
    /// `record_damaged` if it cannot be read.
    pub meta: Result<Meta>,
    /// Empty when bodies were not asked for.
    pub body: &'a [u8],
}

/// What a namespace allows of a write.
#[derive(Clone, Copy, Debug)]
pub struct Limits {
    /// Largest body, bytes.
    pub max_record_bytes: usize,
    /// Seconds; 0: records do not expire by themselves.
    pub default_ttl: u32,
}

/// What this process knows of a cluster.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Health {
    pub name: String,
    /// Where the records are in it.
    pub keyspace: String,
    pub nodes: Vec<NodeHealth>,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct NodeHealth {
    pub id: String,
    pub address: String,
    pub data_centre: Option<String>,
    pub rack: Option<String>,
    /// Whether this process has a connection to it.
    pub connected: bool,
}

impl Asked<'_> {
    /// Of a namespace; `None` if its records are on this machine.
    pub(crate) fn of(config: &NamespaceConfig, id: [u8; 16], origin: Origin) -> Option<Asked<'_>> {
        match &config.engine {
            EngineConfig::Cassandra(cassandra) => {
                Some(Asked { namespace: &config.name, cassandra, origin, id, single_bin: config.single_bin })
            }
            EngineConfig::Memory | EngineConfig::Device(_) | EngineConfig::Paged(_) => None,
        }
    }
}
