//! Dropped namespaces that can be restored, as JavaScript sees them.

use crate::config::{NamespaceInfo, NamespaceSettings};
use crate::namespaces::DropReport;
use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_core::engine::Dropped;

#[napi(object, object_from_js = false)]
pub struct DroppedInfo {
    pub id: String,
    /// Of the namespace, which has it again once it is restored.
    pub namespace_id: String,
    pub dropped_at_ms: f64,
    /// From this moment on it is gone.
    pub until_ms: f64,
    /// Absent if it was not open when it was dropped, or a cluster has them.
    pub records: Option<f64>,
    pub memory_bytes: f64,
    pub disk_bytes: f64,
    pub indexes: u32,
    pub config: NamespaceSettings,
}

impl From<Dropped> for DroppedInfo {
    fn from(dropped: Dropped) -> Self {
        let id = dropped.id().to_string();
        let Dropped { kept, records, memory_bytes } = dropped;
        Self {
            id,
            namespace_id: kept.record.tenure().id.to_string(),
            dropped_at_ms: kept.dropped_at_ms as f64,
            until_ms: kept.until_ms as f64,
            records: records.map(|records| records as f64),
            memory_bytes: memory_bytes as f64,
            disk_bytes: kept.disk_bytes as f64,
            indexes: kept.record.config.indexes.len() as u32,
            config: kept.record.config.into(),
        }
    }
}

fn numbered(id: &str) -> Result<u64> {
    let number = id.parse().ok().filter(|number: &u64| number.to_string() == id);
    number.ok_or_else(|| Error::said(ErrorCode::DroppedNotFound, sentence!("no dropped namespace {id} can be restored", id = id)))
}

#[napi]
impl NativeStore {
    /// Oldest drop first. A promise: what they take in memory is added up over all segments.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | DroppedInfo[]>")]
    pub fn dropped<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.later(env, |engine| Ok(engine.dropped()?.into_iter().map(DroppedInfo::from).collect::<Vec<_>>()))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | DroppedInfo>")]
    pub fn dropped_one<'env>(&self, env: &'env Env, id: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| engine.dropped_one(numbered(&id)?).map(DroppedInfo::from))
    }

    /// Lists it again, under its own name or `name`, and opens it.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NamespaceInfo>")]
    pub fn restore_dropped<'env>(&self, env: &'env Env, id: String, name: Option<String>) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let member = engine.restore_dropped(numbered(&id)?, name)?;
            engine.jobs().marks().add("config", format!("drop of the namespace {} undone", member.name()), None, Some(member.name()));
            Ok(NamespaceInfo::of(engine, &member))
        })
    }

    /// Removes it for good, or says what would go.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | DropReport>")]
    pub fn remove_dropped<'env>(&self, env: &'env Env, id: String, dry_run: bool) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let id = numbered(&id)?;
            let gone = if dry_run { engine.dropped_one(id)? } else { engine.remove_dropped(id)? };
            if !dry_run {
                engine.jobs().marks().add("config", format!("dropped namespace {} deleted", gone.name()), None, Some(gone.name()));
            }
            let bytes = (gone.memory_bytes + gone.kept.disk_bytes) as f64;
            Ok(DropReport::new(gone.records.unwrap_or(0) as f64, bytes, gone.kept.record.config.indexes.len() as u32))
        })
    }
}
