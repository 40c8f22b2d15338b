//! Import of generated events as CSV into a `memory` namespace: sets placed by digest and by a distribution bin, each
//! without and with a document index on the payload.

use crate::median::median;
use crate::{Failure, stage::Stage};
use clap::{Args, ValueEnum};
use serde_json::{Value, json};
use std::path::{Path, PathBuf};
use tessera_index::{IndexKind, IndexSpec};

/// One way to import.
#[derive(Default)]
struct Variant {
    distributed: bool,
    indexed: bool,
    /// Rows a second, of each round.
    rates: Vec<f64>,
    /// Bytes of the index right after the last row, of each round.
    index_bytes: Vec<f64>,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum SetKind {
    Digest,
    Routed,
}

#[derive(Args)]
pub struct Options {
    /// Events to import
    #[arg(long)]
    file: PathBuf,
    /// Measure only sets that are placed by digest, or only those with a distribution bin
    #[arg(long, value_enum)]
    set: Option<SetKind>,
    /// Threads
    #[arg(long, default_value_t = 2)]
    threads: u32,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 5)]
    rounds: usize,
}

/// Figures: `rows`; medians of the rounds, in rows a second: `rowsPerSecond` and `rowsPerSecondIndexed` of a set placed by digest,
/// `rowsPerSecondRouted` and `rowsPerSecondRoutedIndexed` of one with a distribution bin; `indexBytes` and `indexBytesRouted`, of the
/// index right after its load. Each round imports into an empty namespace. `--set digest` or `--set routed` measures one of the two.
///
/// # Errors
/// A failed call, a row that was refused, or one that did not come into the index.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let file = options.file.as_path();
    let &Options { threads, rounds, .. } = options;
    let all = [(SetKind::Digest, false), (SetKind::Routed, true)];
    let chosen = all.iter().filter(|(kind, _)| options.set.is_none_or(|only| only == *kind));
    let mut variants: Vec<Variant> =
        chosen.flat_map(|&(_, distributed)| [false, true].map(|indexed| Variant { distributed, indexed, ..Variant::default() })).collect();
    let mut rows = 0;
    for round in 1..=rounds {
        for variant in &mut variants {
            rows = variant.once(file, threads)?;
        }
        let rates: Vec<String> = variants.iter().filter_map(|variant| variant.rates.last()).map(|rate| format!("{rate:.0}")).collect();
        eprintln!("round {round}: {} rows/s", rates.join(", "));
    }
    let mut figures = json!({ "rows": rows });
    for variant in &variants {
        let (rate, bytes) = variant.names();
        figures[rate] = json!(median(&variant.rates).round());
        if variant.indexed {
            figures[bytes] = json!(median(&variant.index_bytes));
        }
    }
    Ok(figures)
}

impl Variant {
    fn names(&self) -> (&'static str, &'static str) {
        match (self.distributed, self.indexed) {
            (false, false) => ("rowsPerSecond", "indexBytes"),
            (false, true) => ("rowsPerSecondIndexed", "indexBytes"),
            (true, false) => ("rowsPerSecondRouted", "indexBytesRouted"),
            (true, true) => ("rowsPerSecondRoutedIndexed", "indexBytesRouted"),
        }
    }

    fn once(&mut self, file: &Path, threads: u32) -> Result<u64, Failure> {
        let stage = if self.distributed { Stage::events("import")? } else { Stage::memory("import", Vec::new())? };
        if self.indexed {
            stage.build_index(payload_index(), threads)?;
        }
        let (rows, seconds) = stage.import(file, threads)?;
        self.rates.push(rows as f64 / seconds);
        if self.indexed {
            let index = stage.namespace.index("payload")?;
            self.index_bytes.push(index.stats.bytes as f64);
        }
        Ok(rows)
    }
}

/// The document index of the published measurements.
pub fn payload_index() -> IndexSpec {
    IndexSpec {
        name: "payload".into(),
        set: Some(Stage::EVENTS.into()),
        bin: Some("payload".into()),
        kind: IndexKind::Document,
        path: None,
        created_at_ms: 0,
    }
}
