//! A document index built on existing events with one and with two threads, and the two published containment queries over it.

use crate::expected::{self, REPOSITORY};
use crate::import::payload_index;
use crate::median::median;
use crate::{Failure, stage::Stage};
use clap::Args;
use serde_json::{Value, json};
use std::collections::BTreeSet;
use std::path::PathBuf;
use std::time::Instant;
use tessera_core::namespace::route_of;
use tessera_core::query::QuerySpec;
use tessera_record::Encoder;
use tessera_record::filter::Filter;

#[derive(Args)]
pub struct Options {
    /// Events to import
    #[arg(long)]
    file: PathBuf,
    /// Rounds; figures are medians
    #[arg(long, default_value_t = 5)]
    rounds: usize,
    /// Repeats of each query
    #[arg(long, default_value_t = 301)]
    repeats: usize,
}

/// Figures: `seconds1` and `seconds2` are medians of the rounds, which alternate; query times are medians in milliseconds from the call to the
/// end of the stream. The rows of both queries are compared with those of a plain loop over the file, one by one.
///
/// # Errors
/// A failed call, or a query that does not return exactly the expected rows.
pub fn run(options: &Options) -> Result<Value, Failure> {
    let file = options.file.as_path();
    let &Options { rounds, repeats, .. } = options;

    eprintln!("finding the expected rows by a plain loop");
    let expected = expected::read(file)?;
    let stage = Stage::events("index-build")?;
    let (rows, _) = stage.import(file, 2)?;
    if rows != expected.rows {
        return Err(format!("{rows} of {} rows were imported", expected.rows).into());
    }

    let (mut one, mut two) = (Vec::new(), Vec::new());
    for round in 1..=rounds {
        one.push(stage.build_index(payload_index(), 1)?);
        stage.namespace.drop_index("payload")?;
        two.push(stage.build_index(payload_index(), 2)?);
        eprintln!("round {round}: {:.3} s with 1 thread, {:.3} s with 2", one[round - 1], two[round - 1]);
        if round < rounds {
            stage.namespace.drop_index("payload")?;
        }
    }
    let all = ask(&stage, &query_all()?, &expected.all, repeats)?;
    let routed = ask(&stage, &query_one()?, &expected.one, repeats)?;
    let (seconds1, seconds2) = (median(&one), median(&two));
    Ok(json!({
        "rows": rows,
        "seconds1": seconds1,
        "seconds2": seconds2,
        "speedup": seconds1 / seconds2,
        "queryAllP50Ms": all.milliseconds,
        "queryOneP50Ms": routed.milliseconds,
        "matchesAll": all.matches,
        "matchesAllExpected": expected.all.len(),
        "matchesOne": routed.matches,
        "matchesOneExpected": expected.one.len(),
    }))
}

struct Asked {
    milliseconds: f64,
    matches: usize,
}

fn query_all() -> Result<QuerySpec, Failure> {
    let filter = json!({ "and": [
        { "bin": "event_type", "op": "eq", "value": "PushEvent" },
        { "bin": "payload", "op": "contains", "value": expected::wanted() },
    ] });
    spec(&filter)
}

/// The same, of one repository: its distribution value names the one segment that is asked.
fn query_one() -> Result<QuerySpec, Failure> {
    let filter = json!({ "and": [
        { "bin": "event_type", "op": "eq", "value": "PushEvent" },
        { "bin": "repo_id", "op": "eq", "value": REPOSITORY },
        { "bin": "payload", "op": "contains", "value": expected::wanted() },
    ] });
    let mut value = Vec::new();
    Encoder::new(&mut value).int(REPOSITORY);
    Ok(QuerySpec { route: Some(route_of(&value)), ..spec(&filter)? })
}

fn spec(filter: &Value) -> Result<QuerySpec, Failure> {
    let filter = Filter::compile(filter.to_string().as_bytes())?;
    Ok(QuerySpec {
        set: Some(Stage::EVENTS.into()),
        filter: Some(filter.into()),
        select: Some(vec!["event_id".into(), "repo_id".into(), "payload".into()]),
        ..QuerySpec::default()
    })
}

/// Runs a query as often as asked, each time to the end of its stream; the rows of the first run are compared.
fn ask(stage: &Stage, spec: &QuerySpec, expected: &BTreeSet<String>, repeats: usize) -> Result<Asked, Failure> {
    let mut times = Vec::with_capacity(repeats);
    let mut found = BTreeSet::new();
    for repeat in 0..repeats {
        let mut lines = Vec::new();
        let begun = Instant::now();
        let query = stage.namespace.query(spec.clone())?;
        while let Some(chunk) = query.stream.next_blocking()? {
            lines.extend_from_slice(&chunk);
        }
        times.push(begun.elapsed().as_secs_f64() * 1000.0);
        if repeat == 0 {
            found = keys(&lines)?;
        }
    }
    if found != *expected {
        return Err(format!("a query returned {} rows that differ from the {} rows of the plain loop", found.len(), expected.len()).into());
    }
    Ok(Asked { milliseconds: median(&times), matches: found.len() })
}

fn keys(lines: &[u8]) -> Result<BTreeSet<String>, Failure> {
    let lines = lines.split(|byte| *byte == b'\n').filter(|line| !line.is_empty());
    lines
        .map(|line| {
            let record: Value = serde_json::from_slice(line)?;
            Ok(record["key"].as_str().map_or_else(|| record["key"].to_string(), str::to_owned))
        })
        .collect()
}
