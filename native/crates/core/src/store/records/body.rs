//! The body that a write stores.

use super::change::{Change, Old, Stored};
use super::merge::{merge, without_nulls};
use super::write::{Fetched, Write};
use std::borrow::Cow;
use tessera_base::{Error, ErrorCode, Result, limits};
use tessera_record::BodyRef;
use tessera_record::filter::Whole;

impl<'a> Write<'a> {
    /// The body to store. `old`: the record that is there; its body is resident, or was `fetched`, or is asked for.
    pub(super) fn stored(&self, old: Option<&Old<'_>>, fetched: &Fetched) -> Result<Stored<'a>> {
        let old_body = match old.filter(|_| self.filter.is_some() || self.change.needs_old(self.options.exists)) {
            None => None,
            Some(Old { record, resident, .. }) => {
                let known = fetched.as_ref().filter(|(read, _)| read == *record);
                match (*resident, known) {
                    (Some(body), _) => Some(BodyRef::new(body)),
                    (None, Some((_, Ok(body)))) => Some(BodyRef::new(body)),
                    (None, Some((_, Err(damaged)))) => {
                        self.store.storage.note_damaged_read();
                        return Err(damaged.clone());
                    }
                    (None, None) => return Ok(Stored::Read(**record)),
                }
            }
        };
        if let (Some(filter), Some(Old { segment, record, .. }), Some(body)) = (self.filter, old, old_body) {
            let size = segment.put_bytes(self.set, body.as_bytes().len()) as u64;
            if !filter.passes(&Whole { set: &self.set.name, digest: self.digest, meta: record.meta, size, body }) {
                return Err(Error::new(ErrorCode::FilteredOut, "the record does not pass the filter"));
            }
        }
        let single = self.store.config.single_bin;
        let made = match &self.change {
            Change::Put(body) if self.change.needs_old(self.options.exists) => {
                let new = BodyRef::new(body);
                if single {
                    new.raw_bins().try_for_each(|(name, _)| limits::check_single_bin(&String::from_utf8_lossy(name), "bins"))?;
                }
                let mut merged = Vec::new();
                match old_body {
                    None => without_nulls(new, &mut merged)?,
                    Some(old) => merge(old, new, &mut merged)?,
                }
                merged
            }
            Change::Put(body) if single => return Ok(Stored::Body(Cow::Owned(BodyRef::new(body).unnamed()?))),
            Change::Put(body) => return Ok(Stored::Body(Cow::Borrowed(body))),
            Change::Operate(run) => match run.apply(old_body, self.options.exists)? {
                None => return Ok(Stored::Nothing),
                Some(body) => body,
            },
        };
        let made = if single { BodyRef::new(&made).unnamed()? } else { made };
        self.store.check_length(made.len())?;
        Ok(Stored::Body(Cow::Owned(made)))
    }
}
