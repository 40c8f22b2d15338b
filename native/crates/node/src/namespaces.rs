//! Namespaces and sets as JavaScript sees them.

use crate::config::{NamespaceConfig, NamespaceInfo, NamespacePatch, SegmentInfo};
use crate::failure::{NativeFailure, guarded};
use crate::monitor::DeviceReport;
use crate::sets::{SetConfig, SetInfo, SetLimits, SetPage, SetQuery};
use crate::store::NativeStore;
use napi::Env;
use napi::bindgen_prelude::{Either3, Object};
use napi_derive::napi;
use std::sync::Arc;
use tessera_core::config::Feature;
use tessera_core::engine::Member;
use tessera_core::{Engine, Namespace};

/// Who has a name.
#[napi(object, object_from_js = false)]
pub struct Tenure {
    /// The id of a namespace; empty if none has the name.
    pub id: String,
    /// Since when, Unix milliseconds.
    pub since_ms: f64,
}

/// What a drop or a truncation takes away, or would.
#[napi(object, object_from_js = false)]
pub struct DropReport {
    pub records: f64,
    pub bytes: f64,
    pub indexes: u32,
    /// Id of the dropped namespace, if it can be restored.
    pub dropped: Option<String>,
    /// Until when.
    pub until_ms: Option<f64>,
    /// Of a truncation that was not made: whether it could be undone.
    pub undoable: Option<bool>,
}

impl DropReport {
    /// Of what goes for good.
    pub(crate) fn new(records: f64, bytes: f64, indexes: u32) -> Self {
        Self { records, bytes, indexes, dropped: None, until_ms: None, undoable: None }
    }

    /// Of a namespace that is not open it is not known how many records it has. A cluster keeps the records.
    fn of(member: &Member) -> Self {
        match member {
            Member::Open(namespace) if namespace.config().engine.is_remote() => Self::new(0.0, 0.0, 0),
            Member::Open(namespace) => {
                let bytes = namespace.cells().iter().map(|cell| cell.bytes().live).sum::<u64>();
                Self::new(namespace.records() as f64, bytes as f64, namespace.index_count() as u32)
            }
            Member::Unopened(unopened) => Self::new(0.0, unopened.file_bytes() as f64, unopened.config().indexes.len() as u32),
        }
    }
}

/// A namespace whose engine can do it.
fn required(engine: &Engine, name: &str, feature: Feature) -> tessera_base::Result<Arc<Namespace>> {
    let namespace = engine.namespace(name)?;
    namespace.store().require(feature)?;
    Ok(namespace)
}

#[napi]
impl NativeStore {
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NamespaceInfo>")]
    pub fn create_namespace<'env>(&self, env: &'env Env, config: NamespaceConfig) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let namespace = engine.create_namespace(config.try_into()?)?;
            engine.jobs().marks().add("config", format!("namespace {} created", namespace.name()), None, Some(namespace.name()));
            Ok(NamespaceInfo::of(engine, &Member::Open(namespace)))
        })
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NamespaceInfo>")]
    pub fn update_namespace<'env>(&self, env: &'env Env, name: String, patch: NamespacePatch) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let namespace = engine.namespace(&name)?;
            namespace.update(patch.try_into()?)?;
            engine.jobs().marks().add("config", format!("namespace {name} changed"), None, Some(&name));
            Ok(NamespaceInfo::of(engine, &Member::Open(namespace)))
        })
    }

    /// Tries once more to open a namespace that failed; with `accept_loss` with what is left of it.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NamespaceInfo>")]
    pub fn reopen_namespace<'env>(&self, env: &'env Env, name: String, accept_loss: bool) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let namespace = engine.reopen_namespace(&name, accept_loss)?;
            let how = if accept_loss { "opened with what is left of it" } else { "opened" };
            engine.jobs().marks().add("config", format!("namespace {name} {how}"), None, Some(&name));
            Ok(NamespaceInfo::of(engine, &Member::Open(namespace)))
        })
    }

    /// Drops a namespace, or says what would go. `for_good`: nothing can restore it.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | DropReport>")]
    pub fn drop_namespace<'env>(&self, env: &'env Env, name: String, dry_run: bool, for_good: bool) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let report = DropReport::of(&engine.member(&name)?);
            if dry_run {
                return Ok(report);
            }
            let dropped = if for_good { engine.drop_namespace(&name).map(|()| None)? } else { engine.set_aside(&name)? };
            engine.jobs().marks().add("config", format!("namespace {name} dropped"), None, Some(&name));
            let until_ms = dropped.as_ref().map(|dropped| dropped.kept.until_ms as f64);
            Ok(DropReport { dropped: dropped.map(|dropped| dropped.id().to_string()), until_ms, ..report })
        })
    }

    /// Oldest first. A promise: what they take is added up over all segments.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NamespaceInfo[]>")]
    pub fn namespaces<'env>(&self, env: &'env Env) -> napi::Result<Object<'env>> {
        self.later(env, |engine| Ok(engine.members().iter().map(|member| NamespaceInfo::of(engine, member)).collect::<Vec<_>>()))
    }

    #[napi(catch_unwind)]
    pub fn namespace_names(&self) -> Vec<String> {
        self.engine.members().iter().map(|member| member.name().to_owned()).collect()
    }

    /// Who has a name now. It waits for nothing.
    #[napi(catch_unwind)]
    pub fn tenure_of(&self, name: String) -> Tenure {
        let tessera_base::names::Tenure { id, since_ms } = self.engine.names().of(&name);
        Tenure { id: id.to_string(), since_ms: since_ms as f64 }
    }

    /// The id of the namespace that had a name when ids were first kept; empty if none had it.
    #[napi(catch_unwind)]
    pub fn first_namespace_id(&self, name: String) -> String {
        self.engine.names().first(&name).to_string()
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | NamespaceInfo>")]
    pub fn namespace<'env>(&self, env: &'env Env, name: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| engine.member(&name).map(|member| NamespaceInfo::of(engine, &member)))
    }

    /// Disks, queues and write blocks of a device namespace; the map of these has at most `cells` cells a disk, and with 0
    /// there is none.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | DeviceReport>")]
    pub fn device_report<'env>(&self, env: &'env Env, namespace: String, cells: u32) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let open = engine.namespace(&namespace)?;
            let maps = if cells == 0 { Vec::new() } else { open.block_maps(cells)? };
            Ok(DeviceReport::of(open.device_report()?, &maps, engine.metrics().latest().as_deref(), &namespace))
        })
    }

    /// In their order. A promise: of a flat container every record is looked at.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | SegmentInfo[]>")]
    pub fn segments<'env>(&self, env: &'env Env, namespace: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            Ok(required(engine, &namespace, Feature::Segments)?.segments().into_iter().map(SegmentInfo::from).collect::<Vec<_>>())
        })
    }

    /// Records of a namespace or of one of its sets, in the segments of which this node is the primary owner. At once for
    /// a set whose counter tells; a promise where segments are looked at.
    #[napi(catch_unwind, ts_return_type = "NativeFailure | number | Promise<NativeFailure | number>")]
    pub fn size<'env>(
        &self,
        env: &'env Env,
        namespace: String,
        set: Option<String>,
    ) -> napi::Result<Either3<NativeFailure, f64, Object<'env>>> {
        let namespace = match guarded(|| self.engine.namespace(&namespace)) {
            Ok(namespace) => namespace,
            Err(error) => return Ok(Either3::A(error.into())),
        };
        if let Some(size) = set.as_deref().and_then(|set| namespace.size_at_once(set)) {
            return Ok(Either3::B(size as f64));
        }
        Ok(Either3::C(self.later(env, move |_| Ok(namespace.size(set.as_deref()) as f64))?))
    }

    /// A promise: there may be sets by the thousand, and each segment is looked at for the indexes of those that have one.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | SetInfo[]>")]
    pub fn sets<'env>(&self, env: &'env Env, namespace: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| Ok(engine.namespace(&namespace)?.sets().into_iter().map(SetInfo::from).collect::<Vec<_>>()))
    }

    /// A promise: every set is looked at for one page.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | SetPage>")]
    pub fn set_page<'env>(&self, env: &'env Env, namespace: String, query: SetQuery) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| guarded(|| engine.namespace(&namespace)?.set_page(&query.try_into()?)).map(SetPage::from))
    }

    /// A promise, as each segment is looked at for its index.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | SetInfo>")]
    pub fn set<'env>(&self, env: &'env Env, namespace: String, set: String) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| engine.namespace(&namespace)?.set(&set).map(SetInfo::from))
    }

    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | SetInfo>")]
    pub fn create_set<'env>(&self, env: &'env Env, namespace: String, set: SetConfig) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| guarded(|| engine.namespace(&namespace)?.create_set(&set.try_into()?)).map(SetInfo::from))
    }

    /// How much a set may hold from now on.
    #[napi(catch_unwind, ts_return_type = "Promise<NativeFailure | SetInfo>")]
    pub fn limit_set<'env>(&self, env: &'env Env, namespace: String, set: String, limits: SetLimits) -> napi::Result<Object<'env>> {
        self.later(env, move |engine| {
            let set = guarded(|| engine.namespace(&namespace)?.limit_set(&set, limits.try_into()?))?;
            engine.jobs().marks().add("config", format!("limits of the set {} changed", set.name), None, Some(&namespace));
            Ok(SetInfo::from(set))
        })
    }
}
