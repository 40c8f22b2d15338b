//! The body that a write stores.

use super::old::{Old, Stored};
use super::write::{Fetched, Write};
use tessera_base::Result;
use tessera_record::BodyRef;
use tessera_record::filter::Whole;

impl<'a> Write<'a> {
    /// The body to store. `old`: the record that is there; its body is resident, or was `fetched`, or is asked for.
    pub(super) fn stored(&self, old: Option<&Old<'_>>, fetched: &Fetched) -> Result<Stored<'a>> {
        let whole = match old.filter(|_| self.rules.needs_old()) {
            None => None,
            Some(Old { segment, record, resident }) => {
                let known = fetched.as_ref().filter(|(read, _)| read == *record);
                let body = match (*resident, known) {
                    (Some(body), _) => BodyRef::new(body),
                    (None, Some((_, Ok(body)))) => BodyRef::new(body),
                    (None, Some((_, Err(damaged)))) => {
                        self.store.storage.note_damaged_read();
                        return Err(damaged.clone());
                    }
                    (None, None) => return Ok(Stored::Read(**record)),
                };
                let size = segment.put_bytes(self.set, body.as_bytes().len()) as u64;
                Some(Whole { set: &self.set.name, digest: self.digest, meta: record.meta, size, body })
            }
        };
        Ok(self.rules.body(whole.as_ref(), self.store.max_record_bytes())?.map_or(Stored::Nothing, Stored::Body))
    }
}
