//! Sets of a namespace, made ahead of their first record, and limited.

use super::indexes::elsewhere;
use super::{Namespace, settings};
use crate::config::{Feature, SetConfig, SetLimits};
use crate::sets::{Drafted, SetEntry, SetIndexState};
use crate::store::SetInfo;
use crate::store::remote::Covers;
use std::sync::Arc;
use tessera_base::{Result, limits, processors};

/// Makes a set ahead of its first record. A set that is there already keeps its index as it is, and its limits unless
/// new ones are given.
///
/// # Errors
/// `name_invalid`, `bin_name_invalid`, `single_bin`, `set_limit`, `set_not_empty`, `capability_unsupported`, `cluster_unavailable`, and
/// what writing the manifest returns.
pub(super) fn create(namespace: &Namespace, config: &SetConfig) -> Result<SetInfo> {
    let store = namespace.store();
    config.check()?;
    store.created_as().check_distribution(config.distribution_bin.as_deref())?;
    let _changeable = namespace.check_changeable()?;
    if let Some(remote) = store.remote() {
        store.created_as().check_remote_set(config)?;
        remote.create_set(&config.name)?;
        return store.find_set(&config.name).map(|set| store.describe_set(&set));
    }
    let set = match config.distribution_bin.as_deref() {
        Some(bin) => create_distributed(namespace, &config.name, bin)?,
        None => store.sets.create(&config.name, None)?,
    };
    if !config.limits.is_none() {
        set.set_limits(config.limits);
    }
    if config.index && set.records() == 0 && set.index_state() == SetIndexState::Off {
        // A record that comes in between has its segment indexed, here or by its writer.
        set.set_index_state(SetIndexState::Building);
        store
            .cells()
            .iter()
            .filter(|cell| cell.records() + cell.left_out() > 0)
            .for_each(|cell| cell.write(|segment| segment.index_set(&set)));
        set.set_index_state(SetIndexState::On);
    }
    settings::save(namespace)?;
    Ok(store.describe_set(&set))
}

/// As `create`. The index of a set on a cluster is built by a job.
///
/// # Errors
/// As `create`; `index_limit`, `job_limit`.
pub(super) fn create_indexed(namespace: &Arc<Namespace>, config: &SetConfig) -> Result<SetInfo> {
    let (store, made) = (namespace.store(), create(namespace, config)?);
    let Some(remote) = store.remote().filter(|_| config.index) else { return Ok(made) };
    if remote.indexes().of_set(&config.name).is_none() {
        elsewhere::create(namespace, remote, &Covers::Set(config.name.clone()), processors().min(limits::THREADS))?;
    }
    store.find_set(&config.name).map(|set| store.describe_set(&set))
}

/// The set, in the manifest before anybody may write to it: a restart has to know that its records are placed by a bin.
fn create_distributed(namespace: &Namespace, name: &str, bin: &str) -> Result<Arc<SetEntry>> {
    let drafted = namespace.manifest.update(|manifest| {
        let drafted = namespace.store().sets.draft(name, Some(bin))?;
        if let (Drafted::New(_), Some(record)) = (&drafted, manifest.by_id_mut(&namespace.id)) {
            let set = SetConfig { name: name.to_owned(), distribution_bin: Some(bin.to_owned()), ..SetConfig::default() };
            record.config.sets.push(set);
        }
        Ok(drafted)
    })?;
    Ok(drafted.published())
}

/// How much a set may hold from now on; what it holds already stays.
///
/// # Errors
/// `set_not_found`, `capability_unsupported`, and what writing the manifest returns; then the old limits stand.
pub(super) fn limit(namespace: &Namespace, name: &str, limits: SetLimits) -> Result<SetInfo> {
    let store = namespace.store();
    store.require(Feature::Limits)?;
    let _changeable = namespace.check_changeable()?;
    let set = store.find_set(name)?;
    let before = set.limits();
    set.set_limits(limits);
    settings::save(namespace).inspect_err(|_| set.set_limits(before))?;
    Ok(store.describe_set(&set))
}
