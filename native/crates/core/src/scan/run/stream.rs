//! Running a scan as a job that writes to a stream.
//!
//! `here` does a small one on the caller's thread, `paged` one page; else `workers` share it, each writing its `rows`. `end` tells
//! how it went.

mod end;
mod here;
mod paged;
mod rows;
mod workers;

use crate::aggregate::Totals;
use crate::budget::Share;
use crate::metrics::{JobTime, Operation};
use crate::scan::output::{Cursor, Left, Writer, cursor_scope, left, open_stream};
use crate::scan::plan::{Launch, Prefilter, ScanPlan, ScanSpec, Selection, plan_scan};
use crate::scan::traverse::Traversal;
use crate::scan::walk::Walk;
use crate::store::{Lookup, RecordStore};
use crate::stream_summary::{ChunkSink, ChunkStream};
use parking_lot::Mutex;
use serde_json::json;
use std::sync::Arc;
use std::sync::atomic::AtomicU64;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_jobs::{Crew, Job, JobKind, JobSpec, Unit};
use tessera_record::Key;
use tessera_storage::DeviceReads;

/// A running scan.
pub struct Scan {
    pub stream: ChunkStream,
    pub job: Arc<Job>,
    pub plan: ScanPlan,
}

/// What all workers of a scan share.
struct Running {
    store: Arc<RecordStore>,
    selection: Selection,
    traversal: Traversal,
    spec: ScanSpec,
    operation: Operation,
    method: &'static str,
    job: Arc<Job>,
    sink: ChunkSink,
    time: JobTime,
    returned: AtomicU64,
    scanned: AtomicU64,
    estimated: Option<u64>,
    estimated_ms: Option<f64>,
    reads: Mutex<DeviceReads>,
    left: Left,
    /// What all workers that have left added up, where that is wanted.
    totals: Option<Mutex<Totals>>,
    share: Arc<Share>,
}

/// Starts a scan. Records come as they are found; with a limit, in order.
///
/// # Errors
/// `set_not_found`, `index_not_found`, `threads_invalid`, `cursor_invalid`, `sample_invalid`, `aggregate_invalid`, `job_limit`, `closed`;
/// `record_not_found`, `key_invalid`, `key_too_long` of the record to begin at.
pub fn start(store: &Arc<RecordStore>, spec: ScanSpec) -> Result<Scan> {
    let (plan, selection) = plan_scan(store, &spec)?;
    let asked = Launch {
        selection,
        job: describe(store, &spec, &plan),
        operation: Operation::Scan,
        method: plan.method.as_str(),
        estimated: plan.estimated_records,
        estimated_ms: plan.estimated_ms,
    };
    let (stream, job) = launch(store, spec, asked)?;
    Ok(Scan { stream, job, plan })
}

/// Walks what `launch` selects and writes what passes the filter to a stream, as a job.
///
/// # Errors
/// `cursor_invalid`, `sample_invalid`, `aggregate_invalid`, `query_invalid`, `job_limit`, `closed`.
pub(crate) fn launch(store: &Arc<RecordStore>, mut spec: ScanSpec, launch: Launch) -> Result<(ChunkStream, Arc<Job>)> {
    spec.check()?;
    let Launch { mut selection, job, operation, method, estimated, estimated_ms } = launch;
    selection.prefilter = Prefilter::new(spec.filter.as_ref(), spec.sample.as_ref(), spec.partitions.clone());
    selection.copies = spec.reads_body();
    selection.sizes = spec.reads_size();
    let scope = cursor_scope(store, spec.set.as_deref());
    let elsewhere = store.token_ranges().is_some();
    let from = match spec.cursor.as_deref() {
        Some(text) => Some(Cursor::decode(text, &scope)?),
        None if elsewhere && spec.after.is_some() => spec.after.map(Cursor::at_record),
        None => spec.from.as_ref().map(|key| place_to_begin(store, spec.set.as_deref(), key)).transpose()?,
    };
    let job = if spec.unlisted { store.jobs().begin_unlisted(job)? } else { store.jobs().begin(job)? };
    let (sink, stream) = open_stream(&job, spec.recode());
    // Whether anybody still reads is found out by the workers.
    let _ = sink.send(std::mem::take(&mut spec.head));
    // A cluster gives its rows in the order of tokens to one who asks for them page by page.
    let paged = spec.paged() || spec.in_order && elsewhere;
    let wanted = estimated.unwrap_or_default();
    let share = store.budget().share();
    let mut running = Running {
        store: store.clone(),
        traversal: if paged {
            Traversal::in_pages(store)
        } else if spec.in_order {
            Traversal::in_order(store, &selection, wanted, spec.after)
        } else {
            Traversal::begin(store, &selection, wanted, spec.by_places())
        },
        selection,
        operation,
        method,
        job: job.clone(),
        sink,
        time: JobTime::start(),
        returned: AtomicU64::new(0),
        scanned: AtomicU64::new(0),
        estimated,
        estimated_ms,
        reads: Mutex::default(),
        left: left(spec.sample.as_ref()),
        totals: spec.aggregate.clone().map(|aggregate| Mutex::new(Totals::new(aggregate, share.clone()))),
        share,
        spec,
    };
    running.sink.guard(running.traversal.guard());
    let here = store.bodies_resident() && !running.spec.in_order && running.small(wanted);
    if paged {
        running.page(from.unwrap_or_default(), scope, here);
    } else if !(here && running.here()) {
        if here {
            // What was met has gone to nobody: all of it is met anew.
            running.traversal = Traversal::begin(store, &running.selection, wanted, running.spec.by_places());
            running.left = left(running.spec.sample.as_ref());
            if let Some(steps) = &running.spec.steps {
                steps.reset();
            }
        }
        Crew::start(store.pool(), &job, running.traversal.items(store), running);
    }
    Ok((stream, job))
}

/// # Errors
/// `record_not_found`, `key_invalid`, `key_too_long`.
fn place_to_begin(store: &RecordStore, set: Option<&str>, key: &Key) -> Result<Cursor> {
    let missing = || in_from(Error::said(ErrorCode::RecordNotFound, sentence!("there is no record with the key to begin at")));
    let set = set.unwrap_or_default();
    if store.token_ranges().is_some() {
        let digest = Lookup::from(key.as_ref()).digest(set, store.key_limit()).map_err(in_from)?;
        return store.meta(set, digest)?.map(|_| Cursor::at_record(digest)).ok_or_else(missing);
    }
    let (segment, slot, _) = store.place_of(set, key.as_ref()).map_err(in_from)?.ok_or_else(missing)?;
    Ok(Cursor::at_slot(segment, slot))
}

fn describe(store: &RecordStore, spec: &ScanSpec, plan: &ScanPlan) -> JobSpec {
    let verb = if spec.kind == JobKind::Export { "Export" } else { "Scan" };
    let title = match spec.set.as_deref() {
        None => format!("{verb} {}", store.name()),
        Some(set) => format!("{verb} {}.{set}", store.name()),
    };
    let parameters = json!({ "method": plan.method.as_str(), "filter": spec.filter.is_some(), "aggregate": spec.aggregate.is_some(), "bins": spec.bins, "limit": spec.limit });
    JobSpec {
        set: spec.set.clone(),
        parameters: parameters.to_string(),
        unit: Unit::Records,
        total: plan.estimated_records,
        threads: spec.threads,
        records_per_second: spec.records_per_second.filter(|&rate| rate > 0),
        ..JobSpec::new(spec.kind, store.named(), title)
    }
}

impl Running {
    fn writer(&self) -> Writer {
        // What all workers may take together is counted by the totals they come from.
        let totals = self.totals.as_ref().map(|all| all.lock().emptied());
        Writer::new(&self.spec, self.left.clone()).adding_up(totals)
    }

    /// What a worker that is through still has.
    fn hand_over(&self, writer: &Writer, rows: Vec<u8>) -> Result<()> {
        if let (Some(all), Some(own)) = (&self.totals, writer.totals()) {
            all.lock().merge(own)?;
        }
        self.sink.send(rows)
    }

    fn walk(&self) -> Walk<'_> {
        self.traversal.walk(&self.store, &self.selection, self.spec.reads_body())
    }
}

/// An error of the key to begin at, which callers know as `from`.
fn in_from(error: Error) -> Error {
    error.in_field("from")
}
