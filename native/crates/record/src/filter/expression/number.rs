//! Numbers as they are stored, and what is worked out of them: integers exactly, or nothing.

use std::cmp::Ordering;

use crate::ValueRef;
use crate::compare::{as_integer, order};

/// A number as it was stored.
#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Number {
    Int(i64),
    Double(f64),
}

/// A sum or product on its way: exact up to the first double, with room for more than the end may have.
#[derive(Clone, Copy, Debug)]
pub(super) enum Running {
    Int(i128),
    /// A product of integers past 128 bits: of no use by itself, but for the double that may come.
    Huge(f64),
    Double(f64),
}

impl Number {
    /// `None` for what is not a number, or not a finite one.
    #[inline]
    pub fn of(value: &ValueRef<'_>) -> Option<Self> {
        match *value {
            ValueRef::Int(n) => Some(Self::Int(n)),
            ValueRef::Double(d) => Self::finite(d),
            _ => None,
        }
    }

    #[inline]
    pub fn order(self, other: Self) -> Option<Ordering> {
        order(&self.value(), &other.value())
    }

    #[inline]
    pub const fn value(self) -> ValueRef<'static> {
        match self {
            Self::Int(n) => ValueRef::Int(n),
            Self::Double(d) => ValueRef::Double(d),
        }
    }

    #[inline]
    pub const fn as_double(self) -> f64 {
        match self {
            Self::Int(n) => n as f64,
            Self::Double(d) => d,
        }
    }

    /// The integer that it equals.
    pub(super) fn whole(self) -> Option<i64> {
        match self {
            Self::Int(n) => Some(n),
            Self::Double(d) => as_integer(d),
        }
    }

    pub(super) fn negative(self) -> Option<Self> {
        match self {
            Self::Int(n) => n.checked_neg().map(Self::Int),
            Self::Double(d) => Some(Self::Double(-d)),
        }
    }

    pub(super) fn absolute(self) -> Option<Self> {
        match self {
            Self::Int(n) => n.checked_abs().map(Self::Int),
            Self::Double(d) => Some(Self::Double(d.abs())),
        }
    }

    pub(super) fn minus(self, other: Self) -> Option<Self> {
        match (self, other) {
            (Self::Int(a), Self::Int(b)) => a.checked_sub(b).map(Self::Int),
            (a, b) => Self::finite(a.as_double() - b.as_double()),
        }
    }

    /// An integer where integers divide without a rest, else a double.
    pub(super) fn over(self, other: Self) -> Option<Self> {
        match (self, other) {
            (_, Self::Int(0)) => None,
            (Self::Int(a), Self::Int(b)) if a.wrapping_rem(b) == 0 => a.checked_div(b).map(Self::Int),
            // What a double of zero divides is not finite.
            (a, b) => Self::finite(a.as_double() / b.as_double()),
        }
    }

    /// What division leaves, with the sign of the dividend.
    pub(super) fn modulo(self, other: Self) -> Option<Self> {
        match (self, other) {
            (_, Self::Int(0)) => None,
            (Self::Int(a), Self::Int(b)) => Some(Self::Int(a.wrapping_rem(b))),
            (a, b) => Self::finite(a.as_double() % b.as_double()),
        }
    }

    /// Without its fraction, by `to_whole`: an integer where 64 bits hold it.
    pub(super) fn rounded(self, to_whole: impl FnOnce(f64) -> f64) -> Self {
        match self {
            Self::Int(n) => Self::Int(n),
            Self::Double(d) => {
                let whole = to_whole(d);
                as_integer(whole).map_or(Self::Double(whole), Self::Int)
            }
        }
    }

    fn finite(double: f64) -> Option<Self> {
        double.is_finite().then_some(Self::Double(double))
    }
}

impl Running {
    pub(super) fn plus(self, number: Number) -> Self {
        match (self, number) {
            // There are far fewer than 2^64 of them.
            (Self::Int(sum), Number::Int(n)) => Self::Int(sum.saturating_add(i128::from(n))),
            (sum, number) => Self::Double(sum.as_double() + number.as_double()),
        }
    }

    pub(super) fn times(self, number: Number) -> Self {
        match (self, number) {
            (Self::Int(_) | Self::Huge(_), Number::Int(0)) => Self::Int(0),
            (Self::Int(product), Number::Int(n)) => {
                product.checked_mul(i128::from(n)).map_or(Self::Huge(product as f64 * n as f64), Self::Int)
            }
            (Self::Huge(product), Number::Int(n)) => Self::Huge(product * n as f64),
            (product, number) => Self::Double(product.as_double() * number.as_double()),
        }
    }

    pub(super) fn end(self) -> Option<Number> {
        match self {
            Self::Int(n) => i64::try_from(n).ok().map(Number::Int),
            Self::Huge(_) => None,
            Self::Double(d) => Number::finite(d),
        }
    }

    #[inline]
    const fn as_double(self) -> f64 {
        match self {
            Self::Int(n) => n as f64,
            Self::Huge(d) | Self::Double(d) => d,
        }
    }
}
