//! Asking a filter of a record.

use std::cmp::Ordering;

use super::field::Subject;
use super::test::{Each, Members, Op, Test};
use super::{MetaTest, Node};
use crate::compare::{equal, order};
use crate::{BodyRef, ValueRef, contains};

impl Node {
    /// Whether the record passes; `None` where that takes its body, which is not at hand.
    pub(super) fn holds(&self, subject: &impl Subject) -> Option<bool> {
        match self {
            Node::And(parts) => decided(parts, false, subject),
            Node::Or(parts) => decided(parts, true, subject),
            Node::Not(part) => part.holds(subject).map(|holds| !holds),
            Node::Test(test) => match subject.item() {
                Some(item) if item.name == &*test.bin => Some(test.asked(Some(item.value))),
                _ => subject.body().map(|body| test.holds(&body)),
            },
            Node::Meta(test) => test.holds(subject),
            Node::Expression(test) => test.expression.value(subject, |value| test.op.asked(value)),
        }
    }

    /// What asking costs, roughly, in steps of a comparison.
    pub(super) fn cost(&self) -> u32 {
        match self {
            Node::And(parts) | Node::Or(parts) => parts.iter().map(Node::cost).fold(0, u32::saturating_add),
            Node::Not(part) => part.cost(),
            Node::Meta(test) => u32::from(test.field.reads_body()),
            Node::Expression(test) => test.expression.cost().saturating_add(1),
            Node::Test(test) => match test.op {
                Op::Contains(_) => 100,
                _ if test.each.is_some() => 20,
                Op::In(_) | Op::Has(_) => 4,
                _ if !test.path.is_empty() => 2,
                _ => 1,
            },
        }
    }

    /// Whether `wanted` is so of any test.
    pub(super) fn any(&self, wanted: &dyn Fn(&Node) -> bool) -> bool {
        match self {
            Node::And(parts) | Node::Or(parts) => parts.iter().any(|part| part.any(wanted)),
            Node::Not(part) => part.any(wanted),
            Node::Test(_) | Node::Meta(_) | Node::Expression(_) => wanted(self),
        }
    }
}

/// `decisive` where one part is that, unknown where one is unknown, else the other.
fn decided(parts: &[Node], decisive: bool, subject: &impl Subject) -> Option<bool> {
    let mut known = true;
    for part in parts {
        match part.holds(subject) {
            Some(holds) if holds == decisive => return Some(decisive),
            Some(_) => {}
            None => known = false,
        }
    }
    known.then_some(!decisive)
}

impl Test {
    #[inline]
    fn holds(&self, body: &BodyRef<'_>) -> bool {
        let encoded = body.raw_bins().find(|(name, _)| *name == self.bin.as_bytes()).map(|(_, value)| value);
        match (self.each, &self.op, encoded) {
            (None, Op::Contains(contained), Some(encoded)) if !contained.possible_in(encoded) => false,
            _ => self.asked(encoded.map(ValueRef::of)),
        }
    }

    /// Of what stands for the bin.
    #[inline]
    fn asked(&self, value: Option<ValueRef<'_>>) -> bool {
        match self.each {
            Some(each) => value.is_some_and(|value| self.path.any(value, |value| each.holds(value, &self.op)) == Some(true)),
            None => match value.and_then(|value| self.path.any(value, |value| self.op.holds(&value))) {
                Some(holds) => holds,
                None => self.op.asked(None),
            },
        }
    }
}

impl Each {
    /// False of what has no such members; true of none of them where all have to pass.
    #[inline]
    fn holds(self, value: ValueRef<'_>, op: &Op) -> bool {
        match (self.members, value) {
            (Members::Items, ValueRef::List(list)) => self.ask(list.iter(), op),
            (Members::Keys, ValueRef::Map(map)) => self.ask(map.iter().map(|(key, _)| ValueRef::String(key)), op),
            (Members::Values, ValueRef::Map(map)) => self.ask(map.iter().map(|(_, value)| value), op),
            _ => false,
        }
    }

    fn ask<'v>(self, mut members: impl Iterator<Item = ValueRef<'v>>, op: &Op) -> bool {
        if self.all { members.all(|member| op.holds(&member)) } else { members.any(|member| op.holds(&member)) }
    }
}

impl MetaTest {
    fn holds(&self, subject: &impl Subject) -> Option<bool> {
        self.field.value(subject, |value| self.op.asked(value))
    }
}

impl Op {
    #[inline]
    fn asked(&self, value: Option<ValueRef<'_>>) -> bool {
        match value {
            Some(value) => self.holds(&value),
            None => matches!(self, Op::NotEqual(_) | Op::Exists(false)),
        }
    }

    #[inline]
    fn holds(&self, value: &ValueRef<'_>) -> bool {
        match self {
            Op::Equal(operand) => equal(value, &operand.value()),
            Op::NotEqual(operand) => !equal(value, &operand.value()),
            Op::Order(orders, operand) => order(value, &operand.value()).is_some_and(|order| orders.contains(&order)),
            Op::Between(low, high) => {
                order(value, &low.value()).is_some_and(Ordering::is_ge) && order(value, &high.value()).is_some_and(Ordering::is_le)
            }
            Op::In(list) => list.like(value).any(|operand| equal(value, &operand.value())),
            Op::Prefix(prefix) => matches!(value, ValueRef::String(text) if text.starts_with(prefix)),
            Op::Exists(wanted) => *wanted,
            Op::Contains(contained) => contains(*value, contained.wanted()),
            Op::Has(has) => has.holds(value),
        }
    }
}
