//! The point reads of `point-read` on a `paged` namespace all of whose pages are in the cache.

use crate::values::{self, SET, VALUE_BYTES};
use crate::{Failure, point_read, ycsb};
use clap::Args;
use serde_json::{Value, json};
use std::path::PathBuf;
use tessera_core::{Durability, Engine, EngineOptions, Namespace, NamespaceConfig};
use tessera_record::KeyRef;

const NAME: &str = "paged-cached";

#[derive(Args)]
pub struct Options {
    /// Folder for the benchmark's files [default: a temporary one]
    #[arg(long)]
    directory: Option<PathBuf>,
    #[command(flatten)]
    pages: ycsb::Pages,
    /// Records
    #[arg(long, default_value_t = 100_000)]
    keys: u64,
    #[command(flatten)]
    reads: point_read::Reads,
}

/// Figures: those of `point-read`, and `pagesRead`, the pages that the measured reads got from the disk: 0 where all were in the cache.
///
/// # Errors
/// A failed call, or a value that is not the one written.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let keys = options.keys;
    let temporary = tempfile::tempdir()?;
    let engine = Engine::open(options.directory.as_deref().unwrap_or(temporary.path()), EngineOptions::default())?;
    let config = NamespaceConfig { durability: Durability::Relaxed, ..NamespaceConfig::paged(NAME, options.pages.config()) };
    let namespace = engine.create_namespace(config)?;
    eprintln!("writing {keys} records of {VALUE_BYTES} bytes");
    values::put(&namespace, 0..keys, VALUE_BYTES)?;
    let mut body = Vec::new();
    for id in 0..keys {
        namespace.get(SET, KeyRef::Integer(id as i64), &mut body)?;
    }
    let before = pages_read(&namespace);
    let mut figures = point_read::measure(&namespace, keys, &options.reads)?;
    figures["pagesRead"] = json!(pages_read(&namespace) - before);
    drop(namespace);
    engine.drop_namespace(NAME)?;
    engine.close()?;
    Ok(figures)
}

fn pages_read(namespace: &Namespace) -> u64 {
    namespace.pages_report().map_or(0, |report| report.cache.kinds.iter().map(|kind| kind.misses).sum())
}
