//! Working expressions out.

use std::cmp::Ordering;

use super::number::{Number, Running};
use super::term::{Many, One, Term, Two};
use super::text;
use crate::compare::order;
use crate::filter::field::{Field, Subject};
use crate::{Path, ValueRef};

/// A value: as it is stored, or a string that was made.
pub(super) enum Got<'v> {
    Stored(ValueRef<'v>),
    Text(Vec<u8>),
}

/// Why there is none.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Lack {
    /// Something is not there, null, or of a kind that this is not worked out of.
    Missing,
    /// It takes the body, which is not at hand.
    Unknown,
}

type Outcome<'v> = Result<Got<'v>, Lack>;

impl Got<'_> {
    pub(super) fn value(&self) -> ValueRef<'_> {
        match self {
            Self::Stored(value) => *value,
            Self::Text(text) => ValueRef::String(text),
        }
    }

    fn text(&self) -> Result<&[u8], Lack> {
        match self {
            Self::Stored(ValueRef::String(text)) => Ok(text),
            Self::Stored(_) => Err(Lack::Missing),
            Self::Text(text) => Ok(text),
        }
    }
}

impl From<Number> for Got<'_> {
    fn from(number: Number) -> Self {
        Self::Stored(number.value())
    }
}

/// What a calculation came to.
fn calculated<'v>(number: Option<Number>) -> Outcome<'v> {
    number.map(Got::from).ok_or(Lack::Missing)
}

impl Term {
    pub(super) fn value<'v, S: Subject>(&'v self, subject: &'v S) -> Outcome<'v> {
        match self {
            Self::Bin { bin, path } => found(bin, path, subject),
            Self::Meta(field) => field_value(*field, subject),
            Self::Value(literal) => Ok(Got::Stored(literal.value())),
            Self::One(what, of) => one(*what, of, subject),
            Self::Two(what, of) => {
                let [a, b] = &**of;
                let (a, b) = (a.number(subject)?, b.number(subject)?);
                calculated(match what {
                    Two::Subtract => a.minus(b),
                    Two::Divide => a.over(b),
                    Two::Modulo => a.modulo(b),
                })
            }
            Self::Many(what, of) => many(*what, of, subject),
            Self::Substring(of, count) => {
                let [of, from] = &**of;
                let of = of.value(subject)?;
                let from = from.whole(subject)?;
                let count = count.as_ref().map(|count| count.whole(subject)).transpose()?;
                let span = text::span(of.text()?, from, count).ok_or(Lack::Missing)?;
                Ok(match of {
                    Got::Stored(ValueRef::String(text)) => Got::Stored(ValueRef::String(&text[span])),
                    made => Got::Text(made.text()?[span].to_vec()),
                })
            }
            Self::If(filter, choices) => {
                let [then, otherwise] = &**choices;
                let holds = filter.holds(subject).ok_or(Lack::Unknown)?;
                if holds { then } else { otherwise }.value(subject)
            }
            Self::Is(filter) => filter.holds(subject).map(|holds| Got::Stored(ValueRef::Bool(holds))).ok_or(Lack::Unknown),
        }
    }

    fn number<S: Subject>(&self, subject: &S) -> Result<Number, Lack> {
        Number::of(&self.value(subject)?.value()).ok_or(Lack::Missing)
    }

    /// A number without a fraction.
    fn whole<S: Subject>(&self, subject: &S) -> Result<i64, Lack> {
        self.number(subject)?.whole().ok_or(Lack::Missing)
    }
}

fn found<'v, S: Subject>(bin: &str, path: &Path, subject: &'v S) -> Outcome<'v> {
    let value = match subject.item() {
        Some(item) if item.name == bin => Some(item.value),
        _ => subject.body().ok_or(Lack::Unknown)?.bin(bin),
    };
    value.and_then(|value| path.find(value)).map(Got::Stored).ok_or(Lack::Missing)
}

fn field_value<S: Subject>(field: Field, subject: &S) -> Outcome<'_> {
    match field {
        Field::Key => subject.body().map(|body| Got::Stored(body.key().into())).ok_or(Lack::Unknown),
        Field::Set => Ok(Got::Text(subject.with_set(|name| name.as_bytes().to_vec()))),
        // The others are numbers.
        _ => calculated(field.value(subject, |value| value.and_then(|value| Number::of(&value))).ok_or(Lack::Unknown)?),
    }
}

fn one<'v, S: Subject>(what: One, of: &'v Term, subject: &'v S) -> Outcome<'v> {
    let of = of.value(subject)?;
    let number = || Number::of(&of.value()).ok_or(Lack::Missing);
    match what {
        One::Negative => calculated(number()?.negative()),
        One::Absolute => calculated(number()?.absolute()),
        One::Floor => Ok(number()?.rounded(f64::floor).into()),
        One::Ceiling => Ok(number()?.rounded(f64::ceil).into()),
        One::Round => Ok(number()?.rounded(f64::round).into()),
        One::Length => calculated(text::length(&of.value()).map(Number::Int)),
        One::Lower | One::Upper => text::cased(of.text()?, what == One::Upper).map(Got::Text).ok_or(Lack::Missing),
    }
}

fn many<'v, S: Subject>(what: Many, of: &'v [Term], subject: &'v S) -> Outcome<'v> {
    match what {
        Many::Add => calculated(folded(of, Running::Int(0), Running::plus, subject)?.end()),
        Many::Multiply => calculated(folded(of, Running::Int(1), Running::times, subject)?.end()),
        Many::Least => extreme(of, Ordering::Less, subject),
        Many::Greatest => extreme(of, Ordering::Greater, subject),
        Many::Concatenate => {
            let mut all = Vec::new();
            for part in of {
                text::append(&mut all, part.value(subject)?.text()?).ok_or(Lack::Missing)?;
            }
            Ok(Got::Text(all))
        }
        Many::Coalesce => {
            for part in of {
                match part.value(subject) {
                    Ok(Got::Stored(ValueRef::Null)) | Err(Lack::Missing) => {}
                    there => return there,
                }
            }
            Err(Lack::Missing)
        }
    }
}

fn folded<S: Subject>(of: &[Term], from: Running, with: fn(Running, Number) -> Running, subject: &S) -> Result<Running, Lack> {
    of.iter().try_fold(from, |running, part| Ok(with(running, part.number(subject)?)))
}

/// The first in this order of values that all are numbers, strings or bytes.
fn extreme<'v, S: Subject>(of: &'v [Term], wanted: Ordering, subject: &'v S) -> Outcome<'v> {
    let mut best: Option<Got<'v>> = None;
    for part in of {
        let got = part.value(subject)?;
        let known = best.as_ref().map_or_else(|| got.value(), Got::value);
        let ordered = match got.value() {
            value @ (ValueRef::String(_) | ValueRef::Bytes(_)) => order(&value, &known),
            value => Number::of(&value).and_then(|_| order(&value, &known)),
        };
        if ordered.ok_or(Lack::Missing)? == wanted || best.is_none() {
            best = Some(got);
        }
    }
    best.ok_or(Lack::Missing)
}
