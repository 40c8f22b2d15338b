//! A cluster as its nodes tell it: for people who look at it.

use super::NodeHealth;
use tessera_base::Error;

#[derive(Clone, Debug, PartialEq)]
pub struct ClusterView {
    pub name: String,
    pub keyspace: String,
    pub nodes: Vec<NodeView>,
    /// Ranges of tokens, side by side, from the smallest token to the largest.
    pub ranges: Vec<TokenRange>,
    /// Whether the ranges are those of the cluster. If it has too many, they are equal parts, each with the replicas of its middle.
    pub exact: bool,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NodeView {
    pub node: NodeHealth,
    /// As the nodes tell each other, `NORMAL`; `None`: nobody told.
    pub state: Option<String>,
    /// Bytes that the node has on its disks, as the nodes tell each other.
    pub load_bytes: Option<u64>,
    pub version: Option<String>,
    /// How many ranges of tokens begin with it as their first replica.
    pub tokens: u32,
    /// The part of the records that it has a copy of, 0 to 1.
    pub share: f64,
    /// Files of writes that other nodes keep for it, and it has missed; `None`: nobody told.
    pub hint_files: Option<u64>,
    /// What it answered itself; `None`: there is no connection to it.
    pub answer: Option<Result<NodeAnswer, Error>>,
}

#[derive(Clone, Debug, PartialEq)]
pub struct NodeAnswer {
    /// How long a small question took, milliseconds.
    pub took_ms: f64,
    pub schema: String,
    /// Its own, of the records of the namespace; `None`: it does not tell.
    pub reads: Option<NodeRate>,
    pub writes: Option<NodeRate>,
}

/// How many operations a node has done.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct NodeRate {
    /// Since the node was started.
    pub count: u64,
    /// Over the last five minutes.
    pub per_second: f64,
}

#[derive(Clone, Debug, PartialEq, Eq)]
pub struct TokenRange {
    /// Both are in it.
    pub first: i64,
    pub last: i64,
    /// Positions in `ClusterView::nodes`, the owner of the token first.
    pub replicas: Vec<u32>,
}
