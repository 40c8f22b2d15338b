//! The names of the tables of a namespace.

use std::sync::Arc;
use tessera_base::{Error, ErrorCode, Result, sentence};
use uuid::Uuid;

/// The tables of a keyspace as it was made once. Their names have an id that is new each time: a process that still has a keyspace
/// open which was dropped, and made again, finds none of them, and neither writes there nor goes by a list of before.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Tables {
    keyspace: Arc<str>,
    id: Arc<str>,
}

impl Tables {
    /// Of a keyspace that is being made.
    pub(crate) fn new(keyspace: &str) -> Self {
        let id = format!("k{:08x}", Uuid::new_v4().as_fields().0);
        Self { keyspace: keyspace.into(), id: id.into() }
    }

    /// Of a keyspace that is there, by the id that it says.
    ///
    /// # Errors
    /// `record_damaged` if it is none.
    pub(crate) fn with(keyspace: &str, id: &str) -> Result<Self> {
        let digits = id.strip_prefix('k').filter(|digits| digits.len() == 8);
        if digits.is_some_and(|digits| digits.bytes().all(|byte| byte.is_ascii_digit() || (b'a'..=b'f').contains(&byte))) {
            return Ok(Self { keyspace: keyspace.into(), id: id.into() });
        }
        Err(Error::said(
            ErrorCode::RecordDamaged,
            sentence!("the keyspace {keyspace} does not say which tables it has", keyspace = keyspace),
        ))
    }

    pub(crate) fn keyspace(&self) -> &str {
        &self.keyspace
    }

    pub(crate) fn id(&self) -> &str {
        &self.id
    }

    /// A table, by what it has, without its keyspace.
    pub(crate) fn name(&self, what: &str) -> String {
        format!("{}_{what}", self.id)
    }

    /// The same in CQL.
    pub(crate) fn of(&self, what: &str) -> String {
        format!("{}.{}", self.keyspace, self.name(what))
    }

    pub(crate) fn records(&self) -> String {
        self.of("records")
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn each_keyspace_has_tables_of_its_own_and_says_which() {
        let (one, other) = (Tables::new("ts_a"), Tables::new("ts_a"));
        assert_ne!(one.records(), other.records());
        assert_eq!(Tables::with("ts_a", one.id()).unwrap(), one);
        assert_eq!(Tables::with("ts_a", "k0123abcd").unwrap().of("held"), "ts_a.k0123abcd_held");
        for id in ["", "k", "0123abcde", "k0123abc", "k0123abcde", "k0123ABCD", "k0123 bcd", "k\u{e9}123abc"] {
            assert_eq!(Tables::with("ts_a", id).unwrap_err().code, ErrorCode::RecordDamaged, "{id}");
        }
    }
}
