//! The filter of scans and queries: compiled once from JSON, then asked of record bodies without allocating.
//! `docs/query.md` is its reference for users.

mod eval;
mod parse;
mod test;

pub use test::{Contains, In, Op, Operand, Test};

use crate::error::Result;
use crate::record::BodyRef;

/// A compiled filter.
#[derive(Clone, Debug)]
pub struct Filter {
    root: Node,
}

/// A filter's tree. The parts of `And` and `Or` are in order of cost, cheapest first.
#[derive(Clone, Debug)]
pub enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    Test(Test),
}

impl Filter {
    /// Compiles a filter from its JSON text.
    ///
    /// # Errors
    /// `filter_invalid`, naming the field at fault as a path from `where`; and what reading JSON refuses.
    pub fn compile(json: &[u8]) -> Result<Self> {
        parse::filter(json).map(|root| Self { root })
    }

    /// Whether the record passes.
    pub fn matches(&self, body: &BodyRef<'_>) -> bool {
        self.root.matches(body)
    }

    /// The tests that every match passes: those of the top `and`, nested ones included, or the filter itself.
    pub fn required(&self) -> Vec<&Test> {
        fn collect<'f>(node: &'f Node, tests: &mut Vec<&'f Test>) {
            match node {
                Node::And(parts) => parts.iter().for_each(|part| collect(part, tests)),
                Node::Test(test) => tests.push(test),
                Node::Or(_) | Node::Not(_) => {}
            }
        }
        let mut tests = Vec::new();
        collect(&self.root, &mut tests);
        tests
    }
}
