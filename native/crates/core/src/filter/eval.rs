//! Asking a filter of a record body.

use super::Node;
use super::test::{Op, Test};
use crate::index::document::contains;
use crate::record::compare::{equal, order};
use crate::record::{BodyRef, ValueRef};

impl Node {
    pub(super) fn matches(&self, body: &BodyRef<'_>) -> bool {
        match self {
            Node::And(parts) => parts.iter().all(|part| part.matches(body)),
            Node::Or(parts) => parts.iter().any(|part| part.matches(body)),
            Node::Not(part) => !part.matches(body),
            Node::Test(test) => test.matches(body),
        }
    }

    /// What asking costs, roughly, in steps of a comparison.
    pub(super) fn cost(&self) -> u32 {
        match self {
            Node::And(parts) | Node::Or(parts) => parts.iter().map(Node::cost).sum(),
            Node::Not(part) => part.cost(),
            Node::Test(test) => match test.op {
                Op::Contains(_) => 100,
                Op::In(_) => 4,
                _ if !test.path.is_empty() => 2,
                _ => 1,
            },
        }
    }
}

impl Test {
    fn matches(&self, body: &BodyRef<'_>) -> bool {
        let encoded = body.raw_bins().find(|(name, _)| *name == self.bin.as_bytes()).map(|(_, value)| value);
        if let (Op::Contains(contained), Some(encoded)) = (&self.op, encoded)
            && !contained.possible_in(encoded)
        {
            return false;
        }
        match encoded.and_then(|encoded| self.path.find(ValueRef::of(encoded))) {
            Some(value) => self.op.holds(&value),
            None => matches!(self.op, Op::NotEqual(_) | Op::Exists(false)),
        }
    }
}

impl Op {
    fn holds(&self, value: &ValueRef<'_>) -> bool {
        match self {
            Op::Equal(operand) => equal(value, &operand.value()),
            Op::NotEqual(operand) => !equal(value, &operand.value()),
            Op::Order(orders, operand) => order(value, &operand.value()).is_some_and(|order| orders.contains(&order)),
            Op::In(list) => list.like(value).any(|operand| equal(value, &operand.value())),
            Op::Prefix(prefix) => matches!(value, ValueRef::String(text) if text.starts_with(prefix)),
            Op::Exists(wanted) => *wanted,
            Op::Contains(contained) => contains(*value, contained.wanted()),
        }
    }
}
