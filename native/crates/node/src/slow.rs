//! Operations that took long, as JavaScript sees them.

use crate::choice::one_of;
use crate::history::operation;
use crate::numbers::whole;
use crate::store::NativeStore;
use napi::Either;
use napi::Env;
use napi::bindgen_prelude::{Null, Object};
use napi_derive::napi;
use std::collections::HashMap;
use std::time::Duration;
use tessera_base::latency::split::{Part, Split};
use tessera_base::names::NamespaceId;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::metrics::{self, SLOW_LIMIT_MOST};

/// Which slow operations are wanted.
#[napi(object, object_to_js = false)]
pub struct SlowQuery {
    pub namespace: Option<String>,
    /// The one with this id alone, and none that had the name before.
    pub namespace_id: Option<String>,
    pub set: Option<String>,
    /// One of these; empty or unset: all.
    pub ops: Option<Vec<String>>,
    /// Unix milliseconds: those that ended at or after it, and before `until_ms`.
    pub since_ms: Option<f64>,
    pub until_ms: Option<f64>,
    /// At least so long, and shorter than `below_ms`.
    pub min_ms: Option<f64>,
    pub below_ms: Option<f64>,
    /// The same of the engine's latency.
    pub min_engine_ms: Option<f64>,
    pub below_engine_ms: Option<f64>,
    #[napi(ts_type = "'newest' | 'slowest'")]
    pub sort: String,
    pub limit: f64,
}

/// Milliseconds; they add up to the duration.
#[napi(object, object_from_js = false)]
pub struct SlowSplit {
    pub queue_ms: f64,
    pub index_ms: f64,
    pub device_ms: f64,
    pub decode_ms: f64,
    pub reply_ms: f64,
}

#[napi(object, object_from_js = false)]
pub struct SlowOperation {
    pub id: f64,
    #[napi(ts_type = "'get' | 'put' | 'update' | 'delete' | 'batch' | 'scan' | 'query' | 'index-lookup'")]
    pub op: &'static str,
    #[napi(ts_type = "'ok' | 'error'")]
    pub outcome: &'static str,
    /// What it failed with.
    pub code: Option<&'static str>,
    pub namespace: String,
    pub namespace_id: String,
    pub set: Option<String>,
    pub key: Option<String>,
    #[napi(ts_type = "'string' | 'integer' | 'bytes' | 'digest'")]
    pub key_type: Option<&'static str>,
    pub filter: Option<String>,
    pub filter_shape: Option<String>,
    pub records: Option<f64>,
    pub started_at_ms: f64,
    pub duration_ms: f64,
    /// What the engine's latency has of the duration.
    pub engine_ms: f64,
    pub split: SlowSplit,
    pub threads: u32,
    pub plan: Option<String>,
    pub job_id: Option<String>,
}

/// Those of one shape.
#[napi(object, object_from_js = false)]
pub struct SlowGroup {
    #[napi(ts_type = "'get' | 'put' | 'update' | 'delete' | 'batch' | 'scan' | 'query' | 'index-lookup'")]
    pub op: &'static str,
    pub namespace: String,
    pub namespace_id: String,
    pub set: Option<String>,
    pub filter_shape: Option<String>,
    pub count: f64,
    pub failed: f64,
    pub total_ms: f64,
    pub slowest_ms: f64,
    pub slowest_id: f64,
    pub split: SlowSplit,
    pub first_at_ms: f64,
    pub last_at_ms: f64,
}

#[napi(object, object_from_js = false)]
pub struct SlowOperations {
    pub items: Vec<SlowOperation>,
    /// Whether there are more.
    pub truncated: bool,
}

#[napi(object, object_from_js = false)]
pub struct SlowGroups {
    pub items: Vec<SlowGroup>,
    pub truncated: bool,
}

/// The threshold of one namespace, in milliseconds.
#[napi(object, object_from_js = false)]
pub struct OwnThreshold {
    pub namespace: String,
    pub threshold_ms: f64,
}

/// What is kept, and what is there.
#[napi(object, object_from_js = false)]
pub struct SlowSettings {
    pub threshold_ms: f64,
    pub keep_keys: bool,
    /// Of the namespaces that have their own. A list: an object made here would lose one called `__proto__`.
    pub namespaces: Vec<OwnThreshold>,
    pub kept: f64,
    pub bytes: f64,
    pub most_bytes: f64,
    /// Operations from the threshold on, since the start or since all were cleared.
    pub seen: f64,
}

/// What is not named stays.
#[napi(object, object_to_js = false)]
pub struct SlowPatch {
    pub threshold_ms: Option<f64>,
    pub keep_keys: Option<bool>,
    /// Null: the namespace has the threshold of the engine again.
    pub namespaces: Option<HashMap<String, Either<f64, Null>>>,
}

const fn ms(duration: Duration) -> f64 {
    duration.as_nanos() as f64 / 1e6
}

/// A duration in milliseconds; one that cannot be is refused, as the core refuses those that it does not take.
fn duration(millis: f64, field: &str) -> Result<Duration> {
    Duration::try_from_secs_f64(millis / 1e3).map_err(|_| {
        Error::said(
            ErrorCode::ConfigInvalid,
            sentence!("{field} must be milliseconds, 0 or more, got {given}", field = field, given = millis),
        )
        .in_field(field)
    })
}

impl From<Split> for SlowSplit {
    fn from(split: Split) -> Self {
        let [queue_ms, index_ms, device_ms, decode_ms, reply_ms] =
            [Part::Queue, Part::Index, Part::Device, Part::Decode, Part::Reply].map(|part| split.of(part) as f64 / 1e6);
        Self { queue_ms, index_ms, device_ms, decode_ms, reply_ms }
    }
}

fn id_of(id: Option<NamespaceId>) -> String {
    id.unwrap_or_default().to_string()
}

fn text(text: Option<&str>) -> Option<String> {
    text.map(str::to_owned)
}

impl From<&metrics::SlowOperation> for SlowOperation {
    fn from(entry: &metrics::SlowOperation) -> Self {
        Self {
            id: entry.id as f64,
            op: entry.operation.as_str(),
            outcome: if entry.failure.is_none() { "ok" } else { "error" },
            code: entry.failure.map(ErrorCode::as_str),
            namespace: entry.namespace.to_string(),
            namespace_id: id_of(entry.namespace_id),
            set: text(entry.set.as_deref()),
            key: text(entry.key.as_deref()),
            key_type: entry.key_type,
            filter: text(entry.filter.as_deref()),
            filter_shape: text(entry.filter_shape.as_deref()),
            records: entry.records.map(|records| records as f64),
            started_at_ms: entry.started_at_ms() as f64,
            duration_ms: ms(entry.took),
            engine_ms: ms(entry.engine),
            split: entry.split.into(),
            threads: entry.threads,
            plan: text(entry.plan.as_deref()),
            job_id: text(entry.job.as_deref()),
        }
    }
}

impl From<&metrics::SlowGroup> for SlowGroup {
    fn from(group: &metrics::SlowGroup) -> Self {
        Self {
            op: group.operation.as_str(),
            namespace: group.namespace.to_string(),
            namespace_id: id_of(group.namespace_id),
            set: text(group.set.as_deref()),
            filter_shape: text(group.filter_shape.as_deref()),
            count: group.count as f64,
            failed: group.failed as f64,
            total_ms: ms(group.took),
            slowest_ms: ms(group.slowest),
            slowest_id: group.slowest_id as f64,
            split: group.split.into(),
            first_at_ms: group.first_at_ms as f64,
            last_at_ms: group.last_at_ms as f64,
        }
    }
}

fn settings(log: &metrics::SlowLog) -> SlowSettings {
    let (settings, usage) = (log.settings(), log.usage());
    SlowSettings {
        threshold_ms: ms(settings.threshold),
        keep_keys: settings.keep_keys,
        namespaces: settings
            .namespaces
            .into_iter()
            .map(|(namespace, threshold)| OwnThreshold { namespace, threshold_ms: ms(threshold) })
            .collect(),
        kept: usage.kept as f64,
        bytes: usage.bytes as f64,
        most_bytes: usage.most_bytes as f64,
        seen: usage.seen as f64,
    }
}

impl SlowQuery {
    /// Which, whether the slowest come first, and how many at most.
    fn read(self) -> Result<(metrics::SlowQuery, bool, usize)> {
        let moment = |n: Option<f64>, field| n.map(|n| whole(n, field, ErrorCode::ConfigInvalid)).transpose();
        let query = metrics::SlowQuery {
            operations: self.ops.unwrap_or_default().iter().map(|op| operation(op)).collect::<Result<_>>()?,
            since_ms: moment(self.since_ms, "since")?,
            until_ms: moment(self.until_ms, "until")?,
            least: duration(self.min_ms.unwrap_or(0.0), "minMs")?,
            below: self.below_ms.map(|n| duration(n, "belowMs")).transpose()?,
            engine_least: duration(self.min_engine_ms.unwrap_or(0.0), "minEngineMs")?,
            engine_below: self.below_engine_ms.map(|n| duration(n, "belowEngineMs")).transpose()?,
            // What is no id is nobody's.
            namespace_id: self.namespace_id.map(|id| NamespaceId::parse(&id).unwrap_or(NamespaceId::NONE)),
            namespace: self.namespace,
            set: self.set,
        };
        let slowest = one_of(&self.sort, "sort", &[("newest", false), ("slowest", true)])?;
        let limit = whole(self.limit, "limit", ErrorCode::ConfigInvalid)?;
        Ok((query, slowest, usize::try_from(limit).unwrap_or(usize::MAX).min(SLOW_LIMIT_MOST)))
    }
}

#[napi]
impl NativeStore {
    /// Operations that took long, by a thread of the core: there may be thousands.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | SlowOperations>")]
    pub fn slow_operations<'env>(&self, env: &'env Env, query: SlowQuery) -> napi::Result<Object<'env>> {
        let query = query.read();
        self.later(env, move |engine| {
            let (query, slowest, limit) = query?;
            let mut found = engine.slow().list(&query);
            if slowest {
                found.sort_by_key(|entry| std::cmp::Reverse(entry.took));
            }
            let truncated = found.len() > limit;
            Ok(SlowOperations { items: found.iter().take(limit).map(|entry| SlowOperation::from(&**entry)).collect(), truncated })
        })
    }

    /// The same, by shape.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | SlowGroups>")]
    pub fn slow_groups<'env>(&self, env: &'env Env, query: SlowQuery) -> napi::Result<Object<'env>> {
        let query = query.read();
        self.later(env, move |engine| {
            let (query, slowest, limit) = query?;
            let mut found = engine.slow().groups(&query);
            if !slowest {
                found.sort_by_key(|group| std::cmp::Reverse(group.last_at_ms));
            }
            Ok(SlowGroups { items: found.iter().take(limit).map(SlowGroup::from).collect(), truncated: found.len() > limit })
        })
    }

    #[napi(catch_unwind)]
    pub fn slow_settings(&self) -> SlowSettings {
        settings(self.engine.slow())
    }

    /// Changes what is kept, from the next operation on. A promise, because keys that are not to be kept leave the disk.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | SlowSettings>")]
    pub fn change_slow_settings<'env>(&self, env: &'env Env, patch: SlowPatch) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let namespaces = patch.namespaces.unwrap_or_default().into_iter().map(|(name, threshold)| match threshold {
                Either::A(millis) => Ok((name, Some(duration(millis, "namespaces")?))),
                Either::B(_) => Ok((name, None)),
            });
            engine.change_slow(metrics::SlowPatch {
                threshold: patch.threshold_ms.map(|millis| duration(millis, "thresholdMs")).transpose()?,
                namespaces: namespaces.collect::<Result<_>>()?,
                keep_keys: patch.keep_keys,
            })?;
            Ok(settings(engine.slow()))
        })
    }

    /// Lets all go that are kept, on the disk too; answers how many there were.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | number>")]
    pub fn clear_slow_operations<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.later(env, |engine| engine.slow().clear().map(|removed| removed as f64))
    }
}
