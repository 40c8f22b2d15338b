//! A row of a list's items, asked as records are: the item stands for the bin of its name.

use super::field::{Item, Subject};
use crate::{BodyRef, Digest, Meta};

pub struct Row<'a, S> {
    pub record: &'a S,
    pub item: Item<'a>,
}

impl<S: Subject> Subject for Row<'_, S> {
    fn digest(&self) -> &Digest {
        self.record.digest()
    }

    fn meta(&self) -> &Meta {
        self.record.meta()
    }

    fn size(&self) -> u64 {
        self.record.size()
    }

    fn with_set<R>(&self, with: impl FnOnce(&str) -> R) -> R {
        self.record.with_set(with)
    }

    fn body(&self) -> Option<BodyRef<'_>> {
        self.record.body()
    }

    fn item(&self) -> Option<Item<'_>> {
        Some(self.item)
    }
}
