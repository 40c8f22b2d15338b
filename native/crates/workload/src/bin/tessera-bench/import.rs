//! Import of generated events as CSV into a `memory` namespace, without and with a document index on the payload.

use crate::arguments::Arguments;
use crate::median::median;
use crate::{Failure, stage::Stage};
use serde_json::{Value, json};
use std::path::Path;
use tessera_core::index::{IndexKind, IndexSpec};

/// Figures: `rows`, `rowsPerSecond`, `rowsPerSecondIndexed`, medians of the rounds; each round imports into an empty namespace.
///
/// # Errors
/// A failed call, or a row that was refused.
pub fn run(arguments: &Arguments) -> Result<Value, Failure> {
    let file = Path::new(arguments.text("file")?);
    let threads: u32 = arguments.number("threads", 2)?;
    let rounds: usize = arguments.number("rounds", 5)?;

    let mut plain = Vec::new();
    let mut indexed = Vec::new();
    let mut rows = 0;
    for round in 1..=rounds {
        rows = once(file, threads, false, &mut plain)?;
        once(file, threads, true, &mut indexed)?;
        eprintln!("round {round}: {:.0} rows/s, {:.0} with the index", plain[round - 1], indexed[round - 1]);
    }
    Ok(json!({ "rows": rows, "rowsPerSecond": median(&plain).round(), "rowsPerSecondIndexed": median(&indexed).round() }))
}

fn once(file: &Path, threads: u32, with_index: bool, rates: &mut Vec<f64>) -> Result<u64, Failure> {
    let stage = Stage::memory("import", Vec::new())?;
    if with_index {
        stage.build_index(payload_index(), threads)?;
    }
    let (rows, seconds) = stage.import(file, threads)?;
    rates.push(rows as f64 / seconds);
    Ok(rows)
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
