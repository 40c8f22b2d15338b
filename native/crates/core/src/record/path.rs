//! A way into a value: the keys of maps, from the outside in.

use super::codec::ValueRef;
use crate::error::{Error, ErrorCode, Result};
use crate::limits;

/// Keys as UTF-8 bytes; without any, the value itself. A path does not lead into lists.
#[derive(Clone, Debug, Default, PartialEq, Eq, Hash)]
pub struct Path(Vec<Box<[u8]>>);

impl Path {
    /// Reads keys joined by dots.
    ///
    /// # Errors
    /// `config_invalid` for empty text and for more keys than values nest.
    pub fn parse(dotted: &str) -> Result<Self> {
        if dotted.is_empty() {
            return Err(Error::new(ErrorCode::ConfigInvalid, "a path is keys joined by dots").in_field("path"));
        }
        Self::of_keys(dotted.split('.'))
    }

    /// # Errors
    /// `config_invalid` for more keys than values nest.
    pub fn of_keys<'k>(keys: impl Iterator<Item = &'k str>) -> Result<Self> {
        let keys: Vec<Box<[u8]>> = keys.take(limits::NESTING + 1).map(|key| key.as_bytes().into()).collect();
        if keys.len() > limits::NESTING {
            return Err(Error::new(ErrorCode::ConfigInvalid, format!("a path has at most {} keys", limits::NESTING)).in_field("path"));
        }
        Ok(Self(keys))
    }

    pub fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    pub fn keys(&self) -> impl DoubleEndedIterator<Item = &[u8]> {
        self.0.iter().map(|key| &**key)
    }

    /// What lies at the path in `value`.
    pub fn find<'v>(&self, value: ValueRef<'v>) -> Option<ValueRef<'v>> {
        self.0.iter().try_fold(value, |value, key| match value {
            ValueRef::Map(entries) => entries.get(key),
            _ => None,
        })
    }
}
