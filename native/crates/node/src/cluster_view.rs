//! The cluster of a namespace, as its nodes tell it.

use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use tessera_core::store::remote::{self, NodeAnswer, NodeHealth, NodeRate};

/// A cluster as its nodes tell it.
#[napi(object, object_from_js = false)]
pub struct ClusterView {
    pub name: String,
    pub keyspace: String,
    pub nodes: Vec<ClusterViewNode>,
    pub ranges: Vec<ClusterRange>,
    pub exact: bool,
}

#[napi(object, object_from_js = false)]
pub struct ClusterViewNode {
    pub id: String,
    pub address: String,
    pub data_centre: Option<String>,
    pub rack: Option<String>,
    pub connected: bool,
    pub state: Option<String>,
    pub load_bytes: Option<f64>,
    pub version: Option<String>,
    pub tokens: u32,
    pub share: f64,
    pub hint_files: Option<f64>,
    pub answer_ms: Option<f64>,
    pub schema_version: Option<String>,
    pub reads: Option<ClusterRate>,
    pub writes: Option<ClusterRate>,
    /// Why it told nothing.
    pub error: Option<String>,
}

#[napi(object, object_from_js = false)]
pub struct ClusterRate {
    pub count: f64,
    pub per_second: f64,
}

#[napi(object, object_from_js = false)]
pub struct ClusterRange {
    pub first: String,
    pub last: String,
    pub replicas: Vec<u32>,
}

#[napi]
impl NativeStore {
    /// Asks the nodes of a namespace's cluster how they are.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | ClusterView>")]
    pub fn cluster_view<'env>(&self, env: &'env Env, namespace: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| engine.namespace(&namespace)?.store().cluster_view().map(ClusterView::from))
    }
}

impl From<remote::ClusterView> for ClusterView {
    fn from(remote::ClusterView { name, keyspace, nodes, ranges, exact }: remote::ClusterView) -> Self {
        let range =
            |remote::TokenRange { first, last, replicas }| ClusterRange { first: first.to_string(), last: last.to_string(), replicas };
        let nodes = nodes.into_iter().map(ClusterViewNode::from).collect();
        Self { name, keyspace, nodes, ranges: ranges.into_iter().map(range).collect(), exact }
    }
}

impl From<remote::NodeView> for ClusterViewNode {
    fn from(view: remote::NodeView) -> Self {
        let remote::NodeView { node, state, load_bytes, version, tokens, share, hint_files, answer } = view;
        let NodeHealth { id, address, data_centre, rack, connected } = node;
        let (told, error) = match answer {
            None => (None, None),
            Some(Ok(told)) => (Some(told), None),
            Some(Err(error)) => (None, Some(error.message)),
        };
        let (answer_ms, schema_version, reads, writes) = match told {
            None => (None, None, None, None),
            Some(NodeAnswer { took_ms, schema, reads, writes }) => (Some(took_ms), Some(schema), reads, writes),
        };
        Self {
            id,
            address,
            data_centre,
            rack,
            connected,
            state,
            load_bytes: load_bytes.map(|bytes| bytes as f64),
            version,
            tokens,
            share,
            hint_files: hint_files.map(|files| files as f64),
            answer_ms,
            schema_version,
            reads: reads.map(ClusterRate::from),
            writes: writes.map(ClusterRate::from),
            error,
        }
    }
}

impl From<NodeRate> for ClusterRate {
    fn from(NodeRate { count, per_second }: NodeRate) -> Self {
        Self { count: count as f64, per_second }
    }
}
