//! The clusters that the operator has described, for whoever wants to use one.

use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use std::collections::BTreeMap;
use tessera_cluster::Described;
use tessera_core::engine::Member;
use tessera_core::store::remote::NodeHealth;
use tessera_core::{Engine, EngineConfig, Namespace};

/// The clusters of the operator's file.
#[napi(object, object_from_js = false)]
pub struct KnownClusters {
    /// Whether there is a file.
    pub configured: bool,
    /// Why the file cannot be used.
    pub problem: Option<String>,
    pub items: Vec<KnownCluster>,
}

/// One of them, without user, password and certificates.
#[napi(object, object_from_js = false)]
pub struct KnownCluster {
    pub name: String,
    pub contact_points: Vec<String>,
    pub encrypted: bool,
    /// Why no namespace can use it.
    pub problem: Option<String>,
    /// Namespaces that use it, open or not.
    pub namespaces: Vec<String>,
    /// As an open namespace sees them; empty if none is open.
    pub data_centres: Vec<KnownDataCentre>,
}

#[napi(object, object_from_js = false)]
pub struct KnownDataCentre {
    pub name: String,
    pub nodes: u32,
    /// Nodes that this process is connected to.
    pub connected: u32,
}

#[napi]
impl NativeStore {
    /// The clusters that namespaces may use. Reads the operator's file, and asks no cluster.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | KnownClusters>")]
    pub fn clusters<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        let clusters = self.clusters.clone();
        self.later(env, move |engine| {
            let (problem, described) = match clusters.list() {
                Ok(described) => (None, described),
                Err(error) => (Some(error.message), Vec::new()),
            };
            let items = described.into_iter().map(|described| KnownCluster::of(described, engine)).collect();
            Ok(KnownClusters { configured: clusters.file.is_some(), problem, items })
        })
    }
}

impl KnownCluster {
    fn of(Described { name, contact_points, encrypted, problem }: Described, engine: &Engine) -> Self {
        let mut namespaces = Vec::new();
        let mut data_centres = Vec::new();
        for member in engine.members() {
            let config = match &member {
                Member::Open(namespace) => namespace.config(),
                Member::Unopened(unopened) => unopened.config().clone(),
            };
            if !matches!(config.engine, EngineConfig::Cassandra(cassandra) if cassandra.cluster == name) {
                continue;
            }
            namespaces.push(config.name);
            if let (Ok(namespace), true) = (member.open(), data_centres.is_empty()) {
                data_centres = data_centres_of(namespace);
            }
        }
        Self { name, contact_points, encrypted, problem, namespaces, data_centres }
    }
}

fn data_centres_of(namespace: &Namespace) -> Vec<KnownDataCentre> {
    let nodes = namespace.store().health().map_or_else(Vec::new, |health| health.nodes);
    let mut by_name = BTreeMap::<String, (u32, u32)>::new();
    for NodeHealth { data_centre, connected, .. } in nodes {
        let (all, reached) = by_name.entry(data_centre.unwrap_or_default()).or_default();
        *all += 1;
        *reached += u32::from(connected);
    }
    by_name.into_iter().map(|(name, (nodes, connected))| KnownDataCentre { name, nodes, connected }).collect()
}
