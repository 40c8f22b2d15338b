//! What an import stores its rows in.

use super::{Namespace, sets};
use crate::config::SetConfig;
use tessera_base::Result;
use tessera_jobs::load::{LoadMode, LoadOutcome, RowBatch, RowSink};
use tessera_record::KeyLimit;

impl RowSink for Namespace {
    fn prepare(&self, set: &str, distribution_bin: Option<&str>) -> Result<Option<String>> {
        self.store.check_open()?;
        let elsewhere = self.store.remote().is_some();
        if distribution_bin.is_some() || elsewhere && !set.is_empty() {
            let distribution_bin = distribution_bin.map(str::to_owned);
            sets::create(self, &SetConfig { name: set.to_owned(), distribution_bin, ..SetConfig::default() })?;
        }
        if elsewhere {
            return Ok(None);
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
