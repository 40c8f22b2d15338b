//! Which namespace has a name. A name can be given again; an id cannot.

use parking_lot::RwLock;
use std::collections::HashMap;
use std::fmt;

/// What tells a namespace from all others, also from those that had its name before.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct NamespaceId(pub [u8; 16]);

impl NamespaceId {
    /// Of no namespace.
    pub const NONE: Self = Self([0; 16]);

    /// What `Display` wrote; `None` if it did not write that.
    pub fn parse(text: &str) -> Option<Self> {
        if text.is_empty() {
            return Some(Self::NONE);
        }
        let lower = text.len() == 32 && text.bytes().all(|byte| matches!(byte, b'0'..=b'9' | b'a'..=b'f'));
        let number = u128::from_str_radix(text, 16).ok().filter(|&number| lower && number != 0)?;
        Some(Self(number.to_be_bytes()))
    }
}

/// 32 hexadecimal digits; nothing for `NONE`.
impl fmt::Display for NamespaceId {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        if *self == Self::NONE { Ok(()) } else { write!(f, "{:032x}", u128::from_be_bytes(self.0)) }
    }
}

/// A namespace as what works on it names it.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Named {
    pub name: String,
    /// `None`: of the one that has the name now.
    pub id: Option<NamespaceId>,
}

impl From<String> for Named {
    fn from(name: String) -> Self {
        Self { name, id: None }
    }
}

impl From<&str> for Named {
    fn from(name: &str) -> Self {
        name.to_owned().into()
    }
}

/// Who has a name.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tenure {
    pub id: NamespaceId,
    /// Since when, Unix milliseconds.
    pub since_ms: u64,
}

/// The names of namespaces. To ask waits for no disk.
#[derive(Debug, Default)]
pub struct Names {
    now: RwLock<HashMap<String, Tenure>>,
    first: HashMap<String, NamespaceId>,
}

impl Names {
    /// `first`: who had the names when ids were first kept.
    pub fn new(first: HashMap<String, NamespaceId>) -> Self {
        Self { now: RwLock::default(), first }
    }

    /// These have names now, and no others.
    pub fn replace(&self, now: HashMap<String, Tenure>) {
        *self.now.write() = now;
    }

    /// The one that has the name now; `Tenure::default` if none has it.
    pub fn of(&self, name: &str) -> Tenure {
        self.now.read().get(name).copied().unwrap_or_default()
    }

    /// The owner of what was kept by this name before ids were kept.
    pub fn first(&self, name: &str) -> NamespaceId {
        self.first.get(name).copied().unwrap_or_default()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn ids_survive_the_round_trip_and_nothing_else_is_one() {
        for id in [NamespaceId::NONE, NamespaceId([0xab; 16]), NamespaceId([0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1])] {
            assert_eq!(NamespaceId::parse(&id.to_string()), Some(id));
        }
        for text in ["0", "AB", &"A".repeat(32), &"0".repeat(32), &"a".repeat(31), &"a".repeat(33), &format!("+{}", "a".repeat(31))] {
            assert_eq!(NamespaceId::parse(text), None, "{text}");
        }
    }

    #[test]
    fn a_name_is_of_the_one_that_has_it_now() {
        let (old, new) = (NamespaceId([1; 16]), NamespaceId([2; 16]));
        let names = Names::new(HashMap::from([("a".to_owned(), old)]));
        assert_eq!(names.of("a"), Tenure::default());
        names.replace(HashMap::from([("a".to_owned(), Tenure { id: new, since_ms: 5 })]));
        assert_eq!((names.of("a").id, names.first("a")), (new, old));
        assert_eq!((names.of("b").id, names.first("b")), (NamespaceId::NONE, NamespaceId::NONE));
        names.replace(HashMap::new());
        assert_eq!(names.of("a").id, NamespaceId::NONE);
    }
}
