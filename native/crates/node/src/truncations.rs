//! Truncations, and those that can be undone, as JavaScript sees them.

use crate::jobs::JobInfo;
use crate::namespaces::DropReport;
use crate::numbers::whole;
use crate::store::NativeStore;
use napi::bindgen_prelude::Object;
use napi::{Either, Env};
use napi_derive::napi;
use std::time::Duration;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::Namespace;
use tessera_core::namespace::UndoableTruncation;

#[napi(object, object_from_js = false)]
pub struct TruncationInfo {
    /// That of its job.
    pub id: String,
    /// Absent: of the whole namespace.
    pub set: Option<String>,
    /// Records that were changed before this moment are hidden.
    pub before_ms: f64,
    pub truncated_at_ms: f64,
    /// From this moment on it is final.
    pub until_ms: f64,
    pub records: f64,
    pub bytes: f64,
}

impl From<UndoableTruncation> for TruncationInfo {
    fn from(truncation: UndoableTruncation) -> Self {
        let UndoableTruncation { id, set, before_ms, truncated_at_ms, final_at_ms, records, bytes } = truncation;
        Self {
            id,
            set,
            before_ms: before_ms as f64,
            truncated_at_ms: truncated_at_ms as f64,
            until_ms: final_at_ms as f64,
            records: records as f64,
            bytes: bytes as f64,
        }
    }
}

/// What a truncation would remove, and whether it could be undone.
fn preview(namespace: &Namespace, set: Option<&str>, undo: Duration) -> Result<DropReport> {
    let sets = namespace.sets();
    let picked: Vec<_> = sets.iter().filter(|info| set.is_none_or(|name| info.name == name)).collect();
    if picked.is_empty() && set.is_some_and(|name| !name.is_empty()) {
        let message = sentence!("there is no such set in \"{namespace}\"", namespace = namespace.name());
        return Err(Error::said(ErrorCode::SetNotFound, message).in_field("set"));
    }
    let sum = |of: fn(&tessera_core::namespace::SetInfo) -> u64| picked.iter().map(|info| of(info)).sum::<u64>() as f64;
    let undoable = Some(namespace.can_undo_truncations(undo));
    Ok(DropReport { undoable, ..DropReport::new(sum(|info| info.records), sum(|info| info.bytes), 0) })
}

/// What a mark calls a truncation of a namespace, or of a set of it.
fn named(namespace: &str, set: Option<&str>) -> String {
    set.map_or_else(|| namespace.to_owned(), |set| format!("{namespace}.{set}"))
}

fn found(namespace: &Namespace, id: &str) -> Option<UndoableTruncation> {
    namespace.undoable_truncations().into_iter().find(|one| one.id == id)
}

#[napi]
impl NativeStore {
    /// Empties a set or a namespace, of what was updated before `before` (Unix milliseconds) if that is given, or says what would
    /// go without it. Unless it is `for_good`, it can be undone for a while.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | DropReport | JobInfo>")]
    pub fn truncate<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        set: Option<String>,
        dry_run: bool,
        before: Option<f64>,
        for_good: Option<bool>,
    ) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let before = before.map(|ms| whole(ms, "before", ErrorCode::ConfigInvalid)).transpose()?;
            let found = engine.namespace(&namespace)?;
            let undo = if for_good == Some(true) { Duration::ZERO } else { engine.undo() };
            if dry_run {
                return preview(&found, set.as_deref(), undo).map(Either::A);
            }
            Ok(Either::B(JobInfo::from(found.truncate_for(set.as_deref(), before, undo)?.job.info())))
        })
    }

    /// Those that can be undone, oldest first. A promise: one that begins or ends writes the manifest.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | TruncationInfo[]>")]
    pub fn truncations<'env>(&self, env: &'env Env, namespace: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            Ok(engine.namespace(&namespace)?.undoable_truncations().into_iter().map(TruncationInfo::from).collect::<Vec<_>>())
        })
    }

    /// Brings back what a truncation hides; the job counts it.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn undo_truncation<'env>(&self, env: &'env Env, namespace: String, id: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let of = engine.namespace(&namespace)?;
            let set = found(&of, &id).and_then(|one| one.set);
            let job = of.undo_truncation(&id)?;
            engine.jobs().marks().add(
                "config",
                format!("truncation of {} undone", named(&namespace, set.as_deref())),
                None,
                Some(&namespace),
            );
            Ok(JobInfo::from(job.info()))
        })
    }

    /// Makes a truncation final before its time is up; the job removes what it hides.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | JobInfo>")]
    pub fn settle_truncation<'env>(&self, env: &'env Env, namespace: String, id: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| Ok(JobInfo::from(engine.namespace(&namespace)?.settle_truncation(&id)?.info())))
    }
}
