//! Many records on their way in: NDJSON lines, each a put or a delete.

use crate::config::Durability;
use crate::metrics::{About, Operation};
use crate::store::{BatchWrite, Exists, Lookup, RecordStore, WriteOptions};
use std::cell::Cell;
use std::collections::HashSet;
use std::ops::Range;
use tessera_base::latency::split::{self, Part};
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::json::{BatchLine, BatchOp, BatchParser};
use tessera_record::{BodyRef, KeyRef};

/// Rejected lines that a report names; the rest are counted.
const REJECTS_MAX: usize = 1000;

#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct BatchOptions {
    /// Write nothing unless every line can be written, as far as can be told before the first write.
    pub atomic: bool,
    pub exists: Exists,
}

/// A line that was not taken, and why.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Reject {
    /// From 1.
    pub line: u64,
    pub error: Error,
}

#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct BatchReport {
    pub written: u64,
    pub deleted: u64,
    /// The first 1,000.
    pub rejected: Vec<Reject>,
    pub rejected_total: u64,
}

struct Parsed {
    number: u64,
    line: BatchLine,
    body: Range<usize>,
}

impl BatchReport {
    fn reject(&mut self, line: u64, error: Error) {
        self.rejected_total += 1;
        if self.rejected.len() < REJECTS_MAX {
            self.rejected.push(Reject { line, error });
        }
    }
}

/// Writes the lines of `ndjson` (`json::BatchParser`) to a set, in their order. Lines that are refused are reported; the
/// others are taken, and durable as the namespace promises when this returns. Blank lines are skipped.
///
/// # Errors
/// `closed`; of an atomic batch `device_full` and `device_overload`, where there is no room for all of it: then nothing was written. What the
/// final sync returns: it is then open which of the lines will survive a restart.
pub fn write_records(store: &RecordStore, set: &str, ndjson: &[u8], options: &BatchOptions) -> Result<BatchReport> {
    let count = Cell::new(0);
    let about = || About { set: Some(set), records: Some(count.get()), ..About::default() };
    store.latency().time(Operation::Batch, about, || {
        let mut report = BatchReport::default();
        let mut bodies = Vec::with_capacity(ndjson.len());
        let decoding = split::wait(Part::Decode);
        let lines = parse(store, ndjson, &mut bodies, &mut report);
        drop(decoding);
        count.set(lines.len() as u64);
        if options.atomic {
            check_all(store, set, &bodies, &lines, options, &mut report)?;
            if report.rejected_total > 0 {
                return Ok(report);
            }
        }
        let of = |line: &BatchLine| WriteOptions { exists: options.exists, ttl: line.ttl, defer_sync: true, ..WriteOptions::default() };
        let all: Vec<WriteOptions> = lines.iter().map(|Parsed { line, .. }| of(line)).collect();
        let writes = lines.iter().zip(&all).map(|(Parsed { line, body, .. }, options)| {
            let body = (line.op == BatchOp::Put).then(|| &bodies[body.clone()]);
            BatchWrite { lookup: Lookup::from(line.key.as_ref()), body, options }
        });
        let writes: Vec<BatchWrite<'_>> = writes.collect();
        let kept = options.atomic.then(|| store.admit_batch(set, &writes)).transpose()?;
        store.write_batch(set, &writes, &mut |at, outcome| match (outcome, lines[at].line.op) {
            (Ok(_), BatchOp::Put) => report.written += 1,
            (Ok(written), BatchOp::Delete) => report.deleted += u64::from(written.removed),
            (Err(error), _) => report.reject(lines[at].number, error),
        });
        drop(kept);
        // Deletes are durable whatever the namespace promises for writes, also of what an undo would bring back.
        let deletes = lines.iter().any(|Parsed { line, .. }| line.op == BatchOp::Delete);
        if report.deleted > 0 || (deletes && store.hides_any()) || (report.written > 0 && store.durability() == Durability::Commit) {
            store.sync()?;
        }
        Ok(report)
    })
}

fn parse(store: &RecordStore, ndjson: &[u8], bodies: &mut Vec<u8>, report: &mut BatchReport) -> Vec<Parsed> {
    let mut parser = BatchParser::new(store.key_limit());
    let mut lines = Vec::new();
    for (number, text) in (1..).zip(ndjson.split(|&b| b == b'\n')) {
        if text.trim_ascii().is_empty() {
            continue;
        }
        let start = bodies.len();
        match parser.line(text, bodies) {
            Ok(line) => lines.push(Parsed { number, line, body: start..bodies.len() }),
            Err(error) => report.reject(number, error),
        }
    }
    lines
}

/// A merge is judged by what it makes of the record, which is not known yet.
fn check_bins(store: &RecordStore, body: &[u8], line: &BatchLine, options: &BatchOptions) -> Result<()> {
    let merges = matches!(options.exists, Exists::Merge | Exists::UpdateOnly);
    match line.op {
        BatchOp::Put if !merges && store.single_bin() => BodyRef::new(body).only_bin().map(drop),
        _ => Ok(()),
    }
}

/// Rejects what the writes would refuse, as things stand.
fn check_all(
    store: &RecordStore,
    set: &str,
    bodies: &[u8],
    lines: &[Parsed],
    options: &BatchOptions,
    report: &mut BatchReport,
) -> Result<()> {
    let mut created = HashSet::new();
    // Whether a line wants its record to be there; `None`: it does not matter.
    let wants_there = |line: &BatchLine| match (line.op, options.exists) {
        (BatchOp::Delete, _) | (_, Exists::Upsert | Exists::Merge) => None,
        (_, exists) => Some(exists != Exists::CreateOnly),
    };
    let asked: Vec<KeyRef<'_>> =
        lines.iter().filter(|Parsed { line, .. }| wants_there(line).is_some()).map(|Parsed { line, .. }| line.key.as_ref()).collect();
    let mut found = store.metas(set, &asked).into_iter();
    for Parsed { number, line, body } in lines {
        // It was asked for also if the line is refused for something else.
        let there = wants_there(line).and_then(|wants| Some((found.next()?, wants)));
        let checked =
            store.check_length(body.len()).and_then(|()| check_bins(store, &bodies[body.clone()], line, options)).and_then(|()| {
                let Some((meta, wants_there)) = there else { return store.key_limit().check(line.key.as_ref()) };
                match (meta?.is_some(), wants_there) {
                    (true, false) => Err(Error::said(ErrorCode::RecordExists, sentence!("the record already exists")).in_field("key")),
                    (false, false) if !created.insert(&line.key) => {
                        Err(Error::said(ErrorCode::RecordExists, sentence!("an earlier line creates this record")).in_field("key"))
                    }
                    (false, true) => {
                        Err(Error::said(ErrorCode::RecordNotFound, sentence!("there is no record with this key")).in_field("key"))
                    }
                    _ => Ok(()),
                }
            });
        match checked {
            Err(error) if error.code == ErrorCode::Closed => return Err(error),
            Err(error) => report.reject(*number, error),
            Ok(()) => {}
        }
    }
    Ok(())
}
