//! The sets of a namespace: found, listed, made, and limited.

use super::Namespace;
use crate::config::{SetConfig, SetLimits};
use crate::sets::{Drafted, SetEntry, SetIndexState};
use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, thread_guard};

/// One set, as lists show it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct SetInfo {
    /// Empty for records without a set.
    pub name: String,
    pub records: u64,
    pub bytes: u64,
    pub distribution_bin: Option<String>,
    pub index: SetIndexState,
    /// The job that builds the index, while it does.
    pub index_job: Option<String>,
    /// Bytes of the set's index.
    pub index_bytes: u64,
    pub limits: SetLimits,
}

impl Namespace {
    /// Every set that was ever written to or configured; records without a set come first, if there are any.
    pub fn sets(&self) -> Vec<SetInfo> {
        thread_guard::may_wait("walks all sets");
        let listed = |set: &Arc<SetEntry>| !set.name.is_empty() || set.records() > 0;
        self.sets.all().iter().filter(|set| listed(set)).map(|set| self.describe(set)).collect()
    }

    /// Sets that have a name.
    pub fn set_count(&self) -> usize {
        self.sets.all().len() - 1
    }

    fn describe(&self, set: &SetEntry) -> SetInfo {
        SetInfo {
            name: set.name.to_string(),
            records: set.records(),
            bytes: set.bytes(),
            distribution_bin: set.distribution.as_ref().map(|d| d.bin.to_string()),
            index: set.index_state(),
            index_job: set.index_job(),
            // Sets by the thousand are listed; only those with an index are worth a look at every segment.
            index_bytes: match set.indexed() {
                true => self.segments.iter().map(|cell| cell.read().set_index_bytes(set.id) as u64).sum(),
                false => 0,
            },
            limits: set.limits(),
        }
    }

    pub(crate) fn set_by_id(&self, id: u16) -> Option<Arc<SetEntry>> {
        self.sets.by_id(id)
    }

    /// # Errors
    /// `set_not_found`.
    pub(crate) fn find_set(&self, name: &str) -> Result<Arc<SetEntry>> {
        let missing = || Error::new(ErrorCode::SetNotFound, format!("there is no set {name:?} in {:?}", self.name())).in_field("set");
        self.sets.find(name).ok_or_else(missing)
    }

    /// Makes a set ahead of its first record. A set that is there already keeps its index as it is, and its limits unless
    /// new ones are given.
    ///
    /// # Errors
    /// `name_invalid`, `bin_name_invalid`, `single_bin`, `set_limit`, `set_not_empty`, and what writing the manifest returns.
    pub fn create_set(&self, config: &SetConfig) -> Result<SetInfo> {
        config.check()?;
        self.config.check_distribution(config.distribution_bin.as_deref())?;
        self.check_changeable()?;
        let set = match config.distribution_bin.as_deref() {
            Some(bin) => self.create_distributed(&config.name, bin)?,
            None => self.sets.create(&config.name, None)?,
        };
        if !config.limits.is_none() {
            set.set_limits(config.limits);
        }
        if config.index && set.records() == 0 && set.index_state() == SetIndexState::Off {
            // A record that comes in between has its segment indexed, here or by its writer.
            set.set_index_state(SetIndexState::Building);
            self.segments.iter().filter(|cell| cell.records() > 0).for_each(|cell| cell.write(|segment| segment.index_set(&set)));
            set.set_index_state(SetIndexState::On);
        }
        self.save_config()?;
        Ok(self.describe(&set))
    }

    /// The set, in the manifest before anybody may write to it: a restart has to know that its records are placed by a bin.
    fn create_distributed(&self, name: &str, bin: &str) -> Result<Arc<SetEntry>> {
        let drafted = self.host.manifest.update(|manifest| {
            let drafted = self.sets.draft(name, Some(bin))?;
            if let (Drafted::New(_), Some(record)) = (&drafted, manifest.find_mut(self.name())) {
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
    /// `set_not_found`, and what writing the manifest returns; then the old limits stand.
    pub fn limit_set(&self, name: &str, limits: SetLimits) -> Result<SetInfo> {
        self.check_changeable()?;
        let set = self.find_set(name)?;
        let before = set.limits();
        set.set_limits(limits);
        self.save_config().inspect_err(|_| set.set_limits(before))?;
        Ok(self.describe(&set))
    }
}
