//! What an import stores its rows in.

use super::Namespace;
use crate::config::{Feature, SetConfig};
use tessera_base::{Result, limits};
use tessera_jobs::load::{LoadMode, LoadOutcome, RowBatch, RowSink};
use tessera_record::KeyLimit;

impl RowSink for Namespace {
    fn prepare(&self, set: &str, distribution_bin: Option<&str>) -> Result<Option<String>> {
        self.store.check_open()?;
        if !self.store.can(Feature::Sets) {
            return match distribution_bin {
                Some(_) => self.store.require(Feature::Sets).and(Ok(None)),
                None if set.is_empty() => Ok(None),
                None => limits::check_name(set, "set").and(Ok(None)),
            };
        }
        if let Some(bin) = distribution_bin {
            self.create_set(&SetConfig { name: set.to_owned(), distribution_bin: Some(bin.to_owned()), ..SetConfig::default() })?;
        }
        let entry = self.store.sets.find_or_create(set)?;
        Ok(entry.distribution.as_ref().map(|distribution| distribution.bin.to_string()))
    }

    fn max_record_bytes(&self) -> usize {
        self.store.max_record_bytes()
    }

    fn key_limit(&self) -> KeyLimit {
        self.store.key_limit()
    }

    fn single_bin(&self) -> bool {
        self.store.single_bin()
    }

    fn lasting(&self) -> Option<u64> {
        (!self.store.bodies_resident()).then_some(self.created_at_ms)
    }

    fn sync(&self) -> Result<()> {
        self.store.sync()
    }

    fn load_rows(&self, set: &str, batch: &RowBatch, mode: LoadMode) -> Result<LoadOutcome> {
        self.store.load_rows(set, batch, mode)
    }
}
