//! The sets whose records a worker has met in the pages of a cluster.

use crate::store::RecordStore;
use crate::store::remote::MetSet;
use std::collections::HashMap;
use tessera_base::Result;

/// By name, with their ids in this process, and with how many records of each were in the pages, wanted or not.
#[derive(Default)]
pub(crate) struct SetsMet {
    places: HashMap<Box<str>, usize>,
    met: Vec<Met>,
    /// Where the one is that was met last: records of one set often follow each other.
    last: usize,
}

struct Met {
    name: Box<str>,
    id: Option<u16>,
    records: u64,
    bytes: u64,
}

impl SetsMet {
    /// The id of a set in this process, given out now if it is met for the first time.
    ///
    /// # Errors
    /// `set_limit`; `name_invalid`.
    pub(super) fn id(&mut self, store: &RecordStore, name: &str) -> Result<u16> {
        let met = self.of(name);
        match met.id {
            Some(id) => Ok(id),
            None => Ok(*met.id.insert(store.sets.find_or_create(name)?.id)),
        }
    }

    pub(super) fn count(&mut self, name: &str, bytes: u64) {
        let met = self.of(name);
        met.records += 1;
        met.bytes += bytes;
    }

    /// What was counted since the last time.
    pub(in crate::scan) fn take(&mut self) -> Vec<MetSet> {
        let counted = self.met.iter_mut().filter(|met| met.records > 0).map(|met| MetSet {
            name: met.name.to_string(),
            records: std::mem::take(&mut met.records),
            bytes: Some(std::mem::take(&mut met.bytes)),
        });
        counted.collect()
    }

    fn of(&mut self, name: &str) -> &mut Met {
        if self.met.get(self.last).is_none_or(|met| *met.name != *name) {
            self.last = match self.places.get(name) {
                Some(&place) => place,
                None => {
                    self.places.insert(name.into(), self.met.len());
                    self.met.push(Met { name: name.into(), id: None, records: 0, bytes: 0 });
                    self.met.len() - 1
                }
            };
        }
        &mut self.met[self.last]
    }
}
