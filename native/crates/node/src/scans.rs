//! Scans: what is asked, how it would be done, and the stream of it.

use crate::choice::one_of;
use crate::filters::filter_of;
use crate::jobs::JobInfo;
use crate::numbers::{rate, segments, threads, whole, whole_u32};
use crate::records::{Name, shape_of};
use crate::store::NativeStore;
use crate::streams::NativeStream;
use napi::Env;
use napi::bindgen_prelude::{BigInt, Either3, Object, Uint8Array};
use napi_derive::napi;
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, sentence};
use tessera_core::aggregate::Aggregates;
use tessera_core::scan::{self, PlanChoice, ScanFormat, UseIndex};
use tessera_jobs::JobKind;
use tessera_record::Key;
use tessera_record::json::Shape;

/// A part of the records: a share, chosen by digest and seed, or the first that are found.
#[napi(object, object_to_js = false)]
pub struct Sample {
    pub share: Option<f64>,
    pub seed: Option<f64>,
    pub first: Option<f64>,
}

#[napi(object, object_to_js = false)]
pub struct ScanSpec {
    /// Absent: every record; empty: records without a set.
    pub set: Option<String>,
    /// 1 to 128.
    pub threads: f64,
    pub records_per_second: Option<f64>,
    /// Absent: all bins; empty: none.
    pub bins: Option<Vec<String>>,
    /// A filter as JSON.
    #[napi(js_name = "where")]
    pub filter: Option<Uint8Array>,
    pub sample: Option<Sample>,
    /// Absent: those of which this node is the primary owner.
    pub segments: Option<Vec<f64>>,
    /// Whether a line says of each segment that its last record has come.
    pub segment_marks: Option<bool>,
    /// Aggregates as JSON: the stream then brings one object, what came of each.
    pub aggregate: Option<Uint8Array>,
    #[napi(ts_type = "'auto' | 'force' | 'never'")]
    pub use_index: Option<String>,
    #[napi(ts_type = "'auto' | 'set-index' | 'set-column' | 'device'")]
    pub plan: Option<String>,
    pub limit: Option<f64>,
    pub cursor: Option<String>,
    /// Key of the record to begin at, where there is no cursor.
    #[napi(ts_type = "string | bigint | Uint8Array")]
    pub from: Option<Either3<String, BigInt, Uint8Array>>,
    #[napi(ts_type = "'record' | 'v1' | 'packed'")]
    pub shape: String,
}

#[napi(object, object_from_js = false)]
pub struct ScanAlternative {
    pub method: &'static str,
    pub estimated_ms: f64,
}

/// What estimates of a device are made with.
#[napi(object, object_from_js = false)]
pub struct DeviceCosts {
    pub random_read_ns: f64,
    pub sequential_bytes_per_second: f64,
    pub record_ns: f64,
    /// Unix milliseconds; absent before the first calibration.
    pub measured_at_ms: Option<f64>,
}

/// How a scan is done.
#[napi(object, object_from_js = false)]
pub struct ScanPlan {
    #[napi(ts_type = "'set-index' | 'set-column' | 'all' | 'device-sequential' | 'token-ranges'")]
    pub method: &'static str,
    /// Absent, as the next two, if nobody knows how many records there are.
    pub estimated_ms: Option<f64>,
    pub estimated_records: Option<f64>,
    pub namespace_records: Option<f64>,
    pub segments: Option<u32>,
    pub threads: u32,
    pub reason: String,
    pub alternatives: Vec<ScanAlternative>,
    /// Of a device namespace.
    pub costs: Option<DeviceCosts>,
}

impl From<tessera_storage::DeviceCosts> for DeviceCosts {
    fn from(costs: tessera_storage::DeviceCosts) -> Self {
        Self {
            random_read_ns: costs.random_read_ns,
            sequential_bytes_per_second: costs.sequential_bytes_per_second,
            record_ns: costs.record_ns,
            measured_at_ms: costs.measured_at_ms.map(|ms| ms as f64),
        }
    }
}

impl From<scan::ScanPlan> for ScanPlan {
    fn from(plan: scan::ScanPlan) -> Self {
        let alternative = |a: &scan::Alternative| ScanAlternative { method: a.method.as_str(), estimated_ms: a.estimated_ms };
        Self {
            method: plan.method.as_str(),
            estimated_ms: plan.estimated_ms,
            estimated_records: plan.estimated_records.map(|records| records as f64),
            namespace_records: plan.namespace_records.map(|records| records as f64),
            segments: plan.segments,
            threads: plan.threads,
            alternatives: plan.alternatives.iter().map(alternative).collect(),
            reason: plan.reason.to_string(),
            costs: plan.costs.map(DeviceCosts::from),
        }
    }
}

pub fn aggregate_of(json: Option<Uint8Array>) -> tessera_base::Result<Option<Arc<Aggregates>>> {
    json.map(|json| Aggregates::compile(&json).map(Arc::new)).transpose()
}

pub fn sample_of(sample: Option<Sample>) -> tessera_base::Result<Option<scan::Sample>> {
    let Some(sample) = sample else { return Ok(None) };
    match sample {
        Sample { share: Some(share), seed, first: None } => {
            let seed = whole(seed.unwrap_or(0.0), "sample.seed", ErrorCode::SampleInvalid)?;
            Ok(Some(scan::Sample::Share { share, seed }))
        }
        Sample { share: None, seed: None, first: Some(first) } => {
            Ok(Some(scan::Sample::First(whole(first, "sample.first", ErrorCode::SampleInvalid)?)))
        }
        _ => {
            Err(Error::said(ErrorCode::SampleInvalid, sentence!("a sample must have 'share' (and 'seed'), or 'first'")).in_field("sample"))
        }
    }
}

pub fn format_of(shape: &str) -> tessera_base::Result<ScanFormat> {
    Ok(match shape_of(shape)? {
        Shape::Record => ScanFormat::Record,
        Shape::V1 => ScanFormat::V1,
        Shape::Packed => ScanFormat::Packed,
    })
}

/// Most records wanted; absent means all.
pub fn limit_of(limit: Option<f64>) -> tessera_base::Result<Option<u64>> {
    limit.map(|n| whole(n, "limit", ErrorCode::ConfigInvalid)).transpose()
}

/// A scan or a count without an answer: the job's result says what it met.
#[napi(object, object_to_js = false)]
pub struct TallySpec {
    #[napi(ts_type = "'scan' | 'count'")]
    pub kind: String,
    /// Absent: every record; empty: records without a set.
    pub set: Option<String>,
    /// A filter as JSON.
    #[napi(js_name = "where")]
    pub filter: Option<Uint8Array>,
    pub sample: Option<Sample>,
    /// Aggregates as JSON.
    pub aggregate: Option<Uint8Array>,
    /// Of a scan.
    #[napi(ts_type = "'auto' | 'force' | 'never'")]
    pub use_index: Option<String>,
    /// Of a scan.
    #[napi(ts_type = "'auto' | 'set-index' | 'set-column' | 'device'")]
    pub plan: Option<String>,
    /// 1 to 128.
    pub threads: f64,
    pub records_per_second: Option<f64>,
}

fn use_index_of(text: Option<&str>) -> tessera_base::Result<UseIndex> {
    let choices = [("auto", UseIndex::Auto), ("force", UseIndex::Force), ("never", UseIndex::Never)];
    text.map_or(Ok(UseIndex::Auto), |text| one_of(text, "useIndex", &choices))
}

fn plan_of(text: Option<&str>) -> tessera_base::Result<PlanChoice> {
    let choices = [
        ("auto", PlanChoice::Auto),
        ("set-index", PlanChoice::SetIndex),
        ("set-column", PlanChoice::SetColumn),
        ("device", PlanChoice::Device),
    ];
    text.map_or(Ok(PlanChoice::Auto), |text| one_of(text, "plan", &choices))
}

impl TallySpec {
    fn parse(self) -> tessera_base::Result<scan::TallySpec> {
        Ok(scan::TallySpec {
            kind: one_of(&self.kind, "kind", &[("scan", JobKind::Scan), ("count", JobKind::Count)])?,
            set: self.set,
            filter: filter_of(self.filter)?,
            sample: sample_of(self.sample)?,
            aggregate: aggregate_of(self.aggregate)?,
            use_index: use_index_of(self.use_index.as_deref())?,
            plan: plan_of(self.plan.as_deref())?,
            threads: threads(self.threads)?,
            records_per_second: rate(self.records_per_second)?,
        })
    }
}

/// A key that callers know as `field`.
pub fn key_of(key: Either3<String, BigInt, Uint8Array>, field: &str) -> tessera_base::Result<Key> {
    let name = match key {
        Either3::A(text) => Name::take(Either3::A(text), false),
        Either3::B(number) => Name::take(Either3::B(number), false),
        Either3::C(bytes) => Name::take(Either3::C(&bytes), false),
    };
    match name.map_err(|error| error.in_field(field))? {
        Name::Key(key) => Ok(key),
        Name::Digest(_) => {
            Err(Error::said(ErrorCode::KeyInvalid, sentence!("{field} must be a key, not a digest", field = field)).in_field(field))
        }
    }
}

impl ScanSpec {
    fn parse(self) -> tessera_base::Result<scan::ScanSpec> {
        Ok(scan::ScanSpec {
            set: self.set,
            threads: threads(self.threads)?,
            records_per_second: rate(self.records_per_second)?,
            bins: self.bins,
            filter: filter_of(self.filter)?,
            sample: sample_of(self.sample)?,
            segments: segments(self.segments)?,
            segment_marks: self.segment_marks.unwrap_or_default(),
            aggregate: aggregate_of(self.aggregate)?,
            use_index: use_index_of(self.use_index.as_deref())?,
            plan: plan_of(self.plan.as_deref())?,
            limit: limit_of(self.limit)?,
            cursor: self.cursor,
            from: self.from.map(|key| key_of(key, "from")).transpose()?,
            format: format_of(&self.shape)?,
            ..scan::ScanSpec::default()
        })
    }
}

#[napi]
impl NativeStore {
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NativeStream>")]
    pub fn scan<'env>(&self, env: &'env Env, namespace: String, spec: ScanSpec) -> napi::Result<Object<'env>> {
        self.search(env, namespace, || spec.parse(), |open, spec| open.scan(spec).map(NativeStream::from))
    }

    /// Starts a scan or a count in the background.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn tally<'env>(&self, env: &'env Env, namespace: String, spec: TallySpec) -> napi::Result<Object<'env>> {
        self.search(env, namespace, || spec.parse(), |open, spec| Ok(JobInfo::from(open.tally(spec)?.info())))
    }

    /// Starts reading all that a device namespace stores; `bytes_per_second`: 0 for no bound.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn scrub<'env>(&self, env: &'env Env, namespace: String, bytes_per_second: Option<f64>) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let rate = bytes_per_second.map(|n| whole_u32(n, "bytesPerSecond", ErrorCode::RateInvalid)).transpose()?;
            Ok(JobInfo::from(engine.namespace(&namespace)?.scrub(rate)?.info()))
        })
    }

    /// Starts measuring what the devices of a namespace cost a scan: a few seconds.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn calibrate<'env>(&self, env: &'env Env, namespace: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| Ok(JobInfo::from(engine.namespace(&namespace)?.calibrate()?.info())))
    }

    /// Starts giving the room of half-empty pages of a paged namespace back.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn compact<'env>(&self, env: &'env Env, namespace: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| Ok(JobInfo::from(engine.namespace(&namespace)?.compact()?.info())))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | ScanPlan>")]
    pub fn explain_scan<'env>(&self, env: &'env Env, namespace: String, spec: ScanSpec) -> napi::Result<Object<'env>> {
        self.search(env, namespace, || spec.parse(), |open, spec| Ok(ScanPlan::from(open.explain_scan(&spec)?)))
    }
}
