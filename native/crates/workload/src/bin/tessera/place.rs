//! Where a run is: a namespace of this process, or a gateway's; made where there is none.

use crate::options::Options;
use std::sync::Arc;
use tempfile::TempDir;
use tessera_base::{Error, ErrorCode, Result};
use tessera_core::{DeviceConfig, Durability, Engine, EngineConfig, EngineOptions, NamespaceConfig};
use tessera_workload::client::{Clients, Embedded, Failure, Gateway};
use tessera_workload::spec::WorkloadSpec;

pub struct Place {
    pub clients: Box<dyn Clients>,
    /// As asked, and with `fill` where the namespace is new.
    pub spec: WorkloadSpec,
    engine: Option<Arc<Engine>>,
    /// Removed at the end.
    _temporary: Option<TempDir>,
}

impl Place {
    /// # Errors
    /// What the engine or the gateway refuses.
    pub fn open(options: &Options) -> Result<Self> {
        match &options.gateway {
            Some((host, port)) => Self::remote(options, host, *port),
            None => Self::embedded(options),
        }
    }

    fn embedded(options: &Options) -> Result<Self> {
        let temporary = match options.data {
            Some(_) => None,
            None => Some(tempfile::tempdir().map_err(|error| Error::io("make a temporary directory", &error))?),
        };
        let directory = options.data.as_deref().or(temporary.as_ref().map(TempDir::path)).unwrap_or_else(|| ".".as_ref());
        let engine = Engine::open(directory, EngineOptions::default())?;
        let (namespace, made) = match engine.namespace(&options.spec.namespace) {
            Ok(namespace) => (namespace, false),
            Err(error) if error.code == ErrorCode::NamespaceNotFound => (engine.create_namespace(options.namespace.clone())?, true),
            Err(error) => return Err(error),
        };
        let spec = filled(&options.spec, made);
        Ok(Self { clients: Box::new(Embedded::new(namespace, &spec)?), spec, engine: Some(engine), _temporary: temporary })
    }

    fn remote(options: &Options, host: &str, port: u16) -> Result<Self> {
        let token = options.token.clone().or_else(|| std::env::var("TESSERA_TOKEN").ok());
        let mut gateway = Gateway::new(host, port, token, &options.spec)?;
        let path = format!("/api/v1/namespaces/{}", options.spec.namespace);
        let (made, answer) = match gateway.call("GET", &path, &[]) {
            Ok(answer) => (false, answer),
            Err(failure) if failure.code == ErrorCode::NamespaceNotFound.as_str() => {
                (true, gateway.call("POST", "/api/v1/namespaces", creation(&options.namespace).as_bytes()).map_err(refused)?)
            }
            Err(failure) => return Err(refused(failure)),
        };
        let namespace: serde_json::Value = serde_json::from_slice(&answer).unwrap_or_default();
        gateway.name_bins(namespace["config"]["singleBin"] == true)?;
        let spec = filled(&options.spec, made);
        Ok(Self { clients: Box::new(gateway), spec, engine: None, _temporary: None })
    }

    /// Lets the data directory go.
    ///
    /// # Errors
    /// What the engine could not write.
    pub fn close(self) -> Result<()> {
        self.engine.map_or(Ok(()), |engine| engine.close())
    }
}

fn filled(spec: &WorkloadSpec, made: bool) -> WorkloadSpec {
    WorkloadSpec { fill: spec.fill || (made && !spec.workload.inserts()), ..spec.clone() }
}

fn creation(config: &NamespaceConfig) -> String {
    let durability = match config.durability {
        Durability::None => "none",
        Durability::Relaxed => "relaxed",
        Durability::Commit => "commit",
    };
    let storage = match &config.engine {
        // A cluster is for a server that knows it, so no option of this program chooses one.
        EngineConfig::Memory | EngineConfig::Cassandra(_) => serde_json::json!({ "engine": config.engine.name() }),
        EngineConfig::Device(DeviceConfig { write_block_bytes, .. }) => {
            serde_json::json!({ "engine": "device", "writeBlockBytes": write_block_bytes })
        }
        EngineConfig::Paged(paged) => {
            serde_json::json!({ "engine": "paged", "pageBytes": paged.page_bytes, "cacheBytes": paged.cache_bytes })
        }
    };
    let NamespaceConfig { name, segments, single_bin, .. } = config;
    serde_json::json!({ "name": name, "storage": storage, "durability": durability, "segments": segments, "singleBin": single_bin })
        .to_string()
}

fn refused(failure: Failure) -> Error {
    let known = ErrorCode::ALL.iter().find(|code| code.as_str() == failure.code);
    Error::new(known.copied().unwrap_or(ErrorCode::StorageFailed), format!("the gateway: {} ({})", failure.message, failure.code))
}
