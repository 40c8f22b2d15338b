//! A namespace on the cluster, as an engine of its own has it.

use super::{config, connect, points, value};
use std::collections::HashMap;
use std::ops::ControlFlow;
use std::sync::{Arc, Mutex};
use tempfile::TempDir;
use tessera_cluster::Clusters;
use tessera_core::aggregate::Aggregates;
use tessera_core::query::QuerySpec;
use tessera_core::scan::{Found, ScanSpec, VisitSpec};
use tessera_core::{CassandraConfig, Engine, EngineOptions, Namespace, NamespaceConfig};

/// A namespace and its engine.
pub struct Opened {
    pub namespace: Arc<Namespace>,
    pub engine: Arc<Engine>,
    _directory: TempDir,
}

impl Opened {
    /// One that is new.
    pub fn new(name: &str) -> Self {
        tessera_cluster::Records::drop_namespace(&connect(), name).unwrap();
        Self::with(name, config())
    }

    /// One that is there, as another server has it.
    pub fn again(name: &str) -> Self {
        Self::with(name, CassandraConfig { attach: true, ..config() })
    }

    fn with(name: &str, config: CassandraConfig) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let file = directory.path().join("clusters.json");
        std::fs::write(&file, format!("{{\"test\":{{\"contactPoints\":{:?}}}}}", points())).unwrap();
        let options = EngineOptions { remotes: Some(Arc::new(Clusters { file: Some(file) })), ..EngineOptions::default() };
        let engine = Engine::open(&directory.path().join("data"), options).unwrap();
        let namespace = engine.create_namespace(NamespaceConfig::cassandra(name, config)).unwrap();
        Self { namespace, engine, _directory: directory }
    }

    /// How many records there are, and how often a record was met more than once.
    pub fn meet(&self, threads: u32) -> (usize, usize) {
        let met = self.met(threads);
        (met.len(), met.values().filter(|&&times| times != 1).count())
    }

    pub fn met(&self, threads: u32) -> HashMap<i64, usize> {
        let met = Mutex::<HashMap<i64, usize>>::default();
        let visit = |_: usize, found: &Found<'_>| {
            *met.lock().unwrap().entry(value(found.body)).or_default() += 1;
            ControlFlow::Continue(())
        };
        self.namespace.scan_visit(&VisitSpec { threads, ..VisitSpec::default() }, &visit).unwrap();
        met.into_inner().unwrap()
    }

    pub fn scan(&self, spec: ScanSpec) -> String {
        let scan = self.namespace.scan(spec).unwrap();
        let mut text = vec![];
        while let Some(chunk) = scan.stream.next_blocking().unwrap() {
            text.extend(chunk);
        }
        String::from_utf8(text).unwrap()
    }

    pub fn count(&self, set: Option<&str>, threads: u32) -> usize {
        let aggregate = Some(Arc::new(Aggregates::compile(br#"{"all":{"op":"count"}}"#).unwrap()));
        let query = self.namespace.query(QuerySpec { set: set.map(str::to_owned), aggregate, threads, ..QuerySpec::default() }).unwrap();
        let text = String::from_utf8(query.stream.next_blocking().unwrap().unwrap()).unwrap();
        text.chars().filter(char::is_ascii_digit).collect::<String>().parse().unwrap()
    }
}

impl Drop for Opened {
    fn drop(&mut self) {
        // A test that fails has its own message.
        let _ = self.engine.close();
    }
}
