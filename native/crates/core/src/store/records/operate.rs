//! Operations on one record: read, changed and written in one step that nobody sees half of.

use super::options::{Lookup, Operate, Operated, RecordName};
use super::rules::{Change, Run};
use crate::metrics::{self, About};
use crate::store::RecordStore;
use tessera_base::{Error, ErrorCode, Result, sentence};
use tessera_record::BodyRef;
use tessera_record::operation::read;

impl RecordStore {
    /// Runs operations on a record in their order, as one step. Reads alone answer `None` for a record that is not there.
    ///
    /// # Errors
    /// `operation_invalid` for none, or more than `limits::OPERATIONS`; `filtered_out`; what `tessera_record::operation::apply`,
    /// `RecordStore::put` and `RecordStore::get` refuse.
    pub fn operate<'k>(&self, set: &str, lookup: impl Into<Lookup<'k>>, asked: &Operate<'_>) -> Result<Option<Operated>> {
        let lookup = lookup.into();
        let operations = asked.operations;
        asked.check(self.config.single_bin)?;
        if asked.only_reads() {
            let mut body = Vec::new();
            let digest = lookup.digest(set, self.key_limit())?;
            let Some(meta) = self.get(set, lookup, &mut body)? else { return Ok(None) };
            let body = BodyRef::new(&body);
            if asked.filter.is_some_and(|filter| !self.lets_through(filter, set, digest, meta, body)) {
                return Err(Error::said(ErrorCode::FilteredOut, sentence!("the record does not pass the filter")));
            }
            return Ok(Some(Operated { meta, results: read(operations, body)?, removed: false }));
        }
        let key = match lookup.name {
            RecordName::Key(key) => Some(key),
            RecordName::Digest(_) => None,
        };
        let run = Run::new(asked, key);
        let work = || self.change(set, lookup, Change::Operate(&run), &asked.options, asked.filter);
        let about = || About { filter: asked.filter, ..lookup.name.about(set) };
        let written = self.latency.time(metrics::Operation::Update, about, work)?;
        Ok(Some(Operated { meta: written.meta, results: run.results(), removed: written.removed }))
    }
}
