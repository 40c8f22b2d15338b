//! Namespaces with records, and streams over them.

use crate::pages::paged;
use serde_json::Value;
use std::sync::Arc;
use tempfile::TempDir;
use tessera_base::Result;
use tessera_core::stream::{Pipeline, StreamSpec};
use tessera_core::stream_summary::StreamSummary;
use tessera_core::{Container, DeviceConfig, Engine, EngineOptions, Namespace, NamespaceConfig, WriteOptions};
use tessera_index::{IndexKind, IndexSpec};
use tessera_record::json::{Shape, parse_bins};
use tessera_record::{BodyBuilder, KeyRef};

pub const SET: &str = "s";

pub struct Store {
    pub namespace: Arc<Namespace>,
    _engine: Arc<Engine>,
    _directory: TempDir,
}

impl Store {
    pub fn open(config: NamespaceConfig) -> Self {
        let directory = tempfile::tempdir().unwrap();
        let engine = Engine::open(directory.path(), EngineOptions::default()).unwrap();
        Self { namespace: engine.create_namespace(config).unwrap(), _engine: engine, _directory: directory }
    }

    pub fn put(&self, set: &str, key: i64, bins: &Value) {
        let mut bytes = Vec::new();
        let mut body = BodyBuilder::new(&mut bytes, KeyRef::Integer(key));
        parse_bins(bins.to_string().as_bytes(), Shape::Record, body.bins()).unwrap();
        body.finish();
        self.namespace.put(set, KeyRef::Integer(key), &bytes, &WriteOptions::default()).unwrap();
    }

    /// The lines that a stream of `SET` answers, and what it says of itself.
    pub fn ask(&self, steps: &Value, threads: u32) -> Result<(Vec<Value>, StreamSummary)> {
        let stream = self.namespace.stream(spec(steps, threads)?)?.stream;
        let mut text = Vec::new();
        while let Some(chunk) = stream.next_blocking()? {
            text.extend(chunk);
        }
        let lines = text.split(|&byte| byte == b'\n').filter(|line| !line.is_empty());
        Ok((lines.map(|line| serde_json::from_slice(line).unwrap()).collect(), stream.summary()))
    }
}

pub fn spec(steps: &Value, threads: u32) -> Result<StreamSpec> {
    let pipeline = Arc::new(Pipeline::compile(steps.to_string().as_bytes())?);
    Ok(StreamSpec { set: Some(SET.into()), segments: None, pipeline, threads, records_per_second: None, most: None, bare_count: false })
}

/// Of each engine one; that in memory has indexes.
pub fn every_engine() -> [NamespaceConfig; 4] {
    let index = |name: &str, bin: &str, kind, path: Option<&str>| IndexSpec {
        name: name.into(),
        set: None,
        bin: Some(bin.into()),
        kind,
        path: path.map(str::to_owned),
        created_at_ms: 0,
    };
    let indexes = vec![index("n", "n", IndexKind::Range, None), index("m", "m", IndexKind::Document, None)];
    [
        NamespaceConfig { segments: 8, indexes, ..NamespaceConfig::memory("memory") },
        NamespaceConfig { segments: 8, container: Container::Flat, ..NamespaceConfig::memory("flat") },
        NamespaceConfig {
            segments: 8,
            ..NamespaceConfig::device("device", DeviceConfig { write_block_bytes: 1 << 17, ..DeviceConfig::default() })
        },
        NamespaceConfig { segments: 8, ..paged("pages", 16 * 1024) },
    ]
}
