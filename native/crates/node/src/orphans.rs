//! Folders that no namespace has, as JavaScript sees them.

use crate::config::{NamespaceInfo, NamespaceSettings};
use crate::namespaces::DropReport;
use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::Object;
use napi_derive::napi;
use tessera_base::Error;
use tessera_core::engine::Orphan;
use tessera_core::manifest::NamespaceRecord;

/// An entry in the folder of namespaces that the manifest does not list.
#[napi(object, object_from_js = false)]
pub struct OrphanInfo {
    /// Its name there.
    pub id: String,
    pub bytes: f64,
    pub files: f64,
    pub adoptable: bool,
    /// Why it is not.
    pub reason: Option<String>,
    /// What `reason` was made of, as JSON. Absent if it has no values.
    pub reason_said: Option<String>,
    /// What it says of itself.
    pub namespace: Option<OrphanNamespace>,
}

#[napi(object, object_from_js = false)]
pub struct OrphanNamespace {
    /// Hexadecimal.
    pub id: String,
    pub created_at_ms: f64,
    pub config: NamespaceSettings,
    pub sets: u32,
    pub indexes: u32,
}

impl From<NamespaceRecord> for OrphanNamespace {
    fn from(record: NamespaceRecord) -> Self {
        Self {
            id: record.tenure().id.to_string(),
            created_at_ms: record.created_at_ms as f64,
            sets: record.config.sets.len() as u32,
            indexes: record.config.indexes.len() as u32,
            config: record.config.into(),
        }
    }
}

impl From<Orphan> for OrphanInfo {
    fn from(orphan: Orphan) -> Self {
        Self {
            id: orphan.id,
            bytes: orphan.bytes as f64,
            files: orphan.files as f64,
            adoptable: orphan.obstacle.is_none(),
            reason_said: orphan.obstacle.as_ref().and_then(Error::said_as_json),
            reason: orphan.obstacle.map(|why| why.message),
            namespace: orphan.record.map(OrphanNamespace::from),
        }
    }
}

#[napi]
impl NativeStore {
    /// By name.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | OrphanInfo[]>")]
    pub fn orphans<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.later(env, |engine| Ok(engine.orphans()?.into_iter().map(OrphanInfo::from).collect::<Vec<_>>()))
    }

    /// Lists the namespace in it, under its own name or `name`, and opens it.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NamespaceInfo>")]
    pub fn adopt_orphan<'env>(&self, env: &'env Env, id: String, name: Option<String>) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let member = engine.adopt_orphan(&id, name)?;
            engine.jobs().marks().add("config", format!("namespace {} adopted from folder {id}", member.name()), None, Some(member.name()));
            Ok(NamespaceInfo::of(engine, &member))
        })
    }

    /// Removes it, or says what would go.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | DropReport>")]
    pub fn remove_orphan<'env>(&self, env: &'env Env, id: String, dry_run: bool) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let orphan = if dry_run { engine.orphan(&id)? } else { engine.remove_orphan(&id)? };
            if !dry_run {
                engine.jobs().marks().add("config", format!("folder {id} removed"), None, None);
            }
            let indexes = orphan.record.map_or(0, |record| record.config.indexes.len() as u32);
            Ok(DropReport::new(0.0, orphan.bytes as f64, indexes))
        })
    }
}
