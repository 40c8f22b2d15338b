//! One test of a filter: a bin, perhaps a path into it, a field of the metadata or an expression, an operator and its operand.

use std::cmp::Ordering;

use memchr::memmem::Finder;

use super::expression::Expression;
use super::field::Field;
use super::operand::Operand;
use crate::{Path, Value, ValueRef, scalar_hash};

/// Up to so many keys are looked for one by one.
const FEW_KEYS: usize = 8;

#[derive(Clone, Debug)]
pub struct Test {
    pub bin: Box<str>,
    pub path: Path,
    /// Absent: the value itself is asked.
    pub each: Option<Each>,
    pub op: Op,
}

/// Members of a list or a map that are asked in its place: one of them has to pass, or `all`.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Each {
    pub members: Members,
    pub all: bool,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Members {
    /// Of a list.
    Items,
    /// Of a map.
    Keys,
    Values,
}

#[derive(Clone, Debug)]
pub struct MetaTest {
    pub field: Field,
    pub op: Op,
}

#[derive(Clone, Debug)]
pub struct ExpressionTest {
    pub expression: Expression,
    pub op: Op,
}

/// What is asked of the value. When there is none, only `NotEqual` and `Exists(false)` hold.
#[derive(Clone, Debug)]
pub enum Op {
    Equal(Operand),
    NotEqual(Operand),
    /// The value is of the operand's kind, and in one of these orders to it.
    Order(&'static [Ordering], Operand),
    /// The value is of the operands' kind, and not below the first nor above the second.
    Between(Operand, Operand),
    In(In),
    Prefix(Box<[u8]>),
    Exists(bool),
    Contains(Box<Contains>),
    Has(Has),
}

/// Strings that are looked for as PostgreSQL's `?`, `?|` and `?&` do: each is a key of the map, an item of the list, or the string itself.
#[derive(Clone, Debug)]
pub struct Has {
    /// Without repetitions.
    pub keys: Vec<Box<[u8]>>,
    /// Whether all have to be there, or one.
    pub all: bool,
}

/// A list of values, found by hash.
#[derive(Clone, Debug)]
pub struct In {
    /// By hash; containers, which have none, come first with 0.
    operands: Vec<(u64, Operand)>,
}

/// A document to be contained.
#[derive(Clone, Debug)]
pub struct Contains {
    wanted: Operand,
    /// The longest string in it, as it is stored: bytes that do not hold it cannot contain the document.
    needle: Option<Finder<'static>>,
}

impl Has {
    pub fn new(mut keys: Vec<Box<[u8]>>, all: bool) -> Self {
        keys.sort_unstable();
        keys.dedup();
        Self { keys, all }
    }

    pub fn holds(&self, value: &ValueRef<'_>) -> bool {
        match value {
            ValueRef::Map(entries) => self.among(|key| entries.get(key).is_some(), entries.iter().map(|(key, _)| key)),
            ValueRef::List(items) => {
                let strings = || items.iter().filter_map(|item| if let ValueRef::String(text) = item { Some(text) } else { None });
                self.among(|key| strings().any(|text| text == key), strings())
            }
            ValueRef::String(text) => self.among(|key| key == *text, std::iter::once(*text)),
            _ => self.all && self.keys.is_empty(),
        }
    }

    /// Asks for each key where they are few, else takes what is `there` in one pass.
    fn among<'v>(&self, has: impl Fn(&[u8]) -> bool, there: impl Iterator<Item = &'v [u8]>) -> bool {
        if self.keys.len() <= FEW_KEYS {
            return if self.all { self.keys.iter().all(|key| has(key)) } else { self.keys.iter().any(|key| has(key)) };
        }
        let mut found = there.filter_map(|text| self.keys.binary_search_by(|key| (**key).cmp(text)).ok());
        if !self.all {
            return found.next().is_some();
        }
        let mut met = vec![false; self.keys.len()];
        found.for_each(|at| met[at] = true);
        met.iter().all(|met| *met)
    }
}

impl In {
    pub fn new(operands: impl Iterator<Item = Operand>) -> Self {
        let mut operands: Vec<_> = operands.map(|operand| (scalar_hash(&operand.value()).unwrap_or(0), operand)).collect();
        operands.sort_by(|(a, one), (b, other)| a.cmp(b).then_with(|| one.as_bytes().cmp(other.as_bytes())));
        operands.dedup_by(|(_, one), (_, other)| one.as_bytes() == other.as_bytes());
        Self { operands }
    }

    /// The operands that may equal `value`.
    pub fn like(&self, value: &ValueRef<'_>) -> impl Iterator<Item = &Operand> {
        let hash = scalar_hash(value).unwrap_or(0);
        let start = self.operands.partition_point(|(h, _)| *h < hash);
        self.operands[start..].iter().take_while(move |(h, _)| *h == hash).map(|(_, operand)| operand)
    }

    pub fn operands(&self) -> impl Iterator<Item = &Operand> {
        self.operands.iter().map(|(_, operand)| operand)
    }
}

impl Contains {
    pub fn new(wanted: Operand) -> Self {
        let mut longest: &[u8] = b"";
        longest_string(&wanted.value(), &mut longest);
        let needle = std::str::from_utf8(longest).ok().filter(|text| !text.is_empty()).map(|text| {
            let stored = Operand::new(&Value::String(text.into()));
            Finder::new(stored.as_bytes()).into_owned()
        });
        Self { wanted, needle }
    }

    pub fn wanted(&self) -> ValueRef<'_> {
        self.wanted.value()
    }

    /// Whether encoded bytes may contain the document: a search at memory speed before the walk.
    pub fn possible_in(&self, encoded: &[u8]) -> bool {
        self.needle.as_ref().is_none_or(|needle| needle.find(encoded).is_some())
    }
}

/// Keys count as well as values: both are stored as strings.
fn longest_string<'a>(value: &ValueRef<'a>, longest: &mut &'a [u8]) {
    let mut offer = |text: &'a [u8]| {
        if text.len() > longest.len() {
            *longest = text;
        }
    };
    match value {
        ValueRef::String(text) => offer(text),
        ValueRef::List(items) => items.iter().for_each(|item| longest_string(&item, longest)),
        ValueRef::Map(entries) => entries.iter().for_each(|(_, value)| longest_string(&value, longest)),
        _ => {}
    }
}
