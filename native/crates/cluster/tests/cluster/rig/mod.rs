//! A cluster to test against, and records to write to it.

mod opened;
pub mod stand_in;

pub use opened::Opened;

use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use std::ops::{ControlFlow, Deref};
use std::sync::Arc;
use tessera_base::Result;
use tessera_cluster::{Cluster, KnownCluster, Whose};
use tessera_core::config::{CassandraConfig, Replication};
use tessera_core::store::remote::{Limits, Origin, Part, Remote, RemoteRecord};
use tessera_core::store::rules::{Change, Rules, Run, check_generation};
use tessera_core::store::{Exists, Lookup, Operate, RecordName, WriteOptions, Written};
use tessera_record::filter::Filter;
use tessera_record::{BodyBuilder, BodyRef, Digest, Encoder, KeyLimit, KeyRef, Meta, Value, ValueRef};
use tokio::runtime::Runtime;
use uuid::Uuid;

pub fn points() -> Vec<String> {
    let points = std::env::var("CLUSTER_CONTACT_POINTS").expect("CLUSTER_CONTACT_POINTS: npm run test:cluster sets it");
    points.split(',').map(str::to_owned).collect()
}

pub fn config() -> CassandraConfig {
    CassandraConfig { replication: Replication::Simple(points().len().min(3) as u16), ..CassandraConfig::new("test") }
}

pub fn connect() -> Arc<Cluster> {
    connect_with(config())
}

pub fn connect_with(config: CassandraConfig) -> Arc<Cluster> {
    Cluster::connect(&KnownCluster::open_to_all(points()), config).unwrap()
}

pub const LIMITS: Limits = Limits { max_record_bytes: 1 << 20, default_ttl: 0 };

/// Records as the core asks for them, behind its checks.
pub struct Records(Arc<tessera_cluster::Records>);

impl Deref for Records {
    type Target = tessera_cluster::Records;

    fn deref(&self) -> &Self::Target {
        &self.0
    }
}

/// Of records with named bins.
pub fn whose(namespace: &str, id: [u8; 16]) -> Whose<'_> {
    Whose { namespace, id, single_bin: false }
}

impl Records {
    pub fn open(cluster: Arc<Cluster>, namespace: &str, how: Origin) -> Result<Self> {
        tessera_cluster::Records::open(cluster, &whose(namespace, Uuid::new_v4().into_bytes()), how).map(Self)
    }

    /// As another process that has the same namespace.
    pub fn again(cluster: Arc<Cluster>, namespace: &str) -> Self {
        Self::open(cluster, namespace, Origin::There).unwrap()
    }

    pub fn get<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, out: &mut Vec<u8>) -> Result<Option<Meta>> {
        let mut reads = self.0.reads();
        reads.start(digest(set, key.into()), 7);
        let (tag, found) = reads.next().unwrap();
        assert_eq!((tag, reads.in_flight()), (7, 0));
        Ok(found?.map(|(meta, body)| {
            *out = body;
            meta
        }))
    }

    pub fn put<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, body: &[u8], options: &WriteOptions) -> Result<Written> {
        self.put_if(set, key, body, options, None)
    }

    pub fn put_if<'a>(
        &self,
        set: &str,
        key: impl Into<Lookup<'a>>,
        body: &[u8],
        options: &WriteOptions,
        filter: Option<&Filter>,
    ) -> Result<Written> {
        let rules = Rules { change: Change::Put(body), options, filter, single_bin: false };
        Remote::change(&*self.0, set, &digest(set, key.into()), &rules, LIMITS)
    }

    pub fn operate<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, asked: &Operate<'_>) -> Result<Written> {
        let lookup = key.into();
        let RecordName::Key(name) = lookup.name else { panic!("no key") };
        let run = Run::new(asked, Some(name));
        let rules = Rules { change: Change::Operate(&run), options: &asked.options, filter: asked.filter, single_bin: false };
        Remote::change(&*self.0, set, &digest(set, lookup), &rules, LIMITS)
    }

    pub fn delete<'a>(&self, set: &str, key: impl Into<Lookup<'a>>, options: &WriteOptions) -> Result<bool> {
        let allow = |meta: &Meta| check_generation(meta.generation, options);
        Remote::delete(&*self.0, set, &digest(set, key.into()), &allow)
    }
}

/// How many records a walk meets.
pub fn count(records: &Records) -> usize {
    records.begin_walk().unwrap();
    let mut count = 0;
    for range in 0..records.ranges() {
        let mut pages = records.pages(Part::Range { at: range, of: records.ranges() }, false, None);
        let mut met = |_: &RemoteRecord<'_>| {
            count += 1;
            Ok(ControlFlow::Continue(()))
        };
        while pages.next(usize::MAX, &mut met).unwrap() {}
    }
    count
}

fn digest(set: &str, lookup: Lookup<'_>) -> Digest {
    lookup.digest(set, KeyLimit::default()).unwrap()
}

/// Records of a namespace that is new.
pub fn records(namespace: &str) -> Records {
    records_of(connect(), namespace)
}

pub fn records_of(cluster: Arc<Cluster>, namespace: &str) -> Records {
    tessera_cluster::Records::drop_namespace(&cluster, namespace).unwrap();
    Records::open(cluster, namespace, Origin::New).unwrap()
}

pub fn key(number: i64) -> KeyRef<'static> {
    KeyRef::Integer(number)
}

pub fn body(number: i64, bins: &[(&str, Value)]) -> Vec<u8> {
    let mut out = vec![];
    let mut body = BodyBuilder::new(&mut out, key(number));
    for (name, value) in bins {
        body.bin(name, |encoder| {
            encoder.value(value);
            Ok(())
        })
        .unwrap();
    }
    body.finish();
    out
}

pub fn n(number: i64, value: i64) -> Vec<u8> {
    body(number, &[("n", Value::Int(value))])
}

/// As a record holds it.
pub fn integer(value: i64) -> Box<[u8]> {
    let mut out = vec![];
    Encoder::new(&mut out).int(value);
    out.into()
}

pub fn exists(exists: Exists) -> WriteOptions {
    WriteOptions { exists, ..WriteOptions::default() }
}

/// The body of a record; `None` if there is none.
pub fn found(records: &Records, number: i64) -> Option<Vec<u8>> {
    let mut out = vec![];
    records.get("s", key(number), &mut out).unwrap().map(|_| out)
}

/// An integer in the bin `n`.
pub fn value(body: &[u8]) -> i64 {
    let (_, encoded) = BodyRef::new(body).raw_bins().find(|(name, _)| *name == b"n").unwrap();
    match ValueRef::of(encoded) {
        ValueRef::Int(value) => value,
        _ => panic!("not an integer"),
    }
}

/// The driver itself, to do and to see what no caller of the crate can.
pub struct Raw {
    pub runtime: Runtime,
    pub session: Session,
}

impl Raw {
    pub fn connect() -> Self {
        Self::connect_with(|builder| builder)
    }

    pub fn connect_with(how: impl FnOnce(SessionBuilder) -> SessionBuilder) -> Self {
        let runtime = Runtime::new().unwrap();
        let session = runtime.block_on(how(SessionBuilder::new().known_nodes(points())).build()).unwrap();
        Self { runtime, session }
    }

    /// Tables of a namespace may be named without the id that they have in their names: `ts_shop.records`, and `indexes` in `about`.
    pub fn run(&self, text: &str) -> scylla::response::query_result::QueryResult {
        self.ask(&self.named(text))
    }

    fn ask(&self, text: &str) -> scylla::response::query_result::QueryResult {
        self.runtime.block_on(self.session.query_unpaged(text, ())).unwrap()
    }

    fn named(&self, text: &str) -> String {
        let Some(place) = text.split([' ', '(']).find(|word| word.starts_with("ts_") && word.contains('.')) else { return text.to_owned() };
        let (keyspace, table) = place.split_once('.').unwrap();
        let about = format!("SELECT table_name FROM system_schema.tables WHERE keyspace_name = '{keyspace}' AND table_name = 'about'");
        if self.ask(&about).into_rows_result().unwrap().rows_num() == 0 {
            return text.to_owned();
        }
        let id = self.ask(&format!("SELECT value FROM {keyspace}.about WHERE what = 'tables'")).into_rows_result().unwrap();
        let id = id.first_row::<(String,)>().unwrap().0;
        if table == "about" {
            return text.replace("'indexes'", &format!("'indexes of {id}'"));
        }
        text.replace(place, &format!("{keyspace}.{id}_{table}"))
    }
}
