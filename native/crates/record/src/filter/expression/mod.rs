//! Expressions: values that are worked out of a record. They stand wherever a bin or a field of the metadata does: in tests of a
//! filter, columns, aggregates, groups and orders. Compiled once from JSON, then asked of records, of their metadata before
//! their bodies; bins and numbers allocate nothing. `docs/query.md` is the reference for users.

mod eval;
mod number;
mod parse;
mod term;
#[cfg(test)]
mod tests;
mod text;

pub use number::Number;

use std::fmt;

use super::field::Subject;
use crate::ValueRef;
use eval::Lack;
pub(super) use term::Term;

/// A compiled expression.
#[derive(Clone)]
pub struct Expression {
    root: Term,
    /// As JSON.
    text: Box<str>,
    reads_body: bool,
    reads_size: bool,
}

impl Expression {
    fn new(root: Term, text: Box<str>) -> Self {
        Self { reads_body: root.any(&Term::reads_body), reads_size: root.any(&Term::reads_size), root, text }
    }

    pub(super) const fn root(&self) -> &Term {
        &self.root
    }

    /// Calls `with` with the value, if there is one; `None` where that cannot be known without the body.
    pub fn value<R>(&self, subject: &impl Subject, with: impl FnOnce(Option<ValueRef<'_>>) -> R) -> Option<R> {
        match self.root.value(subject) {
            Ok(got) => Some(with(Some(got.value()))),
            Err(Lack::Missing) => Some(with(None)),
            Err(Lack::Unknown) => None,
        }
    }

    /// Whether it takes the body of some records.
    pub const fn reads_body(&self) -> bool {
        self.reads_body
    }

    /// Whether it is of the size.
    pub const fn reads_size(&self) -> bool {
        self.reads_size
    }

    /// Whether it is of this bin.
    pub fn reads_bin(&self, name: &str) -> bool {
        self.root.any(&|term| term.reads_bin(name))
    }

    /// What its value is called without another word: the last key of a path, a bin, a field of the metadata.
    pub fn name(&self) -> Option<String> {
        match &self.root {
            Term::Bin { bin, path } => {
                Some(path.last_key().map_or_else(|| bin.to_string(), |last| String::from_utf8_lossy(last).into_owned()))
            }
            Term::Meta(field) => Some(field.name().to_owned()),
            _ => None,
        }
    }

    /// What asking costs, roughly, in steps of a comparison.
    pub fn cost(&self) -> u32 {
        self.root.cost()
    }
}

/// As JSON. The same expression has the same text in every process: cursors of an order go by it.
impl fmt::Display for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.text)
    }
}

impl fmt::Debug for Expression {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Expression({})", self.text)
    }
}
