//! Namespaces on a cluster: how they are configured, and what is known of the cluster.

use crate::choice::one_of;
use crate::numbers::whole_u32;
use napi::Either;
use napi_derive::napi;
use std::collections::{BTreeMap, HashMap};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::config::{CassandraConfig, Consistency, Replication, Serial, Speculation};
use tessera_core::store::remote::{Health, NodeHealth};

/// Which cluster, and how it is asked.
#[napi(object)]
pub struct ClusterConfig {
    /// As the operator named it.
    pub name: String,
    /// Takes the records that the cluster has of a namespace of this name.
    pub attach: Option<bool>,
    pub data_centre: Option<String>,
    #[napi(ts_type = "'one' | 'local_one' | 'quorum' | 'local_quorum' | 'all'")]
    pub reads: Option<String>,
    #[napi(ts_type = "'one' | 'local_one' | 'quorum' | 'local_quorum' | 'each_quorum' | 'all'")]
    pub writes: Option<String>,
    #[napi(ts_type = "'everywhere' | 'local'")]
    pub serial: Option<String>,
    /// Copies: so many, or by data centre.
    #[napi(ts_type = "number | Record<string, number>")]
    pub replication: Option<Either<f64, HashMap<String, f64>>>,
    pub timeout_ms: Option<f64>,
    pub connect_timeout_ms: Option<f64>,
    pub in_flight: Option<f64>,
    pub speculation: Option<SpeculationConfig>,
}

/// Other replicas that a slow read asks.
#[napi(object)]
pub struct SpeculationConfig {
    pub after_ms: f64,
    /// 0: none.
    pub most: f64,
}

/// What this process knows of a namespace's cluster.
#[napi(object, object_from_js = false)]
pub struct ClusterInfo {
    pub name: String,
    pub keyspace: String,
    pub nodes: Vec<ClusterNode>,
}

#[napi(object, object_from_js = false)]
pub struct ClusterNode {
    pub id: String,
    pub address: String,
    pub data_centre: Option<String>,
    pub rack: Option<String>,
    pub connected: bool,
}

const CONSISTENCIES: [(&str, Consistency); 6] = [
    ("one", Consistency::One),
    ("local_one", Consistency::LocalOne),
    ("quorum", Consistency::Quorum),
    ("local_quorum", Consistency::LocalQuorum),
    ("each_quorum", Consistency::EachQuorum),
    ("all", Consistency::All),
];
const SERIALS: [(&str, Serial); 2] = [("everywhere", Serial::Everywhere), ("local", Serial::Local)];

fn name_of<T: PartialEq>(value: &T, names: &[(&str, T)]) -> Option<String> {
    names.iter().find(|(_, named)| named == value).map(|(name, _)| (*name).to_owned())
}

fn number(given: f64, field: &str) -> Result<u32> {
    whole_u32(given, &format!("cluster.{field}"), ErrorCode::ConfigInvalid)
}

impl TryFrom<ClusterConfig> for CassandraConfig {
    type Error = Error;

    fn try_from(given: ClusterConfig) -> Result<Self> {
        let mut made = Self { attach: given.attach.unwrap_or(false), data_centre: given.data_centre, ..Self::new(given.name) };
        if let Some(reads) = given.reads {
            made.reads = one_of(&reads, "cluster.reads", &CONSISTENCIES)?;
        }
        if let Some(writes) = given.writes {
            made.writes = one_of(&writes, "cluster.writes", &CONSISTENCIES)?;
        }
        if let Some(serial) = given.serial {
            made.serial = one_of(&serial, "cluster.serial", &SERIALS)?;
        }
        if let Some(replication) = given.replication {
            made.replication = match replication {
                Either::A(all) => Replication::Simple(copies(all)?),
                Either::B(by) => {
                    let by = by.into_iter().map(|(name, each)| Ok((name, copies(each)?)));
                    Replication::DataCentres(by.collect::<Result<BTreeMap<_, _>>>()?)
                }
            };
        }
        for (given, field, setting) in [
            (given.timeout_ms, "timeoutMs", &mut made.timeout_ms),
            (given.connect_timeout_ms, "connectTimeoutMs", &mut made.connect_timeout_ms),
            (given.in_flight, "inFlight", &mut made.in_flight),
        ] {
            if let Some(given) = given {
                *setting = number(given, field)?;
            }
        }
        if let Some(SpeculationConfig { after_ms, most }) = given.speculation {
            let speculation = Speculation { after_ms: number(after_ms, "speculation.afterMs")?, most: number(most, "speculation.most")? };
            made.speculation = Some(speculation).filter(|speculation| speculation.most > 0);
        }
        Ok(made)
    }
}

fn copies(given: f64) -> Result<u16> {
    let copies = number(given, "replication")?;
    u16::try_from(copies).map_err(|_| {
        Error::said(ErrorCode::ConfigInvalid, sentence!("copies must be at most 65535, got {given}", given = copies))
            .in_field("cluster.replication")
    })
}

impl From<&CassandraConfig> for ClusterConfig {
    fn from(config: &CassandraConfig) -> Self {
        let speculation = config.speculation.unwrap_or(Speculation { after_ms: 0, most: 0 });
        Self {
            name: config.cluster.clone(),
            attach: Some(config.attach),
            data_centre: config.data_centre.clone(),
            reads: name_of(&config.reads, &CONSISTENCIES),
            writes: name_of(&config.writes, &CONSISTENCIES),
            serial: name_of(&config.serial, &SERIALS),
            replication: Some(match &config.replication {
                Replication::Simple(all) => Either::A((*all).into()),
                Replication::DataCentres(by) => Either::B(by.iter().map(|(name, each)| (name.clone(), (*each).into())).collect()),
            }),
            timeout_ms: Some(config.timeout_ms.into()),
            connect_timeout_ms: Some(config.connect_timeout_ms.into()),
            in_flight: Some(config.in_flight.into()),
            speculation: Some(SpeculationConfig { after_ms: speculation.after_ms.into(), most: speculation.most.into() }),
        }
    }
}

impl From<Health> for ClusterInfo {
    fn from(Health { name, keyspace, nodes }: Health) -> Self {
        Self { name, keyspace, nodes: nodes.into_iter().map(ClusterNode::from).collect() }
    }
}

impl From<NodeHealth> for ClusterNode {
    fn from(NodeHealth { id, address, data_centre, rack, connected }: NodeHealth) -> Self {
        Self { id, address, data_centre, rack, connected }
    }
}
