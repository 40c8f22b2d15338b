//! Queries and exports: scans of another kind, and the same streams.

use crate::filters::filter_of;
use crate::numbers::{segments, threads, whole_u32};
use crate::scans::{Sample, aggregate_of, format_of, key_of, limit_of, sample_of};
use crate::store::NativeStore;
use crate::streams::NativeStream;
use napi::bindgen_prelude::{BigInt, Either3, Object, Uint8Array};
use napi::{Either, Env};
use napi_derive::napi;
use std::ops::Range;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, processors, sentence};
use tessera_core::aggregate::Aggregates;
use tessera_core::exchange::route_of_text;
use tessera_core::query;
use tessera_core::scan::ScanFormat;
use tessera_jobs::load::Format;
use tessera_record::digest::PARTITIONS;
use tessera_record::{Digest, Key};

#[napi(object, object_to_js = false)]
pub struct QuerySpec {
    /// Absent: every record; empty: records without a set.
    pub set: Option<String>,
    /// A filter as JSON.
    #[napi(js_name = "where")]
    pub filter: Option<Uint8Array>,
    pub sample: Option<Sample>,
    /// Aggregates as JSON: the stream then brings one object, what came of each.
    pub aggregate: Option<Uint8Array>,
    /// By what the aggregates are grouped, as JSON: a line for each group instead.
    pub group: Option<Uint8Array>,
    /// Bins wanted, or JSON of columns with paths and names. Absent: all bins; empty: none.
    pub select: Option<Either<Vec<String>, Uint8Array>>,
    /// A list to unnest, as JSON: a row for each of its items.
    pub unnest: Option<Uint8Array>,
    /// Value of the set's distribution bin: JSON of a scalar, or a plain string. Asks the one segment that has it.
    pub route: Option<String>,
    pub limit: Option<f64>,
    pub cursor: Option<String>,
    /// `auto`, `never`, or the name of a document or range index; absent: `auto`.
    pub use_index: Option<String>,
    /// The order of the results, as JSON.
    pub order: Option<Uint8Array>,
    /// 1 to 128; absent: all cores.
    pub threads: Option<f64>,
    /// Absent: those of which this node is the primary owner.
    pub segments: Option<Vec<f64>>,
    /// First partition wanted, and how many of the 4096; absent: all.
    pub partition_begin: Option<f64>,
    pub partition_count: Option<f64>,
    /// Absent: `record`.
    #[napi(ts_type = "'record' | 'v1' | 'packed' | 'values' | 'csv'")]
    pub shape: Option<String>,
}

#[napi(object, object_to_js = false)]
pub struct ExportSpec {
    pub set: Option<String>,
    /// A filter as JSON.
    #[napi(js_name = "where")]
    pub filter: Option<Uint8Array>,
    #[napi(ts_type = "'ndjson' | 'csv' | 'msgpack'")]
    pub format: String,
    /// Bins to write, in this order in CSV.
    pub columns: Option<Vec<String>>,
    /// Whether CSV has the set and the expiry of each record. Absent: if `set` is.
    pub metadata: Option<bool>,
    /// Whether CSV with metadata has the bins without a column. Absent: if `columns` is.
    pub other_bins: Option<bool>,
    /// Whether the records come in an order, so that an export can go on behind any of them.
    pub resumable: Option<bool>,
    /// The digest of the record to go on behind; or its key, in `after_set`.
    pub after: Option<Uint8Array>,
    #[napi(ts_type = "string | bigint | Uint8Array")]
    pub after_key: Option<Either3<String, BigInt, Uint8Array>>,
    pub after_set: Option<String>,
    /// The `exportId` of the export to go on with.
    pub export_id: Option<String>,
    /// 1 to 128; absent: all cores.
    pub threads: Option<f64>,
}

impl QuerySpec {
    fn parse(self) -> tessera_base::Result<query::QuerySpec> {
        let (select, columns) = match self.select {
            None => (None, None),
            Some(Either::A(bins)) => (Some(bins), None),
            Some(Either::B(columns)) => (None, Some(columns)),
        };
        Ok(query::QuerySpec {
            rows: rows_of(columns.as_deref(), self.unnest.as_deref(), select.as_deref())?,
            set: self.set,
            filter: filter_of(self.filter)?,
            sample: sample_of(self.sample)?,
            aggregate: grouped_of(self.aggregate, self.group)?,
            select,
            route: self.route.as_deref().map(route_of_text).transpose()?,
            limit: limit_of(self.limit)?,
            cursor: self.cursor,
            use_index: self.use_index.map(query::IndexUse::parse).unwrap_or_default(),
            order: self.order.map(|json| query::Order::compile(&json)).transpose()?,
            threads: self.threads.map_or_else(|| Ok(processors()), threads)?,
            partitions: partitions_of(self.partition_begin, self.partition_count)?,
            segments: segments(self.segments)?,
            format: match self.shape.as_deref() {
                None => ScanFormat::Record,
                Some("csv") => ScanFormat::Csv,
                Some("values") => ScanFormat::Values,
                Some(shape) => format_of(shape)?,
            },
            steps: None,
        })
    }
}

impl ExportSpec {
    fn parse(self) -> tessera_base::Result<tessera_core::export::ExportSpec> {
        let in_set = |key: Key| Digest::of(self.after_set.as_deref().unwrap_or_default(), key.as_ref());
        let after = match (self.after, self.after_key) {
            (Some(digest), _) => Some(digest_of(&digest, "after")?),
            (None, Some(key)) => Some(in_set(key_of(key, "afterKey")?)),
            (None, None) => None,
        };
        Ok(tessera_core::export::ExportSpec {
            metadata: self.metadata.unwrap_or(self.set.is_none()),
            set: self.set,
            filter: filter_of(self.filter)?,
            format: Format::parse(&self.format)?,
            columns: self.columns,
            other_bins: self.other_bins,
            resumable: self.resumable.unwrap_or_default(),
            after,
            id: self.export_id,
            threads: self.threads.map_or_else(|| Ok(processors()), threads)?,
        })
    }
}

fn digest_of(bytes: &[u8], field: &str) -> tessera_base::Result<Digest> {
    let invalid = || Error::said(ErrorCode::KeyInvalid, sentence!("a digest must be 20 bytes")).in_field(field);
    bytes.try_into().map(Digest).map_err(|_| invalid())
}

fn grouped_of(aggregate: Option<Uint8Array>, group: Option<Uint8Array>) -> tessera_base::Result<Option<Arc<Aggregates>>> {
    let Some(group) = group else { return aggregate_of(aggregate) };
    // Of each group its records, unless something else is asked.
    let aggregate = Aggregates::compile(aggregate.as_deref().unwrap_or(br#"{"records":{"op":"count"}}"#))?;
    aggregate.by_group(&group).map(|grouped| Some(Arc::new(grouped)))
}

/// `None` where records come as `bins` leaves them.
fn rows_of(columns: Option<&[u8]>, unnest: Option<&[u8]>, bins: Option<&[String]>) -> tessera_base::Result<Option<Arc<query::Rows>>> {
    if columns.is_none() && unnest.is_none() {
        return Ok(None);
    }
    let bins = bins.map(|bins| serde_json::json!(bins).to_string().into_bytes());
    query::Rows::compile(columns.or(bins.as_deref()), unnest).map(|rows| Some(Arc::new(rows)))
}

fn partitions_of(begin: Option<f64>, count: Option<f64>) -> tessera_base::Result<Option<Range<u16>>> {
    let (Some(begin), Some(count)) = (begin, count) else { return Ok(None) };
    let invalid = || {
        Error::said(
            ErrorCode::ConfigInvalid,
            sentence!("partitionBegin and partitionCount must stay within partitions 0 to {most}", most = PARTITIONS - 1),
        )
        .in_field("partitionBegin")
    };
    let whole = |n: f64| whole_u32(n, "partitionBegin", ErrorCode::ConfigInvalid);
    let (begin, count) = (whole(begin)?, whole(count)?);
    let end = begin.checked_add(count).filter(|&end| end <= u32::from(PARTITIONS)).ok_or_else(invalid)?;
    Ok(Some(begin as u16..end as u16))
}

#[napi]
impl NativeStore {
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NativeStream>")]
    pub fn query<'env>(&self, env: &'env Env, namespace: String, spec: QuerySpec) -> napi::Result<Object<'env>> {
        self.search(env, namespace, || spec.parse(), |open, spec| open.query(spec).map(NativeStream::from))
    }

    /// The plan of a query, as JSON.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | string>")]
    pub fn explain_query<'env>(&self, env: &'env Env, namespace: String, spec: QuerySpec) -> napi::Result<Object<'env>> {
        self.search(env, namespace, || spec.parse(), |open, spec| open.explain_query(&spec)?.to_json())
    }

    /// Carries a query out without its records: the stream brings the plan as JSON, with what each step came to.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NativeStream>")]
    pub fn analyze_query<'env>(&self, env: &'env Env, namespace: String, spec: QuerySpec) -> napi::Result<Object<'env>> {
        self.search(env, namespace, || spec.parse(), |open, spec| open.analyze_query(spec).map(NativeStream::from))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NativeStream>")]
    pub fn export<'env>(&self, env: &'env Env, namespace: String, spec: ExportSpec) -> napi::Result<Object<'env>> {
        self.search(env, namespace, || spec.parse(), |open, spec| open.export(spec).map(NativeStream::from))
    }
}
