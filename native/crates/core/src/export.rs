//! Export: a scan written as NDJSON, CSV or MessagePack, so that an import reads the same records again.
//!
//! NDJSON is one record object a line and loses nothing; MessagePack is the same objects one behind the other. CSV is PostgreSQL's dialect: the key, then one column a bin;
//! lists, maps and bytes as JSON text, strings in quotes wherever unquoted they would mean something else.
//! With metadata (`RecordTable`) it loses nothing either.
//! `recode` makes the same cells of the lines of a query.

mod columns;

pub use crate::output::{CsvTable, RecordTable};
use crate::scan::{self, PlanChoice, Scan, ScanFormat, ScanSpec, VisitSpec};
use crate::store::RecordStore;
use crate::stream_summary::ChunkStream;
use columns::Columns;
use parking_lot::Mutex;
use std::ops::ControlFlow;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, limits, sentence};
use tessera_jobs::load::Format;
use tessera_jobs::{Job, JobKind};
use tessera_record::filter::Filter;
use tessera_record::{BodyRef, Digest};

/// Records whose bins make the columns of CSV, when none are given.
const SAMPLED: u64 = 1000;
/// The same, when each has to be read from a device while the caller waits.
const SAMPLED_FROM_DEVICE: u64 = 100;

/// What a caller asks of an export.
#[derive(Clone, Debug)]
pub struct ExportSpec {
    /// `None`: every record; `Some("")`: records without a set.
    pub set: Option<String>,
    pub filter: Option<Arc<Filter>>,
    pub format: Format,
    /// Bins to write, in this order in CSV; `None`: all bins, in CSV those of the first records.
    pub columns: Option<Vec<String>>,
    /// Whether CSV has the set, the generation and the expiry of each record, and the bins that have no column.
    pub metadata: bool,
    /// Whether CSV with metadata has the bins without a column. `None`: if `columns` is.
    pub other_bins: Option<bool>,
    /// Whether the records come in an order, so that another export can go on behind any of them.
    pub resumable: bool,
    /// Goes on behind the record with this digest.
    pub after: Option<Digest>,
    /// The `Export::id` of the export to go on with, if the caller knows it.
    pub id: Option<String>,
    /// 1 to 128.
    pub threads: u32,
}

impl Default for ExportSpec {
    fn default() -> Self {
        Self {
            set: None,
            filter: None,
            format: Format::Ndjson,
            columns: None,
            metadata: false,
            other_bins: None,
            resumable: false,
            after: None,
            id: None,
            threads: 1,
        }
    }
}

/// A running export.
pub struct Export {
    pub stream: ChunkStream,
    pub job: Arc<Job>,
    /// Which namespace's records come, and in which order, if they come in one.
    pub id: Option<String>,
}

/// Starts an export.
///
/// # Errors
/// As `scan::start`; `bin_name_invalid`, `too_many_bins` for the columns; `config_invalid` if they are missing to go on with;
/// `cursor_invalid` if that was an export of other records; `storage_failed`, `record_damaged`.
pub fn start(store: &Arc<RecordStore>, spec: ExportSpec) -> Result<Export> {
    let in_order = spec.resumable || spec.after.is_some();
    let id = in_order.then(|| id_of(store));
    if let (Some(known), Some(id)) = (&spec.id, &id)
        && known != id
    {
        let message = sentence!("the export began in another namespace of this name, or on an engine with another order; export it anew");
        return Err(Error::said(ErrorCode::CursorInvalid, message).in_field("exportId"));
    }
    let Scan { stream, job, .. } = run(store, spec, in_order)?;
    Ok(Export { stream, job, id })
}

/// Every engine but a cluster has the same order, so a migration among them changes nothing.
fn id_of(store: &RecordStore) -> String {
    let order = if store.token_ranges().is_some() { "tokens" } else { "digests" };
    format!("{}-{order}", store.named().id.unwrap_or_default())
}

fn run(store: &Arc<RecordStore>, spec: ExportSpec, in_order: bool) -> Result<Scan> {
    limits::check_threads(spec.threads)?;
    if let Some(columns) = &spec.columns {
        check(columns)?;
    }
    if spec.after.is_some() && spec.format == Format::Csv && spec.columns.is_none() {
        let message = sentence!(
            "columns is unset; name the columns that the first line of the export has, without those of the key and the metadata"
        );
        return Err(Error::said(ErrorCode::ConfigInvalid, message).in_field("columns"));
    }
    let scan = ScanSpec {
        set: spec.set,
        filter: spec.filter,
        threads: spec.threads,
        kind: JobKind::Export,
        in_order,
        after: spec.after,
        ..ScanSpec::default()
    };
    let objects = match spec.format {
        Format::Ndjson => Some(ScanFormat::Record),
        Format::Msgpack => Some(ScanFormat::Objects),
        Format::Csv => None,
    };
    if let Some(format) = objects {
        return scan::start(store, ScanSpec { bins: spec.columns, format, ..scan });
    }
    let all = spec.other_bins.unwrap_or(spec.columns.is_none());
    let columns = spec.columns.map_or_else(|| sample_columns(store, scan.set.clone()), Ok)?;
    let mut head = vec![];
    let format = match spec.metadata {
        true => {
            let table = RecordTable::new(columns, all);
            table.write_header(&mut head);
            ScanFormat::Custom(Arc::new(move |out, record| table.write_row(out, record)))
        }
        false => {
            let table = CsvTable::new(columns);
            table.write_header(&mut head);
            ScanFormat::Custom(Arc::new(move |out, record| table.write_row(out, record.body)))
        }
    };
    if spec.after.is_some() {
        // The first part has it.
        head.clear();
    }
    scan::start(store, ScanSpec { head, format, ..scan })
}

/// The bins of the first records of a set.
fn sample_columns(store: &RecordStore, set: Option<String>) -> Result<Vec<String>> {
    let most = if store.bodies_resident() { SAMPLED } else { SAMPLED_FROM_DEVICE };
    let found = Mutex::new((Columns::default(), 0));
    // Few are wanted.
    scan::visit_all(store, &VisitSpec { set, plan: PlanChoice::SetColumn, ..VisitSpec::default() }, &|_, record| {
        let (columns, met) = &mut *found.lock();
        columns.add(BodyRef::new(record.body));
        *met += 1;
        if *met < most { ControlFlow::Continue(()) } else { ControlFlow::Break(()) }
    })?;
    Ok(found.into_inner().0.names())
}

fn check(columns: &[String]) -> Result<()> {
    if columns.len() > limits::BINS {
        return Err(Error::said(ErrorCode::TooManyBins, sentence!("a row must have at most {most} columns", most = limits::BINS))
            .in_field("columns"));
    }
    columns.iter().try_for_each(|name| limits::check_bin_name(name))
}
