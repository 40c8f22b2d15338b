//! Filters of bins, asked of bodies that are nowhere stored.

use tessera_record::filter::{Filter, Subject};
use tessera_record::{BodyRef, Digest, Meta};

struct Bare<'a>(BodyRef<'a>, Digest, Meta);

impl Subject for Bare<'_> {
    fn digest(&self) -> &Digest {
        &self.1
    }

    fn meta(&self) -> &Meta {
        &self.2
    }

    fn size(&self) -> u64 {
        0
    }

    fn with_set<R>(&self, with: impl FnOnce(&str) -> R) -> R {
        with("set")
    }

    fn body(&self) -> Option<BodyRef<'_>> {
        Some(self.0)
    }
}

pub fn matches_body(filter: &Filter, body: &[u8]) -> bool {
    filter.holds(&Bare(BodyRef::new(body), Digest::default(), Meta::default())) == Some(true)
}
