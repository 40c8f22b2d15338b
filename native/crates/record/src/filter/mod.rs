//! The filter of scans and queries: compiled once from JSON, then asked of records without allocating, of their metadata
//! before their bodies. `docs/query.md` is its reference for users.

mod describe;
mod eval;
pub mod expression;
mod field;
mod operand;
mod parse;
pub mod request_reader;
mod row;
mod test;
mod whole;

pub use field::{Field, Item, Subject};
pub use operand::Operand;
pub use row::Row;
pub use test::{Contains, Each, ExpressionTest, Has, In, Members, MetaTest, Op, Test};
pub use whole::Whole;

use tessera_base::Result;

/// A compiled filter.
#[derive(Clone, Debug)]
pub struct Filter {
    root: Node,
    /// Whether any test reads the body, whether any can do without, and whether any is of the size.
    reads_body: bool,
    reads_index: bool,
    reads_size: bool,
}

/// A filter's tree. The parts of `And` and `Or` are in order of cost, cheapest first.
#[derive(Clone, Debug)]
pub enum Node {
    And(Vec<Node>),
    Or(Vec<Node>),
    Not(Box<Node>),
    Test(Test),
    Meta(MetaTest),
    Expression(Box<ExpressionTest>),
}

impl Filter {
    /// Compiles a filter from its JSON text.
    ///
    /// # Errors
    /// `filter_invalid`, naming the field at fault as a path from `where`; and what reading JSON refuses.
    pub fn compile(json: &[u8]) -> Result<Self> {
        parse::filter(json)
    }

    fn new(root: Node) -> Self {
        let bodiless = |node: &Node| match node {
            Node::Meta(test) => !test.field.reads_body(),
            Node::Expression(test) => !test.expression.reads_body(),
            _ => false,
        };
        let sized = |node: &Node| match node {
            Node::Meta(test) => test.field == Field::Size,
            Node::Expression(test) => test.expression.reads_size(),
            _ => false,
        };
        Self { reads_body: root.any(&|node| !bodiless(node)), reads_index: root.any(&bodiless), reads_size: root.any(&sized), root }
    }

    /// What passes all of these, at least one.
    pub fn all(filters: Vec<Self>) -> Option<Self> {
        let parts = filters.into_iter().flat_map(|filter| if let Node::And(parts) = filter.root { parts } else { vec![filter.root] });
        let mut parts: Vec<Node> = parts.collect();
        parts.sort_by_key(Node::cost);
        match parts.len() {
            0 | 1 => parts.pop().map(Self::new),
            _ => Some(Self::new(Node::And(parts))),
        }
    }

    #[inline]
    pub const fn root(&self) -> &Node {
        &self.root
    }

    /// Whether the record passes; `None` where that takes its body, which is not at hand.
    pub fn holds(&self, subject: &impl Subject) -> Option<bool> {
        self.root.holds(subject)
    }

    /// Whether a record that is at hand passes.
    #[inline]
    pub fn passes(&self, record: &Whole<'_>) -> bool {
        self.holds(record) == Some(true)
    }

    /// Whether some records are decided by their bodies.
    #[inline]
    pub const fn reads_body(&self) -> bool {
        self.reads_body
    }

    /// Whether some records may be decided without their bodies.
    #[inline]
    pub const fn reads_index(&self) -> bool {
        self.reads_index
    }

    /// Whether any test is of the size.
    #[inline]
    pub const fn reads_size(&self) -> bool {
        self.reads_size
    }

    /// Whether any test is of this bin.
    pub fn reads_bin(&self, name: &str) -> bool {
        self.root.any(&|node| match node {
            Node::Test(test) => *test.bin == *name,
            Node::Expression(test) => test.expression.reads_bin(name),
            _ => false,
        })
    }

    /// What asking costs, roughly, in steps of a comparison.
    pub fn cost(&self) -> u32 {
        self.root.cost()
    }

    /// The tests of values in bins that every match passes: those of the top `and`, nested ones included, or the filter itself. Tests
    /// of members and of expressions are none of them.
    pub fn required(&self) -> Vec<&Test> {
        fn collect<'f>(node: &'f Node, tests: &mut Vec<&'f Test>) {
            match node {
                Node::And(parts) => parts.iter().for_each(|part| collect(part, tests)),
                Node::Test(test) if test.each.is_none() => tests.push(test),
                Node::Test(_) | Node::Or(_) | Node::Not(_) | Node::Meta(_) | Node::Expression(_) => {}
            }
        }
        let mut tests = Vec::new();
        collect(&self.root, &mut tests);
        tests
    }
}

#[cfg(test)]
mod tests;
