//! A cluster to test against, and records to write to it.
#![allow(dead_code, reason = "each test program uses a part")]

use scylla::client::session::Session;
use scylla::client::session_builder::SessionBuilder;
use std::sync::Arc;
use tessera_cluster::{Cluster, Limits, Records, Replication, Settings};
use tessera_core::store::{Exists, WriteOptions};
use tessera_record::{BodyBuilder, BodyRef, Encoder, KeyRef, Value, ValueRef};
use tokio::runtime::Runtime;

pub fn settings() -> Settings {
    let points = std::env::var("CLUSTER_CONTACT_POINTS").expect("CLUSTER_CONTACT_POINTS: npm run test:cluster sets it");
    let points: Vec<&str> = points.split(',').collect();
    Settings { replication: Replication::Simple(points.len().min(3) as u16), ..Settings::new(points) }
}

pub fn connect() -> Arc<Cluster> {
    Cluster::connect(settings()).unwrap()
}

/// Records of a namespace that is new.
pub fn records(namespace: &str) -> Records {
    records_of(connect(), namespace, Limits::default())
}

pub fn records_of(cluster: Arc<Cluster>, namespace: &str, limits: Limits) -> Records {
    Records::drop_namespace(&cluster, namespace).unwrap();
    Records::open(cluster, namespace, limits).unwrap()
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
        let runtime = Runtime::new().unwrap();
        let points = settings().contact_points;
        let session = runtime.block_on(SessionBuilder::new().known_nodes(points).build()).unwrap();
        Self { runtime, session }
    }

    pub fn run(&self, text: &str) -> scylla::response::query_result::QueryResult {
        self.runtime.block_on(self.session.query_unpaged(text, ())).unwrap()
    }
}
